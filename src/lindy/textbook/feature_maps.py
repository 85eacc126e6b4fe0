"""Feature maps g(x): from objects to vectors (LxMLS 1.11, Johansson's combinations)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


def dict_matrix(
    examples: list[dict[str, Any]], separator: str = "="
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the names of all features in alphabetical order, and g(x) of every example as a row.

    A number stands under its name; a string s under name=s, with a 1; each of several strings likewise, counted.
    """
    rows = []
    for x in examples:
        row: dict[str, float] = {}
        for name, value in x.items():
            strings = [value] if isinstance(value, str) else value if isinstance(value, list) else None
            parts = (
                [(name, float(value))]
                if strings is None
                else [(f"{name}{separator}{s}", 1.0) for s in strings]
            )
            for column, number in parts:
                row[column] = row.get(column, 0.0) + number
        rows.append(row)
    names = sorted({name for row in rows for name in row})
    return names, np.array([[row.get(name, 0.0) for name in names] for row in rows]).reshape(
        len(rows), len(names)
    )
