"""Counts of several labels, and the weights of each label against its absence.

    n_wk            how much of feature w the rows with label k have
    n_w − n_wk      how much the others have, from the sum over all rows

Both sides are the two classes of a counting model, which says what feature w adds to the score of k. Counting takes one
pass over the rows, and a row only meets the labels that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.bayes.class_statistics import FeatureCounts, rows_per_class
from lindy.bayes.inference import class_totals
from lindy.core import numerics
from lindy.core.column_remap import ColumnRemap
from lindy.core.csr import Csr
from lindy.errors import DataError
from lindy.estimators.base import Examples
from lindy.estimators.class_counts import class_counts
from lindy.estimators.output_weights import OutputWeights
from lindy.estimators.serialization import Arrays

Array = NDArray[np.float64]
CELLS_AT_A_TIME = 1 << 21

Contrast = Callable[[Array, Array], tuple[Array, Array | None]]
"""From the counts of some features with each label and without it, both (features, labels), to what each adds to the
label's score where a row has it, and where not (None: nothing)."""


@dataclass(frozen=True)
class Side:
    """One of the two classes of every label: the rows that have it, or those that lack it.

    Attributes
    ----------
    rows : array (labels,), how many rows there are
    total : array (labels,), the sum of all features in them
    """

    rows: Array
    total: Array


@dataclass(frozen=True)
class LabelCounts:
    """The sums of all features over the rows of each label and, in the last column, over all rows."""

    sums: FeatureCounts

    @property
    def counts(self) -> Csr:
        """Features × labels and all rows."""
        return self.sums.counts

    @property
    def rows(self) -> Array:
        """How many rows have each label, and how many there are."""
        return self.sums.class_count

    @property
    def n_features(self) -> int:
        """How many features there are."""
        return self.counts.shape[0]

    def pooled(self, other: LabelCounts) -> LabelCounts:
        """Return the counts of two parts together."""
        return LabelCounts(self.sums.pooled(other.sums))

    merged = pooled

    def scaled(self, share: float) -> LabelCounts:
        """Return the counts of the same rows, each of which counts only this share."""
        return self if share == 1.0 else LabelCounts(self.sums.scaled(share))

    def moved(self, move: ColumnRemap, known: NDArray[Any], labels: NDArray[Any]) -> LabelCounts:
        """Return the counts over other columns, and over more labels than those that are known."""
        sums = self.sums
        if not (move.in_place and move.n_columns == self.n_features):
            sums = sums.moved(move.places.astype(np.intp), move.n_columns)
        places = np.append(np.searchsorted(labels, known), len(labels))
        return LabelCounts(sums.spread(places, len(labels) + 1))

    @classmethod
    def unpack(cls, arrays: Arrays, n_labels: int) -> LabelCounts:
        """Return the counts that a model file holds; raises ValueError for anything else."""
        sums = FeatureCounts.unpack(arrays, n_labels + 1)
        made = cls(sums)
        own = np.bincount(sums.counts.indices, sums.counts.values, n_labels + 1)
        if (made.rows[:-1] > made.rows[-1]).any() or (own[:-1] > own[-1] * (1 + 1e-6)).any():
            raise ValueError("a label cannot have more than all rows have")
        return made

    @classmethod
    def of(cls, data: Examples) -> LabelCounts:
        """Count all labels in one pass over the rows."""
        every = data._replace(y=data.y.with_all_rows())
        counts = class_counts(every)
        if len(counts.values) and counts.values.min() < 0:
            raise ValueError("Negative values in data: the count of a feature is below zero")
        return cls(FeatureCounts(rows_per_class(every), counts))

    @property
    def sides(self) -> tuple[Side, Side]:
        """The rows without each label, and those with it."""
        total = class_totals(self.counts)
        own = Side(self.rows[:-1], total[:-1])
        return Side(self.rows[-1] - own.rows, np.maximum(total[-1] - own.total, 0.0)), own

    def weights(self, contrast: Contrast, bias: Array) -> OutputWeights:
        """Return W and b of all labels; ``bias`` is the score of a row without features, but for their absence."""
        row_of, first = _native.distinct_rows(self.counts)
        K, b = self.counts.n_columns - 1, bias.copy()
        different = np.empty((len(first), K), np.float32)
        alike = np.bincount(row_of, minlength=len(first)).astype(np.float64)
        size = max(1, CELLS_AT_A_TIME // (K + 1))
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):  # refused below
            for begin in range(0, len(first), size):
                part = slice(begin, begin + size)
                n = self.counts.take(first[part]).to_dense()
                present, absent = contrast(n[:, :-1], np.maximum(n[:, -1:] - n[:, :-1], 0.0))
                different[part] = present if absent is None else present - absent
                if absent is not None:
                    b += numerics.matmul(alike[part], absent)
        without, own = self.sides
        for alone, score in (
            (own.rows <= 0, -1.0),
            (without.rows <= 0, 1.0),
        ):  # no row has the label, or all have
            different[:, alone], b[alone] = 0.0, score
        if not (np.isfinite(different).all() and np.isfinite(b).all()):
            raise DataError(
                "without smoothing some features decide about a label with certainty, and have no weights",
                "choose an alpha above 0, an interpolation below 1, and a class_prior without zeros",
            )
        return OutputWeights(different[row_of], b.astype(np.float32))

    def for_each(self, made: Callable[[Array, Array], tuple[Array, ...]]) -> Iterator[Array]:
        """Yield the second class's less the first's of what a function makes of totals and rows of two classes.

        One array (labels,) for each array (2,) that it returns.
        """
        without, own = self.sides
        totals, rows = np.stack([without.total, own.total], 1), np.stack([without.rows, own.rows], 1)
        for parts in zip(*(made(total, n) for total, n in zip(totals, rows, strict=True)), strict=True):
            yield np.array([part[1] - part[0] for part in parts])
