"""From scores to probabilities, and how to tell whether they come true.

Platt (1999):  p = σ(a·s + c) with targets (n₊ + 1)/(n₊ + 2) for hits and 1/(n₋ + 2) for misses
Temperature:   p = softmax(s / T)
Isotonic:      the rising function nearest to the hits, by pooling adjacent violators, whose steps rise by their errors
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


def steps(s: Array, hits: Array) -> list[NDArray[np.bool_]]:
    """Return which rows each step has: one with a lower mean than the one before it becomes one with it."""
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
    return [np.isin(s, points[block]) for block in blocks]


def isotonic(s: Array, hits: Array) -> Array:
    """Return g(s_i), the share of hits in the row's step."""
    g = np.empty(len(s))
    for rows in steps(s, hits):
        g[rows] = hits[rows].mean()
    return g


def rising(s: Array, hits: Array, least: float, most: float) -> Array:
    """Return g(s_i), which rises within each step by its standard error in log odds, or a third of the way to the next.

    The outer steps, where they are of hits or of misses alone, count one more row, half as they and half as those
    beside them are.
    """
    found = steps(s, hits)
    share = [float(hits[rows].mean()) for rows in found]
    beside = [0.5, 0.5] if len(share) == 1 else [share[1], share[-2]]
    for k, other in ((0, beside[0]), (-1, beside[1])):
        n = found[k].sum()
        if share[k] == (0 if k == 0 else 1):
            share[k] = (n * share[k] + (share[k] + other) / 2) / (n + 1)
    share = [min(max(p, least), most) for p in share]
    z = [np.log(p / (1 - p)) for p in share]
    g = np.empty(len(s))
    for k, rows in enumerate(found):
        error = min(1.0, (rows.sum() * share[k] * (1 - share[k])) ** -0.5)
        down = min(error, (z[k] - z[k - 1]) / 3) if k > 0 else error
        up = min(error, (z[k + 1] - z[k]) / 3) if k + 1 < len(z) else error
        low, high = s[rows].min(), s[rows].max()
        ends = [z[k], z[k]] if low == high else [z[k] - down, z[k] + up]
        g[rows] = np.interp(s[rows], [low, high], [1 / (1 + np.exp(-end)) for end in ends])
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
