"""Parquet: columns are read when they are asked for and turned into text."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from lindy.data.chunks.source import Source
from lindy.data.columns.table import NumberedNames, Table, numbered_names
from lindy.data.formats.registry import Reading
from lindy.data.write.table_writer import Piece, plain_values

ROW_GROUP = 1 << 16
"""Rows that a row group has at least, but for the last one: readers skip and decode whole groups."""
_MOST_WAITING = 1 << 26  # bytes
_NOT_READABLE = "Check that the file is complete, or name its format with `format=`."


def read(source: Source, reading: Reading) -> Iterator[Table]:
    """Read a Parquet file: as one table whose columns are read when they are asked for, or by batches of rows."""
    if reading.size is None:
        return iter([read_parquet(source, reading.threads)])
    return parquet_parts(source, reading.size, reading.threads)


def read_parquet(source: Source, threads: int | None = None) -> Table:
    """Read a table from a Parquet file; numbers and booleans become text when asked for."""
    file, numbered = _opened(source)
    again = {name for names in numbered.repeated.values() for name in names}

    @functools.cache
    def fetch(name: str) -> Any:
        with _readable(source, name):
            wanted = None if name in again else [name]  # Arrow finds only the last of those that share a name
            read = file.read(columns=wanted, use_threads=threads != 1)
            return _checked(source, name, read.column(numbered.names.index(name) if name in again else name))

    n_rows, about = file.metadata.num_rows, _about(source, numbered)
    return Table(source.path, numbered.names, n_rows, fetch, lambda _row: None, **about)


def parquet_parts(source: Source, size: int, threads: int | None = None) -> Iterator[Table]:
    """Yield the rows of a Parquet file as tables of about ``size`` bytes; no more than a row group is in memory."""
    file, numbered = _opened(source)
    names, about, done = numbered.names, _about(source, numbered), 0
    batches = file.iter_batches(_rows_at_once(file.metadata, size), use_threads=threads != 1)
    while True:
        with _readable(source, None):
            batch = next(batches, None)
        if batch is None:
            return
        columns = {name: pa.chunked_array([batch.column(k)]) for k, name in enumerate(names)}
        fetch = functools.cache(functools.partial(_column, source, columns))
        rows = np.arange(done, done + len(batch))
        done += len(batch)
        yield Table(source.path, names, len(batch), fetch, lambda _row: None, rows=rows, **about)


@contextmanager
def write(file: BinaryIO, _kind: str, _name: str) -> Iterator[Callable[[Piece], None]]:
    """Yield the function that writes pieces, in row groups of many each; numbers keep all their digits."""
    writer: Any = None
    waiting: list[Any] = []

    def flush() -> None:
        nonlocal waiting
        if waiting:
            writer.write_table(pa.concat_tables(waiting))
            waiting = []

    def add(piece: Piece) -> None:
        nonlocal writer
        table = piece if isinstance(piece, pa.Table) else _arrow_table(piece)
        if writer is None:
            writer = pa.parquet.ParquetWriter(file, table.schema)
        waiting.append(table)
        if sum(map(len, waiting)) >= ROW_GROUP or sum(own.nbytes for own in waiting) >= _MOST_WAITING:
            flush()

    yield add
    flush()
    if writer is not None:
        writer.close()


def _arrow_table(piece: Piece) -> Any:
    def array(column: Any) -> Any:
        if isinstance(column, tuple):
            return pa.array(plain_values(column), pa.large_string())
        if isinstance(column, list):
            return pa.array(column, pa.list_(pa.large_string()))
        return pa.array(column, mask=column < 0 if column.dtype.kind == "i" else np.isnan(column))

    return pa.table([array(column) for column in piece.values()], names=list(piece))


def _about(source: Source, numbered: NumberedNames) -> dict[str, Any]:
    """Return what a table is to say about its columns."""
    remarks = numbered.remarks(source.name)
    return {
        "repeated": numbered.repeated,
        "remarks": remarks,
        "expected": "Name the columns with `text=` and `label=`.",
    }


def _rows_at_once(metadata: Any, size: int) -> int:
    """Return how many rows have about ``size`` bytes."""
    unpacked: int = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    n_rows: int = metadata.num_rows
    return max(n_rows // max(unpacked // size, 1), 1)


def _column(source: Source, columns: dict[str, Any], name: str) -> Any:
    with _readable(source, name):
        return _checked(source, name, columns[name])


def _opened(source: Source) -> tuple[Any, NumberedNames]:
    """Open a Parquet file that has rows, and return it with the names of its columns."""
    if source.compression:
        raise source.error(
            f"a Parquet file inside {source.compression}, which cannot be read",
            "Unpack it first; Parquet compresses its columns itself.",
        )
    if not source.arrow_file().read(1):
        raise source.no_rows("the file is empty", "Expected a Parquet file.")
    try:
        file = pa.parquet.ParquetFile(source.arrow_file())
        names = list(file.schema_arrow.names)
    except (pa.ArrowException, OSError) as error:
        raise source.error(f"not a Parquet file, or damaged: {_first_line(error)}", _NOT_READABLE) from error
    if not names or file.metadata.num_rows == 0:
        raise source.no_rows("there is no row", "Expected at least one row.")
    return file, numbered_names(names)


@contextmanager
def _readable(source: Source, name: str | None) -> Iterator[None]:
    """Turn what Arrow raises into an error that names the file, and the column if there is one."""
    try:
        yield
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        what = "a row group" if name is None else f"the column {name!r}"
        raise source.error(f"{what} cannot be read: {_first_line(error)}", _NOT_READABLE) from error


def _checked(source: Source, name: str, column: Any) -> Any:
    column.validate(full=True)
    return _as_text(source, name, column)


def _as_text(source: Source, name: str, column: Any) -> Any:
    """Return ``column`` as strings, without a copy if it is one already."""
    kind = column.type
    if pa.types.is_dictionary(kind):
        column, kind = column.cast(kind.value_type), kind.value_type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return column
    if _is_list_of_names(kind):
        return column.cast(pa.list_(pa.large_string()))
    if pa.types.is_floating(kind):
        column = pc.if_else(
            pc.is_nan(column), pa.scalar(None, kind), column
        )  # how pandas writes a missing value
    try:
        return column.cast(pa.large_string())
    except (pa.ArrowException, OSError) as error:
        raise source.error(
            f"the column {name!r} is of type {kind}, expected text, integers or booleans",
            "Choose another column with `text=` or `label=`.",
        ) from error


def _is_list_of_names(kind: Any) -> bool:
    """Whether a column holds lists of strings or whole numbers, as several labels are."""
    if not (pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        return False
    own = kind.value_type
    return bool(pa.types.is_string(own) or pa.types.is_large_string(own) or pa.types.is_integer(own))


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
