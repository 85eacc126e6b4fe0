"""The hashing trick: terms to columns by a hash, with nothing to learn or store, in memory that does not grow.

x_ij = Σ sign(t) over the terms t of text i whose hash falls into column j,   rows divided by their norm
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.estimators.parameters import (
    BOOLEAN,
    CALLABLE,
    NONE,
    at_least,
    between,
    dtype_of,
    fitted,
    one_of,
    with_parameters,
)
from lindy.text.analysis.analyzer import Analyzer
from lindy.text.analysis.documents import analyzed, refuse_other_than_documents
from lindy.text.count import CountVectorizer
from lindy.text.native_rows import Rows, TextRows, float_dtype, threads_for
from lindy.text.vectorizer import Columns, TextPass, present_examples
from lindy.text.vectorizer_state import read_analyzer, write_analyzer
from lindy.text.vocabulary.encoding import encode_terms

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences

# what a hasher depends on
_hashed = attrgetter(
    *("analyzer", "lowercase", "strip_accents", "preprocessor", "tokenizer", "token_pattern", "ngram_range"),
    *("punctuation", "shapes", "n_features", "alternate_sign", "key"),
)


@with_parameters
class HashingVectorizer(Analyzer):
    r"""Convert texts to a matrix of hashed term counts; scikit-learn's parameters and results.

    Parameters
    ----------
    n_features : int
        The number of columns.
    binary : bool
        Whether to note presence only.
    norm : {'l1', 'l2', 'max'}, optional
        What every row is divided by.
    alternate_sign : bool
        Whether half of the terms count negatively, so that terms that share a column cancel out on average.
    dtype : dtype
        Of the values.
    key : int, optional
        Hashes with a key: without knowing it nobody can choose words that share a column. None gives scikit-learn's
        MurmurHash3. Not in scikit-learn.
    record : bool
        Whether ``fit`` and ``partial_fit`` keep the terms they see, so that columns can be read back with
        ``terms_of``. Not in scikit-learn.

    The other parameters are those of ``CountVectorizer``.
    """

    kind = "hashing"
    learns = False
    learns_in_parts = True
    # byte pairs would have to be learned
    analyzer: Annotated[
        str | Callable[[Any], Iterable[Any]], one_of("word", "unicode_words", "char", "char_wb"), CALLABLE
    ] = "word"
    n_features: Annotated[int, between(1, np.iinfo(np.int32).max)] = 2**20
    binary: Annotated[bool, BOOLEAN] = False
    norm: Annotated[str | None, one_of("l1", "l2", "max"), NONE] = "l2"
    alternate_sign: Annotated[bool, BOOLEAN] = True
    dtype: Annotated[DTypeLike, dtype_of("biuf")] = np.float64
    key: Annotated[int | None, at_least(0), NONE] = None
    record: Annotated[bool, BOOLEAN] = False
    _made: tuple[Any, _native.TermHasher, bool] = fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.requires_fit = False
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Check the parameters; with ``record``, keep the terms of the texts, but of those of weight 0."""
        vars(self).pop("_recorded", None)
        X, _, _ = present_examples(X, y, sample_weight)
        return self.partial_fit(X)

    def partial_fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Check the parameters; with ``record``, keep the terms of further texts."""
        refuse_other_than_documents(X)
        self._warn_for_unused()
        self._check_ngram_range()
        if self.record:
            self._record(X)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Check the parameters and return the hashed counts."""
        X = X if hasattr(X, "__len__") else list(X)
        return self.fit(X, y, sample_weight).transform(X)

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Check the parameters and return the hashed counts as float32 rows; there is no order but the hash's."""
        X = X if hasattr(X, "__len__") else list(X)
        return self.fit(X).transform_csr(X)

    def transform(self, X: Any) -> Any:
        """Return the hashed counts of the texts."""
        dtype, csr = np.dtype(self.dtype), self._hashed(X, float_dtype(self.dtype))
        if self.norm is None and csr.values.dtype != dtype:
            csr = Csr(csr.indptr, csr.indices, csr.values.astype(dtype), csr.n_columns)
        return csr.to_scipy()

    def transform_csr(self, X: Any) -> Csr:
        """Return the hashed counts of the texts as float32 rows."""
        return self._hashed(X, np.dtype(np.float32))

    def _hashed(self, X: Any, dtype: np.dtype[Any]) -> Csr:
        refuse_other_than_documents(X)
        self._check_ngram_range()
        hasher, native = self._hasher()
        if not native:
            csr = self._new_rows(self._python_rows(hasher, X, dtype))
            if self.norm is not None:
                csr.scale_columns(None, self.norm, csr.values, threads=threads_for(csr.shape[0], self.n_jobs))
            return csr
        rows = self._text_rows(hasher, dtype)
        for texts in self.text_batches(X):
            _read(rows, texts)
        return self._new_rows(rows.take())

    def fit_pass(
        self,
        dtype: np.dtype[Any] | None,  # noqa: ARG002
        order: str = "alphabet",  # noqa: ARG002
        weight: Any = None,  # noqa: ARG002
    ) -> TextPass | None:
        """Return what hashes batch by batch; None if the texts have to be read in another way."""
        if self.record:
            return None
        self.partial_fit([])
        return self.rows_pass()

    def rows_pass(self) -> TextPass | None:
        """Return what hashes batch by batch; None if the texts have to be read in another way."""
        hasher, native = self._hasher()
        if not native:
            return None
        rows = self._text_rows(hasher, np.dtype(np.float32))
        return TextPass(partial(_read, rows), lambda: self._new_rows(rows.take()))

    def batch_hasher(self) -> Callable[[_native.Texts], Csr] | None:
        """Return what makes float32 rows of a batch of texts, in any thread; None if they are read in another way."""
        hasher, native = self._hasher()
        if not native or self.record:
            return None

        def rows_of(texts: _native.Texts) -> Csr:
            rows = _native.RowsF32()
            rows.weigh_by(None, self.norm or "none")
            with _surrogates_named():
                hasher.read(rows, texts, bool(self.binary), 1)
            return self._new_rows(rows.take())

        return rows_of

    def _text_rows(self, hasher: _native.TermHasher, dtype: np.dtype[Any]) -> TextRows:
        weights = (None, self.norm)
        return TextRows(hasher, dtype, binary=bool(self.binary), n_jobs=self.n_jobs, weights=weights)

    def _new_rows(self, rows: Rows) -> Csr:
        if len(rows[0]) == 1:
            raise ValueError("Cannot vectorize empty sequence.")
        return Csr(*rows, self.n_features, checked=True)

    def _hasher(self) -> tuple[_native.TermHasher, bool]:
        """Return what hashes, and whether it can also read the texts; made again when a parameter has changed."""
        params = (_hashed(self), self.get_stop_words())
        if "_made" not in vars(self) or self._made[0] != params:
            self._made = (params, *self._new_hasher())
        return self._made[1], self._made[2]

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_made"}

    def _new_hasher(self) -> tuple[_native.TermHasher, bool]:
        options = self._native_options()
        native = options is not None
        if options is None:
            options = _native.TextOptions.make(
                terms="word", lower=False, accents=0, marks=False, min_chars=1, min_n=1, max_n=1
            )
        stop_bytes, stop_offsets = self._native_stop_words() if native else encode_terms([])
        hasher = _native.TermHasher(
            options,
            n_columns=self.n_features,
            signs=bool(self.alternate_sign),
            key=self.hash_key(),
            stop_bytes=stop_bytes,
            stop_offsets=stop_offsets,
        )
        return hasher, native

    def hash_key(self) -> NDArray[np.uint64] | None:
        """Return the three numbers that the hash of the core has for the key; None without one."""
        if self.key is None:
            return None
        drawn: NDArray[Any] = np.random.SeedSequence(self.key).generate_state(3, np.uint64)
        return drawn | np.uint64(1)

    def _python_rows(self, hasher: _native.TermHasher, X: Any, dtype: np.dtype[Any]) -> Rows:
        """Hash the terms of the user's own callables."""
        indptr: list[int] = [0]
        columns: list[NDArray[np.int32]] = []
        values: list[NDArray[Any]] = []
        for terms in analyzed(self.build_analyzer(), X):
            codes = hasher.codes(*_as_bytes(terms))
            found, where = np.unique(codes >> 1, return_inverse=True)
            totals = np.bincount(where, 1.0 - 2.0 * (codes & 1), len(found))
            columns.append(found.astype(np.int32))
            values.append((np.ones_like(totals) if self.binary else totals).astype(dtype))
            indptr.append(indptr[-1] + len(found))
        if not columns:
            return np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, dtype)
        return np.array(indptr, np.int64), np.concatenate(columns), np.concatenate(values)

    @property
    def n_columns(self) -> int:
        """How many columns there are."""
        return int(self.n_features)

    def names_of(self, columns: Columns) -> list[str]:
        """Return the numbers of some columns: #0."""
        return [f"#{column}" for column in columns.tolist()]

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where the terms are that fall into some columns."""
        from lindy.text.analysis.occurrences import Lookup, features_at, term_occurrences

        def find(terms: list[str], single: bool) -> tuple[NDArray[np.int64], NDArray[np.float64]]:  # noqa: ARG001
            codes = self._hasher()[0].codes(*encode_terms(terms)).astype(np.int64)
            sign = np.ones(len(terms)) if self.binary else 1.0 - 2.0 * (codes & 1).astype(np.float64)
            return features_at(columns, codes >> 1), sign

        return term_occurrences(self, text, Lookup(find, spelt=True, complete=True))

    def _record(self, X: Any) -> None:
        if "_recorded" not in vars(self):
            shared = {name: getattr(self, name) for name in Analyzer._parameter_names()}
            self._recorded = CountVectorizer(**shared)
        self._recorded.partial_fit(X)

    def terms_of(self, column: int) -> list[str]:
        """Return the recorded terms of a column."""
        return self._by_column().get(int(column), [])

    @property
    def collisions_(self) -> dict[int, list[str]]:
        """The columns that several recorded terms share, and these terms."""
        return {column: terms for column, terms in self._by_column().items() if len(terms) > 1}

    def recorded_terms(self, columns: Columns) -> dict[int, list[str]]:
        """Return the recorded terms of some columns."""
        terms = self._by_column() if "_recorded" in vars(self) else {}
        return {column: terms[column] for column in columns.tolist() if column in terms}

    def _by_column(self) -> dict[int, list[str]]:
        if "_recorded" not in vars(self):
            raise AttributeError("no terms were recorded: fit with record=True first")
        terms = self._recorded._terms
        codes = self._hasher()[0].codes(*terms.arrays)
        by_column: dict[int, list[str]] = {}
        for column, term in zip((codes >> 1).tolist(), terms.strings, strict=True):
            by_column.setdefault(column, []).append(term)
        return by_column

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything that ``transform`` needs, and the recorded terms: a dict for JSON and arrays."""
        if self._native_options() is None:
            raise ValueError(
                "only vectorizers without callables and with a native token pattern can be saved"
            )
        config = {
            "kind": self.kind,
            **write_analyzer(self),
            "n_features": int(self.n_features),
            "binary": bool(self.binary),
            "norm": self.norm,
            "alternate_sign": bool(self.alternate_sign),
            "key": None if self.key is None else int(self.key),
        }
        if "_recorded" not in vars(self):
            return config, {}
        terms, offsets = self._recorded._terms.arrays
        return config, {"terms": terms, "offsets": offsets}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        params = read_analyzer(config)
        names = ("n_features", "binary", "norm", "alternate_sign", "key")
        if any(name not in config for name in names):
            raise ValueError("the saved vectorizer lacks parameters")
        vectorizer = cls(**params, **{name: config[name] for name in names})
        vectorizer._check_parameters()
        if vectorizer._native_options() is None:
            raise ValueError("the saved vectorizer has invalid parameters")
        if arrays:
            state = {"kind": "count", "binary": False, "oov": None, **write_analyzer(vectorizer)}
            vectorizer._recorded = CountVectorizer.from_state(state, arrays)
            vectorizer.record = True
        return vectorizer


def _read(rows: TextRows, texts: _native.Texts) -> None:
    """Hash a batch of texts."""
    with _surrogates_named():
        rows.read(texts)


@contextmanager
def _surrogates_named() -> Iterator[None]:
    """Let a lone surrogate be the error that Python has for it."""
    try:
        yield
    except _native.SurrogateError as error:
        raise UnicodeEncodeError("utf-8", "\ud800", 0, 1, f"surrogates not allowed: {error}") from None


def _as_bytes(terms: Iterable[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return the UTF-8 of terms, which may already be bytes."""
    encoded = []
    for term in terms:
        if not isinstance(term, str | bytes):
            raise TypeError("feature names must be strings")
        encoded.append(term.encode("utf-8") if isinstance(term, str) else term)
    offsets = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum([len(term) for term in encoded], out=offsets[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), offsets
