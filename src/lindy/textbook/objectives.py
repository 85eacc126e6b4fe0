"""The smooth training objectives, their gradients and duals, as they are defined.

    P(W, b) = Σ_i a_i·loss(o_i, y_i) + ½·l2·‖W‖²,    o_i = x_iᵀW + b,    a_i = weight_i / Σ weight

Arrays are dense: X (n × F), W (F × K), b (K,), class numbers y, shares a (n,).
A single output (K = 1) stands for class 1 against class 0.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Labels = NDArray[np.int32]


class Data(NamedTuple):
    """Rows, class numbers, and the share of each row in the mean."""

    X: Array
    y: Labels
    a: Array


def signs(y: Labels, K: int) -> Array:
    """Return +1 for the outputs of the own class and −1 for the others, n × K."""
    own = y[:, None] == (np.arange(K) if K > 1 else np.ones(1))
    return np.where(own, 1.0, -1.0)


def probabilities(scores: Array) -> Array:
    """Return exp(o_y) / Σ_y' exp(o_y')  (LxMLS Eq. 1.27)."""
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    shares: Array = e / e.sum(axis=1, keepdims=True)
    return shares


def losses(scores: Array, y: Labels, loss: str) -> Array:
    """Return the loss of each row: softmax, logistic or squared_hinge (the last two summed over outputs)."""
    if loss == "softmax":
        top = scores.max(axis=1)
        log_z = top + np.log(np.exp(scores - top[:, None]).sum(axis=1))
        return np.asarray(log_z - scores[np.arange(len(y)), y])
    m = signs(y, scores.shape[1]) * scores
    each = np.logaddexp(0.0, -m) if loss == "logistic" else np.maximum(0.0, 1.0 - m) ** 2
    return np.asarray(each.sum(axis=1))


def residuals(scores: Array, y: Labels, loss: str) -> Array:
    """Return ∂loss/∂o for each row; for softmax P(y' | x) − [y' = y], i.e. expected minus observed."""
    if loss == "softmax":
        r = probabilities(scores)
        r[np.arange(len(y)), y] -= 1.0
        return r
    t = signs(y, scores.shape[1])
    if loss == "logistic":
        return np.asarray(-t * np.exp(-np.logaddexp(0.0, t * scores)))
    return np.asarray(-2.0 * t * np.maximum(0.0, 1.0 - t * scores))


def objective(data: Data, W: Array, b: Array, loss: str, l2: float) -> float:
    """Return P(W, b)."""
    return float(data.a @ losses(data.X @ W + b, data.y, loss) + 0.5 * l2 * (W**2).sum())


def gradient(data: Data, W: Array, b: Array, loss: str, l2: float) -> tuple[Array, Array]:
    """Return ∇_W P = Xᵀ(a·residuals) + l2·W and ∇_b P  (LxMLS Eq. 1.32)."""
    R = data.a[:, None] * residuals(data.X @ W + b, data.y, loss)
    return data.X.T @ R + l2 * W, R.sum(axis=0)


def conjugate(U: Array, y: Labels, a: Array, loss: str) -> float:
    """Return Σ_i a_i·loss*(U_i / a_i), the convex conjugate, for U in its domain."""

    def xlogx(p: Array) -> Array:
        return np.asarray(p * np.log(np.where(p > 0, p, 1.0)))

    V = U / a[:, None]
    if loss == "softmax":
        p = V.copy()
        p[np.arange(len(y)), y] += 1.0
        each = xlogx(np.maximum(p, 0.0))
    elif loss == "logistic":
        q = np.minimum(np.abs(V), 1.0)
        each = xlogx(q) + xlogx(1.0 - q)
    else:
        each = V**2 / 4.0 - np.abs(V)
    return float(a @ each.sum(axis=1))
