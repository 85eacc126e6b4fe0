"""Kernels by the names that learners and the command line use."""

from __future__ import annotations

import inspect
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


OPTIONS = frozenset({"gamma", "degree", "coef0", "length", "decay"})
"""The options of all named kernels."""


def used_options(kernel: Any) -> frozenset[str]:
    """Return the options that a kernel of this name takes; one that is no name brings its own."""
    return (
        OPTIONS & inspect.signature(NAMED[kernel]).parameters.keys()
        if isinstance(kernel, str)
        else frozenset()
    )


def named_kernel(name: str, **options: Any) -> Kernel:
    """Return the kernel of a name with the options that it has; others are ignored."""
    return NAMED[name](**options)
