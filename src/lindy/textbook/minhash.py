"""Near duplicates by sketches: MinHash with one permutation, and the Jaccard index that it estimates.

J(A, B) = |A ∩ B| / |A ∪ B|;  the smallest hash of A ∪ B lies in both sets with probability J.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

EMPTY = 0xFFFFFFFF
_WORD = (1 << 64) - 1


def mixed(x: int) -> int:
    """Return the SplitMix64 finaliser of a 64-bit number."""
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & _WORD
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & _WORD
    return x ^ x >> 31


def sketch(members: set[int], n_bins: int, seed: int = 0) -> NDArray[np.uint32]:
    """Return the smallest hash in each bin; an empty bin takes that of the next filled one, plus its distance."""
    filled = np.full(n_bins, EMPTY, np.int64)
    for member in members:
        h = mixed((seed + member * 0x9E3779B97F4A7C15) & _WORD)
        filled[h % n_bins] = min(filled[h % n_bins], h >> 33)
    result = filled.copy()
    for b in range(n_bins):
        distance = 0
        while members and filled[(b + distance) % n_bins] == EMPTY:
            distance += 1
        result[b] = (filled[(b + distance) % n_bins] + distance * 0x01000193) & EMPTY
    return result.astype(np.uint32)


def jaccard(a: set[int], b: set[int]) -> float:
    """Return the share of all members that both sets have; 1 for two empty sets."""
    return len(a & b) / len(a | b) if a | b else 1.0
