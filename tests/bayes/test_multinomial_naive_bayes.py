"""Multinomial naive Bayes against its textbook twin, scikit-learn, and what it promises."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import MultinomialNB
from tests.strategies import Labelled, counts, sparse_with_zeros

from lindy.bayes import MultinomialNaiveBayes, document_totals, odds_ratios, word_probabilities
from lindy.textbook import multinomial_naive_bayes as textbook

SMOOTHINGS: list[dict[str, Any]] = [
    {"alpha": 1.0},
    {"alpha": 0.3},
    {"alpha": 0.0},
    {"interpolation": 0.8},
    {"interpolation": 1.0},
    {"interpolation": 0.0},
]


def _textbook(n_yw: np.ndarray[Any, Any], smoothing: dict[str, Any]) -> np.ndarray[Any, Any]:
    if "interpolation" in smoothing:
        return textbook.interpolated(n_yw, smoothing["interpolation"])
    if smoothing["alpha"] == 0:
        return textbook.maximum_likelihood(n_yw)
    return textbook.laplace(n_yw, smoothing["alpha"])


@given(counts(), st.sampled_from(SMOOTHINGS), st.sampled_from([np.float32, np.float64]))
def test_equals_the_textbook(data: Labelled, smoothing: dict[str, Any], dtype: Any) -> None:
    X, labels = data
    classes, y = np.unique(labels, return_inverse=True)
    model = MultinomialNaiveBayes(**smoothing).fit(sparse_with_zeros(X, dtype), labels)
    n_y, n_yw = textbook.counts(X, y, len(classes))
    P_y, P_wy = n_y / n_y.sum(), _textbook(n_yw, smoothing)
    joint = textbook.joint(X, P_y, P_wy)
    expected = textbook.posterior(joint, P_y)
    np.testing.assert_array_equal(model.feature_count_.T, n_yw)
    np.testing.assert_array_equal(model.class_count_, n_y)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.W_, np.log(P_wy), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(model.predict_log_proba(X), np.log(expected), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(
        model.joint_log_proba(sparse_with_zeros(X, dtype)), joint, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_allclose(model.predict_proba(X), expected, rtol=1e-9, atol=1e-12)
    chosen = np.searchsorted(classes, model.predict(X))
    np.testing.assert_allclose(expected[np.arange(len(X)), chosen], expected.max(axis=1))


LENGTHS = {"poisson": textbook.poisson_length, "geometric": textbook.geometric_length}


@given(counts(), st.sampled_from(SMOOTHINGS), st.sampled_from(list(LENGTHS)))
def test_lengths_have_the_textbooks_distributions(
    data: Labelled, smoothing: dict[str, Any], length: str
) -> None:
    X, labels = data
    classes, y = np.unique(labels, return_inverse=True)
    model = MultinomialNaiveBayes(length=length, **smoothing).fit(sparse_with_zeros(X), labels)
    n_y, n_yw = textbook.counts(X, y, len(classes))
    P_y, P_wy = n_y / n_y.sum(), _textbook(n_yw, smoothing)
    joint = textbook.joint(X, P_y, P_wy)
    if n_yw.any():
        joint = joint + LENGTHS[length](X, n_y, n_yw)
    np.testing.assert_allclose(model.joint_log_proba(X), joint, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(model.predict_proba(X), textbook.posterior(joint, P_y), rtol=1e-8, atol=1e-12)
    with np.errstate(divide="ignore"):
        np.testing.assert_allclose(model.feature_log_prob_.T, np.log(P_wy), rtol=1e-9, atol=1e-9)
    for x in X:
        added, bias = model.contributions(x[None, :])
        whole = bias + added.sum(axis=0)
        possible = np.isfinite(model.joint_log_proba(x[None, :])[0])
        if possible.any():
            np.testing.assert_allclose(
                whole[possible], model.joint_log_proba(x[None, :])[0][possible], rtol=1e-9, atol=1e-9
            )
            part = model._length_part(x[None, :])
            assert part is not None
            np.testing.assert_allclose(bias - part, model.log_prior_, atol=1e-9)


@given(counts())
def test_a_uniform_length_changes_nothing(data: Labelled) -> None:
    """Nor does one whose mean is that of all classes: what is the same for all of them cancels out."""
    X, y = data
    plain, uniform = (MultinomialNaiveBayes(**options).fit(X, y) for options in ({}, {"length": "uniform"}))
    np.testing.assert_array_equal(uniform.W_, plain.W_)
    np.testing.assert_array_equal(uniform.b_, plain.log_prior_)
    np.testing.assert_array_equal(uniform.joint_log_proba(X), plain.joint_log_proba(X))
    assert uniform._length_part(X[:1]) is None
    padded = np.column_stack([X, X.sum(axis=1).max() - X.sum(axis=1)])  # documents of the same length
    before = MultinomialNaiveBayes().fit(padded, y).predict_proba(padded)
    for length in LENGTHS:
        after = MultinomialNaiveBayes(length=length).fit(padded, y).predict_proba(padded)
        np.testing.assert_allclose(after, before, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("length", ["uniform", *LENGTHS])
def test_the_tables_of_a_model_with_lengths_are_those_of_its_words(length: str) -> None:
    X, y = [[2, 1, 0], [1, 0, 0], [0, 7, 9]], ["spam", "spam", "ham"]
    words = ["free", "the", "minutes"]
    plain, model = MultinomialNaiveBayes().fit(X, y), MultinomialNaiveBayes(length=length).fit(X, y)
    for ours, theirs in (
        (word_probabilities(model, words, "ham"), word_probabilities(plain, words, "ham")),
        (odds_ratios(model, words, "spam", "ham"), odds_ratios(plain, words, "spam", "ham")),
    ):
        assert [name for name, _ in ours] == [name for name, _ in theirs]
        np.testing.assert_allclose([p for _, p in ours], [p for _, p in theirs])
    totals = document_totals(model, words, ["free", "free", "the", "unknown"])
    assert ("(length)" in [step.word for step in totals.steps]) == (length != "uniform")
    np.testing.assert_allclose(totals.posterior, model.predict_proba([[2, 1, 0]])[0])


def test_the_length_alone_can_tell_classes_apart() -> None:
    X, y = np.array([[1], [2], [1], [9], [11], [10]], float), ["short"] * 3 + ["long"] * 3
    assert len(set(MultinomialNaiveBayes().fit(X, y).predict([[1], [10]]))) == 1
    for length in LENGTHS:
        model = MultinomialNaiveBayes(length=length).fit(X, y)
        assert model.predict([[1], [10]]).tolist() == ["short", "long"]
    with pytest.raises(
        ValueError, match=r"length must be one of \['uniform', 'poisson', 'geometric'\]; got 'zipf'"
    ):
        MultinomialNaiveBayes(length="zipf").fit(X, y)


@given(counts(), st.floats(0.01, 10), st.integers(0, 2**32 - 1))
def test_equals_scikit_learn(data: Labelled, alpha: float, seed: int) -> None:
    X, y = data
    weight = np.random.default_rng(seed).uniform(0.1, 3, len(y))
    theirs = MultinomialNB(alpha=alpha).fit(X, y, weight)
    ours = MultinomialNaiveBayes(alpha=alpha).fit(X, y, weight)
    np.testing.assert_allclose(ours.W_.T, theirs.feature_log_prob_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(ours.b_, theirs.class_log_prior_, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(
        ours.joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-10, atol=1e-10
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-9, atol=1e-12)


@given(counts(), st.integers(0, 12), st.sampled_from([*SMOOTHINGS, {"length": "poisson"}]))
def test_parts_added_equal_the_whole(data: Labelled, cut: int, smoothing: dict[str, Any]) -> None:
    X, y = data
    cut = min(cut, len(y))
    whole = MultinomialNaiveBayes(**smoothing).fit(X, y)
    pieces = [piece for piece in (slice(cut), slice(cut, None)) if len(y[piece])]
    parts = [MultinomialNaiveBayes(**smoothing).fit(X[piece], y[piece]) for piece in pieces]
    merged = parts[0] + parts[1] if len(parts) == 2 else parts[0]
    updated = MultinomialNaiveBayes(**smoothing)
    for i in range(len(y)):
        updated.partial_fit(X[i : i + 1], y[i : i + 1])
    for model in (merged, updated):
        np.testing.assert_array_equal(model.classes_, whole.classes_)
        np.testing.assert_array_equal(model.feature_count_, whole.feature_count_)
        np.testing.assert_array_equal(model.class_count_, whole.class_count_)
        np.testing.assert_array_equal(model.W_, whole.W_)
        np.testing.assert_array_equal(model.joint_log_proba(X), whole.joint_log_proba(X))


def test_models_of_two_vocabularies_can_be_added() -> None:
    both = MultinomialNaiveBayes().fit([[1, 2, 0], [0, 1, 5]], ["ham", "spam"])
    first = MultinomialNaiveBayes().fit([[2, 1]], ["ham"]).remapped([1, 0], 3)
    second = MultinomialNaiveBayes().fit([[1, 5]], ["spam"]).remapped([1, 2], 3)
    np.testing.assert_array_equal((first + second).W_, both.W_)
    for columns, message in [([0, 0], "different"), ([0, 3], r"0\.\.2"), ([0], "each of the 2 features")]:
        with pytest.raises(ValueError, match=message):
            MultinomialNaiveBayes().fit([[2, 1]], ["ham"]).remapped(columns, 3)


def test_only_like_models_can_be_added() -> None:
    model = MultinomialNaiveBayes().fit([[1, 2]], [0])
    with pytest.raises(ValueError, match="same parameters"):
        model + MultinomialNaiveBayes(alpha=2).fit([[1, 2]], [0])
    with pytest.raises(ValueError, match="remapped"):
        model + MultinomialNaiveBayes().fit([[1, 2, 3]], [0])
    with pytest.raises(ValueError, match="one kind"):
        model + MultinomialNaiveBayes().fit([[1, 2]], ["a"])
    with pytest.raises(TypeError):
        model + 1


def test_partial_fit_takes_announced_and_new_classes() -> None:
    model = MultinomialNaiveBayes().partial_fit([[1, 0]], ["b"], classes=["b", "c"])
    assert model.classes_.tolist() == ["b", "c"]
    assert model.predict_proba([[3, 1]]).tolist() == [[1.0, 0.0]]
    model.partial_fit([[0, 4]], ["a"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    np.testing.assert_array_equal(model.feature_count_.T, [[0, 1, 0], [4, 0, 0]])
    before = model.to_state()[1]
    with pytest.raises(ValueError, match="features"):
        model.partial_fit([[0, 4, 1]], ["d"])
    with pytest.raises(ValueError, match="Negative"):
        model.partial_fit([[0, -4]], ["d"])
    assert model.classes_.tolist() == ["a", "b", "c"]
    for name, array in model.to_state()[1].items():
        np.testing.assert_array_equal(array, before[name])


def test_priors() -> None:
    X, y = [[1, 0], [0, 1], [1, 1]], ["a", "b", "b"]
    empty = [[0, 0]]
    for prior, expected in [
        (None, [1 / 3, 2 / 3]),
        ("uniform", [0.5, 0.5]),
        ([0.9, 0.1], [0.9, 0.1]),
        ({"b": 0.25, "a": 0.75}, [0.75, 0.25]),
    ]:
        model = MultinomialNaiveBayes(class_prior=prior).fit(X, y)
        np.testing.assert_allclose(model.predict_proba(empty)[0], expected)
    for wrong in ("flat", [0.5, 0.4], [1.5, -0.5], [1.0], {"a": 1.0}):
        with pytest.raises(ValueError, match="prior must"):
            MultinomialNaiveBayes(class_prior=wrong).fit(X, y)


def test_alpha_per_feature() -> None:
    model = MultinomialNaiveBayes(alpha=[1.0, 3.0]).fit([[2, 0], [0, 4]], [0, 1])
    np.testing.assert_allclose(np.exp(model.W_), [[3 / 6, 1 / 8], [3 / 6, 7 / 8]])
    with pytest.raises(ValueError, match="3 entries for 2 features"):
        MultinomialNaiveBayes(alpha=[1.0, 3.0, 1.0]).fit([[2, 0]], [0])
    for wrong in (-1.0, [1.0, -1.0], math.nan):
        with pytest.raises(ValueError, match="alpha must"):
            MultinomialNaiveBayes(alpha=wrong).fit([[2, 0]], [0])
    with pytest.raises(ValueError, match="interpolation must"):
        MultinomialNaiveBayes(interpolation=1.5).fit([[2, 0]], [0])


def test_maximum_likelihood_knows_impossible_classes() -> None:
    model = MultinomialNaiveBayes(alpha=0).fit([[1, 0, 0], [0, 1, 0], [0, 2, 0]], ["a", "b", "b"])
    X = [[1, 0, 0], [0, 1, 0], [1, 1, 0], [0, 0, 1], [0, 0, 0]]
    prior = [1 / 3, 2 / 3]
    np.testing.assert_allclose(model.predict_proba(X), [[1, 0], [0, 1], prior, prior, prior])
    assert model.predict(X).tolist() == ["a", "b", "b", "b", "b"]
    np.testing.assert_allclose(model.decision_function(X), [-np.inf, np.inf, *[math.log(2)] * 3])
    np.testing.assert_array_equal(model.evidence(X)[2:4], [-np.inf, -np.inf])
    assert not np.isnan(model.predict_log_proba(X)).any()


@pytest.mark.parametrize("smoothing", SMOOTHINGS)
@pytest.mark.parametrize("scale", [1e-300, 1e-150, 1e150, 1e300])
def test_enormous_counts_give_probabilities(scale: float, smoothing: dict[str, Any]) -> None:
    X = np.array([[1, 0, 2], [3, 1, 0], [0, 0, 1], [0, 0, 0]]) * scale
    model = MultinomialNaiveBayes(**smoothing).fit(X, [0, 1, 2, 0])
    P = model.predict_proba(X)
    assert np.isfinite(P).all()
    np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-12)


def _restored(model: MultinomialNaiveBayes) -> MultinomialNaiveBayes:
    params, arrays = model.to_state()
    again = MultinomialNaiveBayes.from_state(json.loads(json.dumps(params)), arrays, model.classes_.tolist())
    assert repr(again) == repr(model)
    for name in ("classes_", "W_", "b_", "feature_count_", "class_count_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    return again


@given(counts(), st.sampled_from(SMOOTHINGS), st.floats(0.1, 2))
def test_state_restores_every_bit(data: Labelled, smoothing: dict[str, Any], scale: float) -> None:
    X, y = data
    for values in (X, X * scale):
        model = MultinomialNaiveBayes(**smoothing).fit(values, y)
        again = _restored(model)
        np.testing.assert_array_equal(again.predict_proba(values), model.predict_proba(values))
        np.testing.assert_array_equal((again + again).W_, (model + model).W_)


def test_state_keeps_array_and_dict_parameters() -> None:
    X, y = [[2, 0], [0, 4]], [3, 5]
    model = _restored(
        MultinomialNaiveBayes(alpha=np.array([0.5, 2.0]), class_prior={3: 0.2, 5: 0.8}).fit(X, y)
    )
    assert model.class_prior == {3: 0.2, 5: 0.8}


@pytest.mark.parametrize(
    "damage",
    [
        lambda p, a, c: (p | {"alpha": -1.0}, a, c),
        lambda p, a, c: (p | {"alpha": "much"}, a, c),
        lambda p, a, c: (p | {"beta": 1.0}, a, c),
        lambda p, a, c: (p | {"class_prior": {"x": 1}}, a, c),
        lambda p, a, c: (p | {"class_prior": [1.0]}, a, c),
        lambda p, a, c: (p, {}, c),
        lambda p, a, c: (p, a | {"more": np.zeros(2)}, c),
        lambda p, a, c: (p, a | {"class_count": np.zeros(3)}, c),
        lambda p, a, c: (p, a | {"class_count": np.array([1.0, np.nan])}, c),
        lambda p, a, c: (p, a | {"class_count": np.array([1.0, -1.0])}, c),
        lambda p, a, c: (p, a | {"class_count": np.zeros(2)}, c),
        lambda p, a, c: (p, a | {"class_count": np.array(["x", "y"])}, c),
        lambda p, a, c: (p, a, ["b", "a"]),
        lambda p, a, c: (p, a, ["a", "a"]),
        lambda p, a, c: (p, a, np.array(["a", 1.5], object)),
        lambda p, a, c: (p, a, []),
        lambda p, a, c: (p, a, ["a", "b", "c"]),
    ],
)
def test_damaged_states_are_refused(damage: Any) -> None:
    params, arrays = MultinomialNaiveBayes().fit([[1, 2, 0], [0, 1, 5]], ["a", "b"]).to_state()
    with pytest.raises(ValueError):  # noqa: PT011 - the messages differ, the type is the promise
        MultinomialNaiveBayes.from_state(*damage(params, arrays, ["a", "b"]))
