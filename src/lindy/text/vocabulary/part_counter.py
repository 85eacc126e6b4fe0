"""Counting terms of texts that are larger than memory: what ``TermCounter`` of the core does, part by part.

Each part is counted by a counter of its own. Its terms get the numbers of a catalog, in the order of their first
appearance in all texts, and its rows go to files in these numbers:

    sizes    terms of each text             terms    their numbers, in ascending order
    counts   how often, in a byte; 255 stands for the next number of    large
    words, lengths      the new terms, one after the other, and their sizes in bytes

When all texts are counted, terms are chosen and the rows are written with their columns and weights, from the files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.weights import total_weight
from lindy.progress import share_done
from lindy.stream import room
from lindy.stream.stages import Stage
from lindy.stream.workspace import Workspace
from lindy.text.native_rows import Rows
from lindy.text.vocabulary.encoding import Terms, chosen_terms, select_terms
from lindy.text.vocabulary.parted import Parted, row_ends
from lindy.text.vocabulary.term_limits import reaches
from lindy.text.weighting.row_weights import Weight, as_counts

if TYPE_CHECKING:
    from lindy.text.vocabulary.weighted_counter import WeightedCounter

_LARGE = 255


class PartCounter(Parted):
    """Has the methods of ``_native.TermCounter``, and is it as long as the texts are no more than a part."""

    def __init__(
        self,
        new: Callable[[], _native.TermCounter],
        workspace: Workspace,
        key: dict[str, Any],
        weight: Weight | None = None,
    ) -> None:
        super().__init__(workspace, "count", key)
        self._new, self._counter = new, new()
        self._weight = weight
        self._weighted: WeightedCounter | None = None  # of all texts, if they are one part and have weights
        self._catalog = _native.TermCatalog()
        self._n_rows, self._largest, self._empty = 0, 0, True
        self._documents: NDArray[Any] = np.zeros(0, np.uint32)
        self._numbered: NDArray[np.int64] = np.zeros(
            0, np.int64
        )  # the terms that are frequent enough, by column
        self._chosen = self._numbered

    def _read(self, texts: _native.Texts, threads: int) -> None:
        self._counter.add(texts, threads)

    def _write(self, stage: Stage, threads: int) -> dict[str, Any]:
        counter, known = self._counter, len(self._catalog)
        facts = {"rows": counter.n_rows, "largest": counter.largest_count, "empty": counter.empty}
        indptr, terms, counts = self._catalog.add(counter, threads)
        words, offsets = self._catalog.terms(known)
        large = counts[counts >= _LARGE]
        stage.append("sizes", np.diff(indptr).astype(np.int32))
        stage.append("terms", terms)
        stage.append("counts", np.minimum(counts, _LARGE).astype(np.uint8))
        stage.append("large", large)
        stage.append("words", words)
        stage.append("lengths", np.diff(offsets).astype(np.int32))
        self._add(facts)
        self._counter = self._new()
        return facts | {"entries": len(terms), "large": len(large)}

    def _add(self, facts: dict[str, Any]) -> None:
        self._n_rows += facts["rows"]
        self._largest = max(self._largest, facts["largest"])
        self._empty = self._empty and facts["empty"]

    def _go_on(self, stage: Stage) -> None:
        for facts in stage.parts:
            self._add(facts)
        lengths = stage.array("lengths", np.int32)
        offsets = np.zeros(len(lengths) + 1, np.int64)
        row_ends(lengths, offsets)
        documents = np.zeros(len(lengths), np.uint32)
        for part in self._parts(stage):
            documents += np.bincount(part.terms, minlength=len(lengths)).astype(np.uint32)
        self._catalog.add_terms(stage.array("words", np.uint8), offsets, documents)
        self._counter = self._new()

    @property
    def _whole(self) -> Any:
        """The counter of all texts, if they are one part."""
        return self._counter if self._weighted is None else self._weighted

    @property
    def n_rows(self) -> int | float:
        """How many texts were counted, each as often as its weight says."""
        rows = self._n_rows + (self._counter.n_rows if self._stage is None or self._n_batches else 0)
        return total_weight(self._weight, rows)

    @property
    def empty(self) -> bool:
        """Whether the texts had no term at all."""
        return self._empty and self._counter.empty

    @property
    def largest_count(self) -> int:
        """No count in the matrix is larger."""
        return max(self._largest, self._counter.largest_count)

    def number(self, documents: float, occurrences: float, order: str, threads: int) -> None:
        """Give numbers to the terms that are in so many texts and occur so often; see ``TermCounter``."""
        if self._complete(threads) is None:
            if self._weight is not None:
                from lindy.text.vocabulary.weighted_counter import WeightedCounter

                self._weighted = WeightedCounter(self._counter, self._weight)
            self._whole.number(documents, occurrences, order, threads)
            return
        self._documents = self._catalog.documents()
        self._catalog = _native.TermCatalog()  # the terms themselves are in the files
        if self._weight is not None:
            self._documents = self._sums(lambda part: np.ones(len(part.terms)))
        kept = reaches(self._documents, documents)
        if occurrences > documents:
            kept &= self._occurrences(binary=False) >= occurrences
        numbered = np.flatnonzero(kept)
        if order == "frequency":
            numbered = numbered[np.argsort(-signed(self._documents[numbered]), kind="stable")]
        elif order == "alphabet":
            strings = select_terms(self._terms(), kept).strings
            numbered = numbered[sorted(range(len(strings)), key=strings.__getitem__)]
        self._numbered = self._chosen = numbered

    def totals(self, high: float, binary: bool) -> NDArray[Any]:
        """Return how often each numbered term in at most ``high`` texts occurs, in the order of columns."""
        if self._stage is None:
            totals: NDArray[Any] = self._whole.totals(high, binary)
            return totals
        self.choose(high, None)
        return self._occurrences(binary=binary)[self._chosen]

    def choose(self, high: float, mask: NDArray[np.uint8] | None) -> None:
        """Make features of the terms in at most ``high`` texts, and of these where the mask says so."""
        if self._stage is None:
            self._whole.choose(high, mask)
            return
        self._chosen = self._numbered[self._documents[self._numbered] <= high]
        if mask is not None:
            self._chosen = self._chosen[np.asarray(mask, bool)]

    @property
    def n_columns(self) -> int:
        """How many features there are."""
        return len(self._chosen) if self._stage else self._whole.n_columns

    def document_frequency(self, threads: int) -> NDArray[Any]:
        """Return in how many texts each feature is."""
        return (
            signed(self._documents[self._chosen]) if self._stage else self._whole.document_frequency(threads)
        )

    def rows_i64(self, binary: bool, threads: int) -> Rows:
        """Return the matrix of counts."""
        return self._whole.rows_i64(binary, threads) if self._stage is None else self._rows(np.int64, binary)

    def rows_f32(self, binary: bool, table: Any, scale: Any, norm: str, threads: int) -> Rows:
        """Return the matrix, weighed: table[count] · scale[column], each row divided by its norm."""
        if self._stage is None:
            rows: Rows = self._whole.rows_f32(binary, table, scale, norm, threads)
            return rows
        return self._rows(np.float32, binary, (table, scale, norm, threads))

    def rows_f64(self, binary: bool, table: Any, scale: Any, norm: str, threads: int) -> Rows:
        """Return the same in float64."""
        if self._stage is None:
            rows: Rows = self._whole.rows_f64(binary, table, scale, norm, threads)
            return rows
        return self._rows(np.float64, binary, (table, scale, norm, threads))

    def release(self) -> None:
        """Forget everything but the vocabulary."""
        self._whole.release()

    def vocabulary(self) -> Terms:
        """Return the features in the order of their columns."""
        if self._weighted is not None:
            return self._weighted.vocabulary()
        if self._stage is None:
            return Terms(self._counter)
        return chosen_terms(self._terms(), self._chosen)

    def _terms(self) -> Terms:
        """Return all terms, in the order of their first appearance."""
        if self._stage is None:
            return Terms(self._counter)
        lengths = self._stage.array("lengths", np.int32)
        offsets = np.zeros(len(lengths) + 1, np.int64)
        row_ends(lengths, offsets)
        return Terms.from_arrays(np.array(self._stage.array("words", np.uint8)), offsets)

    def _occurrences(self, *, binary: bool) -> NDArray[Any]:
        """Return how often each term of the catalog occurs, or in how many texts."""
        return signed(self._documents) if binary else self._sums(lambda part: part.counts(np.float64))

    def _sums(self, values: Callable[[_Part], NDArray[np.float64]]) -> NDArray[Any]:
        """Return the sums of what the terms of texts have, each text as often as its weight says."""
        sums, row = np.zeros(len(self._documents)), 0
        for part in self._parts(self._stage):
            own, end = values(part), row + len(part.sizes)
            if self._weight is not None:
                own *= np.repeat(self._weight[row:end], part.sizes)
            np.add.at(sums, part.terms, own)
            row = end
        return as_counts(sums, self._weight)

    def _rows(self, dtype: Any, binary: bool, weights: tuple[Any, Any, str, int] | None = None) -> Rows:
        """Return the rows of all parts; where all terms are features in their order, the files have their columns."""
        are_all = len(self._chosen) == len(self._documents) and bool((np.diff(self._chosen) == 1).all())
        columns, indices = None, None
        if not are_all:
            columns, indices = np.full(len(self._documents), -1, np.int32), self._workspace.growing(np.int32)
            columns[self._chosen] = np.arange(len(self._chosen), dtype=np.int32)
        indptr, values = room(self._n_rows + 1, np.int64), self._workspace.growing(dtype)
        indptr[0], row, end = 0, 0, 0
        for part in self._parts(self._stage):
            own = part.chosen(columns, dtype, self.n_columns, binary)
            if weights is not None:
                table, scale, norm, threads = weights
                own.scale_columns(scale, norm, own.values, threads=threads, table=table)
            indptr[row + 1 : row + len(own.indptr)] = own.indptr[1:] + end
            if indices is not None:
                indices.append(own.indices)
            values.append(own.values)
            end += len(own.indices)
            row += len(own.indptr) - 1
            share_done(row / self._n_rows, f"rows {row:,} of {self._n_rows:,} weighed")
        assert self._stage is not None  # in memory, rows are those of the counter
        terms = self._stage.array("terms", np.int32) if indices is None else indices.finish()
        return indptr, terms, values.finish()

    def _parts(self, stage: Stage | None) -> Iterator[_Part]:
        """Yield the rows of all parts."""
        if stage is None:
            return
        sizes, terms = stage.array("sizes", np.int32), stage.array("terms", np.int32)
        counts, large = stage.array("counts", np.uint8), stage.array("large", np.uint32)
        row = entry = more = 0
        for facts in stage.parts:
            next_row, next_entry, next_more = (
                row + facts["rows"],
                entry + facts["entries"],
                more + facts["large"],
            )
            yield _Part(
                sizes[row:next_row], terms[entry:next_entry], counts[entry:next_entry], large[more:next_more]
            )
            row, entry, more = next_row, next_entry, next_more


class _Part:
    """The rows of a part, as they are in the files."""

    def __init__(
        self,
        sizes: NDArray[np.int32],
        terms: NDArray[np.int32],
        small: NDArray[np.uint8],
        large: NDArray[np.uint32],
    ) -> None:
        self.sizes, self.terms, self._small, self._large = sizes, terms, small, large

    def counts(self, dtype: Any) -> NDArray[Any]:
        """Return how often each term occurs in its text."""
        counts = self._small.astype(dtype)
        if len(self._large):
            counts[self._small == _LARGE] = self._large
        return counts

    def chosen(self, columns: NDArray[np.int32] | None, dtype: Any, n_columns: int, binary: bool) -> Csr:
        """Return the counts of the terms that are features: all if there are no ``columns``, else those not at −1."""
        indptr = np.zeros(len(self.sizes) + 1, np.int64)
        row_ends(self.sizes, indptr)
        values = np.ones(len(self.terms), dtype) if binary else self.counts(dtype)
        if columns is None:
            return Csr(indptr, self.terms, values, n_columns, checked=True)
        indices = columns[self.terms]
        kept = indices >= 0
        if not kept.all():
            indices, values = indices[kept], values[kept]
            indptr = np.concatenate([[0], np.cumsum(kept)])[indptr]
        return Csr(indptr, indices, values, n_columns, checked=True)


def signed(counts: NDArray[Any]) -> NDArray[Any]:
    """Return numbers of texts that can be negated: whole ones in int64, others as they are."""
    return counts if counts.dtype.kind == "f" else counts.astype(np.int64)
