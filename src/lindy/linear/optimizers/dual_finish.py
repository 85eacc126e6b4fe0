"""Newton steps for tables with few columns, and projections on simplexes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Pieces = Callable[[Array], tuple[float, Array, Array]]

STEPS = 100  # of Newton's method


@dataclass(frozen=True, slots=True)
class System:
    """½ Σ_j penalty_j·(θ_j − center_j)² (center for the bias only) + Σ_i f_i(x_iᵀθ), minimised by Newton steps."""

    X: Array
    penalty: Array
    center: Array

    def minimise(self, theta: Array, pieces: Pieces) -> Array:
        """Return the minimiser, from θ (columns × outputs); pieces(scores) gives Σ f, ∇f and the Hessians of f."""
        center = np.zeros_like(theta)
        center[-1] = self.center[-1, : theta.shape[1]] if self.penalty[-1] != 1 else 0.0
        weight = self.penalty[:, None]
        scores = self.X @ theta
        loss, G, H = pieces(scores)
        value = loss + 0.5 * float((weight * (theta - center) ** 2).sum())
        stuck = 0
        for _ in range(STEPS):
            gradient = weight * (theta - center) + self.X.T @ G
            step = self._newton_step(gradient, H)
            if not np.isfinite(step).all():
                break
            promised = float((gradient * step).sum())
            along = self.X @ step
            pull = float((weight * (theta - center) * step).sum()), float((weight * step**2).sum())
            size = _line_minimum(pieces, scores, along, pull)
            candidate = theta - size * step
            loss, G, H = pieces(scores - size * along)
            new = loss + 0.5 * float((weight * (candidate - center) ** 2).sum())
            stuck += not new < value
            if stuck > 3 or not np.isfinite(new):
                break
            theta, scores = candidate, scores - size * along
            if promised <= 1e-22 * abs(value) or (new >= value and promised <= 1e-15 * abs(value)):
                break
            value = new
        return theta

    def _newton_step(self, gradient: Array, H: Array) -> Array:
        d, K = gradient.shape
        X = self.X
        hessian = np.empty((d, K, d, K))
        for k in range(K):
            for j in range(k + 1):
                hessian[:, k, :, j] = (X.T * H[:, k, j]) @ X
                hessian[:, j, :, k] = hessian[:, k, :, j]
            hessian[np.arange(d), k, np.arange(d), k] += self.penalty
        square = hessian.reshape(d * K, d * K)
        try:
            step = np.linalg.solve(square, gradient.ravel())
        except np.linalg.LinAlgError:
            step = np.linalg.lstsq(square, gradient.ravel(), rcond=None)[0]
        solved: Array = np.asarray(step, np.float64).reshape(d, K)
        return solved


def _line_minimum(pieces: Pieces, scores: Array, along: Array, pull: tuple[float, float]) -> float:
    """Return the share of a step, at most 1, with the least value; ``pull`` has the penalty's slope and curvature.

    The pieces are quadratic. A whole Newton step that meets no other piece is exact; one that does may be many times
    too long in the direction of a free bias, and shortened until the value falls it hardly moves in the others.
    """

    def rises(size: float) -> bool:
        return size * pull[1] - pull[0] - float((pieces(scores - size * along)[1] * along).sum()) > 0

    low, high = 0.0, 1.0
    if not rises(high):
        return high
    while high - low > 1e-6 * high and high > 1e-24:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if rises(middle) else (middle, high)
    return high


def project(V: Array, size: Array) -> tuple[Array, Array]:
    """Project every row on the simplex of its size; returns the points and 1 where they are positive."""
    ordered = -np.sort(-V, axis=1)
    sums = np.cumsum(ordered, axis=1) - size[:, None]
    counts = np.arange(1, V.shape[1] + 1)
    kept = np.maximum((ordered * counts > sums).sum(axis=1), 1)
    tau = sums[np.arange(len(V)), kept - 1] / kept
    return np.maximum(V - tau[:, None], 0), (tau[:, None] < V).astype(np.float64)
