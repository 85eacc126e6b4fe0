"""A number that tells two sets of examples apart, whatever file format or compression they came in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.column import is_column, string_arrays
from lindy.core.csr import is_sparse
from lindy.core.feature_rows import FeatureRows
from lindy.data.chunks.disk_array import DiskArray


def fingerprint(texts: Any, labels: Any = None) -> str:
    """Return 32 hexadecimal digits of the texts (or of an Arrow table, or of feature rows) and labels, in their order.

    The same examples give the same digits as lists, Arrow or pandas columns, from CSV or from Parquet.
    """
    mark = _native.Fingerprint()
    if isinstance(texts, FeatureRows):
        for part in _feature_row_parts(texts):
            mark.add(np.array([0, len(part)]), part)
        columns = [labels]
    else:
        columns = [*(texts.columns if hasattr(texts, "column_names") else [texts]), labels]
    for column in columns:
        if column is not None:
            for offsets, data in _arrays(column):
                mark.add(offsets, data)
            mark.end()
    return "{:016x}{:016x}".format(*mark.halves)


class RunningFingerprint:
    """The fingerprint of examples that come part by part: of texts, or rows of several columns, and their labels.

    Only the first column can be marked as it comes; the others wait on disk until it has ended.
    """

    def __init__(self) -> None:
        self._mark = _native.Fingerprint()
        self._later: list[tuple[DiskArray, DiskArray]] = []  # lengths and bytes of strings

    def add(self, texts: Any, labels: Any) -> None:
        """Add some rows."""
        columns: list[Any] = list(texts.columns) if hasattr(texts, "column_names") else [texts]
        first, *others = [*columns, labels]
        for offsets, data in _arrays(first):
            self._mark.add(offsets, data)
        self._later = self._later or [(DiskArray(np.int64), DiskArray(np.uint8)) for _ in others]
        for column, (lengths, strings) in zip(others, self._later, strict=True):
            for offsets, data in _arrays(column):
                lengths.add(np.diff(offsets))
                strings.add(data[offsets[0] : offsets[-1]])

    def digits(self) -> str:
        """Return the fingerprint of all rows, which ends it."""
        self._mark.end()
        for lengths, strings in self._later:
            start = 0
            for block in lengths.blocks():
                offsets = np.append(0, np.cumsum(block))
                self._mark.add(offsets, strings.read(start, start + int(offsets[-1])))
                start += int(offsets[-1])
            self._mark.end()
        return "{:016x}{:016x}".format(*self._mark.halves)


def _arrays(column: Any) -> Iterator[tuple[NDArray[Any], NDArray[np.uint8]]]:
    return string_arrays(column if is_column(column) else _strings(column))


def _strings(values: Any) -> Any:
    import pyarrow as pa

    if is_sparse(values):  # SciPy crashes on the way to the rows of a malformed one
        raise ValueError(f"Expected texts, got a {type(values).__name__}")
    return pa.array([str(value) for value in values], pa.large_string())


def _feature_row_parts(features: FeatureRows) -> list[NDArray[np.uint8]]:
    """Return feature rows as bytes, with their columns in the order of their first appearance."""
    rows = features.rows
    columns, seen = np.unique(rows.indices, return_index=True)
    order = columns[np.argsort(seen)]
    place = np.zeros(rows.n_columns, np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    names = " ".join([features.names[j] for j in order.tolist()]).encode("utf-8", "surrogatepass")
    arrays = rows.indptr, place[rows.indices], rows.values.astype(np.float64)
    return [np.frombuffer(names, np.uint8), *(array.view(np.uint8) for array in arrays)]
