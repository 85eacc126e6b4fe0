"""Odd files, each with its golden outcome: the rows, or an error that names file and line and says what to do."""

from __future__ import annotations

from dataclasses import dataclass

BOM = b"\xef\xbb\xbf"
PLAIN = b"text,label\nA fine book.,positive\n"
FINE = [("A fine book.", "positive")]


@dataclass(frozen=True)
class Wrong:
    """The error: its line (None: none), words of its message and of its hint."""

    line: int | None
    message: str
    hint: str


Rows = list[tuple[str | None, ...]]
Cases = list[tuple[str, bytes, Rows | Wrong]]
"""Name, contents of the file, and what comes of them."""
