"""Label trees of ``TextClassifier``: when one is taken, its probabilities, and from which on a label is given.

A tree is fitted again without some of the examples, which then tell how often labels of a probability are right. All
labels share one curve and one threshold, since most of them have too few examples for their own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.targets import ManyLabels, as_lists
from lindy.errors import DataError
from lindy.estimators.base import Examples
from lindy.evaluation.calibration.likelihood import Array, fit_logistic
from lindy.evaluation.decisions import TOP, SeveralLabels
from lindy.linear.convex import ConvexClassifier
from lindy.linear.label_tree import MANY, LabelTree
from lindy.linear.losses import get_loss

if TYPE_CHECKING:
    from lindy.tuning.calibration_step import Judged
    from lindy.tuning.pipeline_spec import TrainingData

HELD_OUT = 1 / 8
"""The share of the examples by which probabilities are calibrated."""

_CALIBRATIONS = ("auto", "best", "sigmoid", "none")
_METRICS = ("accuracy", "micro-f1")


def refusal(learner: Any, *, calibration: str, metric: str, class_weight: Any, early_stop: Any) -> str:
    """Return why there can be no label tree with these options; empty where there can."""
    if not isinstance(learner, ConvexClassifier) or not get_loss(learner._loss()).per_output:
        return f"its nodes are of svm or maxent, not of {learner.class_name}"
    if learner.spec.per_class:
        return f"{learner.class_name} weighs the features of every class by themselves"
    if calibration not in _CALIBRATIONS:
        return f"its probabilities are calibrated by a sigmoid, not by calibration={calibration!r}"
    if metric not in _METRICS:
        return f"it has one threshold for all labels, by micro-F1, and none for the metric {metric}"
    if class_weight is not None or early_stop is not None:
        return "it takes no class_weight and no early_stop"
    return ""


def takes_tree(asked: bool | None, n_labels: int, why_not: str) -> bool:
    """Return whether a tree is taken: where it is asked for, or from ``MANY`` labels on where nothing is said."""
    if asked and why_not:
        raise DataError(f"a label tree is not possible: {why_not}", "leave out `tree=True`, or the option")
    return bool(asked) if asked is not None else n_labels >= MANY and not why_not


def explained(learner: LabelTree, asked: bool | None) -> list[str]:
    """Return why there is a tree, and what its weights are."""
    K, nodes = len(learner.classes_), learner.trees_[0].n_nodes
    because = "as asked for" if asked else f"from {MANY:,} labels on, unless told otherwise"
    many = f"{learner.trees} label trees" if learner.trees > 1 else "a label tree"
    kept = sum(len(tree.values) for tree in learner.trees_)
    what = f"{many} of {nodes:,} nodes each over {K:,} labels ({because})"
    if learner.exact:
        what = (
            f"one-vs-rest of {K:,} labels, each by all texts, in sparse weights (no label tree, as asked for)"
        )
    return [
        what,
        f"sparse weights: {kept:,} are kept; those dropped change the sum of the scores on the way to a label by at"
        f" most {learner.dropped_:.3g} times the length of a text's row",
    ]


def judged_tree(
    learner: LabelTree, rows: Csr, data: TrainingData, calibration: str, why: list[str]
) -> Judged:
    """Calibrate a fitted tree by examples that a copy of it has not seen, and find its threshold."""
    from lindy.tuning.calibration_step import Judged

    y, several, threshold = data.labels, isinstance(data.labels, ManyLabels), 0.5
    if calibration != "none" and data.division.can_hold_out(y, HELD_OUT):
        train, held = data.division.hold_out(y, HELD_OUT)
        seen = Examples(rows, y, data.weight).take(train)
        copy = type(learner)(**learner.get_params(deep=False)).fit(*seen)
        answers = _Answers.of(copy, Examples(rows, y, data.weight).take(held))
        if (curve := answers.curve()) is not None:
            learner.calibration_ = curve
            threshold, reached = answers.calibrated(curve).best_threshold()
            said = f"labels are given from the probability {threshold:.3f} on (micro-F1 {reached:.3f}"
            why = [*why, f"{said} on {len(held):,} held-out texts)"] if several else why
    return Judged(rule=SeveralLabels(threshold) if several else None, why=why)


@dataclass(frozen=True, slots=True)
class _Answers:
    """The most probable labels of rows: their probability, whether they are right, what they count; and all to find."""

    p: Array
    right: NDArray[np.bool_]
    weight: Array
    wanted: float

    @classmethod
    def of(cls, learner: LabelTree, held: Examples) -> _Answers:
        """Ask a learner that has not seen these rows, and perhaps not all of their labels."""
        y = as_lists(held.y)
        codes, p = learner.top(held.X, TOP)
        rows, places = np.nonzero((codes >= 0) & (p > 0) & (p < 1))
        labels = np.searchsorted(y.names, learner.classes_)[codes[rows, places]]
        own_rows, own = y.pairs
        K = len(y.names)
        right = np.isin(rows * K + labels, own_rows * K + own)
        weight = np.ones(len(y)) if held.weight is None else held.weight
        return cls(p[rows, places], right, weight[rows], float(weight[own_rows].sum()))

    @property
    def log_odds(self) -> Array:
        """Log p/(1 − p)."""
        return numerics.log(self.p) - numerics.log(1 - self.p)

    def curve(self) -> tuple[float, float] | None:
        """Return slope and offset of the calibration; None where the answers say nothing about it."""
        if not 0 < self.right.sum() < len(self.right):
            return None
        slope, offset = fit_logistic(self.log_odds, self.right.astype(np.float64), self.weight)
        return (slope, offset) if slope > 0 else None

    def calibrated(self, curve: tuple[float, float]) -> _Answers:
        """Return the answers with calibrated probabilities."""
        return replace(self, p=numerics.sigmoid(curve[0] * self.log_odds + curve[1]))

    def best_threshold(self) -> tuple[float, float]:
        """Return from which probability on labels have the largest micro-F1, and how large it is."""
        order = np.argsort(-self.p, kind="stable")
        p, given = self.p[order], np.cumsum(self.weight[order])
        f1 = 2 * np.cumsum(self.weight[order] * self.right[order]) / (given + self.wanted)
        last = np.append(p[1:] < p[:-1], True)  # of equal probabilities
        best = int(np.where(last, f1, -1.0).argmax())
        below = p[best + 1] if best + 1 < len(p) else 0.0
        return float((p[best] + below) / 2), float(f1[best])
