"""Figures that need probabilities: how confident, how well ordered, and whether the confidence comes true.

    log loss = −mean log p_y                     Brier = mean Σ_k (p_k − [k = y])², half of it for two classes
    top-k = share of rows whose label is among the k most probable

Areas (see ``roc_external``) of more than two classes are means over one class against the rest, of the classes that the
rows have.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.data.chunks.disk_array import DiskArray
from lindy.evaluation.metrics.intervals import Interval, around, middle, resampled_blocks, wilson
from lindy.evaluation.metrics.reliability import BINS, Bins, Reliability, bin_numbers, top_labels
from lindy.evaluation.metrics.roc_external import Ranking

Array = NDArray[np.float64]
TOP = (2, 3, 5)


@dataclass(frozen=True, slots=True)
class ProbabilityMetrics:
    """Log loss, Brier score, areas, top-k accuracies, reliability; None where the rows cannot tell."""

    log_loss: float
    brier: float
    roc_auc: float | None
    pr_auc: float | None
    top_k: dict[int, float]
    reliability: Reliability
    examples: int
    intervals: dict[str, Interval] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values, ready for JSON."""
        return {
            "log_loss": self.log_loss,
            "brier": self.brier,
            "roc_auc": self.roc_auc,
            "pr_auc": self.pr_auc,
            "top_k": {str(k): share for k, share in self.top_k.items()},
            "top_k_intervals": {
                str(k): list(wilson(share, self.examples)) for k, share in self.top_k.items()
            },
            "calibration_error": self.reliability.error,
            "reliability": {
                "counts": self.reliability.counts.tolist(),
                "confidence": self.reliability.confidence.tolist(),
                "accuracy": self.reliability.accuracy.tolist(),
            },
            "probability_intervals": {name: list(bounds) for name, bounds in self.intervals.items()},
        }


def probability_metrics(
    truth: ArrayLike,
    probabilities: ArrayLike,
    classes: ArrayLike | None,
    *,
    resamples: int = 0,
    random_state: int = 0,
) -> ProbabilityMetrics:
    """Return the figures of probabilities (rows, classes); a true label that is no class has probability 0."""
    p, labels = np.asarray(probabilities, np.float64), np.asarray(classes)
    y = class_numbers(truth, labels)
    if p.shape != (len(y), len(labels)) or len(labels) < 2:
        raise ValueError(
            f"probabilities must be {len(y)} rows of {len(labels)} (at least 2) classes; got {p.shape}"
        )
    tally = StreamingProbabilityMetrics(len(labels), resamples)
    tally.add(p, y)
    return tally.metrics(random_state)


class StreamingProbabilityMetrics:
    """Figures of probabilities that come part by part; they do not depend on how the rows are cut.

    Sums are counted on from row to row. What areas and intervals need of every row is kept on disk (`DiskArray`): the
    number of its class, the probability of each class (of the second one where there are two), and, for intervals, its
    loss, its squared error and what calibration asks for.
    """

    def __init__(self, n_classes: int, resamples: int = 0) -> None:
        self.n = 0
        self._K, self._resamples = n_classes, resamples
        self._sums = {"log_loss": 0.0, "brier": 0.0}
        self._right = dict.fromkeys((k for k in TOP if k < n_classes), 0)
        self._bins = Bins()
        self._ranked = [1] if n_classes == 2 else list(range(n_classes))
        self._numbers = DiskArray(np.int32)
        self._scores = [DiskArray(np.float64) for _ in self._ranked]
        self._rows = {name: DiskArray(np.float64) for name in (*self._sums, "surplus")}
        self._places = DiskArray(np.int8)

    def add(self, p: Array, y: NDArray[np.int64]) -> None:
        """Add rows: probabilities of the classes, and the numbers of the true ones, −1 for what is no class."""
        if not len(y):
            return
        self.n += len(y)
        of_truth = np.where(y >= 0, p[np.arange(len(y)), y], 0.0)
        values = {
            "log_loss": -np.log(np.clip(of_truth, np.finfo(float).eps, 1.0)),
            "brier": ((p * p).sum(axis=1) - 2 * of_truth + 1) / (2 if self._K == 2 else 1),
        }
        for name, own in values.items():
            self._sums[name] = float(np.add.accumulate(np.append(self._sums[name], own))[-1])
        for k in self._right:
            self._right[k] += in_top(p, y, k)
        top, right = top_labels(p, y)
        self._bins.add(top, right)
        self._numbers.add(y)
        for k, scores in zip(self._ranked, self._scores, strict=True):
            scores.add(p[:, k])
        if self._resamples:
            values["surplus"] = right - top
            for name, own in values.items():
                self._rows[name].add(own)
            self._places.add(bin_numbers(top, BINS))

    def metrics(self, random_state: int = 0) -> ProbabilityMetrics:
        """Return the figures of all rows."""
        curve = self._bins.curve()
        rankings = [ranking for k in self._ranked if (ranking := self._ranking(k)).areas.decided]
        values = {name: total / self.n for name, total in self._sums.items()}
        if rankings:
            values["roc_auc"] = _mean([ranking.areas.roc for ranking in rankings])
            values["pr_auc"] = _mean([ranking.areas.precision_recall for ranking in rankings])
        return ProbabilityMetrics(
            log_loss=values["log_loss"],
            brier=values["brier"],
            roc_auc=values.get("roc_auc"),
            pr_auc=values.get("pr_auc"),
            top_k={k: right / self.n for k, right in self._right.items()},
            reliability=curve,
            examples=self.n,
            intervals=self._intervals(rankings, curve.error, random_state) if self._resamples else {},
        )

    def _ranking(self, k: int) -> Ranking:
        """Return the rows by the probability of a class; its areas are NaN where the rows do not have it."""
        is_hit = DiskArray(np.uint8)
        for numbers in self._numbers.blocks():
            is_hit.add(numbers == k)
        return Ranking(self._scores[self._ranked.index(k)], is_hit, keep=self._resamples > 0)

    def _intervals(
        self, rankings: list[Ranking], calibration_error: float, random_state: int
    ) -> dict[str, Interval]:
        """Return the bootstrap's intervals: all figures again for rows that are drawn with replacement."""
        drawn: dict[str, list[float]] = {name: [] for name in (*self._sums, "calibration_error")}
        drawn |= {"roc_auc": [], "pr_auc": []} if rankings else {}
        for counts in resampled_blocks(self.n, self._resamples, random_state):
            means, errors = self._weighted(counts)
            for name, own in means.items():
                drawn[name] += own.tolist()
            drawn["calibration_error"] += errors.tolist()
            if rankings:
                areas = np.stack([ranking.resampled(counts) for ranking in rankings])
                drawn["roc_auc"] += [_mean(of_classes) for of_classes in areas[:, :, 0].T.tolist()]
                drawn["pr_auc"] += [_mean(of_classes) for of_classes in areas[:, :, 1].T.tolist()]
        known = {name: np.array(found)[~np.isnan(found)] for name, found in drawn.items()}
        intervals = {name: middle(found) for name, found in known.items() if len(found)}
        return intervals | {"calibration_error": around(calibration_error, known["calibration_error"])}

    def _weighted(self, counts: NDArray[np.int32]) -> tuple[dict[str, Array], Array]:
        """Return the means and the calibration error for each row of ``counts`` (resamples, rows)."""
        sums = {name: np.zeros(len(counts)) for name in self._sums}
        surplus, start = np.zeros((len(counts), BINS)), 0
        columns = (self._places, self._rows["surplus"], *(self._rows[name] for name in sums))
        for places, own_surplus, *values in zip(*(column.blocks() for column in columns), strict=True):
            weights = counts[:, start : start + len(places)].astype(np.float64)
            for name, own in zip(sums, values, strict=True):
                sums[name] += (weights * own).sum(axis=1)
            for number, weight in enumerate(weights):
                surplus[number] += np.bincount(places, weight * own_surplus, BINS)
            start += len(places)
        return {name: total / self.n for name, total in sums.items()}, np.abs(surplus).sum(axis=1) / self.n


def class_numbers(truth: ArrayLike, classes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of each label's class; −1 for labels that are no class."""
    number = {label: k for k, label in enumerate(classes.tolist())}
    return np.array([number.get(label, -1) for label in np.asarray(truth).tolist()], np.int64)


def in_top(p: Array, y: NDArray[np.int64], k: int) -> int:
    """Return how many rows have their class among the k most probable; of equal ones the later class counts more."""
    best = np.argsort(p, axis=1, kind="stable")[:, ::-1][:, :k]
    return int((best == y[:, None]).any(axis=1).sum())


def _mean(areas: list[float]) -> float:
    """Return the mean of the areas that there are; NaN if there is none."""
    known = [area for area in areas if not np.isnan(area)]
    return sum(known) / len(known) if known else float("nan")
