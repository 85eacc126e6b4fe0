"""Writing a file as a whole or not at all.

    temporary file in the same folder → write → fsync → rename over the target → fsync of the folder

Whatever happens on the way (an exception, Ctrl-C, ``kill -9``, a full disk, a power cut), the name holds either the
complete old contents or the complete new ones. A process that is killed outright can leave a ``.lindy-*.tmp``
behind, which nothing reads; every other end removes it, and so does the next write to the same name: a writer holds a
lock on its temporary file, and one without a lock is left over.
"""

from __future__ import annotations

import errno
import io
import os
import stat
import time
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import IO, Any, BinaryIO, Literal, TextIO, overload

from lindy.errors import OutputError
from lindy.files.output_guard import check_replaceable, note_output
from lindy.files.system import BYTES, IS_POSIX, NO_LINKS, lock

_CANNOT_SYNC_A_FOLDER = (errno.EINVAL, errno.ENOTSUP, errno.EACCES)
_LEFT_OVER = (
    3600.0  # seconds since the last change of a temporary file where it cannot be renamed while it is locked
)


@overload
def atomic_write(
    path: str | os.PathLike[str], *, text: Literal[False] = False, kind: str | None = None
) -> AbstractContextManager[BinaryIO]: ...
@overload
def atomic_write(
    path: str | os.PathLike[str], *, text: Literal[True], kind: str | None = None
) -> AbstractContextManager[TextIO]: ...
def atomic_write(
    path: str | os.PathLike[str], *, text: bool = False, kind: str | None = None
) -> AbstractContextManager[Any]:
    """Open ``path`` for writing in a ``with`` block; it is replaced when the block ends without an exception.

    The file keeps the permission bits of the one it replaces; a new file gets those of the umask. A symbolic link
    stays, and the file it points to is replaced. Devices and pipes (``/dev/stdout``) are written to directly.

    Parameters
    ----------
    path : str or path
    text : bool
        Open for UTF-8 text, with newlines written as they are, instead of for bytes.
    kind : str or None
        What is written (`lindy.files.output_guard`): commands do not replace a file of another kind.

    Raises
    ------
    OutputError
        When the file cannot be written; the message names the reason.
    """
    name = os.fspath(path)
    if not os.path.basename(name):
        raise OutputError(f"{name!r} does not name a file", "Give the name of a file.", errno.EISDIR)
    target = os.path.realpath(name)
    try:
        old = os.stat(name)
    except FileNotFoundError:
        return _replacing(name, target, None, text, kind)
    except OSError as error:
        raise _explained(error, name) from error
    if stat.S_ISDIR(old.st_mode):
        raise OutputError(f"{name} is a folder", "Give the name of a file inside it.", errno.EISDIR)
    if not stat.S_ISREG(old.st_mode):
        return _straight(name, text)
    if not os.access(target, os.W_OK):
        raise OutputError(
            f"{name} is write-protected",
            f"Make it writable (chmod u+w {name}) or choose another name.",
            errno.EACCES,
        )
    check_replaceable(name, kind)
    return _replacing(name, target, old.st_mode & 0o777, text, kind)


class _TrialError(Exception):
    """Ends a trial write."""


def check_writable(path: str | os.PathLike[str], kind: str | None = None) -> None:
    """Raise what ``atomic_write`` would, before long work begins; nothing is written."""
    with suppress(_TrialError), atomic_write(path, kind=kind):
        raise _TrialError


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder, and those that it is in, where they are missing; OutputError if that is not possible."""
    name = os.fspath(path)
    try:
        os.makedirs(name, exist_ok=True)
    except OSError as error:
        reason = "a file has this name" if isinstance(error, FileExistsError) else error.strerror
        raise OutputError(
            f"{name}: the folder cannot be made: {reason}",
            "Name another folder, in a place where you may write.",
            error.errno,
        ) from error


@contextmanager
def _replacing(name: str, target: str, mode: int | None, text: bool, kind: str | None) -> Iterator[IO[Any]]:
    folder = os.path.dirname(target)
    of_this_name = f".lindy-{zlib.crc32(os.fsencode(os.path.basename(target))):08x}-"
    fd, temporary, is_open = -1, "", True
    try:
        while fd < 0:
            # named before it is there, so that an interrupt leaves no file whose name nobody knows
            temporary = os.path.join(folder, f"{of_this_name}{os.urandom(8).hex()}.tmp")
            with _explaining(name):
                fd = _new_temporary(temporary)
        _remove_left_over(folder, of_this_name, temporary)
        with _explaining(name):
            if mode is not None and IS_POSIX:
                os.fchmod(fd, mode)
        # the descriptor outlives the file object, which the caller or a library may have closed
        with _opened(fd, name, text, closefd=False) as file:
            yield file
        with _explaining(name):
            os.fsync(fd)
        check_replaceable(name, kind)  # once more: it may have been read since
        with _explaining(name):
            if not IS_POSIX:  # Windows renames and removes only what is closed
                is_open = False
                os.close(fd)
            os.replace(temporary, target)  # while it is locked: a file without a lock may be removed
        note_output(name)
    except BaseException:
        if is_open and fd >= 0 and not IS_POSIX:
            is_open = False
            os.close(fd)
        try:
            os.unlink(temporary)
        except FileNotFoundError:
            if fd >= 0:  # an interrupt came right after it had got the target's name
                note_output(name)
        except OSError:  # what cannot be removed now, the next write to this name removes
            pass
        raise
    finally:
        if is_open and fd >= 0:
            with suppress(OSError):  # it is synced, or given up
                os.close(fd)
    _sync_folder(folder, name)


def _new_temporary(path: str) -> int:
    """Create a file that is locked for as long as it is open: other writers do not take it for left over.

    Returns its descriptor; −1 if one of them removed the file before it was locked.
    """
    fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BYTES, 0o666)
    if not IS_POSIX or not lock(fd, wait=True) or os.fstat(fd).st_nlink:
        return fd
    os.close(fd)
    return -1


def _remove_left_over(folder: str, prefix: str, own: str) -> None:
    """Remove what killed writers of the same name left; what cannot be removed stays."""
    names: list[str] = []
    with suppress(OSError):  # a folder that can be written to, but not listed
        names = os.listdir(folder)
    for name in names:
        path = os.path.join(folder, name)
        if name.startswith(prefix) and name.endswith(".tmp") and path != own:
            with suppress(OSError):
                if not IS_POSIX:
                    if time.time() - os.lstat(path).st_mtime > _LEFT_OVER:
                        os.unlink(path)  # which Windows refuses while it is open
                    continue
                fd = os.open(path, os.O_RDONLY | NO_LINKS | BYTES)
                try:
                    if lock(fd):
                        os.unlink(path)
                finally:
                    os.close(fd)


@contextmanager
def _straight(name: str, text: bool) -> Iterator[IO[Any]]:
    with _explaining(name):
        fd = os.open(name, os.O_WRONLY | BYTES)
    with _opened(fd, name, text, closefd=True) as file:
        yield file


class _Output(io.FileIO):
    """A file that names itself when it cannot be written; errors of the caller's own reading pass as they are."""

    def __init__(self, fd: int, name: str, closefd: bool) -> None:
        super().__init__(fd, "wb", closefd=closefd)
        self._output = name

    def write(self, data: Any) -> int:
        """Write bytes; OutputError if that is not possible."""
        with _explaining(self._output):
            return os.write(self.fileno(), data)


def _opened(fd: int, name: str, text: bool, closefd: bool) -> IO[Any]:
    file = io.BufferedWriter(_Output(fd, name, closefd))
    return io.TextIOWrapper(file, encoding="utf-8", newline="") if text else file


def _sync_folder(folder: str, name: str) -> None:
    """Make the rename durable; where folders cannot be synced, the complete file in its place has to do."""
    if not IS_POSIX:
        return
    try:
        fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | BYTES)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)
    except OSError as error:
        if error.errno not in _CANNOT_SYNC_A_FOLDER:
            raise OutputError(
                f"{name} is written, but may not survive a power cut: {error.strerror} on syncing {folder}",
                "Check the disk. The new file is complete and in its place.",
                error.errno,
            ) from error


@contextmanager
def _explaining(name: str) -> Iterator[None]:
    """Turn the system's errors into OutputError; a reader that went away is none."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _explained(error, name) from error


def _explained(error: OSError, name: str) -> OutputError:
    folder = os.path.dirname(os.path.realpath(name)) or "."
    kept = "Nothing was changed: a file of that name is as it was before."
    number = error.errno or 0
    messages = {
        errno.ENOENT: (f"the folder {folder} does not exist", f"Create it first: mkdir -p {folder}"),
        errno.ENOTDIR: (f"{folder} is not a folder", "Choose another place for the file."),
        errno.EACCES: (
            f"no permission to write in {folder}",
            "Choose another folder or change its permissions.",
        ),
        errno.EROFS: (f"{folder} is on a read-only file system", "Choose another folder."),
        errno.ENAMETOOLONG: ("the file name is too long", "Choose a shorter name."),
        errno.ELOOP: ("the symbolic link leads to itself", "Choose another name or remove the link."),
        errno.ENOSPC: ("no space left on the disk", f"Free some space. {kept}"),
        errno.EDQUOT: ("the disk quota is used up", f"Free some space. {kept}"),
        errno.EFBIG: (
            "the file would be larger than is allowed here",
            f"Raise the limit (ulimit -f). {kept}",
        ),
    }
    messages[errno.EPERM] = messages[errno.EACCES]
    if not IS_POSIX and os.path.exists(name):
        messages[errno.EACCES] = (
            "no permission, or another program has the file open",
            "Close what uses it (a spreadsheet, lindy serve), or choose another name.",
        )
    reason, hint = messages.get(number, (error.strerror or str(error), kept))
    return OutputError(f"cannot write {name}: {reason}", hint, number)
