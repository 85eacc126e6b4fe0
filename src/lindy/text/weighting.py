"""Weights of counted words: tf-idf and BM25.

With n documents, of which df(w) hold the word w, and tf the count of w in a document:

    tf-idf     tf · (1 + log((1 + n) / (1 + df)))         smooth: as if one more document held every word
               tf · (1 + log(n / df))                     not smooth
    sublinear  1 + log tf  in the place of tf
    norms      x / Σ|x|,  x / √Σx²,  x / max|x|           l1, l2, max
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.csr import Csr, Float
from lindy.state import Arrays, Shape
from lindy.text.transformer import Norm, RowTransformer, check_norm, scale_columns


def document_frequency(X: Csr) -> NDArray[np.int64]:
    """Return in how many rows each column is stored."""
    df = np.zeros(X.n_columns, np.int64)
    _native.document_frequency(X.indices, df)
    return df


def smooth_idf(df: NDArray[np.int64], n_documents: int, *, smooth: bool, dtype: Any) -> Float:
    """Return 1 + log((s + n) / (s + df)) with s = 1 if ``smooth``, otherwise s = 0."""
    counts = df.astype(dtype)
    counts += float(smooth)
    idf = np.full_like(counts, n_documents + int(smooth))
    idf /= counts
    np.log(idf, out=idf)
    idf += 1.0
    return idf


class TfidfTransformer(RowTransformer):
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

    idf_: Float
    document_frequency_: NDArray[np.int64]
    n_documents_: int

    def __init__(
        self,
        *,
        norm: Norm | None = "l2",
        use_idf: bool = True,
        smooth_idf: bool = True,
        sublinear_tf: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.norm = norm
        self.use_idf = use_idf
        self.smooth_idf = smooth_idf
        self.sublinear_tf = sublinear_tf
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_norm(self.norm)

    def fit(self, X: Any, y: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Count the documents of each column."""
        self._check_parameters()
        return self._count(self._rows(X, reset=True), fresh=True)

    def partial_fit(self, X: Any, y: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Count further documents; parts fitted one by one equal one fit of all."""
        self._check_parameters()
        fresh = not hasattr(self, "document_frequency_")
        return self._count(self._rows(X, reset=fresh), fresh=fresh)

    def _count(self, rows: Csr, *, fresh: bool) -> Self:
        df, n = document_frequency(rows), rows.shape[0]
        self.document_frequency_ = df if fresh else self.document_frequency_ + df
        self.n_documents_ = n if fresh else self.n_documents_ + n
        if self.use_idf:
            self.idf_ = smooth_idf(
                self.document_frequency_, self.n_documents_, smooth=self.smooth_idf, dtype=rows.values.dtype
            )
        elif hasattr(self, "idf_"):
            del self.idf_
        return self

    def _scale(self) -> Float | None:
        """Return ``idf_``, with 0 for a word that no document held (its idf is infinite without smoothing)."""
        idf = getattr(self, "idf_", None)
        return None if idf is None else np.where(np.isfinite(idf), idf, idf.dtype.type(0))

    def _weigh(self, X: Csr, out: Float) -> None:
        scale_columns(X, self._scale(), self.norm, out, sublinear=self.sublinear_tf, n_jobs=self.n_jobs)

    def _shapes(self) -> dict[str, Shape]:
        counts: dict[str, Shape] = {"document_frequency": ("F",), "n_documents": (1,)}
        return counts | {"idf": ("F",)} if self.use_idf else counts

    def _pack(self) -> Arrays:
        arrays = super()._pack()
        scale = self._scale()
        return arrays if scale is None else arrays | {"idf": scale}
