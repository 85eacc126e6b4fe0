"""The criterion that is optimised: the metric by which recipes are compared, and the rule that maximises it.

``metric_registry`` has the metrics. Log loss is the mean of −log p of the true label: the smaller, the better. A metric
of one class is about the rarer of two, unless a label is given.

A figure is a mean over rows of their gains, so that two figures on the same rows are compared by the standard error of
the mean difference. Accuracy and log loss are such means. F1 = 2·right / (predicted + actual) and recall are ratios
a / b of sums, whose gains are a/b + (a_i − a/b·b_i) / mean b (the delta method).

The rule is ŷ = argmax_k (s_k + o_k), scores with an offset for each class: for two classes a threshold. Offsets are
found on held-out rows. For F1 they are found and judged on different parts of these rows, and they are kept only where
that is better than no offsets: a rule that follows the noise of a few rows is not kept.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.targets import OneLabel, Targets
from lindy.data.splits.split_policy import FREE, Split, SplitPolicy
from lindy.errors import DataError, did_you_mean
from lindy.estimators.base import best_class
from lindy.evaluation.calibration.calibrators import Calibrator, Temperature, fit_calibrator, log_losses
from lindy.evaluation.crossfit import FOLDS, scores_of_all
from lindy.evaluation.decisions import Rule, ScoreRule, class_values, predictions_from, predictions_of
from lindy.evaluation.metrics.class_metrics import ratio_gains
from lindy.evaluation.metrics.metric_registry import CHOICES, METRICS, SEVERAL_CHOICES, MetricSpec
from lindy.evaluation.offsets import lead_of, macro_offsets, share, threshold

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]

_FOLDS = 5  # in which offsets are found and judged
_NONE = MetricSpec("")
_OF_SEVERAL = f"for several labels per text: {', '.join(SEVERAL_CHOICES)}"
_LEAST = 1e-300  # the probability whose logarithm is still taken


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric as it was asked for: its kind, and the label and the precision where it has them."""

    kind: str
    label: str | None = None
    precision: float | None = None

    @classmethod
    def of(cls, text: str) -> Metric:
        """Return what ``f1:spam`` and the like mean; raises ValueError for anything else."""
        kind, colon, rest = str(text).partition(":")
        spec = METRICS.get(kind, _NONE)
        if spec.forms and not spec.of_class and not colon:
            return cls(kind)
        if spec.of_class and not spec.at_precision:
            if rest:
                return cls(kind, rest)
            mean = f"; macro-{kind} is the mean of all classes" if f"macro-{kind}" in METRICS else ""
            raise ValueError(f"{kind} is measured for one class: add its label, e.g. {kind}:spam{mean}")
        if spec.at_precision:
            number, _, label = rest.partition(":")
            try:
                precision = float(number)
            except ValueError:
                precision = math.nan
            if 0 < precision <= 1:
                return cls(kind, label or None, precision)
            raise ValueError(
                f"{text!r} is not {kind}:P with a precision P above 0 and up to 1, e.g. {kind}:0.9"
            )
        guess = did_you_mean(kind, [choice.partition(":")[0] for choice in (*CHOICES, *SEVERAL_CHOICES)])
        raise ValueError(
            f"no metric is called {text!r}. {guess}There are: {', '.join(CHOICES)}; {_OF_SEVERAL}"
        )

    def check(self, *, several: bool) -> Metric:
        """Return the metric; raises DataError if it is not for rows with one label, or with any number of them."""
        if several and not self.spec.several:
            raise DataError(
                f"the metric {self} is for one label per text, and these have several", _OF_SEVERAL
            )
        if not several and not self.spec.one:
            raise DataError(
                f"the metric {self} is for several labels per text, and these have one",
                f"There are: {', '.join(CHOICES)}",
            )
        return self

    @property
    def spec(self) -> MetricSpec:
        """The metric's entry in the registry."""
        return METRICS[self.kind]

    @property
    def top(self) -> int | None:
        """How many of the first labels it looks at; None if it looks at those that were given."""
        return self.spec.top

    def __str__(self) -> str:
        parts = [self.kind, None if self.precision is None else f"{self.precision:g}", self.label]
        return ":".join(part for part in parts if part is not None)


_ACCURACY = Metric("accuracy")


@dataclass(frozen=True, slots=True)
class Criterion:
    """A metric for certain classes; ``label_criterion`` has that of several labels per row, with the same methods.

    Attributes
    ----------
    metric : Metric
    target : int
        The number of the class that the metric is about; −1 if it is about all.
    label : str
        The label of that class.
    class_weight : array (classes,) or None
        How much a row of each class counts in accuracy and log loss; None counts all the same.
    """

    metric: Metric = _ACCURACY
    target: int = -1
    label: str = ""
    class_weight: Array | None = None

    several: ClassVar[bool] = False
    folds: ClassVar[int] = FOLDS

    @classmethod
    def of(
        cls, text: str, classes: NDArray[Any], counts: NDArray[Any], class_weight: Array | None = None
    ) -> Criterion:
        """Return the criterion that a metric is for these classes, with so many examples each."""
        metric = Metric.of(text).check(several=False)
        labels = [str(label) for label in classes.tolist()]
        if not metric.spec.of_class:
            return cls(metric, class_weight=class_weight)
        label = metric.label
        if label is None:
            if len(labels) > 2:
                raise DataError(
                    f"the metric {text} does not say which of {len(labels)} classes it is about",
                    f"add a label, e.g. {text}:{labels[int(np.argmin(counts))]}",
                )
            label = labels[0] if counts[0] < counts[1] else labels[1]
        if label not in labels:
            more = f" and {len(labels) - 20:,} more" if len(labels) > 20 else ""
            raise DataError(
                f"the metric {text}: no class is called {label!r}",
                f"{did_you_mean(label, labels)}There are: {', '.join(labels[:20])}{more}",
            )
        return cls(metric, labels.index(label), label, class_weight)

    @property
    def has_rule(self) -> bool:
        """Whether another label than the most probable one can be better."""
        return self.metric.spec.ratio is not None

    @property
    def plain_rule(self) -> Rule | None:
        """The rule where no other is better: the highest score."""
        return None

    @property
    def of_probabilities(self) -> bool:
        """Whether it is a loss of probabilities, not a figure of labels."""
        return self.metric.spec.of_probabilities

    @property
    def is_accuracy(self) -> bool:
        """Whether it is the share of right labels, with or without weights of classes."""
        return not self.has_rule and not self.of_probabilities

    @property
    def title(self) -> str:
        """The figure as a sentence calls it."""
        return self.metric.spec.title.format(label=self.label, precision=self.metric.precision)

    @property
    def plain(self) -> bool:
        """Whether a row's gain depends on that row alone: it is right or wrong."""
        return self.is_accuracy and self.class_weight is None

    def figure(self, gains: NDArray[Any]) -> float:
        """Return the figure of which these are the gains."""
        value = float(gains.mean())
        return -value if self.of_probabilities else value

    def says(self, gains: NDArray[Any]) -> str:
        """Return the figure with its standard error, in words."""
        value, error = self.figure(gains), float(gains.std() / np.sqrt(len(gains)))
        if self.is_accuracy:
            weighed = "" if self.class_weight is None else ", classes weighted"
            return f"{self.shown(value)} right{weighed} (± {100 * error:.1f})"
        return f"{self.title}: {self.shown(value)} (± {error:.3f})"

    def shown(self, figure: float) -> str:
        """Return a figure as people read it."""
        return f"{100 * figure:.1f} %" if self.is_accuracy else f"{figure:.3f}"

    def constant(self, y: Targets | Codes, weight: Array | None = None) -> float:
        """Return the figure of always answering the most common class, for log loss with the shares of the classes."""
        y = OneLabel.of(y).codes
        counts = np.bincount(y, weight)
        answer = np.full(len(y), counts.argmax())
        if self.of_probabilities:
            return self.figure(self._weighed(numerics.log(counts / counts.sum())[y], y, weight))
        return self.figure(self.gains_of(answer, y, weight))

    def gains(
        self, scores: Array, y: Targets | Codes, division: SplitPolicy = FREE, weight: Array | None = None
    ) -> NDArray[Any]:
        """Return the gains of rows with these scores (rows × classes, or × 1), by the best rule for them.

        Their mean is the figure of all rows, each as often as its weight says.

        A rule or a calibrator that a row is judged by was found on others; the threshold for a wanted precision on all.
        Rows that the division holds out beside no others, such as the earliest ones, are not judged.
        """
        y = OneLabel.of(y).codes
        if self.plain:
            return self.gains_of(best_class(scores), y, weight)
        if not self.has_rule:
            p, judged = self._calibrated(scores, y, division, weight)
            own = None if weight is None else weight[judged]
            if self.of_probabilities:
                return self._weighed(-log_losses(p[judged], y[judged]), y[judged], own)
            return self.gains_of(p[judged].argmax(axis=1), y[judged], own)
        values = class_values(scores)
        if not self.metric.spec.at_precision:
            answer, judged = self._found_apart(values, y, division)
            return self.gains_of(answer[judged], y[judged], None if weight is None else weight[judged])
        answer = ScoreRule(self._offsets(values, y))(values)
        called = answer == self.target
        if (y[called] == self.target).sum() < (self.metric.precision or 0) * called.sum():
            return np.zeros(len(y))  # no threshold is precise enough
        return self.gains_of(answer, y, weight)

    def gains_of(self, answer: Codes, y: Codes, weight: Array | None = None) -> NDArray[Any]:
        """Return the gains of rows that were given the classes ``answer``; for any metric but log loss."""
        right = answer == y
        ratio = self.metric.spec.ratio
        if ratio is None:
            return self._weighed(right, y, weight)
        n: Any = 1 if weight is None else weight
        gains = []
        for k in np.unique(y).tolist() if self.target < 0 else [self.target]:
            above, below = ratio(right & (y == k), (answer == k).astype(int), (y == k).astype(int))
            gains.append(ratio_gains(n * above, n * below))
        total: Array = np.sum(gains, axis=0) / len(gains)
        return total

    def figure_of_counts(self, actual: Codes, called: Codes, right: Codes) -> float:
        """Return the figure from how many rows are of each class, were given it, and rightly so: not for log loss.

        Every row counts once, whatever the weights of the classes.
        """
        ratio = self.metric.spec.ratio
        if ratio is None:
            return float(right.sum() / max(actual.sum(), 1))
        figures = share(ratio, right, called, actual)
        return float(figures[actual > 0].mean() if self.target < 0 else figures[self.target])

    def _weighed(self, gains: NDArray[Any], y: Codes, weight: Array | None) -> NDArray[Any]:
        if self.class_weight is not None:
            weight = self.class_weight[y] * (1.0 if weight is None else weight)
        return gains if weight is None else ratio_gains(gains * weight, weight)

    def calibrator(
        self, scores: Array, y: Targets, method: str, *, weight: Array | None, division: SplitPolicy
    ) -> Calibrator:
        """Return a calibrator that is fitted to scores of held-out rows."""
        return fit_calibrator(scores, y, None, method, weight=weight, division=division)

    def figure_by(
        self,
        rule: Rule | None,
        scores: Array,
        y: Targets,
        calibrator: Calibrator | None,
        weight: Array | None,
    ) -> float:
        """Return the figure of what a rule makes of rows with these scores."""
        return self.figure(self.gains_of(predictions_from(scores, calibrator, rule).best, y.codes, weight))

    def explained(
        self, rule: Rule | None, calibrator: Calibrator | None, reached: float, without: float, y: Targets
    ) -> str:
        """Return the rule in a line, to which the rows it was found on are added; ``y`` are the targets of all rows."""
        if not isinstance(rule, ScoreRule):
            return f"rule: the highest score ({self.title}: {without:.3f}"
        figures, classes = (
            f"({self.title}: {reached:.3f}, for the highest score {without:.3f},",
            y.names.tolist(),
        )
        k = self.target if self.target >= 0 else int(np.argmin(y.counts))
        if len(classes) > 2:
            what = (
                f"of {classes[k]} plus {rule.offsets[k]:.3g}"
                if self.target >= 0
                else "of each class plus its own"
            )
            return f"rule: the highest score, that {what} {figures}"
        least = rule.offsets[0] - rule.offsets[1]  # the score of the second class at which labels change
        limit = f"score of {least if k else -least:.3g}"
        if calibrator is not None:
            limit = f"probability of {calibrator(np.array([least]))[0, k]:.3g}"
        return f"rule: {classes[k]} from a {limit} on {figures}"

    def rule(self, scores: Array, y: Targets | Codes, division: SplitPolicy = FREE) -> Rule | None:
        """Return the rule that is best for these scores of held-out rows; None if that is the highest score.

        Neither the learner nor its features have seen the rows.
        """
        if not self.has_rule:
            return None
        values, y = class_values(scores), OneLabel.of(y).codes
        if not self.metric.spec.at_precision:
            answer, judged = self._found_apart(values, y, division)
            plain = self.gains_of(best_class(scores[judged]), y[judged]).mean()
            if not self.gains_of(answer[judged], y[judged]).mean() > plain:
                return None
        return ScoreRule(self._offsets(values, y))

    def _offsets(self, values: Array, y: Codes) -> Array:
        """Return the offsets that are best for these rows."""
        ratio = self.metric.spec.ratio
        assert ratio is not None
        if self.target < 0:
            return macro_offsets(values, y, ratio)
        offsets = np.zeros(values.shape[1])
        offsets[self.target] = threshold(lead_of(values, self.target), y == self.target, self._best_cut)
        return offsets

    def _best_cut(self, right: Array, called: Array, actual: int) -> int:
        """Return the cut of the largest figure among those precise enough; if there are none, the most precise."""
        assert self.metric.spec.ratio is not None
        figures = share(self.metric.spec.ratio, right, called, actual)
        if self.metric.precision is None:
            return int(np.argmax(figures))
        precision = right / np.maximum(called, 1)
        enough = precision >= min(self.metric.precision, float(precision.max()))
        return int(np.argmax(np.where(enough, figures, -1)))

    def _calibrated(
        self, scores: Array, y: Codes, division: SplitPolicy, row_weight: Array | None
    ) -> tuple[Array, NDArray[np.int64]]:
        """Return probabilities by a calibrator that was fitted to other rows, and the rows that are judged by them."""
        K = max(2, scores.shape[1])
        p = np.full((len(y), K), 1 / K)
        weight = np.ones(len(y)) if self.class_weight is None else self.class_weight[y]
        weight = weight if row_weight is None else weight * row_weight
        splits = division.splits(y, 2)
        for others, mine in splits:
            own = others[weight[others] > 0]
            calibrator = fit_calibrator(
                scores[own], y[own], K, weight=weight[own], division=division.take(own)
            )
            p[mine] = calibrator(scores[mine])
        if not splits and not division.is_free:  # scores are taken as log odds
            p = Temperature({"temperature": np.ones(1)})(scores)
        return p, judged_rows(splits, len(y), division)

    def gains_of_model(
        self, learner: Any, rows: Csr, y: Codes, classes: NDArray[Any], division: SplitPolicy = FREE
    ) -> NDArray[Any]:
        """Return the gains of rows that a fitted learner scores, though it may not have seen all of the classes."""
        values = predictions_of(learner, rows)
        scores = values.values
        if values.are_probabilities:
            scores = numerics.log(np.maximum(scores, _LEAST))
        scores = scores_of_all(scores, np.searchsorted(classes, learner.classes_), len(classes))
        return self.gains(scores[:, 1:] - scores[:, :1] if scores.shape[1] == 2 else scores, y, division)

    def _found_apart(
        self, values: Array, y: Codes, division: SplitPolicy
    ) -> tuple[NDArray[np.intp], NDArray[np.int64]]:
        """Return the classes that rows get by offsets found on other rows, and the rows that are judged by them."""
        splits = division.splits(y, _FOLDS)
        answer: NDArray[np.intp] = values.argmax(axis=1)
        for others, mine in splits:
            answer[mine] = ScoreRule(self._offsets(values[others], y[others]))(values[mine])
        return answer, judged_rows(splits, len(y), division)


ACCURACY = Criterion()


def judged_rows(splits: list[Split], n_rows: int, division: SplitPolicy) -> NDArray[np.int64]:
    """Return the rows that splits hold out; all of them if there are no conditions, or nothing can be held out."""
    if division.is_free or not splits:
        return np.arange(n_rows)
    return np.sort(np.concatenate([held for _, held in splits]))
