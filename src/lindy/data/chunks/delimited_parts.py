"""CSV and TSV as one table, part by part, or as it comes: rows that the core has completed are handed out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from lindy import _native
from lindy.core.column import TextColumn
from lindy.data.chunks.bad_rows import BadRows
from lindy.data.chunks.source import BLOCK, Source, line_breaks
from lindy.data.columns.table import LineFinder, Table
from lindy.data.formats.csv_header import (
    UNCLOSED,
    Header,
    has_header,
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
        parts.end = parts.begin
    yield from parts.tables(parts.blocks())


def begin_delimited(source: Source, delimiter: str | None) -> Callable[[], Table]:
    """Begin to read all rows as one table, in the background; what is returned waits for them."""
    parts = _Parts(source, read_header(source, delimiter), None, None)
    failure: BaseException | None = None
    stopped = False

    def read() -> None:
        nonlocal failure
        try:
            for data in parts.blocks():
                if stopped or not threading.main_thread().is_alive() or not parts.feed(data):
                    return
        except BaseException as error:  # finish() raises it
            failure = error

    reader = threading.Thread(target=read)
    is_started = True
    try:
        reader.start()
    except RuntimeError:  # the system has no more threads
        is_started = False

    def finish() -> Table:
        nonlocal stopped
        try:
            if is_started:
                reader.join()
            else:
                read()
        except BaseException:
            stopped = True  # Ctrl-C
            raise
        if failure is not None:
            raise failure
        (table,) = parts.tables(())
        return table

    return finish


def arriving_parts(
    source: Source, delimiter: str | None, more: Callable[[], bytes], bad: BadRows | None = None
) -> Iterator[Table]:
    """Yield the rows of an input that comes piece by piece, as soon as they are complete.

    ``more`` returns its next bytes, b"" at the end.
    """
    data = more()
    while not has_header(data, delimiter) and len(data) <= source.longest_row:
        if not (following := more()):
            break
        data += following
    parts = _Parts(source, read_header(source.holding(data, 0), delimiter), 1, bad, held=b"")
    yield from parts.tables(chain([data[parts.begin :]], iter(more, b"")))


@dataclass(slots=True)
class _Parts:
    """The state of reading: the rows so far, and where the bytes begin that were not yet handed out; ``end`` was read.

    With ``size`` None, all rows are handed out at the end. Of an input that comes piece by piece, the bytes that were
    not yet handed out are ``held``, below ``n_lines`` lines.
    """

    source: Source
    header: Header
    size: int | None
    bad: BadRows | None
    held: bytes | None = None
    n_rows: int = 0
    begin: int = field(init=False)
    end: int = field(init=False)
    n_lines: int = field(init=False)
    _parser: Any = field(init=False)

    def __post_init__(self) -> None:
        self.begin = self.end = self.header.end
        self.n_lines = self.header.next_line - 1
        wanted, source = [bool(name) for name in self.header.names], self.source
        expected = source.size if self.size is None and not source.compression else 0
        self._parser = _native.DelimitedParser(
            self.header.delimiter, wanted, expected, source.longest_row, self.bad is not None
        )

    def feed(self, data: bytes) -> bool:
        """Let the core read more bytes; False once something is wrong."""
        self.end += len(data)
        if self.held is not None:
            self.held += data
        return bool(self._parser.feed(data, at_once=self.held is not None))

    def blocks(self) -> Iterator[bytes]:
        """Yield what is to be read of a file; blocks are where they are for who reads from the header on."""
        size = BLOCK - (self.begin - self.header.end) % BLOCK
        with self.source.open() as stream:
            stream.skip(self.begin)
            while data := stream.read(size):
                yield data
                size = BLOCK

    def tables(self, blocks: Iterable[bytes]) -> Iterator[Table]:
        """Yield tables to the end of the input; rows that cannot be read are left out, or an error."""
        parser, origin = self._parser, self.begin
        for data in blocks:
            if not self.feed(data):
                break
            n_bytes = origin + parser.n_bytes - self.begin
            if self.size is not None and n_bytes >= self.size:
                yield from self._drained(parser, origin, origin + parser.n_bytes)
                n_bytes = origin + parser.n_bytes - self.begin
            if self.held is not None and n_bytes > self.source.longest_row:  # blank lines
                raise self._part(self.end)().too_long(0, UNCLOSED)
        else:
            if parser.finish():
                yield from self._drained(parser, origin, self.end)
                if self.n_rows == 0:
                    raise no_row(self.source, self.header)
                return
            data = b""  # nothing follows
        part, n_sound = self._part(self.end - _unfinished(data))(), origin + parser.n_bytes - self.begin
        if parser.is_too_long:
            raise part.too_long(n_sound, UNCLOSED)
        raise_csv_error(part, self._below, self.header.delimiter, n_sound)

    def _part(self, end: int) -> Callable[[], Source]:
        """Return how the bytes that were not yet handed out, up to ``end``, can be had as an input."""
        begin, source = self.begin, self.source
        if self.held is None:
            return lambda: source.excerpt(begin, end)
        part = source.holding(self.held[: end - begin], self.n_lines)
        return lambda: part

    @property
    def _below(self) -> Header:
        """The header of bytes that begin below it."""
        return self.header._replace(end=0, next_line=1)

    def _drained(self, parser: Any, origin: int, end: int) -> Iterator[Table]:
        """Yield the rows that the parser has completed, up to byte ``end``; it began at ``origin``."""
        begin, part_of = self.begin, self._part(end)
        bad = np.array(parser.bad_rows(), np.int64).reshape(-1, 4)
        if self.bad is not None and len(bad):
            part = part_of()
            for row in (bad + origin - begin).tolist():
                self.bad.add(_error(part.excerpt(*row[:2]), self._below))
        columns = [TextColumn(*arrays) for arrays in parser.drain()]
        named = {name: column for name, column in zip(self.header.names, columns, strict=True) if name}
        n_rows = len(next(iter(named.values())))

        def lines() -> Iterator[int]:
            part = part_of()
            data, start, line = part.read(), 0, 1 + part.lines_before
            for stop, _, after, _ in [*(bad + origin - begin).tolist(), [len(data)] * 4]:
                header = self.header._replace(end=start, next_line=line)
                yield from (record.line for record in row_records(data[:stop], header))
                line += line_breaks(data, start, after)
                start = after

        rows = None
        if self.size is not None:
            rows = np.arange(n_rows)
            rows += self.n_rows + np.searchsorted(bad[:, 3], rows, side="right")
        self.n_rows += n_rows + len(bad)
        if n_rows or len(bad):
            self.begin = end
            if self.held is not None:
                self.n_lines += line_breaks(self.held, 0, end - begin)
                self.held = self.held[end - begin :]
        if n_rows:
            about = self.header.about(self.source.name)
            self.header = self.header._replace(titles=())  # which are said once
            after = (end, self.n_rows) if self.bad is None and self.held is None else None
            fetch, locate = named.__getitem__, LineFinder(lines)
            yield Table(self.source.path, list(named), n_rows, fetch, locate, rows=rows, end=after, **about)


def _unfinished(data: bytes) -> int:
    """Return how many bytes at the end begin a character of UTF-8 that goes on behind them."""
    for n, byte in enumerate(reversed(data[-3:]), start=1):
        if byte >= 0xC0:
            return n if n < (2 if byte < 0xE0 else 3 if byte < 0xF0 else 4) else 0
        if byte < 0x80:
            return 0
    return 0


def _error(row: Source, header: Header) -> DataError:
    """Return what is wrong with a row that cannot be read."""
    try:
        raise_csv_error(row, header, header.delimiter)
    except DataError as error:
        return error
