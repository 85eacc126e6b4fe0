"""A file must stay the same while it is read part by part: otherwise rows would be of two files."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from lindy.data.table import Table
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


def file_state(path: str) -> tuple[int, ...] | None:
    """Return what differs when a file is written or replaced; None if there is none."""
    try:
        status = os.stat(path)
    except OSError:  # gone
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
