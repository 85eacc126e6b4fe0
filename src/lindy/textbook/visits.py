"""The order in which a pass of dual coordinate ascent visits rows: random, and rows side by side are read together.

    blocks   B rows side by side: as many as have 64 KB of indices (4 bytes each), at most n / 32,768
    a pass   the blocks that have rows to visit, in random order (Fisher–Yates); the rows of each 64 of them, again

With B = 1 the rows themselves are put in random order.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

_WORD = 2**64 - 1


def draws(seed: int) -> Iterator[int]:
    """Yield the upper 32 bits of SplitMix64's numbers."""
    while True:
        seed = (seed + 0x9E3779B97F4A7C15) & _WORD
        z = ((seed ^ (seed >> 30)) * 0xBF58476D1CE4E5B9) & _WORD
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _WORD
        yield (z ^ (z >> 31)) >> 32


def shuffle(items: list[int], random: Iterator[int]) -> list[int]:
    """Return the items in random order: from the last place to the second, each changes places with one up to it."""
    shuffled = list(items)
    for k in range(len(items) - 1, 0, -1):
        other = (next(random) * (k + 1)) >> 32
        shuffled[k], shuffled[other] = shuffled[other], shuffled[k]
    return shuffled


def block_size(n_rows: int, stored: int) -> int:
    """Return B for a matrix of so many rows and stored values."""
    per_row = max(4 * stored // max(n_rows, 1), 1)
    return max(min(2**16 // per_row, n_rows // 2**15), 1)


def visit_order(rows: NDArray[np.int32], n_rows: int, stored: int, seed: int) -> list[int]:
    """Return the rows of a pass in the order in which they are visited."""
    random, B = draws(seed), block_size(n_rows, stored)
    if B == 1:
        return shuffle(rows.tolist(), random)
    members: dict[int, list[int]] = {}
    for row in rows.tolist():
        members.setdefault(row // B, []).append(row)
    blocks = shuffle(sorted(members), random)
    order: list[int] = []
    for first in range(0, len(blocks), 64):
        together = [row for block in blocks[first : first + 64] for row in members[block]]
        order += shuffle(together, random)
    return order
