"""Instruction counts of the kernels: what is compared, and that a change is noticed."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(autouse=True)
def _benchmarks_can_be_imported(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT))


def test_counts_within_three_per_cent_pass_and_others_are_named():
    from benchmarks.instructions import table

    kept = {"a": 1000, "b": 1000, "c": 1000, "gone": 5}
    text, off = table({"a": 1029, "b": 1031, "c": 960, "new": 7}, kept, 3.0)
    assert off == ["b", "c", "new"]
    assert [line.split()[0] for line in text.splitlines() if "<--" in line] == ["b", "c"]


def test_what_is_counted_is_the_same_in_every_run(tmp_path):
    from benchmarks.instructions import generated

    texts, labels = generated()
    assert (texts, labels) == generated()
    assert len(set(labels)) == 4
    assert len(texts) == len(labels) == 1500


def test_all_kernels_run_and_are_those_of_the_record(tmp_path):
    import json

    from benchmarks.instructions import RECORD, kernels

    made = kernels(tmp_path)
    for run in made.values():
        assert run() is not None
    kept = json.loads(RECORD.read_text(encoding="utf-8"))
    assert set(kept["counts"]) == set(made), "run make check-perf PERF=--write"
    assert all(count > 1_000_000 for count in kept["counts"].values())


def test_a_file_of_callgrind_is_read(tmp_path):
    from benchmarks.instructions import _counted

    path = tmp_path / "counts.1"
    path.write_text("desc: Trigger: Client Request: load a model\n\nevents: Ir\nsummary: 123456\n")
    assert _counted(path) == ("load a model", 123456)
    path.write_text("nothing\n")
    with pytest.raises(SystemExit, match="no counts"):
        _counted(path)
