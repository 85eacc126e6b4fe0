"""Sparse rows: the one form in which numbers reach the learners."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native

if TYPE_CHECKING:
    import scipy.sparse

Float = NDArray[Any]  # float32 or float64


@dataclass(frozen=True, slots=True)
class Csr:
    """A matrix in compressed sparse rows, checked when it was made.

    ``indices[indptr[i]:indptr[i+1]]`` are the columns of row i, each at most once, in any order.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: Float
    n_columns: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.indptr) - 1, self.n_columns

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], Any]:
        """The three arrays in the order in which every kernel takes them."""
        return self.indptr, self.indices, self.values

    def take(self, rows: NDArray[np.integer[Any]]) -> Csr:
        """Return the given rows as a new matrix."""
        lengths = np.diff(self.indptr)[rows]
        indptr = np.zeros(len(rows) + 1, np.int64)
        np.cumsum(lengths, out=indptr[1:])
        starts = np.repeat(self.indptr[:-1][rows] - indptr[:-1], lengths)
        picked = starts + np.arange(indptr[-1])
        return Csr(indptr, self.indices[picked], self.values[picked], self.n_columns)

    def widened(self, n_columns: int) -> Csr:
        """Return the same rows with more (empty) columns."""
        return Csr(self.indptr, self.indices, self.values, n_columns)

    def without_zeros(self) -> Csr:
        """Return the same rows without stored zeros."""
        stored = self.values != 0
        if stored.all():
            return self
        indptr = np.concatenate([[0], np.cumsum(stored)])[self.indptr]
        return Csr(indptr, self.indices[stored], self.values[stored], self.n_columns)

    def to_scipy(self) -> scipy.sparse.csr_matrix[Any]:
        """Return a SciPy matrix that shares the values and indices."""
        import scipy.sparse

        small = self.indptr[-1] <= np.iinfo(np.int32).max
        indptr = self.indptr.astype(np.int32) if small else self.indptr
        return scipy.sparse.csr_matrix((self.values, self.indices, indptr), shape=self.shape)

    def to_dense(self) -> Float:
        """Return a dense array."""
        dense = np.zeros(self.shape, self.values.dtype)
        dense[np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices] = self.values
        return dense


def is_sparse(X: Any) -> bool:
    """Whether ``X`` is a SciPy sparse matrix or array (without importing SciPy)."""
    return hasattr(X, "tocsr") and hasattr(X, "nnz")


def as_csr(X: Any) -> Csr:
    """Check a SciPy sparse matrix, an array or nested lists and return it as ``Csr``.

    Values stay float32 or float64, everything else becomes float64; a sound CSR matrix is not copied.

    Raises
    ------
    ValueError
        With scikit-learn's wording, for anything that is not a finite two-dimensional matrix of numbers.
    """
    if isinstance(X, Csr):
        return X
    csr = _from_sparse(X) if is_sparse(X) else _from_dense(np.asarray(X))
    rows, columns = csr.shape
    if rows == 0:
        raise ValueError(
            f"Found array with 0 sample(s) (shape={csr.shape}) while a minimum of 1 is required."
        )
    if columns == 0:
        raise ValueError(
            f"Found array with 0 feature(s) (shape={csr.shape}) while a minimum of 1 is required."
        )
    _refuse_non_finite(csr)
    return csr


def _from_sparse(X: Any) -> Csr:
    if getattr(X, "ndim", 2) != 2:
        raise ValueError(f"Expected 2D array, got {X.ndim}D sparse array instead")
    X = X.tocsr()
    values = _as_float(np.asarray(X.data))
    indptr = np.ascontiguousarray(X.indptr, np.int64)
    rows, columns = X.shape
    if len(indptr) != rows + 1:
        raise ValueError(f"Malformed CSR matrix: indptr has {len(indptr)} entries for {rows} rows")
    if columns > np.iinfo(np.int32).max:
        raise ValueError(f"X has {columns} columns; at most {np.iinfo(np.int32).max} are supported")
    indices = np.asarray(X.indices)
    if indices.dtype != np.int32:
        if len(indices) and (indices.min() < 0 or indices.max() >= columns):
            raise ValueError(f"Malformed CSR matrix: column indices must lie in 0..{columns - 1}")
        indices = indices.astype(np.int32)
    indices = np.ascontiguousarray(indices)
    if len(indices) != len(values):
        raise ValueError(f"Malformed CSR matrix: {len(indices)} indices for {len(values)} values")
    bad = _native.check_csr(indptr, indices, columns)
    if bad >= 0:
        raise ValueError(
            f"Malformed CSR matrix at row {bad}: indptr must start at 0, not decrease and end at the number of"
            f" values, and column indices must lie in 0..{columns - 1}"
        )
    if not X.has_canonical_format and _native.has_duplicates(indptr, indices, columns):
        X = X.copy()
        X.sum_duplicates()
        return _from_sparse(X)
    return Csr(indptr, indices, np.ascontiguousarray(values), columns)


def _from_dense(X: NDArray[Any]) -> Csr:
    if X.ndim != 2:
        kind = "scalar array" if X.ndim == 0 else f"{X.ndim}D array"
        raise ValueError(
            f"Expected 2D array, got {kind} instead:\narray={X!r}.\nReshape your data either using"
            " array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a"
            " single sample."
        )
    X = _as_float(X)
    present = X != 0
    rows, columns = np.nonzero(present)
    indptr = np.zeros(X.shape[0] + 1, np.int64)
    np.cumsum(np.count_nonzero(present, axis=1), out=indptr[1:])
    return Csr(indptr, columns.astype(np.int32), np.ascontiguousarray(X[rows, columns]), X.shape[1])


def _as_float(values: NDArray[Any]) -> NDArray[Any]:
    """float32 and float64 as they are; integers, booleans and objects that hold numbers as float64."""
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{values}\n")
    if values.dtype.kind in "US":
        raise ValueError(
            f"dtype='numeric' is not compatible with arrays of bytes/strings; got {values.dtype}"
        )
    if values.dtype.kind == "O" and any(isinstance(v, complex) for v in values.ravel()):
        raise ValueError(f"Complex data not supported\n{values}\n")
    try:
        return values.astype(np.float64)
    except TypeError as error:
        raise TypeError(f"argument must be a string or a number: X holds {error}") from None


def _refuse_non_finite(csr: Csr) -> None:
    position = _native.first_non_finite(csr.values)
    if position < 0:
        return
    row = int(np.searchsorted(csr.indptr, position, side="right")) - 1
    what = (
        "NaN" if np.isnan(csr.values[position]) else f"infinity or a value too large for {csr.values.dtype!r}"
    )
    raise ValueError(f"Input X contains {what} (row {row}, column {csr.indices[position]}).")
