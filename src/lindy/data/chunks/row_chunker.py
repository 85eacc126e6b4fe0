"""Text that comes piece by piece: what is there is cut behind its last complete row and read as a table of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, repeat

import numpy as np

from lindy import _native
from lindy.data.chunks.bad_rows import BadRows
from lindy.data.chunks.delimited_parts import delimited_parts
from lindy.data.chunks.source import BLOCK, UTF8_BOM, Source, line_breaks
from lindy.data.columns.table import Table
from lindy.data.formats.csv_header import complete_header
from lindy.data.formats.registry import CHUNKED, REGISTRY, Reading
from lindy.errors import DataError

LINES = tuple(name for name in CHUNKED if REGISTRY[name].has_lines)
DELIMITED = tuple(name for name in CHUNKED if REGISTRY[name].has_header)
_SPACE = b" \t\r\n" + UTF8_BOM  # lines of JSON that have nothing else are blank


def line_chunks(
    source: Source, reading: Reading, read: Callable[[Source, int | None], Table]
) -> Iterator[Table]:
    """Yield the rows of a format of ``LINES``; ``read`` reads some lines as one table."""
    if reading.size is None and reading.bad is None:
        yield read(source, reading.threads)
        return
    size, begin = reading.size or BLOCK, 0 if reading.after is None else reading.after[0]
    sizes = chain([size - begin % size], repeat(size))  # pieces end where they do from the beginning on
    with source.open() as stream:
        stream.skip(begin)
        more = lambda: stream.read(next(sizes))  # noqa: E731
        yield from cut_tables(source, reading.format, more, reading.threads, reading.bad, reading.after)


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
        if end == 0:
            start = cutter.first_row(data)
            # blank lines may be without an end, too
            if max(start - cutter.start, len(data) - start) > source.longest_row:
                raise source.holding(data, reader.n_lines).too_long(start, "Its end has not come yet.")
            if following := more():
                data += following
                continue
            end = len(data)
            if reader.n_lines and start == end:
                return
        yield from reader.tables(data[:end])
        reader.header = reader.header or cutter.header
        data = data[end:]
        if not data and not (data := more()):
            return


def _first_line(source: Source) -> bytes:
    """Return the first line that is not blank, as the first table had it."""
    start = b""
    with source.open() as stream:
        while not start.strip(_SPACE) or b"\n" not in start.lstrip(_SPACE):
            if not (data := stream.read(BLOCK)):
                break
            start += data
    return next((line for line in start.split(b"\n") if line.strip(_SPACE)), b"") + b"\n"


@dataclass(slots=True)
class _Cutter:
    """Finds the end of the last complete row; ``header`` is what every table begins with."""

    kind: str
    header: bytes = b""
    delimiter: str = ""
    blank: bytes = b""  # lines of these bytes alone are no rows
    start: int = 0  # where the rows begin: behind the header, until it has been cut off

    def end(self, data: bytes) -> int:
        """Return where the complete rows end, 0 if there is none; the first of them tells the header."""
        if self.kind in LINES:
            self.blank = _SPACE if self.kind == "jsonl" else b""
            end = data.rfind(b"\n") + 1
            return end if self.first_row(data) < end else 0
        if not self.delimiter:
            found = complete_header(data, "\t" if self.kind == "tsv" else None)
            if found is None:
                return 0
            begin, self.start, delimiter, n_columns = found
            self.blank = b"\r\n" if n_columns > 1 else b""
            self.delimiter = delimiter
            self.header = data[begin : self.start]
        end = _native.delimited_rows_end(data, self.delimiter, self.start)
        if self.first_row(data) >= end:
            return 0
        self.start = 0
        return end

    def first_row(self, data: bytes) -> int:
        """Return where the first row begins, behind the header and blank lines."""
        return len(data) - len(data[self.start :].lstrip(self.blank))


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
            if self.bad is None:
                raise
            if self.kind in DELIMITED:
                yield from self._sound(data, self.bad)
                return
            lines = re.findall(rb"[^\n]*\n|[^\n]+\Z", data)
            if self.kind == "jsonl" and not self.header:
                self._find_header(lines)
            yield from self._halves(lines, self.bad)
            return
        if self.kind == "jsonl" and not self.header:
            self.header = next(line for line in data.split(b"\n") if line.strip(_SPACE)) + b"\n"
        self.n_bytes += len(data)
        if self.kind in LINES and self.bad is None:
            table = replace(table, end=(self.n_bytes, self.n_rows, self.n_lines))
        yield table

    def _sound(self, data: bytes, bad: BadRows) -> Iterator[Table]:
        """Yield the tables of delimited rows that can be read, and leave out the others."""
        text = self.header + data
        before, n_bad, n_sound = (
            self.n_lines - line_breaks(self.header, 0, len(self.header)),
            len(bad.found),
            0,
        )
        source = self.source.holding(text, before)
        source.header_given = bool(self.header)
        for table in delimited_parts(source, "\t" if self.kind == "tsv" else None, len(text), bad):
            own = np.arange(table.num_rows) if table.rows is None else table.rows
            yield replace(table, rows=own + self.n_rows)
            n_sound += table.num_rows
        self.n_lines += line_breaks(data, 0, len(data))
        self.n_rows += n_sound + len(bad.found) - n_bad

    def _halves(self, lines: list[bytes], bad: BadRows) -> Iterator[Table]:
        """Yield the tables of lines that can be read, looking for the others in ever smaller parts."""
        data = b"".join(lines)
        if self.kind == "jsonl" and not data.strip(_SPACE):
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

    def _find_header(self, lines: list[bytes]) -> None:
        """Take the first line that can be read on its own, for the names of its columns alone."""
        for line in lines:
            with suppress(DataError):
                self._read(self.source.holding(line, self.n_lines))
                self.header = line.rstrip() + b"\n"
                return

    def _read(self, source: Source) -> Table:
        (table,) = REGISTRY[self.kind].chunks(source, Reading(threads=self.threads))
        return table

    def _table(self, data: bytes) -> Table:
        """Read whole rows; what stands before them counts only when that went well."""
        # readers take a byte order mark off the front: behind the first line it is text
        header = self.header or (UTF8_BOM if self.n_lines and data.startswith(UTF8_BOM) else b"")
        before = self.n_lines - line_breaks(header, 0, len(header))
        source = self.source.holding(header + data, before)
        source.header_given = bool(self.header)
        table = self._read(source)
        if self.kind == "jsonl" and self.header:
            table = table.take(np.arange(1, table.num_rows))  # the first one is there for its keys
        if self.kind == "fasttext" and "label" not in table.column_names:  # no line of these has one
            import pyarrow as pa

            nothing = pa.chunked_array([pa.nulls(table.num_rows, pa.large_string())])
            table = replace(table.with_column("label", nothing), column_names=["text", "label"])

        def locate(row: int, within: Table = table) -> int:
            line = within.locate(row)
            assert line is not None  # these formats have lines, and what is in memory stays the same
            return line + before

        rows = np.arange(self.n_rows, self.n_rows + table.num_rows)
        self.n_lines += line_breaks(data, 0, len(data))
        self.n_rows += table.num_rows
        return replace(table, locate=locate, rows=rows)
