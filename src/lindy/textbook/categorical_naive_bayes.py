"""Categorical naive Bayes (McDonald): feature i has one of F_i values, each with its own probability."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def tables(X: NDArray[np.int_], y: NDArray[np.int_], K: int, k: float = 1.0) -> list[Array]:
    """P(f_i = v | y) = (count(v, y) + k) / Σ_v' (count(v', y) + k), one array (values, classes) per feature."""
    result = []
    for column in X.T:
        F = int(column.max()) + 1
        count = np.array([[np.sum((column == v) & (y == c)) for c in range(K)] for v in range(F)], float) + k
        result.append(count / count.sum(axis=0))
    return result


def joint(X: NDArray[np.int_], P_y: Array, P: list[Array]) -> Array:
    """Log P(x, y) = log P(y) + Σ_i log P(f_i = x_i | y)."""
    with np.errstate(divide="ignore"):
        return np.stack([np.log(P_y) + sum(np.log(P[i][v]) for i, v in enumerate(x)) for x in X])
