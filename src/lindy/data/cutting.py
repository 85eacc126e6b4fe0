"""Text that comes piece by piece: what is there is cut behind its last complete row and read as a table of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np

from lindy.data.bad_rows import BadRows
from lindy.data.delimited import complete_header
from lindy.data.read import begin_source
from lindy.data.source import BLOCK, Source, line_breaks
from lindy.data.table import Table
from lindy.errors import DataError

LINES = ("lines", "fasttext", "jsonl")
DELIMITED = ("csv", "tsv")


def cut_tables(
    source: Source,
    kind: str,
    more: Callable[[], bytes],
    threads: int | None = None,
    bad: BadRows | None = None,
    after: tuple[int, ...] | None = None,
) -> Iterator[Table]:
    """Yield the rows of an input as tables with the same columns; ``more`` returns its next bytes, b"" at the end.

    Every table begins with the header of the first one (of JSON Lines, with the first line), so that it has the same
    columns. ``after`` is the ``end`` of an earlier table, of a format of ``LINES``: the next bytes are those behind it.
    """
    cutter, reader = _Cutter(kind), _Reader(source, kind, threads, bad)
    if after is not None:
        reader.n_bytes, reader.n_rows, reader.n_lines = after
        reader.header = _first_line(source) if kind == "jsonl" else b""
    data = more()
    while True:
        end = cutter.end(data)
        if not end:
            if len(data) > source.longest_row:
                raise source.holding(data, reader.n_lines).too_long(0, "Its end has not come yet.")
            if following := more():
                data += following
                continue
            if reader.n_lines and not data.strip(b"\r\n" if kind in DELIMITED else b"\n"):
                return
            end = len(data)
        yield from reader.tables(data[:end])
        reader.header = reader.header or cutter.header
        data = data[end:]
        if not data and not (data := more()):
            return


def _first_line(source: Source) -> bytes:
    """Return the first line that is not blank, as the first table had it."""
    start = b""
    with source.open() as stream:
        while not start.strip() or b"\n" not in start.lstrip():
            if not (data := stream.read(BLOCK)):
                break
            start += data
    return next((line for line in start.split(b"\n") if line.strip()), b"") + b"\n"


@dataclass(slots=True)
class _Cutter:
    """Finds the end of the last complete row; ``header`` is what every table begins with."""

    kind: str
    header: bytes = b""
    row: re.Pattern[bytes] | None = None

    def end(self, data: bytes) -> int:
        """Return where the complete rows end, 0 if there is none; the first of them tells the header."""
        if self.kind in LINES:
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


@dataclass(slots=True)
class _Reader:
    """Reads whole rows; so many bytes, lines and rows were there before, and ``header`` is put in front of them."""

    source: Source
    kind: str
    threads: int | None
    bad: BadRows | None
    header: bytes = b""
    n_bytes: int = 0
    n_lines: int = 0
    n_rows: int = 0

    def tables(self, data: bytes) -> Iterator[Table]:
        """Yield the table of some rows; where some of them cannot be read and may be left out, several."""
        try:
            table = self._table(data)
        except DataError:
            if self.bad is None or self.kind in DELIMITED:
                raise
            lines = re.findall(rb"[^\n]*\n|[^\n]+\Z", data)
            if self.kind == "jsonl" and not self.header:
                self.header = self._first_sound(lines)
            yield from self._halves(lines, self.bad)
            return
        if self.kind == "jsonl" and not self.header:
            self.header = next(line for line in data.split(b"\n") if line.strip()) + b"\n"
        self.n_bytes += len(data)
        if self.kind in LINES and self.bad is None:
            table = replace(table, end=(self.n_bytes, self.n_rows, self.n_lines))
        yield table

    def _halves(self, lines: list[bytes], bad: BadRows) -> Iterator[Table]:
        """Yield the tables of lines that can be read, looking for the others in ever smaller parts."""
        data = b"".join(lines)
        if self.kind == "jsonl" and not data.strip():
            self.n_lines += len(lines)
            return
        try:
            yield self._table(data)
        except DataError as error:
            if len(lines) > 1:
                middle = len(lines) // 2
                yield from self._halves(lines[:middle], bad)
                yield from self._halves(lines[middle:], bad)
                return
            bad.add(error)
            self.n_lines, self.n_rows = self.n_lines + 1, self.n_rows + 1

    def _first_sound(self, lines: list[bytes]) -> bytes:
        """Return the first line that can be read on its own; none of it is kept but the names of its columns."""
        for line in filter(bytes.strip, lines):
            try:
                begin_source(self.source.holding(line, 0), self.kind, self.threads)()
            except DataError:
                continue
            return line if line.endswith(b"\n") else line + b"\n"
        return b""

    def _table(self, data: bytes) -> Table:
        """Read whole rows; what stands before them counts only when that went well."""
        header = self.header
        before = self.n_lines - line_breaks(header, 0, len(header))
        table = begin_source(self.source.holding(header + data, before), self.kind, self.threads)()
        if self.kind == "jsonl" and header:
            table = table.take(np.arange(1, table.num_rows))  # the first one is there for its keys
        if self.kind == "fasttext" and "label" not in table.column_names:  # no line of these has one
            import pyarrow as pa

            nothing = pa.chunked_array([pa.nulls(table.num_rows, pa.large_string())])
            table = replace(table.with_column("label", nothing), column_names=["text", "label"])

        def locate(row: int, within: Table = table) -> int | None:
            line = within.locate(row)
            return None if line is None else line + before

        rows = np.arange(self.n_rows, self.n_rows + table.num_rows)
        self.n_lines += line_breaks(data, 0, len(data))
        self.n_rows += table.num_rows
        return replace(table, locate=locate, rows=rows)
