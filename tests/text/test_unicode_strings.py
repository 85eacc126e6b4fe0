"""The core and plain Python agree on strings of every category, under every setting; ``make torture`` has more."""

from __future__ import annotations

from typing import Any

import pytest
from tests.hostile.strings import KINDS, disagreements, settings, strings

SAMPLE = 600


def name(params: dict[str, Any]) -> str:
    return "-".join(str(value) for value in params.values())


@pytest.mark.parametrize("params", settings(), ids=name)
def test_the_core_counts_as_the_textbook(params: dict[str, Any]) -> None:
    texts = [text for _, text in strings(SAMPLE, seed=11)]
    assert disagreements(texts, params) == []


def test_every_kind_of_string_is_drawn() -> None:
    assert {kind for kind, _ in strings(SAMPLE, seed=11)} == set(KINDS)
    assert len({text for _, text in strings(SAMPLE, seed=11)}) > 0.9 * SAMPLE
