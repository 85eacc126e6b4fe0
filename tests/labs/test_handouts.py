"""A hand-out stands alone: every exercise has what it needs, and that runs without the solutions."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from lindy.cli.app import run
from lindy.labs.catalog import LABS
from lindy.labs.plain_math import plain
from lindy.labs.script import Cell, read_script
from lindy.labs.stage import staged

SCRIPTS = [path for lab in LABS for path in lab.scripts]
each_script = pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
TASK = re.compile(
    r"\?|\b(write|compute|draw|report|train|check|compare|choose|score|estimate|find|show|derive|run|fit|learn|read)\b",
    re.IGNORECASE,
)


@pytest.fixture(autouse=True)
def _embedded_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LINDY_DATA", raising=False)


@each_script
def test_what_is_given_runs_without_the_solutions(path: Path, tmp_path: Path) -> None:
    names: dict[str, object] = {"__name__": "__main__"}
    with staged(tmp_path, None):
        for cell in read_script(path).cells:
            if cell.given:
                exec(compile(cell.text, str(path), "exec"), names)


@each_script
def test_every_exercise_is_a_task_with_something_to_begin_from(path: Path) -> None:
    cells = read_script(path).cells
    assert cells[0].given
    for question, given, solution in zip(cells[1::3], cells[2::3], cells[3::3], strict=True):
        assert question.prose
        assert given.given, f"line {solution.line}: nothing is given"
        assert not solution.prose
        assert not solution.given
        assert TASK.search(question.question), f"line {question.line}: nothing is asked"


@each_script
def test_formulas_are_latex(path: Path) -> None:
    """No formula is left in Unicode where a notebook and a page could show it: sums, products, norms, argmax."""
    script = read_script(path)
    prose = [cell.text for cell in script.cells if cell.prose] + [script.introduction]
    for text in prose:
        outside = re.sub(r"\$\$?[^$]+\$\$?", "", text)
        assert not re.search("[ΣΠ‖∇√²₀₁₂]|argmax_|·[a-zA-Z]", outside), outside
        assert text.count("$") % 2 == text.count(r"\$") % 2
        assert not re.search(r"\\[a-zA-Z]|\$\$", plain(text)), plain(text)


def test_tables_of_the_slides_are_in_the_hand_out(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["lab", "5", "--part", "inference", "--exercises"]) == 0
    shown = capsys.readouterr().out
    assert "| 0.01 | 0.05 | 0.05 | 0.30 | 0.80 | 0.90 | 0.05 | 0.60 | 0.50 | 0.80 |" in shown
    assert "| 0.00002 | 0.00069 | 0.00881 |" in shown
    assert "    pixel_31 = [0.01, 0.05," in shown
    assert "infer([0.1]" not in shown, "the solution is not handed out"


def test_equations_have_the_numbers_of_the_lecture() -> None:
    text = "".join(path.read_text(encoding="utf-8") for path in LABS[0].scripts)
    for number in ("1.4", "1.6", "1.8", "1.9", "1.17", "1.18", "1.20", "1.27", "1.29", "1.31", "1.34"):
        assert f"\\tag{{{number}}}" in text


def test_hints_are_told_from_questions() -> None:
    cell = Cell(True, "## Ask\n\nWhat?\n\nHint: so.\n\nCorrection: not so.", 1)
    assert cell.question == "## Ask\n\nWhat?\n\nCorrection: not so."
    assert cell.hints == ["so."]
