"""A number that tells two sets of examples apart, whatever file format or compression they came in."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy import _native
from lindy.core.inputs import as_inputs, mark_strings, strings_of
from lindy.data.chunks.disk_array import DiskArray


def fingerprint(inputs: Any, labels: Any = None) -> str:
    """Return 32 hexadecimal digits of `Inputs` (or what ``as_inputs`` takes) and labels, in their order.

    The same examples give the same digits as lists, Arrow or pandas columns, from CSV or from Parquet.
    """
    mark = _native.Fingerprint()
    as_inputs(inputs).mark(mark)
    if labels is not None:
        mark_strings(mark, labels)
    return "{:016x}{:016x}".format(*mark.halves)


class RunningFingerprint:
    """The fingerprint of examples that come part by part: of texts, or rows of several columns, and their labels.

    Only the first column can be marked as it comes; the others wait on disk until it has ended.
    """

    def __init__(self) -> None:
        self._mark = _native.Fingerprint()
        self._later: list[tuple[DiskArray, DiskArray]] = []  # lengths and bytes of strings

    def add(self, inputs: Any, labels: Any) -> None:
        """Add some rows."""
        first, *others = [*as_inputs(inputs).string_columns, labels]
        for offsets, data in strings_of(first):
            self._mark.add(offsets, data)
        self._later = self._later or [(DiskArray(np.int64), DiskArray(np.uint8)) for _ in others]
        for column, (lengths, strings) in zip(others, self._later, strict=True):
            for offsets, data in strings_of(column):
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
