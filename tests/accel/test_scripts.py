"""Scripts in the manner of scikit-learn's examples print the same figures with acceleration and without."""

from __future__ import annotations

import csv
import runpy
import sys
from pathlib import Path

import numpy as np
import pytest

import lindy.accel
import lindy.linear.problem
import lindy.text.count

SCRIPTS = sorted((Path(__file__).parent / "scripts").glob("*.py"))
TOPICS = {
    "hockey": ["puck", "goal", "team", "season", "ice", "coach"],
    "medicine": ["dose", "patient", "trial", "doctor", "vaccine", "symptom"],
    "space": ["orbit", "launch", "moon", "shuttle", "telescope", "crew"],
}
COMMON = ["the", "a", "of", "new", "was", "they", "first", "long", "report", "said", "people", "week"]


def write_table(path: Path, size: int, seed: int) -> None:
    """Write texts about topics, of which some words are those of other topics."""
    rng = np.random.default_rng(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["label", "text"])
        for topic in rng.choice(sorted(TOPICS), size):
            about = [topic if known else rng.choice(sorted(TOPICS)) for known in rng.random(25) < 0.8]
            table.writerow([topic, " ".join(rng.choice(TOPICS[each] + COMMON * 2) for each in about)])


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_prints_the_same_figures(
    script: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    tables = [tmp_path / "train.csv", tmp_path / "test.csv"]
    write_table(tables[0], 240, 0)
    write_table(tables[1], 160, 1)
    monkeypatch.setattr(sys, "argv", [str(script), *map(str, tables)])
    lindy.accel.profile(clear=True)
    runpy.run_path(str(script), run_name="__main__")
    plain = capsys.readouterr().out
    assert lindy.accel.profile().calls == []
    with lindy.accel.enabled():
        runpy.run_path(str(script), run_name="__main__")
    assert capsys.readouterr().out == plain
    assert any(char.isdigit() for char in plain)
    assert "lindy" in {call.where for call in lindy.accel.profile().calls}


def test_there_are_five() -> None:
    assert len(SCRIPTS) == 5
