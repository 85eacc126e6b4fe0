"""The vote of the voted perceptron (Freund and Schapire, 1999).

The weights after change m are Σ_{m' ≤ m} step·(x, 1) in the columns that changed, so the scores of a new row follow
from its products with the rows that caused the changes: no weight vector is ever stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.estimators.base import thread_count
from lindy.estimators.serialization import Arrays
from lindy.linear.optimizers.online_epochs import Outcome
from lindy.linear.optimizers.online_rows import Rows
from lindy.linear.optimizers.online_state import State

_NAMES = tuple(
    f"vote.{name}" for name in ("indptr", "indices", "values", "row", "up", "down", "step", "at", "total")
)


@dataclass(frozen=True, slots=True)
class Ballots:
    """Every change of a perceptron: class ``up`` gained and ``down`` lost step · (x, 1), at time ``at``."""

    support: Csr
    row: NDArray[np.int64]
    up: NDArray[np.int32]
    down: NDArray[np.int32]
    step: NDArray[np.float64]
    at: NDArray[np.float64]
    total: float
    classes: NDArray[Any]
    bias: bool

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        rows: Rows,
        state: State,
        classes: NDArray[Any],
        earlier: Self | None,
        *,
        bias: bool,
    ) -> Self:
        """Collect the changes of a finished run, after those of the earlier part of the stream."""
        empty = tuple(np.empty(0, kind) for kind in (np.int64, np.int32, np.int32, np.float64, np.float64))
        row, up, down, step, at = (np.concatenate(part) for part in zip(empty, *outcome.log, strict=True))
        used, number = np.unique(row, return_inverse=True)
        support = rows.X.take(used)
        if earlier is not None:
            moved = np.searchsorted(classes, earlier.classes).astype(np.int32)
            number = np.concatenate((earlier.row, number + earlier.support.shape[0]))
            up = np.concatenate((moved[earlier.up], up))
            down = np.concatenate((moved[earlier.down], down))
            step, at = np.concatenate((earlier.step, step)), np.concatenate((earlier.at, at))
            support = stacked(earlier.support, support)
        total = state.averaged
        return cls(support, number.astype(np.int64), up, down, step, at, total, classes, bias)

    def pack(self) -> Arrays:
        """Return the arrays of a model file."""
        parts = (
            *self.support.arrays,
            self.row,
            self.up,
            self.down,
            self.step,
            self.at,
            np.array([self.total]),
        )
        return dict(zip(_NAMES, parts, strict=True))

    @classmethod
    def unpack(cls, arrays: Arrays, n_features: int, classes: NDArray[Any], *, bias: bool) -> Self:
        """Return what ``pack`` gave; everything is checked as untrusted."""
        if set(arrays) != set(_NAMES):
            raise ValueError(f"expected the arrays {sorted(_NAMES)}; got {sorted(arrays)}")
        indptr, indices, values, row, up, down, step, at, total = (arrays[name] for name in _NAMES)
        kinds = (np.int64, np.int32, None, np.int64, np.int32, np.int32, np.float64, np.float64, np.float64)
        for name, kind in zip(_NAMES, kinds, strict=True):
            array = arrays[name]
            right = array.dtype in (np.float32, np.float64) if kind is None else array.dtype == kind
            if array.ndim != 1 or not right or (array.dtype.kind == "f" and not np.isfinite(array).all()):
                raise ValueError(f"array {name} must be one-dimensional, finite and of its type")
        changes = {len(part) for part in (row, up, down, step, at)}
        times = np.concatenate(([0.0], at, total))
        known = len(indptr) > 0 and len(indices) == len(values) and len(total) == 1 and len(changes) == 1
        if not known or _native.check_csr(indptr, indices, n_features)[0] >= 0 or (np.diff(times) < 0).any():
            raise ValueError("the stored changes of a voted perceptron do not fit together")
        for part, end in ((row, len(indptr) - 1), (up, len(classes)), (down, len(classes))):
            if len(part) and (part.min() < 0 or part.max() >= end):
                raise ValueError(
                    "the stored changes of a voted perceptron refer to rows or classes that do not exist"
                )
        support = Csr(indptr, indices, values, n_features)
        return cls(support, row, up, down, step, at, float(total[0]), classes, bias)

    def shares(self, X: Csr, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the share of the votes that each class gets, rows × classes."""
        votes = np.zeros((X.shape[0], max(len(self.classes), 2)))
        ends = np.append(self.at, self.total)
        _native.vote(
            X,
            self.support,
            self.row,
            self.up,
            self.down,
            self.step,
            np.diff(ends),
            self.bias,
            float(ends[0]),
            votes,
            thread_count(n_jobs),
        )
        return votes / max(self.total, np.finfo(float).tiny)


def stacked(above: Csr, below: Csr) -> Csr:
    """Return the rows of both, one below the other."""
    return Csr(
        np.concatenate((above.indptr, above.indptr[-1] + below.indptr[1:])),
        np.concatenate((above.indices, below.indices)),
        np.concatenate((above.values, below.values)),
        below.n_columns,
    )
