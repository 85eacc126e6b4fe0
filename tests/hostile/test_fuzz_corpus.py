"""The kept inputs of coverage-guided fuzzing, through the same comparisons (see ``fuzz/targets``)."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.hostile.fuzz.corpus import HERE, kept
from tests.hostile.fuzz.targets import TARGETS


@pytest.mark.parametrize("target", TARGETS)
def test_kept_inputs_are_read_rightly_or_refused(target: str) -> None:
    outcomes: Counter[str] = Counter()
    for data in kept(target):
        try:
            outcomes[TARGETS[target](data)] += 1
        except Exception as error:
            raise AssertionError(f"{target}: {data!r}") from error
    assert set(outcomes) == {"read", "refused"}


def test_what_is_kept_is_small() -> None:
    assert sum(path.stat().st_size for path in HERE.iterdir()) < 200_000
