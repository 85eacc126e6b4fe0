"""Is one classifier better than another, or was it luck? Both answered the same rows, so only disagreements count.

    McNemar (1947), exact: were both equally good, each would win half of the rows that only one of them gets right;
    p is the probability of wins at least as uneven as those seen.

The paired bootstrap draws the rows again and looks at the difference of the accuracies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from lindy.evaluation.intervals import Interval, middle


def mcnemar(first_right: ArrayLike, second_right: ArrayLike) -> float:
    """Return the exact two-sided p-value for "both are equally good", from which rows each gets right."""
    only_first, only_second, _ = _disagreements(first_right, second_right)
    return binomial_test(only_first, only_second)


def binomial_test(a: int, b: int) -> float:
    """Return min(1, 2·P(X ≤ min(a, b))) for X the heads of a + b tosses of a fair coin, in whole numbers."""
    n, fewer = a + b, min(a, b)
    term = total = 1
    for i in range(fewer):
        term = term * (n - i) // (i + 1)
        total += term
    return min(1.0, float(2 * total / 2**n))


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
