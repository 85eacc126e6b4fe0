"""Kernels of sparse rows.

- linear: x·z
- polynomial: (γ·x·z + c)^d, by default the lecture's (1 + x·z)²; its features are all x_i², √2·x_i·x_j, √2·x_i and 1
- RBF: e^(−γ‖x − z‖²), the usual e^(−‖x − z‖²/2σ²) with γ = 1/(2σ²) (the lecture prints 2σ)
- cosine: x·z / (‖x‖·‖z‖)
- intersection: Σ_j min(x_j, z_j), of histograms, whose values are not negative
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lindy import _native
from lindy.core.csr import Csr
from lindy.estimators.parameters import check_number, check_whole
from lindy.kernels.kernel import Kernel

_MANY_COLUMNS = 1 << 20  # a row is laid out densely: beyond that, only the columns that occur


def alike(X: Csr, Z: Csr) -> tuple[Csr, Csr]:
    """Return both with values of one type; float32 becomes float64 where they differ."""
    if X.values.dtype == Z.values.dtype:
        return X, Z
    return _wide(X), _wide(Z)


def narrow(X: Csr, Z: Csr) -> tuple[Csr, Csr]:
    """Return both without the columns that are empty in both, if there are very many columns."""
    if X.n_columns <= _MANY_COLUMNS:
        return X, Z
    used, found = np.unique(np.concatenate((X.indices, Z.indices)), return_inverse=True)
    place = found.astype(np.int32)
    width = max(len(used), 1)
    parts = (place[: len(X.indices)], place[len(X.indices) :])
    left, right = (
        Csr(M.indptr, own, M.values, width, M.checked) for M, own in zip((X, Z), parts, strict=True)
    )
    return left, right


def _wide(X: Csr) -> Csr:
    values = X.values.astype(np.float64, copy=False)
    return Csr(X.indptr, X.indices, values, X.n_columns, X.checked)


@dataclass(frozen=True)
class _RowKernel(Kernel):
    name = "rows"

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:  # noqa: ARG002
        """Return the compiled kernel between two lists of prepared examples."""
        X, Z = narrow(*alike(X, Z))
        gamma, coef0, degree = self._options()
        return _native.row_kernel(X, Z, self.name, gamma, coef0, degree)

    def _options(self) -> tuple[float, float, int]:
        return 1.0, 0.0, 1


@dataclass(frozen=True)
class Linear(_RowKernel):
    """x·z: the features themselves."""

    name = "linear"


@dataclass(frozen=True)
class Polynomial(_RowKernel):
    """(γ·x·z + c)^d: all products of up to d features, in the time of one product."""

    name = "poly"
    degree: int = 2
    gamma: float = 1.0
    coef0: float = 1.0

    def __post_init__(self) -> None:
        check_whole("degree", self.degree, 1, 100)
        check_number("gamma", self.gamma, above=0)
        check_number("coef0", self.coef0)

    def _options(self) -> tuple[float, float, int]:
        return float(self.gamma), float(self.coef0), int(self.degree)


@dataclass(frozen=True)
class RBF(_RowKernel):
    """e^(−γ‖x − z‖²), the Gaussian: infinitely many features, near neighbours are alike."""

    name = "rbf"
    gamma: float = 1.0

    def __post_init__(self) -> None:
        check_number("gamma", self.gamma, above=0)

    def _options(self) -> tuple[float, float, int]:
        return float(self.gamma), 0.0, 1


@dataclass(frozen=True)
class Cosine(_RowKernel):
    """x·z / (‖x‖·‖z‖), 0 where a row is empty."""

    name = "cosine"


@dataclass(frozen=True)
class Intersection(_RowKernel):
    """Σ_j min(x_j, z_j): what two histograms have in common."""

    name = "intersection"

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:
        """Return the compiled kernel between two lists of prepared examples."""
        for rows in (X, Z):
            if len(rows.values) and rows.values.min() < 0:
                raise ValueError("the intersection of histograms needs values that are not negative")
        return super().between(X, Z, n_jobs)
