"""The linear model itself: weights, scores, labels."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.base import Classifier, one_row, thread_count
from lindy.csr import Csr, Float, is_sparse
from lindy.linear.shared import SharedWeights
from lindy.state import Arrays, Shape, check_arrays


def linear_scores(X: Csr, W: Float, b: Float, n_jobs: int | None = None) -> NDArray[Any]:
    """Return XW + b, rows × columns of W, in the precision of W."""
    out = np.empty((X.shape[0], W.shape[1]), W.dtype)
    _native.scores(*X.arrays, W, b, out, thread_count(n_jobs))
    return out


class LinearClassifier(Classifier):
    """Predictions from ``W_`` and ``b_``; learners set them.

    Attributes
    ----------
    W_ : array (features, classes), or (features, 1) for two classes
    b_ : array (classes,), or (1,)
    classes_ : sorted labels
    """

    W_: Float
    b_: Float
    _shared: SharedWeights
    n_jobs: int | None = None
    _state_arrays: ClassVar[dict[str, Shape]] = {"W": ("F", "O"), "b": ("O",)}
    # a sparsified model: W by columns, and the number of its rows
    _sparse_state: ClassVar[dict[str, Shape]] = {
        "W_values": ("N",),
        "W_features": ("N",),
        "W_starts": ("P",),
        "W_rows": (1,),
        "b": ("O",),
    }

    @property
    def coef_(self) -> NDArray[Any]:
        """The weights in scikit-learn's shape, (classes or 1, features)."""
        return self.W_.T

    @property
    def intercept_(self) -> NDArray[Any]:
        """The bias in scikit-learn's shape."""
        return self.b_

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores: (rows,) for two classes, otherwise (rows, classes)."""
        self._check_fitted()
        rows = self._rows(X)
        if is_sparse(self.W_):
            scores = self._shared.scores(rows, self.b_.astype(np.float64), self.n_jobs).astype(self.W_.dtype)
        else:
            scores = linear_scores(rows, self.W_, self.b_, self.n_jobs)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def addends(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take the scores of one row apart: x_j·W_j of each stored value, and b."""
        self._check_fitted()
        row = one_row(self._rows(X))
        weights = self.weights_of(row.indices).astype(np.float64)
        return row.values.astype(np.float64)[:, None] * weights, self.b_.astype(np.float64)

    def weights_of(self, features: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return the rows of W of some features, dense."""
        return self._shared.of(features) if is_sparse(self.W_) else self.W_[features]

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label with the highest score for each row."""
        scores = self.decision_function(X)
        codes = (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        codes = np.minimum(codes, len(self.classes_) - 1)  # a single class has no rival
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def sparsify(self) -> Self:
        """Keep the weights as a sparse matrix (SciPy's CSC); ``coef_`` is then sparse too.

        For models with an L1 penalty or after feature selection. Predictions do not change; saved models stay sparse.
        """
        self._check_fitted()
        if not is_sparse(self.W_):
            from scipy.sparse import csc_array

            self._set_sparse(csc_array(self.W_))
        return self

    def _sparsify_if_smaller(self) -> None:
        """Keep the weights sparse where that takes less memory."""
        nonzero = int(np.count_nonzero(self.W_))
        if nonzero * (self.W_.itemsize + 4) + 8 * (self.W_.shape[1] + 1) < self.W_.nbytes:
            self.sparsify()

    def densify(self) -> Self:
        """Keep the weights as an array again."""
        self._check_fitted()
        if is_sparse(self.W_):
            self.W_ = np.ascontiguousarray(self.W_.toarray())  # type: ignore[attr-defined]
            del self._shared
        return self

    def _set_sparse(self, W: Any) -> None:
        """Set W_ (CSC) and the form it is scored in: rows that are not zero, and one that is."""
        features = np.unique(W.indices)
        rows = np.zeros((len(features) + 1, W.shape[1]))
        place = np.searchsorted(features, W.indices) + 1
        rows[place, np.repeat(np.arange(W.shape[1]), np.diff(W.indptr))] = W.data
        row_of = np.zeros(W.shape[0], np.int32)
        row_of[features] = np.arange(1, len(features) + 1, dtype=np.int32)
        self.W_, self._shared = W, SharedWeights(rows, row_of)

    def _pack(self) -> Arrays:
        if not is_sparse(self.W_):
            return super()._pack()
        W: Any = self.W_
        return {
            "W_values": np.ascontiguousarray(W.data),
            "W_features": W.indices.astype(np.int32),
            "W_starts": W.indptr.astype(np.int64),
            "W_rows": np.array([W.shape[0]], np.int64),
            "b": np.ascontiguousarray(self.b_),
        }

    def _unpack(self, arrays: Arrays) -> None:
        if "W_values" not in arrays:
            super()._unpack(arrays)
            return
        axes = check_arrays(arrays, self._sparse_state, len(self.classes_))
        rows, starts, features = int(arrays["W_rows"][0]), arrays["W_starts"], arrays["W_features"]
        sound = (
            axes["P"] == axes["O"] + 1
            and 0 < rows <= np.iinfo(np.int32).max
            and starts.dtype == np.int64
            and features.dtype == np.int32
            and starts[0] == 0
            and starts[-1] == axes["N"]
            and (np.diff(starts) >= 0).all()
            and (axes["N"] == 0 or (features.min() >= 0 and features.max() < rows))
        )
        inner = np.ones(axes["N"], bool)  # features ascend within each column
        inner[starts[:-1][np.diff(starts) > 0] if sound else slice(0)] = False
        if not sound or (np.diff(features, prepend=-1)[inner] <= 0).any():
            raise ValueError(
                "the sparse weights are malformed: their columns, features and lengths contradict"
            )
        from scipy.sparse import csc_array

        self._set_sparse(csc_array((arrays["W_values"], features, starts), shape=(rows, axes["O"])))
        self.n_features_in_ = rows
        self.b_ = arrays["b"]
