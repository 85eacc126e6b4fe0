"""A number that tells two sets of examples apart, whatever file format or compression they came in."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np


def fingerprint(texts: Any, labels: Any = None) -> str:
    """Return 32 hexadecimal digits of the texts (or of an Arrow table) and labels, in their order.

    The same examples give the same digits as lists, Arrow or pandas columns, from CSV or from Parquet.
    """
    digest = hashlib.blake2b(digest_size=16)
    for column in (*(texts.columns if hasattr(texts, "column_names") else [texts]), labels):
        if column is not None:
            digest.update(_column_digest(column))
    return digest.hexdigest()


def _column_digest(column: Any) -> bytes:
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray | pa.Array):
        column = pa.array([str(value) for value in column], pa.large_string())
    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    lengths, content = hashlib.blake2b(digest_size=16), hashlib.blake2b(digest_size=16)
    for chunk in chunks:
        if not (pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)):
            chunk = chunk.cast(pa.large_string())  # noqa: PLW2901
        kind = np.int64 if pa.types.is_large_string(chunk.type) else np.int32
        _, offsets, data = chunk.buffers()
        if not len(chunk) or offsets is None:
            continue
        places: Any = np.frombuffer(offsets, kind)[chunk.offset : chunk.offset + len(chunk) + 1]
        lengths.update(np.diff(places).astype(np.int64).tobytes())
        if data is not None:
            content.update(memoryview(data)[int(places[0]) : int(places[-1])])
    return lengths.digest() + content.digest()
