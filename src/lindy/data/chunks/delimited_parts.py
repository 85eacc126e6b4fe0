"""CSV and TSV files part by part: the rows that the core has completed are handed out while it reads on."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.column import TextColumn, text_column
from lindy.data.chunks.bad_rows import BadRows
from lindy.data.chunks.source import BLOCK, Source
from lindy.data.columns.table import LineFinder, Table
from lindy.data.formats.csv_header import (
    UNCLOSED,
    Header,
    Record,
    no_row,
    raise_csv_error,
    read_header,
    row_records,
)
from lindy.errors import DataError


def delimited_parts(
    source: Source,
    delimiter: str | None,
    size: int,
    bad: BadRows | None = None,
    after: tuple[int, ...] | None = None,
) -> Iterator[Table]:
    """Yield the rows as tables of about ``size`` bytes; with ``delimiter`` None, the header tells it.

    ``after`` is the ``end`` of an earlier table, behind which the reading begins: tables are cut as they were then.
    """
    parts = _Parts(source, read_header(source, delimiter), size, bad)
    if after is not None:
        parts.begin, parts.n_rows = after
    yield from parts.tables()
    if parts.n_rows == 0:
        raise no_row(source, parts.header)


@dataclass(slots=True)
class _Parts:
    """The state of reading: the rows so far, and where the bytes begin that were not yet handed out."""

    source: Source
    header: Header
    size: int
    bad: BadRows | None
    n_rows: int = 0
    begin: int = field(init=False)

    def __post_init__(self) -> None:
        self.begin = self.header.end

    def tables(self) -> Iterator[Table]:
        """Yield tables to the end of the file; a row that cannot be read ends the parser, and another one goes on."""
        while (end := (yield from self._sound_tables())) is not None:
            yield from self._around(end)

    def _sound_tables(self) -> Generator[Table, None, int | None]:
        """Yield tables up to a fault; returns where the bytes end that hold it, or None."""
        wanted = [bool(name) for name in self.header.names]
        parser = _native.DelimitedParser(self.header.delimiter, wanted, 0, self.source.longest_row)
        origin = end = self.begin
        # blocks are where they are for who reads from the header on
        first = BLOCK - (origin - self.header.end) % BLOCK
        with self.source.open() as stream:
            stream.skip(origin)
            while data := stream.read(first):
                end, first = end + len(data), BLOCK
                if not parser.feed(data):
                    break
                if origin + parser.n_bytes - self.begin >= self.size:
                    yield from self._drained(parser, origin + parser.n_bytes)
            else:
                if parser.finish():
                    yield from self._drained(parser, end)
                    return None
        if parser.is_too_long:
            raise self.source.too_long(origin + parser.n_bytes, UNCLOSED)
        return end

    def _around(self, end: int) -> Iterator[Table]:
        """Yield the sound rows of the bytes up to ``end``, which hold a fault, and leave out the others."""
        header = self.header._replace(end=0, next_line=1)
        is_last = False  # whether the file ends there
        while True:
            part = self.source.excerpt(self.begin, end)
            if self.bad is None:
                raise_csv_error(part, header, header.delimiter)
            sound, position = self._sorted_out(part, header, self.bad, is_last)
            if position or is_last:
                break
            end += BLOCK  # the row that is wrong goes on
            is_last = part.size < end - BLOCK - self.begin
        self.begin += position
        if sound:
            yield self._read_slowly(sound, part.lines_before)

    def _sorted_out(
        self, part: Source, header: Header, bad: BadRows, is_last: bool
    ) -> tuple[dict[int, Record], int]:
        """Return the sound rows of some bytes by their numbers, and where those end that were looked at."""
        data, sound, position = part.read(), {}, 0
        for record in row_records(data, header):
            if record.end == len(data) and not is_last and (record.open_line or not data.endswith(b"\n")):
                break  # it may go on
            self.n_rows += 1
            if record.is_sound(len(header.names)):
                sound[self.n_rows - 1] = record
                position = record.end
                continue
            bad.add(_error(part.excerpt(position, record.end), header))
            if record.open_line is not None:  # what the quote would swallow are rows of their own
                return sound, data.find(b"\n", position) + 1 or len(data)
            position = record.end
        return sound, position

    def _read_slowly(self, sound: dict[int, Record], lines_before: int) -> Table:
        """Return the table of some rows, by their numbers."""
        columns = {
            name: text_column([record.fields[k] for record in sound.values()])
            for k, name in enumerate(self.header.names)
            if name
        }
        lines = [record.line + lines_before for record in sound.values()]
        return self._table(columns, np.fromiter(sound, np.int64), lines.__getitem__)

    def _drained(self, parser: Any, end: int) -> Iterator[Table]:
        columns = [TextColumn(*arrays) for arrays in parser.drain()]
        named = {name: column for name, column in zip(self.header.names, columns, strict=True) if name}
        n_rows = len(next(iter(named.values())))
        begin, self.begin = self.begin, end

        def lines() -> Iterator[int]:
            part = self.source.excerpt(begin, end)
            header = self.header._replace(end=0, next_line=1 + part.lines_before)
            return (record.line for record in row_records(part.read(), header))

        first, self.n_rows = self.n_rows, self.n_rows + n_rows
        if n_rows:
            table = self._table(named, np.arange(first, self.n_rows), LineFinder(lines))
            yield replace(table, end=(end, self.n_rows) if self.bad is None else None)

    def _table(
        self, columns: dict[str, TextColumn], rows: NDArray[np.int64], locate: Callable[[int], int | None]
    ) -> Table:
        about = self.header.about(self.source.name)
        return Table(
            self.source.path, list(columns), len(rows), columns.__getitem__, locate, rows=rows, **about
        )


def _error(row: Source, header: Header) -> DataError:
    """Return what is wrong with a row that cannot be read."""
    try:
        raise_csv_error(row, header, header.delimiter)
    except DataError as error:
        return error
