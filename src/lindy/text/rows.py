"""Rows as the native core returns them: indptr, indices, values."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.base import thread_count
from lindy.csr import Csr, index_dtype

if TYPE_CHECKING:
    import scipy.sparse

Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]

EMPTY: Rows = (np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64))

_METHODS = {np.dtype(np.float32): "rows_f32", np.dtype(np.float64): "rows_f64"}


def rows_method(dtype: np.dtype[Any]) -> str:
    """Return the name of the native method whose values are of this type, or are whole numbers."""
    return _METHODS.get(dtype, "rows_i64")


def threads_for(n_texts: int, n_jobs: int | None) -> int:
    """Return the number of threads for some texts: for a handful, starting more than one would cost more."""
    return 1 if n_texts < 32 else thread_count(n_jobs)


def to_scipy(csr: Csr) -> scipy.sparse.csr_matrix[Any]:
    """Return a SciPy matrix; for a few rows without SciPy's checks, which would take longer than the text did."""
    if csr.shape[0] >= 32 or index_dtype(int(csr.indptr[-1])) != np.int32:
        return csr.to_scipy()
    template = _empty_matrix()
    if vars(template).keys() != {"_shape", "maxprint", "data", "indices", "indptr"}:
        return csr.to_scipy()
    matrix = object.__new__(type(template))
    vars(matrix).update(vars(template))
    vars(matrix).update(
        _shape=csr.shape,
        data=csr.values,
        indices=csr.indices,
        indptr=csr.indptr.astype(np.int32),
    )
    return matrix


@cache
def _empty_matrix() -> scipy.sparse.csr_matrix[Any]:
    import scipy.sparse

    return scipy.sparse.csr_matrix((1, 1))


def join_rows(parts: list[Rows]) -> Rows:
    """Put the rows of several batches under each other."""
    if len(parts) == 1:
        return parts[0]
    if not parts:
        return EMPTY
    ends = np.cumsum([indptr[-1] for indptr, _, _ in parts])
    starts = [parts[0][0], *(part[0][1:] + end for part, end in zip(parts[1:], ends[:-1], strict=True))]
    return (
        np.concatenate(starts),
        np.concatenate([indices for _, indices, _ in parts]),
        np.concatenate([values for _, _, values in parts]),
    )
