"""Updates a model's calibration, decision rule and outcomes.

Scores of the new rows, each from a model that had not seen it (``progressive``), are held-out scores. A calibrator
that is fitted to the first half of them replaces the old one if it has the lower log loss on the second half; it is
then fitted to all. Otherwise the old one stays. Where there are new classes, the old one may have no meaning.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import Targets
from lindy.evaluation.calibration import Calibrator, Temperature, fit_calibrator, log_losses
from lindy.evaluation.criterion import Criterion
from lindy.evaluation.decisions import ScoreRule
from lindy.evaluation.outcomes import ANOTHER, Outcomes
from lindy.updating.progressive import Progress

FEWEST = 100
"""Held-out rows that a calibrator or a rule is learned from at least: a share is then known to about 10 points."""


def new_calibrator(
    model: Any, learner: Any, y: Targets, progress: Progress | None
) -> tuple[Calibrator | None, str]:
    """Return the calibrator after an update, and a line that says where it is from; none for a model without."""
    old = model.calibrator_
    if old is None:
        return None, ""
    same = len(y.names) == len(model.classes_)
    usable = same or isinstance(old, Temperature)
    held = None if progress is None else _held_out(progress, y)
    if held is None:
        if usable:
            return old, f"probabilities: the {old.method} calibration of before the update"
        return of_own(
            learner
        ), "probabilities: there are new classes, and too few rows to calibrate again: guesses"
    scores, known = held
    half = len(known) // 2
    first = known.take(np.arange(half))
    method = old.method if usable else "auto"
    if usable and first.counts.all():
        trial = fit_calibrator(scores[:half], first, None, method)
        losses = [float(log_losses(own(scores[half:]), known.codes[half:]).mean()) for own in (old, trial)]
        if losses[0] <= losses[1]:
            return old, (
                f"probabilities: the {old.method} calibration of before the update, which fits the new rows better than"
                f" one fitted to them (log loss {losses[0]:.3f}, {losses[1]:.3f})"
            )
    elif usable:
        return old, f"probabilities: the {old.method} calibration of before the update"
    made = fit_calibrator(scores, known, None, method)
    return (
        made,
        f"probabilities: {made.method} calibration from {len(known):,} new rows, predicted before they were learned",
    )


def new_rule(
    model: Any, y: Targets, counts: NDArray[Any], progress: Progress | None
) -> tuple[ScoreRule | None, str]:
    """Return the decision rule after an update, and a line that says where it is from; none for a model without."""
    old = model.rule_
    if old is None:
        return None, ""
    if len(y.names) == len(model.classes_):
        return old, "rule: that of before the update"
    held = None if progress is None else _held_out(progress, y)
    if held is None:
        return (
            None,
            "rule: the highest score, since there are new classes and too few rows to find a rule again",
        )
    rule = Criterion.of(model.metric, y.names, counts, None).rule(*held)
    return rule, f"rule: found again on {len(held[1]):,} new rows, since there are new classes"


def new_outcomes(model: Any, y: Targets, progress: Progress | None) -> Outcomes | None:
    """Return what held-out rows got: those of the training, if they can be added, and the new ones.

    A counting model that was trained without any has none afterwards: it is that of a training on all rows.
    """
    old, K = model.outcomes_, len(y.names)
    if old is None and model.learner_.adds_up:
        return None
    if progress is None or not progress.learned:
        return old if old is not None and len(model.classes_) == K else None
    sure = progress.confidence if (progress.confidence > 0).all() else None
    new = Outcomes.of(y.codes, progress.best, sure, K)
    if old is None or old.n_bins != new.n_bins or not (old.by_label and new.by_label):
        return new
    place = np.append(np.searchsorted(y.names, model.classes_), ANOTHER)  # the last is what −1 finds
    cells = old.cells.astype(np.int64)
    cells[:, 0], cells[:, 1] = place[cells[:, 0]], place[cells[:, 1]]
    rows = np.concatenate([cells, new.cells.astype(np.int64)])
    cells, where = np.unique(rows[:, :3], axis=0, return_inverse=True)
    counts = np.bincount(where.ravel(), rows[:, 3])
    return Outcomes(np.column_stack([cells, counts]).astype(np.int32), K, new.n_bins)


def _held_out(progress: Progress, y: Targets) -> tuple[Any, Targets] | None:
    """Return scores and targets of the new rows, if they are enough and of every class."""
    places, scores = progress.scored
    known = y.take(places)
    return (scores, known) if len(known) >= FEWEST and known.counts.all() else None


def of_own(learner: Any) -> Calibrator | None:
    """Return a calibrator that takes scores for log odds, for a learner without probabilities."""
    own = learner.has_probabilities
    return None if own else Temperature({"temperature": np.ones(1)})
