r"""Plain text: one document per line, also where the line is empty. The column is called ``text``.

Lines end in ``\n`` or ``\r\n``; a line break at the end of the file begins no further line.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TextIO

import numpy as np

from lindy.core.column import TextColumn
from lindy.data.chunks.row_chunker import line_chunks
from lindy.data.chunks.source import UTF8_BOM, Source
from lindy.data.columns.table import Table
from lindy.data.formats.registry import Reading


def read(source: Source, reading: Reading) -> Iterator[Table]:
    """Read lines."""
    return line_chunks(source, reading, read_lines)


def read_lines(source: Source, _threads: int | None = None) -> Table:
    """Read every line as a text."""
    data = whole_lines(source)
    breaks = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n"))
    offsets = np.zeros(len(breaks) + 1, np.int64)
    offsets[1:] = breaks - np.arange(len(breaks))
    column = TextColumn(offsets, np.frombuffer(data.replace(b"\n", b""), np.uint8))
    return Table(source.path, ["text"], len(breaks), lambda _name: column, lambda row: row + 1)


def text_lines(source: Source) -> list[str]:
    """Return every line without its end."""
    return whole_lines(source).decode().split("\n")[:-1]


def write(file: TextIO, texts: list[str], labels: list[str] | None, _table: Table) -> list[str]:
    """Write a line for each text; returns remarks on what is not as it was."""
    lines = [one_line(text) for text in texts]
    file.writelines(f"{line}\n" for line in lines)
    broken = sum(line != text for line, text in zip(lines, texts, strict=True))
    left_out = [] if labels is None else ["lines have no labels: they were left out"]
    return [*broken_remark(broken), *left_out]


def broken_remark(broken: int) -> list[str]:
    """Return the remark that texts lost their line breaks, if any did."""
    return [f"line breaks in {broken:,} of the texts became spaces"] if broken else []


def one_line(text: str) -> str:
    """Return a text with its line breaks as spaces."""
    return text.replace("\r\n", " ").replace("\n", " ").replace("\r", " ")


def whole_lines(source: Source) -> bytes:
    r"""Return the checked bytes, every line with ``\n`` at its end."""
    data = source.read()
    source.check_text(data)
    source.check_bytes(data)
    data = data.removeprefix(UTF8_BOM).replace(b"\r\n", b"\n")
    return data if data.endswith(b"\n") else data + b"\n"
