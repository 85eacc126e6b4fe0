"""Isotonic regression whose function rises strictly: from scores and hits to knots and heights.

    steps         the rising step function nearest to the hits in squared error, by pooling adjacent violators
    their rise    a step of n rows with the share p is known to 1/√(n·p·(1 − p)) in log odds: within it, the function
                  rises from that much below p to that much above, but by no more than a third of the way to the next
    the outer     a step of n rows without a miss counts one more row, half a hit and half as those of the step below
                  it, of the share p': (n + (1 + p')/2)/(n + 1), and one without a hit likewise

No two scores have the same probability, as they had on a plateau that could be half of all rows, so that probabilities
still say which row is the surer one; and no height differs from its step by more than what the rows can tell.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics

Array = NDArray[np.float64]

_ROUNDING = 1e-12  # shares that differ by less are equal


def pool_adjacent_violators(
    hits: NDArray[Any], sizes: NDArray[Any]
) -> tuple[Array, Array, NDArray[np.int64]]:
    """Return the share, the size and the first point of each step, from hits and sizes of ascending points."""
    means = hits / sizes
    # neighbours without a hit are one step at once, and so are those with nothing else
    begins = np.append(True, (means[1:] != means[:-1]) | ((means[1:] > 0) & (means[1:] < 1)))
    starts = np.flatnonzero(begins)
    sizes = np.bincount(np.cumsum(begins) - 1, sizes)
    steps: list[tuple[float, float, int]] = []
    for first, mean, size in zip(starts.tolist(), means[starts].tolist(), sizes.tolist(), strict=True):
        step = (mean, size, first)
        while steps and steps[-1][0] >= step[0] * (1 - _ROUNDING):
            left = steps.pop()
            rows = left[1] + step[1]
            step = ((left[0] * left[1] + step[0] * step[1]) / rows, rows, left[2])
        steps.append(step)
    shares, counts, firsts = zip(*steps, strict=True)
    return np.array(shares), np.array(counts), np.array(firsts)


def rising_curve(
    scores: Array, hits: NDArray[np.bool_], weight: Array, least: float, most: float
) -> tuple[Array, Array]:
    """Return ascending knots and rising heights; no step is below ``least`` or above ``most``.

    Rows of equal score are one point.
    """
    points, place = np.unique(scores, return_inverse=True)
    share, size, first = pool_adjacent_violators(
        np.bincount(place, weight * hits), np.bincount(place, weight)
    )
    last = np.append(first[1:], len(points)) - 1
    beside = (share[1], share[-2]) if len(share) > 1 else (0.5, 0.5)
    for k, other in zip((0, -1), beside, strict=True):
        if share[k] == -k:  # no hit in the first, no miss in the last
            share[k] = (size[k] * share[k] + (share[k] + other) / 2) / (size[k] + 1)
    share = np.clip(share, least, most)
    z = numerics.log(share) - numerics.log(1 - share)
    error = np.minimum(1 / np.sqrt(size * share * (1 - share)), 1.0)
    gap = np.diff(z) / 3
    begin = z - np.minimum(error, np.append(np.inf, gap))
    end = z + np.minimum(error, np.append(gap, np.inf))
    single = first == last
    heights = np.stack([np.where(single, z, begin), np.where(single, z, end)], axis=1)
    kept = np.stack([np.full(len(z), True), ~single], axis=1)
    knots = np.stack([points[first], points[last]], axis=1)
    return knots[kept], numerics.sigmoid(heights[kept])
