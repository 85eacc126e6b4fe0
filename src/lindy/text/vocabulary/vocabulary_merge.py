"""Merging vocabularies: the terms of two vectorizers become one vocabulary, with the numbers of documents of both.

The columns of the first keep their order, those that only the second has follow in its order. For terms in the order of
their first appearance this is the vocabulary of both corpora read one after the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.text.vocabulary.encoding import Terms

_FACTOR = np.uint64(0x9E3779B97F4A7C15)  # odd, so that it has an inverse modulo 2⁶⁴
_INVERSE = np.uint64(pow(0x9E3779B97F4A7C15, -1, 1 << 64))

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
    documents: NDArray[Any] | None = None

    @property
    def n_new(self) -> int:
        """How many columns the first did not have."""
        return int(self.vectorizer.n_columns - len(self.places[0]))


def unchanged(vectorizer: Any) -> Grown:
    """Return a vectorizer that learns nothing, or nothing more."""
    columns = np.arange(vectorizer.n_columns)
    return Grown(vectorizer, (columns, columns))


def grown_together(vectorizer: Any, parts: Sequence[Grown]) -> Grown:
    """Return what became of the columns of a vectorizer in which those of several parts stand side by side."""
    begins = np.cumsum([0, *(part.vectorizer.n_columns for part in parts)])
    places, factors = [], []
    for i in (0, 1):
        own = [part.places[i] for part in parts]
        moved = [np.where(at < 0, -1, at + begin) for at, begin in zip(own, begins, strict=False)]
        places.append(np.concatenate(moved))
        factors.append(_beside([(part.factors[i], len(part.places[i])) for part in parts]))
    counted = next((part.unknown for part in parts if part.unknown is not None), None)
    documents = [part.documents for part in parts if part.documents is not None]
    known = np.concatenate(documents) if len(documents) == len(parts) else None
    return Grown(vectorizer, (places[0], places[1]), (factors[0], factors[1]), counted, known)


def _beside(parts: Sequence[tuple[Factors | None, int]]) -> Factors | None:
    """Return the factors of all parts, 1 for a part without; None if no part has any."""
    if all(own is None for own, _ in parts):
        return None
    return np.concatenate([np.ones(length) if own is None else own for own, length in parts])


def join_terms(
    first: Terms, second: Terms, wanted: NDArray[np.bool_] | None = None
) -> tuple[Terms, Places, Places]:
    """Return the terms of both, and where the terms of each are; of the second only the ``wanted`` ones are added."""
    places = find_terms(first, second)
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


def find_terms(known: Terms, terms: Terms) -> Places:
    """Return where each term is among the known ones, −1 for those that are not there.

    Terms are compared by hash and then byte by byte; where different ones have the same hash, as Python's strings.
    """
    hashes = term_hashes(known)
    order = np.argsort(hashes, kind="stable")
    ordered = hashes[order]
    wanted = term_hashes(terms)
    at = np.minimum(np.searchsorted(ordered, wanted), len(ordered) - 1)
    places = np.where(ordered[at] == wanted, order[at], -1).astype(np.int64)
    found = np.flatnonzero(places >= 0)
    if (ordered[1:] != ordered[:-1]).all() and _equal(known, places[found], terms, found):
        return places
    numbers = {term: i for i, term in enumerate(known.strings)}
    return np.array([numbers.get(term, -1) for term in terms.strings], np.int64)


def term_hashes(terms: Terms, at_once: int = 1 << 13) -> NDArray[np.uint64]:
    """Return Σ_k (byte_k + 1)·r^k modulo 2⁶⁴ of each term; in blocks that stay in the cache."""
    data, offsets = terms.arrays
    out = np.zeros(len(terms), np.uint64)
    begins = np.arange(0, len(terms), at_once)
    ends = np.minimum(begins + at_once, len(terms))
    longest = int((offsets[ends] - offsets[begins]).max(initial=0))
    powers, back = _powers(_FACTOR, longest), _powers(_INVERSE, longest)
    sums = np.zeros(longest + 1, np.uint64)
    for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
        places = offsets[begin : end + 1] - offsets[begin]
        n = int(places[-1])
        values = data[offsets[begin] : offsets[end]] + np.uint64(1)
        values *= powers[:n]
        np.cumsum(values, out=sums[1 : n + 1])
        # the sums begin at the block's start: r^−k takes a term's own to its own
        out[begin:end] = (sums[places[1:]] - sums[places[:-1]]) * back[places[:-1]]
    return out


def _powers(base: np.uint64, most: int) -> NDArray[np.uint64]:
    """Return base^0 … base^most modulo 2⁶⁴."""
    powers = np.full(most + 1, base, np.uint64)
    powers[0] = 1
    return np.multiply.accumulate(powers, out=powers)


def _equal(first: Terms, these: Places, second: Terms, those: Places) -> bool:
    """Whether the terms of two lists are the same, one by one."""
    (data, offsets), (more, ends) = first.arrays, second.arrays
    lengths = offsets[these + 1] - offsets[these]
    if not np.array_equal(lengths, ends[those + 1] - ends[those]):
        return False
    within = np.arange(int(lengths.sum())) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    return np.array_equal(
        data[np.repeat(offsets[these], lengths) + within], more[np.repeat(ends[those], lengths) + within]
    )


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


def documents_of_idf(idf: NDArray[Any], n_documents: float, *, smooth: bool) -> NDArray[Any]:
    """Return the document frequencies from which idf = 1 + log((s + n) / (s + df)) was made.

    They are whole numbers, unless documents have weights that are not, and exact as long as the numbers of documents of
    two terms differ in float32: for more than a million texts.
    """
    s = float(smooth)
    with np.errstate(over="ignore"):
        df = (s + n_documents) / numerics.exp(idf.astype(np.float64) - 1.0) - s
    df = np.clip(df, 0, n_documents)
    return np.rint(df).astype(np.int64) if isinstance(n_documents, Integral) else df
