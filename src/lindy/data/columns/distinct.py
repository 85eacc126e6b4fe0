"""The distinct values of a column of strings, without Arrow's compute module, which is slow to import."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.column import string_arrays


def distinct(column: Any) -> tuple[list[str], NDArray[np.int32]]:
    """Return the different strings of a column without nulls, and the number of each row's string."""
    numbers: dict[str, int] = {}
    parts = []
    for offsets, data in string_arrays(column):
        codes, first = _native.number_distinct(offsets, data)
        values = [data[offsets[row] : offsets[row + 1]].tobytes().decode() for row in first]
        renumbered = np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int32)
        parts.append(np.take(renumbered, codes))
    return list(numbers), np.concatenate(parts) if parts else np.zeros(0, np.int32)
