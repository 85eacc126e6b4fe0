"""Rows as the native core returns them: indptr, indices, values."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.estimators.base import thread_count
from lindy.stream import current

Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]
Weights = tuple[NDArray[Any] | None, str | None]  # of the columns, and the norm of the rows

EMPTY: Rows = (np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64))

_FLOAT32, _FLOAT64 = np.dtype(np.float32), np.dtype(np.float64)
_METHODS = {_FLOAT32: "rows_f32", _FLOAT64: "rows_f64"}
_MATRICES = {_FLOAT32: _native.RowsF32, _FLOAT64: _native.RowsF64}


def float_dtype(dtype: DTypeLike) -> np.dtype[Any]:
    """Return the type of real values for a wanted one: float32 and float64 as they are, float64 for all others."""
    if dtype is np.float64:
        return _FLOAT64  # the usual case, first
    wanted = np.dtype(dtype)
    return wanted if wanted.isnative and wanted in _MATRICES else _FLOAT64


class CountWeights(NamedTuple):
    """The weighting of counts while rows are written: table[count] · scale[column], rows divided by their norm."""

    table: NDArray[Any] | None = None
    scale: NDArray[Any] | None = None
    norm: str | None = None


class WeighedRows(NamedTuple):
    """Rows that were weighed while they were written."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[Any]


class JoinedRows(NamedTuple):
    """Weighed rows behind those of others, whose columns come first."""

    indptr: NDArray[np.int64]
    indices: NDArray[np.int32]
    values: NDArray[Any]


def counted_rows(
    counter: Any,
    dtype: np.dtype[Any],
    *,
    binary: bool,
    weights: CountWeights | None,
    threads: int,
    beside: Csr | None = None,
) -> Rows:
    """Return what the counter has counted, in the given type if that is a float, else as whole numbers.

    Weighed rows may be written beside those of others.
    """
    name = _METHODS.get(dtype)
    if name is None:
        counts: Rows = counter.rows_i64(binary, threads)
        return counts
    table, scale, norm = weights or CountWeights()
    others: tuple[Any, ...] = ()
    if beside is not None and beside.values.dtype == dtype and weights is not None:
        others = (beside,) if isinstance(counter, _native.TermCounter) else ()
    rows: Rows = getattr(counter, name)(binary, table, scale, norm or "none", threads, *others)
    if others:
        return JoinedRows(*rows)
    return rows if weights is None else WeighedRows(*rows)


def _new_matrix(dtype: np.dtype[Any]) -> Any:
    return _MATRICES.get(dtype, _native.RowsI64)()


class TextRows:
    """The rows of texts that come in batches, weighed if they are real numbers and that is wanted.

    Values are of the given type if that is a float, else whole numbers.
    """

    __slots__ = ("_binary", "_n_jobs", "_parts", "_reader", "_rows")

    def __init__(
        self,
        reader: _native.TermIndex | _native.TermHasher,
        dtype: np.dtype[Any],
        *,
        binary: bool,
        n_jobs: int | None,
        weights: Weights | None = None,
    ) -> None:
        self._reader, self._binary, self._n_jobs = reader, binary, n_jobs
        self._rows = _new_matrix(dtype)
        if weights is not None:
            scale, norm = weights
            self._rows.weigh_by(scale, norm or "none")
        self._parts = None
        workspace = current()
        if workspace is not None:
            from lindy.text.vocabulary.parted import PartRows

            self._parts = PartRows(self._rows, self._append, workspace, dtype)

    def read(self, texts: _native.Texts) -> None:
        """Append the rows of a batch."""
        threads = threads_for(len(texts), self._n_jobs)
        if self._parts is None:
            self._append(texts, threads)
        else:
            self._parts.add(texts, threads)

    def _append(self, texts: _native.Texts, threads: int) -> None:
        self._reader.read(self._rows, texts, self._binary, threads)

    def take(self) -> Rows:
        """Return the rows of all batches."""
        taken: Rows = self._rows.take() if self._parts is None else self._parts.take()
        return taken


def threads_for(n_texts: int, n_jobs: int | None) -> int:
    """Return the number of threads for some texts: for a handful, starting more than one would cost more."""
    return 1 if n_texts < 32 else thread_count(n_jobs)
