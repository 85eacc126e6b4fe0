"""Weights of counted words: tf-idf and BM25.

With n documents, of which df(w) hold the word w, and tf the count of w in a document:

    tf-idf     tf · (1 + log((1 + n) / (1 + df)))      smooth: as if one more document held every word
               tf · (1 + log(n / df))                  not smooth
    BM25       idf · (k₁ + 1)·tf / (tf + k₁·(1 − b + b·|x| / avg))      |x| = Σ tf, avg its mean over the documents
    sublinear  1 + log tf  in the place of tf
    norms      x / Σ|x|,  x / √Σx²,  x / max|x|        l1, l2, max
"""

from __future__ import annotations

from functools import partial
from typing import Any, Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.csr import Csr, Float
from lindy.core.labels import check_weight, total_weight
from lindy.estimators.base import thread_count
from lindy.estimators.parameters import fitted, with_parameters
from lindy.estimators.serialization import Arrays, Shape
from lindy.text.vocabulary.vocabulary_merge import Factors, Places, placed_sums, ratio_at
from lindy.text.weighting.row_weights import Weight, document_frequency, existing, row_totals
from lindy.text.weighting.transformer import Log, Norm, RowTransformer, check_norm, tf_idf


def smooth_idf(
    df: NDArray[Any], n_documents: float, *, smooth: bool, dtype: Any, log: Log, rounded: Any = None
) -> Float:
    """Return 1 + log((s + n) / (s + df)) with s = 1 if ``smooth``, otherwise s = 0; in ``dtype``, then ``rounded``."""
    largest = int(df.max(initial=0))
    if (
        smooth and largest + 1 < len(df) and df.dtype.kind != "f"
    ):  # most terms are rare: few different logarithms
        table: Float = smooth_idf(
            np.arange(largest + 1), n_documents, smooth=True, dtype=dtype, log=log, rounded=rounded
        )
        looked_up: Float = table[df]
        return looked_up
    counts = df.astype(dtype)
    counts += float(smooth)
    idf = np.full_like(counts, n_documents + int(smooth))
    idf /= counts
    with_log: Float = (log(idf) + 1.0).astype(idf.dtype, copy=False)
    return with_log if rounded is None else with_log.astype(rounded, copy=False)


def finite_idf(idf: Float) -> Float:
    """Return idf with 0 for words that no document held, whose idf is infinite without smoothing."""
    finite = np.isfinite(idf)
    return idf if finite.all() else np.where(finite, idf, idf.dtype.type(0))


def _log_for(X: Any) -> Log:
    """Return the logarithm for lindy's own rows, or for what also goes to scikit-learn."""
    return numerics.log if isinstance(X, Csr) else np.log


class DocumentCounter(RowTransformer):
    """The base of weightings that count the documents of each column in ``fit``, exactly, and can go on counting.

    A document of weight 2 is two documents; a document of weight 0 is none.
    """

    document_frequency_: NDArray[Any]
    n_documents_: float

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Count the documents of each column."""
        self._check_parameters()
        return self._count(*self._weighted_rows(X, sample_weight, reset=True), fresh=True, log=_log_for(X))

    def partial_fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Count further documents; parts fitted one by one equal one fit of all."""
        self._check_parameters()
        fresh = not hasattr(self, "document_frequency_")
        return self._count(*self._weighted_rows(X, sample_weight, reset=fresh), fresh=fresh, log=_log_for(X))

    def of_further(self, rows: Csr, weight: Weight | None = None) -> Self:
        """Return a transformer of further rows, to be pooled with this one."""
        return type(self)(**self.get_params(deep=False)).fit(rows, sample_weight=weight)

    def _weighted_rows(
        self, X: Any, sample_weight: ArrayLike | None, *, reset: bool
    ) -> tuple[Csr, Weight | None]:
        """Return the rows that are there, and how many rows each of them is."""
        rows = self._rows(X, reset=reset)
        return existing(rows, check_weight(sample_weight, rows.shape[0]))

    def _count(self, rows: Csr, weight: Weight | None, *, fresh: bool, log: Log) -> Self:  # noqa: ARG002
        df, n = document_frequency(rows, weight), total_weight(weight, rows.shape[0])
        self.document_frequency_ = df if fresh else self.document_frequency_ + df
        self.n_documents_ = n if fresh else self.n_documents_ + n
        return self

    def _unpack(self, arrays: Arrays) -> None:
        super()._unpack(arrays)
        df, n = self.document_frequency_, self.n_documents_
        if not 0 < n < np.inf or not ((df >= 0) & (df <= n)).all():
            raise ValueError("array document_frequency must lie between 0 and n_documents, which is above 0")


@with_parameters
class TfidfTransformer(DocumentCounter):
    """Counts to tf-idf: every value times the inverse document frequency of its column, rows normalised.

    The results equal those of scikit-learn's transformer of the same name to the last bit. Beyond it there are
    the norm "max", ``n_jobs`` and ``partial_fit``; and rows whose sum of squares leaves the range of floating
    point are normalised too, instead of becoming zero.

    Parameters
    ----------
    norm : "l1", "l2", "max" or None
        What every row is divided by.
    use_idf : bool
        Whether to multiply by ``idf_``.
    smooth_idf : bool
        Whether to count one more document that holds every word, so that no document frequency is zero.
    sublinear_tf : bool
        Whether to replace tf by 1 + log tf. Counts must not be negative then.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    idf_ : array (features,), if ``use_idf``
    document_frequency_ : array (features,), in how many rows each column was stored
    n_documents_ : int
    """

    _idf: Float = fitted()

    norm: Norm | None = "l2"
    use_idf: bool = True
    smooth_idf: bool = True
    sublinear_tf: bool = False
    n_jobs: int | None = None

    def _check_parameters(self) -> None:
        check_norm(self.norm)
        for name in ("use_idf", "smooth_idf", "sublinear_tf"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise ValueError(f"{name} must be True or False; got {getattr(self, name)!r}")

    @property
    def idf_(self) -> Float:
        """The inverse document frequency of each column; may be set, to weigh with those of another transformer."""
        if "_idf" not in vars(self):
            raise AttributeError(f"{type(self).__name__!r} object has no attribute 'idf_'")
        return self._idf

    @idf_.setter
    def idf_(self, value: Any) -> None:
        self._idf = np.asarray(value)
        self.n_features_in_ = len(self._idf)

    def _count(self, rows: Csr, weight: Weight | None, *, fresh: bool, log: Log) -> Self:
        super()._count(rows, weight, fresh=fresh, log=log)
        vars(self).pop("_idf", None)
        if self.use_idf:
            df, n = self.document_frequency_, self.n_documents_
            self.idf_ = smooth_idf(df, n, smooth=self.smooth_idf, dtype=rows.values.dtype, log=log)
        return self

    def scale(self) -> Float | None:
        """Return what the columns are multiplied by; None for nothing."""
        idf: Float | None = getattr(self, "idf_", None)
        return idf if idf is None or self.smooth_idf else finite_idf(idf)

    def transform_csr(self, X: Any) -> Csr:
        """Return the weighted rows; they share the indices of X."""
        return self._weighted(self._checked(X), partial(self._weigh, log=numerics.log))

    def _weigh(self, X: Csr, out: Float, log: Log = np.log) -> None:
        sublinear, n_jobs = self.sublinear_tf, self.n_jobs
        tf_idf(X, self.scale(), self.norm, out, sublinear=sublinear, log=log, n_jobs=n_jobs)

    def _shapes(self) -> dict[str, Shape]:
        counts: dict[str, Shape] = {"document_frequency": ("F",), "n_documents": (1,)}
        return counts | {"idf": ("F",)} if self.use_idf else counts

    def _pack(self) -> Arrays:
        arrays = super()._pack()
        scale = self.scale()
        return arrays if scale is None else arrays | {"idf": scale}


@with_parameters
class Bm25Transformer(DocumentCounter):
    """Counts to BM25: tf-idf whose tf saturates, the sooner the shorter the document.

    The weight of a word is::

        idf(w) · (k₁ + 1)·tf / (tf + k₁·(1 − b + b·|x| / avg)),   |x| = Σ tf

    The average length avg and the document frequencies come from ``fit`` (Robertson, Walker, Jones,
    Hancock-Beaulieu & Gatford: Okapi at TREC-3, 1994).

    Parameters
    ----------
    k1 : float
        How slowly repetitions saturate: 0 counts a word once, ∞ would count it tf times.
    b : float in [0, 1]
        How much longer documents are discounted: 0 not at all, 1 in proportion to their length.
    idf : "lucene", "robertson", "smooth" or None
        "lucene": log(1 + (n − df + ½) / (df + ½)), always positive;
        "robertson": log((n − df + ½) / (df + ½)), the weight of Robertson and Spärck Jones, which is negative for
        words in more than half of the documents;
        "smooth": 1 + log((1 + n) / (1 + df)), that of :class:`TfidfTransformer`;
        None: 1.
    norm : "l1", "l2", "max" or None
        What every row is divided by afterwards.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    idf_ : array (features,)
    average_length_ : float
    document_frequency_ : array (features,), in how many rows each column was stored
    n_documents_ : int
    total_length_ : float
    """

    idf_: NDArray[np.float64] = fitted()
    total_length_: float = fitted()

    k1: float = 1.2
    b: float = 0.75
    idf: Literal["lucene", "robertson", "smooth"] | None = "lucene"
    norm: Norm | None = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    def _check_parameters(self) -> None:
        check_norm(self.norm)
        if not 0 <= self.k1 < np.inf:
            raise ValueError(f"k1 must be a finite number ≥ 0; got {self.k1}")
        if not 0 <= self.b <= 1:
            raise ValueError(f"b must lie between 0 and 1; got {self.b}")
        if self.idf not in ("lucene", "robertson", "smooth", None):
            raise ValueError(f"idf must be 'lucene', 'robertson', 'smooth' or None; got {self.idf!r}")

    @property
    def average_length_(self) -> float:
        """The mean of Σ tf over the documents of ``fit``."""
        return self.total_length_ / self.n_documents_

    def _count(self, rows: Csr, weight: Weight | None, *, fresh: bool, log: Log) -> Self:
        self._refuse_negative(rows)
        super()._count(rows, weight, fresh=fresh, log=log)
        with np.errstate(over="ignore"):
            own = rows.values.sum(dtype=np.float64) if weight is None else (weight * row_totals(rows)).sum()
            total = own + (0.0 if fresh else self.total_length_)
        self.total_length_ = float(min(total, np.finfo(np.float64).max))
        self.idf_ = self._inverse_document_frequency()
        return self

    def learn_counts(self, documents: NDArray[Any], n_documents: float, total_length: float) -> Self:
        """Learn what ``fit`` learns from rows, of their sums: how many have each column, how many they are, Σ tf."""
        self._check_parameters()
        self.document_frequency_, self.n_documents_ = documents, n_documents
        self.total_length_, self.n_features_in_ = float(total_length), len(documents)
        self.idf_ = self._inverse_document_frequency()
        return self

    def _inverse_document_frequency(self) -> NDArray[np.float64]:
        df, n = self.document_frequency_.astype(np.float64), self.n_documents_
        if self.idf is None:
            return np.ones_like(df)
        if self.idf == "smooth":
            return 1 + numerics.log((1 + n) / (1 + df))
        odds = (n - df + 0.5) / (df + 0.5)
        return numerics.log(odds if self.idf == "robertson" else 1 + odds)

    def _refuse_negative(self, X: Csr) -> None:
        if len(X.values) and X.values.min() < 0:
            raise ValueError("Negative values in data passed to Bm25Transformer: it weighs counts")

    def _weigh(self, X: Csr, out: Float) -> None:
        self._refuse_negative(X)
        average, threads = self.average_length_ or 1.0, thread_count(self.n_jobs)
        norm = self.norm or "none"
        _native.bm25(
            X,
            idf=self.idf_,
            k1=self.k1,
            b=self.b,
            average=average,
            norm=norm,
            out=out,
            threads=threads,
        )

    def pooled(
        self, other: Any, places: tuple[Places, Places], n_columns: int
    ) -> tuple[Self, tuple[Factors | None, Factors | None]]:
        """Return the transformer of the documents of both, over columns of which each has some."""
        made = type(self)(**self.get_params(deep=False))
        parts = [(own, part.document_frequency_) for own, part in zip(places, (self, other), strict=True)]
        made.document_frequency_ = placed_sums(parts, n_columns)
        made.n_documents_ = self.n_documents_ + other.n_documents_
        made.total_length_ = self.total_length_ + other.total_length_
        made.n_features_in_ = n_columns
        made.idf_ = made._inverse_document_frequency()
        ratios = [
            ratio_at(made.idf_, own, part.idf_) for own, part in zip(places, (self, other), strict=True)
        ]
        return made, (ratios[0], ratios[1])

    def _shapes(self) -> dict[str, Shape]:
        return {"document_frequency": ("F",), "n_documents": (1,), "total_length": (1,), "idf": ("F",)}
