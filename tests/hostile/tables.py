"""Tables of the kinds that users have, scaled and not, with labels that have much or nothing to do with them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from numpy.typing import NDArray

KINDS = ("counts", "long rows", "tf-idf", "scaled", "unscaled")


def rows_of(kind: str, rng: np.random.Generator, n: int) -> Any:
    """Return a matrix of a kind that users have."""
    if kind == "counts":
        return scipy.sparse.random(
            n, 60, 0.2, "csr", rng=rng, data_rvs=lambda k: rng.integers(1, 400, k) * 1.0
        )
    if kind == "long rows":  # one in fifty is a hundred times as long
        X = rows_of("counts", rng, n)
        return X.multiply(np.where(rng.random(n) < 0.02, 100.0, 1.0)[:, None]).tocsr()
    if kind == "tf-idf":
        X = rows_of("counts", rng, n)
        lengths = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        return X.multiply(1 / np.maximum(lengths, 1)[:, None]).tocsr()
    X = rng.normal(size=(n, 6))
    if kind == "unscaled":
        X = X * [1, 1000, 0.01, 30, 1, 1e-4] + [0, 500, 0, -20, 3, 0]
    return X


def labels_of(X: Any, K: int, signal: float, rng: np.random.Generator) -> NDArray[np.int64]:
    """Return labels that a linear model explains (1), or that have nothing to do with the rows (0)."""
    scores = np.asarray(X @ rng.normal(size=(X.shape[1], K)))
    noise = rng.normal(size=scores.shape) * scores.std()
    y = np.argmax(signal * scores + (1 - signal) * noise, axis=1)
    y[:K] = np.arange(K)
    return y
