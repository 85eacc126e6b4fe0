"""KernelPerceptron: the lecture's counts, the primal perceptron's mistakes, averages, votes, budgets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lindy import KernelPerceptron, Perceptron
from lindy.kernels import Linear, Polynomial
from lindy.textbook import kernel_perceptron as textbook

WHOLE = hnp.arrays(np.int64, (12, 4), elements=st.integers(-3, 3))


def problem(X, seed, K):
    y = np.random.default_rng(seed).integers(0, K, len(X))
    y[:K] = np.arange(K)
    return X.astype(np.float64), y


@pytest.mark.parametrize("K", [2, 3])
@settings(max_examples=25)
@given(X=WHOLE, seed=st.integers(0, 1000))
def test_the_counts_are_those_of_the_textbook(K, X, seed):
    X, y = problem(X, seed, K)
    G = Polynomial(2)(X)
    options = {"shuffle": False, "epochs": 3, "kernel": "poly", "degree": 2}
    model = KernelPerceptron(average=False, **options).fit(X, y)
    order = np.tile(np.arange(len(y)), model.epochs)
    alpha, average, mistakes = textbook.kernel_perceptron(G, y, K, order)
    np.testing.assert_array_equal(model.mistake_order_, mistakes)
    ours = np.zeros((len(y), K), np.int64)
    ours[model.support_] = model.alpha_
    np.testing.assert_array_equal(ours, alpha)
    averaged = KernelPerceptron(average=True, **options).fit(X, y)
    scores = G @ average
    np.testing.assert_allclose(
        averaged.decision_function(X), scores[:, 1] / 2 - scores[:, 0] / 2 if K == 2 else scores, atol=1e-8
    )
    voting = KernelPerceptron(average="vote", **options).fit(X, y)
    shares = textbook.voted(G, y, K, order, G)
    np.testing.assert_allclose(
        voting.decision_function(X), shares[:, 1] - shares[:, 0] if K == 2 else shares, atol=1e-12
    )


@pytest.mark.parametrize("shuffle", [False, True])
@pytest.mark.parametrize("K", [2, 4])
@settings(max_examples=20)
@given(X=hnp.arrays(np.int64, (30, 5), elements=st.integers(-3, 3)), seed=st.integers(0, 1000))
def test_with_the_linear_kernel_it_makes_the_mistakes_of_the_primal_perceptron(K, shuffle, X, seed):
    X[:, 4] = np.arange(30)  # equal rows are visited in a row, which the trace takes for one update
    X, y = problem(X, seed, K)
    options = {"epochs": 4, "shuffle": shuffle, "random_state": seed, "average": False}
    primal = Perceptron(fit_intercept=False, dtype="float64", trace=1, **options).fit(X, y)
    dual = KernelPerceptron(kernel="linear", **options).fit(X, y)
    assert dual.history_.mistakes == primal.history_.mistakes
    # the weights after every mistake, in order: whole numbers, so they must agree exactly
    W = np.zeros((5, 1 if K == 2 else K))
    for row, (_, traced, _) in zip(dual.mistake_order_, primal.trace_, strict=True):
        guess = int((X[row] @ W)[0] >= 0) if K == 2 else int(np.argmax(X[row] @ W))
        assert guess != y[row]
        if K == 2:
            W[:, 0] += X[row] if y[row] == 1 else -X[row]
        else:
            W[:, y[row]] += X[row]
            W[:, guess] -= X[row]
        np.testing.assert_array_equal(W, traced)
    np.testing.assert_array_equal(dual.decision_function(X), primal.decision_function(X))


def test_the_constant_of_the_kernel_is_the_bias():
    X = np.random.default_rng(0).integers(-3, 4, (60, 5)).astype(np.float64)
    y = np.random.default_rng(1).integers(0, 3, 60)
    options = {"epochs": 5, "average": False}
    primal = Perceptron(fit_intercept=True, dtype="float64", **options).fit(X, y)
    dual = KernelPerceptron(kernel="poly", degree=1, **options).fit(X, y)
    assert dual.history_.mistakes == primal.history_.mistakes
    np.testing.assert_allclose(dual.decision_function(X), primal.decision_function(X), atol=1e-12)


@pytest.mark.parametrize("average", [True, False, "vote"])
def test_a_budget_limits_the_support(average):
    X = np.random.default_rng(0).normal(size=(200, 3))
    y = (np.linalg.norm(X, axis=1) > 1.5).astype(int)
    free = KernelPerceptron(average=False, kernel="rbf").fit(X, y)
    tight = KernelPerceptron(average=False, kernel="rbf", budget=15).fit(X, y)
    assert len(free.support_) > 15 >= len(tight.support_)
    alpha = np.zeros((len(y), 2), np.int64)
    alpha[tight.support_] = tight.alpha_
    c = textbook.coefficients(alpha, y)[tight.support_, 1]
    np.testing.assert_array_equal(tight.dual_coef_[0], c)  # what is forgotten leaves no trace
    bounded = KernelPerceptron(average=average, kernel="rbf", budget=60).fit(X, y)
    assert bounded.score(X, y) > 0.75


def test_scores_follow_from_the_counts():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, 3, 80)
    model = KernelPerceptron(average=False, epochs=5).fit(X, y)
    expected = Polynomial(2)(X, X[model.support_]) @ textbook.coefficients(model.alpha_, y[model.support_])
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-9)


@pytest.mark.parametrize("average", [True, False, "vote"])
def test_a_saved_model_predicts_the_same(average):
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, 3, 50)
    model = KernelPerceptron(average=average, kernel=Linear() + Polynomial()).fit(X, y)
    params, arrays = model.to_state()
    again = KernelPerceptron.from_state(params, arrays, model.classes_)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    if average == "vote":
        for name in ("vote.row", "vote.output", "vote.begin"):
            with pytest.raises(ValueError, match="voted perceptron"):
                KernelPerceptron.from_state(params, arrays | {name: arrays[name] + 1000}, model.classes_)


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="average must be True"):
        KernelPerceptron(average="mean").fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="budget must be a whole number"):
        KernelPerceptron(budget=0).fit([[0.0], [1.0]], [0, 1])
