"""``TextClassifier`` where scikit-learn expects a classifier: its own checks, searches, curves, clones, weights."""

from __future__ import annotations

import subprocess
import sys
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone, is_classifier
from sklearn.exceptions import SkipTestWarning
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score, learning_curve
from sklearn.utils import get_tags
from sklearn.utils.estimator_checks import estimator_checks_generator
from sklearn.utils.validation import validate_data

from lindy import SVM, MaxEnt, TextClassifier
from lindy.core.inputs import Texts
from lindy.estimators.base import classifier_tags
from lindy.text import TfidfVectorizer

TEXTS = ["a wonderful warm book", "wonderful and wise", "a dull long book", "dull and empty"] * 10
LABELS = ["good", "good", "bad", "bad"] * 10


class SpelledRows(TextClassifier):
    """Rows of numbers, each spelt as a text: scikit-learn's checks have only numbers to offer."""

    def __sklearn_tags__(self) -> Any:
        return classifier_tags()

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> SpelledRows:  # type: ignore[override]
        """Remember how many numbers a row has, as the checks want."""
        validate_data(self, X)
        return super().fit(X, y, sample_weight)

    def _inputs(self, texts: Any, vectorizer: Any) -> Texts:
        rows = validate_data(self, texts, reset=False)
        return Texts(
            " ".join(f"f{j}is{round(value * 4)} f{j}positive{value > 0}" for j, value in enumerate(row))
            for row in rows.tolist()
        )


ESTIMATORS = [TextClassifier(), SpelledRows(learner="svm"), SpelledRows(learner="naive-bayes")]


def _checks() -> list[Any]:
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not inherit from `sklearn.base.BaseEstimator`")
        warnings.filterwarnings(
            "ignore", message="Can't test estimator TextClassifier", category=SkipTestWarning
        )
        return [
            pytest.param(estimator, check, id=f"{estimator!r}-{getattr(check, 'func', check).__name__}")
            for own in ESTIMATORS
            for estimator, check in estimator_checks_generator(own, legacy=True)
            if not (own.learner == "svm" and "sample_weight_equivalence" in str(check))
        ]


def test_weights_of_an_svm_are_repetitions() -> None:
    """scikit-learn's check, without calibration, whose folds hold a row out as a whole, and as exact as float32 is."""
    rng = np.random.RandomState(42)
    X, y, weight = rng.rand(15, 30), rng.randint(0, 3, size=15), rng.randint(0, 5, size=15)
    repeated, order = np.repeat(np.arange(15), weight), rng.permutation(15)
    options = {"learner": SVM(tol=1e-12), "calibration": "none"}
    a = SpelledRows(**options).fit(X[order], y[order], weight[order])
    b = SpelledRows(**options).fit(X[repeated], y[repeated])
    assert np.allclose(a.decision_function(X), b.decision_function(X), rtol=0, atol=1e-6)
    assert (a.predict(X) == b.predict(X)).all()


@pytest.mark.parametrize(("estimator", "check"), _checks())
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


def test_it_is_a_classifier_of_texts() -> None:
    assert is_classifier(TextClassifier())
    inputs = get_tags(TextClassifier()).input_tags
    assert inputs.one_d_array
    assert inputs.string
    assert not inputs.two_d_array
    assert get_tags(TextClassifier(columns={"text": ["a", "b"]})).input_tags.two_d_array


@pytest.mark.parametrize("wrap", [list, np.array, pd.Series])
def test_cross_validation_stratifies_and_learns(wrap: Any) -> None:
    model = TextClassifier(learner="svm")
    assert cross_val_score(model, wrap(TEXTS), wrap(LABELS), cv=4).tolist() == [1.0] * 4
    assert cross_val_predict(model, wrap(TEXTS), wrap(LABELS), cv=4).tolist() == LABELS
    assert cross_val_score(model, wrap(TEXTS), wrap(LABELS), cv=4, scoring="roc_auc").tolist() == [1.0] * 4
    p = cross_val_predict(model, wrap(TEXTS), wrap(LABELS), cv=4, method="predict_proba")
    assert p.shape == (40, 2)


def test_a_grid_search_reaches_learner_and_vectorizer() -> None:
    model = TextClassifier(learner=MaxEnt(), vectorizer=TfidfVectorizer())
    grid = {"learner__C": [1e-4, 10.0], "vectorizer__ngram_range": [(1, 1), (1, 2)], "calibration": ["none"]}
    search = GridSearchCV(model, grid, cv=2, scoring="neg_log_loss", n_jobs=2).fit(TEXTS, LABELS)
    assert search.best_params_["learner__C"] == 10.0
    assert search.best_estimator_.learner_.C == 10.0
    assert search.predict(TEXTS).tolist() == LABELS
    assert model.learner.C == MaxEnt().C
    by_name = GridSearchCV(TextClassifier(), {"learner": ["svm", "naive-bayes"]}, cv=2).fit(TEXTS, LABELS)
    assert by_name.best_score_ == 1


def test_a_parameter_of_a_learner_that_has_only_a_name() -> None:
    with pytest.raises(ValueError, match=r"cannot set learner__C: learner is 'svm', which has no parameters"):
        TextClassifier(learner="svm").set_params(learner__C=2)


def test_a_learning_curve() -> None:
    sizes, train, test = learning_curve(
        TextClassifier(learner="svm"), TEXTS, LABELS, cv=4, train_sizes=[0.5, 1.0], shuffle=True
    )
    assert len(train) == len(test) == len(sizes)
    assert test[-1].tolist() == [1.0] * 4


def test_a_clone_is_unfitted_with_copies_of_the_parts() -> None:
    model = TextClassifier(learner=SVM(C=3), extra=[TfidfVectorizer()]).fit(TEXTS, LABELS)
    copy = clone(model)
    assert not hasattr(copy, "learner_")
    assert copy.learner is not model.learner
    assert copy.learner.C == 3
    assert copy.extra[0] is not model.extra[0]


def test_weights_count_in_fit_and_in_score() -> None:
    labels = ["good", "bad", *LABELS[2:]]
    weight = np.ones(40)
    weight[1] = 0
    model = TextClassifier(learner="svm").fit(TEXTS, labels, sample_weight=weight)
    right = model.predict(TEXTS) == np.array(labels)
    assert model.score(TEXTS, labels) == right.mean()
    assert model.score(TEXTS, labels, sample_weight=weight) == np.average(right, weights=weight)


@pytest.mark.parametrize(
    ("labels", "error", "piece"),
    [
        (None, ValueError, "requires y to be passed, but the target y is None"),
        ([1.5, 2.0] * 20, TypeError, "continuous"),
        ([np.nan, 2.0] * 20, ValueError, "Input y contains NaN"),
        (["a", None] * 20, ValueError, "every example needs a label"),
        ([["a", "b"], "c"] * 20, ValueError, "some rows have lists of labels, others str"),
    ],
)
def test_labels_that_cannot_be_classes(labels: Any, error: type[Exception], piece: str) -> None:
    with pytest.raises(error, match=piece):
        TextClassifier(learner="svm").fit(TEXTS, labels)


def test_lindy_does_not_import_scikit_learn() -> None:
    code = (
        "import sys; from lindy import TextClassifier\n"
        "model = TextClassifier(learner='svm').fit(['good day', 'bad day'] * 9, [0, 1] * 9)\n"
        "model.predict(['a']); model.get_params(); repr(model)\n"
        "assert not any(name.partition('.')[0] == 'sklearn' for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
