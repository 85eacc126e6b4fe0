"""Maximum likelihood of the few numbers that a calibrator has, by Newton's method with step halving.

    logistic      min_{a,c}  Σ_i w_i·[log(1 + e^{z_i}) − t_i·z_i],             z = a·s + c
    temperature   min_β      Σ_i w_i·[log Σ_k e^{β·s_ik} − β·Σ_k t_ik·s_ik]
    softmax       min_{a,c}  Σ_i w_i·[log Σ_k e^{z_ik} − Σ_k t_ik·z_ik],       z_ik = a_k·s_ik + c_k

All three are convex. Exponentials and linear algebra are ``lindy.numerics``', so that the numbers are the same on
every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lindy.numerics import log, log_sum_exp, matmul, sigmoid, softmax, softplus, solve_positive

Array = NDArray[np.float64]

_ROUNDS = 100
_STEP = 1e-10  # a Newton step of this relative size is the last


def fit_logistic(s: Array, t: Array, weight: Array) -> tuple[float, float]:
    """Return a ≥ 0 and c; s is scaled to unit size on the way, so that its unit does not matter.

    Where the data would have a < 0, higher scores for the other class, the scores say nothing: a = 0.
    """
    centre, scale = _centre_and_scale(s)
    x = (s - centre) / scale

    def objective(w: Array) -> float:
        z = w[0] * x + w[1]
        return float((weight * (softplus(z) - t * z)).sum())

    def newton(w: Array) -> tuple[Array, Array]:
        p = sigmoid(w[0] * x + w[1])
        r, v = weight * (p - t), weight * np.maximum(p * (1 - p), 1e-12)
        cross = float((v * x).sum())
        hessian = np.array([[float((v * x * x).sum()), cross], [cross, float(v.sum())]])
        return np.array([float((r * x).sum()), float(r.sum())]), hessian

    mean = float((weight * t).sum() / weight.sum())
    constant = float(log(mean / (1 - mean)))
    a, c = _minimise(objective, newton, np.array([0.0, constant]))
    if a < 0:
        return 0.0, constant
    return float(a / scale), float(c - a * centre / scale)


def fit_temperature(s: Array, t: Array, weight: Array) -> float:
    """Return β = 1/T > 0."""
    scale = _centre_and_scale(s - s.max(axis=1, keepdims=True))[1]
    x = s / scale
    right = float((weight[:, None] * t * x).sum())

    def objective(w: Array) -> float:
        return float((weight * log_sum_exp(w[0] * x)).sum()) - w[0] * right if w[0] > 0 else np.inf

    def newton(w: Array) -> tuple[Array, Array]:
        p = softmax(w[0] * x)
        mean = (p * x).sum(axis=1)
        variance = (p * np.square(x - mean[:, None])).sum(axis=1)
        curvature = max(float((weight * variance).sum()), 1e-12)
        return np.array([float((weight * mean).sum()) - right]), np.array([[curvature]])

    return float(_minimise(objective, newton, np.ones(1))[0] / scale)


def fit_softmax(s: Array, t: Array, weight: Array) -> tuple[Array, Array]:
    """Return a and c, one of each per class."""
    K, pull = s.shape[1], 1e-6 * float(weight.sum())
    centre, scale = _centre_and_scale(s)
    x = (s - centre) / scale

    def objective(w: Array) -> float:
        z = x * w[:K] + w[K:]
        losses = weight * (log_sum_exp(z) - (t * z).sum(axis=1))
        return float(losses.sum()) + 0.5 * pull * float((w * w).sum())

    def newton(w: Array) -> tuple[Array, Array]:
        p = softmax(x * w[:K] + w[K:])
        v = weight[:, None]
        r, px = v * (p - t), p * x
        hessian = np.empty((2 * K, 2 * K))
        hessian[:K, :K] = np.diag((v * px * x).sum(axis=0)) - matmul((v * px).T, px)
        hessian[:K, K:] = np.diag((v * px).sum(axis=0)) - matmul((v * px).T, p)
        hessian[K:, :K] = hessian[:K, K:].T
        hessian[K:, K:] = np.diag((v * p).sum(axis=0)) - matmul((v * p).T, p)
        hessian[np.diag_indices(2 * K)] += pull  # all shifts raised together change nothing: pin them
        gradient = np.concatenate([(r * x).sum(axis=0), r.sum(axis=0)]) + pull * w
        return gradient, hessian

    w = _minimise(objective, newton, np.concatenate([np.ones(K), np.zeros(K)]))
    a, c = w[:K] / scale, w[K:]
    return a, c - a * centre


def _centre_and_scale(s: Array) -> tuple[float, float]:
    centre = float(s.mean())
    scale = float(np.sqrt(np.square(s - centre).mean()))
    return centre, scale if scale > 0 else 1.0


def _minimise(
    objective: Callable[[Array], float], newton: Callable[[Array], tuple[Array, Array]], w: Array
) -> Array:
    value = objective(w)
    for _ in range(_ROUNDS):
        gradient, hessian = newton(w)
        step = solve_positive(hessian, gradient)
        if step is None:
            break
        length = 1.0
        while (lower := objective(w - length * step)) > value and length > 1e-10:
            length /= 2
        if lower >= value:
            break
        w, value = w - length * step, lower
        if float(np.abs(length * step).max()) <= _STEP * max(1.0, float(np.abs(w).max())):
            break
    return w
