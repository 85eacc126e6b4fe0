"""Near duplicates: texts that share most of their words and word pairs.

Texts are similar when the Jaccard index of their sets of words and word pairs, |A ∩ B| / |A ∪ B|, is high. There are
too many pairs to compare them all, so every text gets a MinHash sketch of 128 numbers, and only texts that agree in
all numbers of some band of the sketch are compared, exactly. With 32 bands of 4, a pair of similarity J is compared
with probability 1 − (1 − J⁴)³²: 0.9999999 for J = 0.8, 0.988 for 0.6, 0.23 for 0.3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.inputs import as_inputs
from lindy.text.vocabulary.sketches import band_keys, sketches, word_sets

BAND = 4

Pairs = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


def near_duplicates(texts: Any, similarity: float = 0.8, *, n_jobs: int | None = None) -> Pairs:
    """Return pairs of texts of at least that similarity: the later row, an earlier row, and their similarity.

    Every text that is near an earlier one appears once, with the most similar of the earlier ones it was compared with.
    Texts without words are near nothing. Feature rows are compared by their features with their values. Images are near
    nothing: many that show the same thing share most of their pixels.
    """
    sets = as_inputs(texts).token_sets(lambda own: word_sets(own, n_jobs))
    return near_rows(sets, similarity, n_jobs=n_jobs)


def near_rows(X: Csr, similarity: float = 0.8, *, n_jobs: int | None = None) -> Pairs:
    """Return pairs of rows whose sets of stored columns are that similar; the columns of each row ascend."""
    if not 0 < similarity <= 1:
        raise ValueError(f"similarity must lie above 0 and be at most 1; got {similarity}")
    later, earlier = _candidates(sketches(X, n_jobs), np.diff(X.indptr) > 0)
    J = np.empty(len(later))
    _native.jaccard(X.indptr, X.indices, first=later, second=earlier, similarity=J)
    near = similarity <= J
    later, earlier, J = later[near], earlier[near], J[near]
    # the most similar one first, of equal ones the first in the table
    order = np.lexsort((earlier, -J, later))
    later, earlier, J = later[order], earlier[order], J[order]
    first = np.diff(later, prepend=-1) > 0
    return later[first], earlier[first], J[first]


def _candidates(
    made: NDArray[np.uint32], has_words: NDArray[np.bool_]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return pairs (later, earlier) of rows that agree in a band.

    Within a bucket every row is paired with the first row and with the one before it, so that a text that occurs a
    thousand times costs two thousand comparisons and not a million.
    """
    rows = np.flatnonzero(has_words)
    keys = band_keys(made[rows], BAND)
    pairs: list[NDArray[np.int64]] = []
    for key in keys.T:
        order = np.argsort(key, kind="stable")
        same = np.append(False, key[order][1:] == key[order][:-1])[: len(order)]
        places = np.flatnonzero(same)
        start = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
        later = rows[order[places]] * len(made)
        pairs += [later + rows[order[before]] for before in (places - 1, start[places])]
    unique = np.unique(np.concatenate(pairs)) if pairs else np.zeros(0, np.int64)
    return unique // len(made), unique % len(made)
