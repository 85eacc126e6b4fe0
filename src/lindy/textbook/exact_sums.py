"""Sums whose bits do not depend on the order of the addends, nor on how these are grouped.

A double is a whole number times 2⁻¹⁰⁷⁴, and whole numbers have exact sums. Where Σ|addend| is known to stay below B,
coarser whole numbers will do: quanta of 2⁻ᵉ with B·2ᵉ ≤ 2⁶², which fit in int64.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

UNIT = 1 << 1074
LIMBS = 68


def exact_sum(values: Iterable[float]) -> int:
    """Return Σ values in units of 2⁻¹⁰⁷⁴."""
    return sum(int(Fraction(float(value)) * UNIT) for value in values)


def limbs_of(total: int) -> NDArray[np.int64]:
    """Return a whole number as limbs of 32 bits, the lowest first; the last one has the sign."""
    limbs = np.empty(LIMBS, np.int64)
    for k in range(LIMBS - 1):
        limbs[k], total = total & 0xFFFFFFFF, total >> 32
    limbs[-1] = total
    return limbs


def fixed_sum(X: NDArray[np.float64], R: NDArray[np.float64], exponent: int) -> NDArray[np.int64]:
    """Return XᵀR in quanta of 2^−exponent, every product cut off towards 0."""
    sums = np.zeros((X.shape[1], R.shape[1]), np.int64)
    for x, r in zip(X, R, strict=True):
        sums += np.trunc(np.outer(x, r * 2.0**exponent)).astype(np.int64)
    return sums
