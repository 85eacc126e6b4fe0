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
    before = _state(path)
    for part in parts:
        if _state(path) != before:
            raise changed(path)
        yield part
    if _state(path) != before:
        raise changed(path)


def _state(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:  # gone
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
