"""Stochastic (sub)gradient descent: LxMLS, Algorithms 5 and 6; Pegasos, also sparse (Johansson); L1; AdaGrad.

``order`` lists the examples to visit. W has one column per class, or one column for classes 0 and 1. A *direction*
is the negative (sub)gradient of a loss in the scores; every step moves W along x · directionᵀ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Direction = Callable[[Array, int], Array]
Steps = Callable[[int], float]


def log_direction(o: Array, y: int) -> Array:
    """Return what was observed minus what was expected: e_y − P(· | x)."""
    if len(o) == 1:
        return np.array([y - 1 / (1 + np.exp(-o[0]))])
    p = np.exp(o - o.max())
    return np.asarray(np.eye(len(o))[y] - p / p.sum())


def hinge_direction(o: Array, y: int) -> Array:
    """Return the signs of the outputs whose margin is below 1 (one against the rest)."""
    sign = np.array([1.0 if y == 1 else -1.0]) if len(o) == 1 else 2 * np.eye(len(o))[y] - 1
    return np.where(sign * o < 1, sign, 0.0)


def squared_hinge_direction(o: Array, y: int) -> Array:
    """Return twice what the margins lack to 1, with the signs of the outputs."""
    sign = np.array([1.0 if y == 1 else -1.0]) if len(o) == 1 else 2 * np.eye(len(o))[y] - 1
    return np.asarray(2 * sign * np.maximum(0.0, 1 - sign * o))


def logistic_direction(o: Array, y: int) -> Array:
    """Return what the probabilities of each output's own side lack to 1 (one against the rest)."""
    sign = np.array([1.0 if y == 1 else -1.0]) if len(o) == 1 else 2 * np.eye(len(o))[y] - 1
    return np.asarray(sign * np.exp(-np.logaddexp(0.0, sign * o)))


def cost_augmented_direction(rho: Array) -> Direction:
    """Return the direction of Algorithm 6 for the cost ρ[ŷ, y]: e_y − e_ỹ."""

    def direction(o: Array, y: int) -> Array:
        if len(o) == 1:
            sign = 1.0 if y == 1 else -1.0
            return np.array([sign if rho[1 - y, y] - sign * o[0] > 0 else 0.0])
        augmented = o + rho[:, y]
        worst = y if augmented.max() <= augmented[y] else int(augmented.argmax())
        return np.asarray(np.eye(len(o))[y] - np.eye(len(o))[worst])

    return direction


def stochastic_gradient(
    X: Array,
    y: NDArray[np.int64],
    W: Array,
    order: Iterable[int],
    direction: Direction,
    eta: Steps,
    lam: float,
) -> tuple[Array, Array]:
    """W ← (1 − λ·η_t)·w + η_t·x directionᵀ; returns the last weights and the average after every step."""
    total = np.zeros_like(W)
    t = 0
    for m in order:
        t = t + 1
        W = (1 - lam * eta(t)) * W + eta(t) * np.outer(X[m], direction(X[m] @ W, y[m]))
        total += W
    return W, total / t


def pegasos(
    X: Array, y: NDArray[np.int64], W: Array, batches: Iterable[Sequence[int]], lam: float, *, project: bool
) -> tuple[Array, Array]:
    """Take steps of 1/(λt) along the mean of a batch, then back into the ball ‖w‖ ≤ 1/√λ of each output."""
    total = np.zeros_like(W)
    t = 0
    for batch in batches:
        t = t + 1
        eta = 1 / (lam * t)
        g = [np.outer(X[m], hinge_direction(X[m] @ W, y[m])) for m in batch]
        W = (1 - eta * lam) * W + eta * np.mean(g, axis=0)
        if project:
            W = W * np.minimum(1.0, (1 / np.sqrt(lam)) / np.maximum(np.linalg.norm(W, axis=0), 1e-300))
        total += W
    return W, total / t


def sparse_pegasos(
    rows: list[tuple[NDArray[np.int32], Array]],
    y: NDArray[np.int64],
    n_features: int,
    order: Iterable[int],
    direction: Direction,
    lam: float,
) -> Array:
    """Do the same for classes 0 and 1 and rows (indices, values), touching only v[indices]; w = s·v.

    Shrinking w by 1 − 1/t is one multiplication, s ← (1 − 1/t)·s; adding c·x to w is adding c/s·x to v.
    """
    s, v = 1.0, np.zeros(n_features)
    for t, m in enumerate(order, start=1):
        j, x = rows[m]
        g = direction(np.array([s * (x @ v[j])]), int(y[m]))[0]
        if t == 1:
            s, v = 1.0, np.zeros(n_features)  # 1 − 1/t is 0: nothing is left of what was there before
        else:
            s = (1 - 1 / t) * s
        v[j] += g / (lam * t * s) * x
    return s * v


def truncated_gradient(
    X: Array,
    y: NDArray[np.int64],
    W: Array,
    order: Iterable[int],
    direction: Direction,
    eta: Steps,
    l1: float,
) -> Array:
    """Shrink every weight by η_t·l1 towards 0 after every step."""
    for t, m in enumerate(order, start=1):
        W = W + eta(t) * np.outer(X[m], direction(X[m] @ W, y[m]))
        W = np.sign(W) * np.maximum(0.0, np.abs(W) - eta(t) * l1)
    return W


def cumulative_penalty(
    X: Array,
    y: NDArray[np.int64],
    W: Array,
    order: Iterable[int],
    direction: Direction,
    eta: Steps,
    l1: float,
) -> Array:
    """Let every weight receive the penalty due so far, u, less what it has received, q (Tsuruoka et al., 2009)."""
    u, q = 0.0, np.zeros_like(W)
    for t, m in enumerate(order, start=1):
        W = W + eta(t) * np.outer(X[m], direction(X[m] @ W, y[m]))
        u = u + eta(t) * l1
        z = W
        W = np.where(z > 0, np.maximum(0.0, z - (u + q)), np.where(z < 0, np.minimum(0.0, z + (u - q)), 0.0))
        q = q + (W - z)
    return W


def adagrad(
    X: Array, y: NDArray[np.int64], W: Array, order: Iterable[int], direction: Direction, eta0: float
) -> Array:
    """Give every weight its own step η0/√G, with G the sum of its squared gradients (Duchi et al., 2011)."""
    G = np.zeros_like(W)
    for m in order:
        g = np.outer(X[m], direction(X[m] @ W, y[m]))
        G = G + g**2
        W = W + eta0 * g / (np.sqrt(G) + 1e-8)
    return W
