"""Classifiers that only count: how much of each feature each class has seen.

Counts add up, so such a model can be updated batch by batch, grow new classes, and be merged with another one
that was fitted elsewhere: models of k parts, added, equal the model of the whole.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.base import Classifier, Examples, check_labels, check_weight, encode
from lindy.csr import Csr
from lindy.state import Arrays, Shape


def union_of_classes(first: NDArray[Any], second: ArrayLike) -> NDArray[Any]:
    """Return all labels of both, sorted; refuses to mix words and numbers."""
    second = np.asarray(second)
    if len(first) and len(second) and (first.dtype.kind in "OUS") != (second.dtype.kind in "OUS"):
        raise ValueError(
            f"labels must be of one kind; the model has {first.dtype}, the new ones {second.dtype}"
        )
    return np.union1d(first, second)


class CountingClassifier(Classifier):
    """Fitting, updating, merging and storing of class-wise sums; learners turn them into scores.

    Attributes
    ----------
    feature_count_ : array (features, classes), the weighted sum of each feature over the rows of each class
    class_count_ : array (classes,), the weighted number of rows of each class
    """

    feature_count_: NDArray[np.float64]
    class_count_: NDArray[np.float64]
    _state_arrays: ClassVar[dict[str, Shape]] = {"feature_count": ("F", "K"), "class_count": ("K",)}

    def _estimate(self) -> None:
        """Turn the counts into what predictions need."""
        raise NotImplementedError

    def _counted(self, X: Csr) -> Csr:
        """Return what is counted of the rows; learners may look at presence only."""
        return X

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count the features of each class, and estimate."""
        self._check_parameters()
        data = self._examples(X, y, sample_weight)
        self._set_counts(*self._count(data))
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to the counts, and estimate again.

        ``classes`` names labels that are yet to come; labels never announced are welcome too.
        """
        self._check_parameters()
        first = not self.__sklearn_is_fitted__()
        rows = self._rows(X, reset=first)
        labels = check_labels(y, rows.shape[0])
        weight = check_weight(sample_weight, rows.shape[0])
        known = labels[:0] if first else self.classes_
        wanted = union_of_classes(union_of_classes(known, labels), [] if classes is None else classes)
        model = type(self)(**self.get_params(deep=False))
        model.classes_ = wanted
        features, totals = model._count(Examples(rows, encode(labels, wanted), weight))
        if not first:
            columns = np.searchsorted(wanted, self.classes_)
            features[:, columns] += self.feature_count_
            totals[columns] += self.class_count_
        self.classes_ = wanted
        self._set_counts(features, totals)
        return self

    def _count(self, data: Examples) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        K = len(self.classes_)
        features, totals = np.zeros((data.X.n_columns, K)), np.zeros(K)
        X = self._counted(data.X)
        _native.class_counts(*X.arrays, data.y, data.weight, features, totals)
        if (features < 0).any():
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__}: a feature's count in a class is below zero"
            )
        return features, totals

    def _set_counts(self, features: NDArray[np.float64], totals: NDArray[np.float64]) -> None:
        self.feature_count_, self.class_count_ = features, totals
        self._estimate()

    def _unpack(self, arrays: Arrays) -> None:
        super()._unpack(arrays)
        if (self.feature_count_ < 0).any() or (self.class_count_ < 0).any() or not self.class_count_.any():
            raise ValueError("stored counts must not be negative, and some class must have been seen")
        self._estimate()

    def __add__(self, other: Self) -> Self:
        """Return the model of both parts' rows; they must have the same parameters and features."""
        if type(other) is not type(self):
            return NotImplemented
        self._check_fitted()
        other._check_fitted()
        if repr(other) != repr(self):
            raise ValueError(f"only models with the same parameters can be added: {self!r}, {other!r}")
        if other.n_features_in_ != self.n_features_in_:
            raise ValueError(
                f"only models of the same features can be added: {self.n_features_in_} and"
                f" {other.n_features_in_}; bring both to one vocabulary with remapped() first"
            )
        both = type(self)(**self.get_params(deep=False))
        both.classes_ = union_of_classes(self.classes_, other.classes_)
        both.n_features_in_ = self.n_features_in_
        K = len(both.classes_)
        features, totals = np.zeros((self.n_features_in_, K)), np.zeros(K)
        for part in (self, other):
            columns = np.searchsorted(both.classes_, part.classes_)
            features[:, columns] += part.feature_count_
            totals[columns] += part.class_count_
        both._set_counts(features, totals)
        return both

    def remapped(self, columns: ArrayLike, n_features: int) -> Self:
        """Return the model over another vocabulary: feature j becomes ``columns[j]`` of ``n_features``."""
        self._check_fitted()
        target = np.asarray(columns)
        if target.shape != (self.n_features_in_,) or target.dtype.kind not in "iu":
            raise ValueError(f"columns must hold one number for each of the {self.n_features_in_} features")
        if len(target) and (target.min() < 0 or target.max() >= n_features):
            raise ValueError(f"columns must lie in 0..{n_features - 1}")
        if len(np.unique(target)) != len(target):
            raise ValueError("columns must be different: two features cannot become one")
        model = type(self)(**self.get_params(deep=False))
        model.classes_ = self.classes_
        model.n_features_in_ = n_features
        features = np.zeros((n_features, len(self.classes_)))
        features[target] = self.feature_count_
        model._set_counts(features, self.class_count_)
        return model
