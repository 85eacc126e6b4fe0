"""``TfidfTransformer``: counted words weighted by tf-idf, and the base of weightings that count documents.

With n documents, of which df(w) hold the word w, and tf the count of w in a document:

    tf-idf     tf · (1 + log((1 + n) / (1 + df)))      smooth: as if one more document held every word
               tf · (1 + log(n / df))                  not smooth
    sublinear  1 + log tf  in the place of tf
    norms      x / Σ|x|,  x / √Σx²,  x / max|x|        l1, l2, max
"""

from __future__ import annotations

from functools import partial
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core import numerics
from lindy.core.csr import Csr, Float
from lindy.core.weights import check_weight, total_weight
from lindy.estimators.parameters import fitted, must, with_parameters
from lindy.estimators.serialization import Arrays, Shape
from lindy.text.weighting.row_weights import Weight, document_frequency, existing
from lindy.text.weighting.transformer import NORM, Log, Norm, RowTransformer, tf_idf
from lindy.text.weighting.weighting_registry import TermWeights


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


FLAG = must("be True or False", lambda value: isinstance(value, bool | np.bool_))


class DocumentCounter(RowTransformer):
    """The base of weightings that count the documents of each column in ``fit``, exactly, and can go on counting.

    A document of weight 2 is two documents; a document of weight 0 is none.
    """

    document_frequency_: NDArray[Any]
    n_documents_: float

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Count the documents of each column."""
        return self._count(*self._weighted_rows(X, sample_weight, reset=True), fresh=True, log=_log_for(X))

    def partial_fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Count further documents; parts fitted one by one equal one fit of all."""
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

    norm: Annotated[Norm | None, NORM] = "l2"
    use_idf: Annotated[bool, FLAG] = True
    smooth_idf: Annotated[bool, FLAG] = True
    sublinear_tf: Annotated[bool, FLAG] = False
    n_jobs: int | None = None

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

    def term_weights(self) -> TermWeights:
        """Return the formula of the weights."""
        return TermWeights("sublinear" if self.sublinear_tf else "counts", self.scale(), self.norm)

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
