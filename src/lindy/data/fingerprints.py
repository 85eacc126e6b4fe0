"""A number that tells two sets of examples apart, whatever file format or compression they came in."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.bags import Bags
from lindy.column import is_column, string_arrays
from lindy.csr import is_sparse


def fingerprint(texts: Any, labels: Any = None) -> str:
    """Return 32 hexadecimal digits of the texts (or of an Arrow table, or of bags) and labels, in their order.

    The same examples give the same digits as lists, Arrow or pandas columns, from CSV or from Parquet.
    """
    mark = _native.Fingerprint()
    if isinstance(texts, Bags):
        for part in _bag_parts(texts):
            mark.add(np.array([0, len(part)]), part)
        columns = [labels]
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

    if is_sparse(values):  # SciPy crashes on the way to the rows of a malformed one
        raise ValueError(f"Expected texts, got a {type(values).__name__}")
    return pa.array([str(value) for value in values], pa.large_string())


def _bag_parts(bags: Bags) -> list[NDArray[np.uint8]]:
    """Return bags as bytes, with their columns in the order of their first appearance."""
    rows = bags.rows
    columns, seen = np.unique(rows.indices, return_index=True)
    order = columns[np.argsort(seen)]
    place = np.zeros(rows.n_columns, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    names = " ".join([bags.names[j] for j in order.tolist()]).encode("utf-8", "surrogatepass")
    arrays = rows.indptr, place[rows.indices], rows.values.astype(np.float64)
    return [np.frombuffer(names, np.uint8), *(array.view(np.uint8) for array in arrays)]
