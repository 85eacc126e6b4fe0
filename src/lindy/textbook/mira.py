"""MIRA (LxMLS, Algorithm 3), passive-aggressive steps (Crammer et al., 2006), k-best and all constraints (McDonald)."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def step(loss: float, D: float, C: float, variant: str) -> float:
    """Return τ for D = ‖f(x,y) − f(x,ŷ)‖²."""
    if variant == "PA-II":
        D = D + 1 / (2 * C)
    if D == 0:
        return 0.0
    return min(C, loss / D) if variant == "PA-I" else loss / D


def mira(
    X: Array,
    y: NDArray[np.int64],
    rho: Array,
    order: Iterable[int],
    C: float,
    *,
    variant: str = "PA-I",
    constraints: str = "predicted",
    k: int = 1,
) -> tuple[Array, Array]:
    """Return the last and the averaged weights; ``rho[ŷ, y]`` is the cost, C = 1/λ, the bias a column of ones."""
    w = np.zeros((X.shape[1], len(rho)))
    total, t = np.zeros_like(w), 0
    for m in order:
        t = t + 1
        x, true = X[m], y[m]
        scores = x @ w
        losses = scores - scores[true] + rho[:, true]
        if constraints in ("k-best", "all"):
            best = np.argsort(-scores, kind="stable")[: k if constraints == "k-best" else None]
            wrong = best[best != true]
            alpha = all_constraints(losses[wrong], x @ x, C, variant)
            w[:, wrong] -= np.outer(x, alpha)
            w[:, true] += alpha.sum() * x
        else:
            wrong = np.delete(np.arange(len(rho)), true)
            y_hat = np.argmax(scores) if constraints == "predicted" else wrong[np.argmax(losses[wrong])]
            if y_hat != true and losses[y_hat] > 0:
                tau = step(losses[y_hat], 2 * (x @ x), C, variant)
                w[:, true] += tau * x
                w[:, y_hat] -= tau * x
        total += w
    return w, total / t


def binary_mira(
    X: Array,
    y: NDArray[np.int64],
    rho: Array,
    order: Iterable[int],
    C: float,
    *,
    variant: str = "PA-I",
    constraints: str = "predicted",
    k: int = 1,
) -> tuple[Array, Array]:
    """Do the same for classes 0 and 1 with w = w₁ − w₀, which moves by 2τ; a score of 0 means class 1."""
    w = np.zeros(X.shape[1])
    total, t = np.zeros_like(w), 0
    for m in order:
        t = t + 1
        x, sign = X[m], 1 if y[m] == 1 else -1
        loss = rho[1 - y[m], y[m]] - sign * (x @ w)
        wrong = (1 if x @ w >= 0 else 0) != y[m]
        if wrong if constraints == "predicted" or (constraints == "k-best" and k == 1) else loss > 0:
            w += sign * 2 * step(loss, 2 * (x @ x), C, variant) * x
        total += w
    return w, total / t


def all_constraints(losses: Array, q: float, C: float, variant: str) -> Array:
    """Return the α_k ≥ 0 of the wrong labels for the step  w_k −= α_k x,  w_y += Σ α_k x.

    They maximise  Σ α_k ℓ_k − ½ q (Σ α_k² + σ²)  with σ = Σ α_k  (PA-I: σ ≤ C; PA-II: − σ²/(4C)).  At the optimum
    α_k = max(0, ℓ_k/q − θ); here θ is found by bisection.
    """
    if q == 0 or len(losses) == 0:
        return np.zeros_like(losses)
    kappa = 1 + 1 / (2 * C * q) if variant == "PA-II" else 1.0

    def alpha(theta: float) -> Array:
        return np.maximum(0.0, losses / q - theta)

    low, high = 0.0, max(0.0, losses.max() / q)
    for _ in range(200):
        theta = (low + high) / 2
        sigma = alpha(theta).sum()
        too_long = sigma > (min(theta, C) if variant == "PA-I" else theta / kappa)
        low, high = (theta, high) if too_long else (low, theta)
    return alpha(high)
