"""Sparse rows: the one form in which numbers reach the learners."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.array_validation import (
    MAX_COLUMNS,
    as_float,
    checked_coo,
    checked_structure,
    sparse_shape,
    value_array,
)
from lindy.stream import room

if TYPE_CHECKING:
    import scipy.sparse

Float = NDArray[Any]  # float32 or float64

_DENSE_ROWS = 4096  # at a time, of few columns
_FEW_ROWS = 32  # of which making a SciPy matrix takes longer than making the rows


@dataclass(frozen=True, slots=True)
class Csr:
    """A matrix in compressed sparse rows; ``to_scipy()``, or ``tocsr()``, makes it one of SciPy.

    ``indices[indptr[i]:indptr[i+1]]`` are the columns of row i, each at most once, in any order. The kernels trust
    it, so ``as_csr``, which every estimator calls, checks it once unless ``checked`` says that its maker has.
    ``groups`` has the same number, from 0 on, for columns that are the values of one category, of which a row has one
    (1, the others 0), and −1 for all other columns; None if there are only such. ``found`` holds what was found out
    about the whole matrix, for fits that are made of it again.
    """

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: Float
    n_columns: int
    checked: bool = field(default=False, compare=False, repr=False)
    groups: NDArray[np.int32] | None = field(default=None, compare=False, repr=False)
    dense_columns: ClassVar[NDArray[np.int32] | None] = None
    found: dict[str, Any] = field(default_factory=dict, init=False, compare=False, repr=False)

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.indptr) - 1, self.n_columns

    @property
    def arrays(self) -> tuple[NDArray[np.int64], NDArray[np.int32], Any]:
        """The three arrays in the order in which every kernel takes them."""
        return self.indptr, self.indices, self.values

    def __reduce__(self) -> tuple[Any, ...]:
        return _received, (self.arrays, self.n_columns, self.checked, self.found, self.groups)

    def take(self, rows: NDArray[np.integer[Any]]) -> Csr:
        """Return the given rows as a new matrix."""
        which = np.arange(self.shape[0], dtype=np.int64)[rows]
        indptr = np.zeros(len(which) + 1, np.int64)
        np.cumsum(np.diff(self.indptr)[which], out=indptr[1:])
        indices, values = room(int(indptr[-1]), np.int32), room(int(indptr[-1]), self.values.dtype)
        _native.move_rows(self, which, indptr[:-1], 0, indices, values, 1)
        return Csr(indptr, indices, values, self.n_columns, self.checked, self.groups)

    def from_files(self, rows: NDArray[np.int32]) -> Csr | None:
        """Return copies of some rows of a matrix in files, read without being mapped; None if it is in memory."""
        found = _native.file_rows(self, rows=rows)
        if found is None:
            return None
        indptr, indices, values = found
        return Csr(indptr, indices, values, self.n_columns, self.checked, self.groups)

    def blocks(self, most: int) -> Iterator[tuple[slice, Csr]]:
        """Yield all rows in blocks of about so many stored values, of one row at least, and which rows they are."""
        begin, n_rows = 0, self.shape[0]
        while begin < n_rows:
            first = self.indptr[begin]
            end = int(np.searchsorted(self.indptr, first + most, side="right")) - 1
            end = min(max(end, begin + 1), n_rows)
            stored = slice(first, self.indptr[end])
            indptr, indices = self.indptr[begin : end + 1] - first, self.indices[stored]
            values = self.values[stored]
            yield (
                slice(begin, end),
                Csr(indptr, indices, values, self.n_columns, self.checked, self.groups),
            )
            begin = end

    def dot(self, W: Float, b: Float, threads: int = 1) -> Float:
        """Return XW + b, rows × columns of W, in the precision of W."""
        out = np.empty((self.shape[0], W.shape[1]), W.dtype)
        _native.scores(self, W, b, out, threads)
        return out

    def axpy(self, share: NDArray[np.float64], out: NDArray[np.float64]) -> None:
        """Add share[i] times row i to ``out``, for all rows: out += Xᵀ·share."""
        _native.sum_rows(self, share, out)

    def gradient(self, R: NDArray[np.float64], threads: int = 1) -> NDArray[np.float64]:
        """Return XᵀR, columns × columns of R: the gradient whose residuals are R."""
        out = np.empty((self.n_columns, R.shape[1]))
        _native.products(self, R.shape[1], threads).transposed(np.ascontiguousarray(R), out)
        return out

    def gram(
        self, weight: NDArray[np.float64], centre: NDArray[np.float64], threads: int = 1
    ) -> NDArray[np.float64]:
        """Return Σᵢ weightᵢ·(xᵢ − centre)(xᵢ − centre)ᵀ, for few columns."""
        sums = np.zeros((self.n_columns, self.n_columns))
        for begin in range(0, self.shape[0], _DENSE_ROWS):
            rows = np.arange(begin, min(begin + _DENSE_ROWS, self.shape[0]))
            A = (self.take(rows).to_dense() - centre) * np.sqrt(weight[rows, None])
            sums += numerics.gram(A, threads)
        return sums

    def norms(self) -> NDArray[np.float64]:
        """Return the squared Euclidean norm of each row."""
        squares = np.empty(self.shape[0])
        _native.row_norms(self, squares)
        return squares

    def keep_columns(self, columns: NDArray[np.integer[Any]]) -> Csr:
        """Return only the given columns, numbered anew in their order."""
        position = np.full(self.n_columns, -1, np.int32)
        position[columns] = np.arange(len(columns), dtype=np.int32)
        return self.move_columns(position, len(columns))

    def move_columns(self, position: NDArray[np.int32], n_columns: int) -> Csr:
        """Return column j in the place ``position[j]``, each place taken once; columns at −1 are left out."""
        indices = position[self.indices]
        kept = indices >= 0
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        groups = None
        if self.groups is not None:
            groups = np.full(n_columns, -1, np.int32)
            groups[position[position >= 0]] = self.groups[position >= 0]
        return Csr(indptr, indices[kept], self.values[kept], n_columns, groups=groups)

    def scale_columns(
        self, scale: Float | None, norm: str | None, out: Float, *, threads: int, table: Float | None = None
    ) -> None:
        """Write x · scale[column] into ``out``, which may be ``values``, every row divided by its norm.

        With a ``table``, x is a whole number and table[x] stands in its place.
        """
        _native.tf_idf(self, sublinear=table, scale=scale, norm=norm or "none", out=out, threads=threads)

    def with_values(self, values: Float) -> Csr:
        """Return other values in the same places."""
        return Csr(self.indptr, self.indices, values, self.n_columns, self.checked, self.groups)

    def without_zeros(self) -> Csr:
        """Return the same rows without stored zeros."""
        stored = self.values != 0
        if stored.all():
            return self
        indptr = np.concatenate([[0], np.cumsum(stored)])[self.indptr]
        return Csr(
            indptr, self.indices[stored], self.values[stored], self.n_columns, self.checked, self.groups
        )

    def to_scipy(self) -> scipy.sparse.csr_matrix[Any]:
        """Return a SciPy matrix that shares the values and indices."""
        import scipy.sparse

        indptr = self.indptr.astype(index_dtype(int(self.indptr[-1])), copy=False)
        if not self.checked or self.shape[0] > _FEW_ROWS:
            return scipy.sparse.csr_matrix((self.values, self.indices, indptr), shape=self.shape)
        matrix = copy(_empty_matrix(self.shape))  # without the constructor's checks
        matrix.data, matrix.indices, matrix.indptr = self.values, self.indices, indptr
        return matrix

    tocsr = to_scipy  # as SciPy calls it

    def to_dense(self) -> Float:
        """Return a dense array."""
        dense = np.zeros(self.shape, self.values.dtype)
        dense[np.repeat(np.arange(self.shape[0]), np.diff(self.indptr)), self.indices] = self.values
        return dense


def _received(
    arrays: tuple[Any, ...],
    n_columns: int,
    checked: bool,
    found: dict[str, Any],
    groups: NDArray[np.int32] | None = None,
) -> Csr:
    """Return rows that were pickled; arrays that came as views of a message, at any address, are copied."""
    indptr, indices, values = (np.require(array, requirements="A") for array in arrays)
    rows = Csr(indptr, indices, values, n_columns, checked, groups)
    rows.found.update(found)
    return rows


@lru_cache(maxsize=64)
def _empty_matrix(shape: tuple[int, int]) -> scipy.sparse.csr_matrix[Any]:
    """Return a SciPy matrix of a shape, to be copied."""
    import scipy.sparse

    return scipy.sparse.csr_matrix(shape)


def nonzero_rows(dense: NDArray[Any], dtype: Any = None) -> Csr:
    """Return the entries of a dense array that are not 0, in its type or another, as rows."""
    n, d = dense.shape
    stored = dense != 0
    if stored.all():
        values = dense.astype(dtype or dense.dtype).reshape(-1)
        indices = np.tile(np.arange(d, dtype=np.int32), n)
        return Csr(np.arange(n + 1, dtype=np.int64) * d, indices, values, d, checked=True)
    indptr = np.zeros(n + 1, np.int64)
    np.cumsum(np.count_nonzero(stored, axis=1), out=indptr[1:])
    values = dense[stored].astype(dtype or dense.dtype, copy=False)
    return Csr(indptr, np.nonzero(stored)[1].astype(np.int32), values, d, checked=True)


def side_by_side(parts: list[Csr]) -> Csr:
    """Return one matrix with the columns of all parts; within a row the parts come one after the other."""
    sizes = [np.diff(part.indptr) for part in parts]
    indptr = np.zeros(len(parts[0].indptr), np.int64)
    np.cumsum(sum(sizes), out=indptr[1:])
    dtype = np.result_type(*(part.values for part in parts))
    if (together := sum(part.n_columns for part in parts)) > MAX_COLUMNS:
        raise ValueError(f"the parts have {together} columns together; at most 2**31 - 1 are possible")
    indices, values = room(int(indptr[-1]), np.int32), room(int(indptr[-1]), dtype)
    starts, n_columns = indptr[:-1].copy(), 0
    for part, size in zip(parts, sizes, strict=True):
        own = part.with_values(part.values.astype(dtype, copy=False))
        _native.move_rows(own, None, starts, n_columns, indices, values, 1)
        starts += size
        n_columns += part.n_columns
    return Csr(indptr, indices, values, n_columns, checked=True, groups=_groups_beside(parts))


def _groups_beside(parts: list[Csr]) -> NDArray[np.int32] | None:
    """Return the groups of columns of several matrices side by side, no two of which have one in common."""
    if all(part.groups is None for part in parts):
        return None
    own, first = [], 0
    for part in parts:
        groups = np.full(part.n_columns, -1, np.int32) if part.groups is None else part.groups
        own.append(np.where(groups < 0, -1, groups + first).astype(np.int32))
        first += int(groups.max(initial=-1)) + 1
    return np.concatenate(own)


def index_dtype(stored: int) -> type[np.signedinteger[Any]]:
    """Return the type of SciPy's index arrays: int32 as long as it can count the stored values, then int64."""
    return np.int32 if stored <= np.iinfo(np.int32).max else np.int64


def is_sparse(X: Any) -> bool:
    """Whether ``X`` is a SciPy sparse matrix or array (without importing SciPy)."""
    # asked of the class: a malformed matrix can fail when it is asked for its nnz
    return hasattr(type(X), "tocsr") and hasattr(type(X), "nnz")


def refuse_masked(array: Any, name: str) -> None:
    """Raise a ValueError for a masked array with entries that are masked: their values mean nothing."""
    masking: Any = sys.modules.get("numpy.ma")  # NumPy imports it only for who uses it
    if masking is not None and masking.is_masked(array):
        raise ValueError(
            f"{name} is a masked array with masked entries, which are missing values: fill them (array.filled(0)) or"
            " leave out their rows"
        )


def as_csr(X: Any, *, zeros: bool = False) -> Csr:
    """Check a SciPy sparse matrix, an array or nested lists and return it as ``Csr``.

    Values stay float32 or float64, everything else becomes float64; a sound CSR matrix is not copied. Only in a
    process with several threads are its row ends and indices: the core, which does not hold the GIL, trusts them
    after this check, and another thread could change them meanwhile. An array without zeros stays as it is (``Dense``),
    with ``zeros`` also one with some.

    Raises
    ------
    ValueError
        With scikit-learn's wording, for anything that is not a finite two-dimensional matrix of numbers.
    """
    if isinstance(X, Csr):
        if not X.checked:
            _check_made(X)
            object.__setattr__(X, "checked", True)
        return X
    refuse_masked(X, "X")
    csr = _from_sparse(X) if is_sparse(X) else _from_dense(np.asarray(X), zeros)
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
    object.__setattr__(csr, "checked", True)
    return csr


def _check_made(X: Csr) -> None:
    """Check a ``Csr`` that was not made here: types, lengths, ranges, finite values."""
    for name, dtypes in (
        ("indptr", [np.int64]),
        ("indices", [np.int32]),
        ("values", [np.float32, np.float64]),
    ):
        array = getattr(X, name)
        sound = isinstance(array, np.ndarray) and array.ndim == 1 and array.dtype in dtypes
        if not (sound and array.flags.c_contiguous and array.flags.aligned):
            expected = " or ".join(dtype.__name__ for dtype in dtypes)
            raise ValueError(
                f"Malformed Csr: {name} must be a contiguous one-dimensional array of {expected}"
            )
    if not isinstance(X.n_columns, int | np.integer) or not 0 <= X.n_columns <= MAX_COLUMNS:
        raise ValueError(f"Malformed Csr: n_columns must lie in 0..{MAX_COLUMNS}; got {X.n_columns!r}")
    if len(X.indptr) == 0 or len(X.indices) != len(X.values):
        raise ValueError(
            f"Malformed Csr: {len(X.indptr)} row ends, {len(X.indices)} indices and {len(X.values)} values"
        )
    bad, _ = _native.check_csr(X.indptr, X.indices, X.n_columns)
    if bad >= 0:
        raise ValueError(
            f"Malformed Csr at row {bad}: indptr must start at 0, not decrease and end at the number of values, and"
            f" indices must lie in 0..{X.n_columns - 1}"
        )
    _refuse_non_finite(X)


def _from_sparse(X: Any) -> Csr:
    """Check before SciPy computes anything: its compiled conversions trust the indices they are given."""
    shape = sparse_shape(X)
    if X.format not in ("csr", "csc"):
        return _from_scipy(checked_coo(X, shape).tocsr())  # which adds up duplicates
    csr, repeats = _checked_csr(X, *(shape if X.format == "csr" else shape[::-1]))
    if X.format == "csc":
        csr = _from_scipy(csr.to_scipy().T.tocsr())
    if repeats:
        summed = csr.to_scipy().copy()
        summed.sum_duplicates()
        csr = _from_scipy(summed)
    return csr


def _checked_csr(X: Any, rows: int, columns: int) -> tuple[Csr, bool]:
    """Return a CSR matrix, or the transpose of a CSC one, and whether some row names a column twice."""
    values = value_array(X.data, f"{X.format.upper()} matrix: data")
    indptr, indices, repeats = checked_structure(X, len(values), rows, columns)
    return Csr(indptr, indices, values[: len(indices)], columns), repeats


def _from_scipy(X: Any) -> Csr:
    """Return a sound CSR matrix that SciPy made."""
    indptr, indices = X.indptr.astype(np.int64, copy=False), X.indices.astype(np.int32, copy=False)
    return Csr(indptr, indices, X.data, X.shape[1])


def _from_dense(X: NDArray[Any], zeros: bool) -> Csr:
    if X.ndim != 2:
        kind = "scalar array" if X.ndim == 0 else f"{X.ndim}D array"
        raise ValueError(
            f"Expected 2D array, got {kind} instead:\narray={X!r}.\nReshape your data either using"
            " array.reshape(-1, 1) if your data has a single feature or array.reshape(1, -1) if it contains a"
            " single sample."
        )
    values = as_float(X)
    from lindy.core.dense_rows import dense_rows

    return dense_rows(values, zeros=zeros) or nonzero_rows(values)


def _refuse_non_finite(csr: Csr) -> None:
    position = _native.first_non_finite(csr.values)
    if position < 0:
        return
    row = int(np.searchsorted(csr.indptr, position, side="right")) - 1
    what = (
        "NaN" if np.isnan(csr.values[position]) else f"infinity or a value too large for {csr.values.dtype!r}"
    )
    columns, place = (
        (csr.indices, position)
        if csr.dense_columns is None
        else (csr.dense_columns, position % csr.n_columns)
    )
    raise ValueError(f"Input X contains {what} (row {row}, column {columns[place]}).")
