"""Tables that are written piece by piece, as CSV, TSV, JSON Lines, Parquet or an Excel workbook.

A piece is a dictionary from the names of columns to their values, in the order of the file. All pieces of a table have
the same names, so the header is known with the first of them. The values of a column are

- ``(words, codes)``: row i has ``words[codes[i]]``, and nothing where the code is −1
- an array of numbers, of which six digits are written, and nothing where one is NaN
- a list of anything that JSON can hold, for JSON Lines only
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.atomic import atomic_write
from lindy.data.excel import ExcelWriter
from lindy.data.formats import BINARY
from lindy.overwriting import TABLE
from lindy.visible import standard_output

Words = tuple[list[str], NDArray[np.int64]]
Column = Words | NDArray[np.float64] | list[Any]
Piece = Mapping[str, Column]

_DELIMITERS = {"csv": ",", "tsv": "\t"}


@contextmanager
def writing_pieces(path: str, kind: str) -> Iterator[Callable[[Piece], None]]:
    """Open a file of a format of ``TABLES`` and yield the function that writes a piece; ``-`` is standard output.

    The file appears when the block ends without an exception, see ``lindy.atomic``. What goes to standard output is
    there after every piece.
    """
    if path != "-":
        with atomic_write(path, kind=TABLE) as file, _writer(file, kind) as write:
            yield write
        return
    out = standard_output()
    with _writer(out, kind) as write:

        def write_through(piece: Piece) -> None:
            write(piece)
            out.flush()

        yield write_through


def words_of(column: Any) -> Words:
    """Return an Arrow column of strings as it is written: null is nothing."""
    values = column.to_pylist()
    codes = np.arange(len(values), dtype=np.int64)
    if column.null_count:
        codes[[i for i, value in enumerate(values) if value is None]] = -1
        values = [value or "" for value in values]
    return values, codes


def unused_name(name: str, taken: Iterable[str]) -> str:
    """Return the name, or ``predicted_…`` where a column of that name is there already."""
    others = set(taken)
    while name in others:
        name = f"predicted_{name}"
    return name


@contextmanager
def _writer(file: BinaryIO, kind: str) -> Iterator[Callable[[Piece], None]]:
    if kind in BINARY:
        binary = _Parquet(file) if kind == "parquet" else _Excel(file)
        yield binary
        binary.close()
    else:
        yield _Json(file) if kind == "jsonl" else _Delimited(file, _DELIMITERS[kind])


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
        columns: list[Any] = [
            (list(map(self._field, column[0])), column[1]) if isinstance(column, tuple) else column
            for column in piece.values()
        ]
        self._file.write(_native.delimited_lines(columns, self._delimiter).encode())

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
    return [None if value != value else round(value, 6) for value in column.tolist()]  # noqa: PLR0124


class _Parquet:
    """A row group for each piece; numbers keep all their digits."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer: Any = None

    def __call__(self, piece: Piece) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        arrays = [
            pa.array(_plain_values(column), pa.large_string())
            if isinstance(column, tuple)
            else pa.array(column, pa.float64(), mask=np.isnan(column))
            for column in piece.values()
        ]
        table = pa.table(arrays, names=list(piece))
        if self._writer is None:
            self._writer = pq.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        self._writer.close()


class _Excel:
    """Rows of a sheet."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._book: ExcelWriter | None = None

    def __call__(self, piece: Piece) -> None:
        if self._book is None:
            self._book = ExcelWriter(self._file, list(piece))
        self._book.add(zip(*map(_plain_values, piece.values()), strict=True))

    def close(self) -> None:
        if self._book is not None:
            self._book.close()
