"""Kernels by the names that learners and the command line use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lindy.kernels.kernel import Kernel
from lindy.kernels.row_kernels import RBF, Cosine, Intersection, Linear, Polynomial
from lindy.kernels.strings import Mismatch, Spectrum, Subsequence
from lindy.kernels.trees import SubsetTree, Subtree

NAMED: dict[str, Callable[..., Kernel]] = {
    "linear": lambda **_: Linear(),
    "poly": lambda degree, gamma, coef0, **_: Polynomial(degree, gamma, coef0),
    "rbf": lambda gamma, **_: RBF(gamma),
    "cosine": lambda **_: Cosine(),
    "intersection": lambda **_: Intersection(),
    "spectrum": lambda length, **_: Spectrum(length).normalized(),
    "subsequence": lambda length, decay, **_: Subsequence(length, decay).normalized(),
    "mismatch": lambda length, **_: Mismatch(length).normalized(),
    "subset-tree": lambda decay, **_: SubsetTree(decay).normalized(),
    "subtree": lambda decay, **_: Subtree(decay).normalized(),
}


def named_kernel(name: str, **options: Any) -> Kernel:
    """Return the kernel of a name with the options that it has; others are ignored."""
    return NAMED[name](**options)
