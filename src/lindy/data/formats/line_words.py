"""Words of lines as arrays: where each begins and ends, and distinct ones by number, without a string for each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.feature_rows import FeatureRows

Index = NDArray[np.int64]
WHITE_SPACE = b" \t\r\v\f"


@dataclass(frozen=True, slots=True)
class Words:
    """Words of some bytes, in their order: word i is ``data[start[i]:end[i]]``, in the line ``line[i]`` (from 0)."""

    data: NDArray[np.uint8]
    start: Index
    end: Index
    line: Index

    @classmethod
    def of(cls, text: bytes, separators: bytes) -> Words:
        """Cut lines, which all end in a line break, at some bytes."""
        data = np.frombuffer(text, np.uint8)
        kinds = np.zeros(256, bool)
        kinds[list(separators + b"\n")] = True
        apart = kinds[data]
        edges = np.flatnonzero(np.diff(apart, prepend=True))
        start, end = edges[::2], edges[1::2]
        return cls(data, start, end, np.searchsorted(_breaks(data), start))

    def lines_at(self, places: Index) -> Index:
        """Return the lines of some places."""
        return np.searchsorted(_breaks(self.data), places)

    def line_starts(self, lines: Index) -> Index:
        """Return where some lines begin."""
        starts: Index = np.concatenate([[0], _breaks(self.data) + 1])[lines]
        return starts

    def take(self, chosen: NDArray[Any]) -> Words:
        """Return some of the words."""
        return Words(self.data, self.start[chosen], self.end[chosen], self.line[chosen])

    def cut(self, mark: str, *, last: bool = False) -> tuple[Words, Words, NDArray[np.bool_]]:
        """Return what is before and behind the first (or last) mark in each word, and whether there is one.

        Without a mark, all of the word is before it, and nothing behind.
        """
        marks = np.flatnonzero(self.data == ord(mark))
        place = np.searchsorted(marks, self.end if last else self.start) - int(last)
        at = np.append(marks, len(self.data))[place]  # the end, which is in no word, where there is none
        has = (at >= self.start) & (at < self.end)
        before = Words(self.data, self.start, np.where(has, at, self.end), self.line)
        behind = Words(self.data, np.where(has, at + 1, self.end), self.end, self.line)
        return before, behind, has

    def numbered(self) -> tuple[NDArray[np.int32], list[str]]:
        """Return the number of each word among the different ones, and these."""
        if not len(self.start):
            return np.zeros(0, np.int32), []
        codes, first = _native.number_distinct(*self._packed())
        offsets, data = self.take(np.asarray(first))._packed()
        return codes, _native.strings(data, offsets)

    def _packed(self) -> tuple[Index, NDArray[np.uint8]]:
        """Return the words one after the other, in Arrow's layout."""
        lengths = self.end - self.start
        offsets = np.zeros(len(lengths) + 1, np.int64)
        np.cumsum(lengths, out=offsets[1:])
        some = lengths > 0
        steps = np.zeros(len(self.data) + 1, np.int8)  # words ascend, and between two of them is a separator
        steps[self.start[some]] = 1
        steps[self.end[some]] = -1
        return offsets, self.data[np.cumsum(steps[:-1], dtype=np.int8).view(bool)]

    def text(self, i: int) -> str:
        """Return a word."""
        return self.data[self.start[i] : self.end[i]].tobytes().decode()

    def parsed(self, parse: Callable[[str], float | None]) -> NDArray[np.float64]:
        """Return the numbers that words are, each different one parsed once; NaN for what is none."""
        codes, words = self.numbered()
        return np.array([parse(word) for word in words], np.float64)[codes]  # NumPy makes NaN of None


def _breaks(data: NDArray[np.uint8]) -> Index:
    return np.flatnonzero(data == ord("\n"))


def feature_rows_of(
    row: Index, codes: NDArray[Any], values: NDArray[np.float64], names: list[str], n_rows: int
) -> FeatureRows:
    """Return feature rows of the rows, names (by number) and values of words, whose rows ascend."""
    indptr = np.zeros(n_rows + 1, np.int64)
    np.cumsum(np.bincount(row, minlength=n_rows), out=indptr[1:])
    used = np.bincount(codes, minlength=len(names)) > 0
    if not used.all():  # such as the name of the label
        names = list(compress(names, used.tolist()))
        codes = (np.cumsum(used) - 1)[codes]
    return FeatureRows(Csr(indptr, codes.astype(np.int32), values, len(names)), names)
