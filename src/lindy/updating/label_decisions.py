"""Probabilities and thresholds of a model of several labels after an update or a merge.

A new label has those of the old labels that are about as frequent, until it has held-out rows of its own: the mean
over old labels, of which those alike in frequency count most (``label_thresholds.Borrowing``). Scores of further
rows, each from a model that had not seen it, are held-out scores. Where there are enough, probabilities and
thresholds found on their first half replace the old ones if they have the higher F1, of all labels together, on the
second half; they are then found on all of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import ManyLabels
from lindy.evaluation.calibration.label_calibration import LabelSigmoids
from lindy.evaluation.decisions import SeveralLabels
from lindy.evaluation.label_criterion import LabelCriterion
from lindy.evaluation.label_thresholds import Borrowing

FEWEST = 100
"""Held-out rows that thresholds are found on at the least."""

Decisions = tuple[LabelSigmoids | None, SeveralLabels]


def with_new_labels(model: Any, classes: NDArray[Any], counts: NDArray[Any]) -> Decisions:
    """Return a model's calibrator and rule for more labels, of which so many rows are known."""
    old: tuple[LabelSigmoids | None, SeveralLabels] = (model.calibrator_, model.rule_)
    if len(classes) == len(model.classes_):
        return old
    place = np.searchsorted(classes, model.classes_)
    known = np.zeros(len(classes))
    known[place] = np.maximum(counts[place], 1)
    borrowed = Borrowing(np.asarray(counts, np.float64), (known > 0).astype(np.float64))

    def wide(values: Any) -> NDArray[np.float64]:
        own = np.broadcast_to(np.asarray(values, np.float64), len(place))
        made = np.zeros(len(classes))
        made[place] = own
        made = borrowed(made[:, None])[:, 0]
        made[place] = own
        return made

    calibrator = old[0] and LabelSigmoids({name: wide(array) for name, array in old[0].arrays.items()})
    return calibrator, SeveralLabels(wide(old[1].thresholds))


def found_again(
    decisions: Decisions, scores: NDArray[np.float64], truth: ManyLabels, metric: str
) -> tuple[Decisions, str]:
    """Return the decisions that fit held-out scores better, and a line that says which."""
    if len(truth) < FEWEST:
        return (
            decisions,
            "thresholds: those of before the update; a new label has those of labels about as frequent",
        )
    criterion, half = LabelCriterion.of_labels(metric, truth), len(truth) // 2
    calibrates = decisions[0] is not None
    first, second = truth.take(np.arange(half)), truth.take(np.arange(half, len(truth)))
    trial = _found(criterion, scores[:half], first, calibrates=calibrates)
    figures = [_micro_f1(own, scores[half:], second) for own in (decisions, trial)]
    if figures[0] >= figures[1]:
        return decisions, (
            "thresholds: those of before the update, which fit the new rows better than some found on them"
            f" (micro F1 {figures[0]:.3f}, {figures[1]:.3f})"
        )
    return (
        _found(criterion, scores, truth, calibrates=calibrates),
        f"thresholds: found on {len(truth):,} new rows, predicted before they were learned, for {criterion.metric}",
    )


def _found(
    criterion: LabelCriterion, scores: NDArray[np.float64], truth: ManyLabels, *, calibrates: bool
) -> Decisions:
    calibrator = criterion.calibrator(scores, truth, "auto") if calibrates else None
    return calibrator, SeveralLabels(criterion.thresholds(scores, truth)).calibrated(calibrator)


def _micro_f1(decisions: Decisions, scores: NDArray[np.float64], truth: ManyLabels) -> float:
    calibrator, rule = decisions
    given = (scores if calibrator is None else calibrator(scores)) >= np.asarray(rule.thresholds)
    actual = truth.indicator() > 0
    return float(2 * (given & actual).sum() / max(given.sum() + actual.sum(), 1))
