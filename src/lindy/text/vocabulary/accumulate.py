"""Document frequencies that grow: what several parts of a corpus have told, exactly as if they had been one."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.text.vocabulary.encoding import Terms


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
