"""A file must stay the same while it is read part by part: otherwise rows would be of two files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from lindy.data.columns.table import Table
from lindy.errors import DataError


def changed(name: str) -> DataError:
    """Return the error for a file that is not the one that reading began with."""
    return DataError(
        f"{name}: the file changed while it was read", "Try again when nobody writes to it, or make a copy."
    )


def unchanged(path: str, parts: Iterable[Table]) -> Iterator[Table]:
    """Yield the parts of a file; raises DataError as soon as the file is seen to be another or of another size."""
    before = file_state(path)
    for part in parts:
        if file_state(path) != before:
            raise changed(path)
        yield part
    if file_state(path) != before:
        raise changed(path)


class FileState(NamedTuple):
    """The signs of a file's change: its size in bytes, its time, its disk and its number there."""

    size: int
    time: int
    disk: int
    number: int


def file_state(path: str) -> FileState | None:
    """Return the state of a file; None if there is none (the reader says so), and of standard input."""
    if path == "-":
        return None
    try:
        status = os.stat(path)
    except OSError:
        return None
    return FileState(status.st_size, status.st_mtime_ns, status.st_dev, status.st_ino)
