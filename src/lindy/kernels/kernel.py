"""The base of kernels: a small immutable object that can be added, multiplied, normalised, pickled and saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr, as_csr
from lindy.estimators.base import thread_count
from lindy.estimators.parameters import check_number
from lindy.text.analysis.whole_texts import as_sequences

NAMES: dict[str, type[Kernel]] = {}
"""Kernels by the name under which they are saved."""

MOST_KERNELS = 128
"""Kernels that a saved kernel can be made of, itself among them: a forged file could name millions."""


@dataclass(frozen=True)
class Kernel:
    """A similarity κ(x, z) that is a product φ(x)·φ(z) of features.

    ``kernel(X, Z)`` is the matrix of all κ(x_i, z_j); ``kernel(X)`` that of the examples with themselves. ``takes``
    says what its examples are: "rows" (a sparse or dense matrix), "texts" or "trees".
    """

    name: ClassVar[str] = ""
    takes: ClassVar[str] = "rows"

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        NAMES[cls.name] = cls

    def prepared(self, X: Any) -> Csr:
        """Return examples in the form that ``between`` takes."""
        return prepared(X, self.kind)

    @property
    def kind(self) -> str:
        """The kind of its examples: "rows", "texts" or "trees"."""
        return self.takes

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:
        """Return the compiled kernel between two lists of prepared examples."""
        raise NotImplementedError

    def __call__(self, X: Any, Z: Any = None, *, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Return the dense matrix of κ(x_i, z_j)."""
        from lindy.kernels.matrices import gram

        return gram(self, X, Z, n_jobs=n_jobs)

    def __add__(self, other: Kernel) -> Sum:
        return Sum(self, other)

    def __mul__(self, other: Kernel | float) -> Product | Scaled:
        return Product(self, other) if isinstance(other, Kernel) else Scaled(self, float(other))

    __rmul__ = __mul__

    def normalized(self) -> Normalized:
        """Return κ(x, z) / √(κ(x, x)·κ(z, z)): every φ(x) scaled to length 1."""
        return Normalized(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the kernel as JSON can hold it; a ``ValueError`` if it is made of too many others."""
        _check_count(self, _parts)
        return _plain(self)


def kernel_from_dict(given: Any) -> Kernel:
    """Return the kernel of a ``to_dict``; anything else is a ``ValueError``."""
    _check_count(given, _stored_parts)
    return _made(given)


def _plain(kernel: Kernel) -> dict[str, Any]:
    values = {field.name: getattr(kernel, field.name) for field in fields(kernel)}
    plain = {name: _plain(value) if isinstance(value, Kernel) else value for name, value in values.items()}
    return {"name": kernel.name, **plain}


def _made(given: Any) -> Kernel:
    if not isinstance(given, Mapping) or given.get("name") not in NAMES:
        raise ValueError(f"not a kernel: {str(given)[:80]}")
    values = {
        key: _made(value) if isinstance(value, Mapping) else value
        for key, value in given.items()
        if key != "name"
    }
    try:
        return NAMES[given["name"]](**values)
    except TypeError as error:
        raise ValueError(f"not a kernel: {error}") from None


def _parts(kernel: Kernel) -> list[Kernel]:
    values = (getattr(kernel, field.name) for field in fields(kernel))
    return [value for value in values if isinstance(value, Kernel)]


def _stored_parts(given: Any) -> list[Any]:
    return (
        [value for value in given.values() if isinstance(value, Mapping)]
        if isinstance(given, Mapping)
        else []
    )


def _check_count(kernel: Any, parts: Callable[[Any], list[Any]]) -> None:
    """Refuse a kernel of too many, before anything is made of it."""
    found = [kernel]
    for one in found:  # which grows meanwhile
        found += parts(one)
        if len(found) > MOST_KERNELS:
            raise ValueError(
                f"a saved kernel can be made of at most {MOST_KERNELS} kernels; this one has more"
            )


def _check_parts(*parts: Any) -> str:
    for part in parts:
        if not isinstance(part, Kernel):
            raise ValueError(f"a kernel is made of kernels; got {part!r}")
    kinds = {part.kind for part in parts}
    if len(kinds) > 1:
        raise ValueError(f"kernels of {' and of '.join(sorted(kinds))} cannot be combined")
    return str(kinds.pop())


@dataclass(frozen=True)
class _Pair(Kernel):
    """Two kernels of the same examples, combined value by value."""

    multiplied: ClassVar[bool]
    first: Kernel
    second: Kernel

    def __post_init__(self) -> None:
        _check_parts(self.first, self.second)

    @property
    def kind(self) -> str:
        """The kind of its examples."""
        return self.first.kind

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:
        """Return the compiled kernel between two lists of prepared examples."""
        first, second = (part.between(X, Z, n_jobs) for part in (self.first, self.second))
        return _native.pair_kernel(first, second, self.multiplied)


@dataclass(frozen=True)
class Sum(_Pair):
    """κ₁ + κ₂: the features of both, side by side."""

    name = "sum"
    multiplied = False


@dataclass(frozen=True)
class Product(_Pair):
    """κ₁ · κ₂: all products of a feature of the one with a feature of the other."""

    name = "product"
    multiplied = True


@dataclass(frozen=True)
class Scaled(Kernel):
    """factor · κ, with a positive factor: all features times √factor."""

    name = "scaled"
    inner: Kernel
    factor: float

    def __post_init__(self) -> None:
        _check_parts(self.inner)
        check_number("factor", self.factor, above=0)

    @property
    def kind(self) -> str:
        """The kind of its examples."""
        return self.inner.kind

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:
        """Return the compiled kernel between two lists of prepared examples."""
        return _native.scaled_kernel(self.inner.between(X, Z, n_jobs), self.factor)


@dataclass(frozen=True)
class Normalized(Kernel):
    """κ(x, z) / √(κ(x, x)·κ(z, z)), 0 where a length is 0: the cosine in feature space."""

    name = "normalized"
    inner: Kernel

    def __post_init__(self) -> None:
        _check_parts(self.inner)

    @property
    def kind(self) -> str:
        """The kind of its examples."""
        return self.inner.kind

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:
        """Return the compiled kernel between two lists of prepared examples."""
        return _native.normalised_kernel(self.inner.between(X, Z, n_jobs), X is Z, thread_count(n_jobs))


def prepared(X: Any, kind: str) -> Csr:
    """Return the examples of a kernel of ``kind`` ("rows", "texts" or "trees") as rows."""
    if kind == "rows" or isinstance(X, Csr):
        return as_csr(X)
    return as_sequences(X)
