"""Guard of outputs: a command must not overwrite the files that it reads, nor files of another kind.

The library writes where it is told to. The command line runs its commands in ``protecting``: an output that is one of
the inputs (the same file by device and inode, whatever the names and links) is refused, and so is an existing file of
another kind than the one about to be written, such as a table where a model goes, unless that was asked for.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from lindy.errors import OutputError

MODEL, MODULE, PAGE = "a model", "an exported JavaScript module", "an HTML page"
PICTURE, TABLE = "a picture", "a table"
EXPORTED = "/* exported by lindy"
"""The first bytes of an exported module and of its type declarations."""

_FASTTEXT = b"\xba\x16\x4f\x2f"
_PICTURES = (b"\x89PNG", b"%PDF", b"<svg", b"\xff\xd8\xff", b"GIF8")


class _Protection:
    """The files that were read, by device and inode, those that were written, and whether others may be replaced."""

    def __init__(self, force: bool, outputs: list[str]) -> None:
        self.force = force
        self.inputs: set[tuple[int, int]] = set()
        self.outputs = outputs


_protections: list[_Protection] = []


@contextmanager
def protecting(*, force: bool = False, outputs: list[str] | None = None) -> Iterator[None]:
    """Protect what is read within this block; ``force`` allows to replace files of another kind, but no inputs.

    The names of the files that were written are added to ``outputs``.
    """
    _protections.append(_Protection(force, [] if outputs is None else outputs))
    try:
        yield
    finally:
        _protections.pop()


def note_input(path: str | os.PathLike[str] | int) -> None:
    """Remember that a file (or an open descriptor) is read."""
    if _protections:
        with suppress(OSError):  # the reader says it better
            found = os.stat(path)
            _protections[-1].inputs.add((found.st_dev, found.st_ino))


def note_output(path: str) -> None:
    """Remember that a file has been written as a whole."""
    if _protections:
        _protections[-1].outputs.append(path)


def check_replaceable(path: str, kind: str | None) -> None:
    """Raise OutputError if a protected file would be replaced; ``kind`` is what is going to be written."""
    if not _protections:
        return
    protection = _protections[-1]
    try:
        old = os.stat(path)
    except OSError:
        return
    if (old.st_dev, old.st_ino) in protection.inputs:
        raise OutputError(
            f"{path} is read by this command and would be overwritten", "Give the output another name."
        )
    found = kind_of(path) if kind is not None and not protection.force else None
    if found is not None and found != kind:
        raise OutputError(
            f"{path} exists and is not {kind}: its contents would be lost",
            "Choose another name, or replace it with `force=True`.",
        )


def kind_of(path: str) -> str | None:
    """Return what a file is by its first bytes: everything that is nothing else counts as a table; None if empty."""
    try:
        with open(path, "rb") as file:
            start = file.read(1024)
    except OSError:
        return None
    text = start.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b'"format":"lindy"' in start[8:64] or start.startswith(_FASTTEXT):
        return MODEL
    if text.startswith((b"<!doctype html", b"<html")):
        return PAGE
    if text.startswith(EXPORTED.encode()):
        return MODULE
    if start.startswith(_PICTURES) or (text.startswith(b"<?xml") and b"<svg" in text):
        return PICTURE
    return TABLE if start else None
