"""Tables out of an input that is still being written: the rows that are complete, as soon as they are there.

What has arrived is cut behind its last complete row and read as a table of its own, below the same header. Formats in
which rows cannot be told before the end (Parquet, Excel, compressed and UTF-16 input) are one table, at the end.
"""

from __future__ import annotations

import re
import select
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lindy.data.delimited import complete_header
from lindy.data.read import begin_source, find_format, opened_source
from lindy.data.source import LONGEST_ROW, Source, line_breaks
from lindy.data.table import Table

_LINES = ("lines", "fasttext", "jsonl")
_DELIMITED = ("csv", "tsv")
_MOST = 1 << 22  # bytes that are one table, if they are there at once
_BULK = (
    1 << 14
)  # bytes that no one writes line by line: a file comes through a pipe, and more is about to follow
_PATIENCE = 0.005  # seconds
_NAME = "standard input"


def tables_of_stdin(
    kind: str | None = None,
    *,
    threads: int | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
    longest_row: int | None = None,
) -> Iterator[Table]:
    """Yield the rows of standard input as tables with the same columns; ``kind`` is the format, if it is known."""
    data = _arrived()
    source = Source("-", kept=data, longest_row=longest_row)
    plain = source.compression is None and encoding is None and not source.is_utf16
    found = kind or (find_format(source) if plain else None)
    if not plain or found not in (*_LINES, *_DELIMITED) or sheet is not None:
        data += sys.stdin.buffer.read()
        whole = opened_source("-", kind, encoding, kept=data, longest_row=longest_row)
        yield begin_source(whole, kind or find_format(whole), threads, sheet)()
        return
    yield from tables_as_they_come(
        _arrived, found, begun=data, threads=threads, longest_row=source.longest_row
    )


@dataclass(slots=True)
class _Cutter:
    """Finds the end of the last complete row; ``header`` is what every table begins with."""

    kind: str
    header: bytes = b""
    row: re.Pattern[bytes] | None = None

    def end(self, data: bytes) -> int:
        """Return where the complete rows end, 0 if there is none; the first of them tells the header."""
        if self.kind in _LINES:
            end = data.rfind(b"\n") + 1
            return end if self.kind != "jsonl" or data[:end].strip() else 0
        start = 0
        if self.row is None:
            found = complete_header(data, "\t" if self.kind == "tsv" else None)
            if found is None:
                return 0
            start, delimiter = found
            d = re.escape(delimiter.encode())
            field = rb'(?:"[^"]*+(?:""[^"]*+)*+"|(?!"))[^' + d + rb"\r\n]*+"
            # a carriage return at the end may be half of a line break
            self.row = re.compile(rb"(?:(?:" + field + d + rb")*+" + field + rb"(?:\n|\r\n|\r(?!\n|\Z)))*+")
            self.header = data[:start]
        if b'"' in data:
            match = self.row.match(data, start)
            end = match.end() if match else 0
        else:
            end = data.rfind(b"\n") + 1
        return end if data[start:end].strip() else 0


def tables_as_they_come(
    arrived: Callable[[], bytes],
    kind: str,
    *,
    begun: bytes | None = None,
    threads: int | None = None,
    longest_row: int = LONGEST_ROW,
    name: str = _NAME,
) -> Iterator[Table]:
    """Yield the rows of an input of lines, JSON Lines or delimited text as tables with the same columns.

    Parameters
    ----------
    arrived : function
        Returns the next bytes, waiting for at least one; b"" at the end.
    kind : "csv", "tsv", "lines", "fasttext" or "jsonl"
    begun : bytes or None
        What has been read of it already.
    name : str
        What errors call the input.
    """
    data = arrived() if begun is None else begun
    cutter, lines, rows = _Cutter(kind), 0, 0

    def source_of(kept: bytes, lines_before: int) -> Source:
        made = Source("-", kept=kept, longest_row=longest_row)
        made.name, made.lines_before = name, lines_before
        return made

    while True:
        end = cutter.end(data)
        if not end:
            if len(data) > longest_row:
                before = lines + line_breaks(cutter.header, 0, len(cutter.header))
                raise source_of(data, before).too_long(0, "Its end has not come yet.")
            more = arrived()
            if more:
                data += more
                continue
            if rows and not data.strip(b"\r\n" if kind in _DELIMITED else b"\n"):
                return
            end = len(data)
        header = cutter.header if rows else b""
        table = _table(source_of(header + data[:end], lines), kind, threads, rows)
        yield table if name == _NAME else replace(table, path=name)
        lines += line_breaks(data, 0, end)
        if not rows:
            lines -= line_breaks(cutter.header, 0, len(cutter.header))
        rows += table.num_rows
        if kind == "jsonl" and not cutter.header:
            first = next(line for line in data.split(b"\n") if line.strip())
            cutter.header = first + b"\n"
            lines -= 1
        data = data[end:]
        if not data and not (data := arrived()):
            return


def _table(source: Source, kind: str, threads: int | None, rows: int) -> Table:
    """Read a table before which there were so many rows, and lines (without those of its header)."""
    lines = source.lines_before
    table = begin_source(source, kind, threads)()
    if kind == "jsonl" and rows:
        table = table.take(np.arange(1, table.num_rows))  # the first one is there for its keys

    if kind == "fasttext" and "label" not in table.column_names:  # no line of these has one
        import pyarrow as pa

        nothing = pa.chunked_array([pa.nulls(table.num_rows, pa.large_string())])
        table = replace(table.with_column("label", nothing), column_names=["text", "label"])

    def locate(row: int, before: Table = table) -> int | None:
        line = before.locate(row)
        return None if line is None else line + lines

    return replace(table, locate=locate, rows=np.arange(rows, rows + table.num_rows))


def _arrived() -> bytes:
    """Return what has arrived on standard input, waiting for at least a byte; b"" at its end."""
    stream: Any = sys.stdin.buffer
    try:
        number = stream.fileno()
    except OSError:  # it is in memory
        everything: bytes = stream.read()
        return everything
    parts: list[bytes] = [stream.read1(_MOST)]
    size = len(parts[0])
    patience = _PATIENCE if size >= _BULK else 0
    while parts[-1] and size < _MOST and select.select([number], [], [], patience)[0]:
        parts.append(stream.read1(_MOST - size))
        size += len(parts[-1])
    return b"".join(parts)
