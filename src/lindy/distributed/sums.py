"""Exact sums over partitions: the same bits in any order and grouping.

    exact   Σ of a few doubles per row (losses, residuals, conjugates), as a whole number of units 2⁻¹⁰⁷⁴
    fixed   XᵀR as whole numbers of quanta 2⁻ᵉ, where B·2ᵉ ≤ 2⁶² and B ≥ Σ_i |x_ij·r_ik| is known to all beforehand

Whole numbers add up exactly, so it makes no difference which rows share a partition, which partitions a worker, and
who is ready first. A sum of float64 in a tree over blocks of rows would do as well if the blocks were the same for
every partitioning; but then partitions had to end where blocks end, and other people cut them.

The fixed-point sum of n rows of equal weight is off by at most n·2⁻ᵉ ≤ n·B·2⁻⁶⁰ (float64 in order: up to n·B·2⁻⁵³), in
as many bytes. One row's part is about B/n: it has 60 − log₂ n bits, 40 for a million rows and 26 for 10¹⁰.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.rows import Rows

Array = NDArray[np.float64]
_UNIT = 1 << 1074


@dataclass(frozen=True, slots=True)
class Sums:
    """Exact sums, each a row of limbs, and perhaps fixed-point sums, columns × outputs."""

    limbs: NDArray[np.int64]
    fixed: NDArray[np.int64] | None = None

    def merged(self, other: Sums) -> Sums:
        """Return the sums of both parts."""
        fixed = None if self.fixed is None or other.fixed is None else self.fixed + other.fixed
        return Sums(self.limbs + other.limbs, fixed)

    @property
    def values(self) -> Array:
        """The exact sums, each rounded to the nearest double."""
        return np.array([rounded(limbs) for limbs in self.limbs.tolist()])

    def gradient(self, exponent: int) -> Array:
        """Return the fixed-point sums as doubles."""
        assert self.fixed is not None
        return np.ldexp(self.fixed.astype(np.float64), -exponent)


def exact_sums(*columns: Array) -> NDArray[np.int64]:
    """Return the exact sums of columns (rows,), or of all columns of arrays (rows, k), one after the other."""
    parts = []
    for values in columns:
        table = np.ascontiguousarray(values if values.ndim == 2 else values[:, None])
        limbs = np.zeros((table.shape[1], _native.EXACT_LIMBS), np.int64)
        _native.sum_exactly(table, limbs)
        parts.append(limbs)
    return np.concatenate(parts)


def fixed_sums(X: Rows, R: Array, exponent: int, largest: float | None = None) -> NDArray[np.int64]:
    """Return XᵀR in quanta of 2^−exponent; ``largest`` is that of |X|, where it is known."""
    sums = np.zeros((X.n_columns, R.shape[1]), np.int64)
    _native.sum_fixed(X, np.ascontiguousarray(R), exponent, sums, largest)
    return sums


def rounded(limbs: list[int]) -> float:
    """Return the double next to an exact sum; limbs may be those of several parts, added up."""
    total = 0
    for limb in reversed(limbs):
        total = (total << 32) + limb
    return total / _UNIT  # Python divides whole numbers with one rounding


def exponent_for(bound: float) -> int:
    """Return e such that sums of at most ``bound`` have less than 2⁶² quanta of 2⁻ᵉ."""
    if not math.isfinite(bound):
        raise ValueError("the values of the rows are too large for fixed-point sums: scale the columns")
    return max(-1000, min(1000, 61 - math.frexp(bound)[1])) if bound > 0 else 0


@dataclass(frozen=True, slots=True)
class Totals:
    """The classes with their numbers of rows, and how many columns the rows have.

    Where a row may have several labels, ``n_rows`` is how many rows there are, whatever they have.
    """

    classes: NDArray[Any]
    counts: NDArray[Any]
    n_columns: int
    n_rows: float | None = None

    @property
    def several(self) -> bool:
        """Whether a row may have any number of labels."""
        return self.n_rows is not None

    @property
    def n_examples(self) -> float:
        """How many rows there are."""
        return float(self.counts.sum()) if self.n_rows is None else self.n_rows

    @property
    def n_outputs(self) -> int:
        """How many scores decide about a row."""
        return 1 if len(self.classes) == 2 and not self.several else len(self.classes)

    def of_counts(self, counts: NDArray[Any]) -> Totals:
        """Return those of some of the rows, by ``class_sizes``."""
        if not self.several:
            return Totals(self.classes, counts, self.n_columns)
        return Totals(self.classes, counts[:-1], self.n_columns, float(counts[-1]))


def class_weights_of(learner: Any, totals: Totals) -> NDArray[np.float64]:
    """Return how much a row of each class counts."""
    from lindy.core.targets import OneLabel
    from lindy.core.weights import class_weights

    mass = totals.counts.astype(np.float64)
    numbers = np.arange(len(mass), dtype=np.int32)
    weighed = class_weights(learner.class_weight, OneLabel(totals.classes, numbers), mass)
    assert weighed is not None
    return weighed / np.where(mass > 0, mass, 1.0)  # of a class, all rows may be held out


def shares_of(learner: Any, totals: Totals) -> tuple[tuple[float, ...], float]:
    """Return the weight of a row of each class in the mean, of several labels that of any row, and the sum of all."""
    if totals.several:
        return (1 / totals.n_examples,), totals.n_examples
    weights = class_weights_of(learner, totals)
    total = float(sum(n * weight for n, weight in zip(totals.counts.tolist(), weights, strict=True)))
    return tuple(float(weight / total) for weight in weights), total
