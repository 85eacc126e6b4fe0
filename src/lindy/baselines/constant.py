"""Baselines that do not look at the rows: the most frequent label, and labels drawn at random.

A classifier that does not beat them has learned nothing.
"""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.base import Classifier, check_labels, check_weight, encode
from lindy.counting import union_of_classes
from lindy.csr import Csr
from lindy.state import Arrays, check_arrays


class LabelShares(Classifier):
    """The share of each label among the training rows.

    Attributes
    ----------
    class_count_ : array (classes,), the weighted number of rows of each class
    """

    class_count_: NDArray[np.float64]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count the labels."""
        self._check_parameters()
        data = self._examples(X, y, sample_weight)
        self.class_count_ = np.bincount(data.y, data.weight, len(self.classes_)).astype(np.float64)
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Count more labels; new ones are welcome."""
        self._check_parameters()
        first = not self.__sklearn_is_fitted__()
        rows = self._rows(X, reset=first)
        labels = check_labels(y, rows.shape[0])
        weight = check_weight(sample_weight, rows.shape[0])
        known = labels[:0] if first else self.classes_
        wanted = union_of_classes(union_of_classes(known, labels), [] if classes is None else classes)
        count = np.bincount(encode(labels, wanted), weight, len(wanted)).astype(np.float64)
        if not first:
            count[np.searchsorted(wanted, self.classes_)] += self.class_count_
        self.classes_, self.class_count_ = wanted, count
        return self

    def _pack(self) -> Arrays:
        return {"class_count": self.class_count_, "n_features": np.array([self.n_features_in_])}

    def _unpack(self, arrays: Arrays) -> None:
        check_arrays(arrays, {"class_count": ("K",), "n_features": (1,)}, len(self.classes_))
        self.class_count_ = arrays["class_count"].astype(np.float64)
        self.n_features_in_ = int(arrays["n_features"][0])
        if (self.class_count_ < 0).any() or not self.class_count_.any() or self.n_features_in_ < 1:
            raise ValueError("stored counts must not be negative, and some class must have been seen")

    @property
    def share_(self) -> NDArray[np.float64]:
        """P(y), the share of each class."""
        share: NDArray[np.float64] = self.class_count_ / self.class_count_.sum()
        return share

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return a distribution over the labels for each row."""
        raise NotImplementedError

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label with the greatest probability for each row."""
        P = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[P.argmax(axis=1)]
        return labels

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the logarithm of ``predict_proba``."""
        P = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return np.log(P)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the probabilities as scores; for two classes their difference."""
        P = self.predict_proba(X)
        return P[:, 1] - P[:, 0] if P.shape[1] == 2 else P


class MajorityClass(LabelShares):
    """Gives every row the most frequent label, with the labels' shares as probabilities."""

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of each label, for every row the same."""
        self._check_fitted()
        return np.tile(self.share_, (self._rows(X).shape[0], 1))


class RandomClass(LabelShares):
    """Gives every row a random label, each as often as in the training data.

    The draw depends on the seed and the row's values only: equal rows get equal labels, in any batch.

    Parameters
    ----------
    random_state : int or None
        The seed; None is 0.
    """

    def __init__(self, *, random_state: int | None = None) -> None:
        self.random_state = random_state

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return 1 for the label that was drawn."""
        self._check_fitted()
        rows = self._rows(X)
        bounds = np.cumsum(self.share_)
        drawn = np.searchsorted(
            bounds / bounds[-1], _uniform(rows, int(self.random_state or 0)), side="right"
        )
        return np.eye(len(self.classes_))[np.minimum(drawn, len(self.classes_) - 1)]


def _uniform(X: Csr, seed: int) -> NDArray[np.float64]:
    """Return a number in [0, 1) for each row, from a hash of its non-zeros in any order."""
    X = X.without_zeros()
    mixed = _mix(X.values.astype(np.float64).view(np.uint64) ^ _mix(X.indices.astype(np.uint64)))
    sums = np.concatenate(
        [np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)]
    )  # modulo 2^64, on purpose
    hashes = _mix((sums[X.indptr[1:]] - sums[X.indptr[:-1]]) ^ _mix(np.array([seed % 2**64], np.uint64)))
    return (hashes >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mix(x: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return splitmix64 of each number."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
