"""Weights of which many rows are the same.

    W_j = rows[row_of_j]

Most words of a large vocabulary were seen once or twice, with one class: a counting model gives all of them the
same weights. A million features then share some ten thousand rows, which fit the caches where W does not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.errors import DataError
from lindy.estimators.base import thread_count

Array = NDArray[np.float64]
MOST_WEIGHTS = 1 << 28
"""Weights in a table (2 GB) that is far larger than the counts it is made of."""
COUNTED = 64  # a table of at most so many weights per count is always made


@dataclass(frozen=True)
class SharedWeights:
    """``rows`` (different rows, classes) and ``row_of`` (features,), the number of each feature's row."""

    rows: Array
    row_of: NDArray[np.int32]

    @classmethod
    def of_counts(cls, counts: Csr, weigh: Callable[[Array], Array]) -> SharedWeights:
        """Return ``weigh`` of the dense counts (features, classes), computed once for features counted alike.

        Raises DataError for a table of more than ``MOST_WEIGHTS`` that hardly any counts are behind: a small model file
        could ask for any amount of memory.
        """
        row_of, first = _native.distinct_rows(counts)
        if len(first) * counts.n_columns > max(MOST_WEIGHTS, COUNTED * len(counts.values)):
            raise DataError(
                f"{len(first):,} features that were counted differently and {counts.n_columns:,} classes are more than"
                f" a counting model can hold: at most {MOST_WEIGHTS:,} weights",
                "Use fewer features (`max_features=`, `min_df=`), or another learner, such as svm.",
            )
        return cls(np.ascontiguousarray(weigh(counts.take(first).to_dense())), row_of)

    @classmethod
    def of_rows(cls, W: Array) -> SharedWeights:
        """Return weights (features, classes) with equal rows kept once."""
        rows, row_of = np.unique(W, axis=0, return_inverse=True)
        return cls(np.ascontiguousarray(rows), row_of.reshape(-1).astype(np.int32))

    def scores(self, X: Csr, b: Array, n_jobs: int | None = None) -> Array:
        """Return XW + b, rows × classes, where 0·(−∞) = 0."""
        out = np.empty((X.shape[0], len(b)))
        _native.shared_scores(X, self.rows, self.row_of, b, out, thread_count(n_jobs))
        return out

    def of(self, features: NDArray[np.integer[Any]]) -> Array:
        """Return the weights of some features."""
        weights: Array = self.rows[self.row_of[features]]
        return weights

    def contributions(self, row: Csr) -> Array:
        """Return x_j·W_j of each stored value of one row, where 0·(−∞) = 0."""
        weights, x = self.of(row.indices), row.values.astype(np.float64)[:, None]
        added: Array = np.multiply(x, weights, out=np.zeros_like(weights), where=x != 0)
        return added

    @cached_property
    def has_impossible(self) -> bool:
        """Whether some weight is −∞."""
        return bool(np.isneginf(self.rows).any())

    @cached_property
    def dense(self) -> Array:
        """W, features × classes."""
        return self.rows[self.row_of]
