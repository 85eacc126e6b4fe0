"""Kernels of texts: by the substrings and subsequences of characters that two texts share.

- spectrum (Leslie et al., 2002): φ_u(s) is how often the substring u of k characters occurs in s
- subsequence (Lodhi et al., 2002): φ_u(s) = Σ over the places of u in s, gaps allowed, of λ^span
- mismatch (Leslie et al., 2004): φ_u(s) is how many substrings of s differ from u in at most m of k characters

All grow with the lengths of the texts; ``normalized()`` takes that out again, and the kernels by name ("spectrum", …)
are normalised.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.estimators.parameters import check_number, check_whole
from lindy.kernels.kernel import Kernel


def symbols_of(X: Csr) -> Csr:
    """Return prepared texts in float32, which holds symbols exactly: they are whole and small."""
    return X.with_values(X.values.astype(np.float32, copy=False))


@dataclass(frozen=True)
class Spectrum(Kernel):
    """Σ_u (times u occurs in s)·(times u occurs in t) over all substrings u of ``length`` characters."""

    name = "spectrum"
    takes = "texts"
    length: int = 3

    def __post_init__(self) -> None:
        check_whole("length", self.length, 1, 64)

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:  # noqa: ARG002
        """Return the compiled kernel between two lists of prepared examples: that of the rows of counts."""
        left, right = substring_counts(X, Z, self.length)
        return _native.row_kernel(left, right, "linear", 1.0, 0.0, 1)


def substring_counts(X: Csr, Z: Csr, length: int) -> tuple[Csr, Csr]:
    """Return how often each substring occurs in each text; the columns are the substrings of both lists."""
    sides = (X,) if X is Z else (X, Z)
    found = [_substrings(side, length) for side in sides]
    everything = np.concatenate([windows for windows, _ in found])
    _, column = np.unique(everything, axis=0, return_inverse=True)
    column = column.reshape(-1)
    n_columns = max(int(column.max(initial=-1)) + 1, 1)
    counted, at = [], 0
    for side, (windows, row) in zip(sides, found, strict=True):
        cells = row * n_columns + column[at : at + len(windows)]
        at += len(windows)
        cell, count = np.unique(cells, return_counts=True)
        indptr = np.searchsorted(cell, np.arange(side.shape[0] + 1) * n_columns).astype(np.int64)
        indices = (cell % n_columns).astype(np.int32)
        counted.append(Csr(indptr, indices, count.astype(np.float64), n_columns, True))
    return counted[0], counted[-1]


def _substrings(X: Csr, length: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """Return all substrings, one per line, and the number of the text that each is of."""
    symbols = X.values.astype(np.int32)
    if len(symbols) < length:
        return np.empty((0, length), np.int32), np.empty(0, np.int64)
    windows = np.lib.stride_tricks.sliding_window_view(symbols, length)
    row = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    inside = row[: len(windows)] == row[length - 1 :]  # begins and ends in one text
    return windows[inside], row[: len(windows)][inside]


@dataclass(frozen=True)
class Subsequence(Kernel):
    """Σ_u φ_u(s)·φ_u(t) over all u of ``length`` characters, φ_u(s) = Σ over the places of u in s of decay^span.

    A decay of 1 counts all subsequences alike, a small one those without gaps above all. It takes
    ``length·|s|·|t|`` steps.
    """

    name = "subsequence"
    takes = "texts"
    length: int = 3
    decay: float = 0.5

    def __post_init__(self) -> None:
        check_whole("length", self.length, 1, 64)
        check_number("decay", self.decay, above=0)
        if self.decay > 1:
            raise ValueError(f"decay must be at most 1; got {self.decay!r}")

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:  # noqa: ARG002
        """Return the compiled kernel between two lists of prepared examples."""
        return _native.subsequence_kernel(symbols_of(X), symbols_of(Z), self.length, float(self.decay))


@dataclass(frozen=True)
class Mismatch(Kernel):
    """Σ_u φ_u(s)·φ_u(t), φ_u(s) = substrings of s of ``length`` characters with at most ``mismatches`` other than u's.

    u ranges over all strings of an alphabet of ``alphabet`` characters, which should be at least as many as occur.
    """

    name = "mismatch"
    takes = "texts"
    length: int = 4
    mismatches: int = 1
    alphabet: int = 128

    def __post_init__(self) -> None:
        check_whole("length", self.length, 1, 64)
        check_whole("mismatches", self.mismatches, 0, self.length)
        check_whole("alphabet", self.alphabet, 2, 2**21)

    def common(self) -> NDArray[np.float64]:
        """Return N(d): how many strings are within the mismatches of both of two that differ in d places."""
        k, m, size = self.length, self.mismatches, self.alphabet
        return np.array([float(_within_both(k, m, size, d)) for d in range(k + 1)])

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:  # noqa: ARG002
        """Return the compiled kernel between two lists of prepared examples."""
        return _native.mismatch_kernel(symbols_of(X), symbols_of(Z), self.length, self.common())


def _within_both(k: int, m: int, size: int, d: int) -> int:
    """Count by how many of the d places agree with the one, how many with the other, and changes in the k − d equal."""
    total = 0
    for one in range(d + 1):
        for other in range(d - one + 1):
            places = math.comb(d, one) * math.comb(d - one, other) * (size - 2) ** (d - one - other)
            for changed in range(min(k - d, m) + 1):
                if d - one + changed <= m and d - other + changed <= m:
                    total += places * math.comb(k - d, changed) * (size - 1) ** changed
    return total
