"""Maximum likelihood of the few numbers that a calibrator has, by Newton's method with step halving.

    logistic      min_{a,c}  Σ_i w_i·[log(1 + e^{z_i}) − t_i·z_i],             z = a·s + c
    temperature   min_β      Σ_i w_i·[log Σ_k e^{β·s_ik} − β·Σ_k t_ik·s_ik]
    softmax       min_{a,c}  Σ_i w_i·[log Σ_k e^{z_ik} − Σ_k t_ik·z_ik],       z_ik = a_k·s_ik + c_k

All three are convex. Exponentials and linear algebra are ``lindy.core.numerics``', so that the numbers are the same on
every machine.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from lindy.core.numerics import exp, log, matmul, sigmoid, softplus, solve_positive

Array = NDArray[np.float64]
#: what is minimised, and how to get its gradient and Hessian; None where it is infinite
Point = tuple[float, Callable[[], tuple[Array, Array]] | None]

_ROUNDS = 100
_STEP = 1e-10  # a Newton step of this relative size is the last


def fit_logistic(s: Array, t: Array, weight: Array) -> tuple[float, float]:
    """Return a ≥ 0 and c; s is scaled to unit size on the way, so that its unit does not matter.

    Where the data would have a < 0, higher scores for the other class, the scores say nothing: a = 0.
    """
    centre, scale = _centre_and_scale(s)
    x = (s - centre) / scale

    def at(w: Array) -> Point:
        z = w[0] * x + w[1]

        def newton() -> tuple[Array, Array]:
            p = sigmoid(z)
            r, v = weight * (p - t), weight * np.maximum(p * (1 - p), 1e-12)
            cross = float((v * x).sum())
            hessian = np.array([[float((v * x * x).sum()), cross], [cross, float(v.sum())]])
            return np.array([float((r * x).sum()), float(r.sum())]), hessian

        return float((weight * (softplus(z) - t * z)).sum()), newton

    mean = float((weight * t).sum() / weight.sum())
    constant = float(log(mean / (1 - mean)))
    a, c = minimise(at, np.array([0.0, constant]))
    if a < 0:
        return 0.0, constant
    return float(a / scale), float(c - a * centre / scale)


def fit_temperature(s: Array, t: Array, weight: Array) -> float:
    """Return β = 1/T > 0."""
    scale = _centre_and_scale(s - s.max(axis=1, keepdims=True))[1]
    x = _by_class(s / scale)
    right = float((weight * _by_class(t) * x).sum())

    def at(w: Array) -> Point:
        if not w[0] > 0:
            return np.inf, None
        p, log_sums = _softmax(w[0] * x)

        def newton() -> tuple[Array, Array]:
            mean = (p * x).sum(axis=0)
            variance = (p * np.square(x - mean)).sum(axis=0)
            curvature = max(float((weight * variance).sum()), 1e-12)
            return np.array([float((weight * mean).sum()) - right]), np.array([[curvature]])

        return float((weight * log_sums).sum()) - w[0] * right, newton

    return float(minimise(at, np.ones(1))[0] / scale)


def fit_softmax(s: Array, t: Array, weight: Array) -> tuple[Array, Array]:
    """Return a and c, one of each per class."""
    K, pull = s.shape[1], 1e-6 * float(weight.sum())
    centre, scale = _centre_and_scale(s)
    x, t = _by_class((s - centre) / scale), _by_class(t)

    def at(w: Array) -> Point:
        z = x * w[:K, None] + w[K:, None]
        p, log_sums = _softmax(z)

        def newton() -> tuple[Array, Array]:
            r, px = weight * (p - t), p * x
            v, vx = weight * p, weight * px
            hessian = np.empty((2 * K, 2 * K))
            hessian[:K, :K] = np.diag((vx * x).sum(axis=1)) - matmul(vx, px.T)
            hessian[:K, K:] = np.diag(vx.sum(axis=1)) - matmul(vx, p.T)
            hessian[K:, :K] = hessian[:K, K:].T
            hessian[K:, K:] = np.diag(v.sum(axis=1)) - matmul(v, p.T)
            hessian[np.diag_indices(2 * K)] += pull  # all shifts raised together change nothing: pin them
            return np.concatenate([(r * x).sum(axis=1), r.sum(axis=1)]) + pull * w, hessian

        losses = weight * (log_sums - (t * z).sum(axis=0))
        return float(losses.sum()) + 0.5 * pull * float((w * w).sum()), newton

    w = minimise(at, np.concatenate([np.ones(K), np.zeros(K)]))
    a, c = w[:K] / scale, w[K:]
    return a, c - a * centre


def _by_class(values: Array) -> Array:
    """Return classes × rows: sums over the few classes are then sums of long vectors."""
    return np.ascontiguousarray(values.T)


def _softmax(z: Array) -> tuple[Array, Array]:
    """Return e^z / Σ e^z and log Σ e^z over the first axis."""
    top = z.max(axis=0)
    e = exp(z - top)
    total = e.sum(axis=0)
    return e / total, top + log(total)


def _centre_and_scale(s: Array) -> tuple[float, float]:
    centre = float(s.mean())
    scale = float(np.sqrt(np.square(s - centre).mean()))
    return centre, scale if scale > 0 else 1.0


def minimise(at: Callable[[Array], Point], w: Array) -> Array:
    """Return where Newton's method ends that begins at w; a step that does not lower the value is halved."""
    value, newton = at(w)
    for _ in range(_ROUNDS):
        if newton is None:
            break
        step = solve_positive(*reversed(newton()))
        if step is None:
            break
        length = 1.0
        lower, found = at(w - length * step)
        while lower > value and length > 1e-10:
            length /= 2
            lower, found = at(w - length * step)
        if lower >= value:
            break
        w, value, newton = w - length * step, lower, found
        if float(np.abs(length * step).max()) <= _STEP * max(1.0, float(np.abs(w).max())):
            break
    return w
