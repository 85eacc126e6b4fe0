"""fastText lines: ``__label__positive the text``, one per line; a line without a label is a text without one.

Several labels in front of a text, ``__label__fine __label__new the text``, are joined by a space, which no label has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, TextIO

from lindy.data.chunks.row_chunker import line_chunks
from lindy.data.chunks.source import Source
from lindy.data.columns.several_labels import SPACE, words_in
from lindy.data.columns.table import Table
from lindy.data.formats.lines import broken_remark, one_line, text_lines
from lindy.data.formats.registry import Reading
from lindy.errors import DataError

PREFIX = "__label__"
_LABEL = re.compile(rf"{PREFIX}(\S*)(?:[ \t\v\f\r]|\Z)")
_MORE = re.compile(rf"[ \t\v\f\r]*{_LABEL.pattern}")
_INSIDE = re.compile(rf"(?:\A|[ \t\v\f\r]){PREFIX}(\S*)")


def begins(lines: Sequence[bytes]) -> bool:
    """Whether the first line begins with a label, and so do most of the next ones."""
    found = [line.startswith(PREFIX.encode()) for line in lines]
    return bool(found) and found[0] and 2 * sum(found) > len(found)


def read(source: Source, reading: Reading) -> Iterator[Table]:
    """Read fastText lines."""
    return line_chunks(source, reading, read_fasttext)


def read_fasttext(source: Source, _threads: int | None = None) -> Table:
    """Read every line as a text and its labels; the label column is left out if no line has a label."""
    texts: list[str] = []
    labels: list[str | None] = []
    several = False
    for line, text in enumerate(text_lines(source), start=1):
        found = _LABEL.match(text)
        own, end = [], 0
        while found:
            own.append(found[1])
            end = found.end()
            found = _MORE.match(text, end) if PREFIX in text[end:] else None
        if "" in own:
            raise source.error(f"the label is empty: {PREFIX!r} and a space", _expected(), line)
        if PREFIX in text[end:] and (other := _INSIDE.search(text[end:])):
            what = f"the label {other[1]!r} is not at the start"
            raise source.error(what, f"{_expected()} Labels are in front of the text.", line)
        texts.append(text[end:])
        labels.append(SPACE.join(own) if own else None)
        several = several or len(own) > 1
    return Table.of_texts(source.path, texts, labels, lambda row: row + 1, SPACE if several else None)


def _expected() -> str:
    return f"Expected a line such as '{PREFIX}positive A fine book.'."


def write(file: TextIO, texts: Any, labels: Any | None, table: Table) -> list[str]:
    """Write a line for each text of a table; returns remarks on what could not be written as it was."""
    broken = 0
    for row, text in enumerate(texts):
        own = words_in(labels, row, table)
        if PREFIX in text and _INSIDE.search(text):
            raise DataError(
                f"{table.place(row)}: the text has a word that begins with {PREFIX}, which would be read as a label",
                "Change the text, or choose another format.",
            )
        line = one_line(text)
        broken += line != text
        file.write("".join(f"{PREFIX}{label} " for label in own) + line + "\n")
    return broken_remark(broken)
