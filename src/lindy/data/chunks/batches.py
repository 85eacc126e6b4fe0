"""Columns of texts, or tables, in pieces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

_ROWS_AT_ONCE = 16_384


def batches(texts: Any, rows: int = _ROWS_AT_ONCE) -> Iterator[Any]:
    """Cut a column of texts, or an Arrow table, into pieces; an empty one is one empty piece."""
    if hasattr(texts, "iloc"):
        texts = texts.array
    elif not (isinstance(texts, Sequence) or hasattr(texts, "__getitem__")):
        texts = list(texts)
    for start in range(0, max(len(texts), 1), rows):
        yield texts[start : start + rows]
