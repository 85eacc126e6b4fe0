"""Finds out what a path leads to, and raises the error where it cannot be read."""

from __future__ import annotations

import os
import stat
from typing import Any

from lindy.errors import DataError


def check_end(file: Any, name: str) -> None:
    """Refuse a device such as /dev/zero, which has no end; a terminal has one, and /dev/null is empty."""
    try:
        number = file.fileno()
    except OSError:  # it is in memory
        return
    status = os.fstat(number)
    if not (stat.S_ISCHR(status.st_mode) or stat.S_ISBLK(status.st_mode)) or os.isatty(number):
        return
    if status.st_rdev != os.stat(os.devnull).st_rdev:
        raise DataError(
            f"{name}: is a device, expected a file",
            "What is read from a device may never end: write what you want of it to a file first.",
        )


def is_regular(path: str) -> bool:
    """Whether ``path`` is a file (and not a pipe); an error if it does not exist or is a folder."""
    try:
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        raise _missing(path) from None
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error
    if stat.S_ISDIR(mode):
        raise DataError(f"{path}: is a folder, expected a file", _files_of(path))
    return stat.S_ISREG(mode)


def _missing(path: str) -> DataError:
    folder, name = os.path.split(path)
    if folder and not os.path.isdir(folder):
        return DataError(f"{path}: no such file; the folder {folder!r} does not exist", "Check the path.")
    if set(path) & set("*?["):
        return DataError(
            f"{path}: no such file, and none that fits it as a pattern",
            f"The folder is {os.path.abspath(folder or '.')}.",
        )
    import difflib

    try:
        near = difflib.get_close_matches(name, os.listdir(folder or "."), n=3)
    except OSError:
        near = []
    if near:
        names = " or ".join(os.path.join(folder, other) for other in near)
        return DataError(f"{path}: no such file", f"Did you mean {names}?")
    return DataError(f"{path}: no such file", f"The folder is {os.path.abspath(folder or '.')}.")


def _files_of(folder: str) -> str:
    try:
        names = sorted(entry.name for entry in os.scandir(folder) if entry.is_file())
    except OSError:
        names = []
    if not names:
        return "Name a file."
    return f"Name a file in it, such as {os.path.join(folder, names[0])}."


def unreadable(name: str, error: OSError | ValueError) -> DataError:
    """Return the error for what the system does not let us read."""
    reason = getattr(error, "strerror", None) or str(error)
    return DataError(f"{name}: cannot be read: {reason}", "Check the path and the permissions of the file.")
