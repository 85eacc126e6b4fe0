"""Numbers of many rows that are written once and read again in blocks: on disk, when they are more than a few.

The file has no name, so nothing is left of it when the process ends, however it ends. It lies in the folder for
temporary files (``TMPDIR``).
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy.errors import OutputError

BLOCK = 1 << 18
"""Rows that are read at once. Sums over blocks do not depend on how the rows were added."""
_IN_MEMORY = 1 << 22  # bytes that are not worth a file


class Scratch:
    """Numbers of one type; ``blocks`` yields them in the order in which they were added."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.n = 0
        self._file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 (lives as long as this object)

    def __del__(self) -> None:
        self._file.close()

    def __len__(self) -> int:
        return self.n

    def add(self, values: NDArray[Any]) -> None:
        """Put numbers behind those that are there."""
        self.write(values, self.n)

    def write(self, values: NDArray[Any], start: int) -> None:
        """Put numbers in the places from ``start`` on."""
        data = np.ascontiguousarray(values, self.dtype)
        try:
            self._file.seek(start * self.dtype.itemsize)
            self._file.write(data.data.cast("B") if data.size else b"")
        except OSError as error:
            raise OutputError(
                f"{tempfile.gettempdir()}: a temporary file cannot be written: {error.strerror}",
                "Free some space, or name another folder in the environment variable TMPDIR.",
            ) from error
        self.n = max(self.n, start + len(data))

    def read(self, start: int, end: int) -> NDArray[Any]:
        """Return the numbers from ``start`` to before ``end``."""
        self._file.seek(start * self.dtype.itemsize)
        return np.frombuffer(self._file.read((end - start) * self.dtype.itemsize), self.dtype)

    def blocks(self, rows: int = BLOCK) -> Iterator[NDArray[Any]]:
        """Yield all numbers, so many at a time."""
        for start in range(0, self.n, rows):
            yield self.read(start, min(start + rows, self.n))
