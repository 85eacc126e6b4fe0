"""Counting: which terms a text has, and how often."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping
from math import ceil, floor
from numbers import Integral
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.base import thread_count
from lindy.csr import Csr, as_csr
from lindy.errors import not_fitted
from lindy.text.analyzer import WORDS, Analyzer
from lindy.text.documents import batches, refuse_single_string
from lindy.text.parameters import BOOLEAN, ITERABLE, NONE, SHARE, Rule, at_least, check_parameters, instance
from lindy.text.python_path import Rows, count_in_python
from lindy.text.state import read_analyzer, read_terms, write_analyzer
from lindy.text.vocabulary import Terms, check_vocabulary, encode_terms

if TYPE_CHECKING:
    import scipy.sparse

_KINDS = {np.dtype(np.float32): "rows_f32", np.dtype(np.float64): "rows_f64", np.dtype(np.int64): "rows_i64"}
EMPTY: Rows = (np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64))


class CountVectorizer(Analyzer):
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
    analyzer : {'word', 'char', 'char_wb'} or callable
        What terms are made of; ``'char_wb'`` takes characters within words only.
    max_df, min_df : float or int
        Terms in more (fewer) documents than this number or share are left out.
    max_features : int, optional
        How many of the most frequent terms to keep.
    vocabulary : mapping or iterable, optional
        The terms, instead of learning them.
    binary : bool
        Whether to note presence only.
    dtype : dtype
        Of the counts.
    n_jobs : int or None
        Threads; None means all cores. The result never depends on it.

    Attributes
    ----------
    vocabulary_ : dict from term to column
    fixed_vocabulary_ : bool, whether the terms were given
    """

    _rules: dict[str, list[Rule]] = {  # noqa: RUF012
        **Analyzer._rules,
        "max_df": [SHARE, at_least(1)],
        "min_df": [SHARE, at_least(1)],
        "max_features": [at_least(1), NONE],
        "vocabulary": [instance(Mapping, "'collections.abc.Mapping'"), ITERABLE, NONE],
        "binary": [BOOLEAN],
    }

    def __init__(
        self,
        *,
        input: str = "content",  # noqa: A002
        encoding: str = "utf-8",
        decode_error: str = "strict",
        strip_accents: str | Callable[[str], str] | None = None,
        lowercase: bool = True,
        preprocessor: Callable[[Any], Any] | None = None,
        tokenizer: Callable[[Any], Iterable[Any]] | None = None,
        stop_words: str | list[str] | None = None,
        token_pattern: str | None = WORDS,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: str | Callable[[Any], Iterable[Any]] = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        vocabulary: Any = None,
        binary: bool = False,
        dtype: DTypeLike = np.int64,
        n_jobs: int | None = None,
    ) -> None:
        self.input = input
        self.encoding = encoding
        self.decode_error = decode_error
        self.strip_accents = strip_accents
        self.lowercase = lowercase
        self.preprocessor = preprocessor
        self.tokenizer = tokenizer
        self.stop_words = stop_words
        self.token_pattern = token_pattern
        self.ngram_range = ngram_range
        self.analyzer = analyzer
        self.max_df = max_df
        self.min_df = min_df
        self.max_features = max_features
        self.vocabulary = vocabulary
        self.binary = binary
        self.dtype = dtype
        self.n_jobs = n_jobs

    # vocabulary -------------------------------------------------------------------------------------------------

    @property
    def vocabulary_(self) -> dict[Any, int]:
        """The terms and their columns; made when first asked for."""
        if "_vocabulary" not in vars(self):
            if "_terms" not in vars(self):
                raise AttributeError(f"{type(self).__name__!r} object has no attribute 'vocabulary_'")
            self._vocabulary: dict[Any, int] = {term: i for i, term in enumerate(self._terms.strings)}
        return self._vocabulary

    @vocabulary_.setter
    def vocabulary_(self, vocabulary: dict[Any, int]) -> None:
        self._forget()
        self._vocabulary = vocabulary

    def _forget(self) -> None:
        for name in ("_vocabulary", "_terms", "_index"):
            vars(self).pop(name, None)

    def _learned(self, terms: Terms) -> None:
        self._forget()
        self._terms = terms

    def __sklearn_is_fitted__(self) -> bool:
        return "_vocabulary" in vars(self) or "_terms" in vars(self)

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
            self.vocabulary_ = check_vocabulary(self.vocabulary)

    def _check_vocabulary(self) -> None:
        if not self.__sklearn_is_fitted__():
            self._given_vocabulary()
            if not self.fixed_vocabulary_:
                raise not_fitted(self, "Vocabulary not fitted or provided")
        if self._n_terms() == 0:
            raise ValueError("Vocabulary is empty")

    def _n_terms(self) -> int:
        return len(self._terms) if "_terms" in vars(self) else len(self._vocabulary)

    # fitting ----------------------------------------------------------------------------------------------------

    def fit(self, raw_documents: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the terms of the texts."""
        self._fit(raw_documents, None)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None) -> scipy.sparse.csr_matrix[Any]:  # noqa: ARG002
        """Learn the terms of the texts and return their counts."""
        return self._to_scipy(*self._fit(raw_documents, np.dtype(self.dtype)))

    def fit_csr(self, raw_documents: Any) -> Csr:
        """Learn the terms of the texts and return their counts as float32 rows."""
        return Csr(*self._fit(raw_documents, np.dtype(np.float32)), self._n_terms())

    def _fit(self, raw_documents: Any, dtype: np.dtype[Any] | None) -> Rows:
        """Learn the terms; return indptr, indices and values of the texts unless dtype is None."""
        refuse_single_string(raw_documents)
        check_parameters(self, self._rules)
        self._check_ngram_range()
        self._warn_for_unused()
        self._given_vocabulary()
        if self.fixed_vocabulary_:
            self._warn_for_upper_case()
            return self._found(raw_documents, dtype or np.dtype(np.float32))
        options = self._native_words()
        if options is None:
            terms, rows = count_in_python(self, raw_documents, np.dtype(np.int64) if dtype is None else dtype)
            self.vocabulary_ = terms
            return rows
        return self._fit_native(options, raw_documents, dtype)

    def _warn_for_upper_case(self) -> None:
        if self.lowercase and any(any(map(str.isupper, term)) for term in self.vocabulary):
            warnings.warn(
                "Upper case characters found in vocabulary while 'lowercase' is True. These entries will not be"
                " matched with any documents",
                stacklevel=4,
            )

    def _fit_native(self, options: Any, raw_documents: Any, dtype: np.dtype[Any] | None) -> Rows:
        threads = thread_count(self.n_jobs)
        counter = _native.WordCounter(options)
        for word in self.get_stop_words() or ():
            counter.stop_word(word.encode("utf-8", "surrogatepass"))
        for texts in batches(raw_documents, self.decode):
            counter.add(texts, threads)
        if counter.empty:
            raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
        low, high = self.document_limits(counter.n_rows)
        counter.number(low, threads)
        mask = None
        if self.max_features is not None:
            mask = most_frequent(counter.totals(high, self.binary), self.max_features, np.dtype(self.dtype))
        counter.choose(high, mask)
        if counter.n_columns == 0:
            raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
        rows = EMPTY
        if dtype is not None:
            rows = getattr(counter, _KINDS.get(dtype, "rows_i64"))(bool(self.binary), threads)
        counter.release()
        self._learned(Terms(counter))
        return rows

    def document_limits(self, n_documents: int) -> tuple[int, int]:
        """Return min_df and max_df as numbers of documents."""
        most = self.max_df if isinstance(self.max_df, Integral) else self.max_df * n_documents
        least = self.min_df if isinstance(self.min_df, Integral) else self.min_df * n_documents
        if most < least:
            raise ValueError("max_df corresponds to < documents than min_df")
        ceiling = np.iinfo(np.uint32).max
        return min(ceil(least), ceiling), min(floor(most), ceiling)

    # transforming -----------------------------------------------------------------------------------------------

    def transform(self, raw_documents: Any) -> scipy.sparse.csr_matrix[Any]:
        """Return the counts of the known terms in the texts."""
        refuse_single_string(raw_documents)
        self._check_vocabulary()
        return self._to_scipy(*self._found(raw_documents, np.dtype(self.dtype)))

    def transform_csr(self, raw_documents: Any) -> Csr:
        """Return the counts of the known terms in the texts as float32 rows."""
        refuse_single_string(raw_documents)
        self._check_vocabulary()
        return Csr(*self._found(raw_documents, np.dtype(np.float32)), self._n_terms())

    def _found(self, raw_documents: Any, dtype: np.dtype[Any]) -> Rows:
        index = self._native_index()
        if index is None:
            _, rows = count_in_python(self, raw_documents, dtype, self.vocabulary_)
            return rows
        threads = thread_count(self.n_jobs)
        find = getattr(index, _KINDS.get(dtype, "rows_i64"))
        return join_rows(
            [find(texts, bool(self.binary), threads) for texts in batches(raw_documents, self.decode)]
        )

    def _native_index(self) -> _native.WordIndex | None:
        """Return what finds the terms natively; None if terms or parameters are of another kind."""
        if "_index" in vars(self):
            return self._index
        options = self._native_words()
        self._index: _native.WordIndex | None = None
        if options is not None and "_terms" not in vars(self):
            terms = sorted(self._vocabulary, key=self._vocabulary.__getitem__)
            if all(isinstance(term, str) for term in terms):
                self._terms = Terms.from_strings(terms)
        if options is not None and "_terms" in vars(self):
            stop_words = encode_terms(sorted(self.get_stop_words() or ()))
            self._index = _native.WordIndex(options, *self._terms.arrays, *stop_words)
        return self._index

    def _to_scipy(self, indptr: Any, indices: Any, values: Any) -> scipy.sparse.csr_matrix[Any]:
        return Csr(indptr, indices, values.astype(self.dtype, copy=False), self._n_terms()).to_scipy()

    # back to terms ----------------------------------------------------------------------------------------------

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Return the terms in the order of their columns."""
        self._check_vocabulary()
        names = (
            self._terms.strings
            if "_terms" in vars(self)
            else sorted(self._vocabulary, key=self._vocabulary.__getitem__)
        )
        return np.asarray(names, dtype=object)

    def inverse_transform(self, X: Any) -> list[NDArray[Any]]:
        """Return, for each row, the terms with nonzero entries."""
        names = self.get_feature_names_out()
        csr = as_csr(X)
        rows = []
        for begin, end in zip(csr.indptr[:-1], csr.indptr[1:], strict=True):
            columns = csr.indices[begin:end][csr.values[begin:end] != 0]
            rows.append(np.array(names[columns].tolist(), dtype=None if len(columns) else "<U1"))
        return rows

    # persistence ------------------------------------------------------------------------------------------------

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything that ``transform`` needs: a dict for JSON and arrays."""
        self._check_vocabulary()
        if self._native_index() is None:
            raise ValueError(
                "only vectorizers without callables, with a native token pattern and with string terms can be saved"
            )
        config = {"kind": "count", "binary": bool(self.binary), **write_analyzer(self)}
        data, offsets = self._terms.arrays
        return config, {"terms": data, "offsets": offsets}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        vectorizer = cls(**read_analyzer(config), binary=bool(config.get("binary")))
        vectorizer.fixed_vocabulary_ = False
        vectorizer._terms = read_terms(arrays)
        index = vectorizer._native_index()
        if index is None:
            raise ValueError("the saved vectorizer has parameters that cannot be")
        if index.duplicate >= 0:
            raise ValueError(f"term {index.duplicate} of the vocabulary occurs a second time")
        if index.first_invalid >= 0:
            raise ValueError(f"term {index.first_invalid} of the vocabulary is not valid UTF-8")
        return vectorizer


def most_frequent(totals: NDArray[np.int64], limit: int, dtype: np.dtype[Any]) -> NDArray[np.uint8] | None:
    """Return which of the terms are the ``limit`` most frequent; ties fall as NumPy's argsort lets them."""
    if len(totals) <= limit:
        return None
    counted = totals.astype(dtype) if dtype.kind == "f" else totals
    mask = np.zeros(len(totals), np.uint8)
    mask[(-counted).argsort()[:limit]] = 1
    return mask


def join_rows(parts: list[Rows]) -> Rows:
    """Put the rows of several batches under each other."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return EMPTY
    ends = np.cumsum([indptr[-1] for indptr, _, _ in parts])
    starts = [parts[0][0], *(part[0][1:] + end for part, end in zip(parts[1:], ends[:-1], strict=True))]
    return (
        np.concatenate(starts),
        np.concatenate([indices for _, indices, _ in parts]),
        np.concatenate([values for _, _, values in parts]),
    )
