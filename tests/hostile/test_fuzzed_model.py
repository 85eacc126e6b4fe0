"""A bounded run of the fuzzer."""

from __future__ import annotations

from tests.hostile import fuzz_modelfile


def test_mutated_models_are_refused_or_read_as_written(tmp_path):
    outcomes = fuzz_modelfile.fuzz(tmp_path, rounds=4000, seed=20)
    assert outcomes["refused"] > 3000
    assert outcomes["read"] > 10  # mutations with a right checksum do reach sound models
