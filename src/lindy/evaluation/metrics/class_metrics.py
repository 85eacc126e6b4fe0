"""Figures from comparing predicted with true labels.

    macro: mean over classes     weighted: mean weighted by the classes' examples     micro: of the sums (accuracy)

The formulas are in ``metric_registry``. A ratio whose denominator is 0 counts as 0. Everything here follows from the
confusion matrix; what needs probabilities is in ``ranking``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.estimators.notebook import facts, shown, table
from lindy.evaluation.metrics.intervals import Interval, middle, resampled_counts, wilson
from lindy.evaluation.metrics.metric_registry import REPORTED, MetricSpec, f1
from lindy.evaluation.metrics.ranking import ProbabilityMetrics, probability_metrics

Array = NDArray[np.float64]
_MOST_IN_CONFUSION = 20  # classes of which a notebook shows the confusion


@dataclass(frozen=True, slots=True)
class ClassMetrics:
    """One class: precision, recall, F1, how many examples have it, and F1's interval if it was asked for."""

    label: Any
    precision: float
    recall: float
    f1: float
    support: int
    f1_interval: Interval | None = None


@dataclass(frozen=True, slots=True)
class Evaluation:
    """The metrics of predictions compared with the true labels.

    ``confusion[i, j]`` counts examples of class i that were called class j; ``labels`` names both axes.
    ``interval`` is Wilson's 95 % interval of the accuracy; ``figures`` has the metrics of ``REPORTED`` by name, and
    ``intervals`` their intervals, if they were asked for. ``probabilities`` holds what only probabilities can tell.
    """

    accuracy: float
    interval: Interval
    examples: int
    labels: list[Any]
    classes: list[ClassMetrics]
    confusion: NDArray[np.int64]
    averages: dict[str, dict[str, float]] = field(default_factory=dict)
    figures: dict[str, float] = field(default_factory=dict)
    intervals: dict[str, Interval] = field(default_factory=dict)
    probabilities: ProbabilityMetrics | None = None

    @property
    def error(self) -> float:
        """The share of wrong labels."""
        return 1 - self.accuracy

    @property
    def macro_f1(self) -> float:
        """The unweighted mean of the classes' F1."""
        return self.figures["macro_f1"]

    @property
    def mcc(self) -> float:
        """Matthews' correlation of predicted and true labels."""
        return self.figures["mcc"]

    def _repr_html_(self) -> str:
        low, high = self.interval
        said = {
            "accuracy": f"{self.accuracy:.4f} ({low:.4f} to {high:.4f} with 95 % confidence)",
            **{spec.title: f"{self.figures[name]:.4f}" for name, spec in REPORTED.items()},
            "examples": f"{self.examples:,}",
        }
        rows = [["class", "precision", "recall", "F1", "examples"]]
        rows += [
            [str(c.label), f"{c.precision:.3f}", f"{c.recall:.3f}", f"{c.f1:.3f}", f"{c.support:,}"]
            for c in self.classes
        ]
        parts = [facts("Evaluation", said), table(rows)]
        if len(self.labels) <= _MOST_IN_CONFUSION:
            counts = zip(self.labels, self.confusion.tolist(), strict=True)
            parts.append(
                table([["true, by predicted", *self.labels], *([label, *row] for label, row in counts)])
            )
        return shown(*parts)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        low, high = self.interval
        record: dict[str, Any] = {
            "accuracy": self.accuracy,
            "accuracy_interval": [low, high],
            "error": self.error,
            "error_interval": [1 - high, 1 - low],
            **self.figures,
            "averages": self.averages,
            "examples": self.examples,
            "intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
            "classes": {
                str(entry.label): {
                    "precision": entry.precision,
                    "precision_interval": list(wilson(entry.precision, int(called))),
                    "recall": entry.recall,
                    "recall_interval": list(wilson(entry.recall, entry.support)),
                    "f1": entry.f1,
                    "f1_interval": None if entry.f1_interval is None else list(entry.f1_interval),
                    "support": entry.support,
                }
                for entry, called in zip(self.classes, self.confusion.sum(axis=0), strict=True)
            },
            "confusion": {"labels": [str(label) for label in self.labels], "counts": self.confusion.tolist()},
        }
        return record | (self.probabilities.to_dict() if self.probabilities else {})


def evaluate(
    truth: Any,
    predicted: Any,
    probabilities: ArrayLike | None = None,
    classes: ArrayLike | None = None,
    *,
    resamples: int = 0,
    random_state: int = 0,
) -> Evaluation:
    """Compare true with predicted labels; a label that only one side has still gets its row and column.

    Parameters
    ----------
    truth, predicted : equally long lists of labels
    probabilities : array (rows, classes) or None
        Of the labels ``classes``, for log loss, Brier score, areas, top-k and calibration.
    classes : list of labels, the columns of ``probabilities``
    resamples : int
        Bootstrap resamples for the intervals of all figures; 0 leaves out all intervals but Wilson's.
    """
    actual, guess = np.asarray(truth), np.asarray(predicted)
    if actual.shape != guess.shape or actual.ndim != 1:
        raise ValueError(
            f"truth and predictions must be equally long lists; got {actual.shape} and {guess.shape}"
        )
    if len(actual) == 0:
        raise ValueError("there is nothing to evaluate: no examples")
    labels, codes = np.unique(np.concatenate([actual, guess]), return_inverse=True)
    n, K = len(actual), len(labels)
    confusion = np.bincount(codes[:n] * K + codes[n:], minlength=K * K).reshape(K, K).astype(np.int64)
    of_probabilities = None
    if probabilities is not None:
        of_probabilities = probability_metrics(
            actual, probabilities, classes, resamples=resamples, random_state=random_state
        )
    return evaluate_confusion(
        confusion, labels.tolist(), of_probabilities, resamples=resamples, random_state=random_state
    )


def evaluate_confusion(
    confusion: NDArray[np.int64],
    labels: list[Any],
    probabilities: ProbabilityMetrics | None = None,
    *,
    resamples: int = 0,
    random_state: int = 0,
) -> Evaluation:
    """Return what follows from how often examples of each label (row) were called each label (column)."""
    n, K = int(confusion.sum()), len(labels)
    right, called, support = (
        own.astype(np.float64)[None]
        for own in (confusion.diagonal(), confusion.sum(axis=0), confusion.sum(axis=1))
    )
    of_classes, averages, figures = _figures(right, called, support)
    of_f1, intervals = _intervals(confusion, resamples, random_state) if resamples else ([None] * K, {})
    entries = [
        ClassMetrics(label, float(precision), float(recall), float(f1), int(support), interval)
        for label, (precision, recall, f1), support, interval in zip(
            labels, of_classes[0].T, confusion.sum(axis=1), of_f1, strict=True
        )
    ]
    accuracy = float(confusion.diagonal().sum() / n)
    return Evaluation(
        accuracy=accuracy,
        interval=wilson(accuracy, n),
        examples=n,
        labels=labels,
        classes=entries,
        confusion=confusion,
        averages={
            average: {name: float(value[0]) for name, value in own.items()}
            for average, own in averages.items()
        },
        figures={name: float(value[0]) for name, value in figures.items()},
        intervals=intervals,
        probabilities=probabilities,
    )


def _figures(
    right: Array, called: Array, support: Array
) -> tuple[Array, dict[str, dict[str, Array]], dict[str, Array]]:
    """Return precision, recall and F1 of each class (samples, 3, K), averages and metrics from counts (samples, K)."""
    n = support.sum(axis=1)
    of_classes = np.stack(
        [safe_ratio(right, called), safe_ratio(right, support), safe_ratio(*f1(right, called, support))],
        axis=1,
    )
    present = called + support > 0
    averages = {
        "micro": dict.fromkeys(("precision", "recall", "f1"), right.sum(axis=1) / n),
        "macro": _named(of_classes.sum(axis=2) / present.sum(axis=1)[:, None]),
        "weighted": _named((of_classes * support[:, None, :]).sum(axis=2) / n[:, None]),
    }
    figures = {name: _figure(spec, right, called, support) for name, spec in REPORTED.items()}
    return of_classes, averages, figures


def _figure(spec: MetricSpec, right: Array, called: Array, support: Array) -> Array:
    """Return a metric of every row of counts."""
    if spec.overall is not None:
        return safe_ratio(*spec.overall(right, called, support))
    assert spec.ratio is not None
    above, below = spec.ratio(right, called, support)
    mean: Array = safe_ratio(above, below).sum(axis=1) / (below > 0).sum(axis=1)
    return mean


def _named(values: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    return dict(zip(("precision", "recall", "f1"), values.T, strict=True))


def _intervals(
    confusion: NDArray[np.int64], resamples: int, random_state: int
) -> tuple[list[Interval | None], dict[str, Interval]]:
    """Return the intervals of each class's F1, and those of averages and metrics by name."""
    of_classes, averages, figures = _figures(*resampled_counts(confusion, resamples, random_state))
    intervals = {
        f"{average}_{name}": middle(values)
        for average, own in averages.items()
        for name, values in own.items()
    } | {name: middle(values) for name, values in figures.items()}
    return [middle(drawn) for drawn in of_classes[:, 2].T], intervals


def safe_ratio(numerator: NDArray[Any], denominator: NDArray[Any]) -> NDArray[np.float64]:
    """Return the ratios, 0 where the denominator is."""
    ratio = np.zeros(numerator.shape)
    np.divide(numerator, denominator, out=ratio, where=denominator > 0)
    return ratio


def ratio_gains(above: NDArray[Any], below: NDArray[Any]) -> NDArray[np.float64]:
    """Return gains whose mean is Σ above / Σ below, 0 if there is nothing below."""
    mean = float(below.mean())
    ratio = float(above.mean()) / mean if mean else 0.0
    gains: NDArray[np.float64] = ratio + (above - ratio * below) / (mean or 1.0)
    return gains
