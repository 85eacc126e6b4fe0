"""Further rows for a fitted classifier, whose columns may have moved and grown meanwhile."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.targets import Targets


@dataclass(frozen=True, slots=True)
class ColumnRemap:
    """Where the columns of a classifier are now.

    Attributes
    ----------
    places : array (columns,), the new number of each old column
    n_columns : how many columns there are now
    factors : array (columns,) or None, how many times larger the values of an old column are now
    documents : array (columns,) or None, how many earlier rows held each old column, where that is known
    """

    places: NDArray[np.int64]
    n_columns: int
    factors: NDArray[np.float64] | None = None
    documents: NDArray[Any] | None = None

    @property
    def in_place(self) -> bool:
        """Whether all old columns are where they were; there may be more behind them."""
        return np.array_equal(self.places, np.arange(len(self.places)))

    def of_weights(self, W: NDArray[Any]) -> NDArray[Any]:
        """Return weights (columns × outputs) over the new columns, such that scores stay what they were."""
        moved = np.zeros((self.n_columns, W.shape[1]), W.dtype)
        moved[self.places] = W if self.factors is None else W / self.factors[:, None]
        return moved

    def of_counts(self, counts: NDArray[Any]) -> NDArray[Any]:
        """Return numbers of the old columns over the new ones, 0 for those that are new."""
        moved = np.zeros(self.n_columns, counts.dtype)
        moved[self.places] = counts
        return moved


@dataclass(frozen=True, slots=True)
class UpdateBatch:
    """Rows that a fitted classifier has not seen.

    Attributes
    ----------
    X, y, weight : the rows over the new columns, their targets, how much each counts (None: 1); the names are those
        of all labels: of the classifier, of the rows, and others that were announced
    move : where the classifier's columns are now
    n_before : how many rows it has learned from
    kept : which share of what it learned from them still counts; 1 unless it shall forget
    row_weight : how many rows each row is (None: 1), where rows are counted; ``weight`` has the classes' in it, too
    """

    X: Csr
    y: Targets
    weight: NDArray[np.float64] | None
    move: ColumnRemap
    n_before: float
    kept: float = 1.0
    row_weight: NDArray[np.float64] | None = None


def mixed(values: Sequence[NDArray[Any]], shares: Sequence[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Return Σ share_i · value_i, column by column; the shares of a column sum to 1."""
    total = np.zeros(values[0].shape)
    for value, share in zip(values, shares, strict=True):
        total += value.astype(np.float64) * share
    return total
