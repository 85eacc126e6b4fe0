"""Values as rows of a table that an engine keeps: a number, and a pickled value in pieces.

For engines that move Arrow record batches and hold no objects, such as Spark's ``mapInArrow``.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterator
from itertools import groupby
from typing import Any

PIECE = 1 << 26  # bytes of a pickled value in one row


def packed(number: int, result: Any) -> Iterator[Any]:
    """Yield a value as rows of bytes."""
    import pyarrow as pa

    data = pickle.dumps(result, protocol=5)
    for start in range(0, len(data), PIECE):
        piece = pa.array([data[start : start + PIECE]], pa.binary())
        yield pa.RecordBatch.from_arrays([pa.array([number], pa.int32()), piece], ["partition", "held"])


def unpacked(batches: Iterator[Any]) -> Iterator[tuple[int, Any]]:
    """Yield the numbers of partitions and what they hold."""
    return joined(
        (batch.column(0)[row].as_py(), batch.column(1)[row].as_buffer())
        for batch in batches
        for row in range(batch.num_rows)
    )


def joined(pieces: Iterator[tuple[int, Any]]) -> Iterator[tuple[int, Any]]:
    """Yield values whose pieces follow one another, with their numbers."""
    for number, own in groupby(pieces, key=lambda piece: piece[0]):
        parts = [data for _, data in own]
        yield number, pickle.loads(parts[0] if len(parts) == 1 else b"".join(parts))
