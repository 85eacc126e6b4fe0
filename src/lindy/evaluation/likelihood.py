"""Maximum likelihood of the few numbers that a calibrator has, by Newton's method with step halving.

    logistic      min_{a,c}  Σ_i w_i·[log(1 + e^{z_i}) − t_i·z_i],             z = a·s + c
    temperature   min_β      Σ_i w_i·[log Σ_k e^{β·s_ik} − β·Σ_k t_ik·s_ik]
    softmax       min_{a,c}  Σ_i w_i·[log Σ_k e^{z_ik} − Σ_k t_ik·z_ik],       z_ik = a_k·s_ik + c_k

All three are convex. Sums are NumPy's and the exponentials are the core's own, so that the numbers are the same with
every BLAS and at every instruction-set level.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lindy import _native

Array = NDArray[np.float64]

_ROUNDS = 100
_STEP = 1e-10  # a Newton step of this relative size is the last


def sigmoid(z: Array) -> Array:
    """Return 1 / (1 + e^{−z})."""
    out = np.empty(z.size)
    _native.fast_sigmoid(np.ascontiguousarray(z).ravel(), out)
    return out.reshape(z.shape)


def softmax(z: Array) -> Array:
    """Return e^z / Σ e^z over the last axis."""
    out = np.empty(z.size)
    _native.fast_exp(np.ascontiguousarray(z - z.max(axis=-1, keepdims=True)).ravel(), out)
    e = out.reshape(z.shape)
    shares: Array = e / e.sum(axis=-1, keepdims=True)
    return shares


def _softplus(z: Array) -> Array:
    out = np.empty(z.size)
    _native.fast_softplus(np.ascontiguousarray(z).ravel(), out)
    return out.reshape(z.shape)


def _log_sum_exp(z: Array) -> Array:
    top = z.max(axis=1)
    out = np.empty(z.size)
    _native.fast_exp(np.ascontiguousarray(z - top[:, None]).ravel(), out)
    logs = np.empty(len(z))
    _native.fast_log(out.reshape(z.shape).sum(axis=1), logs)
    total: Array = top + logs
    return total


def fit_logistic(s: Array, t: Array, weight: Array) -> tuple[float, float]:
    """Return a ≥ 0 and c; s is scaled to unit size on the way, so that its unit does not matter.

    Where the data would have a < 0, higher scores for the other class, the scores say nothing: a = 0.
    """
    centre, scale = _centre_and_scale(s)
    x = (s - centre) / scale

    def objective(w: Array) -> float:
        z = w[0] * x + w[1]
        return float((weight * (_softplus(z) - t * z)).sum())

    def newton(w: Array) -> tuple[Array, Array]:
        p = sigmoid(w[0] * x + w[1])
        r, v = weight * (p - t), weight * np.maximum(p * (1 - p), 1e-12)
        cross = float((v * x).sum())
        hessian = np.array([[float((v * x * x).sum()), cross], [cross, float(v.sum())]])
        return np.array([float((r * x).sum()), float(r.sum())]), hessian

    mean = float((weight * t).sum() / weight.sum())
    constant = float(np.log(mean / (1 - mean)))
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
        return float((weight * _log_sum_exp(w[0] * x)).sum()) - w[0] * right if w[0] > 0 else np.inf

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
        losses = weight * (_log_sum_exp(z) - (t * z).sum(axis=1))
        return float(losses.sum()) + 0.5 * pull * float((w * w).sum())

    def newton(w: Array) -> tuple[Array, Array]:
        p = softmax(x * w[:K] + w[K:])
        v = weight[:, None]
        r, px = v * (p - t), p * x
        hessian = np.empty((2 * K, 2 * K))
        hessian[:K, :K] = np.diag((v * px * x).sum(axis=0)) - np.einsum("ik,il->kl", v * px, px)
        hessian[:K, K:] = np.diag((v * px).sum(axis=0)) - np.einsum("ik,il->kl", v * px, p)
        hessian[K:, :K] = hessian[:K, K:].T
        hessian[K:, K:] = np.diag((v * p).sum(axis=0)) - np.einsum("ik,il->kl", v * p, p)
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
        step = _solve(hessian, gradient)
        length = 1.0
        while (lower := objective(w - length * step)) > value and length > 1e-10:
            length /= 2
        if lower >= value:
            break
        w, value = w - length * step, lower
        if float(np.abs(length * step).max()) <= _STEP * max(1.0, float(np.abs(w).max())):
            break
    return w


def _solve(H: Array, g: Array) -> Array:
    """Return H⁻¹g for a symmetric positive definite H by L·Lᵀ, without LAPACK, whose bits differ between builds."""
    n = len(g)
    L = H.copy()
    for j in range(n):
        L[j, j] = np.sqrt(max(L[j, j], 1e-300))
        column = L[j + 1 :, j] / L[j, j]
        L[j + 1 :, j] = column
        L[j + 1 :, j + 1 :] -= column[:, None] * column
    x = g.copy()
    for i in range(n):
        x[i] = (x[i] - (L[i, :i] * x[:i]).sum()) / L[i, i]
    for i in range(n - 1, -1, -1):
        x[i] = (x[i] - (L[i + 1 :, i] * x[i + 1 :]).sum()) / L[i, i]
    return x
