"""Is one classifier better than another, or was it luck? Both answered the same rows, so only disagreements count.

    McNemar (1947), exact: were both equally good, each would win half of the rows that only one of them gets right;
    p is the probability of wins at least as uneven as those seen.

Several classifiers: whichever two are compared after a look at the figures (each with the best, say), p must hold for
all pairs together. Holm (1979) multiplies the smallest of m p-values by m, the next by m − 1, … (and lets none be
smaller than the one before): the probability that any pair of equally good classifiers gets a p below 0.05 is then at
most 0.05, whichever the others are and however the pair was chosen.

The paired bootstrap draws the rows again and looks at the difference of the accuracies.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lindy.evaluation.metrics.intervals import Array, Interval, middle

_NEGLIGIBLE = 1e-17


def mcnemar(first_right: ArrayLike, second_right: ArrayLike) -> float:
    """Return the exact two-sided p-value for "both are equally good", from which rows each gets right."""
    only_first, only_second, _ = _disagreements(first_right, second_right)
    return binomial_test(only_first, only_second)


def binomial_test(a: int, b: int) -> float:
    """Return min(1, 2·P(X ≤ min(a, b))) for X the heads of a + b tosses of a fair coin.

    The terms are added from the largest on, each as a multiple of the one before it, until they no longer count: there
    are some √(a + b) of them.
    """
    n, fewer = a + b, min(a, b)
    if 2 * fewer >= n - 1:  # no more uneven than can be
        return 1.0
    largest = math.lgamma(n + 1) - math.lgamma(fewer + 1) - math.lgamma(n - fewer + 1) - n * math.log(2)
    term = total = 1.0
    for i in range(fewer, 0, -1):
        term *= i / (n - i + 1)
        total += term
        if term < _NEGLIGIBLE * total:
            break
    return min(1.0, 2 * math.exp(largest) * total)


def holm(p_values: ArrayLike) -> Array:
    """Return p-values that hold for all tests together: Holm's correction."""
    p = np.asarray(p_values, np.float64)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)), 1.0)
    return adjusted


def p_of_all_pairs(gains: Sequence[ArrayLike], test: Callable[[Any, Any], float] = mcnemar) -> Array:
    """Return a p-value for each two classifiers (classifiers × classifiers), corrected for all pairs.

    ``gains`` has what each classifier gets from the same rows, such as whether it is right; ``test`` compares two.
    """
    p = np.ones((len(gains), len(gains)))
    p[np.triu_indices(len(gains), 1)] = holm([test(a, b) for a, b in combinations(gains, 2)])
    return np.minimum(p, p.T)


def accuracy_difference(
    first_right: ArrayLike, second_right: ArrayLike, resamples: int = 2000, random_state: int = 0
) -> tuple[float, Interval]:
    """Return accuracy of the first minus that of the second, and its paired bootstrap 95 % interval."""
    only_first, only_second, n = _disagreements(first_right, second_right)
    shares = np.array([only_first, only_second, n - only_first - only_second]) / n
    drawn = np.random.default_rng(random_state or 0).multinomial(n, shares, resamples)
    return (only_first - only_second) / n, middle((drawn[:, 0] - drawn[:, 1]) / n)


def _disagreements(first_right: ArrayLike, second_right: ArrayLike) -> tuple[int, int, int]:
    a, b = np.asarray(first_right, bool), np.asarray(second_right, bool)
    if a.shape != b.shape or a.ndim != 1 or not len(a):
        raise ValueError(f"both classifiers must have answered the same rows; got {a.shape} and {b.shape}")
    return int((a & ~b).sum()), int((b & ~a).sum()), len(a)
