"""Parquet: columns are read when they are asked for and turned into text."""

from __future__ import annotations

import functools
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from lindy.data.source import Source
from lindy.data.table import Table

_NOT_READABLE = "Check that the file is complete, or name its format with --format."


def read_parquet(source: Source, threads: int | None = None) -> Table:
    """Read a table from a Parquet file; numbers and booleans become text when asked for."""
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

    @functools.cache
    def fetch(name: str) -> Any:
        try:
            column = file.read(columns=[name], use_threads=threads != 1).column(name)
            column.validate(full=True)
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            raise source.error(
                f"the column {name!r} cannot be read: {_first_line(error)}", _NOT_READABLE
            ) from error
        return _as_text(source, name, column)

    return Table(source.path, names, file.metadata.num_rows, fetch, lambda _row: None)


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
            "Choose another column with --text or --label.",
        ) from error


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
