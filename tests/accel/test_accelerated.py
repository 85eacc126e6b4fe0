"""Accelerated estimators answer as scikit-learn's, and leave to scikit-learn what they cannot do."""

from __future__ import annotations

import copy
import gc
import pickle
import re
import subprocess
import sys
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse
import sklearn
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.svm import LinearSVC

import lindy.accel
import lindy.linear.problem
import lindy.text.count
from lindy.accel import linear, vectorizers

WORDS = re.split(" ", "The cat sat on THE mat naïve İstanbul ΑΣ a dog's life 1984 mp3 ab you've sat, sat!")
TEXTS = [" ".join(np.random.default_rng(i).choice(WORDS, i % 9)) for i in range(60)]
OPTIONS: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 2), "min_df": 2, "max_df": 0.8},
    {"analyzer": "char_wb", "ngram_range": (2, 4), "max_features": 30},
    {"analyzer": "char", "strip_accents": "unicode", "lowercase": False},
    {"stop_words": "english", "binary": True},
    {"vocabulary": ["cat", "the cat", "dog"], "ngram_range": (1, 2)},
    {"token_pattern": r"(?u)\b\w+\b", "strip_accents": "ascii", "dtype": np.float32},
]
WEIGHTS: list[dict[str, Any]] = [
    {"sublinear_tf": True},
    {"norm": "l1", "smooth_idf": False},
    {"use_idf": False, "norm": None},
]


@pytest.fixture(autouse=True)
def accelerated() -> Iterator[None]:
    lindy.accel.profile(clear=True)
    with lindy.accel.enabled():
        yield


def without_lindy(function: Any) -> Any:
    """Return what a function gives without acceleration."""
    lindy.accel.uninstall()
    try:
        return function()
    finally:
        lindy.accel.install()


def ran(name: str) -> dict[str, str]:
    """Return where a call ran, and why."""
    return {call.where: call.reason for call in lindy.accel.profile().calls if call.name == name}


def assert_same_matrix(first: Any, second: Any) -> None:
    assert type(first) is type(second)
    assert first.shape == second.shape
    for name in ("indptr", "indices", "data"):
        own, other = getattr(first, name), getattr(second, name)
        assert own.dtype == other.dtype, name
        assert np.array_equal(own, other), name


@pytest.mark.parametrize(
    ("kind", "options"),
    [(CountVectorizer, own) for own in OPTIONS] + [(TfidfVectorizer, own) for own in OPTIONS + WEIGHTS],
)
def test_vectorizers_are_the_same_bit_for_bit(kind: Any, options: dict[str, Any]) -> None:
    def fitted() -> tuple[Any, ...]:
        first, second = kind(**options), kind(**options)
        X = first.fit_transform(TEXTS)
        later = second.fit(TEXTS).transform(TEXTS[:7])
        restored = pickle.loads(pickle.dumps(second)).transform(TEXTS * 9)
        return X, later, restored, first.get_feature_names_out().tolist(), first.vocabulary_, first

    own = fitted()
    assert set(ran(f"{kind.__name__}.fit_transform")) == {"lindy"}
    assert set(ran(f"{kind.__name__}.transform")) == {"lindy"}
    theirs = without_lindy(fitted)
    for i in range(3):
        assert_same_matrix(own[i], theirs[i])
    assert own[3:5] == theirs[3:5]
    assert vars(own[5]).keys() == vars(theirs[5]).keys()
    if options.get("use_idf", True) and kind is TfidfVectorizer:
        assert own[5].idf_.dtype == theirs[5].idf_.dtype
        assert np.array_equal(own[5].idf_, theirs[5].idf_)


@pytest.mark.parametrize(
    "options", [{}, {"n_features": 32, "binary": True}, {"alternate_sign": False, "norm": None}]
)
def test_hashed_texts_are_the_same_bit_for_bit(options: dict[str, Any]) -> None:
    vectorizer = HashingVectorizer(**options)
    assert_same_matrix(
        vectorizer.fit_transform(TEXTS), without_lindy(lambda: vectorizer.fit_transform(TEXTS))
    )
    assert set(ran("HashingVectorizer.transform")) == {"lindy"}
    vectorizer.set_params(n_features=16)
    assert vectorizer.transform(TEXTS).shape == (60, 16)


def test_sparse_arrays_where_scikit_learn_is_configured_so() -> None:
    with sklearn.config_context(sparse_interface="sparray"):
        assert isinstance(TfidfVectorizer().fit_transform(TEXTS), scipy.sparse.csr_array)


def test_what_is_set_after_fit_counts() -> None:
    def changed() -> Any:
        vectorizer = TfidfVectorizer().fit(TEXTS)
        vectorizer.transform(TEXTS)
        vectorizer.idf_ = np.arange(1.0, 1 + len(vectorizer.vocabulary_))
        first = vectorizer.transform(TEXTS)
        vectorizer.vocabulary_ = {
            term: len(vectorizer.vocabulary_) - 1 - i for term, i in vectorizer.vocabulary_.items()
        }
        return scipy.sparse.vstack([first, vectorizer.set_params(lowercase=False).transform(TEXTS)])

    assert_same_matrix(changed(), without_lindy(changed))


def test_an_iterator_is_read_once() -> None:
    assert_same_matrix(CountVectorizer().fit_transform(iter(TEXTS)), CountVectorizer().fit_transform(TEXTS))
    lower = CountVectorizer(tokenizer=str.split, token_pattern=None)
    assert lower.fit_transform(text for text in TEXTS).shape[0] == 60
    assert ran("CountVectorizer.fit_transform")["scikit-learn"] == "tokenizer is a function of Python"


def test_copies_and_clones_have_what_pickles_have() -> None:
    vectorizer = CountVectorizer().fit(TEXTS)
    assert copy.deepcopy(vectorizer).vocabulary_ == vectorizer.vocabulary_
    assert not hasattr(clone(vectorizer), "vocabulary_")
    assert not hasattr(CountVectorizer(), "vocabulary_")


def test_vectorizers_are_forgotten_with_what_was_learned() -> None:
    vectorizer = CountVectorizer().fit(TEXTS)
    kept = weakref.ref(vectorizer)
    del vectorizer
    gc.collect()
    assert kept() is None


def test_vocabularies_stay_when_acceleration_ends() -> None:
    original = without_lindy(lambda: vars(CountVectorizer)["fit_transform"])
    vectorizer = CountVectorizer().fit(TEXTS)
    assert "vocabulary_" not in vars(vectorizer)
    terms = without_lindy(lambda: vectorizer.vocabulary_)
    assert terms == without_lindy(lambda: CountVectorizer().fit(TEXTS).vocabulary_)
    assert without_lindy(lambda: vars(CountVectorizer)["fit_transform"]) is original
    assert without_lindy(lambda: "vocabulary_" in vars(CountVectorizer)) is False


EYE = scipy.sparse.eye(4, format="csr")
ERRORS: list[Any] = [
    lambda: CountVectorizer().fit(["a b c"]),
    lambda: CountVectorizer(min_df=1.5).fit(TEXTS),
    lambda: TfidfVectorizer().fit("text"),
    lambda: TfidfVectorizer().transform(TEXTS),
    lambda: LinearSVC().fit(EYE, [1, 1, 1, 1]),
    lambda: LinearSVC(penalty="l1", dual=True).fit(EYE, [1, 2, 1, 2]),
]


@pytest.mark.parametrize("error", ERRORS)
def test_exceptions_are_scikit_learns(error: Any) -> None:
    with pytest.raises(Exception) as own:  # noqa: PT011 - whatever scikit-learn raises
        error()
    with pytest.raises(type(own.value)) as theirs:
        without_lindy(error)
    assert str(own.value) == str(theirs.value)
    assert lindy.accel.profile().faults == []


def rows(n_classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng(n_classes)
    X = scipy.sparse.random(300, 40, 0.2, "csr", random_state=3)
    truth = X @ rng.normal(size=(40, n_classes)) + rng.normal(size=(300, n_classes)) * 0.3
    return X, np.array(["x", "y", "z"])[truth.argmax(axis=1)]


TIGHT = {"tol": 1e-9, "max_iter": 1_000_000}  # refused by lindy, so scikit-learn's
FITS: list[tuple[Any, dict[str, Any], int]] = [
    (LinearSVC(), {}, 2),
    (LinearSVC(), {}, 3),
    (LinearSVC(loss="hinge", C=0.3), {}, 2),
    (LinearSVC(penalty="l1", dual=False), {}, 3),
    (LinearSVC(fit_intercept=False, class_weight="balanced"), {}, 2),
    (LinearSVC(class_weight={"x": 3.0, "y": 0.5}), {}, 3),
    (LogisticRegression(solver="liblinear", class_weight="balanced"), {}, 2),
    (LogisticRegression(), {"solver": "newton-cg"}, 2),
    (LogisticRegression(C=5), {"solver": "newton-cg"}, 3),
    (LogisticRegression(solver="newton-cholesky", class_weight="balanced"), {}, 3),
    (LogisticRegression(fit_intercept=False), {"solver": "newton-cg"}, 3),
    (LogisticRegression(solver="saga", l1_ratio=1), {}, 2),
    (LogisticRegression(solver="saga", l1_ratio=0.4), {}, 3),
]


@pytest.mark.parametrize(("model", "tight", "n_classes"), FITS)
@pytest.mark.parametrize("weighted", [False, True])
def test_fits_reach_the_optimum(model: Any, tight: dict[str, Any], n_classes: int, weighted: bool) -> None:
    X, y = rows(n_classes)
    weight = np.random.default_rng(0).uniform(0.5, 2, 300) if weighted else None
    own = clone(model).fit(X, y, sample_weight=weight)
    assert set(ran(f"{type(model).__name__}.fit")) == {"lindy"}
    exact = clone(model).set_params(**TIGHT | tight).fit(X, y, sample_weight=weight)
    usual = without_lindy(lambda: clone(model).set_params(max_iter=10000).fit(X, y, sample_weight=weight))
    scale = np.linalg.norm(exact.coef_)
    assert np.linalg.norm(own.coef_ - exact.coef_) <= own.tol * scale
    assert np.allclose(own.intercept_, exact.intercept_, atol=1e-3 * scale)
    assert vars(own).keys() == vars(usual).keys()
    for name in ("coef_", "intercept_", "n_iter_", "classes_"):
        first, second = np.asarray(getattr(own, name)), np.asarray(getattr(usual, name))
        assert (first.dtype, first.shape) == (second.dtype, second.shape), name
        assert type(getattr(own, name)) is type(getattr(usual, name)), name


def test_cross_validated_logistic_regression_takes_the_same_c() -> None:
    X, y = rows(3)
    own = LogisticRegressionCV(
        Cs=4, cv=3, l1_ratios=(0,), use_legacy_attributes=False, scoring="neg_log_loss"
    ).fit(X, y)
    assert set(ran("LogisticRegression.fit")) == {"lindy"}
    exact = clone(own).set_params(solver="newton-cg", tol=1e-8, max_iter=1000)
    theirs = without_lindy(lambda: exact.fit(X, y))
    assert own.n_iter_.shape == theirs.n_iter_.shape
    assert own.C_ == theirs.C_
    assert np.allclose(own.scores_, theirs.scores_, rtol=1e-3)


def test_what_is_not_supported_is_scikit_learns_to_the_last_bit() -> None:
    X, y = rows(3)
    models = [
        (LinearSVC(random_state=0), X.toarray(), "X is dense"),
        (LinearSVC(random_state=0, intercept_scaling=2), X, "intercept_scaling is not 1"),
        (LinearSVC(random_state=0, max_iter=2), X, "no relative gap of 1e-06 within max_iter=2"),
        (LogisticRegression(max_iter=1), X, "no relative gap of 1e-08 within max_iter=1"),
        (LogisticRegression(C=np.inf), X, "no penalty"),
    ]
    for model, data, reason in models:
        lindy.accel.profile(clear=True)
        few = model.max_iter < 10
        with pytest.warns(ConvergenceWarning) if few else lindy.accel.enabled():
            own = clone(model).fit(data, y)
        assert ran(f"{type(model).__name__}.fit") == {"scikit-learn": reason}
        with pytest.warns(ConvergenceWarning) if few else lindy.accel.enabled():
            theirs = without_lindy(lambda m=model, d=data: clone(m).fit(d, y))
        assert np.array_equal(own.coef_, theirs.coef_)


def test_a_fault_in_lindy_is_reported_and_scikit_learn_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: Any, **kwargs: Any) -> None:
        raise ZeroDivisionError("in the core")

    monkeypatch.setattr(vectorizers, "fit_transform", broken)
    monkeypatch.setattr(linear, "fit_liblinear", broken)
    X = TfidfVectorizer().fit_transform(TEXTS)
    assert_same_matrix(X, without_lindy(lambda: TfidfVectorizer().fit_transform(TEXTS)))
    LinearSVC().fit(*rows(2))
    assert {fault.name for fault in lindy.accel.profile().faults} == {
        *("TfidfVectorizer.fit_transform", "CountVectorizer.fit_transform", "LinearSVC.fit")
    }
    assert "ZeroDivisionError: in the core" in str(lindy.accel.profile())


def test_a_generator_moves_on_as_without_lindy() -> None:
    def drawn() -> float:
        generator = np.random.RandomState(0)
        LinearSVC(random_state=generator).fit(*rows(2))
        return float(generator.rand())

    assert drawn() == without_lindy(drawn)


def test_pickles_load_without_lindy_and_with_it(tmp_path: Path) -> None:
    X, y = rows(2)
    model = (TfidfVectorizer().fit(TEXTS), LinearSVC().fit(X, y), LogisticRegression().fit(X, y))
    (tmp_path / "model.pickle").write_bytes(pickle.dumps(model))
    code = """
import pickle, sys
sys.modules["lindy"] = None  # cannot be imported
model = pickle.load(open("model.pickle", "rb"))
assert [type(part).__module__.split(".")[0] for part in model] == ["sklearn"] * 3
assert model[0].transform(["the cat"]).nnz == 2 and model[1].predict([[0.0] * 40])
pickle.dump(model, open("again.pickle", "wb"))
"""
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path)
    again = pickle.loads((tmp_path / "again.pickle").read_bytes())
    assert_same_matrix(again[0].transform(TEXTS), model[0].transform(TEXTS))
    assert np.array_equal(again[2].predict(X), model[2].predict(X))


def test_subclasses_run_as_they_are() -> None:
    class Reversed(CountVectorizer):
        def build_tokenizer(self) -> Any:
            return lambda text: text[::-1].split()

    assert "tac" in Reversed().fit(TEXTS).vocabulary_
    assert ran("CountVectorizer.fit_transform") == {"scikit-learn": "Reversed is a subclass of its own"}
