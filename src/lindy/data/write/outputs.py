"""Where converted tables go: a file that appears when it is complete, packed or not, or standard output."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

import pyarrow as pa

from lindy.files.atomic import atomic_write
from lindy.files.output_guard import TABLE
from lindy.sanitize import standard_output

PACKED = {".gz": "gzip", ".zst": "zstd"}
_BATCH = 4096


@contextmanager
def table_writer(file: BinaryIO, schema: Any, kind: str, out: str) -> Iterator[Callable[[Any], None]]:
    """Open a table of a format of ``TABLES`` and yield the function that adds the rows of an Arrow table."""
    if kind == "parquet":
        import pyarrow.parquet as pq

        with pq.ParquetWriter(file, schema) as parquet:
            yield parquet.write_table
    elif kind == "xlsx":
        from lindy.data.formats.excel import ExcelWriter

        book = ExcelWriter(file, schema.names, out)

        def add_rows(columns: Any) -> None:
            for batch in columns.to_batches(_BATCH):
                book.add(zip(*(column.to_pylist() for column in batch.columns), strict=True))

        yield add_rows
        book.close()
    elif kind == "jsonl":

        def add_lines(columns: Any) -> None:
            for batch in columns.to_batches(_BATCH):
                rows = (json.dumps(row, ensure_ascii=False) + "\n" for row in batch.to_pylist())
                file.write("".join(rows).encode())

        yield add_lines
    else:
        import pyarrow.csv as pc

        with pc.CSVWriter(
            file, schema, write_options=pc.WriteOptions(delimiter="\t" if kind == "tsv" else ",")
        ) as text:
            yield text.write_table


def write_columns(file: BinaryIO, columns: Any, kind: str, out: str) -> None:
    """Write an Arrow table in a format of ``TABLES``; ``out`` is what the file is called."""
    with table_writer(file, columns.schema, kind, out) as add:
        add(columns)


@contextmanager
def opened(out: str) -> Iterator[BinaryIO]:
    """Open a file, which packs what it is given if its name says so, or standard output."""
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
