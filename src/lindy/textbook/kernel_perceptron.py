"""The dual perceptron (McDonald, "Kernel trick: perceptron algorithm"), its average, and its votes.

K[t, r] = κ(x_t, x_r); kernels over pairs have the block form. ``order`` lists the examples to visit, all rounds one
after the other. Two classes have the score of the second minus that of the first, and 0 counts for the second.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Counts = NDArray[np.int64]


def coefficients(alpha: Counts, y: Counts) -> Array:
    """c_{t,y'} = Σ_y α_{y,t}·([y' = y_t] − [y' = y]), examples × classes."""
    c = -alpha.astype(np.float64)
    c[np.arange(len(y)), y] += alpha.sum(axis=1)
    return c


def decide(scores: Array) -> int:
    """Return the class with the highest score; of two classes, the second when they are equal."""
    return int(scores[1] >= scores[0]) if len(scores) == 2 else int(np.argmax(scores))


def kernel_perceptron(
    K: Array, y: Counts, n_classes: int, order: Iterable[int]
) -> tuple[Counts, Array, list[int]]:
    """Return α, the average of the coefficients after every visit, and the examples that were got wrong, in order."""
    alpha = np.zeros((len(y), n_classes), np.int64)
    total, visits, mistakes = np.zeros((len(y), n_classes)), 0, []
    for t in order:
        visits += 1
        y_hat = decide(K[t] @ coefficients(alpha, y))
        if y_hat != y[t]:
            alpha[t, y_hat] += 1
            mistakes.append(t)
        total += coefficients(alpha, y)
    return alpha, total / visits, mistakes


def voted(K: Array, y: Counts, n_classes: int, order: Iterable[int], K_new: Array) -> Array:
    """Return the share of the votes for each class, new examples × classes; K_new[i, t] = κ(x_i, x_t)."""
    alpha = np.zeros((len(y), n_classes), np.int64)
    votes = np.zeros((len(K_new), n_classes))
    for t in order:
        y_hat = decide(K[t] @ coefficients(alpha, y))
        if y_hat != y[t]:
            alpha[t, y_hat] += 1
        for i, scores in enumerate(K_new @ coefficients(alpha, y)):
            votes[i, decide(scores)] += 1
    shares: Array = votes / votes.sum(axis=1, keepdims=True)
    return shares
