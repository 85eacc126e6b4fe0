"""The dual of the support vector machine with a bias, by the simplest choice of two coordinates.

max_β  Σ y·β − ½·βᵀKβ    with  Σ β = 0,  0 ≤ y·β ≤ C
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def smo(K: Array, y: Array, C: float, eps: float, most: int = 100_000) -> Array:
    """Raise the β_i with the largest gradient s and lower the β_j with the least until they differ by at most eps."""
    beta = np.zeros(len(y))
    low, high = np.minimum(0, y * C), np.maximum(0, y * C)
    s = y.astype(np.float64)
    for _ in range(most):
        i = int(np.argmax(np.where(beta < high, s, -np.inf)))
        j = int(np.argmin(np.where(beta > low, s, np.inf)))
        if s[i] - s[j] <= eps:
            break
        curvature = max(K[i, i] + K[j, j] - 2 * K[i, j], 1e-12)
        t = min((s[i] - s[j]) / curvature, high[i] - beta[i], beta[j] - low[j])
        beta[i] += t
        beta[j] -= t
        s -= t * (K[i] - K[j])
    return beta


def objectives(K: Array, y: Array, C: float, beta: Array, b: float) -> tuple[float, float]:
    """Return the primal and the dual objective; the optimum lies between them."""
    f = K @ beta
    primal = 0.5 * beta @ f + C * np.maximum(0, 1 - y * (f + b)).sum()
    return float(primal), float(beta @ y - 0.5 * beta @ f)
