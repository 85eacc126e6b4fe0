"""Arrays in mapped files, and the keeper, which holds down the memory that they take.

What is read of a mapped file counts as memory of the process, though the system could take it back at any time. Above
a limit the keeper, a thread of the core (``native/core/mapped_file.hpp``), tells the system that the pages of all maps
are not needed. They stay in the system's cache of files as long as there is room: reading them again costs a fault in a
page table, not a read of the disk.
"""

from __future__ import annotations

import errno
import os
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.errors import DataError


class NoRoomError(DataError):
    """A disk that is full."""


def no_room(folder: str, *, is_kept: bool = True) -> NoRoomError:
    """Return the error of a disk that is full, and whether what was done is of use to ``resume=True``."""
    kept = (
        "; what was done is kept, and `resume=True` goes on."
        if is_kept
        else ", and give the input again from its beginning."
    )
    return NoRoomError(
        f"{folder}: there is no room on the disk",
        f"Free some, or name a folder on another disk with `folder=`{kept}",
    )


class Keeper:
    """Gives back the pages of all maps when the process has more than ``limit`` bytes in memory, until ``stop``."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._thread: _native.PageKeeper | None = _native.PageKeeper(limit)

    def stop(self) -> None:
        """End the thread that does it."""
        self._thread = None


def mapped_array(number: int, size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an open file (by its number) as an array of so many values, which may be written."""
    if size == 0:
        return np.empty(0, dtype)
    mapped: NDArray[Any] = _native.map_file(number, size * np.dtype(dtype).itemsize).view(dtype)
    return mapped


def new_array(folder: str, size: int, dtype: DTypeLike) -> NDArray[Any]:
    """Return an array in a file without a name, which is gone with the array, or with the process.

    Its room on the disk is taken at once: a full disk is an error here, and not a crash when it is written.
    """
    import tempfile

    wanted = size * np.dtype(dtype).itemsize
    with tempfile.TemporaryFile(dir=folder) as file:
        reserve(file.fileno(), wanted, folder)
        return mapped_array(file.fileno(), size, dtype)


class Growing:
    """An array that is written from its beginning to its end: in a file, without touching the memory of a map."""

    def __init__(self, folder: str, dtype: DTypeLike) -> None:
        import tempfile

        self._folder, self._dtype, self._size = folder, np.dtype(dtype), 0
        self._file = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115

    def append(self, values: NDArray[Any]) -> None:
        """Add values to the end."""
        data = memoryview(np.ascontiguousarray(values, self._dtype).view(np.uint8).data)
        try:
            while data:
                data = data[self._file.write(data) :]
        except OSError as error:
            raise explained(error, self._folder) from None
        self._size += len(values)

    def finish(self) -> NDArray[Any]:
        """Return the array."""
        with self._file:
            return mapped_array(self._file.fileno(), self._size, self._dtype)


def explained(error: OSError, folder: str) -> Exception:
    """Return an error of writing to a folder as people understand it."""
    return no_room(folder) if error.errno in (errno.ENOSPC, errno.EDQUOT) else error


def reserve(number: int, wanted: int, folder: str) -> None:
    """Make an open file (by its number) so large, with room on the disk for all of it."""
    try:
        if wanted and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(number, 0, wanted)
        else:
            os.ftruncate(number, wanted)
    except OSError as error:
        raise explained(error, folder) from None
