"""Columns far from zero, moved to it before a fit: a bias without a penalty makes that the same problem.

    xᵀW + b = (x − m)ᵀW + (b + mᵀW)

So a constant m_j may be subtracted from a column and given back through the bias: losses, penalties, optimum, dual and
gap stay what they are. It matters because columns such as 1000 + noise are nearly parallel, to each other and to the
bias, and no solver that moves one coordinate after the other gets along with them. Only columns that every row stores
are moved (the others would lose their zeros), and only if their values are further from zero than from each other.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.rows import Rows
from lindy.linear.problem import Options, Problem, Solution

FAR = 10.0  # means of at least so many standard deviations

TOO_FAR = 1000.0
"""A mean of so many deviations leaves float32, with its 7 digits, too few for the deviations."""


class Centred(NamedTuple):
    """A problem with some columns moved by ``shift`` (0 for the others), and the way back.

    ``wide`` says that float32 would lose what is left of a column when its shift is given back through the bias.
    """

    problem: Problem
    shift: NDArray[np.float64]
    wide: bool

    def start(self, options: Options) -> Options:
        """Return the options with the bias of an earlier solution moved along."""
        start = options.start
        if start is None or start.W.shape[0] != len(self.shift):
            return options
        moved = start.b.astype(np.float64) + self._of(start.W)
        return replace(options, start=replace(start, b=moved))

    def solution(self, found: Solution) -> Solution:
        """Return the solution of the problem as it was given, without the moved rows: another fit moves them anew."""
        b = found.b.astype(np.float64) - self._of(found.W)
        W = found.W.astype(np.float64) if self.wide else found.W
        return replace(found.without_rows(), W=W, b=b.astype(W.dtype, copy=False))

    def rows_as(self, dtype: DTypeLike) -> Csr:
        """Return the moved rows in a precision; what is left of a column is rounded relative to itself."""
        X = self.problem.X
        return X.with_values(X.values.astype(dtype, copy=False))

    def _of(self, W: NDArray[np.floating]) -> NDArray[np.float64]:
        columns = np.flatnonzero(self.shift)
        moved: NDArray[np.float64] = (self.shift[columns, None] * W[columns].astype(np.float64)).sum(axis=0)
        return moved


def centred(problem: Problem) -> Centred | None:
    """Return the problem with its far columns moved to zero, or None if it has none or the bias is not free."""
    free = problem.bias and not (problem.penalize_bias and (problem.l1 > 0 or problem.l2 > 0))
    if not free or problem.X.shape[0] < 2:
        return None
    found = problem.X.found
    if "far columns" not in found:
        found["far columns"] = _far_columns(problem.X)
    columns, mean = found["far columns"]
    if not len(columns):
        return None
    # the value nearest to the mean: constant columns vanish, and float32 values are moved without rounding
    values = problem.X.values.astype(np.float64)
    moved = np.zeros(problem.X.n_columns, bool)
    moved[columns] = True
    here = moved[problem.X.indices]
    by_column = np.argsort(problem.X.indices[here], kind="stable")
    stored = values[here][by_column].reshape(len(columns), -1)
    nearest = np.argmin(np.abs(stored - mean[:, None]), axis=1)
    shift = np.zeros(problem.X.n_columns)
    shift[moved] = stored[np.arange(len(stored)), nearest]
    left = np.abs(stored - shift[moved, None]).mean(axis=1)
    wide = bool((np.abs(shift[moved]) > TOO_FAR * left)[left > 0].any())  # constant columns get no weight
    values -= shift[problem.X.indices]
    X = problem.X.with_values(values)
    return Centred(replace(problem, X=X.without_zeros()), shift, wide)


def _far_columns(X: Rows) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Return the columns that every row stores and whose values are far from zero, and their means."""
    columns = np.array(_native.columns_of_all_rows(X), np.int32)
    if not len(columns):
        return columns, np.empty(0)
    mean, spread = _moments(X, columns)
    with np.errstate(invalid="ignore"):
        far = np.isfinite(spread) & (np.abs(mean) > FAR * spread)
    return columns[far], mean[far]


def _moments(X: Rows, columns: NDArray[np.int32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of some columns; the latter is inaccurate only where it is next to nothing."""
    n = X.shape[0]
    sums = np.empty((2, len(columns)))
    _native.column_sums(X, columns, sums)
    with np.errstate(over="ignore", invalid="ignore"):
        mean, square = sums / n
        return mean, np.sqrt(np.maximum(square - mean * mean, 0.0))
