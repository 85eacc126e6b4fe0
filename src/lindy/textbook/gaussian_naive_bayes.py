"""Gaussian naive Bayes (LxMLS 1.2.1 and Exercise 1.3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def means(X: Array, y: NDArray[np.int_], K: int) -> Array:
    """μ_yj = mean of feature j over the instances of class y, features × classes (Eq. 1.8)."""
    return np.stack([X[y == c].mean(axis=0) for c in range(K)], axis=1)


def variances(X: Array, y: NDArray[np.int_], K: int) -> Array:
    """σ²_yj = mean squared deviation from μ_yj, features × classes."""
    return np.stack([X[y == c].var(axis=0) for c in range(K)], axis=1)


def joint(X: Array, P_y: Array, mu: Array, var: Array) -> Array:
    """Log P(y) + Σ_j log N(x_j; μ_yj, σ²_yj)."""
    log_density = -0.5 * (np.log(2 * np.pi * var) + (X[:, :, None] - mu) ** 2 / var)
    total: Array = np.log(P_y) + log_density.sum(axis=1)
    return total


def linear_form(P_y: Array, mu: Array, var: float | Array) -> tuple[Array, Array]:
    """w_y = μ_y / σ² and b_y = log P(y) − ½ Σ_j μ²_yj / σ²_j, for a variance shared by all classes."""
    var = np.reshape(var, (-1, 1))
    b: Array = np.log(P_y) - 0.5 * (mu**2 / var).sum(axis=0)
    return mu / var, b
