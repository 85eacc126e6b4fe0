"""Counts weighted by how rare their terms are: CountVectorizer and TfidfTransformer in one.

    tf-idf     x_ij · idf_j,   idf_j = 1 + log((1 + n) / (1 + df_j)),   rows divided by their norm
    sublinear  1 + log x_ij  in the place of x_ij

n is the number of texts, df_j in how many of them term j occurs.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.errors import not_fitted
from lindy.estimators.parameters import BOOLEAN, NONE, dtype_of, fitted, fixed, one_of, with_parameters
from lindy.text.analysis.documents import refuse_other_than_documents
from lindy.text.count import CountVectorizer
from lindy.text.native_rows import CountWeights, Rows, WeighedRows, float_dtype
from lindy.text.vectorizer import present_examples
from lindy.text.vocabulary.vocabulary_merge import Grown, documents_of_idf, ratio_at
from lindy.text.weighting.tfidf_transformer import TfidfTransformer, finite_idf, smooth_idf
from lindy.text.weighting.transformer import Log, counts_table, tf_idf, usual_counts
from lindy.text.weighting.weighting_registry import TermWeights

_FLOAT32 = np.dtype(np.float32)


@with_parameters
class TfidfVectorizer(CountVectorizer):
    """Convert texts to a matrix of tf-idf weights; scikit-learn's parameters, attributes and results.

    Parameters
    ----------
    norm : {'l1', 'l2', 'max'}, optional
        What every row is divided by.
    use_idf, smooth_idf, sublinear_tf : bool
        Whether to multiply by idf, to count one more text that has every term, and to take 1 + log of the counts.
    dtype : dtype
        float64 or float32.

    The other parameters are those of ``CountVectorizer``.

    Attributes
    ----------
    vocabulary_ : dict from term to column
    idf_ : array (features,), if ``use_idf``
    fixed_vocabulary_ : bool, whether the terms were given
    """

    kind = "tfidf"
    _transformer = TfidfTransformer
    _tfidf: TfidfTransformer = fitted()

    dtype: Annotated[DTypeLike, dtype_of("biuf")] = np.float64
    norm: Annotated[str | None, one_of("l1", "l2", "max"), NONE] = "l2"
    use_idf: Annotated[bool, BOOLEAN] = True
    smooth_idf: Annotated[bool, BOOLEAN] = True
    sublinear_tf: Annotated[bool, BOOLEAN] = False
    # idf_, and the float32 form of it for models
    _narrowed: tuple[NDArray[Any], NDArray[np.float32]] | None = fixed(default=None)
    # idf_ if it was learned with another logarithm than lindy's own, which is the same on every machine
    _foreign_idf: NDArray[Any] | None = fixed(default=None)

    @property
    def idf_(self) -> NDArray[Any]:
        """The inverse document frequency of each column."""
        if "_tfidf" not in vars(self):
            raise not_fitted(
                self,
                f"{type(self).__name__} is not fitted yet. Call 'fit' with appropriate arguments before using this"
                " attribute.",
            )
        return self._tfidf.idf_

    @idf_.setter
    def idf_(self, value: Any) -> None:
        if not self.use_idf:
            raise ValueError("`idf_` cannot be set when `user_idf=False`.")
        if self.vocabulary is not None:
            self._given_vocabulary()
        if self._has_terms() and self.n_columns != len(value):
            raise ValueError(f"idf length = {len(value)} must be equal to vocabulary size = {self.n_columns}")
        if "_tfidf" not in vars(self):
            self._tfidf = self.new_transformer()
        self._tfidf.idf_ = value

    def _learn_weights(self, dtype: np.dtype[Any] | None, log: Log = numerics.log) -> None:
        """Set idf from ``_document_frequency`` and ``_n_documents``, which counting has left."""
        self._tfidf = self.new_transformer()
        self._tfidf.document_frequency_ = self._document_frequency
        self._tfidf.n_documents_ = self._n_documents
        self._tfidf.n_features_in_ = len(self._document_frequency)
        if self.use_idf:
            self._tfidf.idf_ = self._new_idf(log, dtype)
            self._foreign_idf = None if log is numerics.log else self._tfidf.idf_

    def _new_idf(self, log: Log, rounded: np.dtype[Any] | None = None) -> NDArray[Any]:
        dtype = float_dtype(self.dtype)
        return self._idf_of(self._document_frequency, self._n_documents, dtype, log, rounded)

    def _idf_of(
        self,
        df: NDArray[Any],
        n: float,
        dtype: np.dtype[Any],
        log: Log = numerics.log,
        rounded: np.dtype[Any] | None = None,
    ) -> NDArray[Any]:
        return smooth_idf(df, n, smooth=self.smooth_idf, dtype=dtype, log=log, rounded=rounded)

    def _weights_of_counts(self, largest: int, dtype: np.dtype[Any], log: Log) -> CountWeights | None:
        if dtype.kind != "f":
            return None
        table = None
        if self.sublinear_tf:
            # no larger than the weights of the terms
            table = counts_table(largest, len(self._document_frequency), dtype, log)
            if table is None:
                return None
        self._learn_weights(dtype, log)
        weights = self._tfidf
        scale = self.narrow_scale() if log is numerics.log else weights.scale()
        return CountWeights(table, scale, weights.norm)

    def _learned_rows(self, rows: Rows, dtype: np.dtype[Any] | None) -> Csr:
        if isinstance(rows, WeighedRows):
            return Csr(*rows, self.n_columns, checked=True)
        return super()._learned_rows(rows, dtype)

    def _weigh(
        self, rows: Rows, dtype: np.dtype[Any], scale: NDArray[Any] | None, log: Log = numerics.log
    ) -> Csr:
        """Return the weights of counted rows, in the memory of their values; whole numbers become ``dtype``."""
        indptr, indices, values = rows
        if values.dtype.kind != "f":
            values = values.astype(dtype)
        csr = Csr(indptr, indices, values, self.n_columns, checked=True)
        weights = self._tfidf
        sublinear = weights.sublinear_tf
        tf_idf(csr, scale, weights.norm, csr.values, sublinear=sublinear, log=log, n_jobs=self.n_jobs)
        return csr

    def narrow_scale(self) -> NDArray[Any] | None:
        """Return the scale of float32 rows, which is the same whether ``fit`` or ``fit_csr`` has learned it."""
        idf: NDArray[Any] | None = getattr(self._tfidf, "idf_", None)
        if idf is None:
            return None
        if self._narrowed is None or self._narrowed[0] is not idf:  # kept, so that short texts are quick
            own = self._new_idf(numerics.log) if idf is self._foreign_idf else idf
            self._narrowed = idf, finite_idf(own).astype(np.float32, copy=False)
        return self._narrowed[1]

    def term_weights(self) -> TermWeights:
        """Return the formula of the weights of float32 rows."""
        return self._tfidf.term_weights()._replace(scale=self.narrow_scale())

    def _transformed(self, raw_documents: Any, dtype: np.dtype[Any], *, for_model: bool) -> Rows:
        """Return the weights of the known terms in the texts, for a model or as scikit-learn has them."""
        self._check_weights()
        refuse_other_than_documents(raw_documents)
        self._check_vocabulary()
        scale = self.narrow_scale() if for_model else self._tfidf.scale()
        if self._tfidf.sublinear_tf or self._native_index() is None:
            log = numerics.log if for_model else np.log
            return self._weigh(self._found(raw_documents, dtype), dtype, scale, log).arrays
        return self._found(raw_documents, dtype, (scale, self._tfidf.norm))

    def _warn_for_dtype(self) -> None:
        if self.dtype not in (np.float64, np.float32, np.float16):
            floats = (np.float64, np.float32, np.float16)
            warnings.warn(
                f"Only {floats} 'dtype' should be used. {self.dtype} 'dtype' will be converted to np.float64.",
                UserWarning,
                stacklevel=3,
            )

    def fit(self, raw_documents: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the terms of the texts and their idf; a text of weight 2 is two texts, and one of weight 0 is none."""
        self._warn_for_dtype()
        texts, y, weight = present_examples(raw_documents, y, sample_weight)
        self._fit(texts, None, y=y, weight=weight)
        self._learn_weights(None, np.log)
        return self

    def fit_transform(self, raw_documents: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn the terms of the texts and their idf; return their weights."""
        texts, y, weight = present_examples(raw_documents, y, sample_weight)
        if texts is not raw_documents:
            return self.fit(texts, y, weight).transform(raw_documents)
        self._warn_for_dtype()
        dtype = float_dtype(self.dtype)
        own = dtype == np.dtype(self.dtype)
        rows = self._fit(texts, dtype, y=y, log=np.log if own else None, weight=weight)
        if isinstance(rows, WeighedRows):
            return Csr(*rows, self.n_columns, checked=True).to_scipy()
        self._learn_weights(dtype, np.log)
        if not own:
            rows = _sorted(rows, self.n_columns)
        return self._weigh(rows, dtype, self._tfidf.scale(), np.log).to_scipy()

    def _new_rows(self, rows: Rows) -> Csr:
        self._check_weights()
        return self._weigh(rows, _FLOAT32, self.narrow_scale())

    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Learn from further texts; parts fitted one by one equal one fit of all."""
        super().partial_fit(raw_documents, y)
        self._learn_weights(None, np.log)
        return self

    def _documents(self, n_documents: float) -> NDArray[Any] | None:
        """Return in how many documents each term is; of a model from a file, that follows from idf."""
        own = getattr(self, "_document_frequency", None)
        if own is not None or not self.use_idf:
            return own
        return documents_of_idf(self.idf_, n_documents, smooth=self.smooth_idf)

    def fresh_after(self, n_before: float) -> Self:
        """Return an unfitted copy, of the precision in which idf was learned."""
        made = self.fresh()
        return made.set_params(dtype=_FLOAT32) if self._is_narrow(n_before) else made

    def _is_narrow(self, n_documents: float) -> bool:
        """Whether idf was learned from so many documents in float32, which files of earlier versions do not say."""
        if np.dtype(self.dtype) == _FLOAT32:
            return True
        if not self.use_idf or hasattr(self, "_document_frequency"):
            return False
        df = documents_of_idf(self.idf_, n_documents, smooth=self.smooth_idf)
        narrow, wide = (self._idf_of(df, n_documents, np.dtype(kind)) for kind in (np.float32, np.float64))
        return np.array_equal(narrow, self.idf_) and not np.array_equal(wide.astype(np.float32), self.idf_)

    def _rescaled(self, parts: tuple[Any, Any], counts: tuple[float, float], grown: Grown) -> Grown:
        """Learn idf from the documents of both, in the precision of the first."""
        made, first = grown.vectorizer, parts[0]
        if not self.use_idf:
            made._tfidf = made.new_transformer()
            made._tfidf.n_features_in_ = made.n_columns
            return grown
        documents = first._documents(counts[0])
        made.dtype = _FLOAT32 if first._is_narrow(counts[0]) else made.dtype
        made._narrowed = None
        made._learn_weights(_FLOAT32)
        factors = [
            None if "_tfidf" not in vars(part) else ratio_at(made.idf_, places, part.idf_)
            for part, places in zip(parts, grown.places, strict=True)
        ]
        return replace(grown, factors=(factors[0], factors[1]), documents=documents)

    def transform(self, raw_documents: Any) -> Any:
        """Return the weights of the known terms in the texts."""
        rows = self._transformed(raw_documents, float_dtype(self.dtype), for_model=False)
        return Csr(*rows, self.n_columns, checked=True).to_scipy()

    def transform_csr(self, raw_documents: Any) -> Csr:
        """Return the weights of the known terms in the texts as float32 rows."""
        rows = self._transformed(raw_documents, _FLOAT32, for_model=True)
        return Csr(*rows, self.n_columns, checked=True)

    def scored_part(self) -> _native.ScoredPart | None:
        """Return how the core finds and weighs the terms, for ``lindy.scoring``; None if it cannot."""
        self._check_weights()
        index, weights = self._native_index(), self._tfidf
        if index is None:
            return None
        table = usual_counts(_FLOAT32, numerics.log) if weights.sublinear_tf else None
        norm = weights.norm or "none"
        return _native.ScoredPart(index, bool(self.binary), table, self.narrow_scale(), norm)

    def _check_weights(self) -> None:
        if "_tfidf" not in vars(self):
            raise not_fitted(self, "The TF-IDF vectorizer is not fitted")

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything that ``transform`` needs: a dict for JSON and arrays."""
        self._check_weights()
        config, arrays = super().to_state()
        weights = self._tfidf
        config |= {
            "norm": weights.norm,
            "use_idf": bool(weights.use_idf),
            "smooth_idf": bool(weights.smooth_idf),
            "sublinear_tf": bool(weights.sublinear_tf),
        }
        config |= {"dtype": "float32"} if np.dtype(self.dtype) == _FLOAT32 else {}
        return config, arrays | ({"idf": weights.idf_} if weights.use_idf else {})

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        vectorizer = super().from_state(config, arrays)
        for name in ("use_idf", "smooth_idf", "sublinear_tf"):
            if not isinstance(config.get(name), bool):
                raise ValueError(f"the saved vectorizer's {name} must be true or false")
            setattr(vectorizer, name, config[name])
        if config.get("norm", 0) not in ("l1", "l2", "max", None):
            raise ValueError("the saved vectorizer's norm must be l1, l2, max or null")
        vectorizer.norm = config["norm"]
        if config.get("dtype", "float32") != "float32":
            raise ValueError("the saved vectorizer's dtype must be float32, or not be there")
        vectorizer.dtype = np.float32 if "dtype" in config else vectorizer.dtype
        vectorizer._tfidf = vectorizer.new_transformer()
        if vectorizer.use_idf:
            idf = arrays.get("idf")
            sound = isinstance(idf, np.ndarray) and idf.dtype in (np.float32, np.float64) and idf.ndim == 1
            if idf is None or not sound or len(idf) != vectorizer.n_columns:
                raise ValueError("the saved vectorizer's idf must be one number per term")
            vectorizer.idf_ = idf
        return vectorizer


def _sorted(rows: Rows, n_columns: int) -> Rows:
    """Sort each row by column, as scikit-learn's conversion of counts to float64 does."""
    indptr, indices, values = rows
    matrix = Csr(indptr, indices, values, n_columns).to_scipy()
    matrix.sort_indices()
    return indptr, matrix.indices, matrix.data
