"""Selecting features by scores: in pipelines, in vectorizers, in classifiers and their files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_selection import SelectKBest, chi2, mutual_info_classif
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline

import lindy
from lindy import MaxEnt, SelectFeatures, TextClassifier, select_features
from lindy.errors import DataError
from lindy.explain import inspect
from lindy.features import BagVectorizer
from lindy.text import (
    Bm25Vectorizer,
    CountVectorizer,
    LogCountRatioVectorizer,
    TfidfVectorizer,
    UnionVectorizer,
)
from lindy.text.vocabulary.feature_selection import METHODS

TEXTS = ["good good book", "a fine good read", "bad bad bad book", "an awful bad read"] * 10
LABELS = ["+", "+", "-", "-"] * 10
VECTORIZERS = (CountVectorizer, TfidfVectorizer, Bm25Vectorizer, LogCountRatioVectorizer)


@given(
    rows=st.lists(st.lists(st.integers(0, 1), min_size=5, max_size=5), min_size=6, max_size=30),
    seed=st.integers(0, 9),
)
@settings(max_examples=25, deadline=None)
def test_scores_of_binary_counts_are_scikit_learns(rows: list[list[int]], seed: int) -> None:
    X, y = np.array(rows, float), np.random.default_rng(seed).integers(0, 3, len(rows))
    if len(set(y.tolist())) < 2:
        return
    with np.errstate(all="ignore"):
        expected = chi2(X, y)[0]
    np.testing.assert_allclose(SelectFeatures(method="chi2", k=2).fit(X, y).scores_, expected, atol=1e-12)
    gains = mutual_info_classif(X.astype(int), y, discrete_features=True)
    found = SelectFeatures(method="information-gain", k=2).fit(scipy.sparse.csr_array(X), y)
    np.testing.assert_allclose(found.scores_, gains, atol=1e-12)
    assert SelectFeatures(method="df", k=2).fit(X).scores_.tolist() == X.sum(axis=0).tolist()
    assert SelectFeatures(method="count", k=2).fit(3 * X).scores_.tolist() == (3 * X).sum(axis=0).tolist()


def test_it_keeps_the_columns_that_scikit_learn_keeps() -> None:
    rng = np.random.default_rng(1)
    X, y = scipy.sparse.csr_matrix(rng.poisson(0.7, (60, 9)).astype(float)), rng.integers(0, 3, 60)
    theirs, ours = SelectKBest(chi2, k=3).fit(X, y), SelectFeatures(method="chi2", k=3).fit(X, y)
    np.testing.assert_array_equal(ours.get_support(), theirs.get_support())
    np.testing.assert_array_equal(ours.get_support(indices=True), theirs.get_support(indices=True))
    np.testing.assert_array_equal(ours.transform(X).toarray(), theirs.transform(X).toarray())
    np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())


def test_in_a_pipeline_of_scikit_learn() -> None:
    pipeline = make_pipeline(TfidfVectorizer(), SelectFeatures(method="information-gain", k=2), MaxEnt())
    assert cross_val_score(pipeline, TEXTS, LABELS, cv=2).min() == 1.0
    frame = (
        SelectFeatures(k=1).set_output(transform="pandas").fit_transform([[1, 0], [0, 1], [1, 0]], [0, 1, 0])
    )
    assert frame.shape == (3, 1)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("kind", VECTORIZERS)
def test_a_vectorizer_has_only_what_it_selected_as_if_the_rest_did_not_exist(kind: Any, method: str) -> None:
    vectorizer = kind(select=f"{method}:3")
    rows = vectorizer.fit_csr(TEXTS, y=LABELS).to_dense()
    counts = CountVectorizer().fit(TEXTS)
    chosen = SelectFeatures(method=method, k=3).fit(counts.transform(TEXTS), LABELS)
    names = chosen.get_feature_names_out(counts.get_feature_names_out()).tolist()
    assert vectorizer.get_feature_names_out().tolist() == names
    np.testing.assert_array_equal(vectorizer.transform_csr(TEXTS).to_dense(), rows)
    # the same rows as those of texts in which there are no other words
    only = [" ".join(word for word in text.split() if word in names) for text in TEXTS]
    np.testing.assert_array_equal(kind().fit_csr(only, y=LABELS).to_dense(), rows)
    assert vectorizer.uses_labels == (
        method in ("chi2", "information-gain") or kind is LogCountRatioVectorizer
    )


def test_terms_of_callables_unions_and_bags() -> None:
    own = CountVectorizer(tokenizer=str.split, token_pattern=None, select="chi2:2").fit(TEXTS, LABELS)
    assert set(own.vocabulary_) == {"bad", "good"}
    union = UnionVectorizer(
        vectorizers=[
            ("words", TfidfVectorizer(select="chi2:2")),
            ("chars", TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 3), select="chi2:4")),
        ]
    )
    assert union.uses_labels
    assert union.fit_csr(TEXTS, y=LABELS).n_columns == 6
    features = [{"good": 2, "book": 1}, {"bad": 1, "book": 1}]
    assert BagVectorizer(select="chi2:2").fit(features, ["+", "-"]).feature_names_ == ["bad", "good"]
    with pytest.raises(ValueError, match="non-negative"):
        BagVectorizer(select="chi2:2").fit([{"a": -1.0}, {"b": 1.0}], ["+", "-"])


@pytest.mark.parametrize(
    "options",
    [{"learner": "svm"}, {"learner": "naive-bayes", "ngrams": (1, 1), "chars": (3, 3)}, {}, {"fast": True}],
)
def test_a_classifier_saves_explains_and_shows_only_what_it_selected(options: Any, tmp_path: Path) -> None:
    model = TextClassifier(select="chi2:2", **options).fit(TEXTS, LABELS)
    path = tmp_path / "m.lindy"
    model.save(path)
    assert b"awful" not in path.read_bytes()
    assert "at most 2 features of a kind, by χ²" in model.recipe_
    again = lindy.load(path)
    assert again.vectorizer_.n_columns <= 4
    np.testing.assert_array_equal(again.decision_function(TEXTS), model.decision_function(TEXTS))
    assert again.predict(["good"]).tolist() == ["+"]
    names = again.explain("good awful").names
    assert any("good" in name for name in names)
    assert not any("awful" in name for name in names)
    assert "awful" not in str(inspect(again))


def test_recipes_are_compared_with_the_terms_of_their_own_folds() -> None:
    # labels at random: selection by all labels would make held-out texts look predictable
    rng = np.random.default_rng(0)
    words = np.array([f"w{i}" for i in range(2000)])
    texts = [" ".join(rng.choice(words, 20)) for _ in range(300)]
    labels = rng.integers(0, 2, 300).astype(str)
    model = TextClassifier(select="chi2:50").fit(texts, labels)
    share = float(model.why_[1].split(": ")[-1].split(" %")[0])
    assert share < 62  # five standard errors above one half


def test_the_function_names_what_it_found() -> None:
    found = select_features(TEXTS, LABELS, k=2)
    assert found.names == ["bad", "good"]
    assert [name for name, _ in found] == found.names
    assert found.scores.tolist() == sorted(found.scores.tolist(), reverse=True)
    assert "bad" in str(found)
    assert len(select_features(TEXTS, LABELS, k=10**9)) == 7
    assert select_features(TEXTS, LABELS, ngrams=(2, 2), method="df", k=1).names[0].count(" ") == 1
    assert select_features([[1, 0], [0, 1]], ["+", "-"], k=1, names=["p", "q"]).names == ["p"]
    assert select_features(scipy.sparse.eye(2).tocsr(), ["+", "-"], k=1).names == ["x0"]
    assert select_features([{"a": 1, "b": 1}, {"b": 1}], ["+", "-"], k=1).names == ["a"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((TEXTS, ["+"] * 40), "only one class"),
        ((TEXTS,), "give the labels as y"),
        ((TEXTS, LABELS[:3]), "inconsistent numbers of samples"),
        (([], []), "there are no examples"),
        (("a text", ["+"]), "string object received"),
        ((np.zeros((0, 3)), []), "0 sample"),
        (([[1, -1], [0, 1]], [0, 1]), "non-negative"),
    ],
)
def test_data_that_cannot_be_selected_from(arguments: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        select_features(*arguments)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "chi"}, "Did you mean 'chi2'"),
        ({"k": 0}, "whole number of at least 1; got 0"),
        ({"k": 1.5}, "whole number of at least 1; got 1.5"),
        ({"names": ["a"]}, "names are those of a matrix"),
    ],
)
def test_options_that_cannot_be(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        select_features(TEXTS, LABELS, **options)


@pytest.mark.parametrize("wrong", ["chi2", "chi2:", "chi2:0", "chi2:-5", "chi2:x", ":5", 5, ("chi2", 5)])
def test_a_selection_is_a_method_and_a_number(wrong: Any) -> None:
    for fit in (
        lambda: CountVectorizer(select=wrong).fit(TEXTS, LABELS),
        lambda: TextClassifier(select=wrong).fit(TEXTS, LABELS),
        lambda: BagVectorizer(select=wrong).fit([{"a": 1}, {"b": 1}], ["+", "-"]),
    ):
        with pytest.raises(ValueError, match=r"chi2:10000|selected by one of|whole number of at least 1"):
            fit()


def test_what_cannot_select_says_so() -> None:
    cases: list[tuple[str, Any]] = [
        (
            "leave out select or vocabulary",
            lambda: CountVectorizer(select="df:1", vocabulary=["a"]).fit(TEXTS),
        ),
        ("leave out select or oov", lambda: CountVectorizer(select="df:1", oov=2).fit(TEXTS)),
        ("cannot be learned in parts", lambda: CountVectorizer(select="df:1").partial_fit(TEXTS)),
        (
            "give it to the vectorizer",
            lambda: TextClassifier(select="df:1", vectorizer=CountVectorizer()).fit(TEXTS, LABELS),
        ),
        (
            "no features to select",
            lambda: TextClassifier(select="df:1", learner="lexicon").fit(TEXTS, LABELS),
        ),
        ("give the labels as y", lambda: TfidfVectorizer(select="chi2:1").fit(TEXTS)),
    ]
    for message, call in cases:
        with pytest.raises(ValueError, match=message):
            call()
    with pytest.raises(DataError, match="only one class"):
        CountVectorizer(select="chi2:1").fit(TEXTS, ["+"] * 40)
