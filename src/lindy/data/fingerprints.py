"""A number that tells two sets of examples apart, whatever file format or compression they came in."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy import _native
from lindy.bags import Bags
from lindy.column import is_column, string_arrays


def fingerprint(texts: Any, labels: Any = None) -> str:
    """Return 32 hexadecimal digits of the texts (or of an Arrow table, or of bags) and labels, in their order.

    The same examples give the same digits as lists, Arrow or pandas columns, from CSV or from Parquet.
    """
    mark = _native.Fingerprint()
    if isinstance(texts, Bags):
        bags = texts.sorted()
        for numbers in bags.rows.arrays:
            mark.add(np.array([0, numbers.nbytes]), numbers.view(np.uint8))
        columns = [bags.names, labels]
    else:
        columns = [*(texts.columns if hasattr(texts, "column_names") else [texts]), labels]
    for column in columns:
        if column is not None:
            for offsets, data in string_arrays(column if is_column(column) else _strings(column)):
                mark.add(offsets, data)
            mark.end()
    return "{:016x}{:016x}".format(*mark.halves)


def _strings(values: Any) -> Any:
    import pyarrow as pa

    return pa.array([str(value) for value in values], pa.large_string())
