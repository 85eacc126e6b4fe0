"""The examples of an online learner, ready to be visited.

Examples that are equal in features and label are one example that is visited as often as it occurs, in a row, and all
are sorted by their *content* before an order is drawn. So the answer depends on the data and the seed, not on the order
of the rows, and a row of weight 3 is three rows. Rows that are visited as given stay as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.targets import ManyLabels

_MOST_ROWS = np.iinfo(np.int32).max


@dataclass(frozen=True, slots=True)
class Rows:
    """Examples ready to be visited: ``rows`` lists the distinct ones of positive weight; a run may reorder it.

    ``more`` says how many more rows they are than they count for: in the given order, a row of weight 3 is three rows.
    Where rows may have several labels, row i has ``y[label_ends[i]]`` up to the next.
    """

    X: Csr
    y: NDArray[np.int32]
    weight: NDArray[np.float64] | None
    sq_norm: NDArray[np.float64]
    rows: NDArray[np.int32]
    more: int = 0
    label_ends: NDArray[np.int64] | None = None

    def labels_of(self, rows: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.int64] | None]:
        """Return the classes of some rows, and where those of each row end, after a 0, if they may be several."""
        if self.label_ends is None:
            return self.y[rows], None
        own = ManyLabels(np.empty(0), self.y, self.label_ends).take(rows)
        return own.codes, own.indptr

    @classmethod
    def none(cls, n_columns: int) -> Rows:
        """Return no examples."""
        empty = Csr(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.float32), n_columns)
        return cls(empty, np.zeros(0, np.int32), None, np.zeros(0), np.zeros(0, np.int32))


def prepare(
    X: Csr, y: NDArray[np.int32], weight: NDArray[np.float64] | None, *, shuffle: bool | str, dtype: str
) -> Rows:
    """Measure the rows and, for a shuffled run, sort them by content and merge the equal ones."""
    if len(y) > _MOST_ROWS:
        raise ValueError(
            f"at most {_MOST_ROWS} rows at a time; got {len(y)}: use partial_fit, batch by batch"
        )
    keys, sq_norm = _native.row_keys(X, y)
    refuse_overflow(sq_norm, dtype)
    if not shuffle:
        given = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
        return Rows(X, y, weight, sq_norm, given.astype(np.int32))
    rows: NDArray[np.int32] = np.argsort(keys, kind="stable").astype(np.int32)
    if weight is not None:
        rows = rows[weight[rows] > 0]
    keys = keys[rows]
    doubtful = bool((keys[1:] == keys[:-1]).any())
    del keys
    if doubtful:
        repeats = np.zeros(len(rows), bool)
        _native.repeated_rows(X, y, rows, repeats)
        if repeats.any():
            group = np.cumsum(~repeats) - 1
            total = np.bincount(group, None if weight is None else weight[rows])
            rows = rows[~repeats]
            weight = np.zeros(len(y))
            weight[rows] = total
    return Rows(X, y, weight, sq_norm, rows)


def refuse_overflow(sq_norm: NDArray[np.float64], dtype: str, first: int = 0) -> None:
    """Raise ValueError for rows that are too long for the weights; ``first`` is the number of the first of them."""
    limit = 1e36 if dtype == "float32" else 1e300
    worst = int(np.argmax(sq_norm))
    if not sq_norm[worst] <= limit:
        remedy = "scale the features" + (" or use dtype='float64'" if dtype == "float32" else "")
        raise ValueError(
            f"Row {first + worst} is too long for {dtype} weights (its squared norm is {sq_norm[worst]:.3g}): {remedy}"
        )


def split(data: Rows, share: float, rng: np.random.Generator) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the rows to learn from and the rows held out, the same share of every class."""
    if share == 0:
        return data.rows, data.rows[:0]
    shuffled = data.rows[rng.permutation(len(data.rows))]
    by_class = shuffled[np.argsort(data.y[shuffled], kind="stable")]
    every = (np.arange(1, len(by_class) + 1) * share).astype(np.int64)
    taken = np.diff(every, prepend=0) > 0
    if not taken.any() or taken.all():
        raise ValueError(
            f"held_out={share} leaves no rows to hold out or to learn from: there are {len(taken)}"
        )
    chosen = np.zeros(len(data.y), bool)
    chosen[by_class[taken]] = True
    return data.rows[~chosen[data.rows]], data.rows[chosen[data.rows]]
