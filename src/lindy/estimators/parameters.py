"""Constructor arguments: how a class declares them, and checks that say what was expected and what was given."""

from __future__ import annotations

import functools
import inspect
import math
import re
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from lindy.errors import did_you_mean, invalid_parameter

_Class = TypeVar("_Class")
_MOST_EPOCHS = (1 << 31) - 1
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

    def __init__(self: Any, *unnamed: Any, **given: Any) -> None:  # noqa: N807
        if unnamed:
            call = (
                f"{type(self).__name__}({next(iter(parameters))}={short_repr(unnamed[0])})"
                if parameters
                else ""
            )
            example = f", such as {call}" if call else "; it takes none"
            raise TypeError(f"{type(self).__name__}() takes its parameters by name{example}")
        for name in given:
            if name not in parameters:
                what = f"{type(self).__name__}() got an unexpected keyword argument {name!r}"
                takes = f"It takes: {', '.join(parameters)}" if parameters else "It takes none"
                elsewhere = getattr(cls, "_elsewhere", lambda _name: "")(name)
                raise TypeError(f"{what}. {elsewhere or did_you_mean(name, parameters) or takes}".rstrip())
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


def checked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of an estimator that first checks the types of the constructor's arguments."""

    @functools.wraps(method)
    def check_then_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        check_types(self)
        return method(self, *args, **kwargs)

    return check_then_call


def check_types(estimator: Any) -> None:
    """Raise ParameterError unless every parameter has one of the types of its annotation.

    Ranges, and types that only the estimator knows (a kernel, a vectorizer), are for the estimator to check.
    """
    own: Any = type(estimator)
    for name, kinds in _kinds(own).items():
        value = getattr(estimator, name)
        if not any(_TYPES[kind][1](value) for kind in kinds):
            expected = " or ".join(_TYPES[kind][0] for kind in kinds)
            raise invalid_parameter(f"{name} must be {expected}; got {short_repr(value)}")


def short_repr(value: object) -> str:
    """Return a value as a message shows it; a long one is cut."""
    try:
        text = repr(value)
    except Exception:  # of an object of somebody else, or of a number of too many digits
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


@functools.cache
def _kinds(cls: type) -> dict[str, list[str]]:
    """Return the names of the types that the parameters may have; parameters of other types are left out."""
    found = {}
    for name, own in inspect.signature(cls).parameters.items():
        if name in _OWN:
            continue
        if name in getattr(cls, "_rules", ()) and name != "dtype":  # checked there, as scikit-learn does it
            found[name] = ["a value"]
            continue
        kinds = [re.sub(r"\[.*", "", part) for part in re.split(r" \| (?![^\[]*\])", str(own.annotation))]
        if all(kind in _TYPES for kind in kinds):
            found[name] = kinds
    return found


def _is_number(value: Any) -> bool:
    """Whether a value is a number that a float can hold, infinite or NaN included."""
    try:
        return _is_real(value) and float(value) is not None
    except OverflowError:
        return False


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and -(1 << 63) <= int(value) < 1 << 63


def _are_numbers(value: Any) -> bool:
    """Whether a value is a number, or holds nothing else."""
    try:
        return not isinstance(value, str | bytes) and not np.isnan(np.asarray(value, np.float64)).any()
    except (TypeError, ValueError, OverflowError):
        return False


def _is_dtype(value: Any) -> bool:
    """Whether a value is the type of an array's items, or its name."""
    try:
        return isinstance(value, type | np.dtype | str | None) and np.dtype(value) is not None
    except TypeError:
        return False


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool | np.bool_) or (_is_whole(value) and value in (0, 1))


# which may be more than their annotations say, or are explained better where they are taken apart
_OWN = ("class_weight", "cost", "random_state", "select", "solver_options", "start", "vectorizers")
_LONGEST = 100  # characters of a value in a message
# by the names of annotations: in words, and the check
_TYPES: dict[str, tuple[str, Callable[[Any], bool]]] = {
    "a value": (
        "a number that a float can hold",
        lambda value: not isinstance(value, Integral) or _is_number(value) or isinstance(value, bool),
    ),
    "float": ("a number", _is_number),
    "int": ("a whole number of at most 63 bits", _is_whole),
    "bool": ("True or False", _is_flag),
    "str": ("a string", lambda value: isinstance(value, str)),
    "None": ("None", lambda value: value is None),
    "Callable": ("a function", callable),
    "Cost": ("a function", callable),
    "ArrayLike": ("an array of numbers", _are_numbers),
    "DTypeLike": ("the type of an array's items", _is_dtype),
    "Norm": ("a string", lambda value: isinstance(value, str)),
    "Literal": ("a string", lambda value: isinstance(value, str)),
    "Prior": (
        "None, 'uniform', a dictionary or an array of probabilities",
        lambda value: value is None or isinstance(value, str | Mapping) or _are_numbers(value),
    ),
    "Recipe": ("a Recipe", lambda value: type(value).__name__ == "Recipe"),
    "Choice": ("a Choice", lambda value: type(value).__name__ == "Choice"),
    "dict": ("a dictionary", lambda value: isinstance(value, Mapping)),
    "Mapping": ("a dictionary", lambda value: isinstance(value, Mapping)),
    "list": ("a list", lambda value: isinstance(value, Iterable)),
    "Sequence": ("a list", lambda value: isinstance(value, Iterable)),
    "Iterable": ("a list", lambda value: isinstance(value, Iterable)),
    "tuple": ("a pair such as (1, 2)", lambda value: isinstance(value, tuple)),
}


def check_real(name: str, value: Any) -> None:
    """Raise ParameterError unless a parameter is a number (which its range asks for), infinite or NaN included."""
    if not _is_real(value):
        raise invalid_parameter(f"{name} must be a number; got {short_repr(value)}")


def check_number(name: str, value: Any, *, above: float = -math.inf) -> None:
    """Raise ParameterError unless a parameter is a finite number above a limit."""
    if not _is_number(value) or not math.isfinite(value) or not value > above:
        limit = "" if above == -math.inf else f" above {above:g}"
        raise invalid_parameter(f"{name} must be a finite number{limit}; got {short_repr(value)}")


def as_numbers(name: str, value: Any) -> NDArray[np.float64]:
    """Return a parameter as an array of float64; raise ParameterError unless it holds numbers."""
    try:
        return np.asarray(value, np.float64)
    except (TypeError, ValueError, OverflowError):
        raise invalid_parameter(f"{name} must be an array of numbers; got {short_repr(value)}") from None


def check_whole(name: str, value: Any, least: int, most: int | None = None) -> None:
    """Raise ParameterError unless a parameter is a whole number in a range."""
    if not _is_whole(value) or value < least or (most is not None and value > most):
        limits = f"of at least {least}" if most is None else f"from {least} to {most}"
        raise invalid_parameter(f"{name} must be a whole number {limits}; got {short_repr(value)}")


def check_epochs(value: Any) -> None:
    """Raise ParameterError unless ``epochs`` is a number of passes that can be counted."""
    check_whole("epochs", value, 1)
    if value > _MOST_EPOCHS:
        check_whole("epochs", value, 1, _MOST_EPOCHS)


def check_flags(estimator: object, *names: str) -> None:
    """Raise ParameterError unless parameters are True or False (or 1 or 0): "no" would count as True."""
    for name in names:
        value = getattr(estimator, name)
        if not _is_flag(value):
            raise invalid_parameter(f"{name} must be True or False; got {short_repr(value)}")


def _is_real(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)
