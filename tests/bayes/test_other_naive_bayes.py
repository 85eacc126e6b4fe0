"""Bernoulli, categorical, complement and Gaussian naive Bayes against their twins and scikit-learn."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB
from tests.strategies import Labelled, counts, measurements, sparse_with_zeros

from lindy.bayes import BernoulliNaiveBayes, CategoricalNaiveBayes, ComplementNaiveBayes, GaussianNaiveBayes
from lindy.textbook import (
    bernoulli_naive_bayes,
    categorical_naive_bayes,
    complement_naive_bayes,
    gaussian_naive_bayes,
)
from lindy.textbook.multinomial_naive_bayes import counts as word_counts
from lindy.textbook.multinomial_naive_bayes import posterior

MODELS = [
    BernoulliNaiveBayes(),
    BernoulliNaiveBayes(alpha=0),
    CategoricalNaiveBayes(),
    CategoricalNaiveBayes(alpha=0),
    ComplementNaiveBayes(),
    ComplementNaiveBayes(norm=True),
    GaussianNaiveBayes(),
    GaussianNaiveBayes(variance="shared"),
    GaussianNaiveBayes(variance=2.0),
]


def _fresh(model: Any) -> Any:
    return type(model)(**model.get_params())


def _shares(y: np.ndarray[Any, Any]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    classes, codes = np.unique(y, return_inverse=True)
    return codes, np.bincount(codes) / len(y) if len(classes) else np.zeros(0)


@given(counts(), st.sampled_from([0.0, 0.5, 1.0]))
def test_bernoulli_equals_the_textbook(data: Labelled, alpha: float) -> None:
    X, labels = data
    y, P_y = _shares(labels)
    model = BernoulliNaiveBayes(alpha=alpha).fit(sparse_with_zeros(X), labels)
    p = bernoulli_naive_bayes.presence(X, y, len(P_y), alpha)
    joint = bernoulli_naive_bayes.joint(X, P_y, p)
    np.testing.assert_allclose(model.feature_proba_, p, rtol=1e-12)
    np.testing.assert_allclose(model.joint_log_proba(sparse_with_zeros(X)), joint, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X), posterior(joint, P_y), rtol=1e-9, atol=1e-12)


@given(counts(), st.floats(0.05, 5))
def test_bernoulli_equals_scikit_learn(data: Labelled, alpha: float) -> None:
    X, y = data
    theirs, ours = BernoulliNB(alpha=alpha, binarize=1.0), BernoulliNaiveBayes(alpha=alpha, binarize=1.0)
    weight = np.arange(1.0, len(y) + 1)
    theirs.fit(X, y, weight)
    ours.fit(X, y, weight)
    np.testing.assert_allclose(
        ours.joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9
    )
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8, atol=1e-12)


def test_bernoulli_infers_from_what_was_looked_at() -> None:
    model = BernoulliNaiveBayes().fit([[1, 0, 1], [0, 1, 1], [1, 1, 0]], ["a", "b", "b"])
    full = model.posterior({0: True, 1: False, 2: True})
    np.testing.assert_allclose(full.posterior, model.predict_proba([[1, 0, 1]])[0])
    np.testing.assert_allclose(np.log(full.evidence), model.evidence([[1, 0, 1]])[0])
    summed = [model.posterior({0: True, 1: present, 2: True}).joint for present in (True, False)]
    np.testing.assert_allclose(np.add(*summed), model.posterior({0: True, 2: True}).joint)
    np.testing.assert_allclose(model.posterior({}).posterior, [1 / 3, 2 / 3])


@given(counts(), st.sampled_from([0.0, 0.5, 1.0]))
def test_categorical_equals_the_textbook(data: Labelled, alpha: float) -> None:
    X, labels = data
    y, P_y = _shares(labels)
    model = CategoricalNaiveBayes(alpha=alpha).fit(X, labels)
    P = categorical_naive_bayes.tables(X.astype(int), y, len(P_y), alpha)
    for ours, expected in zip(model.value_proba_, P, strict=True):
        np.testing.assert_allclose(ours, expected, rtol=1e-12)
    joint = categorical_naive_bayes.joint(X.astype(int), P_y, P)
    np.testing.assert_allclose(model.joint_log_proba(X), joint, rtol=1e-10, atol=1e-10)
    np.testing.assert_allclose(model.predict_proba(X), posterior(joint, P_y), rtol=1e-9, atol=1e-12)


@given(counts(), st.floats(0.05, 5))
def test_categorical_equals_scikit_learn(data: Labelled, alpha: float) -> None:
    X, y = data
    theirs = CategoricalNB(alpha=alpha, min_categories=8).fit(X, y)
    ours = CategoricalNaiveBayes(alpha=alpha, n_values=8).fit(X, y)
    np.testing.assert_allclose(
        ours.joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-9, atol=1e-9
    )


def test_categorical_meets_new_values_and_missing_features() -> None:
    model = CategoricalNaiveBayes().fit([[0, 2], [1, 0], [1, 1]], ["a", "b", "b"])
    assert [len(table) for table in model.value_proba_] == [2, 3]
    np.testing.assert_allclose(model.posterior({1: 9}).joint, [1 / 3 * 1 / 4, 2 / 3 * 1 / 5])
    np.testing.assert_allclose(model.joint_log_proba([[0, 9]]), [np.log([1 / 3 * 2 / 3 / 4, 2 / 3 / 4 / 5])])
    summed = sum(model.posterior({0: 1, 1: v}).joint for v in range(3))
    np.testing.assert_allclose(summed, model.posterior({0: 1}).joint)
    with pytest.raises(ValueError, match="n_values"):
        CategoricalNaiveBayes(n_values=2).fit([[2]], [0])
    with pytest.raises(ValueError, match="Negative"):
        model.predict([[0, -1]])


@given(counts(), st.floats(0.05, 5), st.booleans())
def test_complement_equals_textbook_and_scikit_learn(data: Labelled, alpha: float, normalize: bool) -> None:
    X, y = data
    codes, P_y = _shares(y)
    ours = ComplementNaiveBayes(alpha=alpha, norm=normalize).fit(sparse_with_zeros(X), y)
    n_yw = word_counts(X, codes, len(P_y))[1]
    W = complement_naive_bayes.weights(n_yw, alpha, normalize=normalize) if ours.W_.any() else 0 * n_yw
    np.testing.assert_allclose(ours.W_, W, rtol=1e-10, atol=1e-12)
    if len(P_y) > 1 and ours.W_.any():
        theirs = ComplementNB(alpha=alpha, norm=normalize).fit(X, y)
        np.testing.assert_allclose(ours.W_.T, theirs.feature_log_prob_, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), rtol=1e-8, atol=1e-12)


@given(measurements(), st.sampled_from(["per-class", "shared", 1.0, 0.25]))
def test_gaussian_equals_the_textbook(data: Labelled, variance: Any) -> None:
    X, labels = data
    y, P_y = _shares(labels)
    K = len(P_y)
    model = GaussianNaiveBayes(variance=variance, var_smoothing=0.01).fit(sparse_with_zeros(X), labels)
    mu, var = gaussian_naive_bayes.means(X, y, K), gaussian_naive_bayes.variances(X, y, K)
    largest = X.var(axis=0).max()
    extra = 0.01 * (largest if largest > 1e-12 else 1.0)
    if largest <= 1e-12 and X.any():
        return  # constant columns: rounding decides whether their variance is 0
    if variance == "per-class":
        var = var + extra
    elif variance == "shared":
        var = np.tile(var @ P_y[:, None] + extra, (1, K))
    else:
        var = np.full_like(var, variance)
    np.testing.assert_allclose(model.mean_, mu, atol=1e-12)
    np.testing.assert_allclose(model.variance_, var, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        model.joint_log_proba(X), gaussian_naive_bayes.joint(X, P_y, mu, var), rtol=1e-8, atol=1e-8
    )


@given(measurements())
def test_gaussian_equals_scikit_learn(data: Labelled) -> None:
    X, y = data
    if X.var(axis=0).max() <= 1e-12:
        X[0, 0] += 1 if len(X) > 1 else 0
    if len(X) == 1:
        return
    theirs = GaussianNB(var_smoothing=1e-2).fit(X, y)
    ours = GaussianNaiveBayes(var_smoothing=1e-2).fit(X, y)
    np.testing.assert_allclose(ours.variance_.T, theirs.var_, rtol=1e-9)
    np.testing.assert_allclose(
        ours.joint_log_proba(X), theirs.predict_joint_log_proba(X), rtol=1e-8, atol=1e-8
    )


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_parts_added_and_batches_equal_the_whole(model: Any) -> None:
    rng = np.random.default_rng(3)
    X, y = rng.integers(0, 4, (60, 5)).astype(float), np.array(["c", "a", "b"])[rng.integers(0, 3, 60)]
    y[:20] = "a"
    whole = _fresh(model).fit(X, y)
    merged = _fresh(model).fit(X[:20], y[:20]) + _fresh(model).fit(X[20:], y[20:])
    batches = _fresh(model)
    for begin in range(0, 60, 7):
        batches.partial_fit(X[begin : begin + 7], y[begin : begin + 7], classes=["a"])
    for part in (merged, batches):
        assert part.classes_.tolist() == whole.classes_.tolist()
        np.testing.assert_allclose(part.joint_log_proba(X), whole.joint_log_proba(X), rtol=1e-12)
    with pytest.raises(ValueError, match="same"):
        whole + _fresh(model).fit(X[:, :3], y)


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_state_restores_every_bit(model: Any) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.integers(0, 4, (30, 4)).astype(float), rng.integers(0, 3, 30)
    model = _fresh(model).fit(X, y)
    params, arrays = model.to_state()
    again = type(model).from_state(json.loads(json.dumps(params)), arrays, [0, 1, 2])
    np.testing.assert_array_equal(again.joint_log_proba(X), model.joint_log_proba(X))
    np.testing.assert_array_equal((again + again).joint_log_proba(X), (model + model).joint_log_proba(X))
    for name, array in arrays.items():
        for damaged in (
            array[:-1],
            -array.astype(float) - 1,
            array.astype(float) * np.nan,
            array.astype(str),
        ):
            same_shape = damaged.shape == array.shape
            if array.size == 0 or (
                name == "mean" and same_shape and damaged.dtype.kind == "f" and damaged[0, 0] < 0
            ):
                continue  # nothing to damage; and means may have any sign
            with pytest.raises(ValueError):  # noqa: PT011 - the messages differ, the type is the promise
                type(model).from_state(params, arrays | {name: damaged}, [0, 1, 2])


def test_bernoulli_refuses_states_with_more_presences_than_rows() -> None:
    params, arrays = BernoulliNaiveBayes().fit([[1, 0], [0, 1]], [0, 1]).to_state()
    with pytest.raises(ValueError, match="more rows"):
        BernoulliNaiveBayes.from_state(params, arrays | {"count": np.array([9, 1], np.uint8)}, [0, 1])


@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.parametrize("scale", [1e-300, 1e-100, 1.0, 1e100, 1e300])
def test_probabilities_are_finite_and_sum_to_one(model: Any, scale: float) -> None:
    counts = np.array([[1, 0, 2], [3, 1, 0], [0, 0, 1], [0, 0, 0]])
    y = [0, 1, 2, 0]
    for X in (counts, counts * scale):
        try:
            fitted = _fresh(model).fit(X, y)
        except ValueError as error:  # tables of 10³⁰⁰ values, variances of 10⁶⁰⁰: named, and told what to do
            assert scale > 1
            assert "small whole numbers" in str(error) or "variance" in str(error)  # noqa: PT017
            continue
        P = fitted.predict_proba(counts * scale)
        assert np.isfinite(P).all()
        np.testing.assert_allclose(P.sum(axis=1), 1, rtol=1e-12)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (BernoulliNaiveBayes(alpha=-1), "alpha must"),
        (BernoulliNaiveBayes(binarize=-1), "binarize must"),
        (BernoulliNaiveBayes(class_prior="x"), "class_prior must"),
        (CategoricalNaiveBayes(alpha=-1), "alpha must"),
        (CategoricalNaiveBayes(n_values=0), "n_values must"),
        (ComplementNaiveBayes(alpha=0), "alpha must"),
        (GaussianNaiveBayes(variance="full"), "variance must"),
        (GaussianNaiveBayes(variance=0.0), "greater than 0"),
        (GaussianNaiveBayes(variance=[1.0, 1.0, 1.0]), "one for each of 2 features"),
        (GaussianNaiveBayes(var_smoothing=-1), "var_smoothing must"),
    ],
    ids=repr,
)
def test_wrong_parameters_are_named(model: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        model.fit([[1, 0], [0, 1]], [0, 1])
