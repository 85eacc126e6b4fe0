"""Fitted terms: their columns, finding them in texts, the way back from columns to terms, and how they grow."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.core.csr import Csr, as_csr
from lindy.core.weights import total_weight
from lindy.errors import AGAIN, UpdateError, not_fitted
from lindy.text.analysis.analyzer import Analyzer
from lindy.text.analysis.documents import count_terms, refuse_other_than_documents
from lindy.text.native_rows import Rows, TextRows, Weights
from lindy.text.vectorizer import Columns, TextPass
from lindy.text.vocabulary.encoding import Terms, check_vocabulary
from lindy.text.vocabulary.term_limits import NOTHING, Limits, reaches
from lindy.text.vocabulary.vocabulary_merge import Grown, join_terms, placed_sums
from lindy.text.weighting.row_weights import Weight, column_totals, document_frequency

if TYPE_CHECKING:
    import scipy.sparse

    from lindy.text.analysis.occurrences import Occurrences


OOV = "<OOV>"
_LONGEST_COUNTED = 1000  # n-gram of words that is counted natively


class TermColumns(Analyzer):
    """A vectorizer whose columns are terms.

    The terms are UTF-8 in ``_terms``; ``vocabulary_`` is a dict that is made at the first request (or, for
    terms that are not strings, the only thing there is). ``_index`` is what finds the terms natively.
    """

    vocabulary: Any
    binary: bool
    dtype: DTypeLike
    oov: int | None
    fixed_vocabulary_: bool
    _vocabulary: dict[Any, int]
    _terms: Terms
    _index: _native.TermIndex | None
    _document_frequency: NDArray[Any]
    _n_documents: int | float
    _fitted_oov: int | None = None  # what ``oov`` was when the terms were learned

    @property
    def vocabulary_(self) -> dict[Any, int]:
        """The terms and their columns; made when first asked for."""
        if "_vocabulary" not in vars(self):
            if "_terms" not in vars(self):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute 'vocabulary_'")
            self._vocabulary = {term: i for i, term in enumerate(self._terms.strings)}
        return self._vocabulary

    @vocabulary_.setter
    def vocabulary_(self, vocabulary: dict[Any, int]) -> None:
        self._forget()
        self._vocabulary = vocabulary

    def _forget(self) -> None:
        for name in ("_vocabulary", "_terms", "_index", "_fitted_oov"):
            vars(self).pop(name, None)

    def _learned(self, terms: Terms) -> None:
        self._forget()
        self._terms = terms

    def _has_terms(self) -> bool:
        return "_vocabulary" in vars(self) or "_terms" in vars(self)

    def __sklearn_is_fitted__(self) -> bool:
        return self._has_terms()

    def __getstate__(self) -> dict[str, Any]:
        state = dict(vars(self))
        state.pop("_index", None)
        if "_terms" in state:
            state.pop("_vocabulary", None)
        return state

    def _given_vocabulary(self) -> None:
        """Take over the terms of the constructor, if there are any."""
        self.fixed_vocabulary_ = self.vocabulary is not None
        if self.fixed_vocabulary_:
            if self.oov is not None:
                raise ValueError(
                    f"oov={self.oov!r} needs a vocabulary that is learned from texts, in which some words are rare;"
                    " leave out either oov or vocabulary"
                )
            self.vocabulary_ = check_vocabulary(self.vocabulary)

    def _warn_for_upper_case(self) -> None:
        terms = [term for term in self.vocabulary if isinstance(term, str)]
        if self.lowercase and any(any(map(str.isupper, term)) for term in terms):
            warnings.warn(
                "Upper case characters found in vocabulary while 'lowercase' is True. These entries will not be"
                " matched with any documents",
                stacklevel=5,
            )

    def _check_vocabulary(self) -> None:
        if not self._has_terms():
            self._given_vocabulary()
            if not self.fixed_vocabulary_:
                raise not_fitted(self, "Vocabulary not fitted or provided")
        if self.n_columns == 0:
            raise ValueError("Vocabulary is empty")

    @property
    def n_columns(self) -> int:
        """How many terms there are."""
        return len(self._terms) if "_terms" in vars(self) else len(self._vocabulary)

    @property
    def has_unknown(self) -> bool:
        """Whether the last term stands for all words that are no terms (``oov``)."""
        return self._fitted_oov is not None

    def _names(self) -> list[Any]:
        if "_terms" in vars(self):
            return self._terms.strings
        return sorted(self._vocabulary, key=self._vocabulary.__getitem__)

    def _known_rows(self, raw_documents: Any, dtype: np.dtype[Any]) -> Rows:
        refuse_other_than_documents(raw_documents)
        self._check_vocabulary()
        return self._found(raw_documents, dtype)

    def _found(self, raw_documents: Any, dtype: np.dtype[Any], weights: Weights | None = None) -> Rows:
        """Return the rows of known terms, sorted by column; only native rows can be weighed at once."""
        rows = self._text_rows(dtype, weights)
        if rows is None:
            return count_terms(
                self.build_analyzer(), raw_documents, known=self.vocabulary_, binary=bool(self.binary)
            )[1]
        for texts in self.text_batches(raw_documents):
            rows.read(texts)
        return rows.take()

    def _text_rows(self, dtype: np.dtype[Any], weights: Weights | None = None) -> TextRows | None:
        """Return what finds the known terms natively; None if the core cannot do what the parameters ask for."""
        index = self._native_index()
        if index is None:
            return None
        return TextRows(index, dtype, binary=bool(self.binary), n_jobs=self.n_jobs, weights=weights)

    def rows_pass(self) -> TextPass | None:
        """Return what finds the known terms batch by batch; None if it has to read the texts alone."""
        self._check_vocabulary()
        return self._finding_pass()

    def _finding_pass(
        self, remember: Callable[[Rows], None] | None = None, dtype: np.dtype[Any] | None = None
    ) -> TextPass | None:
        found = self._text_rows(np.dtype(np.float32))
        if found is None:
            return None

        def finish() -> Csr:
            rows = found.take()
            if remember is not None:
                remember(rows)
                self._learn_weights(dtype)
            return self._new_rows(rows)

        return TextPass(found.read, finish)

    def _remember(self, rows: Rows, weight: Weight | None = None) -> None:
        counts = Csr(*rows, self.n_columns, checked=True)
        self._document_frequency = document_frequency(counts, weight)
        self._n_documents = total_weight(weight, counts.shape[0])

    def _learn_weights(self, dtype: np.dtype[Any] | None) -> None:
        """Learn what follows from the document frequencies; counts need nothing."""

    def _new_rows(self, rows: Rows) -> Csr:
        """Return counted rows as they leave."""
        indptr, indices, values = rows
        return Csr(indptr, indices, values.astype(np.float32, copy=False), self.n_columns, checked=True)

    def _native_options(self) -> _native.TextOptions | None:
        """Return the native core's options, except for n-grams so long that counting them natively would be slow."""
        if self._of_words and self.ngram_range[1] > _LONGEST_COUNTED:
            return None
        return super()._native_options()

    def _count_dtype(self) -> np.dtype[Any]:
        """Return the type of counts; None means C's int, as in scikit-learn."""
        return np.dtype(np.intc if self.dtype is None else self.dtype)

    def prepare(self) -> None:
        """Make the index of the terms; otherwise it is made when texts are read or the model is saved."""
        self._native_index()

    def _native_index(self) -> _native.TermIndex | None:
        """Return what finds the terms natively; None if terms or parameters are of another kind."""
        if "_index" in vars(self):
            return self._index
        options = self._native_options()
        self._index = None
        if options is not None and "_terms" not in vars(self):
            names = self._names()
            if all(isinstance(term, str) for term in names):
                self._terms = Terms.from_strings(names)
        if options is not None and "_terms" in vars(self):
            self._index = self._new_index(options)
        return self._index

    def _new_index(self, options: _native.TextOptions) -> _native.TermIndex:
        stop_bytes, stop_offsets = self._native_stop_words()
        counter = self._terms.counter
        if counter is not None:
            return _native.TermIndex(options, counter, stop_bytes=stop_bytes, stop_offsets=stop_offsets)
        data, offsets = self._terms.arrays
        oov = self._fitted_oov is not None
        if oov:  # the last term stands for all unknown words
            data, offsets = data[: offsets[-2]], offsets[:-1]
        return _native.TermIndex(
            options,
            bytes=data,
            offsets=offsets,
            stop_bytes=stop_bytes,
            stop_offsets=stop_offsets,
            unknown=oov,
        )

    def _to_scipy(self, rows: Rows) -> scipy.sparse.csr_matrix[Any]:
        indptr, indices, values = rows
        counts = values.astype(self._count_dtype(), copy=False)
        return Csr(indptr, indices, counts, self.n_columns, checked=True).to_scipy()

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Return the terms in the order of their columns."""
        self._check_vocabulary()
        return np.asarray(self._names(), dtype=object)

    def names_of(self, columns: Columns) -> list[str]:
        """Return the terms of some columns, without making those of the others."""
        if "_terms" not in vars(self):
            return [str(name) for name in self.get_feature_names_out()[columns]]
        return _native.strings_at(*self._terms.arrays, np.ascontiguousarray(columns, np.int64))

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where the terms of some columns are in a text; with ``oov``, every unknown word is an <OOV>."""
        from lindy.text.analysis.occurrences import Lookup, ngram_occurrences, term_occurrences

        if not self._of_words and (index := self._native_index()) is not None:
            return ngram_occurrences(self, text, index, columns)
        places = {name: i for i, name in enumerate(self.names_of(columns))}
        oov = self._fitted_oov is not None

        def find(terms: list[str], single: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
            other = places.get(OOV, -1) if oov and single else -1
            return np.array([places.get(term, other) for term in terms], np.int64), np.ones(len(terms))

        return term_occurrences(self, text, Lookup(find, None if oov else places, spelt=oov))

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """Return, for each row, the terms with nonzero entries."""
        names = self.get_feature_names_out()
        csr = as_csr(X)
        rows = []
        for begin, end in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
            columns = csr.indices[begin:end][csr.values[begin:end] != 0]
            rows.append(np.array(names[columns].tolist(), dtype=None if len(columns) else "<U1"))
        return rows


class GrowingTerms(TermColumns):
    """The base of vectorizers of terms that can learn more."""

    min_count: int
    max_features: int | None
    select: str | None

    @property
    def _limits(self) -> Limits:
        raise NotImplementedError

    def _counting_part(self) -> Any:
        """Return an unfitted vectorizer that counts all terms as this one cuts them."""
        raise NotImplementedError

    def grown(self, X: Any, n_before: float, weight: Weight | None = None) -> Grown:
        """Return a vectorizer that has learned from further texts.

        A term that it does not know is added if the limits let it in by the further texts alone: terms that earlier
        texts had too rarely are forgotten. Where terms were given, or the best or most frequent were chosen, the terms
        stay what they are.
        """
        self._check_vocabulary()
        part = self._counting_part()
        try:
            rows = part.fit_csr(X, order="seen", weight=weight)
        except ValueError as error:
            if str(error) != NOTHING:
                raise
            rows = Csr(np.zeros(len(X) + 1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32), 0)
            part._learned(Terms.from_strings([]))
            part._document_frequency = np.zeros(0, np.int64)
            part._n_documents = total_weight(weight, len(X))
        part.counted = rows, weight
        totals = column_totals(rows, weight)
        documents, n_all = part._document_frequency, n_before + part._n_documents
        low, high = self._limits.documents(n_all, more_to_come=True)
        wanted = reaches(documents, low) & (documents <= high) & reaches(totals, self.min_count)
        if self._closed or self._fitted_oov is not None or not (self._of_strings and part._of_strings):
            wanted = np.zeros(part.n_columns, bool)
        grown = self._with_terms_of(part, (n_before, part._n_documents), wanted)
        known = (grown.places[1] >= 0) & (grown.places[1] < self.n_columns)
        return replace(grown, unknown=(int(totals[~known].sum()), int(totals.sum())))

    def joined(self, other: Any, counts: tuple[float, float]) -> Grown:
        """Return the vectorizer of two corpora: the terms of both, and in how many documents each is."""
        self._check_vocabulary()
        other._check_vocabulary()
        if self._fitted_oov is not None or not (self._of_strings and other._of_strings):
            raise UpdateError(
                f"{self.class_name} with oov or with terms that are no strings cannot be joined"
            )
        if self._merges != other._merges:
            raise UpdateError(
                f"{self.class_name} cuts words by other merges than the other vectorizer", AGAIN
            )
        return self._with_terms_of(other, counts, None)

    @property
    def _closed(self) -> bool:
        """Whether no term can be added."""
        return self.fixed_vocabulary_ or self.select is not None or self.max_features is not None

    @property
    def _of_strings(self) -> bool:
        """Whether all terms are strings; then they are in ``_terms``."""
        self._native_index()
        if "_terms" not in vars(self) and all(isinstance(term, str) for term in self._names()):
            self._terms = Terms.from_strings(self._names())
        return "_terms" in vars(self)

    def _with_terms_of(
        self, other: Any, counts: tuple[float, float], wanted: NDArray[np.bool_] | None
    ) -> Grown:
        """Return a copy with the wanted terms of another one beside its own."""
        terms, mine, theirs = (
            join_terms(self._terms, other._terms, wanted)
            if self._of_strings and other._of_strings
            else (None, np.arange(self.n_columns), np.full(other.n_columns, -1))
        )
        made = copy(self)
        if terms is not None and terms is not self._terms:
            oov = self._fitted_oov
            made._learned(terms)
            made._fitted_oov = oov
        frequencies = [part._documents(n) for part, n in zip((self, other), counts, strict=True)]
        vars(made).pop("_counts", None)
        if frequencies[0] is not None and frequencies[1] is not None:
            parts = [(mine, frequencies[0]), (theirs, frequencies[1])]
            made._document_frequency = placed_sums(parts, made.n_columns)
            made._n_documents = sum(counts)
        return made._rescaled((self, other), counts, Grown(made, (mine, theirs)))

    def _documents(self, n_documents: float) -> NDArray[Any] | None:  # noqa: ARG002
        """Return in how many of the documents each term is, if that is known."""
        return getattr(self, "_document_frequency", None)

    def _rescaled(self, parts: tuple[Any, Any], counts: tuple[float, float], grown: Grown) -> Grown:  # noqa: ARG002
        """Learn the weights of terms from the documents of both; counts have none."""
        return grown
