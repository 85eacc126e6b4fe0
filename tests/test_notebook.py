"""What a notebook shows: models, explanations, comparisons and evaluations as HTML that runs nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import numpy as np
import pytest

from lindy import SVM, MaxEnt, MultinomialNaiveBayes, TextClassifier
from lindy.core.targets import OneLabel
from lindy.evaluation import evaluate
from lindy.evaluation.compare import Experiment, compare, vectorize
from lindy.text import CountVectorizer

EVIL = '<script>alert("1")</script><img src=x onerror=alert(2)>'
TEXTS = ["a wonderful warm book", "wonderful and wise", "a dull long book", "dull and empty"] * 10
LABELS = ["good", "good", "bad", "bad"] * 10
TAGS = {"style", "div", "table", "caption", "thead", "tbody", "tr", "th", "td", "section", "p"}
TAGS |= {"span", "bdi", "mark", "sup", "strong", "i"}


class Reader(HTMLParser):
    """Collects tags, attributes and text, and checks that what is opened is closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.text = ""
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.add(tag)
        self.open.append(tag)
        self.attributes |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def read(thing: Any) -> str:
    """Return the text that is shown, after checking that nothing in it can run or be fetched."""
    page = Reader(thing._repr_html_())
    assert page.tags <= TAGS
    assert page.attributes <= {"class", "style", "title", "dir"}
    assert "url(" not in page.text
    assert "@import" not in page.text
    return page.text


def comparison() -> Any:
    labels = OneLabel.of(np.array([1, 1, 0, 0] * 10))
    train, test, _ = vectorize(TEXTS, TEXTS)
    return compare({EVIL: MultinomialNaiveBayes(), "svm": SVM()}, Experiment(train, labels, test, labels))


def test_a_model_says_what_was_chosen_and_proved() -> None:
    model = TextClassifier().fit(TEXTS, LABELS)
    text = read(model)
    assert model.recipe_ in text
    assert "good (20)" in text
    assert "of it above the optimum" in text
    assert model.why_[0] in text
    assert repr(model) == f"TextClassifier() fitted to 40 examples of 2 classes: {model.recipe_}"
    assert repr(TextClassifier()) == "TextClassifier()"
    assert "TextClassifier()" in read(TextClassifier())


@pytest.mark.parametrize("learner", [SVM(C=3), MaxEnt(penalty=None), MultinomialNaiveBayes()])
def test_learners_and_vectorizers(learner: Any) -> None:
    vectorizer = CountVectorizer()
    assert repr(learner) in read(learner)
    learner.fit(vectorizer.fit_csr(TEXTS), LABELS)
    assert "bad, good" in read(learner)
    assert f"columns{vectorizer.n_columns} (" in read(vectorizer)
    assert ("of it above the optimum" in read(learner)) == isinstance(learner, SVM)


def test_hostile_labels_words_and_texts_stay_text() -> None:
    labels = [EVIL if label == "good" else label for label in LABELS]
    model = TextClassifier(learner="svm").fit([f"{text} {EVIL}" for text in TEXTS], labels)
    explanation = model.explain(f"wonderful {EVIL}")
    for thing in (model, explanation, evaluate(labels, model.predict(TEXTS)), comparison()):
        assert EVIL in read(thing)
    model.recipe_ = f"{EVIL}\x1b[31m"
    assert EVIL in read(model)
    assert "\x1b" not in repr(model)


def test_an_explanation_is_the_coloured_text() -> None:
    page = TextClassifier(learner="svm").fit(TEXTS, LABELS).explain("a wonderful dull book")._repr_html_()
    assert '<mark class="for"' in page
    assert '<mark class="against"' in page


def test_an_evaluation_of_many_classes_has_no_confusion() -> None:
    many = evaluate(list(range(30)), list(range(30)))
    assert "true, by predicted" not in read(many)
    few = evaluate(LABELS, LABELS)
    assert "true, by predicted" in read(few)
    assert "1.0000" in read(few)


def test_colours_are_those_of_the_notebook() -> None:
    """No background or text colour of its own, apart from half transparent marks: readable on light and on dark."""
    style = re.search(r"<style>(.*?)</style>", SVM()._repr_html_(), re.DOTALL)
    assert style is not None
    colours = re.findall(r"(?<![\w-])(?:color|background): ([^;]*);", style[1])
    assert set(colours) <= {"inherit", "none"} | {
        c for c in colours if c.startswith(("rgba(var(", "rgb(var("))
    }
