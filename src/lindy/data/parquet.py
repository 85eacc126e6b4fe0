"""Parquet: columns are read when they are asked for and turned into text."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from lindy.data.source import Source
from lindy.data.table import Table

_NOT_READABLE = "Check that the file is complete, or name its format with `format=`."


def read_parquet(source: Source, threads: int | None = None) -> Table:
    """Read a table from a Parquet file; numbers and booleans become text when asked for."""
    file, names = _opened(source)

    @functools.cache
    def fetch(name: str) -> Any:
        with _readable(source, name):
            return _checked(source, name, file.read(columns=[name], use_threads=threads != 1).column(name))

    return Table(source.path, names, file.metadata.num_rows, fetch, lambda _row: None)


def parquet_parts(source: Source, size: int, threads: int | None = None) -> Iterator[Table]:
    """Yield the rows of a Parquet file as tables of about ``size`` bytes; no more than a row group is in memory."""
    file, names = _opened(source)
    done = 0
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
        yield Table(source.path, names, len(batch), fetch, lambda _row: None, rows=rows)


def _rows_at_once(metadata: Any, size: int) -> int:
    """Return how many rows have about ``size`` bytes."""
    unpacked: int = sum(metadata.row_group(k).total_byte_size for k in range(metadata.num_row_groups))
    n_rows: int = metadata.num_rows
    return max(n_rows // max(unpacked // size, 1), 1)


def _column(source: Source, columns: dict[str, Any], name: str) -> Any:
    with _readable(source, name):
        return _checked(source, name, columns[name])


def _opened(source: Source) -> tuple[Any, list[str]]:
    """Open a Parquet file that has rows, and return it with the names of its columns."""
    if source.compression:
        raise source.error(
            f"a Parquet file inside {source.compression}, which cannot be read",
            "Unpack it first; Parquet compresses its columns itself.",
        )
    if not source.arrow_file().read(1):
        raise source.error("the file is empty", "Expected a Parquet file.")
    try:
        file = pa.parquet.ParquetFile(source.arrow_file())
        names = list(file.schema_arrow.names)
    except (pa.ArrowException, OSError) as error:
        raise source.error(f"not a Parquet file, or damaged: {_first_line(error)}", _NOT_READABLE) from error
    twice = next((name for i, name in enumerate(names) if name in names[:i]), None)
    if twice is not None:
        raise source.error(f"the column {twice!r} occurs twice", "Give every column its own name.")
    if not names or file.metadata.num_rows == 0:
        raise source.error("there is no row", "Expected at least one row.")

    return file, names


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


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
