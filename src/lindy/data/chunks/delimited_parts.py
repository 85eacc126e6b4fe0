"""CSV and TSV files part by part: the rows that the core has completed are handed out while it reads on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.column import TextColumn
from lindy.data.chunks.bad_rows import BadRows
from lindy.data.chunks.source import BLOCK, Source, line_breaks
from lindy.data.columns.table import LineFinder, Table
from lindy.data.formats.csv_header import (
    UNCLOSED,
    Header,
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
        """Yield tables to the end of the file; rows that cannot be read are left out, or an error."""
        wanted = [bool(name) for name in self.header.names]
        parser = _native.DelimitedParser(
            self.header.delimiter, wanted, 0, self.source.longest_row, self.bad is not None
        )
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
                    yield from self._drained(parser, origin, origin + parser.n_bytes)
            else:
                if parser.finish():
                    yield from self._drained(parser, origin, end)
                    return
        if parser.is_too_long:
            raise self.source.too_long(origin + parser.n_bytes, UNCLOSED)
        raise_csv_error(self.source.excerpt(self.begin, end), self._below, self.header.delimiter)

    @property
    def _below(self) -> Header:
        """The header of bytes that begin below it."""
        return self.header._replace(end=0, next_line=1)

    def _drained(self, parser: Any, origin: int, end: int) -> Iterator[Table]:
        """Yield the rows that the parser has completed, up to byte ``end``; it began at ``origin``."""
        begin, self.begin = self.begin, end
        bad = np.array(parser.bad_rows(), np.int64).reshape(-1, 4)
        if self.bad is not None and len(bad):
            part = self.source.excerpt(begin, end)
            for row in (bad + origin - begin).tolist():
                self.bad.add(_error(part.excerpt(*row[:2]), self._below))
        columns = [TextColumn(*arrays) for arrays in parser.drain()]
        named = {name: column for name, column in zip(self.header.names, columns, strict=True) if name}
        n_rows = len(next(iter(named.values())))

        def lines() -> Iterator[int]:
            part = self.source.excerpt(begin, end)
            data, start, line = part.read(), 0, 1 + part.lines_before
            for stop, _, after, _ in [*(bad + origin - begin).tolist(), [len(data)] * 4]:
                header = self.header._replace(end=start, next_line=line)
                yield from (record.line for record in row_records(data[:stop], header))
                line += line_breaks(data, start, after)
                start = after

        rows = np.arange(n_rows)
        rows += self.n_rows + np.searchsorted(bad[:, 3], rows, side="right")
        self.n_rows += n_rows + len(bad)
        if n_rows:
            table = self._table(named, rows, LineFinder(lines))
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
