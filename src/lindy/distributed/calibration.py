"""Probabilities from partitions: copies of the learner are fitted without some rows, which they score.

Which rows are held out together is said by what they are, not by where they are: texts with the same features are in
the same fold, and the scores are sorted before a calibrator is fitted to them. So it does not depend on the partitions,
unless the learner does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.inputs import Texts
from lindy.core.targets import OneLabel
from lindy.data.splits.split_policy import FREE
from lindy.distributed.sums import Array
from lindy.distributed.tasks import HeldOutScores
from lindy.distributed.totals import Totals
from lindy.estimators.learners import make_learner
from lindy.evaluation.criterion import ACCURACY
from lindy.evaluation.crossfit import ENOUGH, FOLDS, ROUGH, OutOfFold
from lindy.linear.convex import ConvexClassifier
from lindy.progress import step
from lindy.tuning.calibration_step import CalibrationStep, Judged
from lindy.tuning.pipeline_spec import TrainingData

if TYPE_CHECKING:
    from lindy.distributed.engine import Engine

Fit = Callable[["Engine", Any, Totals], None]
"""Fits a learner to the rows that an engine holds."""


def calibrated(engine: Engine, learner: Any, totals: Totals, calibration: str, fit: Fit) -> Judged:
    """Return the calibrator that a fitted learner needs, with what it says of held-out rows; leaves rows divided."""

    def judge(y: NDArray[np.int32], weight: Array | None = None) -> CalibrationStep:
        material = TrainingData(
            Texts([]), OneLabel(totals.classes, y), weight, FREE, ACCURACY, row_weight=weight
        )
        return CalibrationStep(calibration, learner, material, None)

    nobody = judge(np.empty(0, np.int32))
    if not nobody.holds_out:
        return Judged()
    scored = _held_out_scores(engine, learner, totals, fit)
    if scored is None or not len(scored.y):
        return nobody.of_scores(None)
    order = np.lexsort((scored.weight, scored.y, scored.keys))
    y, scores, weight = scored.y[order], scored.scores[order], scored.weight[order]
    held_out = OutOfFold(np.arange(len(order)), scores[:, 0] if scores.shape[1] == 1 else scores)
    return judge(y, None if (weight == 1).all() else weight).of_scores(held_out)


def _held_out_scores(engine: Engine, learner: Any, totals: Totals, fit: Fit) -> HeldOutScores | None:
    """Return the scores of rows by copies of the learner that were fitted without them; enough of them."""
    n_folds = max(FOLDS, int(totals.counts.sum()) // ENOUGH)
    found: HeldOutScores | None = None
    for fold in range(FOLDS):
        engine.derive("without_fold", fold, n_folds)
        left = Totals(totals.classes, engine.total("class_sizes").counts, totals.n_columns)
        known = left.counts > 0
        if known.sum() < 2:
            continue
        copy: Any = make_learner(learner)
        if isinstance(copy, ConvexClassifier):
            copy.set_params(tol=max(copy.tol, ROUGH))
        with step(fold / FOLDS, (fold + 1) / FOLDS, f"holding out part {fold + 1} of {n_folds}"):
            fit(engine, copy, left)
        scores = engine.total("held_out_scores", copy, known)
        found = scores if found is None else found.merged(scores)
        if len(found.y) >= 0.9 * ENOUGH:  # folds are of about this size
            break
    return found
