"""Constructor arguments: how a class declares them, and checks that say what was expected and what was given."""

from __future__ import annotations

import math
from dataclasses import MISSING, Field, field
from inspect import Parameter, Signature
from numbers import Integral, Real
from typing import Any, TypeVar, dataclass_transform

import numpy as np

from lindy.errors import invalid_parameter

_Class = TypeVar("_Class")


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(field,))
def with_parameters(cls: type[_Class]) -> type[_Class]:
    """Give an estimator a constructor that takes its annotated attributes by name, those of its bases included.

    ``field(init=False)`` marks what is not a parameter, and ``ClassVar`` what belongs to the class. It is what a
    dataclass does, without the code that a dataclass has to compile when it is imported.
    """
    parameters: dict[str, Parameter] = dict(getattr(cls, "_parameters", {}))
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        default = vars(cls).get(name, Parameter.empty)
        if isinstance(default, Field):
            parameters.pop(name, None)
            if default.default is MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, default.default)
        elif "ClassVar" not in str(annotation):
            parameters[name] = Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
    defaults = {name: own.default for name, own in parameters.items() if own.default is not Parameter.empty}
    required = parameters.keys() - defaults.keys()

    def __init__(self: Any, **given: Any) -> None:  # noqa: N807
        for name in given.keys() - parameters.keys():
            raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument {name!r}")
        for name in required - given.keys():
            raise TypeError(f"{type(self).__name__}() missing a required keyword argument {name!r}")
        vars(self).update(defaults | given)

    own_self = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = Signature([own_self, *parameters.values()])  # type: ignore[attr-defined]
    cls.__init__, cls._parameters = __init__, parameters  # type: ignore[method-assign, attr-defined]
    return cls


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
