"""Vectorizers that learn more: two vocabularies become one, with the numbers of documents of both.

The columns of the first keep their order, those that only the second has follow in its order. For terms in the order of
their first appearance this is the vocabulary of both corpora read one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.text.vocabulary import Terms

Places = NDArray[np.int64]
Factors = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Grown:
    """A vectorizer that has learned from two corpora, and what became of the columns of each.

    Attributes
    ----------
    vectorizer : fitted
    places : for each of the two, where its columns are now; −1 for those that were left out
    factors : for each of the two, how many times larger the value of a column is now; None for as large as before
    unknown : how many of the terms of the second, each as often as it occurs, the first did not know; and how many
        there are; None where terms were not counted
    documents : in how many documents of the first each of its columns was; None where that is not known
    """

    vectorizer: Any
    places: tuple[Places, Places]
    factors: tuple[Factors | None, Factors | None] = (None, None)
    unknown: tuple[int, int] | None = None
    documents: NDArray[np.int64] | None = None

    @property
    def n_new(self) -> int:
        """How many columns the first did not have."""
        return int(self.vectorizer.n_columns - len(self.places[0]))


def unchanged(vectorizer: Any) -> Grown:
    """Return a vectorizer that learns nothing, or nothing more."""
    columns = np.arange(vectorizer.n_columns)
    return Grown(vectorizer, (columns, columns))


def join_terms(
    first: Terms, second: Terms, wanted: NDArray[np.bool_] | None = None
) -> tuple[Terms, Places, Places]:
    """Return the terms of both, and where the terms of each are; of the second only the ``wanted`` ones are added."""
    numbers = {term: i for i, term in enumerate(first.strings)}
    places = np.array([numbers.get(term, -1) for term in second.strings], np.int64)
    new = places < 0
    if wanted is not None:
        new &= wanted
    places[new] = len(first) + np.arange(np.count_nonzero(new))
    added = np.flatnonzero(new)
    if not len(added):
        return first, np.arange(len(first)), places
    data, offsets = first.arrays
    more, ends = second.arrays
    lengths = np.diff(ends)
    joined = np.concatenate([data, more[np.repeat(new, lengths)]])
    bounds = np.concatenate([offsets, offsets[-1] + np.cumsum(lengths[added])])
    return Terms.from_arrays(joined, bounds), np.arange(len(first)), places


def placed_sums(parts: Sequence[tuple[Places, NDArray[Any]]], n_columns: int) -> NDArray[Any]:
    """Return the sum of columns' numbers at their places; those whose place is −1 are left out."""
    total = np.zeros(n_columns, np.result_type(*(numbers for _, numbers in parts)))
    for places, numbers in parts:
        kept = places >= 0
        total[places[kept]] += numbers[kept]
    return total


def ratio_at(new: NDArray[Any], places: Places, old: NDArray[Any]) -> Factors:
    """Return by how much the scale of each old column has grown; 1 where there was none, or where it is left out."""
    now = np.where(places >= 0, new[np.maximum(places, 0)], old).astype(np.float64)
    before = old.astype(np.float64)
    sound = (before != 0) & np.isfinite(before) & np.isfinite(now) & (now != 0)
    return np.divide(now, before, out=np.ones(len(now)), where=sound)


def documents_of_idf(idf: NDArray[Any], n_documents: int, *, smooth: bool) -> NDArray[np.int64]:
    """Return the document frequencies from which idf = 1 + log((s + n) / (s + df)) was made.

    They are exact as long as the numbers of documents of two terms differ in float32: for more than a million texts.
    """
    s = float(smooth)
    with np.errstate(over="ignore"):
        df = (s + n_documents) / np.exp(idf.astype(np.float64) - 1.0) - s
    return np.rint(np.clip(df, 0, n_documents)).astype(np.int64)
