"""Names, places and flips are found when an explanation is asked for them, and are those of its prediction."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lindy import TextClassifier
from lindy.explain import explain
from lindy.text import CountVectorizer, HashingVectorizer
from tests.explain.representations import BINARY, TEXTS

MODELS: dict[str, Callable[[], TextClassifier]] = {
    "default": lambda: TextClassifier(fast=True),
    "words": lambda: TextClassifier(learner="naive-bayes"),
    "hashed": lambda: TextClassifier(
        learner="perceptron", vectorizer=HashingVectorizer(n_features=7, record=True)
    ),
}


def test_words_are_tried_once_and_only_when_asked_for() -> None:
    vectorizer = CountVectorizer()
    rows = vectorizer.fit_csr(TEXTS)
    learner = TextClassifier(learner="naive-bayes").fit(TEXTS, BINARY).learner_.fit(rows, BINARY)
    asked: list[int] = []

    def predict(texts: list[Any]) -> Any:
        asked.append(len(texts))
        return learner.predict(vectorizer.transform_csr(texts))

    row = vectorizer.transform_csr(["a dull book"])
    made = explain(vectorizer, learner, "a dull book", row=row, label="bad", predict=predict)
    assert made.segments()
    assert asked == []
    assert made.tried == asked[0]
    assert made.flips == made.flips
    assert len(asked) == 1


@pytest.mark.parametrize("name", MODELS)
def test_a_pickled_explanation_needs_no_model(name: str) -> None:
    made = MODELS[name]().fit(TEXTS, BINARY).explain("a dull book, not warm")
    again = pickle.loads(pickle.dumps(made))
    assert again.origin is None
    assert again.to_dict() == made.to_dict()
    assert again.segments() == made.segments()
    assert again.flips == made.flips


def test_another_fit_does_not_change_an_explanation() -> None:
    model, other = (TextClassifier(learner="naive-bayes").fit(TEXTS, BINARY) for _ in range(2))
    expected = other.explain("a dull book").to_dict()
    made = model.explain("a dull book")
    model.fit(["dull dull", "a warm book"], ["yes", "no"])
    assert made.to_dict() == expected


def test_a_row_that_is_changed_later_does_not_change_its_explanation() -> None:
    model = TextClassifier(learner="naive-bayes", columns={"text": ["title"], "category": ["kind"]})
    model.fit({"title": TEXTS, "kind": ["a", "b"] * 4}, BINARY)
    row = {"title": "a dull book", "kind": "a"}
    expected = model.explain(dict(row)).to_dict()
    made = model.explain(row)
    row["title"] = row["kind"] = "warm"
    assert made.to_dict() == expected


@pytest.mark.parametrize("text", ["a dull book", "", "Café \ud800", "warm " * 9000])
def test_one_native_call_finds_the_row_of_a_batch(text: str) -> None:
    model = TextClassifier(ngrams=(1, 2), chars=(1, 5)).fit(TEXTS, BINARY)
    made = model.explain(text)
    row = model.vectorizer_.transform_csr([text]).without_zeros()
    np.testing.assert_array_equal(made.columns, row.indices)
    np.testing.assert_array_equal(made.values, row.values)
    np.testing.assert_array_equal(made.decision, model.learner_.decision_function(row).reshape(-1))
