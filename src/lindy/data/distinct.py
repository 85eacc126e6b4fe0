"""The distinct values of a column of strings, without Arrow's compute module, which is slow to import."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native


def distinct(column: Any) -> tuple[list[str], NDArray[np.int32]]:
    """Return the different strings of an Arrow column without nulls, and the number of each row's string."""
    import pyarrow as pa

    chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
    numbers: dict[str, int] = {}
    parts = [_number_chunk(pa, chunk, numbers) for chunk in chunks if len(chunk)]
    return list(numbers), np.concatenate(parts) if parts else np.zeros(0, np.int32)


def _number_chunk(pa: Any, chunk: Any, numbers: dict[str, int]) -> NDArray[np.int32]:
    """Return the numbers of one chunk's strings; new strings are added to ``numbers``."""
    if not (pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)):
        chunk = chunk.cast(pa.large_string())
    kind = np.int64 if pa.types.is_large_string(chunk.type) else np.int32
    _, offsets, data = chunk.buffers()
    places: Any = np.frombuffer(offsets, kind)[chunk.offset : chunk.offset + len(chunk) + 1]
    codes, first = _native.number_distinct(places, np.frombuffer(data if data is not None else b"", np.uint8))
    values = [chunk[int(row)].as_py() for row in first]
    renumbered = np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int32)
    return np.take(renumbered, codes)
