"""Counting: which terms a text has, and how often."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native, numerics
from lindy.base import thread_count
from lindy.csr import Csr, keep_columns, side_by_side
from lindy.parameters import with_parameters
from lindy.stream.workspace import current
from lindy.text.accumulate import TermCounts, select_terms
from lindy.text.analyzer import NATIVE_PATTERNS, Analyzer
from lindy.text.columns import OOV
from lindy.text.documents import refuse_other_than_documents
from lindy.text.grown_terms import GrowingTerms
from lindy.text.limits import NOTHING, Limits
from lindy.text.native_rows import EMPTY, CountWeights, JoinedRows, Rows, counted_rows
from lindy.text.parameters import (
    BOOLEAN,
    ITERABLE,
    NONE,
    SHARE,
    Rule,
    at_least,
    check_parameters,
    dtype_of,
    instance,
)
from lindy.text.part_counter import PartCounter
from lindy.text.python_path import count_terms
from lindy.text.selection import Selection
from lindy.text.state import (
    read_analyzer,
    read_limits,
    read_terms,
    tree_index,
    write_analyzer,
    write_limits,
)
from lindy.text.transformer import Log
from lindy.text.vectorizer import Columns, TextPass
from lindy.text.vocabulary import Terms

if TYPE_CHECKING:
    import scipy.sparse

PRUNED = "After pruning, no terms remain. Try a lower min_df or a higher max_df."
MOST = np.iinfo(np.uint32).max


@with_parameters
class CountVectorizer(GrowingTerms):
    r"""Convert texts to a matrix of term counts; scikit-learn's parameters, attributes and results.

    x_ij = how often term j occurs in text i. Terms are learned by ``fit`` and numbered in the order of the alphabet.

    Parameters
    ----------
    input : {'content', 'filename', 'file'}
        Whether documents are given as they are, as names of files, or as open files.
    encoding, decode_error : str
        How bytes become text.
    strip_accents : {'ascii', 'unicode'} or callable, optional
        What to do with accents.
    lowercase : bool
        Whether upper and lower case are the same.
    preprocessor, tokenizer : callable, optional
        Replacements of the steps before, and of the cutting into tokens.
    stop_words : 'english' or list, optional
        Words to leave out.
    token_pattern : str
        What a token is, as a regular expression; the default is two or more letters, digits or underscores.
    ngram_range : (int, int)
        Shortest and longest sequence of tokens (or characters) that is a term.
    analyzer : {'word', 'unicode_words', 'char', 'char_wb'} or callable
        What terms are made of; ``'char_wb'`` takes characters within words only. ``'unicode_words'``, which is not in
        scikit-learn, takes words of all scripts with their combining marks, emoji and other symbols, and the character
        1-3-grams of scripts without spaces between words, like Chinese and Thai; its ``token_pattern`` says whether
        words have at least two characters (the default) or one (``r"(?u)\b\w+\b"``).
    max_df, min_df : float or int
        Terms in more (fewer) documents than this number or share are left out.
    max_features : int, optional
        How many of the most frequent terms to keep.
    min_count : int
        Terms that occur fewer times in all texts together are left out; ``binary`` counts a text once. Not in
        scikit-learn.
    select : str, optional
        How many terms to keep at most, and by which score: ``"chi2:10000"``, or the methods ``information-gain``,
        ``count`` and ``df`` (see ``SelectFeatures``). The first two need labels: ``fit(texts, y)``. Terms are selected
        by their counts, before these are weighted, and the others are forgotten. Not in scikit-learn.
    vocabulary : mapping or iterable, optional
        The terms, instead of learning them.
    binary : bool
        Whether to note presence only.
    dtype : dtype
        Of the counts.
    punctuation : bool
        Whether every character that is neither part of a word nor white space is a token too. Not in scikit-learn.
    shapes : bool
        Whether the shape of every word, as it is written, is a term too: ``<Xx>`` for Word, ``<X>`` for WORD, ``<9>``
        for 1984, ``<x9>`` for mp3. Not in scikit-learn.
    oov : int, optional
        Words that occur fewer than this many times become one feature, ``<OOV>``, which also counts the unknown words
        of later texts. Not in scikit-learn.
    n_jobs : int or None
        Threads; None means all cores. The result never depends on it.

    Attributes
    ----------
    vocabulary_ : dict from term to column
    fixed_vocabulary_ : bool, whether the terms were given
    """

    _rules: ClassVar[dict[str, list[Rule]]] = {
        **Analyzer._rules,
        "max_df": [SHARE, at_least(1)],
        "min_df": [SHARE, at_least(1)],
        "max_features": [at_least(1), NONE],
        "vocabulary": [instance(Mapping, "'collections.abc.Mapping'"), ITERABLE, NONE],
        "binary": [BOOLEAN],
        "dtype": [dtype_of("biufc")],
        "oov": [at_least(1), NONE],
        "min_count": [at_least(1)],
    }
    kind = "count"
    learns_in_parts = True

    max_df: float = 1.0
    min_df: float = 1
    max_features: int | None = None
    vocabulary: Any = None
    binary: bool = False
    dtype: DTypeLike = np.int64
    oov: int | None = None
    min_count: int = 1
    select: str | None = None

    @property
    def uses_labels(self) -> bool:  # type: ignore[override]
        """Whether terms are selected by what they say about the classes."""
        return self.select is not None and Selection.of(self.select).uses_labels

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self.uses_labels
        return tags

    def fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn the terms of the texts; the labels ``y`` matter only to ``select``."""
        self._fit(raw_documents, None, y=y)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> scipy.sparse.csr_matrix[Any]:
        """Learn the terms of the texts and return their counts."""
        return self._to_scipy(self._fit(raw_documents, self._count_dtype(), y=y))

    def fit_csr(
        self, raw_documents: Any, *, order: str = "alphabet", y: Any = None, beside: Csr | None = None
    ) -> Csr:
        """Learn the terms of the texts and return their rows in float32.

        Parameters
        ----------
        order : {'alphabet', 'seen', 'frequency'}
            Which column a learned term gets: by the alphabet as scikit-learn has it, by first appearance, or by
            document frequency (most first, equals by first appearance). The latter two sort no terms, and by
            frequency the weights that are used most lie side by side. Each row has its terms in the order of their
            first appearance in the texts. Given terms, terms of Python callables and terms with ``oov`` stay in their
            own order.
        beside : Csr or None
            Rows of the same texts, whose columns come first in what is returned: written together where that is
            possible, which saves a copy of both.
        """
        dtype = np.dtype(np.float32)
        rows = self._fit(raw_documents, dtype, order, y, log=numerics.log, beside=beside)
        if beside is None:
            return self._learned_rows(rows, dtype)
        if isinstance(rows, JoinedRows):
            return Csr(*rows, beside.n_columns + self.n_columns, checked=True)
        return side_by_side([beside, self._learned_rows(rows, dtype)])

    def transform(self, raw_documents: Any) -> scipy.sparse.csr_matrix[Any]:
        """Return the counts of the known terms in the texts."""
        return self._to_scipy(self._known_rows(raw_documents, self._count_dtype()))

    def transform_csr(self, raw_documents: Any) -> Csr:
        """Return the rows of the texts in float32."""
        return self._new_rows(self._known_rows(raw_documents, np.dtype(np.float32)))

    def _check(self) -> None:
        """Check the parameters and take over a given vocabulary."""
        check_parameters(self, self._rules)
        self._check_ngram_range()
        self._warn_for_unused()
        self._given_vocabulary()
        if self.fixed_vocabulary_:
            self._warn_for_upper_case()
        if self.select is not None:
            Selection.of(self.select)
        for other in ("vocabulary", "oov"):
            if self.select is not None and getattr(self, other) is not None:
                raise ValueError(
                    f"select={self.select!r} chooses among all terms of the texts: leave out select or {other}"
                )

    def _fit(
        self,
        raw_documents: Any,
        dtype: np.dtype[Any] | None,
        order: str = "alphabet",
        y: Any = None,
        log: Log | None = None,
        beside: Csr | None = None,
    ) -> Rows:
        """Learn the terms; return the texts' rows (which may be empty if dtype is None).

        With the logarithm of their weights, rows may be weighed as they are written (see ``_weights_of_counts``), and
        then be written beside others.
        """
        refuse_other_than_documents(raw_documents)
        self._check()
        vars(self).pop("_counts", None)
        if self.fixed_vocabulary_:
            rows = self._found(raw_documents, dtype or np.dtype(np.float32))
            self._remember(rows)
            return rows
        if self.oov is not None:
            return self._fit_oov(raw_documents, dtype)
        options = self._native_options()
        if options is None:
            return self._selected(self._fit_in_python(raw_documents), y)
        counter = self._counter(options)
        for texts in self.text_batches(raw_documents):
            counter.add(texts, thread_count(self.n_jobs))
        if self.select is None:
            return self._choose_terms(counter, dtype, order, log, beside)
        return self._selected(self._choose_terms(counter, dtype or np.dtype(np.float32), order), y)

    def _selected(self, rows: Rows, y: Any) -> Rows:
        """Keep the terms that ``select`` asks for; return the rows of these."""
        if self.select is None:
            return rows
        counts = Csr(*rows, self.n_columns, checked=True)
        columns = Selection.of(self.select).columns(counts, y)
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
        return keep_columns(counts, columns).arrays

    def fit_pass(self, dtype: np.dtype[Any] | None, order: str = "alphabet") -> TextPass | None:
        """Return what learns the terms batch by batch; None if the texts have to be read in another way.

        Without a dtype it learns, but makes no rows.
        """
        self._check()
        vars(self).pop("_counts", None)
        options = self._native_options()
        if options is None or self.oov is not None or self.select is not None:
            return None
        if self.fixed_vocabulary_:
            return self._finding_pass(self._remember, dtype)
        counter, threads = self._counter(options), thread_count(self.n_jobs)

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
        counter: PartCounter | _native.TermCounter,
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
        mask = None
        if self.max_features is not None:
            totals = counter.totals(high, bool(self.binary))
            mask = self._limits.most_frequent(totals)
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
        self._learned(counter.vocabulary() if isinstance(counter, PartCounter) else Terms(counter))
        return rows

    def _counter(self, options: _native.TextOptions) -> PartCounter | _native.TermCounter:
        """Return what counts texts, and has counted none: part by part where a workspace is in use."""

        def new() -> _native.TermCounter:
            counter = _native.TermCounter(options)
            if self._of_words:
                for word in self.get_stop_words() or ():
                    counter.stop_word(word.encode("utf-8", "surrogatepass"))
            return counter

        workspace = current()
        return new() if workspace is None else PartCounter(new, workspace, write_analyzer(self))

    def _fit_in_python(self, raw_documents: Any) -> Rows:
        terms, columns, documents, totals, rows = self._python_counts(raw_documents)
        if not terms:
            raise ValueError(NOTHING)
        kept = np.flatnonzero(self._limits.kept(documents, totals, len(rows[0]) - 1))
        if not len(kept):
            raise self._nothing_left()
        self.vocabulary_ = {terms[j]: i for i, j in enumerate(kept)}
        rows = keep_columns(Csr(*rows, len(terms)), columns[kept]).arrays
        self._remember(rows)
        return rows

    def _fit_oov(self, raw_documents: Any, dtype: np.dtype[Any] | None) -> Rows:
        """Learn the terms with rare words as one; the texts are read twice."""
        options = self._native_options()
        if options is None or self.oov is None or self.analyzer != "word" or self.ngram_range[0] != 1:
            raise ValueError(
                "oov needs analyzer='word', single words among the terms, no callables and one of the token patterns"
                f" {', '.join(NATIVE_PATTERNS)}"
            )
        documents = raw_documents if hasattr(raw_documents, "__len__") else list(raw_documents)
        counts = self._part(options, documents)
        if not len(counts.terms):
            raise ValueError(NOTHING)
        data, offsets = counts.terms.arrays
        spaces = np.concatenate([[0], np.cumsum(data == ord(" "))])[offsets]
        rare = (np.diff(spaces) == 0) & (counts.totals < self.oov)
        kept = self._limits.kept(counts.documents, counts.totals, counts.n_documents) & ~rare
        names = select_terms(counts.terms, kept).strings
        self._learned(Terms.from_strings([*names, OOV]))
        self._fitted_oov = self.oov
        rows = self._found(documents, dtype or np.dtype(np.float32))
        self._remember(rows)
        return rows

    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn from further texts; parts fitted one by one give the terms and frequencies of one fit of all.

        Rare terms are kept too, so memory grows with all terms, not only with those in ``vocabulary_``.
        """
        refuse_other_than_documents(raw_documents)
        first = "_counts" not in vars(self)
        for name, what in (("oov", "which words are rare"), ("select", "which terms are best")):
            if getattr(self, name) is not None:
                raise ValueError(f"{name} cannot be learned in parts: {what} is known only at the end")
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

    def count_part(self, raw_documents: Any) -> TermCounts:
        """Return the counts of all terms of some texts, which can be merged with those of others."""
        refuse_other_than_documents(raw_documents)
        self._check()
        return self._part(self._native_options(), raw_documents)

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

    def _counting_part(self) -> CountVectorizer:
        """Return an unfitted vectorizer that counts all terms as this one cuts them."""
        part = CountVectorizer(**{name: getattr(self, name) for name in CountVectorizer._parameter_names()})
        part.set_params(min_df=1, max_df=1.0, max_features=None, min_count=1, select=None)
        return part.set_params(oov=None, vocabulary=None, dtype=np.int64)

    def _count_more(self, raw_documents: Any, first: bool) -> Self:
        """Add to the document frequencies of a given vocabulary."""
        before = (0, 0) if first else (self._document_frequency, self._n_documents)
        self._remember(self._found(raw_documents, np.dtype(np.float32)))
        self._document_frequency = self._document_frequency + before[0]
        self._n_documents += before[1]
        self._counts = None
        return self

    def _part(self, options: _native.TextOptions | None, raw_documents: Any) -> TermCounts:
        """Return all terms of some texts."""
        if options is not None:
            counter, threads = self._counter(options), thread_count(self.n_jobs)
            for texts in self.text_batches(raw_documents):
                counter.add(texts, threads)
            counter.number(1, 1, "alphabet", threads)
            totals = counter.totals(MOST, bool(self.binary))
            counter.choose(MOST, None)
            documents, n_documents = counter.document_frequency(threads), counter.n_rows
            counter.release()
            return TermCounts(Terms(counter), documents, totals, n_documents)
        terms, _, documents, totals, rows = self._python_counts(raw_documents)
        if not all(isinstance(term, str) for term in terms):
            raise ValueError("partial_fit needs terms that are strings")
        return TermCounts(Terms.from_strings(terms), documents, totals, len(rows[0]) - 1)

    def _python_counts(
        self, raw_documents: Any
    ) -> tuple[list[Any], Columns, NDArray[np.int64], NDArray[np.int64], Rows]:
        """Return the terms of the user's own callables in their order: columns of rows, documents, totals; and rows."""
        numbers, rows = count_terms(self.build_analyzer(), raw_documents, binary=bool(self.binary))
        terms = sorted(numbers)
        columns = np.array([numbers[term] for term in terms], np.int64)
        documents = np.bincount(rows[1], minlength=len(terms))[columns]
        totals = np.bincount(rows[1], rows[2], len(terms)).astype(np.int64)[columns]
        return terms, columns, documents, totals, rows

    def scored_part(self) -> _native.ScoredPart | None:
        """Return how the core finds and weighs the terms, for ``lindy.scoring``; None if it cannot."""
        index = self._native_index()
        return None if index is None else _native.ScoredPart(index, bool(self.binary), None, None, "none")

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything that ``transform`` needs: a dict for JSON and arrays."""
        self._check_vocabulary()
        index = self._native_index()
        if index is None:
            raise ValueError(
                "only vectorizers without callables, with a native token pattern and with string terms can be saved"
            )
        oov = None if self._fitted_oov is None else int(self._fitted_oov)
        config = {"kind": self.kind, "binary": bool(self.binary), "oov": oov, **write_analyzer(self)}
        config |= write_limits(self)
        tree = index.tree() if oov is None else None
        if tree is None:
            data, offsets = self._terms.arrays
            return config, {"terms": data, "offsets": offsets}
        arrays, multiplier = tree
        return config | {"multiplier": multiplier}, arrays

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        params = read_analyzer(config)
        vectorizer = cls()
        for name, value in {**params, "binary": config.get("binary"), "oov": config.get("oov")}.items():
            setattr(vectorizer, name, value)
        vectorizer.fixed_vocabulary_ = read_limits(vectorizer, config)
        check_parameters(vectorizer, cls._rules)
        vectorizer._fitted_oov = vectorizer.oov
        if "phrases" in arrays:
            vectorizer._take_tree(arrays, config.get("multiplier"))
        else:
            vectorizer._terms = read_terms(arrays)
        index = vectorizer._native_index()
        if index is None:
            raise ValueError("the saved vectorizer has invalid parameters")
        if index.duplicate >= 0:
            raise ValueError(f"term {index.duplicate} of the vocabulary occurs a second time")
        if index.first_invalid >= 0:
            raise ValueError(f"term {index.first_invalid} of the vocabulary is not valid UTF-8")
        return vectorizer

    def _take_tree(self, arrays: dict[str, NDArray[Any]], multiplier: Any) -> None:
        """Take over terms that were saved as a tree of words; the native core checks them."""
        options = self._native_options()
        if options is None or self.oov is not None:
            raise ValueError("the saved vectorizer has invalid parameters")
        self._index = tree_index(options, arrays, multiplier, *self._native_stop_words())
        self._terms = Terms(self._index)
