"""Areas below the curves of a ranking, and figures of rankings of which each row has several hits.

From the highest score down, TP and FP are the weights of hits and misses at or above each distinct score.

    ROC area            area below TP/P against FP/N, by trapezia: ties count half
    average precision   Σ_i (TP_i − TP_{i−1})/P · TP_i/(TP_i + FP_i)

Of the labels of one row, ranked by their scores, equal ones in their order, R of them true:

    precision@k   hits among the first k / k
    nDCG@k        Σ_{hits at places j ≤ k} 1/log2(1 + j) / Σ_{j ≤ min(k, R)} 1/log2(1 + j)
    LRAP          the mean over hits of: hits whose score is as high / labels whose score is as high

Thresholds are chosen among cuts t_1 < t_2 < …, by how many scores of a label lie in [t_c, t_{c+1}).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def curves(scores: Array, hits: NDArray[np.bool_], weight: Array) -> tuple[Array, Array]:
    """Return TP and FP at each distinct score, from the highest down."""
    order = np.argsort(-scores, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(scores[order])), len(scores) - 1)
    w = weight[order]
    TP = np.cumsum(w * hits[order])[ends]
    return TP, np.cumsum(w)[ends] - TP


def roc_area(scores: Array, hits: NDArray[np.bool_], weight: Array) -> float:
    """Return the area below the receiver operating characteristic; NaN where one side has no weight."""
    TP, FP = curves(scores, hits, weight)
    if not TP[-1] or not FP[-1]:
        return float("nan")
    above = np.concatenate([[0.0], TP])
    return float((np.diff(FP, prepend=0.0) * (above[1:] + above[:-1])).sum() / 2 / (TP[-1] * FP[-1]))


def average_precision(scores: Array, hits: NDArray[np.bool_], weight: Array) -> float:
    """Return the average precision; NaN without hits."""
    TP, FP = curves(scores, hits, weight)
    if not TP[-1]:
        return float("nan")
    precision = np.divide(TP, TP + FP, out=np.zeros_like(TP), where=TP + FP > 0)
    return float((np.diff(TP, prepend=0.0) * precision).sum() / TP[-1])


def precision_at(k: int, scores: Array, hits: NDArray[np.bool_]) -> float:
    """Return the share of hits among the first k labels of a row."""
    first = np.argsort(-scores, kind="stable")[:k]
    return float(hits[first].sum() / k)


def ndcg_at(k: int, scores: Array, hits: NDArray[np.bool_]) -> float:
    """Return the normalised discounted cumulative gain of the first k labels of a row; 0 without hits."""
    discount = 1 / np.log2(np.arange(len(scores)) + 2)
    first = np.argsort(-scores, kind="stable")[:k]
    best = discount[: min(k, hits.sum())].sum()
    return float((discount[: len(first)] * hits[first]).sum() / best) if best else 0.0


def label_ranking_average_precision(scores: Array, hits: NDArray[np.bool_]) -> float:
    """Return the label-ranking average precision of a row; 1 without hits."""
    as_high = scores >= scores[hits][:, None]
    shares = (as_high & hits).sum(axis=1) / as_high.sum(axis=1)
    return float(shares.mean()) if hits.any() else 1.0


def counts_between_cuts(scores: Array, cuts: Array) -> NDArray[np.int64]:
    """Return how many scores of each column lie from each cut up to the next, the last one without end."""
    at_or_above = (scores[:, :, None] >= cuts).sum(axis=0)
    counts: NDArray[np.int64] = at_or_above - np.append(
        at_or_above[:, 1:], np.zeros((scores.shape[1], 1), np.int64), 1
    )
    return counts
