"""Several labels per row: each by itself, or ranked with a virtual label between those of a row and all others.

Perceptron of pairs (Crammer & Singer, A family of additive online algorithms for category ranking, 2003), and MIRA with
the two constraints that are violated most. ``Y`` is 1 where a row has a label; the bias is a column of X that is 1.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from lindy.textbook.mira import step

Array = NDArray[np.float64]


def one_vs_rest(o: Array, y: Array, q: float, C: float | None, variant: str) -> Array:
    """Return how every weight vector moves along x: s where s·o is wrong, or MIRA's step (C given)."""
    s = 2 * y - 1
    if C is None:
        return np.where((o >= 0) == (y == 1), 0.0, s)
    return np.array(
        [s[k] * step(1 - s[k] * o[k], q, 2 * C, variant) if s[k] * o[k] < 1 else 0 for k in range(len(o))]
    )


def pairs(o: Array, y: Array) -> Array:
    """Move by 1/|E| for each pair of E, those that are not in order: r belongs above s; the last is the virtual one."""
    theta = len(o) - 1
    above, below = [*np.flatnonzero(y), theta], [theta, *np.flatnonzero(y == 0)]
    E = [(r, s) for r in above for s in below if r != s and o[r] <= o[s]]
    g = np.zeros(len(o))
    for r, s in E:
        g[r] += 1
        g[s] -= 1
    return g / max(len(E), 1)


def two_constraints(o: Array, y: Array, q: float, C: float, variant: str) -> Array:
    """Move as little as makes o_r ≥ o_θ + 1 and o_θ ≥ o_s + 1, for the lowest r of the row and the highest other s.

    The dual, max α·ℓ − ½ αᵀHα, is solved by coordinate ascent.
    """
    theta, g = len(o) - 1, np.zeros(len(o))
    own, others = np.flatnonzero(y), np.flatnonzero(y == 0)
    H = q * np.array([[2.0, -1.0], [-1.0, 2.0]]) + (np.eye(2) / (2 * C) if variant == "PA-II" else 0)
    loss, alpha = np.zeros(2), np.zeros(2)
    if len(own):
        r = own[np.argmin(o[own])]
        loss[0] = 1 - (o[r] - o[theta])
    if len(others):
        s = others[np.argmax(o[others])]
        loss[1] = 1 - (o[theta] - o[s])
    there = [i for i, labels in enumerate((own, others)) if len(labels)]
    for _ in range(200):
        for i in there:
            best = (loss[i] - H[i, 1 - i] * alpha[1 - i]) / H[i, i] if H[i, i] > 0 else 0.0
            alpha[i] = min(max(best, 0.0), C if variant == "PA-I" else np.inf)
    if len(own):
        g[r] += alpha[0]
    if len(others):
        g[s] -= alpha[1]
    g[theta] += alpha[1] - alpha[0]
    return g


def train(
    X: Array, Y: Array, order: Iterable[int], *, ranking: bool, C: float | None = None, variant: str = "PA-I"
) -> Array:
    """Return the average of the weights after every step; of ranked labels, what is above the virtual label."""
    w = np.zeros((X.shape[1], Y.shape[1] + ranking))
    total, t = np.zeros_like(w), 0
    for m in order:
        t = t + 1
        o, q = (X[m][:, None] * w).sum(axis=0), float(X[m] @ X[m])
        if not ranking:
            g = one_vs_rest(o, Y[m], q, C, variant)
        else:
            g = pairs(o, Y[m]) if C is None else two_constraints(o, Y[m], q, C, variant)
        w += np.outer(X[m], g)
        total += w
    average: Array = total / t
    return average[:, :-1] - average[:, -1:] if ranking else average
