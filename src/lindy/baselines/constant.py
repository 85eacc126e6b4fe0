"""The base of baselines, and those that do not look at the rows: the most frequent label, and labels drawn at random.

Probabilities are shares of something counted, and labels follow from them. A classifier that does not beat these
baselines has learned nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.bayes.class_statistics import Statistics
from lindy.bayes.counting import AdditiveClassifier
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.weights import total_weight
from lindy.estimators.base import Examples
from lindy.estimators.learners import InputKind, LearnerSpec, WeightSums
from lindy.estimators.output_weights import OutputWeights
from lindy.estimators.parameters import whole, with_parameters
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


@with_parameters
class MajorityClass(LabelShares):
    """Gives every row the most frequent label, with the labels' shares as probabilities."""

    spec: ClassVar = LearnerSpec(
        "majority",
        "the most frequent label",
        input_kind=InputKind.COUNTS,
        usual=("compare",),
    )

    learns_labels = True

    def weight_sums(self) -> WeightSums:
        """Return the counts of the labels, which decide alone."""
        return WeightSums("majority", more={"counts": self.class_count_})

    def fit_labels(self, data: Examples, n_jobs: int | None = None) -> OutputWeights:  # noqa: ARG002
        """Give every row the score 2p − 1 for a label that the share p of the rows has."""
        share = data.y.weighted_counts(data.weight) / total_weight(data.weight, len(data.y))
        return OutputWeights(np.zeros((data.X.n_columns, len(share)), np.float32), 2 * share - 1)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the share of each label, for every row the same."""
        self._check_fitted()
        return np.tile(self.share_, (self._rows(X).shape[0], 1))


@with_parameters
class RandomClass(LabelShares):
    """Gives every row a random label, each as often as in the training data.

    The draw depends on the seed and the row's values only: equal rows get equal labels, in any batch.

    Parameters
    ----------
    random_state : int or None
        The seed; None is 0.
    """

    spec: ClassVar = LearnerSpec(
        "random",
        "a random label",
        input_kind=InputKind.COUNTS,
        not_sums="its labels are drawn by chance",
    )

    random_state: Annotated[int | None, whole(0, 2**63 - 1)] = None

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
