"""Counting with weights: a row of weight w is w rows, in document frequencies and in totals.

    df_j = Σ_i weight_i·[x_ij is stored]        totals_j = Σ_i weight_i·x_ij        n = Σ_i weight_i

Weights are above 0: who has rows of weight 0 leaves them out first. Where all are whole numbers, so are the counts of
documents, and those of a row of weight 2 and of two rows are the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.weights import are_whole, present_rows

Weight = NDArray[np.float64]
_STORED_AT_ONCE = 1 << 20  # values whose weights are in memory at a time


def existing(X: Csr, weight: Weight | None) -> tuple[Csr, Weight | None]:
    """Return the rows of a weight above 0, and their weights."""
    rows = present_rows(weight)
    return (X, weight) if rows is None or weight is None else (X.take(rows), weight[rows])


def document_frequency(X: Csr, weight: Weight | None = None) -> NDArray[Any]:
    """Return in how many rows each column is stored."""
    if weight is None:
        df = np.zeros(X.n_columns, np.int32)
        _native.document_frequency(X.indices, df)
        return df.astype(np.int64)
    return as_counts(_sums(X, weight, None), weight)


def column_totals(X: Csr, weight: Weight | None = None) -> NDArray[np.float64]:
    """Return the sum of the values of each column."""
    if weight is None:
        return np.bincount(X.indices, X.values, X.n_columns).astype(np.float64, copy=False)
    return _sums(X, weight, X.values)


def row_totals(X: Csr) -> NDArray[np.float64]:
    """Return the sum of the values of each row."""
    sums = np.concatenate([[0.0], np.cumsum(X.values, dtype=np.float64)])
    totals: NDArray[np.float64] = sums[X.indptr[1:]] - sums[X.indptr[:-1]]
    return totals


def as_counts(sums: NDArray[np.float64], weight: Weight | None) -> NDArray[Any]:
    """Return sums of counts times weights as whole numbers, if these are."""
    return sums.astype(np.int64) if are_whole(weight) else sums


def _sums(X: Csr, weight: Weight, values: NDArray[Any] | None) -> NDArray[np.float64]:
    """Return Σ weight·value of each column, block of rows by block of rows; the value is 1 where none is given."""
    sums = np.zeros(X.n_columns)
    for rows, block in X.blocks(_STORED_AT_ONCE):
        stored = slice(X.indptr[rows.start], X.indptr[rows.stop])
        own = np.repeat(weight[rows], np.diff(block.indptr))
        np.add.at(sums, X.indices[stored], own if values is None else own * values[stored])
    return sums
