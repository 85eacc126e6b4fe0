"""The linear model itself: weights, scores, labels."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Float
from lindy.core.weights import class_weights
from lindy.estimators.base import (
    Classifier,
    Examples,
    best_class,
    one_row,
    require_finite_scores,
    thread_count,
)
from lindy.estimators.learners import WeightSums
from lindy.estimators.serialization import Arrays, Shape
from lindy.linear.sparse_weights import SparseWeights


def require_two_classes(learner: Any) -> None:
    """Raise ValueError unless there is something to tell apart."""
    classes = learner.classes_
    if len(classes) < 2:
        raise ValueError(
            f"{type(learner).__name__} needs at least 2 classes to tell apart, but y holds only one class:"
            f" {classes.tolist()[0]!r}"
        )


def weigh_classes(learner: Any, data: Examples) -> Examples:
    """Return the examples with the weights of their classes, as ``class_weight`` of a learner has them.

    Raises
    ------
    ValueError
        Unless at least two classes have rows of a positive weight.
    """
    require_two_classes(learner)
    weight = class_weights(learner.class_weight, data.y, data.weight)
    if weight is not None and np.count_nonzero(data.y.weighted_counts(weight)) < 2:
        raise ValueError(f"{type(learner).__name__} needs rows of at least 2 classes with a positive weight")
    return data._replace(weight=weight)


class LinearClassifier(Classifier):
    """Predictions from ``W_`` and ``b_``; learners set them.

    Attributes
    ----------
    W_ : array (features, classes), or (features, 1) for two classes
    b_ : array (classes,), or (1,)
    classes_ : sorted labels
    """

    b_: Float
    n_jobs: int | None = None
    learns_labels = True
    _weights: Float | SparseWeights
    _sparse_coef = False
    _state_arrays: ClassVar[dict[str, Shape]] = {"W": ("F", "O"), "b": ("O",)}

    @property
    def W_(self) -> Float:  # noqa: N802
        """The weights; of a model that keeps them sparse, an array made anew by every access."""
        try:
            weights = self._weights
        except AttributeError:
            raise AttributeError(f"this {type(self).__name__} has no W_: it is not fitted yet") from None
        return weights.dense if isinstance(weights, SparseWeights) else weights

    @W_.setter
    def W_(self, W: Float) -> None:  # noqa: N802
        self._weights = W
        self._sparse_coef = False

    @property
    def coef_(self) -> NDArray[Any]:
        """The weights in scikit-learn's shape, (classes or 1, features); sparse after ``sparsify``."""
        if self._sparse_coef:
            sparse: NDArray[Any] = self._sparse().to_scipy().T
            return sparse
        return self.W_.T

    @property
    def intercept_(self) -> NDArray[Any]:
        """The bias in scikit-learn's shape."""
        return self.b_

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores: (rows,) for two classes, otherwise (rows, classes)."""
        self._check_fitted()
        rows = self._rows(X)
        weights = self._kept_weights
        if isinstance(weights, SparseWeights):
            scores = weights.scores(rows, self.b_, self.n_jobs).astype(weights.values.dtype, copy=False)
        else:
            scores = rows.dot(weights, self.b_, thread_count(self.n_jobs))
        require_finite_scores(scores)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def contributions(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take the scores of one row apart: x_j·W_j of each stored value, and b."""
        self._check_fitted()
        row = one_row(self._rows(X))
        weights = self.weights_of(row.indices).astype(np.float64)
        return row.values.astype(np.float64)[:, None] * weights, self.b_.astype(np.float64)

    def weights_of(self, features: NDArray[np.integer[Any]]) -> NDArray[Any]:
        """Return the rows of W of some features, dense."""
        weights = self._kept_weights
        return weights.rows_of(features) if isinstance(weights, SparseWeights) else weights[features]

    def with_weights(self, W: Float) -> Self:
        """Return a copy that scores with other weights, (features, outputs), perhaps of fewer features."""
        self._check_fitted()
        made = copy(self)
        made.W_ = np.ascontiguousarray(W)
        made.b_ = self.b_.astype(W.dtype)
        made.n_features_in_ = len(W)
        return made

    @property
    def sparse_weights(self) -> Any:
        """W as a SciPy array, where most of it is zero and is not stored; otherwise None."""
        weights = vars(self).get("_weights")
        return weights.to_scipy() if isinstance(weights, SparseWeights) else None

    def dense_weights(self) -> Float | None:
        """Return W where the scores are XW + b, in the memory in which it is; None where it is kept sparse."""
        weights = self._kept_weights
        return None if isinstance(weights, SparseWeights) else np.ascontiguousarray(weights)

    def weight_sums(self) -> WeightSums | None:
        """Return the weights and the bias; None where scores are no sums, or probabilities need another formula."""
        if not self.has_contributions or self.has_probabilities:
            return None
        return self._as_sums("linear")

    def _as_sums(self, kind: str, **more: Any) -> WeightSums:
        weights = self.dense_weights()
        return WeightSums(kind, self.sparse_weights if weights is None else weights, self.b_, more)

    @property
    def _kept_weights(self) -> Float | SparseWeights:
        return self._weights if "_weights" in vars(self) else self.W_

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label with the highest score for each row."""
        scores = self.decision_function(X)
        codes = np.minimum(best_class(scores), len(self.classes_) - 1)  # a single class has no rival
        labels: NDArray[Any] = self.classes_[codes]
        return labels

    def sparsify(self) -> Self:
        """Keep only the weights that are not zero; ``coef_`` is then a SciPy sparse array, as in scikit-learn.

        For models after feature selection; learners with an L1 penalty keep their weights so on their own, with
        ``coef_`` an array. Predictions do not change, and saved models are small.
        """
        self._check_fitted()
        self._weights = self._sparse()
        self._sparse_coef = True
        return self

    def densify(self) -> Self:
        """Keep the weights as an array again."""
        self._check_fitted()
        self.W_ = self.W_
        return self

    def _sparse(self) -> SparseWeights:
        weights = vars(self).get("_weights")
        return weights if isinstance(weights, SparseWeights) else SparseWeights.of(self.W_)

    def _sparsify_if_smaller(self) -> None:
        """Keep the weights sparse where that takes less memory."""
        W = self.W_
        if np.count_nonzero(W) * (W.itemsize + 4) + 8 * (W.shape[1] + 1) < W.nbytes:
            self._weights = self._sparse()

    def _pack(self) -> Arrays:
        weights = vars(self).get("_weights")
        if not isinstance(weights, SparseWeights):
            return super()._pack()
        return weights.pack() | {"b": np.ascontiguousarray(self.b_)}

    def _unpack(self, arrays: Arrays) -> None:
        for name in ("W", "b"):
            if name in arrays and arrays[name].dtype.kind != "f":
                raise ValueError(f"array {name} must not be of type {arrays[name].dtype}")
        if "W_values" not in arrays:
            super()._unpack(arrays)
            return
        weights = SparseWeights.unpack(arrays, len(self.classes_))
        self._weights, self.b_ = weights, arrays["b"]
        self.n_features_in_ = weights.n_features
