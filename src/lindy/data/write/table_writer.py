"""Tables that are written piece by piece, by the module of their format: CSV, TSV, JSON Lines, Parquet, Excel.

A piece is an Arrow table of texts, or a dictionary from the names of columns to their values, in the order of the file.
All pieces of a table have the same names, so the header is known with the first of them. The values of a column are

- ``(words, codes)``: row i has ``words[codes[i]]``, and nothing where the code is −1
- an array of numbers, of which six digits are written, and nothing where one is NaN
- an array of whole numbers, all digits of which are written, and nothing where one is −1
- a list of lists of words, which are lists in JSON Lines and Parquet, and joined by ``SEPARATOR`` in other formats
- a list of anything that JSON can hold, for JSON Lines only
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import is_list
from lindy.data.columns.row_ids import RowName, RowNames
from lindy.data.formats.registry import REGISTRY
from lindy.data.formats.spreadsheets import as_text
from lindy.files.atomic import atomic_write
from lindy.files.output_guard import TABLE
from lindy.sanitize import standard_output

Words = tuple[list[str], NDArray[np.int64]]
Column = Words | NDArray[np.float64] | NDArray[np.int64] | list[Any]
Piece = Any  # Mapping[str, Column] or pyarrow.Table

SEPARATOR = "|"
"""The characters between the words of a cell that has several."""
PACKED = {".gz": "gzip", ".zst": "zstd"}
_BATCH = 4096  # rows of an Arrow table that are Python objects at a time


@contextmanager
def writing_pieces(
    path: str, kind: str, *, spreadsheet_safe: bool = False
) -> Iterator[Callable[[Piece], None]]:
    """Open a file of a format of ``TABLES`` and yield the function that writes a piece; ``-`` is standard output.

    What goes to standard output is there after every piece. With ``spreadsheet_safe``, no cell of words is a formula,
    see ``spreadsheets``.
    """
    name = "standard output" if path == "-" else path
    with opened(path) as file, piece_writer(file, kind, name, spreadsheet_safe=spreadsheet_safe) as write:

        def write_through(piece: Piece) -> None:
            write(piece)
            file.flush()

        yield write_through if path == "-" else write


@contextmanager
def piece_writer(
    file: Any, kind: str, target: str, *, delimiter: str | None = None, spreadsheet_safe: bool = False
) -> Iterator[Callable[[Piece], None]]:
    """Yield the function that writes pieces to a file, or to anything that has its ``write``; ``kind`` is a format.

    ``target`` is how errors call the file; ``delimiter`` is that of "csv", if it is not the comma.
    """
    options = {} if delimiter is None else {"delimiter": delimiter}
    with REGISTRY[kind].imported().write(file, kind, target, **options) as write:
        yield (lambda piece: write(_as_texts(piece))) if spreadsheet_safe else write


def _as_texts(piece: Piece) -> Piece:
    """Return a piece of which no spreadsheet runs a cell of words, or the name of a column."""

    def safe(column: Column) -> Column:
        column = joined(column)
        return (list(map(as_text, column[0])), column[1]) if isinstance(column, tuple) else column

    if not isinstance(piece, Mapping):
        piece = {
            name: words_of(column) for name, column in zip(piece.column_names, piece.columns, strict=True)
        }
    return {as_text(name): safe(column) for name, column in piece.items()}


def words_of(column: Any) -> Words | list[Any]:
    """Return an Arrow column of strings as it is written: null is nothing; one of lists stays as it is."""
    values = column.to_pylist()
    if is_list(column):
        return [own or [] for own in values]
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


def plain_rows(piece: Piece) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of a piece as Python has them, None for nothing."""
    if isinstance(piece, Mapping):
        yield from zip(*map(plain_values, piece.values()), strict=True)
        return
    for batch in piece.to_batches(_BATCH):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


def names_of(piece: Piece) -> list[str]:
    """Return the names of the columns of a piece."""
    return list(piece) if isinstance(piece, Mapping) else piece.column_names


def plain_values(column: Column) -> list[Any]:
    """Return the values of a column as Python has them, None for nothing."""
    if isinstance(column, list):
        return column
    if isinstance(column, tuple):
        words, codes = column
        return [words[k] if k >= 0 else None for k in codes.tolist()]
    if column.dtype.kind == "i":
        return [None if value < 0 else value for value in column.tolist()]
    return [None if value != value else round(value, 6) for value in column.tolist()]  # noqa: PLR0124


@contextmanager
def opened(out: str) -> Iterator[BinaryIO]:
    """Open a file that appears when it is complete, packed if its name says so; ``-`` is standard output."""
    if out == "-":
        out_bytes = standard_output()
        try:
            yield out_bytes
        finally:
            out_bytes.flush()
        return
    packing = PACKED.get(os.path.splitext(out.lower())[1])
    with atomic_write(out, kind=TABLE) as file:
        if packing is None:
            yield file
            return
        import pyarrow as pa

        with pa.CompressedOutputStream(file, packing) as packed, io.BufferedWriter(_Raw(packed)) as buffered:
            yield buffered


class _Raw(io.RawIOBase):
    """An Arrow stream as Python's buffers want it."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(bytes(data))
        return len(data)
