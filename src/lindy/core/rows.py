"""Rows of numbers: what learners ask of the features, whatever stores them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray


class Rows(Protocol):
    """X, one row per example; ``Csr`` is the sparse storage. The kernels read the storage itself."""

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""

    def take(self, rows: NDArray[np.integer[Any]]) -> Self:
        """Return the given rows as a new matrix."""

    def blocks(self, most: int) -> Iterator[tuple[slice, Self]]:
        """Yield all rows in blocks of about so many stored values, and which rows they are."""

    def dot(self, W: NDArray[Any], b: NDArray[Any], threads: int = 1) -> NDArray[Any]:
        """Return XW + b, rows × columns of W, in the precision of W."""

    def axpy(self, share: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Add share[i] times row i to ``out``, for all rows: out += Xᵀ·share."""

    def norms(self) -> NDArray[np.float64]:
        """Return the squared Euclidean norm of each row."""
