"""Streaming metrics: the predictions for labelled examples that come part by part, counted on from part to part.

Labels are numbers that the reader gave them in the order of their appearance; what they are called, and which of them
are one, may be known only at the end. What areas, intervals and thresholds need of the rows is on disk; only while
intervals and thresholds are found does memory grow with the rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.data.chunks.disk_array import DiskArray
from lindy.evaluation.decisions import thresholds_of_chosen
from lindy.evaluation.metrics.class_metrics import Evaluation, evaluate_confusion
from lindy.evaluation.metrics.ranking import StreamingProbabilityMetrics
from lindy.evaluation.metrics.reliability import top_labels
from lindy.evaluation.predictions import Predictions

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ClassCounts:
    """By class: rows that are of it, rows among the known ones that were given it, rightly, and all that were."""

    actual: Counts
    called: Counts
    right: Counts
    called_of_all: Counts


class StreamingMetrics:
    """Counts of answers.

    Parameters
    ----------
    classes : list of str
        The labels of the model.
    resamples : int
        As for `lindy.evaluation.evaluate`.
    keep_chosen : bool
        Whether `thresholds` will be asked for: 13 bytes for each row are then kept on disk.
    """

    def __init__(self, classes: list[str], *, resamples: int = 0, keep_chosen: bool = False) -> None:
        self.classes = classes
        self.n = 0
        self._resamples = resamples
        self._pairs: Counter[int] = Counter()  # number of the true label · classes + predicted class
        self._of_known: Counter[int] = Counter()  # the same with the number of the true class
        self._probabilities: StreamingProbabilityMetrics | None = None
        self._loss, self._n_known = 0.0, 0
        self._chosen = (
            (DiskArray(np.float64), DiskArray(np.int32), DiskArray(np.bool_)) if keep_chosen else None
        )

    def add(self, numbers: Counts, y: Counts, predicted: Predictions) -> None:
        """Count rows: the numbers of their labels, those of their classes (−1 for none), and what the model says."""
        K = len(self.classes)
        self.n += len(y)
        known = y >= 0
        _count(self._pairs, numbers * K + predicted.best)
        _count(self._of_known, y[known] * K + predicted.best[known])
        if not predicted.are_probabilities:
            return
        if self._probabilities is None:
            self._probabilities = StreamingProbabilityMetrics(K, self._resamples)
        self._probabilities.add(predicted.values, y)
        p = predicted.values[known, y[known]]
        losses = -numerics.log(np.maximum(p, np.finfo(float).eps))
        self._loss = float(np.add.accumulate(np.append(self._loss, losses))[-1])
        self._n_known += len(p)
        if self._chosen is not None:
            for column, values in zip(self._chosen, self._top(predicted.values, y), strict=True):
                column.add(values)

    @staticmethod
    def _top(p: NDArray[np.float64], y: Counts) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
        top, right = top_labels(p, y)
        return top, p.argmax(axis=1), right

    def evaluation(self, names: list[str]) -> Evaluation:
        """Return all figures; ``names`` has the label of each number."""
        if not self.n:
            raise ValueError("there is nothing to evaluate: no examples")
        K = len(self.classes)
        pairs = [(names[key // K], self.classes[key % K], count) for key, count in self._pairs.items()]
        labels = sorted({label for true, predicted, _ in pairs for label in (true, predicted)})
        place = {label: k for k, label in enumerate(labels)}
        confusion = np.zeros((len(labels), len(labels)), np.int64)
        for true, predicted, count in pairs:
            confusion[place[true], place[predicted]] += count
        found = None if self._probabilities is None else self._probabilities.metrics()
        return evaluate_confusion(confusion, labels, found, resamples=self._resamples)

    def unknown(self, names: list[str]) -> dict[str, int]:
        """Return how often each label occurs that is none of the model's classes, the most frequent first."""
        classes, K = set(self.classes), len(self.classes)
        counts: Counter[str] = Counter()
        for key, count in self._pairs.items():
            if names[key // K] not in classes:
                counts[names[key // K]] += count
        order = {name: number for number, name in reversed(list(enumerate(names)))}
        return dict(sorted(counts.items(), key=lambda item: (-item[1], order[item[0]])))

    def class_counts(self) -> ClassCounts:
        """Return the counts of each class."""
        K = len(self.classes)
        actual, called, right, every = (np.zeros(K, np.int64) for _ in range(4))
        for key, count in self._of_known.items():
            true, predicted = divmod(key, K)
            actual[true] += count
            called[predicted] += count
            right[true] += count * (true == predicted)
        for key, count in self._pairs.items():
            every[key % K] += count
        return ClassCounts(actual, called, right, every)

    @property
    def log_loss(self) -> float | None:
        """The log loss of rows whose label is a class; None where there is none, or no probabilities."""
        return self._loss / self._n_known if self._n_known else None

    def thresholds(self, precision: float) -> NDArray[np.float64]:
        """Return how probable each class must be to be right in that share of the cases."""
        if self._chosen is None:
            raise ValueError("thresholds need keep_chosen=True")
        top, chosen, right = (column.read(0, len(column)) for column in self._chosen)
        return thresholds_of_chosen(top, chosen, right, len(self.classes), precision)


def _count(counts: Counter[int], keys: NDArray[Any]) -> None:
    values, times = np.unique(keys, return_counts=True)
    for value, count in zip(values.tolist(), times.tolist(), strict=True):
        counts[value] += count
