"""Bernoulli naive Bayes: which words a document has, and which it lacks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def presence(X: Array, y: NDArray[np.int_], K: int, k: float = 1.0) -> Array:
    """P(w ∈ x | y) = (n_yw + k) / (n_y + 2k), words × classes: n_yw of the n_y documents have the word."""
    return np.stack([((X[y == c] > 0).sum(axis=0) + k) / (np.sum(y == c) + 2 * k) for c in range(K)], axis=1)


def joint(X: Array, P_y: Array, p: Array) -> Array:
    """Log P(x, y) = log P(y) + Σ_{w ∈ x} log p_yw + Σ_{w ∉ x} log (1 − p_yw)."""
    with np.errstate(divide="ignore"):
        has, lacks, total = np.log(p), np.log(1 - p), np.log(P_y)
    return np.stack([total + np.where((x > 0)[:, None], has, lacks).sum(axis=0) for x in X])
