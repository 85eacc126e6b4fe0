"""Pictures of data, training and results.

Every function draws into ``ax`` (matplotlib Axes; None makes a figure) and returns the Axes; ``save`` writes its figure
as PNG, SVG or PDF. Colours are those of Okabe and Ito, which the colour-blind can tell apart, and nothing is told by
colour alone: lines differ in style, points in shape, cells carry numbers. Legends stand outside the axes.

Needs matplotlib: ``pip install 'lindy[plots]'``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.plots.boundary import decision_boundary, decision_regions, toy_data
    from lindy.plots.curves import (
        accuracy_by_epoch,
        accuracy_by_row,
        learning_curve,
        objective_by_round,
        objective_by_time,
    )
    from lindy.plots.results import confusion, reliability
    from lindy.plots.style import save
    from lindy.plots.toy_learners import Boundaries, boundaries
    from lindy.plots.weight_paths import regularization_path, weight_path
    from lindy.plots.weights import top_features, weight_pictures

__all__ = [
    "Boundaries",
    "accuracy_by_epoch",
    "accuracy_by_row",
    "boundaries",
    "confusion",
    "decision_boundary",
    "decision_regions",
    "learning_curve",
    "objective_by_round",
    "objective_by_time",
    "regularization_path",
    "reliability",
    "save",
    "top_features",
    "toy_data",
    "weight_path",
    "weight_pictures",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "boundary": "decision_boundary decision_regions toy_data",
        "curves": "accuracy_by_epoch accuracy_by_row learning_curve objective_by_round objective_by_time",
        "weight_paths": "regularization_path weight_path",
        "results": "confusion reliability",
        "style": "save",
        "toy_learners": "Boundaries boundaries",
        "weights": "top_features weight_pictures",
    },
)
