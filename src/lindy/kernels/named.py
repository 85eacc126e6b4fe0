"""Kernels by the names that learners and the command line use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lindy.kernels.kernel import Kernel
from lindy.kernels.rows import RBF, Cosine, Intersection, Linear, Polynomial

NAMED: dict[str, Callable[..., Kernel]] = {
    "linear": lambda **_: Linear(),
    "poly": lambda degree, gamma, coef0, **_: Polynomial(degree, gamma, coef0),
    "rbf": lambda gamma, **_: RBF(gamma),
    "cosine": lambda **_: Cosine(),
    "intersection": lambda **_: Intersection(),
}


def named_kernel(name: str, **options: Any) -> Kernel:
    """Return the kernel of a name with the options that it has; others are ignored."""
    return NAMED[name](**options)
