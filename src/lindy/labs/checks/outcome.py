"""The outcome of a check: whether a student's function agrees, and if not, where it differs first and why."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Cause = tuple[str, Any]
"""A usual mistake, and the answer that it gives, a test for such answers, or the error that it raises."""

_results: list[Outcome] = []
_failures: dict[str, int] = {}


@dataclass(frozen=True, slots=True)
class Outcome:
    """The findings of a check."""

    check: str
    passed: bool
    message: str


@dataclass(frozen=True, slots=True)
class Case:
    """One call of a student's function.

    ``arguments`` go in, ``expected`` is the textbook's answer, ``said`` tells which case it is, and ``causes`` are
    answers that a usual mistake gives.
    """

    arguments: tuple[Any, ...]
    expected: Any
    said: str
    causes: Sequence[Cause] = field(default=())


def results() -> list[Outcome]:
    """Return the outcomes of all checks so far, in their order."""
    return list(_results)


def run(name: str, function: Callable[..., Any], cases: Iterable[Case], hints: Sequence[str]) -> None:
    """Compare a function with the textbook case by case; print what was found, and keep it."""
    if not callable(function):
        what = (
            f"expected your function itself, as in check.{name}(my_function), got {type(function).__name__}"
        )
        _keep(Outcome(name, False, what))
        return
    n = 0
    for case in cases:
        n += 1
        if difference := _difference(function, case):
            _failures[name] = _failures.get(name, 0) + 1
            told = hints[: _failures[name] - 1]
            _keep(Outcome(name, False, "\n".join([difference, *(f"Hint: {hint}" for hint in told)])))
            return
    _failures.pop(name, None)
    _keep(Outcome(name, True, f"all {n} cases agree"))


def _keep(outcome: Outcome) -> None:
    _results.append(outcome)
    print(f"{outcome.check}: {'✓' if outcome.passed else '✗'} {outcome.message}")


def _difference(function: Callable[..., Any], case: Case) -> str:
    """Return how the answer to a case differs, in words; "" if it does not."""
    given = tuple(np.array(own, copy=True) if isinstance(own, np.ndarray) else own for own in case.arguments)
    try:
        got = function(*given)
    except Exception as error:  # whatever the student's code raises is what there is to tell
        raised = f"  your function raised {type(error).__name__}: {error}"
        causes = (why for why, own in case.causes if isinstance(own, type) and isinstance(error, own))
        return "\n".join([case.said, raised, *causes])
    if got is None and _is_like(given[0], case.expected):
        got = given[0]  # changed in place
    if problem := _malformed(got, case.expected):
        return f"{case.said}\n  {problem}"
    if _same(got, case.expected):
        return ""
    cause = next((why for why, answer in case.causes if _fits(got, answer)), "")
    lines = [case.said, f"  yours        {_shown(got)}", f"  textbook's   {_shown(case.expected)}", cause]
    return "\n".join(line for line in lines if line)


def _parts(answer: Any) -> tuple[Any, ...]:
    return answer if isinstance(answer, tuple) else (answer,)


def _is_like(given: Any, expected: Any) -> bool:
    """Whether an argument may become the answer by being changed in place."""
    return not isinstance(expected, tuple) and np.shape(given) == np.shape(expected)


def _malformed(got: Any, expected: Any) -> str:
    """Return what is wrong with the form of an answer; "" if nothing is."""
    if got is None:
        return "your function returned nothing: is there a return?"
    if isinstance(expected, tuple) and (not isinstance(got, tuple | list) or len(got) != len(expected)):
        return f"your function returned {type(got).__name__}, expected {len(expected)} arrays"
    for one, other in zip(
        _parts(tuple(got) if isinstance(got, list) else got), _parts(expected), strict=True
    ):
        try:
            shape = np.asarray(one, np.float64).shape
        except (TypeError, ValueError):
            return f"your function returned {type(one).__name__}, expected numbers"
        if shape != np.shape(other):
            turned = " (is it transposed?)" if shape == np.shape(other)[::-1] else ""
            return f"your answer has the shape {shape}, expected {np.shape(other)}{turned}"
    return ""


def _same(got: Any, expected: Any) -> bool:
    got = tuple(got) if isinstance(got, list) else got
    pairs = list(zip(_parts(got), _parts(expected), strict=False))
    return len(_parts(got)) == len(_parts(expected)) and all(
        np.shape(one) == np.shape(other)
        and np.allclose(np.asarray(one, np.float64), np.asarray(other, np.float64), rtol=1e-6, atol=1e-9)
        for one, other in pairs
    )


def _fits(got: Any, answer: Any) -> bool:
    if isinstance(answer, type):
        return False
    return bool(answer(got)) if callable(answer) else _same(got, answer)


def _shown(answer: Any) -> str:
    """Return an answer in a line or a few."""
    rounded = (np.asarray(one, np.float64).round(4) + 0.0 for one in _parts(answer))
    return ", ".join(f"{one.item():g}" if one.ndim == 0 else str(one.tolist()) for one in rounded)


def ordinal(number: int) -> str:
    """Return first, second, …: how a case is told."""
    words = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
    return words[number - 1] if number <= len(words) else f"{number}th"
