"""Learning terms: which terms of the texts are features, at once, batch by batch or from further texts."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.weights import total_weight
from lindy.estimators.base import thread_count
from lindy.stream import current
from lindy.text.analysis.analyzer import NATIVE_PATTERNS
from lindy.text.analysis.byte_pairs import NAME as BPE
from lindy.text.analysis.byte_pairs import Merges
from lindy.text.analysis.documents import count_terms, refuse_other_than_documents
from lindy.text.analysis.unicode_words import NAME as UNICODE_WORDS
from lindy.text.analysis.unicode_words import is_run
from lindy.text.native_rows import EMPTY, CountWeights, Rows, counted_rows
from lindy.text.vectorizer import Columns, TextPass
from lindy.text.vectorizer_state import write_analyzer
from lindy.text.vocabulary.encoding import TermCounts, Terms, select_terms
from lindy.text.vocabulary.term_columns import OOV, GrowingTerms
from lindy.text.vocabulary.term_limits import NOTHING, Limits
from lindy.text.weighting.row_weights import Weight, as_counts, column_totals, document_frequency
from lindy.text.weighting.transformer import Log

PRUNED = "After pruning, no terms remain. Try a lower min_df or a higher max_df."
MOST = np.iinfo(np.uint32).max


class LearningTerms(GrowingTerms):
    """The base of vectorizers that find their terms in texts."""

    max_df: float
    min_df: float
    vocabulary: Any
    binary: bool
    dtype: DTypeLike
    oov: int | None
    n_merges: int
    affixes: str | None

    def _check(self) -> None:
        """Check the parameters and take over a given vocabulary."""
        raise NotImplementedError

    def _fit(
        self,
        raw_documents: Any,
        dtype: np.dtype[Any] | None,
        order: str = "alphabet",
        y: Any = None,
        log: Log | None = None,
        beside: Csr | None = None,
        weight: Weight | None = None,
    ) -> Rows:
        """Learn the terms; return the texts' rows (which may be empty if dtype is None).

        A text counts as often as its weight says, which is above 0.

        With the logarithm of their weights, rows may be weighed as they are written (see ``_weights_of_counts``), and
        then be written beside others.
        """
        refuse_other_than_documents(raw_documents)
        self._check()
        vars(self).pop("_counts", None)
        if self.fixed_vocabulary_:
            rows = self._found(raw_documents, dtype or np.dtype(np.float32))
            self._remember(rows, weight)
            return rows
        if self.oov is not None:
            return self._fit_oov(raw_documents, dtype, weight)
        if self.analyzer == BPE:
            raw_documents = raw_documents if hasattr(raw_documents, "__len__") else list(raw_documents)
            if not self._keeps_merges:
                self.learn_merges(self.word_counter().count_part(raw_documents, weight))
        options = self._native_options()
        if options is None:
            return self._selected(self._fit_in_python(raw_documents, weight), y, weight)
        counter = self._counter(options, weight)
        for texts in self.text_batches(raw_documents):
            counter.add(texts, thread_count(self.n_jobs))
        if self.select is None:
            return self._choose_terms(counter, dtype, order, log, beside)
        counted = self._choose_terms(counter, dtype or np.dtype(np.float32), order)
        return self._selected(counted, y, weight)

    def word_counter(self) -> Any:
        """Return an unfitted vectorizer that counts the whole words from which ``learn_merges`` learns."""
        words = self._counting_part()
        words._merges = None
        words.set_params(ngram_range=(1, 1), binary=False)
        if words._native_options() is None:
            raise ValueError(f"analyzer='{BPE}' takes no callables for its steps")
        return words

    def learn_merges(self, words: TermCounts) -> None:
        """Learn the merges of ``analyzer="bpe"`` from the counts of all words."""
        self._merges = Merges.learn(words.terms.arrays, words.totals, int(self.n_merges))

    def _selected(self, rows: Rows, y: Any, weight: Weight | None) -> Rows:
        """Keep the terms that ``select`` asks for; return the rows of these."""
        if self.select is None:
            return rows
        from lindy.text.vocabulary.feature_selection import Selection

        counts = Csr(*rows, self.n_columns, checked=True)
        columns = Selection.of(self.select).columns(counts, y, weight)
        if len(columns) == self.n_columns:
            return rows
        if "_terms" in vars(self):
            mask = np.zeros(self.n_columns, bool)
            mask[columns] = True
            self._learned(select_terms(self._terms, mask))
        else:
            names = self._names()
            self.vocabulary_ = {names[j]: i for i, j in enumerate(columns.tolist())}
        self._document_frequency = self._document_frequency[columns]
        return counts.keep_columns(columns).arrays

    def fit_pass(
        self, dtype: np.dtype[Any] | None, order: str = "alphabet", weight: Weight | None = None
    ) -> TextPass | None:
        """Return what learns the terms batch by batch; None if the texts have to be read in another way.

        Without a dtype it learns, but makes no rows.
        """
        self._check()
        vars(self).pop("_counts", None)
        options = self._native_options()
        if options is None or self.oov is not None or self.select is not None or self.analyzer == BPE:
            return None
        if self.fixed_vocabulary_:
            return self._finding_pass(lambda rows: self._remember(rows, weight), dtype)
        counter, threads = self._counter(options, weight), thread_count(self.n_jobs)

        def finish() -> Csr:
            return self._learned_rows(self._choose_terms(counter, dtype, order, numerics.log), dtype)

        return TextPass(lambda texts: counter.add(texts, threads), finish)

    @property
    def _limits(self) -> Limits:
        return Limits(self.min_df, self.max_df, self.max_features, self._count_dtype(), self.min_count)

    def _nothing_left(self) -> ValueError:
        return ValueError(PRUNED if self.min_count == 1 else PRUNED.replace("min_df", "min_df or min_count"))

    def _learned_rows(self, rows: Rows, dtype: np.dtype[Any] | None) -> Csr:
        """Learn the weights of the terms that have been learned, and return the rows as they leave."""
        self._learn_weights(dtype)
        return self._new_rows(rows)

    def _weights_of_counts(self, largest: int, dtype: np.dtype[Any], log: Log) -> CountWeights | None:  # noqa: ARG002
        """Learn what counts up to the largest become while rows are written; None if they stay counts."""
        return None

    def _choose_terms(
        self,
        counter: Any,
        dtype: np.dtype[Any] | None,
        order: str,
        log: Log | None = None,
        beside: Csr | None = None,
    ) -> Rows:
        """Learn which of the counted terms are features; return the rows, unless dtype is None."""
        if counter.empty:
            raise ValueError(NOTHING)
        low, high = self._limits.documents(counter.n_rows)
        threads = thread_count(self.n_jobs)
        least = min(self.min_count, MOST)
        counter.number(*((max(low, least), 1) if self.binary else (low, least)), order, threads)
        mask, wanted = None, self._wanted_affixes(counter, high)
        if self.max_features is not None:
            totals = counter.totals(high, bool(self.binary))
            mask = self._limits.most_frequent(totals if wanted is None else np.where(wanted, totals, -1))
        if wanted is not None:
            mask = wanted if mask is None else mask & wanted
        counter.choose(high, mask)
        if counter.n_columns == 0:
            raise self._nothing_left()
        self._document_frequency, self._n_documents = counter.document_frequency(threads), counter.n_rows
        rows = EMPTY
        if dtype is not None:
            weights = None if log is None else self._weights_of_counts(counter.largest_count, dtype, log)
            binary = bool(self.binary)
            rows = counted_rows(
                counter, dtype, binary=binary, weights=weights, threads=threads, beside=beside
            )
        counter.release()
        self._learned(Terms(counter) if isinstance(counter, _native.TermCounter) else counter.vocabulary())
        return rows

    def _wanted_affixes(self, counter: Any, high: float) -> NDArray[np.uint8] | None:
        """Return which of the counted terms are the affixes that are asked for; None for all terms."""
        if self.affixes is None:
            return None
        counter.choose(high, None)
        terms = Terms(counter) if isinstance(counter, _native.TermCounter) else counter.vocabulary()
        return self._are_affixes(terms).view(np.uint8)

    def _are_affixes(self, terms: Terms) -> NDArray[np.bool_]:
        """Return which n-grams have a space only before them (prefixes), or only after them (suffixes)."""
        data, offsets = terms.arrays
        before, after = data[offsets[:-1]] == ord(" "), data[offsets[1:] - 1] == ord(" ")
        wanted: NDArray[np.bool_] = before & ~after if self.affixes == "prefix" else after & ~before
        return wanted

    def _counter(self, options: _native.TextOptions, weight: Weight | None = None) -> Any:
        """Return a counter that has counted nothing: ``PartCounter``, ``WeightedCounter`` or ``TermCounter``.

        It counts part by part where a workspace is in use.
        """

        def new() -> _native.TermCounter:
            counter = _native.TermCounter(options)
            if self._of_words:
                for word in self.get_stop_words() or ():
                    counter.stop_word(word.encode("utf-8", "surrogatepass"))
            return counter

        workspace = current()
        if workspace is not None:
            from lindy.text.vocabulary.part_counter import PartCounter

            return PartCounter(new, workspace, write_analyzer(self), weight)
        if weight is None:
            return new()
        from lindy.text.vocabulary.weighted_counter import WeightedCounter

        return WeightedCounter(new(), weight)

    def _fit_in_python(self, raw_documents: Any, weight: Weight | None) -> Rows:
        terms, columns, documents, totals, rows = self._python_counts(raw_documents, weight)
        if not terms:
            raise ValueError(NOTHING)
        kept = np.flatnonzero(self._limits.kept(documents, totals, total_weight(weight, len(rows[0]) - 1)))
        if not len(kept):
            raise self._nothing_left()
        self.vocabulary_ = {terms[j]: i for i, j in enumerate(kept)}
        rows = Csr(*rows, len(terms)).keep_columns(columns[kept]).arrays
        self._remember(rows, weight)
        return rows

    def _fit_oov(self, raw_documents: Any, dtype: np.dtype[Any] | None, weight: Weight | None) -> Rows:
        """Learn the terms with rare words as one; the texts are read twice."""
        options = self._native_options()
        of_words = self.analyzer in ("word", UNICODE_WORDS)
        if options is None or self.oov is None or not of_words or self.ngram_range[0] != 1:
            raise ValueError(
                f"oov needs analyzer='word' or '{UNICODE_WORDS}', single words among the terms, no callables and one of"
                f" the token patterns {', '.join(NATIVE_PATTERNS)}"
            )
        documents = raw_documents if hasattr(raw_documents, "__len__") else list(raw_documents)
        counts = self._part(options, documents, weight)
        if not len(counts.terms):
            raise ValueError(NOTHING)
        data, offsets = counts.terms.arrays
        spaces = np.concatenate([[0], np.cumsum(data == ord(" "))])[offsets]
        rare = (np.diff(spaces) == 0) & (counts.totals < self.oov)
        if self.analyzer == UNICODE_WORDS:
            rare[rare] = [not is_run(term) for term in select_terms(counts.terms, rare).strings]
        kept = self._limits.kept(counts.documents, counts.totals, counts.n_documents) & ~rare
        names = select_terms(counts.terms, kept).strings
        self._learned(Terms.from_strings([*names, OOV]))
        self._fitted_oov = self.oov
        rows = self._found(documents, dtype or np.dtype(np.float32))
        self._remember(rows, weight)
        return rows

    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn from further texts; parts fitted one by one give the terms and frequencies of one fit of all.

        Rare terms are kept too, so memory grows with all terms, not only with those in ``vocabulary_``.
        """
        refuse_other_than_documents(raw_documents)
        first = "_counts" not in vars(self)
        whole = {"oov": self.oov, "select": self.select, f"analyzer='{BPE}'": self.analyzer == BPE or None}
        what = ("which words are rare", "which terms are best", "which pieces are frequent")
        for (name, given), unknown in zip(whole.items(), what, strict=True):
            if given is not None:
                raise ValueError(f"{name} cannot be learned in parts: {unknown} is known only at the end")
        if first and self._has_terms() and self.vocabulary is None:
            raise ValueError(
                "partial_fit cannot continue after fit, which drops rare terms; use partial_fit from the start"
            )
        self._check()
        if self.fixed_vocabulary_:
            return self._count_more(raw_documents, first)
        part = self._part(self._native_options(), raw_documents)
        counts = self._counts.merged(part) if not first and self._counts is not None else part
        self._counts: TermCounts | None = counts
        self._take_counts(counts, more_to_come=True)
        return self

    def _take_counts(self, counts: TermCounts, *, more_to_come: bool) -> None:
        """Learn which of the counted terms are features, in the order of the alphabet."""
        kept = self._limits.kept(
            counts.documents, counts.totals, counts.n_documents, more_to_come=more_to_come
        )
        self._learned(select_terms(counts.terms, kept))
        self._document_frequency, self._n_documents = counts.documents[kept], counts.n_documents

    def count_part(self, raw_documents: Any, weight: Weight | None = None) -> TermCounts:
        """Return the counts of all terms of some texts, which can be merged with those of others."""
        refuse_other_than_documents(raw_documents)
        self._check()
        return self._part(self._native_options(), raw_documents, weight)

    def learn_counts(self, counts: TermCounts) -> Self:
        """Learn from the merged counts of all texts what ``fit_csr`` learns from the texts themselves."""
        self._check()
        if not len(counts.terms):
            raise ValueError(NOTHING)
        self._take_counts(counts, more_to_come=False)
        if not self.n_columns:
            raise self._nothing_left()
        self._learn_weights(np.dtype(np.float32))
        return self

    def _count_more(self, raw_documents: Any, first: bool) -> Self:
        """Add to the document frequencies of a given vocabulary."""
        before = (0, 0) if first else (self._document_frequency, self._n_documents)
        self._remember(self._found(raw_documents, np.dtype(np.float32)))
        self._document_frequency = self._document_frequency + before[0]
        self._n_documents += before[1]
        self._counts = None
        return self

    def _part(
        self, options: _native.TextOptions | None, raw_documents: Any, weight: Weight | None = None
    ) -> TermCounts:
        """Return all terms of some texts."""
        if options is not None:
            counter, threads = self._counter(options, weight), thread_count(self.n_jobs)
            for texts in self.text_batches(raw_documents):
                counter.add(texts, threads)
            counter.number(1, 1, "alphabet", threads)
            totals = counter.totals(MOST, bool(self.binary))
            counter.choose(MOST, None)
            documents, n_documents = counter.document_frequency(threads), counter.n_rows
            counter.release()
            found = Terms(counter) if isinstance(counter, _native.TermCounter) else counter.vocabulary()
            counts = TermCounts(found, documents, totals, n_documents)
            return counts if self.affixes is None else counts.where(self._are_affixes(counts.terms))
        terms, _, documents, totals, rows = self._python_counts(raw_documents, weight)
        if not all(isinstance(term, str) for term in terms):
            raise ValueError("partial_fit needs terms that are strings")
        n_documents = total_weight(weight, len(rows[0]) - 1)
        return TermCounts(Terms.from_strings(terms), documents, totals, n_documents)

    def _python_counts(
        self, raw_documents: Any, weight: Weight | None
    ) -> tuple[list[Any], Columns, NDArray[Any], NDArray[Any], Rows]:
        """Return the terms of the user's own callables in their order: columns of rows, documents, totals; and rows."""
        numbers, rows = count_terms(self.build_analyzer(), raw_documents, binary=bool(self.binary))
        terms = sorted(numbers)
        columns = np.array([numbers[term] for term in terms], np.int64)
        counts = Csr(*rows, len(terms), checked=True)
        documents = document_frequency(counts, weight)[columns]
        totals = as_counts(column_totals(counts, weight), weight)[columns]
        return terms, columns, documents, totals, rows
