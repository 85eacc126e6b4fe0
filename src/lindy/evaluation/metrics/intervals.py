"""Intervals: between which values a figure lies, had the test been drawn again.

Shares (accuracy, precision, recall, top-k) get Wilson's interval, everything else the bootstrap's: the rows are drawn
again with replacement, and the interval holds the middle 95 % of the figures. Resampled rows are calibrated worse than
the rows themselves, so the calibration error's interval is moved by the mean difference.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Interval = tuple[float, float]

Z = 1.959963984540054
"""Two-sided 95 % of the normal distribution."""
_AT_ONCE = 1 << 21  # rows; the same ones are drawn whatever it is


def wilson(share: float, n: float, z: float = Z) -> Interval:
    """Return Wilson's interval for a share seen in n trials (E. B. Wilson, 1927); 95 % by default, (0, 1) for none."""
    if n == 0:
        return 0.0, 1.0
    centre = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * float(np.sqrt(share * (1 - share) / n + z * z / (4 * n * n)))
    return max(0.0, centre - half), min(1.0, centre + half)


def wilson_of_error(value: float, error: float, n: int) -> Interval:
    """Return Wilson's interval for the n rows that would give a share this standard error; all rows where it is 0."""
    return wilson(float(value), float(value * (1 - value) / error**2) if error and value < 1 else int(n))


def of_mean(values: NDArray[Any]) -> Interval:
    """Return the interval of the mean of values from 0 to 1: Wilson's for a share, else the normal distribution's."""
    mean = float(values.mean())
    if values.dtype == bool:
        return wilson(mean, len(values))
    half = Z * float(values.std()) / len(values) ** 0.5
    return max(0.0, mean - half), min(1.0, mean + half)


def resampled_blocks(
    n: int, resamples: int, random_state: int = 0, *, at_once: int = _AT_ONCE
) -> Iterator[NDArray[np.int32]]:
    """Yield how often each of n rows is drawn (resamples of the block, n), in blocks of some megabytes."""
    rng = np.random.default_rng(random_state or 0)
    size = max(1, 2_000_000 // n)
    for first in range(0, resamples, size):
        block = np.empty((min(size, resamples - first), n), np.int32)
        for counts in block:
            if n <= at_once:
                counts[:] = np.bincount(rng.integers(0, n, n), minlength=n)
                continue
            counts[:] = 0
            for start in range(0, n, at_once):
                np.add.at(counts, rng.integers(0, n, min(at_once, n - start)), 1)
        yield block


def resampled_counts(
    confusion: NDArray[np.int64], resamples: int, random_state: int = 0
) -> tuple[Array, Array, Array]:
    """Return how many rows of each class are right, called so and of it (resamples × K), in rows drawn again.

    Drawing rows again only changes how often each cell of the confusion matrix is hit; no matrix is made of them.
    """
    n, cells = int(confusion.sum()), np.flatnonzero(confusion)
    drawn = np.random.default_rng(random_state or 0).multinomial(n, confusion.ravel()[cells] / n, resamples)
    true, called = np.divmod(cells, len(confusion))

    def sums(of: NDArray[np.int64], chosen: NDArray[Any]) -> Array:
        made = np.zeros((resamples, len(confusion)))
        order = chosen[np.argsort(of[chosen], kind="stable")]
        classes, first = np.unique(of[order], return_index=True)
        if len(order):
            made[:, classes] = np.add.reduceat(drawn[:, order], first, axis=1)
        return made

    every = np.arange(len(cells))
    return sums(true, np.flatnonzero(true == called)), sums(called, every), sums(true, every)


def middle(values: NDArray[np.float64]) -> Interval:
    """Return the bounds of the middle 95 %."""
    low, high = np.quantile(values, [0.025, 0.975])
    return float(low), float(high)


def around(value: float, drawn: NDArray[np.float64]) -> Interval:
    """Return the middle 95 %, moved by the bootstrap's own bias, for figures of at least 0 that resampling enlarges."""
    low, high = middle(drawn - (drawn.mean() - value))
    return max(low, 0.0), max(high, 0.0)


def bootstrap(
    figure: Callable[[Array], float], n: int, resamples: int = 500, random_state: int = 0
) -> Interval:
    """Return the 95 % interval of a figure; ``figure`` takes how often each of the n rows counts."""
    blocks = resampled_blocks(n, resamples, random_state)
    return middle(np.array([figure(counts) for block in blocks for counts in block.astype(np.float64)]))
