"""Parameters: declared once, with their rules in the annotation."""

from __future__ import annotations

import inspect
from typing import Annotated, Any

import pytest

import lindy
from lindy.errors import ParameterError
from lindy.estimators.estimator import Estimator
from lindy.estimators.parameters import (
    FROM_0_TO_1,
    NONE,
    at_least,
    fixed,
    listed,
    must,
    one_of,
    whole,
    with_parameters,
)


@with_parameters
class Own(Estimator):
    """Has rules."""

    share: Annotated[float | None, FROM_0_TO_1] = None
    pair: Annotated[dict[str, tuple[int, int]] | None, must("be short", lambda value: len(value) < 2)] = None
    size: Annotated[Any, one_of("all"), at_least(1), NONE] = 1
    kind: Annotated[bool | str, listed(True, False, "both")] = True

    def fit(self) -> Own:
        return self


@with_parameters
class Derived(Own):
    share: Annotated[float, whole(2)] = 2
    kind: bool | str = fixed(default=True)


@pytest.mark.parametrize(
    ("given", "message"),
    [({"share": 2.0}, "share must lie between 0 and 1; got 2.0"),
     ({"share": "x"}, "share must be a number or None; got 'x'"),
     ({"pair": {"a": (1, 2), "b": (1, 2)}}, "pair must be short; got {'a': (1, 2), 'b': (1, 2)}"),
     ({"size": 0}, "The 'size' parameter of Own must be a str among {'all'}, an int in the range [1, inf) or None."
      " Got 0 instead."),
     ({"kind": "none"}, "kind must be True, False or 'both'; got 'none'")],
)  # fmt: skip
def test_a_broken_rule_says_what_was_expected_and_given(given: dict[str, Any], message: str) -> None:
    with pytest.raises(ParameterError) as error:
        Own(**given).fit()
    assert str(error.value) == message


def test_what_the_rules_allow_is_taken_and_none_where_the_type_says_so() -> None:
    Own().fit()
    Own(share=0.5, pair={"a": (1, 2)}, size="all", kind="both").fit()


def test_a_class_may_change_or_drop_the_rules_of_its_base() -> None:
    Derived().fit()
    with pytest.raises(ParameterError, match=r"share must be a whole number of at least 2; got 0\.5"):
        Derived(share=0.5).fit()


def test_signatures_show_the_types_alone() -> None:
    assert str(inspect.signature(Own).parameters["pair"].annotation) == "dict[str, tuple[int, int]] | None"
    assert "Annotated" not in str(inspect.signature(lindy.SVM))
