"""Values that are written as Python writes them."""

from __future__ import annotations

from typing import Any

import pytest

from lindy.data.columns.literals import literal


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.5", 1.5),
        ("[1, 2]", [1, 2]),
        ("'a'", "a"),
        ("None", None),
        ("fine", "fine"),
        ("fine book", "fine book"),
        ("", ""),
        ("open('x')", "open('x')"),
        ("[" * 100_000, "[" * 100_000),
    ],
)
def test_a_text_is_what_it_writes_or_itself(text: str, value: Any) -> None:
    assert literal(text) == value
    assert type(literal(text)) is type(value)
