"""Pipelines of scikit-learn become text classifiers with the same predictions, and the other way round."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.feature_extraction.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfTransformer,
    TfidfVectorizer,
)
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler
from sklearn.svm import LinearSVC

import lindy
import lindy.accel

RNG = np.random.default_rng(1)
WORDS = "good fine plot film bad dull long joy read the a of".split()  # noqa: SIM905 - easier to read
TEXTS = [" ".join(RNG.choice(WORDS, 12)) for _ in range(300)]
SCORES = [text.count("good") - text.count("bad") + text.count("joy") for text in TEXTS]
TWO = np.where(np.array(SCORES) > 0, "yes", "no")
THREE = np.digitize(SCORES, [0, 2])
PIPELINES: list[Any] = [
    (make_pipeline(TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True), LinearSVC()), TWO),
    (
        make_pipeline(TfidfVectorizer(use_idf=False, stop_words="english"), LinearSVC(fit_intercept=False)),
        THREE,
    ),
    (make_pipeline(CountVectorizer(binary=True), LogisticRegression()), THREE),
    (make_pipeline(CountVectorizer(), TfidfTransformer(norm="l1"), LogisticRegression(C=50)), TWO),
    (make_pipeline(HashingVectorizer(n_features=512), LogisticRegression()), THREE),
]


@pytest.mark.parametrize(("pipeline", "labels"), PIPELINES)
def test_a_pipeline_becomes_a_classifier_and_a_pipeline_again(
    pipeline: Any, labels: Any, tmp_path: Path
) -> None:
    pipeline.fit(TEXTS, labels)
    model = lindy.accel.from_sklearn(pipeline)
    model.save(tmp_path / "model.lindy")
    for own in (model, lindy.load(tmp_path / "model.lindy"), lindy.accel.to_sklearn(model)):
        assert np.array_equal(own.predict(TEXTS), pipeline.predict(TEXTS))
        assert np.allclose(own.decision_function(TEXTS), pipeline.decision_function(TEXTS), atol=1e-5)
        if hasattr(pipeline, "predict_proba"):
            assert np.allclose(own.predict_proba(TEXTS), pipeline.predict_proba(TEXTS), atol=1e-5)
    assert model.explain(TEXTS[0]).label in model.classes_.tolist()
    assert "from scikit-learn" in model.recipe_


def test_a_trained_classifier_becomes_a_pipeline() -> None:
    model = lindy.TextClassifier(vectorizer=lindy.text.TfidfVectorizer(), learner=lindy.MaxEnt()).fit(
        TEXTS, TWO
    )
    assert np.array_equal(lindy.accel.to_sklearn(model).predict(TEXTS), model.predict(TEXTS))


def test_what_has_no_counterpart_is_named() -> None:
    def pattern(text: str) -> list[str]:
        return text.split()

    for pipeline, message in (
        (make_pipeline(CountVectorizer(), MultinomialNB()), "cannot read MultinomialNB"),
        (
            make_pipeline(CountVectorizer(tokenizer=pattern, token_pattern=None), LinearSVC()),
            "a function of Python",
        ),
        (
            make_pipeline(CountVectorizer(), MaxAbsScaler(), LinearSVC()),
            "CountVectorizer, MaxAbsScaler, LinearSVC",
        ),
    ):
        with pytest.raises(lindy.DataError) as error:
            lindy.accel.from_sklearn(pipeline.fit(TEXTS, TWO))
        assert message in f"{error.value} {error.value.hint}"
    for options, message in (
        (
            {"vectorizer": lindy.text.TfidfVectorizer(punctuation=True), "learner": "maxent"},
            "cannot do punctuation",
        ),
        ({"learner": "naive-bayes"}, "no estimator that predicts"),
    ):
        with pytest.raises(lindy.DataError, match=message):
            lindy.accel.to_sklearn(lindy.TextClassifier(**options).fit(TEXTS, TWO))
