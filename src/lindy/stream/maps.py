"""Arrays in mapped files, and the keeper, which holds down the memory that they take.

What is read of a mapped file counts as memory of the process, though the system could take it back at any time. The
keeper looks at the resident memory every few milliseconds; above the limit it tells the system that the pages of all
maps are not needed (``madvise``). They stay in the system's cache of files as long as there is room: reading them again
costs a fault in a page table, not a read of the disk.
"""

from __future__ import annotations

import errno
import mmap
import os
import threading
import weakref
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy.errors import DataError

_LOOK = 0.005  # seconds between two looks at the resident memory
_STEP = 32 << 20  # bytes by which it has to grow again where giving back was of little use
_PAGE = mmap.PAGESIZE


def resident() -> int | None:
    """Return how many bytes of this process are in memory; None where the system does not tell."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except OSError:
        return None


def machine_memory() -> int | None:
    """Return how many bytes are available to this process; None where the system does not tell."""
    found = []
    try:
        with open("/proc/meminfo", "rb") as file:
            lines = dict(line.split(b":", 1) for line in file)
        found.append(int(lines[b"MemAvailable"].split()[0]) << 10)
    except (OSError, KeyError, ValueError):
        return None
    try:  # a container may have less than its machine
        with open("/sys/fs/cgroup/memory.max", "rb") as limit, open("/sys/fs/cgroup/memory.current", "rb") as used:
            found.append(int(limit.read()) - int(used.read()))
    except (OSError, ValueError):
        pass
    return max(min(found), 0)


class NoRoomError(DataError):
    """A disk that is full."""


def no_room(folder: str, wanted: int | None = None) -> NoRoomError:
    """Return the error of a disk that is full."""
    size = "" if wanted is None else f" for {max(wanted >> 20, 1):,} MB more"
    return NoRoomError(
        f"{folder}: there is no room on the disk{size}",
        "Free some, or name a folder on another disk with --cache; what was done is kept, and --resume goes on.",
    )


class Keeper:
    """Gives back the pages of all maps when the process has more than ``limit`` bytes in memory."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self._maps: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread: threading.Thread | None = None

    def watch(self, mapped: mmap.mmap) -> None:
        """Take a map into account, as long as it lives."""
        with self._lock:
            self._maps.add(mapped)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="lindy keeper", daemon=True)
            self._thread.start()

    def drop(self) -> None:
        """Give back the pages of all maps now."""
        with self._lock:
            maps = list(self._maps)
        for mapped in maps:
            if hasattr(mapped, "madvise"):
                mapped.madvise(mmap.MADV_DONTNEED)

    def stop(self) -> None:
        """End the thread."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        least = self.limit
        while not self._stopped.wait(_LOOK):
            now = resident()
            if now is None or now > least:
                self.drop()
                after = resident()
                least = self.limit if after is None else max(self.limit, after + _STEP)
            else:
                least = max(self.limit, min(least, now + _STEP))


def mapped_array(number: int, size: int, dtype: DTypeLike, keeper: Keeper) -> NDArray[Any]:
    """Return an open file (by its number) as an array of so many values, which may be written."""
    if size == 0:
        return np.empty(0, dtype)
    mapped = mmap.mmap(number, size * np.dtype(dtype).itemsize)
    keeper.watch(mapped)
    return np.frombuffer(mapped, dtype)


def new_array(folder: str, size: int, dtype: DTypeLike, keeper: Keeper) -> NDArray[Any]:
    """Return an array in a file without a name, which is gone with the array, or with the process.

    Its room on the disk is taken at once: a full disk is an error here, and not a crash when it is written.
    """
    import tempfile

    wanted = size * np.dtype(dtype).itemsize
    with tempfile.TemporaryFile(dir=folder) as file:
        reserve(file.fileno(), wanted, folder)
        return mapped_array(file.fileno(), size, dtype, keeper)


def reserve(number: int, wanted: int, folder: str) -> None:
    """Make an open file (by its number) so large, with room on the disk for all of it."""
    try:
        if wanted and hasattr(os, "posix_fallocate"):
            os.posix_fallocate(number, 0, wanted)
        else:
            os.ftruncate(number, wanted)
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise no_room(folder, wanted) from None
        raise
