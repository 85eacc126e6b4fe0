"""The criterion of several labels per text: by which recipes are compared, and for which thresholds are found.

    micro-f1       2·right / (called + actual), all pairs of a row and a label together
    macro-f1       the mean of the labels' F1, over those that some row has; f1:LABEL is that of one
    example-f1     the mean of the rows' F1; 1 where there are no labels and none were given
    precision@k    true labels among the first k / k, the mean over rows with a label: no threshold has a part in it

The rule is one threshold for each label (``label_thresholds``), found on held-out rows. As for one label, it is found
and judged on different parts of these rows, and kept only where that is better than giving all labels from the score 0
on. For precision@k, which says nothing about where to cut, thresholds are those of micro-F1.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import ManyLabels, OneLabel, Targets
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.errors import DataError, did_you_mean
from lindy.evaluation.calibration.calibrators import Calibrator
from lindy.evaluation.calibration.label_calibration import LabelSigmoids
from lindy.evaluation.criterion import Array, Criterion, Metric, judged_rows
from lindy.evaluation.decisions import Rule, SeveralLabels, predictions_from
from lindy.evaluation.label_thresholds import (
    CutCounts,
    example_thresholds,
    macro_thresholds,
    micro_thresholds,
)
from lindy.evaluation.metrics.class_metrics import ratio_gains
from lindy.evaluation.predictions import LabelLists

_PARTS = (5, 2)  # in which thresholds are found and judged, of few scores and of many
_MANY = 1 << 20
_PLAIN = SeveralLabels(0.0)


def criterion_for(
    metric: str, targets: Targets, weight: Array | None = None, class_weight: Array | None = None
) -> Criterion:
    """Return the criterion that a metric is for these targets: of one label per row, or of any number of them."""
    if isinstance(targets, ManyLabels):
        return LabelCriterion.of_labels(metric, targets)
    return Criterion.of(metric, targets.names, targets.weighted_counts(weight), class_weight)


@dataclass(frozen=True, slots=True)
class LabelCriterion(Criterion):
    """A metric of several labels per row; ``target`` is the number of the label that it is about, or −1."""

    several: ClassVar[bool] = True
    folds: ClassVar[int] = 3

    @classmethod
    def of_labels(cls, text: str, targets: Targets) -> LabelCriterion:
        """Return the criterion for these labels; "accuracy", the usual one of single labels, is micro-F1."""
        if not len(targets.names):
            raise DataError("no text has a label: there is nothing to learn", "check the label column")
        metric = Metric.of("micro-f1" if text == "accuracy" else text).check(several=True)
        if metric.label is None:
            return cls(metric)
        labels = [str(name) for name in targets.names.tolist()]
        if metric.label not in labels:
            raise DataError(
                f"the metric {text}: no label is called {metric.label!r}",
                did_you_mean(metric.label, labels) or "check the spelling",
            )
        return cls(metric, labels.index(metric.label), metric.label)

    @property
    def has_rule(self) -> bool:
        """True: from which score on a text gets a label is never given."""
        return True

    @property
    def plain_rule(self) -> Rule:
        """All labels from the score 0 on."""
        return _PLAIN

    def constant(self, y: Targets | NDArray[Any], weight: Array | None = None) -> float:
        """Return the figure of always giving the most common label, or of ranking all by how common they are."""
        assert isinstance(y, ManyLabels)
        scores = np.broadcast_to(y.weighted_counts(weight), (len(y), len(y.names)))
        if self.metric.top is None:
            scores = scores == scores[:1].max(initial=1)
        return self.figure(self._gains_by(scores - 0.5, _PLAIN, y, weight))

    def gains(
        self,
        scores: Array,
        y: Targets | NDArray[Any],
        division: SplitPolicy = FREE,
        weight: Array | None = None,
    ) -> NDArray[Any]:
        """Return the gains of rows with these scores, by thresholds that were found on other rows."""
        assert isinstance(y, ManyLabels)
        scores = scores.reshape(len(y), -1)
        if self.metric.top is not None:
            return self._gains_by(scores, _PLAIN, y, weight)
        given, judged = self.given_apart(scores, y, division)
        own = None if weight is None else weight[judged]
        return self.gains_of(given, y.take(judged), own)

    def rule(self, scores: Array, y: Targets | NDArray[Any], division: SplitPolicy = FREE) -> Rule:
        """Return the thresholds that are best for these scores of held-out rows, or 0 for all where that is better."""
        assert isinstance(y, ManyLabels)
        if self.metric.top is not None:
            return replace(self, metric=Metric("micro-f1")).rule(scores, y, division)
        scores = scores.reshape(len(y), -1)
        given, judged = self.given_apart(scores, y, division)
        plain = _given(scores[judged], self.plain_rule)
        own = y.take(judged)
        if not self.gains_of(given, own).mean() > self.gains_of(plain, own).mean():
            return self.plain_rule
        return SeveralLabels(self.thresholds(scores, y))

    def gains_of(self, answer: Any, y: Any, weight: Array | None = None) -> NDArray[Any]:
        """Return the gains of rows that were given lists of labels; for any metric but precision@k."""
        shape = len(y), max(len(y.names), 1)
        pairs = [np.repeat(np.arange(shape[0]), np.diff(own.indptr)) for own in (y, answer)]
        truth, called = (rows * shape[1] + own.codes for rows, own in zip(pairs, (y, answer), strict=True))
        right = called[np.isin(called, truth, assume_unique=True)]
        cells = [np.divmod(own, shape[1]) for own in (right, called, truth)]
        n: Any = np.ones(shape[0]) if weight is None else weight
        if self.metric.kind in ("micro-f1", "example-f1"):
            r, c, a = (np.bincount(rows, minlength=shape[0]) for rows, _ in cells)
            if self.metric.kind == "micro-f1":
                return ratio_gains(2 * r * n, (c + a) * n)
            return ratio_gains(np.where(c + a > 0, 2 * r / np.maximum(c + a, 1), 1.0) * n, n)
        r, c, a = (np.bincount(labels, n[rows], shape[1]) for rows, labels in cells)
        own = np.flatnonzero(a > 0) if self.target < 0 else np.array([self.target])
        f1, below = 2 * r / np.maximum(c + a, np.finfo(float).tiny), (c + a) / shape[0]
        factor = np.zeros(shape[1])
        factor[own] = 1 / np.maximum(below[own], np.finfo(float).tiny) / len(own)
        gains = np.full(shape[0], float(f1[own].mean()) if len(own) else 0.0)
        for (rows, labels), per_pair in zip(cells, (2.0, -f1, -f1), strict=True):
            worth = np.broadcast_to(per_pair, shape[1])[labels] * factor[labels] * n[rows]
            gains += np.bincount(rows, worth, shape[0])
        return gains

    def calibrator(self, scores: Array, y: Targets, method: str, **_: Any) -> LabelSigmoids:
        """Return a sigmoid for each label, fitted to scores of held-out rows."""
        if method not in ("auto", "sigmoid"):
            raise DataError(
                f"calibration by {method} is for one label per text, and these have several",
                "leave it to 'auto', a sigmoid for each label, or take 'none'",
            )
        assert isinstance(y, ManyLabels)
        return LabelSigmoids.of(CutCounts.of(scores.reshape(len(y), -1), y))

    def explained(
        self,
        rule: Rule | None,
        calibrator: Calibrator | None,  # noqa: ARG002
        reached: float,
        without: float,
        y: Targets,  # noqa: ARG002
    ) -> str:
        """Return the rule in a line, to which the rows it was found on are added."""
        own = self if self.metric.top is None else replace(self, metric=Metric("micro-f1"))
        of = (
            f"{self.metric}"
            if own is self
            else f"{own.metric}, as {self.metric} depends on their order alone"
        )
        if rule is _PLAIN:
            return f"rule: each label from the score 0 on, beaten by no thresholds for {of} ({own.title}: {without:.3f}"
        return (
            f"rule: each label from a threshold of its own on, for {of} ({own.title}: {reached:.3f}, with the"
            f" threshold 0 {without:.3f},"
        )

    def figure_by(
        self,
        rule: Rule | None,
        scores: Array,
        y: Targets,
        calibrator: Calibrator | None,  # noqa: ARG002
        weight: Array | None,
    ) -> float:
        """Return the figure of what a rule gives to rows with these scores; of precision@k that of micro-F1."""
        own = self if self.metric.top is None else replace(self, metric=Metric("micro-f1"))
        return own.figure(own.gains_of(_given(scores.reshape(len(y), -1), rule), y, weight))

    def _gains_by(self, scores: Array, rule: Rule, y: ManyLabels, weight: Array | None) -> NDArray[Any]:
        if self.metric.top is None:
            return self.gains_of(_given(scores, rule), y, weight)
        n_rows, K = scores.shape
        k = min(self.metric.top, K)
        first = np.argpartition(-scores, k - 1, axis=1)[:, :k]
        truth = np.repeat(np.arange(n_rows), np.diff(y.indptr)) * K + y.codes
        hits = np.isin(np.arange(n_rows)[:, None] * K + first, truth).sum(axis=1)
        n: Any = np.ones(len(y)) if weight is None else weight
        return ratio_gains(hits / self.metric.top * n, (np.diff(y.indptr) > 0) * n)

    def thresholds(self, scores: Array, y: ManyLabels) -> Array:
        """Return the score from which on each label is given, best for these rows."""
        counts = CutCounts.of(scores, y)
        if self.metric.kind == "macro-f1":
            return macro_thresholds(counts)
        if self.metric.kind == "example-f1":
            return example_thresholds(counts, scores, y)
        cuts = micro_thresholds(counts)
        if self.target >= 0:
            cuts[self.target] = macro_thresholds(counts)[self.target]
        return cuts

    def given_apart(
        self, scores: Array, y: ManyLabels, division: SplitPolicy = FREE
    ) -> tuple[LabelLists, NDArray[np.int64]]:
        """Return the labels that rows get by thresholds found on other rows, and the rows that are judged by them."""
        any_rows = OneLabel.of(np.zeros(len(y), np.int32))  # of which every part has its share
        parts = _PARTS[scores.size > _MANY]
        splits = division.splits(any_rows if division.is_free else y, parts)
        reached = scores >= 0
        for others, mine in splits:
            reached[mine] = scores[mine] >= self.thresholds(scores[others], y.take(others))
        judged = judged_rows(splits, len(y), division)
        rows, codes = np.nonzero(reached[judged])
        return LabelLists(np.searchsorted(rows, np.arange(len(judged) + 1)), codes), judged


def _given(scores: Array, rule: Rule | None) -> LabelLists:
    given = predictions_from(scores, None, rule).given
    assert isinstance(given, LabelLists)
    return given
