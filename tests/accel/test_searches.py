"""Searches give the same results with candidates evaluated together, and read the texts of a fold once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, RandomizedSearchCV, cross_validate
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.svm import LinearSVC

import lindy.accel
import lindy.linear.problem
import lindy.text.count
from lindy import text

RNG = np.random.default_rng(0)
LABELS = RNG.integers(0, 2, 120)
TEXTS = [
    " ".join(RNG.choice(["good", "fine", "plot", "a", "b", "bad", "dull"][label : label + 6], 8))
    for label in LABELS
]


@pytest.fixture(autouse=True)
def accelerated() -> Iterator[None]:
    lindy.accel.profile(clear=True)
    with lindy.accel.enabled():
        yield


def search(**options: Any) -> GridSearchCV:
    pipeline = Pipeline([("tfidf", TfidfVectorizer()), ("clf", LinearSVC(random_state=0))])
    grid = {"clf__C": [0.01, 0.1, 1.0], "tfidf__ngram_range": [(1, 1), (1, 2)]}
    return GridSearchCV(pipeline, grid, cv=3, **options)


def plain(model: Any) -> Any:
    lindy.accel.uninstall()
    try:
        return model.fit(TEXTS, LABELS)
    finally:
        lindy.accel.install()


def assert_same_results(own: Any, theirs: Any) -> None:
    assert own.best_params_ == theirs.best_params_
    assert own.cv_results_["params"] == theirs.cv_results_["params"]
    for name, scores in theirs.cv_results_.items():
        if name.endswith("_score"):
            assert np.allclose(own.cv_results_[name], scores, atol=1e-3), name


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_grid_search_has_the_same_results_and_reads_texts_once(
    n_jobs: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    fits = []
    fit = text.TfidfVectorizer.fit_transform
    monkeypatch.setattr(
        text.TfidfVectorizer, "fit_transform", lambda self, texts: fits.append(1) or fit(self, texts)
    )
    own = search(n_jobs=n_jobs, return_train_score=True, error_score="raise").fit(TEXTS, LABELS)
    if n_jobs == 1:
        assert len(fits) == 3 * 2 + 1  # folds × n-gram ranges, and the refit
    assert_same_results(own, plain(search(return_train_score=True)))
    assert own.best_estimator_["tfidf"].vocabulary_
    calls = {(call.name, call.where) for call in lindy.accel.profile().calls}
    assert ("GridSearchCV, grouping", "lindy") in calls


def test_candidates_of_other_classifiers_and_steps_share_texts() -> None:
    union = FeatureUnion(
        [("words", CountVectorizer(stop_words=["a"])), ("chars", TfidfVectorizer(analyzer="char"))]
    )
    pipeline = Pipeline([("union", union), ("clf", MultinomialNB())])
    grid = [{"clf": [MultinomialNB(), LogisticRegression()]}, {"clf": [LinearSVC()], "clf__C": [0.1, 1]}]
    own = GridSearchCV(pipeline, grid, cv=2).fit(TEXTS, LABELS)
    theirs = plain(GridSearchCV(pipeline, grid, cv=2))
    assert str(own.best_params_) == str(theirs.best_params_)
    assert np.allclose(own.cv_results_["mean_test_score"], theirs.cv_results_["mean_test_score"], atol=0.01)


class Doubling(TransformerMixin, BaseEstimator):
    """Changes the matrix that it is given."""

    def fit(self, X: Any, y: Any = None) -> Doubling:
        self.fitted_ = True
        return self

    def transform(self, X: Any) -> Any:
        X.data *= 2
        return X


def test_a_step_that_changes_its_input_changes_it_for_nobody_else() -> None:
    pipeline = Pipeline([("tfidf", TfidfVectorizer()), ("doubling", Doubling()), ("clf", LinearSVC())])
    grid = {"clf__C": [0.01, 0.1, 1.0]}
    own, theirs = (GridSearchCV(pipeline, grid, cv=3) for _ in range(2))
    assert_same_results(own.fit(TEXTS, LABELS), plain(theirs))


def test_what_cannot_be_grouped_runs_as_it_does() -> None:
    svc = GridSearchCV(LinearSVC(), {"C": [1, 2]}, cv=2).fit(RNG.normal(size=(20, 2)), LABELS[:20])
    assert svc.best_params_["C"] in (1, 2)
    one = RandomizedSearchCV(search().estimator, {"tfidf__min_df": [1, 2]}, n_iter=2, cv=2, random_state=0)
    one.fit(TEXTS, LABELS)
    reasons = {call.reason for call in lindy.accel.profile().calls if call.where == "scikit-learn"}
    assert {"the estimator is not a pipeline", "no two candidates have the same texts"} <= reasons


def test_errors_and_cross_validation_are_scikit_learns() -> None:
    failing = search(error_score="raise").set_params(
        param_grid={"tfidf__min_df": [200], "clf__C": [1.0, 2.0]}
    )
    with pytest.raises(ValueError, match="max_df corresponds to < documents than min_df"):
        failing.fit(TEXTS, LABELS)
    scores = cross_validate(search().estimator, TEXTS, LABELS, cv=3, return_train_score=True)
    assert set(scores) == {"fit_time", "score_time", "test_score", "train_score"}
