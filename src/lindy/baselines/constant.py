"""Baselines that do not look at the rows: the most frequent label, and labels drawn at random.

A classifier that does not beat them has learned nothing.
"""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.baselines.shares import LabelShares
from lindy.core.csr import Csr
from lindy.estimators.learners import InputKind, LearnerSpec, WeightSums
from lindy.estimators.parameters import whole, with_parameters


@with_parameters
class MajorityClass(LabelShares):
    """Gives every row the most frequent label, with the labels' shares as probabilities."""

    spec: ClassVar = LearnerSpec(
        "majority",
        "the most frequent label",
        input_kind=InputKind.COUNTS,
        usual=("compare",),
    )

    def weight_sums(self) -> WeightSums:
        """Return the counts of the labels, which decide alone."""
        return WeightSums("majority", more={"counts": self.class_count_})

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
