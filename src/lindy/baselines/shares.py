"""The base of baselines: probabilities that are shares of something counted, and labels that follow from them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.bayes.class_statistics import Statistics
from lindy.bayes.counting import AdditiveClassifier
from lindy.core import numerics
from lindy.estimators.serialization import Arrays, check_arrays

Array = NDArray[np.float64]


class ShareClassifier(AdditiveClassifier):
    """Predictions from ``predict_proba``, which learners provide."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        return tags

    def predict_proba(self, X: Any) -> Array:
        """Return a distribution over the labels for each row."""
        raise NotImplementedError

    def predict_log_proba(self, X: Any) -> Array:
        """Return the logarithm of ``predict_proba``."""
        P = self.predict_proba(X)
        with np.errstate(divide="ignore"):
            return numerics.log(P)

    def decision_function(self, X: Any) -> Array:
        """Return the probabilities as scores; for two classes their difference."""
        P = self.predict_proba(X)
        return P[:, 1] - P[:, 0] if P.shape[1] == 2 else P

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the label with the greatest probability for each row; of equal ones the first."""
        P = self.predict_proba(X)
        labels: NDArray[Any] = self.classes_[P.argmax(axis=1)]
        return labels


class VotingClassifier(ShareClassifier):
    """P(y | x): the share of y among the votes of the words of x, which learners provide as ``votes``."""

    def votes(self, X: Any) -> Array:
        """Return the votes for each label, rows × classes."""
        raise NotImplementedError

    def predict_proba(self, X: Any) -> Array:
        """Return each label's share of the votes; without votes, its share of the training rows."""
        votes = np.maximum(self.votes(X), 0.0)
        top = votes.max(axis=1, keepdims=True)
        if not np.isfinite(top).all():
            raise ValueError("the votes of a row are beyond float64: divide the counts of X by a constant")
        silent = top[:, 0] <= 0
        votes /= np.where(top > 0, top, 1.0)  # first to at most 1, so that enormous counts do not overflow
        votes[silent] = self.class_count_ / self.class_count_.max()
        shares: Array = votes / votes.sum(axis=1, keepdims=True)
        return shares


class LabelShares(ShareClassifier):
    """The share of each label among the training rows is all that is learned.

    Attributes
    ----------
    class_count_ : array (classes,), the weighted number of rows of each class
    """

    @property
    def share_(self) -> Array:
        """P(y), the share of each class."""
        share: Array = self.class_count_ / self.class_count_.sum()
        return share

    def _pack(self) -> Arrays:
        width = [self.n_features_in_] if hasattr(self, "n_features_in_") else []
        return {"class_count": self.class_count_, "n_features": np.array(width, np.int64)}

    def _unpack(self, arrays: Arrays) -> None:
        check_arrays(arrays, {"class_count": ("K",), "n_features": ("M",)}, len(self.classes_))
        class_count, width = arrays["class_count"].astype(np.float64), arrays["n_features"].tolist()
        if (class_count < 0).any() or not class_count.any():
            raise ValueError("stored counts must not be negative, and some class must have been seen")
        if len(width) > 1 or any(not isinstance(n, int) or not 1 <= n < 2**31 for n in width):
            raise ValueError("n_features must be one number of columns, or none")
        if width:
            self.n_features_in_ = width[0]
        self._learn(Statistics(class_count))
