"""Word lists from data (May 6) and averaged word votes (McDonald's first model)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def word_lists(n_yw: Array) -> Array:
    """Return 1 for the label that a word was seen with most often (the first of equals), words × classes."""
    votes = np.zeros_like(n_yw)
    for w, row in enumerate(n_yw):
        if row.sum() > 0:
            votes[w, row.argmax()] = 1
    return votes


def word_votes(n_yw: Array) -> Array:
    """P(y | w) = count(w and y) / count(w), words × classes."""
    n_w = n_yw.sum(axis=1, keepdims=True)
    return np.where(n_w > 0, n_yw / np.maximum(n_w, 1e-300), 0.0)


def mean_vote(X: Array, votes: Array, P_y: Array) -> Array:
    """P(y | x) = mean of the votes over the words of x that have one; P(y) if none has."""
    result = np.empty((len(X), votes.shape[1]))
    for i, x in enumerate(X):
        total = x @ votes
        result[i] = total / total.sum() if total.sum() > 0 else P_y
    return result
