"""Dense rows: an array as it came, for learners."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.array_validation import MAX_COLUMNS
from lindy.core.csr import Csr, Float

DENSE = 2
"""An array with zeros is kept as it is if at least one value in so many is not 0; of others, only what is not 0."""


class Dense(Csr):
    """A matrix whose rows store every column: ``values`` are those of an array, in its memory.

    The kernels read one list of columns for all rows, ``dense_columns``; ``indices``, for the few who want them of
    every row, is made anew by every access. Where no value is 0, what is computed has the same bits as of sparse rows.
    """

    __slots__ = ("dense_columns",)
    dense_columns: NDArray[np.int32]  # type: ignore[misc]

    def __init__(self, array: Float, *, checked: bool = False) -> None:
        n, d = array.shape
        own = {
            "indptr": np.arange(n + 1, dtype=np.int64) * d,
            "values": array.reshape(-1),
            "n_columns": d,
            "checked": checked,
            "groups": None,
            "found": {},
            "dense_columns": np.arange(d, dtype=np.int32),
        }
        for name, value in own.items():
            object.__setattr__(self, name, value)

    @property
    def indices(self) -> NDArray[np.int32]:
        """The columns of every row."""
        return np.tile(self.dense_columns, self.shape[0])

    @property
    def array(self) -> Float:
        """The values, rows × columns, in their own memory."""
        return self.values.reshape(self.shape)

    def __reduce__(self) -> tuple[Any, ...]:
        return _received_dense, (self.array, self.checked, self.found)

    def take(self, rows: NDArray[np.integer[Any]]) -> Dense:
        """Return the given rows as a new matrix."""
        return Dense(self.array[rows], checked=self.checked)

    def blocks(self, most: int) -> Iterator[tuple[slice, Dense]]:
        """Yield all rows in blocks of about so many values, of one row at least, and which rows they are."""
        size = max(most // self.n_columns, 1)
        for begin in range(0, self.shape[0], size):
            rows = slice(begin, min(begin + size, self.shape[0]))
            yield rows, Dense(self.array[rows], checked=self.checked)

    def with_values(self, values: Float) -> Dense:
        """Return other values in the same places."""
        return Dense(values.reshape(self.shape), checked=self.checked)

    def keep_columns(self, columns: NDArray[np.integer[Any]]) -> Csr:
        """Return only the given columns, numbered anew in their order."""
        return (
            Dense(np.ascontiguousarray(self.array[:, columns]))
            if len(columns)
            else super().keep_columns(columns)
        )

    def to_dense(self) -> Float:
        """Return the array itself."""
        return self.array


def _received_dense(array: Float, checked: bool, found: dict[str, Any]) -> Dense:
    """Return dense rows that were pickled; an array that came as a view of a message is copied."""
    rows = Dense(np.require(array, requirements=["C", "A"]), checked=checked)
    rows.found.update(found)
    return rows


def dense_rows(array: Float, *, zeros: bool = False) -> Dense | None:
    """Return an array as rows, in its memory if it lies there row by row; None if it has zeros, or too many."""
    if (
        not 0 < array.size <= (DENSE if zeros else 1) * np.count_nonzero(array)
        or array.shape[1] > MAX_COLUMNS
    ):
        return None
    return Dense(np.require(array, array.dtype, ["C", "A"]))
