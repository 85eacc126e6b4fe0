"""Areas below the curves of a ranking, of any number of rows.

    ROC area = P(a hit scores above a miss), ties count half
    PR area (average precision) = Σ_i (recall_i − recall_{i−1})·precision_i, from the highest score down

Rows that do not fit into memory are dealt into ranges of scores, by borders that a sample of them tells; rows of a
score that is itself a border are a range of their own, which needs no sorting. From the highest range down, hits and
misses are then counted on.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.data.chunks.disk_array import BLOCK, DiskArray
from lindy.estimators.base import thread_count

Array = NDArray[np.float64]
SORTED_AT_ONCE = 1 << 20
"""Rows of a range, about."""
_SAMPLE = 1 << 16
_RECORD = np.dtype([("score", np.float64), ("row", np.int32), ("hit", np.uint8)])
_HIT, _LAST_OF_SCORE = 1, 2


@dataclass(slots=True)
class Areas:
    """Hits and misses counted from the highest score down; whole numbers, so the ROC area is exact."""

    hits: int = 0
    misses: int = 0
    hits_above: int = 0  # the last score that is complete
    misses_above: int = 0
    doubled: int = 0  # twice the area below the curve of hits against misses
    precision: float = 0.0

    def add(self, marks: NDArray[np.uint8]) -> None:
        """Count rows in falling order of their scores, marked as `_native.ranking_areas` takes them."""
        ends = np.flatnonzero(marks & _LAST_OF_SCORE)
        counted = np.cumsum(marks & _HIT, dtype=np.int64)
        hits = self.hits + counted[ends]
        misses = self.hits + self.misses + ends + 1 - hits
        above = np.append(self.hits_above, hits)
        self.doubled += int((np.diff(misses, prepend=self.misses_above) * (above[1:] + above[:-1])).sum())
        terms = np.diff(above).astype(np.float64) * hits / (hits + misses)
        # one after the other, so that it does not matter where the rows are cut
        self.precision = float(np.add.accumulate(np.append(self.precision, terms))[-1])
        if len(ends):
            self.hits_above, self.misses_above = int(hits[-1]), int(misses[-1])
        if len(marks):
            self.hits += int(counted[-1])
            self.misses += len(marks) - int(counted[-1])

    @property
    def decided(self) -> bool:
        """Whether there are both hits and misses."""
        return bool(self.hits and self.misses)

    @property
    def roc(self) -> float:
        """The area below the receiver operating characteristic; NaN where there are only hits or only misses."""
        return self.doubled / 2 / (float(self.hits) * float(self.misses)) if self.decided else float("nan")

    @property
    def precision_recall(self) -> float:
        """The average precision; NaN without hits."""
        return self.precision / self.hits if self.hits else float("nan")


class Ranking:
    """Rows in falling order of a score, and which of them are hits: their areas, and those of resampled rows.

    ``scores`` and ``is_hit`` are arrays or what `DiskArray` keeps; with ``keep``, the order is kept for `resampled`.
    About ``at_once`` rows are sorted at a time, and rows of one score come in blocks.
    """

    def __init__(
        self,
        scores: DiskArray | Array,
        is_hit: DiskArray | NDArray[Any],
        *,
        keep: bool = True,
        at_once: int = SORTED_AT_ONCE,
        block: int = BLOCK,
    ) -> None:
        self._order, self._marks = DiskArray(np.int32), DiskArray(np.uint8)
        self.areas = Areas()
        for rows, marks in _falling(_kept(scores, np.float64), _kept(is_hit, np.uint8), at_once, block):
            if keep:
                self._order.add(rows)
                self._marks.add(marks)
            self.areas.add(marks)

    def resampled(self, counts: NDArray[np.int32]) -> Array:
        """Return ROC and PR area for each row of ``counts`` (resamples, rows), natively; NaN where there is none."""
        found = np.empty((len(counts), 2))
        n = len(self._order)
        order, marks = self._order.read(0, n), self._marks.read(0, n)
        _native.ranking_areas(order, marks, counts, found, thread_count(None))
        return found


def _kept(values: Any, dtype: Any) -> DiskArray:
    if isinstance(values, DiskArray):
        return values
    kept = DiskArray(dtype)
    kept.add(np.asarray(values))
    return kept


def _falling(
    scores: DiskArray, is_hit: DiskArray, at_once: int, block: int
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.uint8]]]:
    """Yield all rows from the highest score down, in the order of the table where it is the same, with their marks."""
    n = len(scores)
    if n <= at_once:
        values = scores.read(0, n)
        order = np.argsort(-values, kind="stable").astype(np.int32)
        yield order, _marks(values[order], is_hit.read(0, n)[order])
        return
    borders = _borders(scores, at_once)
    starts, dealt = _dealt(scores, is_hit, borders)
    for number in range(len(starts) - 2, -1, -1):
        if starts[number] == starts[number + 1]:
            continue
        if number % 2:  # all of one score
            yield from _of_one_score(dealt, starts[number], starts[number + 1], block)
            continue
        own = dealt.read(starts[number], starts[number + 1])
        own = own[np.argsort(-own["score"], kind="stable")]
        yield own["row"].copy(), _marks(own["score"], own["hit"])


def _of_one_score(
    dealt: DiskArray, start: int, end: int, block: int
) -> Iterator[tuple[NDArray[np.int32], NDArray[np.uint8]]]:
    """Yield equal rows in blocks, of which only the last row of the last one is marked as the end of the score."""
    for first in range(start, end, block):
        own = dealt.read(first, min(first + block, end))
        marks = (own["hit"] > 0).astype(np.uint8)
        marks[-1] |= _LAST_OF_SCORE * (first + block >= end)
        yield own["row"].copy(), marks


def _marks(falling: Array, hits: NDArray[Any]) -> NDArray[np.uint8]:
    marks: NDArray[np.uint8] = (hits > 0).astype(np.uint8)
    marks[np.append(np.flatnonzero(np.diff(falling)), len(falling) - 1)[: len(falling)]] |= _LAST_OF_SCORE
    return marks


def _borders(scores: DiskArray, at_once: int) -> Array:
    """Return scores between which about as many rows lie as are sorted at once."""
    step = max(1, len(scores) // _SAMPLE)
    sample = np.sort(np.concatenate([block[::step] for block in scores.blocks()]))
    n_ranges = -(-2 * len(scores) // at_once)  # half full on average
    return np.unique(sample[np.arange(1, n_ranges) * len(sample) // n_ranges])


def _dealt(scores: DiskArray, is_hit: DiskArray, borders: Array) -> tuple[list[int], DiskArray]:
    """Return the rows by range, from the lowest one, and where each range starts: between and at the borders."""

    def ranges(block: Array) -> NDArray[np.int64]:
        below = np.searchsorted(borders, block)
        at = below < len(borders)
        at[at] = borders[below[at]] == block[at]
        number: NDArray[np.int64] = 2 * below + at
        return number

    n_ranges = 2 * len(borders) + 1
    sizes = sum(np.bincount(ranges(block), minlength=n_ranges) for block in scores.blocks())
    starts = np.append(0, np.cumsum(sizes))
    ends, dealt, row = starts[:-1].copy(), DiskArray(_RECORD), 0
    for block, hits in zip(scores.blocks(), is_hit.blocks(), strict=True):
        number = ranges(block)
        order = np.argsort(number, kind="stable")
        records = np.empty(len(block), _RECORD)
        records["score"], records["hit"] = block[order], hits[order]
        records["row"] = row + order
        cuts = np.searchsorted(number[order], np.arange(n_ranges + 1))
        for k in np.flatnonzero(np.diff(cuts)).tolist():
            dealt.write(records[cuts[k] : cuts[k + 1]], int(ends[k]))
            ends[k] += cuts[k + 1] - cuts[k]
        row += len(block)
    return starts.tolist(), dealt
