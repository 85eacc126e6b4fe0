"""Kernels of bracketed trees, ``(S (NP (D the) (N dog)) (VP (V barks)))``, by the fragments they share.

    K(T, T') = Σ_{n, n'} C(n, n'),   C(n, n') = decay·Π_j (σ + C(child_j, child'_j)) for equal productions, else 0

(Collins and Duffy, 2002). σ = 1 counts all fragments, in which every node has all its children or none; σ = 0 only
whole subtrees. A fragment of m nodes with children counts decay^m.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from lindy import _native
from lindy.core.csr import Csr
from lindy.estimators.parameters import check_number
from lindy.kernels.kernel import Kernel
from lindy.kernels.strings import symbols_of


@dataclass(frozen=True)
class _TreeKernel(Kernel):
    name = "trees"
    takes = "trees"
    sigma: ClassVar[float] = 1.0
    decay: float = 0.5

    def __post_init__(self) -> None:
        check_number("decay", self.decay, above=0)
        if self.decay > 1:
            raise ValueError(f"decay must be at most 1; got {self.decay!r}")

    def between(self, X: Csr, Z: Csr, n_jobs: int | None = None) -> _native.Kernel:  # noqa: ARG002
        """Return the compiled kernel between two lists of prepared examples."""
        return _native.tree_kernel(symbols_of(X), symbols_of(Z), float(self.decay), self.sigma)


@dataclass(frozen=True)
class SubsetTree(_TreeKernel):
    """By all fragments: connected pieces in which every node has all its children or none."""

    name = "subset-tree"
    sigma = 1.0


@dataclass(frozen=True)
class Subtree(_TreeKernel):
    """By whole subtrees: a node with everything below it."""

    name = "subtree"
    sigma = 0.0
