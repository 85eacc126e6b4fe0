"""Constructor arguments: how a class declares them, and checks that say what was expected and what was given."""

from __future__ import annotations

import inspect
import math
import re
from inspect import Parameter, Signature
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from lindy.errors import invalid_parameter

_Class = TypeVar("_Class")
_SECTION = "Parameters\n----------\n"
_UNSET = object()


class _NoParameter:
    def __init__(self, default: Any) -> None:
        self.default = default


def fitted(*, init: Literal[False] = False) -> Any:  # noqa: ARG001
    """Declare an attribute that only a fit sets, in a class with parameters."""
    return _NoParameter(_UNSET)


def fixed(*, default: Any, init: Literal[False] = False) -> Any:  # noqa: ARG001
    """Declare the value that a class gives to what is a parameter of its base class, or of no class."""
    return _NoParameter(default)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(fitted, fixed))
def with_parameters(cls: type[_Class]) -> type[_Class]:
    """Give an estimator a constructor that takes its annotated attributes by name, those of its bases included.

    What ``fitted()`` and ``fixed()`` mark is not a parameter, nor is a ``ClassVar``. The section Parameters of the
    docstring explains the parameters; what the base class explains in its own is added. It is what a dataclass does,
    without the code that a dataclass has to compile when it is imported.
    """
    parameters: dict[str, Parameter] = dict(getattr(cls, "_parameters", {}))
    for name, annotation in vars(cls).get("__annotations__", {}).items():
        default = vars(cls).get(name, Parameter.empty)
        if isinstance(default, _NoParameter):
            parameters.pop(name, None)
            if default.default is _UNSET:
                delattr(cls, name)
            else:
                setattr(cls, name, default.default)
        elif "ClassVar" in str(annotation):
            parameters.pop(name, None)
        else:
            parameters[name] = Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
    defaults = {name: own.default for name, own in parameters.items() if own.default is not Parameter.empty}
    required = [name for name in parameters if name not in defaults]

    def __init__(self: Any, **given: Any) -> None:  # noqa: N807
        for name in given:
            if name not in parameters:
                raise TypeError(f"{type(self).__name__}() got an unexpected keyword argument {name!r}")
        for name in required:
            if name not in given:
                raise TypeError(f"{type(self).__name__}() missing a required keyword argument {name!r}")
        vars(self).update(defaults | given)

    own_self = Parameter("self", Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = Signature([own_self, *parameters.values()])  # type: ignore[attr-defined]
    cls.__init__, cls._parameters = __init__, parameters  # type: ignore[method-assign, attr-defined]
    cls.__doc__ = _with_inherited_entries(cls, set(parameters))
    return cls


def _with_inherited_entries(cls: type, parameters: set[str]) -> str:
    """Return the docstring of a class, with what its base class says about the parameters that it does not explain."""
    before, _, behind = inspect.cleandoc(cls.__doc__ or "").partition(_SECTION)
    own, gap, after = behind.partition("\n\n")
    missing = parameters - {name for entry in _entries(own) for name in _names(entry)}
    _, _, theirs = inspect.cleandoc(cls.__mro__[1].__doc__ or "").partition(_SECTION)
    added = [entry for entry in _entries(theirs.partition("\n\n")[0]) if missing >= set(_names(entry))]
    section = "\n".join([*_entries(own), *added])
    return f"{before.rstrip()}\n\n{_SECTION}{section}{gap}{after}" if section else before


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


def as_numbers(name: str, value: Any) -> NDArray[np.float64]:
    """Return a parameter as an array of float64; raise ParameterError unless it holds numbers."""
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError):
        raise invalid_parameter(f"{name} must be an array of numbers; got {value!r}") from None


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
