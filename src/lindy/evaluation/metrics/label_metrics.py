"""Figures of rows with several labels: the lists and the ranking of labels that a model gives, and the true ones.

    micro              ratios of the sums over all labels; see ``metric_registry`` for precision, recall and F1
    macro              the mean of each label's ratio, over the labels that some row has, known to the model or not
    example            the mean of each row's ratio; 1 where there neither are labels nor were any given
    precision@k        true labels among the first k / k
    F1@5               2·true labels among the first 5 / (5 + R), where the row has R true labels
    nDCG@k             Σ 1/log2(1 + place) over true labels among the first k / the sum if true labels came first
    R-precision        true labels among the first R / R
    LRAP               the mean over a row's true labels of: true labels ranked as high / labels ranked as high
    subset accuracy    share of rows that are given exactly their labels
    Hamming loss       wrong pairs of a row and a label / all pairs, of all labels that the model or some row has

All but micro and macro are means over rows: precision@k, F1@5, nDCG@k and R-precision over those that have a label,
as what is ranked first cannot be right elsewhere, the others over all. A row without labels has 1 in LRAP. A true
label that the model does not know is never ranked. Labels are ranked by their values, equal ones in their order. A
ratio whose denominator is 0 counts as 0. Intervals of 95 % are Wilson's for as many rows as would give a share the
same standard error, which is that of the delta method: of Σ a_i / Σ b_i = F, it is √Σ (a_i − F·b_i)² / Σ b_i.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.hierarchy import Hierarchy
from lindy.core.targets import ManyLabels
from lindy.data.chunks.disk_array import DiskArray
from lindy.estimators.notebook import facts, shown, table
from lindy.evaluation.metrics.class_metrics import ClassMetrics, ratio_gains, safe_ratio
from lindy.evaluation.metrics.hierarchical import HierarchicalCounts, lists_by_row
from lindy.evaluation.metrics.intervals import Interval, wilson, wilson_of_error
from lindy.evaluation.metrics.metric_registry import TOP, f1, precision, recall
from lindy.evaluation.predictions import LabelLists, Predictions

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]

_RATIOS = {"precision": precision, "recall": recall, "f1": f1}
_PAIRS = np.array(
    [[1, 1, 1], [0, 1, 0], [0, 0, 1]]
)  # right, called, actual of a pair that is right, wrong, missed
_CELLS = 1 << 20  # values that are compared at once
DEEP = 10
"""The rank down to which nDCG is also reported, as subject indexers do."""
_OF_LABELLED = frozenset(
    [
        "r_precision",
        "f1_at_5",
        f"ndcg_at_{DEEP}",
        *(f"{kind}_at_{k}" for kind in ("precision", "ndcg") for k in TOP),
    ]
)


@dataclass(frozen=True, slots=True)
class LabelMetrics(ClassMetrics):
    """One of several labels: ``support`` is how many rows have it, ``called`` how many were given it."""

    called: int = 0
    threshold: float | None = None
    known: bool = True

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "label": str(self.label),
            "support": self.support,
            "called": self.called,
            "threshold": self.threshold,
            "precision": self.precision,
            "precision_interval": list(wilson(self.precision, self.called)),
            "recall": self.recall,
            "recall_interval": list(wilson(self.recall, self.support)),
            "f1": self.f1,
            "f1_interval": list(self.f1_interval or (0.0, 1.0)),
            "known": self.known,
        }


@dataclass(frozen=True, slots=True)
class LabelEvaluation:
    """The metrics of predicted lists of labels compared with the true ones.

    ``figures`` and ``intervals`` have the names of ``to_dict``; ``labels`` are those of the model and of the rows, of
    which ``labelled`` have one.
    """

    examples: int
    labelled: int
    figures: dict[str, float]
    intervals: dict[str, Interval]
    labels: list[LabelMetrics]

    @property
    def unknown(self) -> dict[str, int]:
        """How many rows have each label that the model does not know, the most frequent first."""
        rows = {str(own.label): own.support for own in self.labels if not own.known}
        return dict(sorted(rows.items(), key=lambda item: -item[1]))

    def figure(self, asked: str) -> float:
        """Return a metric as it is asked for: micro-f1, precision@3, f1:LABEL."""
        kind, colon, label = asked.partition(":")
        if colon:
            return float(next((getattr(own, kind) for own in self.labels if str(own.label) == label), 0.0))
        return self.figures[_name(kind)]

    def _repr_html_(self) -> str:
        said = {name.replace("_", " "): f"{value:.4f}" for name, value in self.figures.items()}
        rows = [["label", "rows", "precision", "recall", "F1"]]
        rows += [
            [str(own.label), f"{own.support:,}", f"{own.precision:.3f}", f"{own.recall:.3f}", f"{own.f1:.3f}"]
            for own in self.labels
        ]
        return shown(facts("Evaluation", said | {"examples": f"{self.examples:,}"}), table(rows))

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            **self.figures,
            "examples": self.examples,
            "labelled_examples": self.labelled,
            "intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
            "unknown_labels": self.unknown,
            "labels": [own.to_dict() for own in self.labels],
        }


def evaluate_labels(
    truth: ManyLabels,
    predictions: Predictions,
    classes: ArrayLike,
    thresholds: ArrayLike | None = None,
    hierarchy: Hierarchy | None = None,
) -> LabelEvaluation:
    """Compare the true labels of rows with predictions of several labels.

    Parameters
    ----------
    truth : ManyLabels
    predictions : Predictions
        Whose ``given`` are lists of labels.
    classes : list of labels, the columns of the predictions' values
    thresholds : array (classes,) or None
        Of the labels, for the table of labels.
    hierarchy : Hierarchy or None
        What stands above the labels, for hierarchical precision, recall and F1.
    """
    metrics = StreamingLabelMetrics(np.asarray(classes).tolist(), thresholds, hierarchy)
    metrics.add(truth, predictions)
    return metrics.evaluation()


def label_gains(
    asked: str, truth: ManyLabels, predictions: Predictions, classes: ArrayLike
) -> NDArray[np.float64]:
    """Return gains of the rows whose mean is a metric as it is asked for, so that two models can be compared by row."""
    metrics = StreamingLabelMetrics(np.asarray(classes).tolist())
    of_rows, name = metrics.add(truth, predictions), _name(asked)
    if name in _OF_LABELLED:
        return ratio_gains(of_rows[name], np.diff(truth.indptr) > 0)
    return of_rows[name] if name in of_rows else metrics.gains(asked)


class StreamingLabelMetrics:
    """Figures of several labels for rows that come part by part; they do not depend on how the rows are cut.

    Sums are counted on. What the intervals of macro figures need is on disk: 13 bytes for each pair of a row and a
    label that it has or was given.
    """

    def __init__(
        self, classes: Sequence[Any], thresholds: ArrayLike | None = None, hierarchy: Hierarchy | None = None
    ) -> None:
        self.n = 0
        self._hierarchical = None if hierarchy is None else HierarchicalCounts(hierarchy)
        self._labelled = 0  # rows that have a label
        self._K = len(classes)
        self._thresholds: list[Any] = np.broadcast_to(np.array(thresholds, object), self._K).tolist()
        self._numbers = {
            label: k for k, label in enumerate(classes)
        }  # then those that the model does not know
        self._counts = np.zeros((3, self._K))  # right, called and actual, by label
        self._sums: dict[str, Array] = {}  # of each row's figures and their squares
        self._pairs = (
            DiskArray(np.int64),
            DiskArray(np.int32),
            DiskArray(np.int8),
        )  # rows, labels, places in _PAIRS

    def add(self, truth: ManyLabels, predictions: Predictions) -> dict[str, Array]:
        """Add rows, their true labels and what a model says of them; returns those figures that each row has."""
        chosen = predictions.chosen
        if not isinstance(chosen, LabelLists):
            raise TypeError("predictions of several labels are needed; these have one label per row")
        truth, n = truth.seen(), len(truth)
        if len(predictions) != n:
            raise ValueError(f"there are {n} rows of true labels and {len(predictions)} of predictions")
        numbers = [self._numbers.setdefault(label, len(self._numbers)) for label in truth.names.tolist()]
        true_rows, true_codes = _rows(truth.indptr), np.array(numbers, np.int64)[truth.codes]
        called_rows, M = _rows(chosen.indptr), len(self._numbers)
        is_right = np.isin(called_rows * M + chosen.codes, true_rows * M + true_codes)
        is_found = np.isin(true_rows * M + true_codes, called_rows * M + chosen.codes)
        of_pairs = (
            (called_rows, chosen.codes, np.where(is_right, 0, 1)),
            (true_rows[~is_found], true_codes[~is_found], np.full((~is_found).sum(), 2)),
        )
        rows, codes, places = (np.concatenate(own) for own in zip(*of_pairs, strict=True))
        by_label = np.bincount(places * M + codes, minlength=3 * M).reshape(3, M)
        self._counts = np.pad(self._counts, ((0, 0), (0, M - self._counts.shape[1]))) + _PAIRS.T @ by_label
        by_row = _PAIRS.T @ np.bincount(places * n + rows, minlength=3 * n).reshape(3, n)
        for column, own in zip(self._pairs, (self.n + rows, codes, places), strict=True):
            column.add(own)
        is_known = true_codes < self._K
        figures = _list_figures(*by_row) | _ranking_figures(
            predictions.values, true_rows[is_known], true_codes[is_known], by_row[2]
        )
        for name, own in figures.items():
            sums = self._sums.setdefault(name, np.zeros(2))
            self._sums[name] = np.add.accumulate(np.vstack([sums, np.stack([own, own * own], axis=1)]))[-1]
        if self._hierarchical is not None:
            names = list(map(str, self._numbers))
            lists = ((truth.indptr, np.array(numbers, np.int64)[truth.codes]), (chosen.indptr, chosen.codes))
            self._hierarchical.add(zip(*(lists_by_row(names, *own) for own in lists), strict=True))
        self.n += n
        self._labelled += int(np.count_nonzero(by_row[2]))
        return figures

    def evaluation(self) -> LabelEvaluation:
        """Return all figures."""
        if not self.n:
            raise ValueError("there is nothing to evaluate: no examples")
        right, called, actual = self._counts
        of_labels = {name: safe_ratio(*ratio(right, called, actual)) for name, ratio in _RATIOS.items()}
        figures, errors, counted = {}, {}, {}
        for average, of_these in (("micro", None), ("macro", actual > 0)):
            for name in _RATIOS:
                figures[f"{average}_{name}"], gains = self._average(name, of_these)
                errors[f"{average}_{name}"] = float(np.sqrt((gains * gains).sum()))
        for name, (total, squares) in self._sums.items():
            scale = len(self._numbers) if name == "hamming_loss" else 1
            n = max(self._labelled, 1) if name in _OF_LABELLED else self.n
            figures[name] = float(total / n / scale)
            errors[name] = float(np.sqrt(max(squares / n - (total / n) ** 2, 0) / n)) / scale
            counted[name] = n
        intervals = {
            name: wilson_of_error(value, errors[name], counted.get(name, self.n))
            for name, value in figures.items()
        }
        if self._hierarchical is not None:
            more, their_intervals = self._hierarchical.figures()
            figures, intervals = figures | more, intervals | their_intervals
        spread = np.array([right, called - right, actual - right])
        f1_errors = np.sqrt(
            (spread * self._pair_gains(f1, of_labels["f1"], called + actual) ** 2).sum(axis=0)
        )
        labels = [
            LabelMetrics(
                label,
                precision=float(of_labels["precision"][k]),
                recall=float(of_labels["recall"][k]),
                f1=float(of_labels["f1"][k]),
                support=int(actual[k]),
                f1_interval=wilson_of_error(of_labels["f1"][k], f1_errors[k], spread[:, k].sum()),
                called=int(called[k]),
                threshold=self._thresholds[k] if k < self._K else None,
                known=k < self._K,
            )
            for label, k in self._numbers.items()
        ]
        return LabelEvaluation(self.n, self._labelled, figures, intervals, labels)

    def gains(self, asked: str) -> Array:
        """Return gains of the rows whose mean is micro-f1, macro-f1 or f1:LABEL."""
        average, _, label = asked.partition(":")
        of_these = None if average == "micro-f1" else self._counts[2] > 0
        if label:
            of_these = np.array([str(name) == label for name in self._numbers])
        figure, gains = self._average("f1", of_these)
        return figure + self.n * gains

    def _average(self, name: str, of_these: NDArray[np.bool_] | None) -> tuple[float, Array]:
        """Return a ratio's mean over some labels, or its value for all together; and what each row gives to that."""
        ratio = _RATIOS[name]
        above, below = ratio(*self._counts)
        if of_these is None:
            above, below = (np.full(len(own), own.sum()) for own in (above, below))
            weight = np.ones(len(above))
            figure = float(safe_ratio(above, below)[0]) if len(above) else 0.0
        else:
            weight = of_these / max(of_these.sum(), 1)
            figure = float((safe_ratio(above, below) * weight).sum())
        of_pairs = self._pair_gains(ratio, safe_ratio(above, below), below) * weight
        gains = np.zeros(self.n)
        for rows, codes, places in zip(*(column.blocks() for column in self._pairs), strict=True):
            first = rows.min()
            own = np.bincount(rows - first, of_pairs[places, codes])
            gains[first : first + len(own)] += own
        return figure, gains

    @staticmethod
    def _pair_gains(ratio: Callable[..., Any], values: Array, below: Array) -> Array:
        """Return what a pair that is right, wrong or missed gives to ratios beyond its share: pairs × ratios."""
        a, b = (np.asarray(own, float)[:, None] for own in ratio(*_PAIRS.T))
        gains: Array = (a - values * b) / np.maximum(below, 1)
        return gains


def _name(asked: str) -> str:
    return asked.replace("@", "_at_").replace("-", "_")


def _list_figures(right: Codes, called: Codes, actual: Codes) -> dict[str, Array]:
    """Return each row's figures of the labels that it was given; those of the Hamming loss are counts."""
    both_empty = called + actual == 0
    figures = {
        f"example_{name}": np.where(both_empty, 1.0, safe_ratio(*ratio(right, called, actual)))
        for name, ratio in _RATIOS.items()
    }
    wrong = (called + actual - 2 * right).astype(np.float64)
    return figures | {"subset_accuracy": (wrong == 0).astype(np.float64), "hamming_loss": wrong}


def _ranking_figures(values: Array, rows: Codes, codes: Codes, actual: Codes) -> dict[str, Array]:
    """Return each row's figures of the places of its known true labels; ``actual`` counts all of its true ones."""
    n, K = values.shape
    places, lasts = places_of(values, rows, codes)

    def total(chosen: NDArray[np.bool_], weights: Array | None = None) -> Array:
        own = None if weights is None else weights[chosen]
        return np.bincount(rows[chosen], own, n).astype(np.float64)

    discount = 1 / np.log2(places + 1.0)
    ideal = np.append(0.0, np.cumsum(1 / np.log2(np.arange(DEEP) + 2.0)))
    hits = {f"precision_at_{k}": total(places <= k) / k for k in TOP}
    hits["f1_at_5"] = safe_ratio(2 * total(places <= 5), min(5, K) + actual)
    ndcg = {
        f"ndcg_at_{k}": safe_ratio(total(places <= k, discount), ideal[np.minimum(actual, k)])
        for k in (*TOP, DEEP)
    }
    r_precision = safe_ratio(total(places <= actual[rows]), actual)
    keys = rows * (K + 1) + lasts
    true_as_high = np.searchsorted(np.sort(keys), keys, "right") - np.searchsorted(
        np.sort(keys), rows * (K + 1)
    )
    lrap = safe_ratio(total(places > 0, true_as_high / lasts), actual)
    average = {"label_ranking_average_precision": np.where(actual == 0, 1.0, lrap)}
    return hits | ndcg | {"r_precision": r_precision} | average


def places_of(values: Array, rows: Codes, codes: Codes) -> tuple[Codes, Codes]:
    """Return the places of labels among their row's values, from 1; equal values in their order, and all as the last.

    Rows are compared some at a time, so that no copy of all values is made.
    """
    places, lasts = np.empty(len(rows), np.int64), np.empty(len(rows), np.int64)
    K = values.shape[1]
    for begin, end in pairwise([*range(0, len(rows), max(1, _CELLS // max(K, 1))), len(rows)]):
        own, column = values[rows[begin:end]], codes[begin:end, None]
        value = np.take_along_axis(own, column, axis=1)
        above, equal = (own > value).sum(axis=1), own == value
        places[begin:end] = 1 + above + (equal & (np.arange(K) < column)).sum(axis=1)
        lasts[begin:end] = above + equal.sum(axis=1)
    return places, lasts


def _rows(indptr: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
