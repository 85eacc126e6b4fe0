"""Numbers of many rows that are written once and read again in blocks: on disk, when they are more than a few.

They lie in pieces of 64 KB. All objects of a process share the pieces: the first thousand are in memory, the others in
one file, however many objects there are (an evaluation has one for each class). The file has no name, so nothing is
left of it when the process ends, however it ends. It lies in the folder for temporary files (``TMPDIR``).
"""

from __future__ import annotations

import itertools
import os
import tempfile
from collections import deque
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy.errors import OutputError
from lindy.files.system import read_at, write_at

BLOCK = 1 << 18
"""Rows that are read at once. Sums over blocks do not depend on how the rows were added."""
PIECE = 1 << 16
"""Bytes."""
IN_MEMORY = 1 << 10
"""Pieces that are not worth a file."""


class _Pieces:
    """Pieces of 64 KB by their numbers, which are used again when they are free."""

    shared: ClassVar[_Pieces]

    def __init__(self) -> None:
        self._free: deque[int] = deque()  # whose methods need no lock: pieces are freed at any moment
        self._next = itertools.count()
        self._memory: dict[int, bytearray] = {}
        self._file: int | None = None  # its number

    def __del__(self) -> None:
        if self._file is not None:
            os.close(self._file)

    def take(self) -> int:
        """Return the number of a piece that nobody has."""
        try:
            return self._free.pop()
        except IndexError:
            return next(self._next)

    def free(self, numbers: list[int]) -> None:
        """Take pieces back."""
        for number in numbers:
            self._memory.pop(number, None)
        self._free.extend(reversed(numbers))

    def write(self, number: int, place: int, data: memoryview) -> None:
        """Put bytes into a piece, which has room for them."""
        if number < IN_MEMORY:
            self._memory.setdefault(number, bytearray(PIECE))[place : place + len(data)] = data
            return
        try:
            if self._file is None:
                with tempfile.TemporaryFile() as file:
                    self._file = os.dup(file.fileno())
            begin = (number - IN_MEMORY) * PIECE + place
            while data:
                written = write_at(self._file, data, begin)
                data, begin = data[written:], begin + written
        except OSError as error:
            raise OutputError(
                f"{tempfile.gettempdir()}: a temporary file cannot be written: {error.strerror}",
                "Free some space, or name another folder in the environment variable TMPDIR.",
            ) from error

    def read(self, number: int, begin: int, end: int) -> bytes | memoryview:
        """Return bytes of a piece."""
        if number < IN_MEMORY:
            return memoryview(self._memory[number])[begin:end]
        assert self._file is not None  # the piece was written
        return read_at(self._file, end - begin, (number - IN_MEMORY) * PIECE + begin)


def _begin_anew() -> None:
    """Let what is added from now on, such as by a child process, be in a file of its own."""
    _Pieces.shared = _Pieces()


_begin_anew()
if hasattr(os, "register_at_fork"):  # Windows has no fork
    os.register_at_fork(after_in_child=_begin_anew)


class DiskArray:
    """Numbers of one type; ``blocks`` yields them in the order in which they were added."""

    def __init__(self, dtype: DTypeLike) -> None:
        self.dtype = np.dtype(dtype)
        self.n = 0
        self._pieces, self._own = _Pieces.shared, list[int]()

    def __del__(self) -> None:
        self._pieces.free(self._own)

    def __len__(self) -> int:
        return self.n

    def add(self, values: NDArray[Any]) -> None:
        """Put numbers behind those that are there."""
        self.write(values, self.n)

    def write(self, values: NDArray[Any], start: int) -> None:
        """Put numbers in the places from ``start`` on."""
        data = np.ascontiguousarray(values, self.dtype)
        begin = start * self.dtype.itemsize
        while len(self._own) * PIECE < begin + data.nbytes:
            self._own.append(self._pieces.take())
        left = data.data.cast("B") if data.size else memoryview(b"")
        while left:
            piece, place = divmod(begin, PIECE)
            own = left[: PIECE - place]
            self._pieces.write(self._own[piece], place, own)
            left, begin = left[len(own) :], begin + len(own)
        self.n = max(self.n, start + len(data))

    def read(self, start: int, end: int) -> NDArray[Any]:
        """Return the numbers from ``start`` to before ``end``."""
        begin, last = start * self.dtype.itemsize, end * self.dtype.itemsize
        parts = []
        while begin < last:
            piece, place = divmod(begin, PIECE)
            stop = min(PIECE, place + last - begin)
            parts.append(self._pieces.read(self._own[piece], place, stop))
            begin += stop - place
        return np.frombuffer(b"".join(parts), self.dtype)

    def blocks(self, rows: int = BLOCK) -> Iterator[NDArray[Any]]:
        """Yield all numbers, so many at a time."""
        for start in range(0, self.n, rows):
            yield self.read(start, min(start + rows, self.n))
