r"""Plain text: one document per line, also where the line is empty. The column is called ``text``.

Lines end in ``\n`` or ``\r\n``; a line break at the end of the file begins no further line.
"""

from __future__ import annotations

import numpy as np

from lindy.core.column import TextColumn
from lindy.data.chunks.source import UTF8_BOM, Source
from lindy.data.columns.table import Table


def read_lines(source: Source) -> Table:
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
