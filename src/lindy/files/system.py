"""Differences between operating systems in files, locks and processors. Everything else of lindy asks here.

POSIX has locks on whole files, reads at a place without moving there, and lets a file be renamed or removed that
somebody has open or mapped. Windows has none of that: its counterparts are below. Nothing is decided by the name of the
system: what is missing is done the other way.
"""

from __future__ import annotations

import errno
import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

IS_POSIX = fcntl is not None
"""Whether a file can be replaced and removed while somebody has it open or mapped, for whom it stays what it was."""

BYTES = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Flags of ``os.open`` for bytes, which Windows would else translate, in this process, which POSIX would else share."""
NO_WAITING = getattr(os, "O_NONBLOCK", 0)
"""The flag with which a pipe does not make the call wait."""
NO_LINKS = getattr(os, "O_NOFOLLOW", 0)
"""The flag with which a symbolic link is an error."""

_LOCKED_BYTE = 0x7FFF0000  # of Windows' locks, which are on bytes: one beyond the files that are locked
_LOCKED = (
    errno.EWOULDBLOCK,
    errno.EAGAIN,
    errno.EACCES,
    errno.EDEADLK,
)  # the last two are Windows' words for it
_moving = threading.Lock()


def read_at(number: int, size: int, offset: int) -> bytes:
    """Read bytes at a place of an open file (by its number); fewer at its end."""
    if hasattr(os, "pread"):
        return os.pread(number, size, offset)
    with _moving:
        os.lseek(number, offset, os.SEEK_SET)
        return os.read(number, size)


def write_at(number: int, data: Any, offset: int) -> int:
    """Write bytes at a place of an open file (by its number); return how many were written."""
    if hasattr(os, "pwrite"):
        return os.pwrite(number, data, offset)
    with _moving:
        os.lseek(number, offset, os.SEEK_SET)
        return os.write(number, data)


def has_input(number: int, seconds: float) -> bool:
    """Whether an open pipe or file has bytes within so many seconds; False where only reading them would tell."""
    if not IS_POSIX:  # Windows can ask sockets only
        return False
    import select

    return bool(select.select([number], [], [], seconds)[0])


def lock(number: int, *, wait: bool = False) -> bool | None:
    """Lock an open file as long as it is open.

    False if another process has locked it, None if its file system has no locks, as some network drives have none.
    """
    try:
        if fcntl is not None:
            fcntl.flock(number, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        elif sys.platform == "win32":
            import msvcrt

            with _moving:
                here = os.lseek(number, 0, os.SEEK_CUR)
                os.lseek(number, _LOCKED_BYTE, os.SEEK_SET)
                try:
                    msvcrt.locking(number, msvcrt.LK_LOCK if wait else msvcrt.LK_NBLCK, 1)
                finally:
                    os.lseek(number, here, os.SEEK_SET)
    except OSError as error:
        return False if error.errno in _LOCKED else None
    return True


def remove_unused(folder: str, remove: Callable[[], object]) -> None:
    """Call what removes a folder; where a file is still in use and Windows refuses, again when the process ends."""
    if IS_POSIX:
        remove()
        return
    with suppress(PermissionError):
        remove()
    if os.path.exists(folder):
        import atexit

        atexit.register(_remove_at_end, folder, remove)


def _remove_at_end(folder: str, remove: Callable[[], object]) -> None:
    import gc

    gc.unfreeze()
    gc.collect()  # what has the files mapped
    try:
        remove()
    except OSError as error:
        sys.stderr.write(f"note: {folder} could not be removed: {error.strerror}\n")
