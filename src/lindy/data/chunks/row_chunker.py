"""Lines that come piece by piece: what is there is cut behind its last complete one and read as a table of its own."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import chain, repeat

import numpy as np

from lindy.data.chunks.bad_rows import BadRows
from lindy.data.chunks.delimited_parts import arriving_parts
from lindy.data.chunks.source import BLOCK, UTF8_BOM, Source, line_breaks
from lindy.data.columns.table import Table
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

    Every table of JSON Lines begins with the first line, so that it has the same columns. ``after`` is the ``end`` of
    an earlier table, of a format of ``LINES``: the next bytes are those behind it.
    """
    if kind in DELIMITED:
        yield from arriving_parts(source, "\t" if kind == "tsv" else None, more, bad)
        return
    reader, blank = _Reader(source, kind, threads, bad), _SPACE if kind == "jsonl" else b""
    if after is not None:
        reader.n_bytes, reader.n_rows, reader.n_lines = after
        reader.header = _first_line(source) if kind == "jsonl" else b""
    data = more()
    while True:
        start, end = len(data) - len(data.lstrip(blank)), data.rfind(b"\n") + 1
        if start >= end:
            # blank lines may be without an end, too
            if max(start, len(data) - start) > source.longest_row:
                raise source.holding(data, reader.n_lines).too_long(start, "Its end has not come yet.")
            if following := more():
                data += following
                continue
            end = len(data)
            if reader.n_lines and start == end:
                return
        yield from reader.tables(data[:end])
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
class _Reader:
    """Reads whole lines; so many bytes, lines and rows were there before, and ``header`` is put in front of them."""

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
            lines = re.findall(rb"[^\n]*\n|[^\n]+\Z", data)
            if self.kind == "jsonl" and not self.header:
                self._find_header(lines)
            yield from self._halves(lines, self.bad)
            return
        if self.kind == "jsonl" and not self.header:
            self.header = next(line for line in data.split(b"\n") if line.strip(_SPACE)) + b"\n"
        self.n_bytes += len(data)
        if self.bad is None:
            table = replace(table, end=(self.n_bytes, self.n_rows, self.n_lines))
        yield table

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
        table = self._read(self.source.holding(header + data, before))
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
