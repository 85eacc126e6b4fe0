"""A bounded run of the random fuzzer; coverage guides another one (see ``fuzz/targets.py``)."""

from __future__ import annotations

from pathlib import Path

from tests.hostile import fuzz_delimited


def test_random_tables_are_read_as_arrow_reads_them_or_refused(tmp_path: Path) -> None:
    outcomes = fuzz_delimited.fuzz(tmp_path, rounds=1500, seed=20)
    assert outcomes["read"] > 300
    assert outcomes["refused"] > 300
