"""Classes of ``lindy.records`` behave as those of ``dataclasses``, and compile nothing before it is used."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from functools import cached_property
from itertools import product
from typing import Any

import pytest

from lindy import records

PAIRS = [
    {"frozen": frozen, "slots": slots, "eq": eq} for frozen, slots, eq in product((False, True), repeat=3)
]


def _make(dataclass: Any, **options: bool) -> tuple[Any, Any]:
    """Return a class and one that inherits from it."""

    @dataclass(**options)
    class Point:
        """A point."""

        x: int
        y: float = 0.5
        tags: tuple[str, ...] = ()
        notes: list[int] = dataclasses.field(default_factory=list, compare=False)
        hidden: int = dataclasses.field(default=7, repr=False, init=False)

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("x is negative")

    @dataclass(**options)
    class Named(Point):
        """A point with a name."""

        name: str = "none"
        kept: int = dataclasses.field(default=1, kw_only=True)

    return Point, Named


def _said(action: Any) -> Any:
    """Return what an action gives, or the error it ends with."""
    try:
        return action()
    except Exception as error:
        return type(error), str(error)


@pytest.mark.parametrize("options", PAIRS, ids=str)
def test_classes_do_what_those_of_dataclasses_do(options: dict[str, bool]) -> None:
    said: list[list[Any]] = []
    for module in (dataclasses, records):
        point, named = _make(module.dataclass, **options)
        a, b, c = (
            point(1, tags=("s",), notes=[3]),
            point(1, 0.5, ("s",)),
            named(1, 0.5, ("s",), name="n", kept=3),
        )
        said.append(
            [
                str(inspect.signature(point)),
                str(inspect.signature(named)),
                [(f.name, f.type, f.init, f.kw_only) for f in dataclasses.fields(named)],
                repr(a),
                repr(c),
                a == b,
                a != b,
                a == c,
                a == 1,
                _said(lambda a=a, b=b: hash(a) == hash(b)),
                _said(lambda point=point: point()),
                _said(lambda point=point: point(-1)),
                _said(lambda point=point: point(1, 2, 3, 4, 5)),
                _said(lambda a=a: setattr(a, "x", 2)),
                _said(lambda a=a: delattr(a, "x")),
                _said(lambda c=c: repr(dataclasses.replace(c, name="m"))),
                dataclasses.asdict(c),
                named.__match_args__,
                hasattr(a, "__dict__"),
                point.__init__.__qualname__.rpartition(".")[2],
                repr(copy.copy(c)),
                repr(copy.deepcopy(c)),
            ]
        )
    assert said[0] == said[1]


@records.dataclass(frozen=True, slots=True)
class Kept:
    """A class that pickle finds by its name."""

    values: list[int]
    name: str = "n"


@records.dataclass(frozen=True)
class Cached:
    """A class that computes something once."""

    x: int

    @cached_property
    def double(self) -> int:
        """Twice x."""
        return 2 * self.x


def test_records_are_pickled_and_cache() -> None:
    assert pickle.loads(pickle.dumps(Kept([1, 2], "m"))) == Kept([1, 2], "m")
    assert pickle.loads(pickle.dumps(Cached(3))) == Cached(3)
    assert Cached(3).double == 6


def test_a_method_that_is_written_out_stays() -> None:
    @records.dataclass(frozen=True, slots=True)
    class Own:
        """Has methods of its own."""

        x: int

        def __repr__(self) -> str:
            return "own"

        def __hash__(self) -> int:
            return 5

        def __eq__(self, other: object) -> bool:
            return other == "own"

    assert repr(Own(1)) == "own"
    assert hash(Own(1)) == 5
    assert Own(1) == "own"


def test_methods_are_compiled_when_they_are_used() -> None:
    point, _ = _make(records.dataclass, frozen=True, slots=True, eq=True)
    assert not any(
        inspect.isfunction(vars(point)[name]) for name in ("__init__", "__repr__", "__eq__", "__hash__")
    )
    point(1)
    assert inspect.isfunction(vars(point)["__init__"])
    assert not inspect.isfunction(vars(point)["__repr__"])
