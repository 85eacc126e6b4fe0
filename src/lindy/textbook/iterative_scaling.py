"""Iterative scaling: how maximum entropy models were trained before gradients.

Both work on joint features f(x, y) ≥ 0, given as an array f[i, y, j], and maximise the likelihood Σ_i log P(y_i | x_i)
with P(y | x) = exp(w·f(x, y)) / Z(x). They move every weight until the expected count of its feature equals the
observed one.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def conditional(f: Array, w: Array) -> Array:
    """Return P(y | x_i) for every row i, n × K."""
    scores = f @ w
    e = np.exp(scores - scores.max(axis=1, keepdims=True))
    p: Array = e / e.sum(axis=1, keepdims=True)
    return p


def counts(f: Array, p: Array) -> Array:
    """Return the expected count of each feature, Σ_i Σ_y p_iy·f_j(x_i, y)."""
    return np.asarray(np.einsum("iy,iyj->j", p, f))


def generalised_iterative_scaling(f: Array, y: NDArray[np.integer], rounds: int) -> Array:
    """Darroch and Ratcliff (1972):  w_j ← w_j + (1/C)·log(observed_j / expected_j),  C = max Σ_j f_j(x, y).

    The features of each (x, y) must sum to the constant C; a slack feature makes up what is missing, and its weight
    is the last one returned.
    """
    total = f.sum(axis=2)
    C = float(total.max())
    f = np.concatenate([f, (C - total)[:, :, None]], axis=2)
    observed = counts(f, np.eye(f.shape[1])[y])
    w = np.zeros(f.shape[2])
    live = observed > 0  # the weight of a feature that never fires with its class would go to −∞
    for _ in range(rounds):
        expected = counts(f, conditional(f, w))
        w[live] += np.log(observed[live] / expected[live]) / C
    return w


def improved_iterative_scaling(f: Array, y: NDArray[np.integer], rounds: int) -> Array:
    """Della Pietra, Della Pietra and Lafferty (1997).

    Each weight moves by the δ_j that solves

    Σ_i Σ_y P(y | x_i)·f_j(x_i, y)·exp(δ_j·f#(x_i, y)) = observed_j,     f#(x, y) = Σ_j f_j(x, y)

    (by Newton's method); no slack feature is needed.
    """
    total = f.sum(axis=2)
    observed = counts(f, np.eye(f.shape[1])[y])
    w = np.zeros(f.shape[2])
    for _ in range(rounds):
        p = conditional(f, w)
        for j in np.flatnonzero(observed > 0):
            delta = 0.0
            for _ in range(20):
                grown = p * f[:, :, j] * np.exp(delta * total)
                delta -= float((grown.sum() - observed[j]) / max((grown * total).sum(), 1e-300))
            w[j] += delta
    return w
