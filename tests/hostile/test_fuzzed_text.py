"""A bounded run of the random fuzzer; coverage guides another one (see ``fuzz/targets.py``)."""

from __future__ import annotations

import numpy as np
import pytest
from tests.hostile import fuzz_text

from lindy import _native


def test_random_texts_are_counted_rightly_or_refused() -> None:
    outcomes = fuzz_text.fuzz(rounds=1200, seed=20)
    assert not outcomes["refused without a word"]
    assert all(outcomes[outcome] > 30 for outcome in ("counted", "found", "loaded", "read", "refused")), (
        outcomes
    )


@pytest.mark.parametrize("first", [0, 3, 4, 2**63])
@pytest.mark.parametrize("n_rows", [3, 4, 2**63, 2**64 - 1])
def test_arrow_rows_beyond_the_offsets_are_refused(first: int, n_rows: int) -> None:
    offsets, data = np.array([0, 1, 2], np.int64), np.frombuffer(b"ab", np.uint8)
    with pytest.raises(ValueError, match="leave its buffers"):
        _native.Texts().take_arrow([None, offsets, data], True, first, n_rows, 1 << 20)
