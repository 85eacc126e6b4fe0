"""Weights of counting models over thousands of classes: a background, and what the counts add to it.

    W_jc = background_c + added_jc,   added_jc ≠ 0 only where class c had feature j

Most features were never seen with most classes, and a smoothed model then gives them the same weight: Laplace's k is
log(n + k) − log(N_c + k·V) = [log k − log(N_c + k·V)] + [log(n + k) − log k].
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr

Array = NDArray[np.float64]


@dataclass(frozen=True)
class BackgroundWeights:
    """``background`` (classes,), and what is ``added`` to it, features × classes, where there are counts."""

    background: Array
    added: Csr

    has_impossible: ClassVar[bool] = False

    @classmethod
    def of_counts(cls, counts: Csr, background: Array, add: Callable[[Array], Array]) -> BackgroundWeights:
        """Return the weights of features (rows of the counts), to which each count adds by itself."""
        added = add(counts.values.astype(np.float64))
        return cls(background, Csr(counts.indptr, counts.indices, added, counts.n_columns, checked=True))

    def scores(self, X: Csr, b: Array, n_jobs: int | None = None) -> Array:  # noqa: ARG002  # SciPy's product has one
        """Return XW + b, rows × classes."""
        import scipy.sparse

        shape = X.shape[0], X.n_columns
        x = scipy.sparse.csr_matrix((X.values.astype(np.float64), X.indices, X.indptr), shape)
        found = x @ self.added.to_scipy()
        out = np.add.outer(np.asarray(x.sum(axis=1)).reshape(-1), np.zeros(len(b))) * self.background + b
        rows = np.repeat(np.arange(shape[0]), np.diff(found.indptr))
        out[rows, found.indices] += found.data  # each pair once
        return out

    def of(self, features: NDArray[np.integer[Any]]) -> Array:
        """Return the weights of some features."""
        return self.background + self.added.take(features).to_dense()

    def contributions(self, row: Csr) -> Array:
        """Return x_j·W_j of each stored value of one row."""
        return row.values.astype(np.float64)[:, None] * self.of(row.indices)

    @property
    def dense(self) -> Array:
        """W, features × classes."""
        return self.background + self.added.to_dense()
