"""Tables that are written piece by piece, as CSV, TSV, JSON Lines, Parquet or an Excel workbook.

A piece is a dictionary from the names of columns to their values, in the order of the file. All pieces of a table have
the same names, so the header is known with the first of them. The values of a column are

- ``(words, codes)``: row i has ``words[codes[i]]``, and nothing where the code is −1
- an array of numbers, of which six digits are written, and nothing where one is NaN
- an array of whole numbers, all digits of which are written, and nothing where one is −1
- a list of lists of words, which are lists in JSON Lines and Parquet, and joined by ``SEPARATOR`` in other formats
- a list of anything that JSON can hold, for JSON Lines only
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.data.columns.row_ids import RowName, RowNames
from lindy.data.formats.registry import BINARY
from lindy.data.formats.spreadsheets import as_text
from lindy.files.atomic import atomic_write
from lindy.files.output_guard import TABLE
from lindy.sanitize import standard_output

if TYPE_CHECKING:
    from lindy.data.formats.excel import ExcelWriter

Words = tuple[list[str], NDArray[np.int64]]
Column = Words | NDArray[np.float64] | NDArray[np.int64] | list[Any]
Piece = Mapping[str, Column]

ROW_GROUP = 1 << 16
"""Rows that a row group of a Parquet file has at least, but for the last one: readers skip and decode whole groups."""

SEPARATOR = "|"
"""What is between the words of a cell that has several."""

_DELIMITERS = {"csv": ",", "tsv": "\t"}


@contextmanager
def writing_pieces(
    path: str, kind: str, *, spreadsheet_safe: bool = False
) -> Iterator[Callable[[Piece], None]]:
    """Open a file of a format of ``TABLES`` and yield the function that writes a piece; ``-`` is standard output.

    The file appears when the block ends without an exception, see ``lindy.files.atomic``. What goes to standard output
    is there after every piece. With ``spreadsheet_safe``, no cell of words is a formula, see ``spreadsheets``.
    """
    if path != "-":
        with (
            atomic_write(path, kind=TABLE) as file,
            piece_writer(file, kind, path, spreadsheet_safe=spreadsheet_safe) as write,
        ):
            yield write
        return
    out = standard_output()
    with piece_writer(out, kind, "standard output", spreadsheet_safe=spreadsheet_safe) as write:

        def write_through(piece: Piece) -> None:
            write(piece)
            out.flush()

        yield write_through


def _safely(write: Callable[[Piece], None]) -> Callable[[Piece], None]:
    """Return a function that writes words and names of columns so that no spreadsheet runs them."""

    def safe(column: Column) -> Column:
        column = joined(column)
        return (list(map(as_text, column[0])), column[1]) if isinstance(column, tuple) else column

    return lambda piece: write({as_text(name): safe(column) for name, column in piece.items()})


def words_of(column: Any) -> Words:
    """Return an Arrow column of strings as it is written: null is nothing."""
    values = column.to_pylist()
    return column_of(values) if column.null_count else (values, np.arange(len(values), dtype=np.int64))


def row_columns(names: RowNames, rows: Sequence[int]) -> dict[str, Column]:
    """Return the columns that name rows: ``row``, and ``file``, ``line`` and ``id`` where they are known.

    A line of the output that is about no row has -1 instead of one.
    """
    found = iter(names(row for row in rows if row >= 0))
    named = [next(found) if row >= 0 else RowName(-1) for row in rows]
    made: dict[str, Column] = {"row": np.array([name.row for name in named], np.int64)}
    if names.has_files:
        made["file"] = column_of(name.file for name in named)
    if names.has_lines:
        made["line"] = np.array([name.line or -1 for name in named], np.int64)
    if names.has_ids:
        made["id"] = column_of(name.id for name in named)
    return made


def column_of(values: Iterable[str | None]) -> Words:
    """Return strings as a column that is written; None is nothing."""
    listed = list(values)
    codes = np.array([k if value is not None else -1 for k, value in enumerate(listed)], np.int64)
    return [value or "" for value in listed], codes


def joined(column: Column) -> Column:
    """Return a column with one word at most in each row."""
    return column_of(SEPARATOR.join(row) or None for row in column) if isinstance(column, list) else column


@contextmanager
def piece_writer(
    file: Any, kind: str, target: str, *, delimiter: str | None = None, spreadsheet_safe: bool = False
) -> Iterator[Callable[[Piece], None]]:
    """Yield the function that writes pieces to a file, or to anything that has its ``write``; ``kind`` is a format.

    ``target`` is how errors call the file; ``delimiter`` is that of "csv", if it is not the comma.
    """
    if kind in BINARY:
        binary = _Parquet(file) if kind == "parquet" else _Excel(file, target)
        yield _safely(binary) if spreadsheet_safe else binary
        binary.close()
    else:
        write = _Json(file) if kind == "jsonl" else _Delimited(file, delimiter or _DELIMITERS[kind])
        yield _safely(write) if spreadsheet_safe else write


class _Delimited:
    """Lines of fields below a header."""

    def __init__(self, file: BinaryIO, delimiter: str) -> None:
        self._file = file
        self._delimiter = delimiter
        self._special = re.compile(f'["\r\n{delimiter}]')
        self._has_header = False

    def __call__(self, piece: Piece) -> None:
        if not self._has_header:
            self._file.write(self._delimiter.join(map(self._field, piece)).encode() + b"\n")
            self._has_header = True
        columns = [self._fields(column) for column in piece.values()]
        self._file.write(_native.delimited_lines(columns, self._delimiter))

    def _fields(self, column: Any) -> Any:
        column = joined(column)
        if isinstance(column, tuple):
            return list(map(self._field, column[0])), column[1]
        if column.dtype.kind == "i":
            return list(map(str, column.tolist())), np.where(column < 0, -1, np.arange(len(column)))
        return column

    def _field(self, text: str) -> str:
        if self._special.search(text) is None:
            return text
        return '"' + text.replace('"', '""') + '"'


class _Json:
    """One object per line."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def __call__(self, piece: Piece) -> None:
        rows = zip(*map(_plain_values, piece.values()), strict=True)
        lines = (json.dumps(dict(zip(piece, row, strict=True)), ensure_ascii=False) + "\n" for row in rows)
        self._file.write("".join(lines).encode())


def _plain_values(column: Column) -> list[Any]:
    """Return the values of a column as Python has them, None for nothing."""
    if isinstance(column, list):
        return column
    if isinstance(column, tuple):
        words, codes = column
        return [words[k] if k >= 0 else None for k in codes.tolist()]
    if column.dtype.kind == "i":
        return [None if value < 0 else value for value in column.tolist()]
    return [None if value != value else round(value, 6) for value in column.tolist()]  # noqa: PLR0124


class _Parquet:
    """Row groups of many pieces each; numbers keep all their digits."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer: Any = None
        self._waiting: list[Any] = []

    def __call__(self, piece: Piece) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        def array(column: Any) -> Any:
            if isinstance(column, tuple):
                return pa.array(_plain_values(column), pa.large_string())
            if isinstance(column, list):
                return pa.array(column, pa.list_(pa.large_string()))
            return pa.array(column, mask=column < 0 if column.dtype.kind == "i" else np.isnan(column))

        table = pa.table([array(column) for column in piece.values()], names=list(piece))
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, table.schema)
        self._waiting.append(table)
        if sum(map(len, self._waiting)) >= ROW_GROUP:
            self._write()

    def _write(self) -> None:
        import pyarrow as pa

        if self._waiting:
            self._writer.write_table(pa.concat_tables(self._waiting))
            self._waiting = []

    def close(self) -> None:
        self._write()
        self._writer.close()


class _Excel:
    """Rows of a sheet."""

    def __init__(self, file: BinaryIO, target: str) -> None:
        self._file, self._target = file, target
        self._book: ExcelWriter | None = None

    def __call__(self, piece: Piece) -> None:
        if self._book is None:
            from lindy.data.formats.excel import ExcelWriter

            self._book = ExcelWriter(self._file, list(piece), self._target)
        columns = (_plain_values(joined(column)) for column in piece.values())
        self._book.add(zip(*columns, strict=True))

    def close(self) -> None:
        if self._book is not None:
            self._book.close()
