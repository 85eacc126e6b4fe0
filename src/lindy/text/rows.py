"""Rows as the native core returns them: indptr, indices, values."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Rows = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[Any]]

EMPTY: Rows = (np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.int64))

_METHODS = {np.dtype(np.float32): "rows_f32", np.dtype(np.float64): "rows_f64"}


def rows_method(dtype: np.dtype[Any]) -> str:
    """Return the name of the native method whose values are of this type, or are whole numbers."""
    return _METHODS.get(dtype, "rows_i64")


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
