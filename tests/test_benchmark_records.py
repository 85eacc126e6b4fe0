"""What the benchmarks keep of a run, and when they refuse to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture
def results(monkeypatch, tmp_path):
    """Return the module, with records in a folder of their own."""
    monkeypatch.syspath_prepend(str(ROOT))
    from benchmarks import results

    monkeypatch.setattr(results, "RECORDS", tmp_path / "records")
    return results


def seen(results, monkeypatch, *wrong):
    """Let the machine be quiet, or busy for these reasons."""
    state = results.State(0.0, 0.0, 10.0, 0.0, 0.0, list(wrong))
    monkeypatch.setattr(results, "wait", lambda patience: state)


def test_a_run_is_kept_with_where_and_what(results, monkeypatch):
    seen(results, monkeypatch)
    results.measure("startup", ["--help"], anyway=False)
    kept = json.loads(results.path_of("startup").read_text(encoding="utf-8"))
    assert kept["command"] == "python -m benchmarks.startup --help"
    assert kept["printed"][0].startswith("usage:")
    assert kept["quiet"]["wrong"] == []
    assert kept["versions"]["scikit-learn"]
    assert kept["machine"]
    assert kept["commit"]


def test_a_busy_machine_is_refused_and_with_anyway_named(results, monkeypatch):
    seen(results, monkeypatch, "others use 1.50 processors")
    with pytest.raises(SystemExit, match=r"busy: others use 1\.50 processors"):
        results.measure("startup", ["--help"], anyway=False)
    assert not results.path_of("startup").exists()
    results.measure("startup", ["--help"], anyway=True)
    kept = json.loads(results.path_of("startup").read_text(encoding="utf-8"))
    assert kept["quiet"]["wrong"] == ["others use 1.50 processors"]


def test_a_part_of_a_topic_does_not_replace_its_figures(results, monkeypatch, capsys):
    seen(results, monkeypatch)
    whole = {"topic": "startup", "printed": ["all of it"], "figures": [{"cpu": 1.0}]}
    results.write("startup", whole)
    results.measure("startup", ["--help"], anyway=False)
    assert json.loads(results.path_of("startup").read_text(encoding="utf-8")) == whole
    assert "not a whole run" in capsys.readouterr().out


def test_figures_of_one_run_become_records_of_several_topics(results, monkeypatch, tmp_path):
    from benchmarks import harness

    target = tmp_path / "figures.json"
    monkeypatch.setenv(harness.FIGURES, str(target))
    harness.record("endtoend", [{"cpu": 1.0}])
    harness.record("default", [{"cpu": 2.0}])
    assert json.loads(target.read_text(encoding="utf-8")) == {
        "endtoend": [{"cpu": 1.0}],
        "default": [{"cpu": 2.0}],
    }
    monkeypatch.delenv(harness.FIGURES)
    harness.record("endtoend", [{"cpu": 3.0}])
    assert "3.0" not in target.read_text(encoding="utf-8")


def test_what_makes_a_machine_busy(results, monkeypatch):
    from benchmarks import quietness

    monkeypatch.setattr(quietness, "fastest_known", lambda seconds: 0.010)
    monkeypatch.setattr(quietness, "others_at_work", lambda: (0.0, 0.0))
    monkeypatch.setattr(quietness, "_loop", lambda: (0.0101, 0.0100))
    assert quietness.look().quiet
    monkeypatch.setattr(quietness, "_loop", lambda: (0.0140, 0.0100))
    assert "longer than its processor time" in quietness.look().wrong[0]
    monkeypatch.setattr(quietness, "_loop", lambda: (0.0130, 0.0130))
    assert "slower clock" in quietness.look().wrong[0]
    monkeypatch.setattr(quietness, "_loop", lambda: (0.0101, 0.0100))
    monkeypatch.setattr(quietness, "others_at_work", lambda: (0.5, 0.2))
    assert [reason.split()[0] for reason in quietness.look().wrong] == ["others", "the"]


def test_the_machine_is_looked_at(results):
    from benchmarks import quietness

    others, stolen = quietness.others_at_work(0.05)
    assert others >= 0
    assert stolen >= 0
    wall, cpu = quietness._loop()
    assert wall > 0
    assert cpu > 0
