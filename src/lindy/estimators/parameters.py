"""Constructor arguments: how a class declares them and their rules, and errors that say what was expected and given.

A parameter is an annotated attribute of a class ``with_parameters``; its rules stand in the annotation::

    tol: Annotated[float, POSITIVE] = 1e-4
    min_df: Annotated[float, SHARE, at_least(1)] = 1

A rule is a check, called with the name and the value, which raises (most are made by ``must``), or alternatives as
scikit-learn words them (``Alternative``), of which one has to hold. None is no matter of a check where the type allows
it. Rules are evaluated when they are first asked for, in the module of their class.
"""

from __future__ import annotations

import functools
import inspect
import math
import re
import sys
from collections.abc import Callable, Iterable, Mapping
from inspect import Parameter, Signature
from numbers import Integral, Real
from typing import Any, Literal, TypeVar, dataclass_transform

import numpy as np
from numpy.typing import NDArray

from lindy.errors import did_you_mean, invalid_parameter

Check = Callable[[str, Any], None]  # takes the name and the value of a parameter, and raises
Alternative = tuple[str, Callable[[Any], bool]]  # what is expected, and whether a value is it
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
    rules: dict[str, tuple[str, str]] = dict(getattr(cls, "_rules", {}))  # as written, and in which module
    declared = [base for base in cls.__mro__[:0:-1] if "_declares_parameters" in vars(base)]
    for holder, name, annotation in [
        (own, *item) for own in (*declared, cls) for item in vars(own).get("__annotations__", {}).items()
    ]:
        default = vars(holder).get(name, Parameter.empty)
        if isinstance(default, _NoParameter):
            parameters.pop(name, None)
            if default.default is _UNSET:
                delattr(cls, name)
            else:
                setattr(cls, name, default.default)
        elif "ClassVar" in str(annotation):
            parameters.pop(name, None)
        else:
            kind, rule = _split(annotation)
            parameters[name] = Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
            if rule or name in rules:
                rules[name] = (rule, holder.__module__)
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
    cls.__init__, cls._parameters, cls._rules = __init__, parameters, rules  # type: ignore[method-assign, attr-defined]
    cls.__doc__ = _with_inherited_entries(cls, set(parameters))
    return cls


def _split(annotation: str) -> tuple[str, str]:
    """Return the type and the rules of an annotation."""
    if not annotation.startswith("Annotated["):
        return annotation, ""
    kind, *rules = annotation[len("Annotated[") : -1].split(", ")
    while kind.count("[") > kind.count("]"):
        kind += f", {rules.pop(0)}"
    return kind, ", ".join(rules)


def _with_inherited_entries(cls: type, parameters: set[str]) -> str:
    """Return the docstring of a class, with what its base class says about the parameters that it does not explain."""
    written = inspect.cleandoc(cls.__doc__ or "")
    before, _, behind = written.partition(_SECTION)
    own, gap, after = behind.partition("\n\n")
    if not behind and (others := re.search(r"\n\n(?=\w+\n----)", written)):
        before, gap, after = written[: others.start()], "\n\n", written[others.end() :]
    missing = parameters - {name for entry in _entries(own) for name in _names(entry)}
    _, _, theirs = inspect.cleandoc(cls.__mro__[1].__doc__ or "").partition(_SECTION)
    added = [entry for entry in _entries(theirs.partition("\n\n")[0]) if missing >= set(_names(entry))]
    section = "\n".join([*_entries(own), *added])
    return f"{before.rstrip()}\n\n{_SECTION}{section}{gap}{after}" if section else written


def _entries(section: str) -> list[str]:
    return re.split(r"\n(?=\S)", section) if section else []


def _names(entry: str) -> list[str]:
    return entry.partition("\n")[0].partition(" : ")[0].split(", ")


def checked(method: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of an estimator that first checks the constructor's arguments."""

    @functools.wraps(method)
    def check_then_call(self: Any, *args: Any, **kwargs: Any) -> Any:
        check_parameters(self)
        return method(self, *args, **kwargs)

    return check_then_call


def check_parameters(estimator: Any) -> None:
    """Raise ParameterError unless every parameter has one of the types of its annotation and keeps its rules.

    Types that only the estimator knows (a kernel, a vectorizer) are for its rules, and what relates two parameters for
    its ``_check_parameters``.
    """
    own: Any = type(estimator)
    for name, kinds, alternatives, checks in _expected(own):
        value = getattr(estimator, name)
        if not any(_TYPES[kind][1](value) for kind in kinds):
            expected = " or ".join(_TYPES[kind][0] for kind in kinds)
            raise invalid_parameter(f"{name} must be {expected}; got {short_repr(value)}")
        if alternatives and not any(holds(value) for _, holds in alternatives):
            *rest, last = [expected for expected, _ in alternatives]
            expected = f"{', '.join(rest)} or {last}" if rest else last
            raise invalid_parameter(
                f"The {name!r} parameter of {own.__name__} must be {expected}. Got {value!r} instead."
            )
        for check in checks if value is not None or "None" not in kinds else ():
            check(name, value)


@functools.cache
def _expected(cls: type) -> list[tuple[str, list[str], list[Alternative], list[Check]]]:
    """Return the names of the types that each parameter may have, and its rules."""
    found = []
    for name, own in inspect.signature(cls).parameters.items():
        written, module = getattr(cls, "_rules", {}).get(name, ("", __name__))
        rules = eval(f"[{written}]", vars(sys.modules[module]))
        alternatives = [rule for rule in rules if isinstance(rule, tuple)]
        kinds = [re.sub(r"\[.*", "", part) for part in re.split(r" \| (?![^\[]*\])", str(own.annotation))]
        if alternatives and name != "dtype":  # its types are among them
            kinds = ["a value"]
        elif name in _OWN or not all(kind in _TYPES for kind in kinds):
            kinds = ["None", "anything"] if "None" in kinds else ["anything"]
        found.append((name, kinds, alternatives, [rule for rule in rules if callable(rule)]))
    return found


def short_repr(value: object) -> str:
    """Return a value as a message shows it; a long one is cut."""
    try:
        text = repr(value)
    except Exception:  # of an object of somebody else, or of a number of too many digits
        text = f"an object of type {type(value).__name__}"
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


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
    "anything": ("anything", lambda _: True),
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


def must(expected: str, holds: Callable[[Any], bool]) -> Check:
    """Return the check that a value is what is expected: "be …", "lie between …"."""

    def check(name: str, value: Any) -> None:
        if not holds(value):
            raise invalid_parameter(f"{name} must {expected}; got {short_repr(value)}")

    return check


def finite(above: float = -math.inf) -> Check:
    """Expect a finite number above a limit."""
    return functools.partial(check_number, above=above)


def whole(least: int, most: int | None = None) -> Check:
    """Expect a whole number in a range."""
    return lambda name, value: check_whole(name, value, least, most)


def listed(*values: Any) -> Check:
    """Expect one of a few values, all of which the message names."""
    *rest, last = map(repr, values)
    return must(f"be {', '.join(rest)} or {last}", lambda value: value in values)


def named(names: Iterable[Any]) -> Check:
    """Expect one of the names of a table."""
    return must(f"be one of {list(names)}", lambda value: isinstance(value, str | None) and value in names)


NOT_NEGATIVE = must("be a number ≥ 0", lambda value: 0 <= value < math.inf)
FROM_0_TO_1 = must("lie between 0 and 1", lambda value: 0 <= value <= 1)
GAP = must("be positive: it is the relative gap to reach", lambda value: value > 0)


def one_of(*choices: str) -> Alternative:
    """Expect one of some strings."""
    listed = ", ".join(repr(choice) for choice in sorted(choices))
    return f"a str among {{{listed}}}", lambda value: isinstance(value, str) and value in choices


def instance(kind: type, name: str | None = None) -> Alternative:
    """Expect an instance of a class."""
    return f"an instance of {name or repr(kind.__name__)}", lambda value: isinstance(value, kind)


def between(least: int, most: float) -> Alternative:
    """Expect a whole number from ``least`` to below ``most``."""
    return (
        f"an int in the range [{least}, {most})",
        lambda value: (
            isinstance(value, Integral) and not isinstance(value, bool) and least <= int(value) < most
        ),
    )


def at_least(least: int) -> Alternative:
    """Expect a whole number of at least ``least``."""
    return between(least, math.inf)


def dtype_of(kinds: str) -> Alternative:
    """Expect a dtype (or None, NumPy's default) of one of NumPy's kinds."""

    def holds(value: Any) -> bool:
        try:
            return np.dtype(value).kind in kinds
        except TypeError:
            return False

    return "a dtype of numbers", holds


CALLABLE: Alternative = ("a callable", callable)
NONE: Alternative = ("None", lambda value: value is None)
BOOLEAN: Alternative = (
    "an instance of 'bool' or an instance of 'numpy.bool'",
    lambda value: (
        type(value).__name__ in ("bool", "bool_") and type(value).__module__ in ("builtins", "numpy")
    ),
)
SHARE: Alternative = (
    "a float in the range [0.0, 1.0]",
    lambda value: isinstance(value, Real) and not isinstance(value, Integral) and 0 <= float(value) <= 1,
)
ITERABLE: Alternative = ("an object implementing '__iter__'", lambda value: hasattr(value, "__iter__"))
