"""Models that learn more: further rows for a fitted model, several models as one, and what new data look like."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.updating.drift import Drift, compare_data
    from lindy.updating.merging import Merged, merge, merge_models
    from lindy.updating.progressive import Progress, validate_progressively
    from lindy.updating.updates import Update, update

__all__ = [
    "Drift",
    "Merged",
    "Progress",
    "Update",
    "compare_data",
    "merge",
    "merge_models",
    "update",
    "validate_progressively",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "drift": "Drift compare_data",
        "merging": "Merged merge merge_models",
        "progressive": "Progress validate_progressively",
        "updates": "Update update",
    },
)
