"""Dual coordinate ascent for SVM and MaxEnt, one row at a time.

    primal   min_w  ½‖w‖² + C·Σ_i loss(s_i·w·x_i)
    dual     max_α  Σ_i −C·loss*(−α_i/C) − ½‖Σ_i s_i·α_i·x_i‖²          and  w = Σ_i s_i·α_i·x_i

A row's best α, all others fixed, is found in closed form (hinges) or by bisection (log losses). The gap between
the two objectives bounds how far either is from the optimum.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def hinge_pass(X: Array, s: Array, C: float, alpha: Array, w: Array, order: Array) -> None:
    """L1-loss SVM: α ← clip(α − (s·w·x − 1) / ‖x‖², 0, C); changes α and w in place."""
    for i in order:
        x = X[i]
        slack = 1 - s[i] * (w @ x)
        q = x @ x
        new = np.clip(alpha[i] + slack / q, 0, C) if q > 0 else (C if slack > 0 else 0.0)
        w += (new - alpha[i]) * s[i] * x
        alpha[i] = new


def squared_hinge_pass(X: Array, s: Array, C: float, alpha: Array, w: Array, order: Array) -> None:
    """L2-loss SVM: α ← max(0, α − (s·w·x − 1 + D·α) / (‖x‖² + D)) with D = 1/(2C)."""
    D = 1 / (2 * C)
    for i in order:
        x = X[i]
        gradient = s[i] * (w @ x) - 1 + D * alpha[i]
        new = max(0.0, alpha[i] - gradient / (x @ x + D))
        w += (new - alpha[i]) * s[i] * x
        alpha[i] = new


def logistic_pass(
    X: Array, s: Array, C: float, alpha: Array, w: Array, order: Array, at_once: int = 1, lead: float = 1.0
) -> None:
    """Logistic regression: the α in (0, C) with log(α/(C−α)) + s·w·x + ‖x‖²·(α − α_old) = 0.

    ``at_once`` rows take their steps from the same w; for two of them the dual still cannot fall. ``lead``·w is taken
    for w in a first sweep (``look_ahead``).
    """
    for begin in range(0, len(order), at_once):
        rows = order[begin : begin + at_once]
        changes = []
        for i in rows:
            x = X[i]
            m, q = s[i] * lead * (w @ x), x @ x
            low, high = 0.0, C
            for _ in range(100):
                new = (low + high) / 2
                if np.log(new / (C - new)) + m + q * (new - alpha[i]) > 0:
                    high = new
                else:
                    low = new
            changes.append((new - alpha[i]) * s[i])
            alpha[i] = new
        w += X[rows].T @ np.array(changes)


def crammer_singer_pass(
    X: Array,
    y: NDArray[np.int64],
    C: float,
    Z: Array,
    W: Array,
    order: Array,
    rho: Array,
    at_once: int = 1,
) -> None:
    """Crammer–Singer: z ← projection of z + (xᵀW + ρ(·, y)) / ‖x‖² on the simplex of size C.

    W = Σ_i x_i·(C·e_{y_i} − z_i)ᵀ is features × classes. ``at_once`` as above.
    """
    for begin in range(0, len(order), at_once):
        rows = order[begin : begin + at_once]
        before = Z[rows]
        for i in rows:
            q = X[i] @ X[i]
            scores = X[i] @ W + rho[:, y[i]]
            best = C * np.eye(len(scores))[scores.argmax()]
            Z[i] = project_on_simplex(Z[i] + scores / q, C) if q > 0 else best
        W -= X[rows].T @ (Z[rows] - before)


def softmax_pass(
    X: Array,
    y: NDArray[np.int64],
    C: float,
    P: Array,
    W: Array,
    order: Array,
    at_once: int = 1,
    lead: float = 1.0,
) -> None:
    """Multinomial MaxEnt: the p with  log p + C‖x‖²·p + λ = o + C‖x‖²·p_old,  Σ p = 1.

    W = C·Σ_i x_i·(e_{y_i} − p_i)ᵀ. Both p(λ) and λ by bisection: p falls as λ grows. ``at_once`` and ``lead`` as above.
    """
    del y  # P carries it: e_y − p is what was added to W
    for begin in range(0, len(order), at_once):
        rows = order[begin : begin + at_once]
        before = P[rows]
        for i in rows:
            t = C * (X[i] @ X[i])
            target = lead * (X[i] @ W) + t * P[i]
            low, high = target.min() - t - 5, target.max() + 5
            for _ in range(60):
                lam = (low + high) / 2
                new = _p_of(target - lam, t)
                low, high = (lam, high) if new.sum() > 1 else (low, lam)
            P[i] = new / new.sum()
        W -= C * X[rows].T @ (P[rows] - before)


def _p_of(v: Array, t: float) -> Array:
    """Return the p with log p + t·p = v, by Newton's method on u = log p from above."""
    u = np.minimum(v, 0.0)
    for _ in range(20):
        u = u - (u + t * np.exp(u) - v) / (1 + t * np.exp(u))
    return np.exp(u)


def look_ahead(n: int, before: float) -> list[tuple[int, int, float]]:
    """Pieces (begin, end, f) of a first sweep over n rows, in which f·W stands for the W of all rows.

    W is a sum over the rows: after k of n it has grown to about k/n of what it will be. ``before`` holds back while
    few rows were seen. A pass over a piece is given f·W and changes W.
    """
    pieces, begin = [], 0
    while begin < n:
        end = min(n, begin + max(begin // 16 * 2, 2))
        pieces.append((begin, end, (n + before) / (begin + before)))
        begin = end
    return pieces


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
