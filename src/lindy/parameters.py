"""Constructor arguments: how a class declares them, and checks that say what was expected and what was given."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np

from lindy.errors import invalid_parameter

_Class = TypeVar("_Class")


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def with_parameters(cls: type[_Class]) -> type[_Class]:
    """Give an estimator a constructor that takes its annotated attributes by name, those of its bases included.

    ``field(init=False)`` marks what is not a parameter, and ``ClassVar`` what belongs to the class.
    """
    return dataclass(kw_only=True, eq=False, repr=False)(cls)


def check_real(name: str, value: Any) -> None:
    """Raise ParameterError unless a parameter is a number (which its range asks for), infinite or NaN included."""
    if not _is_real(value):
        raise invalid_parameter(f"{name} must be a number; got {value!r}")


def check_number(name: str, value: Any, *, above: float = -math.inf) -> None:
    """Raise ParameterError unless a parameter is a finite number above a limit."""
    if not _is_real(value) or not math.isfinite(value) or not value > above:
        limit = "" if above == -math.inf else f" above {above:g}"
        raise invalid_parameter(f"{name} must be a finite number{limit}; got {value!r}")


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise ParameterError unless a parameter is a whole number in a range."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or value < least or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise invalid_parameter(f"{name} must be a whole number {limits}; got {value!r}")


def check_flags(estimator: object, *names: str) -> None:
    """Raise ParameterError unless parameters are True or False (or 1 or 0): "no" would count as True."""
    for name in names:
        value = getattr(estimator, name)
        if not isinstance(value, bool | np.bool_ | Integral) or value not in (0, 1):
            raise invalid_parameter(f"{name} must be True or False; got {value!r}")


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
