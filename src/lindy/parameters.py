"""Constructor arguments: how classes that inherit some say each once, and checks of what was given.

The error of a check names the parameter, what it may be and what was given.
"""

from __future__ import annotations

import inspect
import math
import re
from dataclasses import dataclass, field
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, dataclass_transform

import numpy as np

from lindy.errors import invalid_parameter

T = TypeVar("T")
_SECTION = "Parameters\n----------\n"


def fitted(*, init: Literal[False] = False) -> Any:
    """Declare an attribute that only a fit sets, in a class with options."""
    return field(init=init)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field, fitted))
def with_options(kind: type[T]) -> type[T]:
    """Make the annotated names of a class keyword arguments of its constructor, after those of its base classes.

    The section Parameters of its docstring explains them; what the base classes explain in theirs is added to it.
    """
    kind = dataclass(kw_only=True, eq=False, repr=False)(kind)
    before, _, behind = inspect.cleandoc(kind.__doc__ or "").partition(_SECTION)
    own, gap, after = behind.partition("\n\n")
    inherited = inspect.signature(kind).parameters.keys() - {
        n for entry in _entries(own) for n in _names(entry)
    }
    _, _, theirs = inspect.cleandoc(kind.__mro__[1].__doc__ or "").partition(_SECTION)
    added = [entry for entry in _entries(theirs.partition("\n\n")[0]) if inherited >= set(_names(entry))]
    section = "\n".join([*_entries(own), *added])
    kind.__doc__ = f"{before.rstrip()}\n\n{_SECTION}{section}{gap}{after}"
    return kind


def _entries(section: str) -> list[str]:
    return re.split(r"\n(?=\S)", section) if section else []


def _names(entry: str) -> list[str]:
    return entry.partition("\n")[0].partition(" : ")[0].split(", ")


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
