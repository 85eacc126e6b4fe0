"""Checks of parameters with scikit-learn's wording and exception types."""

from __future__ import annotations

import math
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np

from lindy.errors import invalid_parameter

Rule = tuple[str, Callable[[Any], bool]]  # what is expected, and whether a value is it


def one_of(*choices: str) -> Rule:
    """Expect one of some strings."""
    listed = ", ".join(repr(choice) for choice in sorted(choices))
    return f"a str among {{{listed}}}", lambda value: isinstance(value, str) and value in choices


def instance(kind: type, name: str | None = None) -> Rule:
    """Expect an instance of a class."""
    return f"an instance of {name or repr(kind.__name__)}", lambda value: isinstance(value, kind)


def between(least: int, most: float) -> Rule:
    """Expect a whole number from ``least`` to below ``most``."""
    return (
        f"an int in the range [{least}, {most})",
        lambda value: (
            isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) < most
        ),
    )


def at_least(least: int) -> Rule:
    """Expect a whole number of at least ``least``."""
    return between(least, math.inf)


def dtype_of(kinds: str) -> Rule:
    """Expect a dtype (or None, NumPy's default) of one of NumPy's kinds."""

    def holds(value: Any) -> bool:
        try:
            return np.dtype(value).kind in kinds
        except TypeError:
            return False

    return "a dtype of numbers", holds


CALLABLE: Rule = ("a callable", callable)
NONE: Rule = ("None", lambda value: value is None)
BOOLEAN: Rule = (
    "an instance of 'bool' or an instance of 'numpy.bool'",
    lambda value: (
        type(value).__name__ in ("bool", "bool_") and type(value).__module__ in ("builtins", "numpy")
    ),
)
SHARE: Rule = (
    "a float in the range [0.0, 1.0]",
    lambda value: isinstance(value, Real) and not isinstance(value, Integral) and 0 <= float(value) <= 1,
)
ITERABLE: Rule = ("an object implementing '__iter__'", lambda value: hasattr(value, "__iter__"))


def check_parameters(estimator: Any, rules: dict[str, list[Rule]]) -> None:
    """Raise scikit-learn's error for the first parameter that breaks all of its rules."""
    for name, alternatives in rules.items():
        value = getattr(estimator, name)
        if not any(holds(value) for _, holds in alternatives):
            *rest, last = [expected for expected, _ in alternatives]
            expected = f"{', '.join(rest)} or {last}" if rest else last
            raise invalid_parameter(
                f"The {name!r} parameter of {type(estimator).__name__} must be {expected}. Got {value!r} instead."
            )
