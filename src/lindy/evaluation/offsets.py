"""Offsets of scores that make a figure largest: of one class a threshold, of all classes one by one.

The rows are sorted by how far a class leads the best other one; giving it to the first 0, 1, …, n of them is every
answer that an offset of the class can have, and the figures of all these answers follow from running sums.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.evaluation.metrics.metric_registry import Ratio

Array = NDArray[np.float64]
Codes = NDArray[np.integer[Any]]

_ROUNDS = 5  # over the classes, at the most
_FARTHEST = 1e9  # offsets lie between this and its negative


def lead_of(values: Array, k: int) -> Array:
    """Return by how much class k leads the best other one."""
    others = np.delete(values, k, axis=1)
    lead: Array = values[:, k] - others.max(axis=1)
    return lead


def threshold(lead: Array, hits: NDArray[np.bool_], pick: Callable[[Array, Array, int], int]) -> float:
    """Return the offset with which the rows of the highest leads, as many as ``pick`` says, have a positive lead."""
    order = np.argsort(-lead, kind="stable")
    falling = lead[order]
    cuts = np.append(np.flatnonzero(falling[1:] < falling[:-1]) + 1, len(lead))  # equal leads stay together
    right = np.cumsum(hits[order])[cuts - 1].astype(np.float64)
    actual = int(hits.sum())
    best = pick(np.append(0.0, right), np.append(0, cuts).astype(np.float64), actual)
    n = 0 if best == 0 else int(cuts[best - 1])
    return _between(falling, n)


def _between(falling: Array, n: int) -> float:
    """Return the offset that lies between the first n leads and the others."""
    above = falling[n - 1] if n else falling[0] + 1.0
    below = falling[n] if n < len(falling) else falling[-1] - 1.0
    return float(np.clip(-(above + below) / 2, -_FARTHEST, _FARTHEST))


def macro_offsets(values: Array, y: Codes, ratio: Ratio) -> Array:
    """Return offsets of a large mean of the classes' ratios: class by class the best one, until none gains."""
    n, K = values.shape
    offsets = np.zeros(K)
    actual = np.bincount(y, minlength=K)
    present = actual > 0
    plain = values.argmax(axis=1)
    called, right = (np.bincount(rows, minlength=K) for rows in (plain, y[plain == y]))
    best = float(share(ratio, right[present], called[present], actual[present]).mean())
    for _ in range(_ROUNDS):
        before = best
        for k in np.flatnonzero(present).tolist():
            moved = values + offsets
            moved[:, k] = -np.inf
            other = moved.argmax(axis=1)
            lead = values[:, k] - moved[np.arange(n), other]
            order = np.argsort(-lead, kind="stable")
            falling = lead[order]
            figures = _macro_along(other[order], y[order], k, actual, ratio)
            figures[1:-1][falling[1:] == falling[:-1]] = -1.0  # equal leads stay together
            cut = int(np.argmax(figures))
            if figures[cut] > best + 1e-12:
                best, offsets[k] = float(figures[cut]), _between(falling, cut)
        if best <= before + 1e-12:
            break
    centred: Array = np.clip(offsets - offsets.mean(), -_FARTHEST, _FARTHEST)
    return centred


def share(ratio: Ratio, right: Any, called: Any, actual: Any) -> Any:
    """Return a ratio of counts; one of nothing is 0."""
    above, below = ratio(right, called, actual)
    return above / np.maximum(below, 1)


def _macro_along(other: Codes, y: Codes, k: int, actual: NDArray[np.int64], ratio: Ratio) -> Array:
    """Return the mean ratio when the first 0, 1, …, n rows are given class k and the rest their other class."""
    n, K = len(y), len(actual)
    right = np.bincount(y[other == y], minlength=K)
    called = np.bincount(other, minlength=K)
    total = np.zeros(n + 1)
    for j in range(K):
        if j == k or not actual[j]:
            continue
        gone = np.append(0, np.cumsum(other == j))
        lost = np.append(0, np.cumsum((other == j) & (y == j)))
        total += share(ratio, right[j] - lost, called[j] - gone, actual[j])
    hits = np.append(0, np.cumsum(y == k))
    total += share(ratio, hits, np.arange(n + 1), actual[k])
    return total / np.count_nonzero(actual)
