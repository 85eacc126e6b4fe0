"""The report on a model of several labels per text: figures, a row for each label, errors, and a light page."""

from __future__ import annotations

import random

import pytest

pytest.importorskip("matplotlib")

from lindy import TextClassifier
from lindy.core.targets import as_lists
from lindy.evaluation import evaluate_labels
from lindy.report import report
from tests.report.test_report import parsed

WORDS = {
    "bread": "loaf crust dough flour yeast",
    "soup": "broth bowl spoon stock ladle",
    "fish <i>": "salmon fin trout scale cod",
}


def dishes(n: int, seed: int) -> tuple[list[str], list[list[str]]]:
    draw = random.Random(seed)
    texts, labels = [], []
    for number in range(n):
        tags = draw.sample(sorted(WORDS), draw.choice([0, 1, 1, 2, 3]))
        words = [word for tag in tags for word in draw.sample(WORDS[tag].split(), 2)]
        texts.append(f"{' '.join(words)} {draw.choice(['loaf', 'bowl', 'x'])} number{number}")
        labels.append(draw.sample(sorted(WORDS), 2) if number % 9 == 0 else tags)  # some are wrong
    return texts, labels


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier(metric="macro-f1").fit(*dishes(200, 0))


def test_the_page_has_the_figures_and_a_row_for_each_label(model: TextClassifier) -> None:
    texts, labels = dishes(120, 1)
    page = report(model, texts, labels, train=dishes(200, 0), mistakes=4)
    text = "".join(parsed(page).text)
    result = evaluate_labels(as_lists(labels), model.predictions(texts), model.classes_)
    for name in ("micro_f1", "macro_f1", "example_f1", "label_ranking_average_precision", "ndcg_at_3"):
        assert f"{result.figures[name]:.3f}" in text
    for own in result.labels:
        assert f"{own.f1:.3f}" in text
    assert "fish <i>" in text
    assert "<i>" not in page
    for heading in ("Rare and frequent labels", "Do probabilities come true?", "Would more examples help?"):
        assert heading in text
    assert "missing" in text
    assert "macro-f1" in text
    assert "<script" not in page


def test_a_page_of_many_labels_folds_most_of_them() -> None:
    draw = random.Random(2)
    names = [f"label{k}" for k in range(120)]
    rows = [draw.sample(names, 2) for _ in range(900)]
    texts = [" ".join(f"word{name}" for name in own) for own in rows]
    model = TextClassifier().fit(texts, rows)
    page = report(model, texts[:200], rows[:200])
    assert "100 more labels" in page
    assert len(page) < 400_000


def test_texts_without_labels_alone_are_reported(model: TextClassifier) -> None:
    texts, _ = dishes(10, 3)
    assert "macro-F1" in "".join(parsed(report(model, texts, [[] for _ in texts])).text)
