"""What labs conclude is said by their code, from the numbers of the run, and is true of them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import pytest

from lindy.labs.catalog import LABS
from lindy.labs.running import Played, play
from lindy.labs.script import paragraphs, read_script

SCRIPTS = [path for lab in LABS for path in lab.scripts]


@cache
def played(name: str, part: str, folder: Path) -> tuple[Played, ...]:
    path = next(path for path in SCRIPTS if (path.parent.name, path.stem) == (name, part))
    return tuple(play(read_script(path), folder, capture=True))


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("figures")


@pytest.fixture(autouse=True)
def _embedded_corpora(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("LINDY_DATA", raising=False)


def rows_under(played: tuple[Played, ...], head: str) -> list[list[str]]:
    """Return the cells of the table whose head begins so."""
    lines = next(part.text for part in played if head in part.text).splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith(head)) + 1
    rows = [re.split(r" {2,}", line.strip()) for line in lines[start:]]
    return [row for row in rows if len(row) == len(re.split(r" {2,}", lines[start - 1].strip()))]


def remark(played: tuple[Played, ...], word: str) -> str:
    return next(text for part in played for text in part.remarks if word in text)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_prose_asks_and_does_not_conclude(path: Path) -> None:
    """Prose is handed out before anything has run: a section begins with its heading, and the last word is code's."""
    cells = read_script(path).cells
    assert not cells[-1].prose
    for cell in cells:
        if cell.prose:
            found = paragraphs(cell.text)
            headings = [i for i, text in enumerate(found) if text.startswith("#")]
            assert headings in ([], [0]), f"line {cell.line}: something is said before the heading"
            questions = [text for text in found if not text.startswith(("Hint:", "Correction:"))]
            assert not re.search(r"\b(here|these reviews|this run)\b.*\d%", " ".join(questions))


def test_the_best_strengths_are_those_of_the_table(figures: Path) -> None:
    maxent = played("lxmls", "maxent", figures)
    rows = rows_under(maxent, "λ       train")
    best = max(rows, key=lambda row: float(row[2]))
    assert f"The test is best at λ = {best[0]} with" in remark(maxent, "underfits")
    svm = played("lxmls", "svm", figures)
    rows = rows_under(svm, "λ      train  test, subgradient")
    best = max(rows, key=lambda row: float(row[3]))
    assert f"At the optimum λ = {best[0]} reads most" in remark(svm, "support vectors")
    assert f"from {rows[0][4]} to {rows[-1][4]}" in remark(svm, "support vectors")


def test_the_order_of_the_seven_models_is_that_of_the_table(figures: Path) -> None:
    models = played("may", "weights", figures)
    rows = {row[0]: float(row[1]) for row in rows_under(models, "model  ")}
    said = remark(models, "From best to worst")
    order = sorted(rows, key=lambda name: -rows[name])
    places = [said.index(f"{name} {rows[name]:.1%}"[:-3]) for name in order]
    assert places == sorted(places)
    assert len(rows) == 7


def test_the_embedded_reviews_tell_the_story_of_the_lecture(figures: Path) -> None:
    """Writing lists, learning lists, probabilities, weights: each better than the one before, by a margin."""
    models = played("may", "weights", figures)
    rows = {row[0]: float(row[1]) for row in rows_under(models, "model  ")}
    assert rows["lexicon"] + 0.03 < rows["word lists"] < rows["naive Bayes"] - 0.03
    assert rows["naive Bayes"] < max(rows["SVM"], rows["logistic regression"])
    assert "does not beat" not in remark(models, "From best to worst")


def test_the_cap_of_mira_shows(figures: Path) -> None:
    rows = rows_under(played("amato", "margins", figures), "a fifth of the labels wrong")
    mean = {row[0]: float(row[2]) for row in rows}
    assert mean["MIRA, C = 0.01"] > mean["MIRA, C = 10"] + 0.05
    online = rows_under(played("lxmls", "online", figures), "λ      toy train")
    assert online[0][4] != online[-1][4]


def test_units_with_room_have_no_input_on_the_boundary(figures: Path) -> None:
    units = next(part.text for part in played("amato", "perceptron", figures) if "majority" in part.text)
    for name, rows in (("AND", [(0, 0), (0, 1), (1, 1)]), ("OR", [(0, 0), (0, 1), (1, 1)])):
        line = next(line for line in units.splitlines() if line.startswith(name))
        w, b = re.search(r"with room w = \[(.*)\], b = (.*)$", line).groups()
        weights = [float(value) for value in w.split(",")]
        scores = [sum(x * v for x, v in zip(row, weights, strict=True)) + float(b) for row in rows]
        assert min(abs(score) for score in scores) > 0.9
        assert "with room" in line


def test_combinations_are_added_to_the_single_words(figures: Path) -> None:
    text = next(
        part.text for part in played("johansson", "perceptron", figures) if "combinations" in part.text
    )
    assert re.search(r"single words +4 features, 50%", text)
    assert re.search(r"with combinations +8 features, 100%", text)
