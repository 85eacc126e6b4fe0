"""A bounded run of the fuzzer; ``make sanitize`` runs it longer, on a core with sanitizers."""

from __future__ import annotations

import fuzz_text


def test_random_texts_are_counted_rightly_or_refused() -> None:
    outcomes = fuzz_text.fuzz(rounds=1200, seed=20)
    assert not outcomes["refused without a word"]
    assert all(outcomes[outcome] > 30 for outcome in ("counted", "found", "loaded", "read", "refused")), (
        outcomes
    )
