"""Dual coordinate ascent for SVM and MaxEnt, one row at a time.

    primal   min_w  ½‖w‖² + C·Σ_i loss(s_i·w·x_i)
    dual     max_α  Σ_i −C·loss*(−α_i/C) − ½‖Σ_i s_i·α_i·x_i‖²          and  w = Σ_i s_i·α_i·x_i

A row's best α, all others fixed, is found in closed form (hinges) or by bisection (log losses). The gap between
the two objectives bounds how far either is from the optimum.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Step = Callable[[float, float, float, float], float]


def hinge_step(alpha: float, m: float, q: float, C: float) -> float:
    """L1-loss SVM: α ← clip(α − (m − 1) / ‖x‖², 0, C) for the margin m = s·w·x and q = ‖x‖²."""
    if q == 0:
        return C if m < 1 else 0.0
    return float(np.clip(alpha - (m - 1) / q, 0, C))


def squared_hinge_step(alpha: float, m: float, q: float, C: float) -> float:
    """L2-loss SVM: α ← max(0, α − (m − 1 + D·α) / (‖x‖² + D)) with D = 1/(2C)."""
    D = 1 / (2 * C)
    return max(0.0, alpha - (m - 1 + D * alpha) / (q + D))


def logistic_step(alpha: float, m: float, q: float, C: float) -> float:
    """Logistic regression: the α' in (0, C) with log(α'/(C−α')) + m + ‖x‖²·(α' − α) = 0, by bisection."""
    low, high = 0.0, C
    for _ in range(100):
        new = (low + high) / 2
        if np.log(new / (C - new)) + m + q * (new - alpha) > 0:
            high = new
        else:
            low = new
    return new


def margin_pass(
    step: Step,
    X: Array,
    s: Array,
    C: float,
    alpha: Array,
    w: Array,
    order: Iterable[int],
    scale: Array | None = None,
) -> None:
    """Visit the rows in order, with one of the steps above; changes α and w in place.

    With scales the penalty is ½‖w / scale‖²: the problem of the rows scale ∘ x, whose weights times scale are w.
    """
    metric = np.ones(X.shape[1]) if scale is None else scale**2
    for i in order:
        new = step(alpha[i], s[i] * (w @ X[i]), X[i] @ (metric * X[i]), C)
        w += (new - alpha[i]) * s[i] * metric * X[i]
        alpha[i] = new


def crammer_singer_step(z: Array, o: Array, q: float, C: float) -> Array:
    """Crammer–Singer: z ← projection of z + o / ‖x‖² on the simplex of size C, for scores o with their costs."""
    if q == 0:
        corner: Array = C * np.eye(len(o))[o.argmax()]
        return corner
    return project_on_simplex(z + o / q, C)


def softmax_step(z: Array, o: Array, q: float, C: float) -> Array:
    """Multinomial MaxEnt: z = C·p with  log p + C‖x‖²·p + λ = o + C‖x‖²·p_old,  Σ p = 1.

    Both p(λ) and λ by bisection: p falls as λ grows.
    """
    t = C * q
    target = o + q * z
    low, high = target.min() - t - 5, target.max() + 5
    for _ in range(60):
        lam = (low + high) / 2
        p = _p_of(target - lam, t)
        low, high = (lam, high) if p.sum() > 1 else (low, lam)
    new: Array = C * p / p.sum()
    return new


def _p_of(v: Array, t: float) -> Array:
    """Return the p with log p + t·p = v, by Newton's method on u = log p from above."""
    u = np.minimum(v, 0.0)
    for _ in range(20):
        u = u - (u + t * np.exp(u) - v) / (1 + t * np.exp(u))
    return np.exp(u)


def joint_pass(
    step: Callable[[Array, Array, float, float], Array],
    X: Array,
    rho: Array,
    C: float,
    Z: Array,
    W: Array,
    order: Array,
) -> None:
    """Visit the rows in order; W = Σ_i x_i·(C·e_{y_i} − z_i)ᵀ is features × classes, Z begins at C·e_y.

    ``rho`` holds the costs ρ(·, y_i), rows × classes: zeros for softmax.
    """
    for i in order:
        new = step(Z[i], X[i] @ W + rho[i], X[i] @ X[i], C)
        W -= np.outer(X[i], new - Z[i])
        Z[i] = new


def project_on_simplex(v: Array, size: float) -> Array:
    """Return the nearest point with non-negative entries that sum to ``size``."""
    ordered = np.sort(v)[::-1]
    tau = (np.cumsum(ordered) - size) / np.arange(1, len(v) + 1)
    point: Array = np.maximum(v - tau[np.flatnonzero(ordered > tau)[-1]], 0)
    return point


def duality_gap(loss: str, X: Array, s: Array, C: float, alpha: Array) -> float:
    """Primal minus dual objective at α, for the three binary losses."""
    w = X.T @ (s * alpha)
    m = s * (X @ w)
    if loss == "hinge":
        primal, dual = C * np.maximum(0, 1 - m).sum(), alpha.sum()
    elif loss == "squared_hinge":
        primal, dual = C * (np.maximum(0, 1 - m) ** 2).sum(), (alpha - alpha**2 / (4 * C)).sum()
    else:
        p = np.clip(alpha / C, 1e-300, 1 - 1e-16)
        primal, dual = C * np.logaddexp(0, -m).sum(), -C * (p * np.log(p) + (1 - p) * np.log1p(-p)).sum()
    return float(primal + w @ w - dual)
