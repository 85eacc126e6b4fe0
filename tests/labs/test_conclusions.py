"""What labs conclude is said by their code, from the numbers of the run, and is true of them."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from lindy import MultinomialNaiveBayes
from lindy.data import split
from lindy.labs import review_texts
from lindy.labs.catalog import LABS
from lindy.labs.running import Played, play
from lindy.labs.script import paragraphs, read_script
from lindy.text import CountVectorizer

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


def head_of(played: tuple[Played, ...], head: str) -> str:
    """Return the head of a table that begins so."""
    lines = next(part.text for part in played if head in part.text).splitlines()
    return next(line for line in lines if line.startswith(head))


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


@pytest.mark.parametrize(
    ("part", "head", "said"),
    [
        ("naive_bayes", "k     training", "on held-out reviews k = {} has most right"),
        ("online", "λ      steps at the cap", "Held-out reviews choose λ = {}, which"),
        ("maxent", "λ       training", "Held-out reviews choose λ = {}, which"),
        ("svm", "λ      training", "Held-out reviews choose λ = {}: the optimum"),
    ],
)
def test_strengths_are_chosen_on_held_out_data(part: str, head: str, said: str, figures: Path) -> None:
    lab = played("lxmls", part, figures)
    rows = [row for row in rows_under(lab, head) if row[0][0].isdigit()]
    column = re.split(r" {2,}", head_of(lab, head)).index("held out")
    most = max(float(row[column]) for row in rows)
    best = [row[0] for row in rows if float(row[column]) > most - 1e-9]
    assert any(said.format(f"{float(value):g}") in remark(lab, "eld-out") for value in best)


def test_no_script_reads_a_test_set_without_an_interval() -> None:
    """Test sets are asked by ``judged``: ``score`` is for training data and for parts that are held out of it."""
    for path in SCRIPTS:
        source = path.read_text(encoding="utf-8")
        assert not re.search(r"\.score\([^)]*test", source), path


def test_the_embedded_reviews_tell_the_story_of_the_lecture(figures: Path) -> None:
    """Writing lists, learning lists, probabilities: each better than the one before, as the test shows."""
    models = played("may", "weights", figures)
    said = remark(models, "from rules to learned weights")
    sentences = said.rstrip(".").split(". ")
    for better, worse in (("Word lists", "lexicon"), ("Naive Bayes", "word lists")):
        verdict = next(text for text in sentences if text.startswith(f"{better} against {worse}: "))
        assert verdict.endswith("which 400 test examples show")


def test_the_cap_of_mira_shows(figures: Path) -> None:
    rows = rows_under(played("amato", "margins", figures), "a fifth of the labels wrong")
    mean = {row[0]: float(row[2]) for row in rows}
    assert mean["MIRA, C = 0.01"] > mean["MIRA, C = 10"] + 0.05
    online = rows_under(played("lxmls", "online", figures), "λ      steps at the cap")
    shares = [float(row[1]) for row in online]
    assert shares == sorted(shares, reverse=True), "the larger λ, the lower the cap"
    assert shares[0] == 1
    assert shares[-1] == 0


def test_the_best_accuracy_is_exact(figures: Path) -> None:
    rows = {row[0]: row for row in rows_under(played("lxmls", "naive_bayes", figures), "changed")}
    for variance, best in (("0.25", 0.998), ("1.0", 0.921), ("4.0", 0.760)):
        assert float(rows[f"variances {variance}"][2]) == best
        assert float(rows[f"variances {variance}"][1]) <= best


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


def test_reviews_that_are_impossible_under_one_class_are_not_those_under_both(figures: Path) -> None:
    data = review_texts()
    rows = split(data.y_train, {"train": 0.8, "dev": 0.2}, random_state=1)
    train, dev = ([data.train[i] for i in rows[part]] for part in ("train", "dev"))
    vectorizer = CountVectorizer(token_pattern=r"\w+")
    model = MultinomialNaiveBayes(alpha=0).fit(vectorizer.fit_transform(train), data.y_train[rows["train"]])
    zeros = np.isneginf(model.joint_log_proba(vectorizer.transform(dev))).sum(axis=1)
    said = f"impossible under one class {np.mean(zeros == 1):.0%}, under both {np.mean(zeros == 2):.0%}"
    assert any(said in cell.text for cell in played("may", "counting", figures))
