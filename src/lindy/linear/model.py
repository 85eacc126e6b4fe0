"""The linear model itself: weights, scores, labels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.base import Classifier, thread_count
from lindy.csr import Csr, Float
from lindy.state import Shape


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
    n_jobs: int | None = None
    _state_arrays: ClassVar[dict[str, Shape]] = {"W": ("F", "O"), "b": ("O",)}

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
        scores = linear_scores(self._rows(X), self.W_, self.b_, self.n_jobs)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label with the highest score for each row."""
        scores = self.decision_function(X)
        codes = (scores >= 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
        codes = np.minimum(codes, len(self.classes_) - 1)  # a single class has no rival
        labels: NDArray[Any] = self.classes_[codes]
        return labels
