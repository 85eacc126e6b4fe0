"""Figures that need probabilities: how sure, how well ordered, and whether the sureness comes true.

    log loss = −mean log p_y                     Brier = mean Σ_k (p_k − [k = y])², half of it for two classes
    ROC area = P(a right one scores above a wrong one), ties count half
    PR area (average precision) = Σ_i (recall_i − recall_{i−1})·precision_i, from the highest score down
    top-k = share of rows whose label is among the k most probable

Areas of more than two classes are means over one class against the rest, of the classes that the rows have.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.base import thread_count
from lindy.evaluation.intervals import Interval, around, middle, resampled_blocks, wilson
from lindy.evaluation.reliability import Reliability, reliability_curve, weighted_calibration_error

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
    of_truth = np.where(y >= 0, p[np.arange(len(y)), y], 0.0)
    losses = -np.log(np.clip(of_truth, np.finfo(float).eps, 1.0))
    squares = ((p * p).sum(axis=1) - 2 * of_truth + 1) / (2 if len(labels) == 2 else 1)
    columns = [Ranking(p[:, k], y == k) for k in ([1] if len(labels) == 2 else np.unique(y[y >= 0]).tolist())]
    columns = [column for column in columns if column.decided]
    curve = reliability_curve(p, y)
    figures: dict[str, Callable[[Array], float]] = {
        "log_loss": lambda w: float(np.average(losses, weights=w)),
        "brier": lambda w: float(np.average(squares, weights=w)),
        "calibration_error": weighted_calibration_error(p, y),
    }
    ones = np.ones(len(y))
    values = {name: figure(ones) for name, figure in figures.items()}
    if columns:
        values["roc_auc"] = _mean([column.roc_area(ones) for column in columns])
        values["pr_auc"] = _mean([column.pr_area(ones) for column in columns])
    drawn: dict[str, list[float]] = {name: [] for name in values}
    for counts in resampled_blocks(len(y), resamples, random_state):
        for name, figure in figures.items():
            drawn[name] += [figure(weight) for weight in counts.astype(np.float64)]
        if columns:
            areas = np.stack([column.areas(counts) for column in columns])
            drawn["roc_auc"] += [_mean(of_classes) for of_classes in areas[:, :, 0].T.tolist()]
            drawn["pr_auc"] += [_mean(of_classes) for of_classes in areas[:, :, 1].T.tolist()]
    known = {name: np.array(found)[~np.isnan(found)] for name, found in drawn.items()}
    intervals = {name: middle(found) for name, found in known.items() if len(found)}
    if resamples:
        intervals["calibration_error"] = around(curve.error, known["calibration_error"])
    return ProbabilityMetrics(
        log_loss=values["log_loss"],
        brier=values["brier"],
        roc_auc=values.get("roc_auc"),
        pr_auc=values.get("pr_auc"),
        top_k={k: top_k(p, y, k) for k in TOP if k < len(labels)},
        reliability=curve,
        examples=len(y),
        intervals=intervals,
    )


def class_numbers(truth: ArrayLike, classes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the number of each label's class; −1 for labels that are no class."""
    number = {label: k for k, label in enumerate(classes.tolist())}
    return np.array([number.get(label, -1) for label in np.asarray(truth).tolist()], np.int64)


def top_k(p: Array, y: NDArray[np.int64], k: int) -> float:
    """Return the share of rows whose class is among the k most probable; of equal ones the later class counts more."""
    best = np.argsort(p, axis=1, kind="stable")[:, ::-1][:, :k]
    return float((best == y[:, None]).any(axis=1).mean())


class Ranking:
    """Rows in falling order of a score, and which of them are hits; areas for any weights of the rows."""

    def __init__(self, scores: Array, hits: NDArray[np.bool_]) -> None:
        self.order = np.argsort(-scores, kind="stable")
        falling = scores[self.order]
        self.hits = hits[self.order].astype(np.float64)
        # the last row of each distinct score
        self.ends = np.append(np.flatnonzero(np.diff(falling)), len(falling) - 1)

    def areas(self, counts: NDArray[np.int32]) -> Array:
        """Return ROC and PR area for each row of ``counts`` (resamples, rows), natively; NaN where there is none."""
        marks = self.hits.astype(np.uint8)
        marks[self.ends] += 2
        found = np.empty((len(counts), 2))
        _native.ranking_areas(self.order.astype(np.int32), marks, counts, found, thread_count(None))
        return found

    @property
    def decided(self) -> bool:
        """Whether there are both hits and misses."""
        return 0 < float(self.hits.sum()) < len(self.hits)

    def _curves(self, weight: Array) -> tuple[Array, Array]:
        """Return how much weight of hits and of misses lies at or above each distinct score."""
        w = weight[self.order]
        hits = np.cumsum(w * self.hits)[self.ends]
        return hits, np.cumsum(w)[self.ends] - hits

    def roc_area(self, weight: Array) -> float:
        """Return the area below the receiver operating characteristic; NaN where one side has no weight."""
        hits, misses = self._curves(weight)
        if not hits[-1] or not misses[-1]:
            return float("nan")
        above = np.concatenate([[0.0], hits])
        area = (np.diff(misses, prepend=0.0) * (above[1:] + above[:-1])).sum() / 2
        return float(area / (hits[-1] * misses[-1]))

    def pr_area(self, weight: Array) -> float:
        """Return the average precision; NaN without hits."""
        hits, misses = self._curves(weight)
        if not hits[-1]:
            return float("nan")
        total = hits + misses
        precision = np.divide(hits, total, out=np.zeros_like(hits), where=total > 0)
        return float((np.diff(hits, prepend=0.0) * precision).sum() / hits[-1])


def _mean(areas: list[float]) -> float:
    """Return the mean of the areas that there are; NaN if there is none."""
    known = [area for area in areas if not np.isnan(area)]
    return sum(known) / len(known) if known else float("nan")
