"""The arrays of matrices that others have made, checked before the core or SciPy's compiled code trusts them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native

MAX_COLUMNS = np.iinfo(np.int32).max


def sparse_shape(X: Any) -> tuple[int, int]:
    """Return how many rows and columns a sparse matrix has."""
    shape = tuple(X.shape)
    if len(shape) != 2:
        raise ValueError(f"Expected 2D array, got {len(shape)}D sparse array instead")
    if not all(isinstance(n, int | np.integer) and n >= 0 for n in shape):
        raise ValueError(f"Malformed sparse matrix: its shape is {shape}")
    rows, columns = map(int, shape)
    if columns > MAX_COLUMNS:
        raise ValueError(f"X has {columns} columns; at most {MAX_COLUMNS} are supported")
    return rows, columns


def checked_structure(
    X: Any, n_values: int, rows: int, columns: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], bool]:
    """Return row ends and indices of a CSR matrix (or of the transpose of a CSC one), and whether some repeat."""
    what = f"{X.format.upper()} matrix"
    row, column = ("column", "row") if X.format == "csc" else ("row", "column")
    indptr = _index_array(X.indptr, f"{what}: indptr", np.int64)
    indices = _index_array(X.indices, f"{what}: indices", np.int32)
    if len(indptr) != rows + 1:
        raise ValueError(f"Malformed {what}: indptr has {len(indptr)} entries for {rows} {row}s")
    if len(indices) != n_values:
        raise ValueError(f"Malformed {what}: {len(indices)} indices for {n_values} values")
    # SciPy allows room for further values behind the last row
    indices = indices[: max(int(indptr[-1]), 0)]
    bad, repeats = _native.check_csr(indptr, indices, columns)
    if bad >= 0:
        raise ValueError(
            f"Malformed {what} at {row} {bad}: indptr must start at 0, not decrease and end at most at the number"
            f" of values, and {column} indices must lie in 0..{columns - 1}"
        )
    return indptr, indices, repeats


def checked_coo(X: Any, shape: tuple[int, int]) -> Any:
    """Return any other sparse matrix as a new COO matrix, whose constructor checks the ranges."""
    import scipy.sparse

    try:
        row, column, values = _entries(X, shape)
    except (ArithmeticError, AttributeError, LookupError, TypeError) as error:
        raise ValueError(f"Malformed {X.format.upper()} matrix: {error}") from error
    row = _index_array(row, "COO matrix: row", np.int32)
    column = _index_array(column, "COO matrix: col", np.int32)
    values = value_array(values, "COO matrix: data")
    if not len(row) == len(column) == len(values):
        raise ValueError(
            f"Malformed COO matrix: {len(row)} rows and {len(column)} columns for {len(values)} values"
        )
    return scipy.sparse.coo_matrix((values, (row, column)), shape=shape)


def _entries(X: Any, shape: tuple[int, int]) -> tuple[Any, Any, Any]:
    """Return the rows, columns and values of a matrix in any format; nothing here is compiled and unchecked."""
    if X.format == "dia":
        if X.data.ndim != 2 or X.offsets.shape != X.data.shape[:1]:
            raise ValueError("Malformed DIA matrix: data must have one row per offset")
        offsets = _index_array(X.offsets, "DIA matrix: offsets", np.int64)
        column = np.broadcast_to(np.arange(X.data.shape[1]), X.data.shape)
        row = column - offsets[:, None]
        inside = (
            (row >= 0) & (row < shape[0]) & (column < shape[1]) & (X.data != 0)
        )  # as SciPy leaves out zeros
        return row[inside], column[inside], X.data[inside]
    if X.format == "lil":
        lengths = [len(columns) for columns in X.rows]
        if lengths != [len(values) for values in X.data] or len(lengths) != shape[0]:
            raise ValueError("Malformed LIL matrix: every row must have as many values as columns")
    if X.format == "bsr":
        n_values, R, C = X.data.shape
        checked_structure(X, n_values, shape[0] // R, shape[1] // C)
    coo = X.tocoo()
    return coo.row, coo.col, coo.data


def _index_array(array: Any, name: str, dtype: type[np.signedinteger[Any]]) -> NDArray[Any]:
    array = np.asarray(array)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise ValueError(
            f"Malformed {name} must be a one-dimensional array of integers; got {array.ndim} dimensions of"
            f" {array.dtype}"
        )
    if array.dtype != dtype and len(array) and not _fits(array, dtype):
        raise ValueError(f"Malformed {name} holds {array.max()}, which is out of range")
    own = np.require(array, dtype, ["C", "A"])
    return own.copy() if _others_run() and np.may_share_memory(own, array) else own


def _others_run() -> bool:
    """Whether another thread runs Python, which could change an array between its check and its use in the core.

    The interpreter's own list, which is documented in spite of its name: unlike ``threading.active_count`` it has the
    threads that were not started through ``threading``, too. While this is the only one, none can start before the core
    has the arrays: that takes a thread that runs Python.
    """
    return len(sys._current_frames()) > 1


def _fits(array: NDArray[Any], dtype: type[np.signedinteger[Any]]) -> bool:
    info = np.iinfo(dtype)
    return int(array.min()) >= info.min and int(array.max()) <= info.max


def value_array(array: Any, name: str) -> NDArray[Any]:
    """Return values as floating-point numbers that lie side by side."""
    array = np.asarray(array)
    if array.ndim != 1 or array.dtype.kind not in "fiubc":
        raise ValueError(
            f"Malformed {name} must be a one-dimensional array of numbers; got {array.ndim} dimensions of"
            f" {array.dtype}"
        )
    values = as_float(array)
    return np.require(values, values.dtype, ["C", "A"])


def as_float(values: NDArray[Any]) -> NDArray[Any]:
    """float32 and float64 as they are; integers, booleans and objects that hold numbers as float64."""
    if values.dtype in (np.float32, np.float64):
        return values
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported\n{values}\n")
    if values.dtype.kind in "UST":
        raise ValueError(
            f"dtype='numeric' is not compatible with arrays of bytes/strings; got {values.dtype}"
        )
    if values.dtype.kind not in "fiubO":
        raise ValueError(f"X must hold numbers; got {values.dtype}")
    if values.dtype.kind == "O":
        _refuse_other_objects(values)
    try:
        with np.errstate(over="ignore"):  # an infinity is refused later, with its place
            return values.astype(np.float64)
    except TypeError as error:
        raise TypeError(f"argument must be a string or a number: X holds {error}") from None
    except OverflowError:
        raise ValueError("Input X contains a number that is too large for float64.") from None


def _refuse_other_objects(values: NDArray[Any]) -> None:
    """Refuse complex numbers and dates, which NumPy would turn into real numbers."""
    kinds = set(map(type, values.ravel()))
    if any(issubclass(kind, complex | np.complexfloating) for kind in kinds):
        raise ValueError(f"Complex data not supported\n{values}\n")
    if any(issubclass(kind, np.datetime64 | np.timedelta64) for kind in kinds):
        raise ValueError("X must hold numbers; got dates or time spans")
