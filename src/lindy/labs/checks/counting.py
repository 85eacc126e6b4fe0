"""Checks of naive Bayes: counts of words, and Gaussians."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from lindy.labs.checks.outcome import Array, Case, Cause, run
from lindy.textbook import gaussian_naive_bayes as gaussians
from lindy.textbook import multinomial_naive_bayes as counting


def _table(seed: int) -> tuple[Array, Any, int]:
    """Return counts of words, labels in which every class occurs, and how many classes there are."""
    rng = np.random.default_rng(seed)
    K = int(rng.integers(2, 4))
    X = rng.integers(0, 4, size=(8, 5)).astype(np.float64)
    return X, rng.permutation(np.arange(8) % K if seed % 2 else np.minimum(np.arange(8), K - 1)), K


def naive_bayes(train: Callable[..., Any]) -> None:
    """Check ``train(X, y) -> (P_y, P_wy)``: shares of the classes, and of the words in each, with add-one smoothing."""

    def cases() -> Iterator[Case]:
        for seed in range(8):
            X, y, K = _table(seed)
            n_y, n_yw = counting.counts(X, y, K)
            P_y, P = n_y / n_y.sum(), counting.laplace(n_yw)
            documents = (n_yw + 1) / (n_y + X.shape[1])
            causes: list[Cause] = [
                (
                    "The words are not smoothed: add one to every count.",
                    (P_y, counting.maximum_likelihood(n_yw)),
                ),
                (
                    "The counts are divided by documents; a probability over words needs the number of word tokens.",
                    (P_y, documents),
                ),
                (
                    "One was added to the counts, but not to their total: the words of a class must sum to 1.",
                    (P_y, (n_yw + 1) / n_yw.sum(axis=0)),
                ),
                (
                    "One was added to the total once, not once for every word.",
                    (P_y, (n_yw + 1) / (n_yw.sum(axis=0) + 1)),
                ),
                ("These are logarithms of the right probabilities.", (np.log(P_y), np.log(P))),
                (
                    "Presence was counted, not how often a word occurs.",
                    (P_y, counting.laplace(counting.counts(np.minimum(X, 1), y, K)[1])),
                ),
                ("The classes are smoothed; only the words should be.", ((n_y + 1) / (n_y + 1).sum(), P)),
                (
                    "The words are right, the shares of the classes are not.",
                    lambda got, own=P: np.allclose(got[1], own),
                ),
                (
                    "The shares of the classes are right, the words are not.",
                    lambda got, own=P_y: np.allclose(got[0], own),
                ),
            ]
            said = f"For X = {X.astype(int).tolist()}, y = {y.tolist()},"
            yield Case((X, y), (P_y, P), said, causes)

    hints = (
        "Count documents for P(y), and word tokens for P(w | y).",
        "Add one to the count of every word in every class; the probabilities of a class then sum to 1 by themselves.",
    )
    run("naive_bayes", train, cases(), hints)


def gaussian_naive_bayes(train: Callable[..., Any]) -> None:
    """Check ``train(X, y) -> (P_y, mu, var)``: shares of the classes, then means and variances (features × classes)."""

    def cases() -> Iterator[Case]:
        for seed in range(8):
            X, y, K = _table(seed + 20)
            n = np.array([np.sum(y == c) for c in range(K)], float)
            P_y, mu, var = n / len(y), gaussians.means(X, y, K), gaussians.variances(X, y, K)
            unbiased = var * n / np.maximum(n - 1, 1)
            causes: list[Cause] = [
                ("These are standard deviations: square them.", (P_y, mu, np.sqrt(var))),
                (
                    "The variances are divided by n − 1; the likelihood is largest with n.",
                    (P_y, mu, unbiased),
                ),
                (
                    "The means are right, the variances are not: are they around the mean of their own class?",
                    lambda got, own=mu: np.allclose(got[1], own),
                ),
                ("Only the shares of the classes are right.", lambda got, own=P_y: np.allclose(got[0], own)),
            ]
            said = f"For X = {X.astype(int).tolist()}, y = {y.tolist()},"
            yield Case((X, y), (P_y, mu, var), said, causes)

    hints = (
        "Take the rows of one class at a time.",
        "A variance is the mean of the squared distances from the mean of that class.",
    )
    run("gaussian_naive_bayes", train, cases(), hints)
