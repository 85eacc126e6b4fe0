r"""CSV and TSV (RFC 4180): fields in double quotes may hold delimiters, line breaks and ``""`` for a quote.

The core parses; ``csv_header`` finds the header and, only if something was wrong, says on which line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from lindy import _native
from lindy.data.chunks.delimited_parts import begin_delimited, delimited_parts
from lindy.data.chunks.source import BLOCK, Source
from lindy.data.columns.table import Table
from lindy.data.formats.csv_header import field_names
from lindy.data.formats.registry import Reading
from lindy.data.write.table_writer import joined


def read(source: Source, reading: Reading) -> Iterator[Table]:
    """Read CSV or TSV."""
    delimiter = "\t" if reading.format == "tsv" else None
    source = _from_header(source, delimiter, reading)
    if reading.size is not None or reading.bad is not None:
        return delimited_parts(source, delimiter, reading.size or BLOCK, reading.bad, reading.after)
    finish = begin_delimited(source, delimiter)
    return (table() for table in (finish,))


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
