"""Rows of numbers: what learners ask of the features, whatever stores them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray


class Rows(Protocol):
    """X, one row per example; ``Csr`` is sparse storage, ``Dense`` an array. The kernels read the storage itself."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    @property
    def n_columns(self) -> int:
        """How many columns there are."""

    def take(self, rows: NDArray[np.integer[Any]]) -> Self:
        """Return the given rows as a new matrix."""

    def blocks(self, most: int) -> Iterator[tuple[slice, Self]]:
        """Yield all rows in blocks of about so many stored values, and which rows they are."""

    def dot(self, W: NDArray[Any], b: NDArray[Any], threads: int = 1) -> NDArray[Any]:
        """Return XW + b, rows × columns of W, in the precision of W."""

    def axpy(self, share: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Add share[i] times row i to ``out``, for all rows: out += Xᵀ·share."""

    def gradient(self, R: NDArray[np.float64], threads: int = 1) -> NDArray[np.float64]:
        """Return XᵀR, columns × columns of R: the gradient whose residuals are R."""

    def gram(
        self, weight: NDArray[np.float64], centre: NDArray[np.float64], threads: int = 1
    ) -> NDArray[np.float64]:
        """Return Σᵢ weightᵢ·(xᵢ − centre)(xᵢ − centre)ᵀ, for few columns."""

    def norms(self) -> NDArray[np.float64]:
        """Return the squared Euclidean norm of each row."""

    def to_dense(self) -> NDArray[Any]:
        """Return a dense array, for few rows or columns."""
