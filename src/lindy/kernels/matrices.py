"""Gram matrices: κ of all pairs, in blocks of rows; and whether a matrix is what a kernel's must be.

A kernel is symmetric, κ(x, z) = κ(z, x), and positive semi-definite, vᵀKv ≥ 0 for every v: no eigenvalue of its matrix
is negative (McDonald; Mercer's theorem).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.estimators.base import thread_count
from lindy.kernels.kernel import Kernel

_VALUES_AT_ONCE = 1 << 19  # 4 MB: memory that is used again and again stays in the caches
_NANOSECONDS_AT_ONCE = 3e8  # between two chances for Ctrl-C


def gram(
    kernel: Kernel, X: Any, Z: Any = None, *, dtype: str = "float64", n_jobs: int | None = None
) -> NDArray[Any]:
    """Return the dense matrix of κ(x_i, z_j); without Z, of the examples with themselves."""
    rows = kernel.prepared(X)
    source = kernel.between(rows, rows if Z is None else kernel.prepared(Z), n_jobs)
    return dense(source, symmetric=Z is None, dtype=dtype, n_jobs=n_jobs)


def dense(
    source: _native.Kernel, *, symmetric: bool, dtype: str = "float64", n_jobs: int | None = None
) -> NDArray[Any]:
    """Return the whole matrix of a compiled kernel; of a symmetric one only half is computed."""
    out = np.empty((source.n_rows, source.n_columns), dtype)
    for first, last in _ranges(source, None):
        if symmetric:
            source.symmetric_block(first, last, out, thread_count(n_jobs))
        else:
            source.block(first, last, out[first:last], thread_count(n_jobs))
    return out


def pair_gram(
    kernel: Kernel,
    X: Any,
    y: ArrayLike,
    Z: Any = None,
    z: ArrayLike | None = None,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Return the dense matrix of the block form κ((x, y), (x', y')) = [y = y']·κ(x, x') over pairs.

    It is the product of block features, in which φ(x) stands in the block of class y and zeros in all others.
    """
    labels = np.asarray(y)
    others = labels if Z is None else np.asarray(z)
    K = gram(kernel, X, Z, n_jobs=n_jobs)
    if K.shape != (len(labels), len(others)):
        raise ValueError(
            f"there must be one label per example; got {len(labels)} and {len(others)} for {K.shape}"
        )
    K[labels[:, None] != others] = 0.0
    return K


def gram_blocks(
    kernel: Kernel, X: Any, Z: Any = None, *, rows: int | None = None, n_jobs: int | None = None
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Yield (first row, block of rows) of the matrix, which is never held as a whole.

    ``rows`` is how many a block has; None means as many as take about 4 MB.
    """
    left = kernel.prepared(X)
    source = kernel.between(left, left if Z is None else kernel.prepared(Z), n_jobs)
    for first, last in _ranges(source, rows):
        block = np.empty((last - first, source.n_columns))
        source.block(first, last, block, thread_count(n_jobs))
        yield first, block


def rows_at_once(source: _native.Kernel) -> int:
    """Return how many rows to compute in one call, so that neither memory nor Ctrl-C suffers."""
    columns = max(source.n_columns, 1)
    quick = int(_NANOSECONDS_AT_ONCE / (max(source.cost, 1.0) * columns))
    return max(1, min(quick, max(16, _VALUES_AT_ONCE // columns)))


def _ranges(source: _native.Kernel, rows: int | None) -> Iterator[tuple[int, int]]:
    if rows is not None and rows < 1:
        raise ValueError(f"rows must be at least 1; got {rows}")
    size = rows or rows_at_once(source)
    for first in range(0, source.n_rows, size):
        yield first, min(source.n_rows, first + size)


@dataclass(frozen=True, slots=True)
class KernelReport:
    """The findings about a kernel matrix.

    Attributes
    ----------
    asymmetry : largest ``|K_ij − K_ji|``
    smallest, largest : extreme eigenvalues of its symmetric part
    negative : number of eigenvalues below −tol·max|λ|
    tol : share of the largest eigenvalue that counts as zero
    """

    asymmetry: float
    smallest: float
    largest: float
    negative: int
    tol: float

    @property
    def scale(self) -> float:
        """The largest eigenvalue in size."""
        return max(abs(self.smallest), abs(self.largest))

    @property
    def symmetric(self) -> bool:
        """Whether it is symmetric up to rounding."""
        return self.asymmetry <= self.tol * max(self.scale, np.finfo(float).tiny)

    @property
    def semidefinite(self) -> bool:
        """Whether no eigenvalue is negative beyond rounding."""
        return self.negative == 0

    @property
    def is_kernel(self) -> bool:
        """Whether it can be the matrix of a kernel."""
        return self.symmetric and self.semidefinite

    def __str__(self) -> str:
        symmetry = "symmetric" if self.symmetric else f"not symmetric (differs by {self.asymmetry:.3g})"
        definite = (
            "positive semi-definite"
            if self.semidefinite
            else f"not positive semi-definite ({self.negative} negative eigenvalues)"
        )
        return f"{symmetry}, {definite}; eigenvalues from {self.smallest:.6g} to {self.largest:.6g}"


def check_kernel(kernel: Kernel | ArrayLike, X: Any = None, *, tol: float = 1e-10) -> KernelReport:
    """Examine a kernel on examples, or a square matrix; the report says what it is, and nothing is raised.

    Parameters
    ----------
    kernel : Kernel or matrix
    X : examples, for a kernel
    tol : float
        Share of the largest eigenvalue below which a number counts as rounding.
    """
    K = gram(kernel, X) if isinstance(kernel, Kernel) else np.asarray(kernel, np.float64)
    if K.ndim != 2 or K.shape[0] != K.shape[1] or K.shape[0] == 0:
        raise ValueError(f"a Gram matrix is square; got shape {K.shape}")
    if not np.isfinite(K).all():
        raise ValueError("the matrix holds NaN or infinity")
    eigenvalues = np.linalg.eigvalsh((K + K.T) / 2)
    smallest, largest = float(eigenvalues[0]), float(eigenvalues[-1])
    negative = int((eigenvalues < -tol * max(abs(smallest), abs(largest))).sum())
    return KernelReport(float(np.abs(K - K.T).max()), smallest, largest, negative, tol)
