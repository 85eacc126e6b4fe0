"""Terms, their columns and their counts, kept as UTF-8 until Python strings are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy import _native


def encode_terms(terms: Iterable[str]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the terms' UTF-8 bytes, one after the other, and where each begins and the last ends."""
    strings: list[str] | list[bytes] = (texts := list(terms))
    joined = "".join(texts)
    data = joined.encode("utf-8", "surrogatepass")
    if len(data) != len(joined):
        strings = [term.encode("utf-8", "surrogatepass") for term in texts]
    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([*map(len, strings)], out=offsets[1:])
    return np.frombuffer(data, np.uint8), offsets


class Terms:
    """An ordered list of distinct terms: from a native counter, from arrays, or from Python strings."""

    def __init__(self, source: Any) -> None:
        self._source = source  # something with terms(), until the arrays are wanted
        self._arrays: tuple[NDArray[np.uint8], NDArray[np.int64]] | None = None
        self._strings: list[str] | None = None

    @classmethod
    def from_arrays(cls, data: NDArray[np.uint8], offsets: NDArray[np.int64]) -> Terms:
        """Wrap checked arrays."""
        terms = cls(None)
        terms._arrays = (data, offsets)
        return terms

    @classmethod
    def from_strings(cls, strings: list[str]) -> Terms:
        """Wrap Python strings."""
        terms = cls.from_arrays(*encode_terms(strings))
        terms._strings = strings
        return terms

    def __len__(self) -> int:
        return len(self._arrays[1]) - 1 if self._arrays is not None else int(self._source.n_columns)

    def __getstate__(self) -> dict[str, Any]:
        return {"_source": None, "_arrays": self.arrays, "_strings": None}

    @property
    def counter(self) -> _native.TermCounter | None:
        """The counter that has the terms, some of which have several words, if nothing else has been made of them."""
        counted = isinstance(self._source, _native.TermCounter) and self._source.has_phrases
        return self._source if counted else None

    @property
    def arrays(self) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
        """UTF-8 bytes and offsets."""
        if self._arrays is None:
            self._arrays = self._source.terms()
            self._source = None
        return self._arrays

    @property
    def strings(self) -> list[str]:
        """The terms as Python strings, in the order of their columns."""
        if self._strings is None:
            self._strings = _native.strings(*self.arrays)
        return self._strings


def check_vocabulary(vocabulary: Any) -> dict[Any, int]:
    """Return a given vocabulary as a dict from term to column; columns must be 0 … n−1, each once."""
    if isinstance(vocabulary, set):
        vocabulary = sorted(vocabulary)
    if isinstance(vocabulary, Mapping):
        columns = set(vocabulary.values())
        if len(columns) != len(vocabulary):
            raise ValueError("Vocabulary contains repeated indices.")
        for i in range(len(vocabulary)):
            if i not in columns:
                raise ValueError(f"Vocabulary of size {len(vocabulary)} doesn't contain index {i}.")
        known = dict(vocabulary)
    else:
        known = {}
        for i, term in enumerate(vocabulary):
            if known.setdefault(term, i) != i:
                raise ValueError(f"Duplicate term in vocabulary: {term!r}")
    if not known:
        raise ValueError("empty vocabulary passed to fit")
    return known


class TermCounts(NamedTuple):
    """All terms of some texts in the order of the alphabet; in how many texts each occurs and how often.

    These are whole numbers, unless texts have weights that are not.
    """

    terms: Terms
    documents: NDArray[Any]
    totals: NDArray[Any]
    n_documents: int | float

    def where(self, mask: NDArray[np.bool_]) -> TermCounts:
        """Return the counts of some of the terms."""
        return self._replace(
            terms=select_terms(self.terms, mask), documents=self.documents[mask], totals=self.totals[mask]
        )

    def merged(self, other: TermCounts) -> TermCounts:
        """Return the counts of both corpora together."""
        data, offsets, mine, theirs = _native.merge_terms(*self.terms.arrays, *other.terms.arrays)
        documents = np.zeros(len(offsets) - 1, np.result_type(self.documents, other.documents))
        totals = np.zeros(len(offsets) - 1, np.result_type(self.totals, other.totals))
        for positions, counts in ((mine, self), (theirs, other)):
            documents[positions] += counts.documents
            totals[positions] += counts.totals
        terms = Terms.from_arrays(data, offsets)
        return TermCounts(terms, documents, totals, self.n_documents + other.n_documents)


def select_terms(terms: Terms, mask: NDArray[np.bool_]) -> Terms:
    """Return the terms where the mask says so."""
    data, offsets = terms.arrays
    lengths = np.diff(offsets)
    kept = np.zeros(int(mask.sum()) + 1, np.int64)
    np.cumsum(lengths[mask], out=kept[1:])
    return Terms.from_arrays(data[np.repeat(mask, lengths)], kept)


def chosen_terms(terms: Terms, chosen: NDArray[np.integer[Any]]) -> Terms:
    """Return some of the terms, in the order in which their numbers are given."""
    steps = np.diff(chosen)
    if len(chosen) == len(terms) and (steps == 1).all():
        return terms
    if (steps > 0).all():
        mask = np.zeros(len(terms), bool)
        mask[chosen] = True
        return select_terms(terms, mask)
    strings = terms.strings
    return Terms.from_strings([strings[number] for number in chosen.tolist()])
