"""Counting terms of texts that have weights: what ``TermCounter`` of the core does, a text of weight 2 as two texts.

The core counts all terms once; which of them are features, in how many texts each is, and the rows of the features
follow from its matrix of counts and the weights.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.weights import total_weight
from lindy.text.native_rows import Rows
from lindy.text.vocabulary.encoding import Terms, chosen_terms
from lindy.text.vocabulary.term_limits import reaches
from lindy.text.weighting.row_weights import Weight, as_counts, column_totals, document_frequency

_ALL = np.iinfo(np.uint32).max
_EXACT = 1 << 24  # counts below this one are exact in float32


class WeightedCounter:
    """Has the methods of ``_native.TermCounter``; weights are one per text, above 0, in the order of the texts."""

    def __init__(self, counter: _native.TermCounter, weight: Weight) -> None:
        self._counter, self._weight = counter, weight
        self._counts: Csr | None = None
        self._documents: NDArray[Any] = np.zeros(0, np.int64)
        self._numbered: NDArray[np.int64] = np.zeros(0, np.int64)  # the terms that are frequent enough
        self._chosen = self._numbered

    def add(self, texts: _native.Texts, threads: int) -> None:
        """Take more texts."""
        self._counter.add(texts, threads)

    @property
    def n_rows(self) -> int | float:
        """How many texts were counted, each as often as its weight says."""
        return total_weight(self._weight, self._counter.n_rows)

    @property
    def empty(self) -> bool:
        """Whether the texts had no term at all."""
        return self._counter.empty

    @property
    def largest_count(self) -> int:
        """No count in the matrix is larger."""
        return self._counter.largest_count

    def number(self, documents: float, occurrences: float, order: str, threads: int) -> None:
        """Give numbers to the terms that are in so many texts and occur so often; see ``TermCounter``."""
        counter = self._counter
        counter.number(1, 1, "seen" if order == "frequency" else order, threads)
        counter.choose(_ALL, None)
        made = counter.rows_f32 if counter.largest_count < _EXACT else counter.rows_f64
        rows: Rows = made(False, None, None, "none", threads)
        self._counts = Csr(*rows, counter.n_columns, checked=True)
        self._documents = document_frequency(self._counts, self._weight)
        kept = reaches(self._documents, documents)
        if occurrences > 1:
            kept &= self._occurrences(binary=False) >= occurrences
        self._numbered = np.flatnonzero(kept)
        if order == "frequency":
            most_first = np.argsort(-self._documents[self._numbered], kind="stable")
            self._numbered = self._numbered[most_first]
        self._chosen = self._numbered

    def totals(self, high: float, binary: bool) -> NDArray[Any]:
        """Return how often each numbered term in at most ``high`` texts occurs, in the order of columns."""
        self.choose(high, None)
        return self._occurrences(binary=binary)[self._chosen]

    def choose(self, high: float, mask: NDArray[np.uint8] | None) -> None:
        """Make features of the terms in at most ``high`` texts, and of these where the mask says so."""
        self._chosen = self._numbered[self._documents[self._numbered] <= high]
        if mask is not None:
            self._chosen = self._chosen[np.asarray(mask, bool)]

    @property
    def n_columns(self) -> int:
        """How many features there are."""
        return len(self._chosen)

    def document_frequency(self, threads: int) -> NDArray[Any]:  # noqa: ARG002
        """Return in how many texts each feature is."""
        return self._documents[self._chosen]

    def rows_i64(self, binary: bool, threads: int) -> Rows:  # noqa: ARG002
        """Return the matrix of counts."""
        return self._rows(np.int64, binary).arrays

    def rows_f32(self, binary: bool, table: Any, scale: Any, norm: str, threads: int) -> Rows:
        """Return the matrix, weighed: table[count] · scale[column], each row divided by its norm."""
        return self._weighed(np.float32, binary, table, scale, norm, threads)

    def rows_f64(self, binary: bool, table: Any, scale: Any, norm: str, threads: int) -> Rows:
        """Return the same in float64."""
        return self._weighed(np.float64, binary, table, scale, norm, threads)

    def release(self) -> None:
        """Forget everything but the vocabulary."""
        self._counts = None
        self._counter.release()

    def vocabulary(self) -> Terms:
        """Return the features in the order of their columns."""
        return chosen_terms(Terms(self._counter), self._chosen)

    def _occurrences(self, *, binary: bool) -> NDArray[Any]:
        """Return how often each term occurs, or in how many texts."""
        assert self._counts is not None  # terms are numbered first
        if binary:
            return self._documents
        return as_counts(column_totals(self._counts, self._weight), self._weight)

    def _rows(self, dtype: Any, binary: bool) -> Csr:
        assert self._counts is not None
        own = self._counts
        if not np.array_equal(self._chosen, np.arange(own.n_columns)):
            own = own.keep_columns(self._chosen)
        values = np.ones(len(own.indices), dtype) if binary else own.values.astype(dtype, copy=False)
        return Csr(own.indptr, own.indices, values, own.n_columns, checked=True)

    def _weighed(self, dtype: Any, binary: bool, table: Any, scale: Any, norm: str, threads: int) -> Rows:
        rows = self._rows(dtype, binary)
        out = np.empty_like(rows.values)
        rows.scale_columns(scale, norm, out, threads=threads, table=table)
        return rows.indptr, rows.indices, out
