"""Feature functions: g(x) = (g_1(x), …, g_J(x)), every g_j a Python function with a name.

    g(x) is                    columns
    a number or a bool         name
    a string                   name=string, 1
    a list of strings          name=string, how often
    a list of numbers          name[0], name[1], …
    a dict                     name:key for numbers, name:key=string for strings

A function decides once what it returns: numbers here and strings there under one name are an error, as are NaN and
infinity. The functions that this module makes can be saved in a model file; Python code cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import isfinite
from numbers import Number
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr, side_by_side
from lindy.errors import DataError, invalid_parameter
from lindy.estimators.parameters import fitted, short_repr, with_parameters
from lindy.features.dicts import DictVectorizer
from lindy.text.analysis.documents import is_table, refuse_other_than_documents
from lindy.text.vectorizer import Columns, GroupedVectorizer, State

_SHOWN = 40  # characters of an example that a message shows
_MOST_SAVED = 10_000


class FeatureError(DataError):
    """A feature function that failed, or returned something that is not a feature; the cause is chained."""


@dataclass(frozen=True, slots=True)
class Feature:
    """A function of an example and the name of what it returns.

    ``made_by`` says which maker of this module made it, with which words, so that a model file can hold it.
    """

    name: str
    function: Callable[[Any], Any]
    made_by: tuple[str, ...] = field(default=(), repr=False, compare=False)

    def __call__(self, x: Any) -> Any:
        """Return the function's value."""
        return self.function(x)


def feature(function: Callable[[Any], Any] | None = None, *, name: str | None = None) -> Any:
    """Give a function a name, by default its own; also as a decorator, ``@feature`` or ``@feature(name="…")``."""
    if function is None:
        return lambda given: feature(given, name=name)
    if isinstance(function, Feature):
        return function if name is None else Feature(name, function.function, function.made_by)
    own = name or getattr(function, "__name__", "")
    if not own or own == "<lambda>":
        raise ValueError(f"{function!r} has no name; give it one with feature(function, name='…')")
    return Feature(own, function)


@dataclass(frozen=True, slots=True)
class Union:
    """Several feature functions as one: x ↦ {name: value, …}."""

    features: tuple[Feature, ...]

    def __call__(self, x: Any) -> dict[str, Any]:
        """Return the value of every function by its name."""
        return {own.name: own(x) for own in self.features}


def union(*functions: Any) -> Union:
    """Combine feature functions, plain functions and unions; two of one name are a ``ValueError``."""
    flat: list[Feature] = []
    for function in functions:
        flat.extend(function.features if isinstance(function, Union) else [feature(function)])
    names = [own.name for own in flat]
    if twice := sorted({name for name in names if names.count(name) > 1}):
        raise ValueError(f"there are several feature functions with the name {twice[0]!r}")
    return Union(tuple(flat))


def contains(word: str) -> Feature:
    """1 if the text contains the word (LxMLS 1.12)."""
    return Feature(f"contains({word})", _number(_any_of([word])), ("contains", word))


def contains_any(*words: str) -> Feature:
    """1 if the text contains one of the words (LxMLS 1.14)."""
    return Feature(f"contains_any({', '.join(words)})", _number(_any_of(words)), ("contains_any", *words))


def all_capitalised() -> Feature:
    """1 if every word of the text begins with a capital (LxMLS 1.13); what begins with a digit is no word here."""

    def capitalised(text: str) -> bool:
        words = re.findall(r"[^\W\d_]\w*", text)
        return bool(words) and all(word[0].isupper() for word in words)

    return Feature("all_capitalised", _number(capitalised), ("all_capitalised",))


def word_count() -> Feature:
    """How many words the text has (May 8)."""
    return Feature("word_count", lambda text: len(re.findall(r"\w+", text)), ("word_count",))


def word_ending(ending: str) -> Feature:
    """1 if a word of the text ends so (May 8)."""
    pattern = re.compile(rf"\w{re.escape(ending)}(?!\w)")
    return Feature(
        f"word_ending({ending})", _number(lambda x: pattern.search(x) is not None), ("word_ending", ending)
    )


_MAKERS: dict[str, Callable[..., Feature]] = {
    made.__name__: made for made in (contains, contains_any, all_capitalised, word_count, word_ending)
}


def _number(holds: Callable[[str], bool]) -> Callable[[str], int]:
    return lambda text: int(holds(text))


def _any_of(words: Iterable[str]) -> Callable[[str], bool]:
    """Return whether one of the words stands in a text: letters as whole words, signs such as ``:)`` anywhere."""
    words = list(words)
    if not words or not all(words):
        raise ValueError("a feature that looks for words needs at least one word, and none may be empty")
    before, after = r"(?<!\w)", r"(?!\w)"
    whole = "|".join(
        before * word[0].isalnum() + re.escape(word) + after * word[-1].isalnum() for word in words
    )
    pattern = re.compile(whole)
    return lambda text: pattern.search(text) is not None


@with_parameters
class FunctionVectorizer(GroupedVectorizer):
    """Rows out of feature functions; see the module for what they may return.

    Parameters
    ----------
    functions : list of functions, features and unions, or dict from name to function
        Plain functions are called as they are in Python; a lambda needs a name.

    Examples
    --------
    >>> from lindy.features import FunctionVectorizer, all_capitalised, contains, contains_any
    >>> g = FunctionVectorizer(functions=[
    ...     contains("Ronaldo"), all_capitalised(), contains_any("amazing", "excellent", ":)")])
    >>> g.fit_transform(["Ronaldo kicked the ball and scored an amazing goal!"]).toarray()
    array([[1., 0., 1.]], dtype=float32)
    """

    kind = "functions"
    _vectorizers: list[DictVectorizer] = fitted()
    _kinds: list[dict[str, str]] = fitted()

    functions: Any

    def __sklearn_is_fitted__(self) -> bool:
        return "_vectorizers" in vars(self)

    @property
    def features_(self) -> tuple[Feature, ...]:
        """The functions by name, unions taken apart."""
        given = self.functions
        if isinstance(given, Mapping):
            given = [feature(function, name=name) for name, function in given.items()]
        elif callable(given):
            given = [given]
        listed = list(given) if isinstance(given, Iterable) else []
        if not listed or not all(map(callable, listed)):
            raise invalid_parameter(
                "functions must be at least one function, or several in a list or a dictionary;"
                f" got {short_repr(given)}"
            )
        return union(*listed).features

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Learn which columns the functions make and return the float32 rows."""
        examples = _examples(X)
        vectorizers, kinds, parts = [], [], []
        for own in self.features_:
            vectorizer = DictVectorizer()
            seen: dict[str, str] = {}
            parts.append(vectorizer.fit_csr(_dicts(own, examples, seen), order=order))
            vectorizers.append(vectorizer)
            kinds.append(seen)
        names = [name for vectorizer in vectorizers for name in vectorizer.feature_names_]
        if len(set(names)) < len(names):
            twice = next(name for i, name in enumerate(names) if name in names[:i])
            raise FeatureError(
                f"two feature functions make the feature {twice!r}", "Give one of them another name."
            )
        self._vectorizers, self._kinds = vectorizers, kinds
        return side_by_side(parts)

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows of further examples; features that ``fit`` has not seen are left out."""
        self._check_fitted()
        examples = _examples(X)
        return side_by_side(
            [
                vectorizer.transform_csr(_dicts(own, examples, dict(kinds)))
                for own, vectorizer, kinds in zip(self.features_, self._vectorizers, self._kinds, strict=True)
            ]
        )

    @property
    def groups_(self) -> list[tuple[str, int]]:
        """The functions' names and how many columns each has, in the order of the columns."""
        self._check_fitted()
        return [
            (own.name, len(vectorizer.feature_names_))
            for own, vectorizer in zip(self.features_, self._vectorizers, strict=True)
        ]

    def group_names(self, number: int, columns: Columns) -> list[str]:
        """Return the names of some columns of a function."""
        return self._vectorizers[number].names_of(columns)

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs; only for functions that this module made."""
        self._check_fitted()
        for own in self.features_:
            if not own.made_by:
                raise ValueError(
                    f"the feature function {own.name!r} is Python code, which a model file does not hold; use the"
                    " functions of lindy.features, or save the learner alone"
                )
        parts = [{"name": own.name, "made_by": list(own.made_by)} for own in self.features_]
        return {"kind": self.kind, "parts": parts}, {}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:  # noqa: ARG003
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        parts = config.get("parts")
        if not isinstance(parts, list) or not 1 <= len(parts) <= _MOST_SAVED:
            raise ValueError("the saved feature functions are not a list")
        vectorizer = cls(functions=[_made_again(part) for part in parts])
        own = vectorizer.features_
        vectorizer._vectorizers = [DictVectorizer().fit([{made.name: 1}]) for made in own]
        vectorizer._kinds = [{made.name: _NUMBER} for made in own]
        return vectorizer


def _made_again(part: Any) -> Feature:
    if not isinstance(part, dict) or not isinstance(part.get("name"), str):
        raise ValueError("a saved feature function has no name")
    made_by = part.get("made_by")
    if not isinstance(made_by, list) or not made_by or not all(isinstance(word, str) for word in made_by):
        raise ValueError(f"the saved feature function {part['name']!r} does not say how it is made")
    if made_by[0] not in _MAKERS:
        raise ValueError(
            f"unknown kind of feature function {made_by[0]!r}; expected one of {sorted(_MAKERS)}"
        )
    try:
        made = _MAKERS[made_by[0]](*made_by[1:])
    except TypeError as error:
        raise ValueError(f"the feature function {part['name']!r} cannot be made: {error}") from None
    return Feature(part["name"], made.function, made.made_by)


_NUMBER, _STRING, _STRINGS = "a number", "a string", "a list of strings"
_EXPECTED = "a number, a string, a list of one of them, or a dict"


def _examples(X: Any) -> list[Any]:
    """Return the examples as Python objects; the rows of a table as dictionaries."""
    refuse_other_than_documents(X)
    if hasattr(X, "to_pylist"):
        return list(X.to_pylist())
    if is_table(X):
        return list(X.to_dicts() if hasattr(X, "to_dicts") else X.to_dict("records"))
    return X if isinstance(X, list) else list(X)


def _dicts(own: Feature, examples: list[Any], kinds: dict[str, str]) -> Iterator[dict[str, Any]]:
    """Yield what the function returns as dictionaries; ``kinds`` has what it returned before, by name."""
    for i, x in enumerate(examples):
        try:
            value = own(x)
        except Exception as error:
            raise FeatureError(
                f"feature function {own.name!r} failed on example {i} ({_short(x)}):"
                f" {type(error).__name__}: {error}"
            ) from error
        try:
            yield dict(_named(own.name, value, kinds))
        except (TypeError, ValueError, OverflowError) as error:
            raise FeatureError(
                f"feature function {own.name!r} on example {i} ({_short(x)}): {error}",
                f"A feature function returns {_EXPECTED}, always of the same kind.",
            ) from error


def _named(name: str, value: Any, kinds: dict[str, str]) -> Iterator[tuple[str, Any]]:
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, Mapping):
        for key, own in value.items():
            yield from _checked(f"{name}:{key}", own, kinds)
    elif isinstance(value, list | tuple) and value and not isinstance(value[0], str):
        kind = f"a list of length {len(value)}"
        if kinds.setdefault(name, kind) != kind:
            raise TypeError(f"it returned {kind} here, but {kinds[name]} before")
        for k, own in enumerate(value):
            yield f"{name}[{k}]", _finite(own)
    else:
        yield from _checked(name, value, kinds)


def _checked(name: str, value: Any, kinds: dict[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield a number, a string or strings, after comparing with what the name had before."""
    if isinstance(value, list | tuple | set | frozenset):
        kind = _STRINGS
        if not all(isinstance(item, str) for item in value):
            raise TypeError(f"{name!r} is a {type(value).__name__} whose items are not all strings")
        # a set is in the order of hashes, which are others in every process
        value = sorted(value) if isinstance(value, set | frozenset) else list(value)
    elif isinstance(value, str):
        kind = _STRING
    else:
        kind, value = _NUMBER, _finite(value)
    if kinds.setdefault(name, kind) != kind:
        raise TypeError(f"{name!r} is {kind} here, but was {kinds[name]} before")
    yield name, value


def _finite(value: Any) -> float:
    if not isinstance(value, Number | np.generic) or isinstance(value, complex):
        raise TypeError(f"{_short(value)} ({type(value).__name__}) is not a feature")
    number = float(value)  # type: ignore[arg-type]
    if not isfinite(number):
        raise ValueError(f"it returned {number}, expected a finite number")
    return number


def _short(x: Any) -> str:
    shown = repr(x)
    return shown if len(shown) <= _SHOWN else f"{shown[: _SHOWN - 1]}…"
