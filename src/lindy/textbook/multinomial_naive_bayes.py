"""Multinomial naive Bayes (LxMLS 1.2.2, May 6, Amato): the counting, the smoothing, Bayes' rule."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def counts(X: Array, y: NDArray[np.int_], K: int) -> tuple[Array, Array]:
    """n_y, the documents of each class, and n_yw (words × classes), the tokens of each word in each class."""
    n_y = np.array([np.sum(y == c) for c in range(K)], float)
    n_yw = np.stack([X[y == c].sum(axis=0) for c in range(K)], axis=1)
    return n_y, n_yw


def label_counts(X: Array, Y: Array) -> tuple[Array, Array]:
    """n_w − n_wk and n_wk (words × labels), the tokens of each word without and with each of several labels."""
    with_label = np.stack([X[Y[:, k] == 1].sum(axis=0) for k in range(Y.shape[1])], axis=1)
    return X.sum(axis=0)[:, None] - with_label, with_label


def maximum_likelihood(n_yw: Array) -> Array:
    """P(w | y) = n_yw / Σ_w' n_yw', where a class has any words."""
    total = n_yw.sum(axis=0)
    return np.where(total > 0, n_yw / np.maximum(total, np.finfo(float).tiny), 0.0)


def laplace(n_yw: Array, k: float | Array = 1.0) -> Array:
    """P(w | y) = (n_yw + k) / Σ_w' (n_yw' + k): every word was seen k more times; k may differ by word."""
    smoothed = n_yw + np.reshape(k, (-1, 1))
    P: Array = smoothed / smoothed.sum(axis=0)
    return P


def interpolated(n_yw: Array, alpha: float) -> Array:
    """P_LIN(w | y) = α·P̂(w | y) + (1 − α)·P̂(w)."""
    overall = maximum_likelihood(n_yw.sum(axis=1, keepdims=True))
    return alpha * maximum_likelihood(n_yw) + (1 - alpha) * overall


def joint(X: Array, P_y: Array, P_wy: Array) -> Array:
    """Log P(x, y) = log P(y) + Σ_w n_w(x)·log P(w | y), where 0·log 0 = 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = X[:, :, None] * np.log(P_wy)[None, :, :]
        terms[X == 0] = 0.0
        total: Array = np.log(P_y) + terms.sum(axis=1)
    return total


def poisson_length(X: Array, n_y: Array, n_yw: Array) -> Array:
    """Log P(L | y) = L·log μ_y − μ_y − log L!, up to log L!, for the length L of each document (LxMLS, footnote 2)."""
    L, mu = X.sum(axis=1), mean_length(n_y, n_yw)
    return np.outer(L, np.log(mu)) - mu


def geometric_length(X: Array, n_y: Array, n_yw: Array) -> Array:
    """Log P(L | y) = L·log (1 − p_y) + log p_y, with the chance p_y = 1/(1 + μ_y) of ending before each word."""
    L, p = X.sum(axis=1), 1 / (1 + mean_length(n_y, n_yw))
    return np.outer(L, np.log(1 - p)) + np.log(p)


def mean_length(n_y: Array, n_yw: Array) -> Array:
    """μ_y, the mean length of the documents of each class and of one that is as long as the mean of all."""
    overall = n_yw.sum() / n_y.sum()
    mu: Array = (n_yw.sum(axis=0) + overall) / (n_y + 1)
    return mu


def posterior(log_joint: Array, P_y: Array) -> Array:
    """P(y | x) = P(x, y) / Σ_y' P(x, y'); the prior for a document that is impossible under every class."""
    result = np.empty_like(log_joint)
    for i, row in enumerate(log_joint):
        if np.isneginf(row).all():
            result[i] = P_y
        else:
            odds = np.exp(row - row.max())
            result[i] = odds / odds.sum()
    return result
