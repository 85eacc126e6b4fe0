"""The baselines: definitions, the lectures' numbers, and what they do with nothing to go by."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import RidgeClassifier
from tests.strategies import Labelled, counts, measurements, sparse_with_zeros

from lindy.baselines import LeastSquares, Lexicon, MajorityClass, RandomClass, WordLists, WordVotes
from lindy.baselines.lexicon import read_words, shipped_words
from lindy.bayes import (
    BernoulliNaiveBayes,
    CategoricalNaiveBayes,
    ComplementNaiveBayes,
    GaussianNaiveBayes,
    MultinomialNaiveBayes,
)
from lindy.errors import ConvergenceWarning, DataError
from lindy.textbook import least_squares, word_votes
from lindy.textbook.multinomial_naive_bayes import counts as word_counts


def test_majority_class() -> None:
    model = MajorityClass().fit([[1], [2], [3]], ["ham", "ham", "spam"])
    assert model.predict([[9], [8]]).tolist() == ["ham", "ham"]
    np.testing.assert_allclose(model.predict_proba([[9]]), [[2 / 3, 1 / 3]])
    model.partial_fit([[0]] * 4, ["eggs"] * 4)
    assert model.predict([[1]]).tolist() == ["eggs"]
    weighted = MajorityClass().fit([[1], [2], [3]], ["ham", "ham", "spam"], [1, 1, 5])
    assert weighted.predict([[1]]).tolist() == ["spam"]


def test_random_class_draws_as_often_as_in_training() -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(10_000, 3)), np.repeat(["a", "b", "c"], [7000, 2000, 1000])
    model = RandomClass(random_state=5).fit(X, y)
    drawn = model.predict(X)
    shares = [np.mean(drawn == label) for label in "abc"]
    np.testing.assert_allclose(shares, [0.7, 0.2, 0.1], atol=0.02)
    assert abs(np.mean(drawn == y) - (0.49 + 0.04 + 0.01)) < 0.02
    np.testing.assert_array_equal(model.predict(sparse_with_zeros(X)), drawn)
    np.testing.assert_array_equal(model.predict(X[::-1])[::-1], drawn)
    assert (RandomClass(random_state=6).fit(X, y).predict(X) != drawn).mean() > 0.3


STARS = [  # McDonald: four documents over symbols, of which ★ is in three, ◇ and ♥ in one of each label
    ("★ ◇ ○", 0),
    ("★ ♥ △", 0),
    ("★ △ ♠", 1),
    ("◇ △ ♥", 1),
]


def _mcdonald() -> tuple[list[list[int]], list[int], Any]:
    words = sorted({word for document, _ in STARS for word in document.split()})

    def row(document: str) -> list[int]:
        return [int(word in document.split()) for word in words]

    return [row(document) for document, _ in STARS], [label for _, label in STARS], row


def test_mcdonald_counting_experiment() -> None:
    X, y, row = _mcdonald()
    model = WordVotes().fit(X, y)
    first, second = row("★ ◇ ○"), row("★ △ ♥")
    np.testing.assert_allclose(model.predict_proba([first])[0, 0], (2 / 3 + 1 / 2 + 1) / 3)
    tie = [(2 / 3 + 1 / 3 + 1 / 2) / 3, (1 / 3 + 2 / 3 + 1 / 2) / 3]
    np.testing.assert_allclose(model.predict_proba([second])[0], tie)
    assert model.predict([first]).tolist() == [0]


def test_may_word_lists() -> None:
    texts = ["good good fun", "bad fun", "bad good", "bad plot"]
    names = ["bad", "fun", "good", "plot"]
    X = [[text.split().count(name) for name in names] for text in texts]
    model = WordLists().fit(X, ["pos", "neg", "neg", "neg"])
    assert {k: [names[j] for j in v] for k, v in model.word_numbers().items()} == {
        "neg": ["bad", "fun", "plot"],
        "pos": ["good"],
    }
    assert model.votes([[0, 1, 2, 0]]).tolist() == [[1, 2]]
    assert model.predict([[0, 1, 2, 0], [1, 0, 1, 0]]).tolist() == ["pos", "neg"]
    np.testing.assert_allclose(model.predict_proba([[0, 0, 0, 0]]), [[3 / 4, 1 / 4]])


@given(counts(), st.sampled_from([(WordLists, word_votes.word_lists), (WordVotes, word_votes.word_votes)]))
def test_votes_equal_the_textbook(data: Labelled, pair: Any) -> None:
    X, labels = data
    kind, textbook = pair
    classes, y = np.unique(labels, return_inverse=True)
    n_y, n_yw = word_counts(X, y, len(classes))
    model = kind().fit(sparse_with_zeros(X), labels)
    np.testing.assert_allclose(model.W_, textbook(n_yw), rtol=1e-12)
    expected = word_votes.mean_vote(X, textbook(n_yw), n_y / n_y.sum())
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9, atol=1e-12)
    merged = kind().fit(X[:1], labels[:1])
    for i in range(1, len(X)):
        merged = merged + kind().fit(X[i : i + 1], labels[i : i + 1])
    np.testing.assert_array_equal(merged.W_, model.W_)


def test_lexicon_counts_words_in_texts(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("# praise\nYay\n\n  love \n", encoding="utf-8")
    model = Lexicon(words={"good": str(tmp_path / "good.txt"), "bad": ["terrible", "boo"]})
    model.fit(["x", "y", "z"], ["good", "bad", "bad"])
    texts = ["YAY, I love it", "boo! terrible; love", "nothing to see", "love boo"]
    assert model.votes(texts).tolist() == [[0, 2], [2, 1], [0, 0], [1, 1]]
    assert model.predict(texts).tolist() == ["good", "bad", "bad", "bad"]
    with pytest.raises(ValueError, match="fitted on texts"):
        model.predict([[1, 2]])
    with pytest.raises(ValueError, match="one text"):
        model.predict("love")


def test_lexicon_counts_named_columns() -> None:
    words = {1: ["love"], 0: ["boo"]}
    X, y = [[2, 0, 1], [0, 3, 0]], [1, 0]
    named = Lexicon(words=words, feature_names=["love", "Boo", "the"]).fit(X, y)
    framed = Lexicon(words=words).fit(pd.DataFrame(X, columns=["love", "Boo", "the"]), y)
    for model, rows in ((named, X), (framed, pd.DataFrame(X, columns=["love", "Boo", "the"]))):
        assert model.votes(rows).tolist() == [[0, 2], [3, 0]]
        assert model.predict(rows).tolist() == [1, 0]
    with pytest.raises(ValueError, match="2 names for 3 columns"):
        Lexicon(words=words, feature_names=["love", "boo"]).fit(X, y)
    with pytest.raises(ValueError, match="words must be"):
        Lexicon(words=["love"]).fit(X, y)


def test_shipped_lexicon_tells_praise_from_dispraise() -> None:
    lists = shipped_words()
    assert not set(lists["positive"]) & set(lists["negative"])
    assert min(len(words) for words in lists.values()) >= 50
    model = Lexicon().fit(["x", "y"], ["positive", "negative"])
    assert model.predict([f"{lists['positive'][3]} indeed", f"how {lists['negative'][3]}"]).tolist() == [
        "positive",
        "negative",
    ]


def test_word_list_errors_say_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="nowhere") as missing:
        read_words(tmp_path / "nowhere.txt")
    assert missing.value.hint is not None
    (tmp_path / "latin.txt").write_bytes("schön".encode("latin-1"))
    with pytest.raises(DataError, match="not UTF-8"):
        read_words(tmp_path / "latin.txt")


@given(measurements(), st.sampled_from([0.0, 1e-3, 1.0]))
def test_least_squares_equals_the_textbook_both_ways(data: Labelled, l2: float) -> None:
    X, labels = data
    classes, y = np.unique(labels, return_inverse=True)
    K = len(classes)
    if K < 2:
        return
    T = np.where(y[:, None] == np.arange(K), 1.0, -1.0)
    W, b = least_squares.least_squares(X, T[:, 1:] if K == 2 else T, l2)
    for solver in ("closed-form", "conjugate-gradient"):
        # without a penalty the rows may be so nearly dependent that rounding stops conjugate gradient near 1e-11
        model = LeastSquares(l2=l2, solver=solver, tol=1e-10).fit(sparse_with_zeros(X), labels)
        np.testing.assert_allclose(X @ model.W_ + model.b_, X @ W + b, atol=1e-6)
        if l2 > 0:
            np.testing.assert_allclose(model.W_, W, atol=1e-6)


@pytest.mark.parametrize("solver", ["closed-form", "conjugate-gradient"])
@pytest.mark.parametrize("n_features", [5, 80])
def test_least_squares_equals_ridge_classifier(solver: str, n_features: int) -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, n_features)) + 3, rng.integers(0, 3, 40)
    weight = rng.uniform(0.5, 2, 40)
    ours = LeastSquares(l2=0.01, solver=solver, tol=1e-12).fit(X, y, weight)
    theirs = RidgeClassifier(alpha=0.01 * weight.sum()).fit(X, y, weight)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=1e-8)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=1e-8)


def test_least_squares_says_when_it_was_stopped() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 20)), rng.integers(0, 2, 50)
    with pytest.warns(ConvergenceWarning, match="2 steps"):
        LeastSquares(solver="conjugate-gradient", max_iter=2).fit(X, y)
    for wrong in ({"l2": -1.0}, {"solver": "magic"}, {"max_iter": 0}):
        with pytest.raises(ValueError, match="must be"):
            LeastSquares(**wrong).fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        LeastSquares().fit(X, y * 0)
    with pytest.raises(ValueError, match="scale the columns"), np.errstate(all="ignore"):
        LeastSquares().fit(X * 1e200, y)


BASELINES = [LeastSquares(), MajorityClass(), RandomClass(random_state=3), WordLists(), WordVotes()]
BASELINES.append(Lexicon(words={"a": ["x"], "b": ["y", "z"]}, feature_names=["x", "y", "w", "z"]))


@pytest.mark.parametrize("model", BASELINES, ids=repr)
def test_state_restores_every_bit(model: Any) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 4, (30, 4)).astype(float), np.array(["a", "b", "c"])[rng.integers(0, 3, 30)]
    model = type(model)(**model.get_params()).fit(X, y)
    params, arrays = model.to_state()
    again = type(model).from_state(json.loads(json.dumps(params)), arrays, ["a", "b", "c"])
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    with pytest.raises(ValueError, match="arrays"):
        type(model).from_state(params, arrays | {"more": np.zeros(3)}, ["a", "b", "c"])
    name = next(iter(arrays))
    with pytest.raises(ValueError, match=name):
        type(model).from_state(params, arrays | {name: np.full(7, np.nan)}, ["a", "b", "c"])


def test_lexicon_state_keeps_the_words_and_refuses_paths() -> None:
    model = Lexicon(words={"a": ["x"], "b": ["y"]}).fit(["x", "y"], ["a", "b"])
    params, arrays = model.to_state()
    again = Lexicon.from_state(params, arrays, ["a", "b"])
    assert again.predict(["y x y", "x"]).tolist() == ["b", "a"]
    with pytest.raises(ValueError, match="lists of words"):
        Lexicon.from_state(params | {"words": {"pairs": [["a", "/etc/hosts"]]}}, arrays, ["a", "b"])


@pytest.mark.parametrize("model", [m for m in BASELINES if not isinstance(m, LeastSquares)], ids=repr)
@pytest.mark.parametrize("scale", [1e-300, 1e300])
def test_enormous_counts_give_probabilities(model: Any, scale: float) -> None:
    X = np.array([[1, 0, 2, 0], [3, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 0]]) * scale
    P = type(model)(**model.get_params()).fit(X, ["a", "b", "c", "a"]).predict_proba(X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-12)


def test_least_squares_of_enormous_rows_gives_probabilities() -> None:
    P = LeastSquares().fit([[1, 0], [0, 1], [1, 1]], [0, 1, 2]).predict_proba([[1e300, 0], [1e300, 1e300]])
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize("solver", ["auto", "closed-form"])
@pytest.mark.parametrize("l2", [0.0, 0.1])
def test_least_squares_in_batches_and_parts_equals_one_fit(solver: str, l2: float) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(60, 4)) + 2, np.array(["c", "a", "b"])[rng.integers(0, 3, 60)]
    weight = rng.uniform(0.5, 2, 60)
    y[:20] = "a"
    whole = LeastSquares(l2=l2, solver=solver).fit(X, y, weight)
    batches = LeastSquares(l2=l2, solver=solver)
    for rows in (slice(0, 20), slice(20, 25), slice(25, 60)):
        batches.partial_fit(X[rows], y[rows], sample_weight=weight[rows])
    parts = [
        LeastSquares(l2=l2, solver=solver, n_jobs=n).partial_fit(X[rows], y[rows], sample_weight=weight[rows])
        for n, rows in ((1, slice(0, 20)), (2, slice(20, 60)))
    ]
    for model in (batches, parts[0] + parts[1]):
        np.testing.assert_allclose(model.W_, whole.W_, rtol=1e-9)
        np.testing.assert_allclose(model.b_, whole.b_, rtol=1e-9)
    np.testing.assert_allclose(parts[0].predict_proba(X), 1)  # one class so far


def test_least_squares_gives_probabilities_that_agree_with_its_labels() -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(80, 3))
    for y in (X[:, 0] > 0, (X[:, 0] > 0) + 2 * (X[:, 1] > 0)):
        model = LeastSquares().fit(X, y)
        P = model.predict_proba(X * 3)
        np.testing.assert_allclose(P.sum(axis=1), 1)
        assert P.min() >= 0
        surest = P.max(axis=1) > np.sort(P, axis=1)[:, -2]
        np.testing.assert_array_equal(model.classes_[P.argmax(axis=1)][surest], model.predict(X * 3)[surest])
        np.testing.assert_allclose(np.exp(model.predict_log_proba(X)), model.predict_proba(X))


def test_conjugate_gradient_keeps_no_sums() -> None:
    X, y = np.eye(4), [0, 1, 0, 1]
    model = LeastSquares(solver="conjugate-gradient").fit(X, y)
    with pytest.raises(ValueError, match="closed-form"):
        model + model
    with pytest.raises(ValueError, match="closed-form"):
        LeastSquares(solver="conjugate-gradient").partial_fit(X, y)


MERGED = [
    *(model for model in BASELINES if "Lexicon" not in repr(model)),
    BernoulliNaiveBayes(),
    CategoricalNaiveBayes(n_values=5),
    CategoricalNaiveBayes(),
    ComplementNaiveBayes(),
    GaussianNaiveBayes(),
    GaussianNaiveBayes(variance="shared"),
    MultinomialNaiveBayes(interpolation=0.5),
]


@pytest.mark.parametrize("model", MERGED, ids=repr)
def test_parts_of_different_vocabularies_merge_exactly(model: Any) -> None:
    """Two parts that know some features each: brought to the union of both and added, they equal one fit."""
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 4, (50, 6)).astype(float), np.array(["c", "a", "b"])[rng.integers(0, 3, 50)]
    ours, theirs = [4, 0, 1, 3], [2, 3, 5, 0]
    X[:30, [2, 5]] = 0
    X[30:, [1, 4]] = 0
    fresh = type(model)
    first = fresh(**model.get_params()).fit(X[:30][:, ours], y[:30]).remapped(ours, 6)
    second = fresh(**model.get_params()).fit(X[30:][:, theirs], y[30:]).remapped(theirs, 6)
    whole = fresh(**model.get_params()).fit(X, y)
    merged = first + second
    assert merged.n_features_in_ == 6
    np.testing.assert_allclose(merged.predict_proba(X), whole.predict_proba(X), rtol=1e-9, atol=1e-14)
    np.testing.assert_array_equal(merged.predict(X), whole.predict(X))


def test_merging_looks_at_the_parameters() -> None:
    X, y = [[1, 0], [0, 1]], [0, 1]
    first = MultinomialNaiveBayes(alpha=np.linspace(0, 1, 2), n_jobs=1).fit(X, y)
    other_threads = MultinomialNaiveBayes(alpha=np.linspace(0, 1, 2), n_jobs=2).fit(X, y)
    assert (first + other_threads).class_count_.tolist() == [2, 2]
    with pytest.raises(ValueError, match="same parameters"):
        first + MultinomialNaiveBayes(alpha=np.linspace(0, 2, 2)).fit(X, y)


def test_lexicon_learns_in_batches_and_merges() -> None:
    words = {"good": ["yay", "love"], "bad": ["boo"]}
    texts, labels = ["Yay!", "boo", "boo", "nothing"], ["good", "bad", "bad", "good"]
    whole = Lexicon(words=words).fit(texts, labels)
    batches = Lexicon(words=words).partial_fit(texts[:1], labels[:1]).partial_fit(texts[1:], labels[1:])
    merged = Lexicon(words=words).fit(texts[:2], labels[:2]) + Lexicon(words=words).fit(texts[2:], labels[2:])
    for model in (batches, merged):
        np.testing.assert_array_equal(model.class_count_, whole.class_count_)
        np.testing.assert_array_equal(
            model.predict_proba(["love boo", "x"]), whole.predict_proba(["love boo", "x"])
        )
    with pytest.raises(ValueError, match="fitted on texts"):
        whole.predict([[1, 2]])
