r"""CSV and TSV (RFC 4180): fields in double quotes may hold delimiters, line breaks and ``""`` for a quote.

The core parses; ``csv_header`` finds the header and, only if something was wrong, says on which line.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from lindy import _native
from lindy.core.column import TextColumn
from lindy.data.chunks.source import BLOCK, Source
from lindy.data.columns.table import LineFinder, Table
from lindy.data.formats.csv_header import (
    UNCLOSED,
    Header,
    field_names,
    no_row,
    raise_csv_error,
    read_header,
    row_records,
)
from lindy.data.formats.registry import Reading
from lindy.data.write.table_writer import joined


def read(source: Source, reading: Reading) -> Iterator[Table]:
    """Read CSV or TSV."""
    delimiter = "\t" if reading.format == "tsv" else None
    below = _from_header(source, delimiter, reading)
    if reading.size is not None or reading.bad is not None:
        from lindy.data.chunks.delimited_parts import delimited_parts

        return delimited_parts(below, delimiter, reading.size or BLOCK, reading.bad, reading.after)
    finish = begin_delimited(below, delimiter)
    n_lines = below.lines_before - source.lines_before
    return (table() for table in (finish if below is source else lambda: finish().below(n_lines),))


def _from_header(source: Source, delimiter: str | None, reading: Reading) -> Source:
    """Return an input from its header on; a header row of the training only if its names are there."""
    row, like = reading.header_row, reading.like
    if row is None and like is not None and like.header_row is not None:
        from lindy.data.columns.preparation import are_names

        found = source.from_line(like.header_row)
        row = like.header_row if are_names(field_names(found, delimiter), like.names) else None
    if row == 1:
        source.header_given = True
    return source if row is None or row == 1 else source.from_line(row)


def begin_delimited(source: Source, delimiter: str | None) -> Callable[[], Table]:
    """Begin to read a table with a header line; with ``delimiter`` None, the header tells it.

    The rows are read in the background; what is returned waits for them.
    """
    header = read_header(source, delimiter)
    rows = _Rows(source, header)

    locate = LineFinder(lambda: (record.line for record in row_records(source.read(), header)))

    def finish() -> Table:
        names = [name for name in header.names if name]
        return Table(source.path, names, rows.finish(), rows.column, locate, **header.about(source.name))

    return finish


class _Rows:
    """The rows below the header, which are read by a thread of their own as soon as this is made."""

    def __init__(self, source: Source, header: Header) -> None:
        self._source = source
        self._header = header
        expected = 0 if source.compression else source.size
        wanted = [bool(name) for name in header.names]
        self._parser = _native.DelimitedParser(header.delimiter, wanted, expected, source.longest_row)
        self._places = {name: place for place, name in enumerate(header.names)}
        self._taken: dict[str, TextColumn] = {}
        self._failure: BaseException | None = None
        self._stopped = False
        self._reader: threading.Thread | None = threading.Thread(target=self._read)
        try:
            self._reader.start()
        except RuntimeError:  # the system has no more threads
            self._reader = None

    def _read(self) -> None:
        try:
            with self._source.open() as stream:
                stream.skip(self._header.end)
                while self._is_wanted() and (data := stream.read(BLOCK)) and self._parser.feed(data):
                    pass
        except BaseException as error:  # finish() raises it
            self._failure = error

    def _is_wanted(self) -> bool:
        return not self._stopped and threading.main_thread().is_alive()

    def finish(self) -> int:
        """Return how many rows there are, when all have been read."""
        try:
            if self._reader is None:
                self._read()
            else:
                self._reader.join()
        except BaseException:
            self._stopped = True  # Ctrl-C
            raise
        if self._failure is not None:
            raise self._failure
        if not self._parser.finish():
            if self._parser.is_too_long:
                raise self._source.too_long(self._header.end + self._parser.n_bytes, UNCLOSED)
            raise_csv_error(self._source, self._header, self._header.delimiter, self._parser.n_bytes)
        if self._parser.n_rows == 0:
            raise no_row(self._source, self._header)
        return int(self._parser.n_rows)

    def column(self, name: str) -> TextColumn:
        """Return a column."""
        if name not in self._taken:
            self._taken[name] = TextColumn(*self._parser.take(self._places[name]))
        return self._taken[name]


@contextmanager
def write(
    file: BinaryIO, kind: str, _name: str, *, delimiter: str | None = None
) -> Iterator[Callable[[Any], None]]:
    """Yield the function that writes pieces as lines of fields below a header: Arrow tables by Arrow."""
    writer: Any = None
    mark = delimiter or ("\t" if kind == "tsv" else ",")

    def add(piece: Any) -> None:
        nonlocal writer
        if isinstance(piece, dict):
            writer = writer or _LineWriter(file, mark, list(piece))
            writer.write(piece)
            return
        if writer is None:
            import pyarrow.csv as pc

            writer = pc.CSVWriter(file, piece.schema, write_options=pc.WriteOptions(delimiter=mark))
        writer.write_table(piece)

    yield add
    if writer is not None:
        writer.close()


class _LineWriter:
    """Writes columns as lines of fields, of which those that need it stand between quotes."""

    def __init__(self, file: BinaryIO, delimiter: str, names: list[str]) -> None:
        self._file, self._delimiter = file, delimiter
        self._special = re.compile(f'["\r\n{delimiter}]')
        file.write(delimiter.join(map(self._field, names)).encode() + b"\n")

    def write(self, piece: dict[str, Any]) -> None:
        columns = [self._fields(column) for column in piece.values()]
        self._file.write(_native.delimited_lines(columns, self._delimiter))

    def _fields(self, column: Any) -> Any:
        column = joined(column)
        if isinstance(column, tuple):
            return list(map(self._field, column[0])), column[1]
        if column.dtype.kind == "i":
            import numpy as np

            return list(map(str, column.tolist())), np.where(column < 0, -1, np.arange(len(column)))
        return column

    def _field(self, text: str) -> str:
        if self._special.search(text) is None:
            return text
        return '"' + text.replace('"', '""') + '"'

    def close(self) -> None:
        """Every line is written already."""
