"""Classifiers of other libraries in the place of a learner."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import LinearSVC

from lindy import LindyError, TextClassifier
from lindy.evaluation import evaluate
from lindy.text import CountVectorizer

TEXTS = ["a wonderful warm book", "wonderful and wise", "a dull long book", "dull and empty"] * 10
LABELS = ["good", "good", "bad", "bad"] * 10
THREE = ["warm", "wise", "dull", "dull"] * 10
OTHERS = [
    LogisticRegression(),
    LinearSVC(),
    RidgeClassifier(),
    MultinomialNB(),
    RandomForestClassifier(n_estimators=10, random_state=0),
    KNeighborsClassifier(3),
]


@pytest.mark.parametrize("labels", [LABELS, THREE], ids=["two", "three"])
@pytest.mark.parametrize("learner", OTHERS, ids=lambda learner: type(learner).__name__)
def test_it_learns_predicts_and_is_evaluated(learner: Any, labels: list[str]) -> None:
    model = TextClassifier(learner=learner).fit(TEXTS, labels)
    assert model.predict(TEXTS).tolist() == labels
    assert model.score(TEXTS, labels) == 1
    p = model.predict_proba(TEXTS)
    np.testing.assert_allclose(p.sum(axis=1), 1)
    assert model.classes_[p.argmax(axis=1)].tolist() == labels
    assert not hasattr(learner, "classes_")
    assert evaluate(labels, model.predict(TEXTS)).accuracy == 1
    explanation = model.explain(TEXTS[0])
    assert explanation.label == labels[0]
    assert type(learner).__name__ in model.recipe_


def test_probabilities_are_the_classifiers_own() -> None:
    rows = CountVectorizer()
    model = TextClassifier(learner=LogisticRegression(), vectorizer=rows).fit(TEXTS, LABELS)
    alone = LogisticRegression().fit(rows.fit_transform(TEXTS), LABELS)
    np.testing.assert_allclose(
        model.predict_proba(TEXTS), alone.predict_proba(rows.transform(TEXTS)), rtol=1e-3
    )
    assert model.calibrator_ is None
    assert TextClassifier(learner=LinearSVC()).fit(TEXTS, LABELS).calibrator_ is not None


def test_a_linear_one_is_explained_word_by_word() -> None:
    explanation = (
        TextClassifier(learner=LogisticRegression()).fit(TEXTS, LABELS).explain("a wonderful dull book")
    )
    added = dict(zip(explanation.names, explanation.added[:, 0].tolist(), strict=True))
    assert added["wonderful"] > 0 > added["dull"]
    np.testing.assert_allclose(explanation.added.sum(axis=0) + explanation.bias, explanation.decision)


def test_it_is_searched_and_weighed() -> None:
    search = GridSearchCV(TextClassifier(learner=LogisticRegression()), {"learner__C": [0.1, 10.0]}, cv=2)
    assert search.fit(TEXTS, LABELS, sample_weight=np.ones(40)).best_score_ == 1
    with pytest.raises(ValueError, match="KNeighborsClassifier cannot weigh examples"):
        TextClassifier(learner=KNeighborsClassifier()).fit(TEXTS, LABELS, np.ones(40))


def test_it_is_not_saved_but_pickled(tmp_path: Path) -> None:
    model = TextClassifier(learner=LogisticRegression()).fit(TEXTS, LABELS)
    with pytest.raises(LindyError, match="LogisticRegression of sklearn cannot be saved"):
        model.save(tmp_path / "m.lindy")
    assert not list(tmp_path.iterdir())
    assert pickle.loads(pickle.dumps(model)).predict(TEXTS).tolist() == LABELS


@pytest.mark.parametrize(
    ("learner", "got"), [(LogisticRegression, "the class LogisticRegression"), (7, "int"), (None, "NoneType")]
)
def test_what_is_no_classifier(learner: Any, got: str) -> None:
    with pytest.raises(TypeError, match=f"learner must be a name or a classifier .*; got {got}"):
        TextClassifier(learner=learner).fit(TEXTS, LABELS)


def test_rows_become_a_matrix_of_scipy() -> None:
    rows = CountVectorizer().fit_csr(TEXTS)
    for matrix in (rows.to_scipy(), rows.tocsr()):
        assert scipy.sparse.issparse(matrix)
        assert np.shares_memory(matrix.data, rows.values)
        np.testing.assert_array_equal(scipy.sparse.csr_matrix(matrix).toarray(), rows.to_dense())
