"""From scores to probabilities, and how to tell whether they come true.

Platt (1999):  p = σ(a·s + c) with targets (n₊ + 1)/(n₊ + 2) for hits and 1/(n₋ + 2) for misses
Temperature:   p = softmax(s / T)
Isotonic:      the rising function nearest to the hits, by pooling adjacent violators
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def platt(s: Array, y: NDArray[np.int64], rounds: int = 200) -> tuple[float, float]:
    """Return a and c by Newton's method on the log loss; y is 1 for hits and 0 for misses."""
    hits, misses = int((y == 1).sum()), int((y == 0).sum())
    t = np.where(y == 1, (hits + 1) / (hits + 2), 1 / (misses + 2))
    X = np.stack([s, np.ones_like(s)], axis=1)
    w = np.zeros(2)
    for _ in range(rounds):
        p = 1 / (1 + np.exp(-(X @ w)))
        gradient = X.T @ (p - t)
        hessian = (X * (p * (1 - p))[:, None]).T @ X
        step = np.linalg.solve(hessian + 1e-12 * np.eye(2), gradient)
        w = w - step / max(1.0, float(np.abs(X @ step).max()))  # no score moves by more than 1 at a time
    return float(w[0]), float(w[1])


def temperature(S: Array, T: Array, low: float = 1e-3, high: float = 1e3) -> float:
    """Return T where the derivative of the log loss in β = 1/T changes its sign; ``T`` holds targets per class."""

    def slope(beta: float) -> float:
        E = np.exp(beta * (S - S.max(axis=1, keepdims=True)))
        P = E / E.sum(axis=1, keepdims=True)
        return float(((P - T) * S).sum())

    for _ in range(200):
        middle = (low * high) ** 0.5
        low, high = (middle, high) if slope(middle) < 0 else (low, middle)
    return 1 / low


def isotonic(s: Array, hits: Array) -> Array:
    """Return g(s_i): as long as a block of rows has a lower mean than the one before it, they become one block."""
    points = np.unique(s)
    blocks = [[i] for i in range(len(points))]

    def mean(block: list[int]) -> float:
        return float(hits[np.isin(s, points[block])].mean())

    k = 1
    while k < len(blocks):
        if mean(blocks[k - 1]) >= mean(blocks[k]):
            blocks[k - 1 : k + 1] = [blocks[k - 1] + blocks[k]]
            k = max(1, k - 1)
        else:
            k += 1
    g = np.empty(len(s))
    for block in blocks:
        g[np.isin(s, points[block])] = mean(block)
    return g


def probabilities(S: Array, method: str, **learned: Array) -> Array:
    """Return P(class | scores), rows × classes, of scores ``S`` (rows, classes), or (rows, 1) for two classes."""
    two = S.shape[1] == 1
    if method in ("temperature", "vector"):
        Z = np.hstack([np.zeros_like(S), S]) if two else S - S.mean(axis=1, keepdims=True)
        Z = Z / learned["temperature"] if method == "temperature" else Z * learned["slope"] + learned["shift"]
        E = np.exp(Z - Z.max(axis=1, keepdims=True))
        shares: Array = E / E.sum(axis=1, keepdims=True)
        return shares
    leads = [s if two else s - np.delete(S, k, axis=1).max(axis=1) for k, s in enumerate(S.T)]
    if method == "sigmoid":
        P = [
            1 / (1 + np.exp(-(a * m + c)))
            for m, a, c in zip(leads, learned["slope"], learned["shift"], strict=True)
        ]
    else:
        starts, knots, heights = learned["starts"].astype(int), learned["knots"], learned["heights"]
        P = [
            np.interp(m, knots[i:j], heights[i:j]) for m, i, j in zip(leads, starts, starts[1:], strict=False)
        ]
    if two:
        return np.stack([1 - P[0], P[0]], axis=1)
    Q: Array = np.stack(P, axis=1)
    Q /= Q.sum(axis=1, keepdims=True)
    return Q


def calibration_error(P: Array, y: NDArray[np.int64], bins: int = 15) -> float:
    """Return Σ_b n_b/n · |share of right labels − mean probability| over bins of the top label's probability."""
    top, right = P.max(axis=1), P.argmax(axis=1) == y
    error = 0.0
    for b in range(bins):
        inside = (top >= b / bins) & ((top < (b + 1) / bins) | (b == bins - 1))
        if inside.any():
            error += inside.mean() * abs(float(right[inside].mean()) - float(top[inside].mean()))
    return float(error)
