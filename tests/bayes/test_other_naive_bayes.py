"""Bernoulli, categorical, complement and Gaussian naive Bayes against their twins and scikit-learn."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import BernoulliNB, CategoricalNB, ComplementNB, GaussianNB
from tests.strategies import Labelled, counts, measurements, sparse_with_zeros

from lindy import TextClassifier
from lindy.bayes import BernoulliNaiveBayes, CategoricalNaiveBayes, ComplementNaiveBayes, GaussianNaiveBayes
from lindy.core.csr import Csr
from lindy.textbook import (
    bernoulli_naive_bayes,
    categorical_naive_bayes,
    complement_naive_bayes,
    gaussian_naive_bayes,
)
from lindy.textbook.multinomial_naive_bayes import counts as word_counts
from lindy.textbook.multinomial_naive_bayes import posterior
from lindy.updating import merge

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


SMALL = [{"f0": "on", "f1": "on"}, {"f0": "off", "f1": "on"}, {"f0": "on", "f1": "off"}]


def of_categories(rows: list[dict[str, str]], labels: list[str], **options: Any) -> TextClassifier:
    columns = {"category": list(rows[0])}
    return TextClassifier(learner=CategoricalNaiveBayes(**options), columns=columns).fit(rows, labels)


def test_a_category_is_counted_once() -> None:
    model = of_categories(SMALL, ["zero", "zero", "one"])
    answers = model.predict_proba([{"f0": "on", "f1": "on"}, {"f0": "on", "f1": "off"}])
    # 2/3·1/2·3/4 against 1/3·2/3·1/3, and 2/3·1/2·1/4 against 1/3·2/3·2/3
    assert answers[:, 1] == pytest.approx([0.25 / (0.25 + 2 / 27), (1 / 12) / (1 / 12 + 4 / 27)], abs=1e-12)
    assert answers.round(4).tolist() == [[0.2286, 0.7714], [0.64, 0.36]]


@pytest.mark.parametrize("alpha", [0.3, 1.0])
def test_categories_are_those_of_scikit_learn(alpha: float, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    values = np.array(["a", "b", "c", "d"])
    codes = np.column_stack([rng.integers(0, n, 60) for n in (2, 3, 4)])
    codes[:4, 2], codes[:3, 1], codes[:2, 0] = range(4), range(3), range(2)
    labels = np.array(["x", "y", "z"])[rng.integers(0, 3, 60)]
    rows = [{f"f{j}": str(values[code]) for j, code in enumerate(row)} for row in codes.tolist()]
    model = of_categories(rows, labels.tolist(), alpha=alpha)
    theirs = CategoricalNB(alpha=alpha).fit(codes, labels)
    assert np.allclose(model.predict_proba(rows), theirs.predict_proba(codes))
    model.save(tmp_path / "m.lindy")
    loaded = TextClassifier.load(tmp_path / "m.lindy")
    assert np.array_equal(loaded.predict_proba(rows), model.predict_proba(rows))
    for row in rows[:5]:
        explained = model.explain(row)
        joint = model.learner_.joint_log_proba(model.vectorizer_.transform_csr([row]))[0]
        assert np.allclose(explained.bias + explained.added.sum(axis=0), joint)


def test_categories_beside_texts_and_numbers_of_their_own() -> None:
    rows = [{"t": "good good", "c": "a"}, {"t": "bad", "c": "b"}, {"t": "good", "c": "b"}]
    model = TextClassifier(learner="categorical-naive-bayes", columns={"text": ["t"], "category": ["c"]}).fit(
        rows, ["+", "-", "-"]
    )
    # columns: good (0, 1, 2), bad (0, 1) and c, which is one feature of two values
    assert [len(table) for table in model.learner_.value_proba_] == [3, 2, 2]
    plus = 1 / 3 * (2 / 3) * (2 / 4) * (2 / 3)
    minus = 2 / 3 * (2 / 4) * (1 / 5) * (1 / 4)
    p = model.predict_proba([{"t": "good good", "c": "a"}])[0]
    assert p[model.classes_.tolist().index("+")] == pytest.approx(plus / (plus + minus))


def test_categories_that_come_later_and_from_elsewhere() -> None:
    labels = ["zero", "zero", "one"]
    more, own = [{"f0": "dim", "f1": "on"}, {"f0": "on", "f1": "wet"}], ["one", "zero"]
    whole = of_categories([*SMALL, *more], [*labels, *own]).predict_proba(SMALL)
    updated = of_categories(SMALL, labels).partial_fit(more, own)
    merged = merge([of_categories(SMALL, labels), of_categories(more, own)])
    for model in (updated, merged):
        assert np.allclose(model.predict_proba(SMALL), whole)


def test_a_category_that_was_never_seen_is_a_value_of_no_count() -> None:
    model = of_categories(SMALL, ["zero", "zero", "one"])
    zero, one = 2 / 3 * (1 / 4) * (3 / 4), 1 / 3 * (1 / 3) * (1 / 3)
    p = model.predict_proba([{"f0": "new", "f1": "on"}])[0]
    assert p[1] == pytest.approx(zero / (zero + one))


def test_folds_compare_categories_as_the_model_does() -> None:
    rows, labels = SMALL * 12, ["zero", "zero", "one"] * 12
    groups = [f"g{i % 6}" for i in range(len(rows))]
    columns = {"category": ["f0", "f1"]}
    model = TextClassifier(learner="categorical-naive-bayes", columns=columns, calibration="sigmoid")
    assert model.fit(rows, labels, groups=groups).score(rows, labels) == 1.0
    assert model.outcomes_.accuracy[0] == 1.0


def test_columns_without_groups_are_features_of_their_own() -> None:
    """As in the files of earlier versions, whose one-hot columns predict as they did."""
    X = [[0, 1, 0, 1], [1, 0, 0, 1], [0, 1, 1, 0]]
    model = CategoricalNaiveBayes().fit(X, ["zero", "zero", "one"])
    assert model.groups_ is None
    assert model.predict_proba([[0, 1, 0, 1]])[0, 1] == pytest.approx(0.8506, abs=5e-5)
    state = model.to_state()
    assert "groups" not in state[1]
    wrong = state[1] | {"groups": np.array([0, 0, 1], np.int32)}
    with pytest.raises(ValueError, match="groups must hold"):
        CategoricalNaiveBayes.from_state(state[0], wrong, model.classes_)


def test_rows_with_several_values_of_a_category_are_refused() -> None:
    rows = Csr(np.array([0, 2]), np.array([0, 1], np.int32), np.ones(2), 2, groups=np.zeros(2, np.int32))
    with pytest.raises(ValueError, match="row 0 has several values of one category"):
        CategoricalNaiveBayes().fit(rows, ["a"])
