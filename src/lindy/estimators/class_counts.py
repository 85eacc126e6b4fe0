"""Sums of rows for each class, in one pass over the rows: what counting models and log-count ratios are made of."""

from __future__ import annotations

import numpy as np

from lindy import _native
from lindy.core.csr import Csr
from lindy.estimators.base import Examples

STORED_PER_PASS = 1 << 24  # values per call of the kernel: it ends, and can be interrupted, within a second


def class_counts(data: Examples) -> Csr:
    """Return Σ weight_i·x_i over the rows of each class, features × classes, each row's classes ascending.

    A row that has several labels is added to the sum of each.
    """
    total: Csr | None = None
    ends = data.y.label_ends
    for rows, X in data.X.blocks(STORED_PER_PASS):
        own, row_of = rows, None
        if ends is not None:
            own = slice(ends[rows.start], ends[rows.stop])
            row_of = np.repeat(
                np.arange(X.shape[0], dtype=np.int32), np.diff(ends[rows.start : rows.stop + 1])
            )
        part = Csr(
            *_native.class_counts(
                X,
                y=data.y.codes[own],
                weight=None if data.weight is None else data.weight[rows],
                n_classes=len(data.y.names),
                row_of=row_of,
            ),
            len(data.y.names),
        )
        total = part if total is None else added(total, part)
    assert total is not None
    return total


def added(a: Csr, b: Csr) -> Csr:
    """Return the sum of two features × classes matrices."""
    return Csr(*_native.add_counts(a, b), a.n_columns)
