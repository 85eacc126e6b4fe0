"""The perceptron: plain and averaged (LxMLS, Algorithm 2), binary (Amato), sparse (Johansson), voted.

``order`` lists the examples to visit, all rounds one after the other. The bias is the weight of a last column of X
that is always 1.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def averaged_perceptron(
    X: Array, y: NDArray[np.int64], K: int, order: Iterable[int], eta: float = 1.0
) -> tuple[Array, Array, int]:
    """Return the last weights, the average over the weights after every step, and the number of mistakes."""
    w = np.zeros((X.shape[1], K))
    total, t, mistakes = np.zeros_like(w), 0, 0
    for m in order:
        t = t + 1
        y_hat = np.argmax(X[m] @ w)
        if y_hat != y[m]:
            w[:, y[m]] += eta * X[m]
            w[:, y_hat] -= eta * X[m]
            mistakes = mistakes + 1
        total += w
    return w, total / t, mistakes


def binary_perceptron(
    X: Array, y: NDArray[np.int64], order: Iterable[int], eta: float = 1.0
) -> tuple[Array, Array, int]:
    """Do the same for classes 0 and 1 with one weight vector; a score of 0 means class 1."""
    w = np.zeros(X.shape[1])
    total, t, mistakes = np.zeros_like(w), 0, 0
    for m in order:
        t = t + 1
        y_hat = 1 if X[m] @ w >= 0 else 0
        if y_hat != y[m]:
            w += eta * (1 if y[m] == 1 else -1) * X[m]
            mistakes = mistakes + 1
        total += w
    return w, total / t, mistakes


def sparse_perceptron(
    rows: list[tuple[NDArray[np.int32], Array]],
    y: NDArray[np.int64],
    shape: tuple[int, int],
    order: Iterable[int],
) -> Array:
    """Learn the last weights from rows (indices, values), touching only w[indices]; one column for two classes."""
    n_features, K = shape
    w = np.zeros((n_features, K))
    for m in order:
        j, x = rows[m]
        if K == 1:
            if (1 if x @ w[j, 0] >= 0 else 0) != y[m]:
                w[j, 0] += (1 if y[m] == 1 else -1) * x
            continue
        y_hat = np.argmax(x @ w[j])
        if y_hat != y[m]:
            w[j, y[m]] += x
            w[j, y_hat] -= x
    return w


def voted_perceptron(X: Array, y: NDArray[np.int64], K: int, order: Iterable[int]) -> list[tuple[Array, int]]:
    """Return every weight vector with the number of examples for which it lived (Freund and Schapire, 1999)."""
    w, life = np.zeros((X.shape[1], K)), 0
    ballots = []
    for m in order:
        y_hat = np.argmax(X[m] @ w)
        if y_hat != y[m]:
            ballots.append((w.copy(), life))
            w[:, y[m]] += X[m]
            w[:, y_hat] -= X[m]
            life = 0
        life = life + 1
    return [*ballots, (w, life)]


def vote(ballots: list[tuple[Array, int]], x: Array) -> Array:
    """Return the number of votes for each class."""
    votes = np.zeros(ballots[0][0].shape[1])
    for w, life in ballots:
        votes[np.argmax(x @ w)] += life
    return votes
