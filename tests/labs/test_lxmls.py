"""What the LxMLS guide computes, by the learners and by the textbook."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from lindy import SVM, GaussianNaiveBayes, MaxEnt, Mira, MultinomialNaiveBayes, Perceptron
from lindy.data import toy_gaussians
from lindy.labs import book_reviews
from lindy.textbook import gaussian_naive_bayes, multinomial_naive_bayes
from lindy.textbook.batch_gradient import batch_gradient_descent
from lindy.textbook.iterative_scaling import (
    conditional,
    generalised_iterative_scaling,
    improved_iterative_scaling,
)
from lindy.textbook.mira import binary_mira, mira
from lindy.textbook.objectives import Data, gradient, losses, objective, probabilities
from lindy.textbook.perceptron import averaged_perceptron, binary_perceptron
from lindy.textbook.stochastic_gradient import cost_augmented_direction, log_direction, stochastic_gradient

TOY = toy_gaussians(200, variances=0.5, random_state=2)
X, Y = TOY.X_train, TOY.y_train
WITH_ONE = np.column_stack([X, np.ones(len(X))])
THREE = toy_gaussians(90, means=[(-2, 0), (2, 0), (0, 2)], variances=1.0, random_state=4)


def weights(model: Any) -> np.ndarray:
    return np.vstack([model.W_, model.b_])


def test_eq_1_8_priors_and_means_are_frequencies_and_averages() -> None:
    toy = toy_gaussians(100, priors=[0.3, 0.7], random_state=1)
    model = GaussianNaiveBayes(variance=1.0).fit(toy.X_train, toy.y_train)
    for y in (0, 1):
        members = toy.X_train[toy.y_train == y]
        assert np.exp(model.log_prior_)[y] == pytest.approx(len(members) / 50)
        np.testing.assert_allclose(model.mean_[:, y], members.sum(axis=0) / len(members))
    np.testing.assert_allclose(model.mean_, gaussian_naive_bayes.means(toy.X_train, toy.y_train, 2))


def test_figures_1_1_and_1_2_the_best_accuracy() -> None:
    """The boundary x₁ + x₂ = 0 lies √2 from both means: the best classifier is right with probability Φ(√2/σ)."""
    for variance, best in ((1.0, 0.9214), (0.5, 0.9772)):
        assert 0.5 * (1 + math.erf(math.sqrt(1 / variance))) == pytest.approx(best, abs=1e-4)
        source = toy_gaussians(variances=variance).source
        points, labels = source.draw(40_000, random_state=1)
        assert (source.predict(points) == (points.sum(axis=1) > 0)).all()
        assert (source.predict(points) == labels).mean() == pytest.approx(best, abs=0.004)


def test_eq_1_10_needs_tokens_not_documents() -> None:
    reviews = book_reviews()
    model = MultinomialNaiveBayes(alpha=1).fit(reviews.X_train, reviews.y_train)
    codes = np.searchsorted(model.classes_, reviews.y_train)
    n_y, n_yw = multinomial_naive_bayes.counts(reviews.X_train.toarray(), codes, 2)
    J = len(reviews.words)
    by_tokens = (1 + n_yw) / (J + n_yw.sum(axis=0))
    np.testing.assert_allclose(np.exp(model.W_), by_tokens, rtol=1e-12)
    np.testing.assert_allclose(multinomial_naive_bayes.laplace(n_yw), by_tokens, rtol=1e-12)
    np.testing.assert_allclose(by_tokens.sum(axis=0), 1)
    assert ((1 + n_yw) / (J + n_y)).sum(axis=0).min() > 1.5  # the guide's formula gives no distribution


def test_exercise_1_2_smoothing_helps_on_reviews() -> None:
    reviews = book_reviews()
    likely, smoothed = (
        MultinomialNaiveBayes(alpha=k).fit(reviews.X_train, reviews.y_train) for k in (0.0, 1.0)
    )
    assert np.isneginf(likely.joint_log_proba(reviews.X_test)).all(axis=1).any()
    better = smoothed.score(reviews.X_test, reviews.y_test) - likely.score(reviews.X_test, reviews.y_test)
    assert better > 0.05  # 400 reviews to test on: 20 more are right


def test_eq_1_17_block_features_give_one_weight_vector_per_class() -> None:
    rng = np.random.default_rng(3)
    g, w = rng.normal(size=4), rng.normal(size=12)
    for y in range(3):
        f = np.kron(np.eye(3)[y], g)
        assert len(f) == 3 * 4
        assert w @ f == pytest.approx(w.reshape(3, 4)[y] @ g)


def test_remark_1_2_naive_bayes_is_linear() -> None:
    reviews = book_reviews()
    model = MultinomialNaiveBayes().fit(reviews.X_train, reviews.y_train)
    scores = reviews.X_test @ model.W_ + model.b_
    np.testing.assert_allclose(scores, model.joint_log_proba(reviews.X_test), rtol=1e-9)
    textbook = multinomial_naive_bayes.joint(
        reviews.X_test[:20].toarray(), np.exp(model.log_prior_), np.exp(model.W_)
    )
    np.testing.assert_allclose(scores[:20], textbook, rtol=1e-9)


def test_algorithm_2_averaged_perceptron() -> None:
    model = Perceptron(shuffle=False, epochs=5, dtype="float64").fit(X, Y)
    _, average, mistakes = binary_perceptron(WITH_ONE, Y, list(range(len(X))) * 5)
    np.testing.assert_allclose(weights(model)[:, 0], average)
    assert model.mistakes_ == mistakes
    data = np.column_stack([THREE.X_train, np.ones(45)])
    model = Perceptron(shuffle=False, epochs=5, dtype="float64").fit(THREE.X_train, THREE.y_train)
    _, average, mistakes = averaged_perceptron(data, THREE.y_train, 3, list(range(45)) * 5)
    np.testing.assert_allclose(weights(model), average)
    assert model.mistakes_ == mistakes


def test_separable_data_end_the_perceptron() -> None:
    apart = toy_gaussians(200, means=[(1, 0), (2, 2)], variances=0.1, random_state=1)
    model = Perceptron(average=False).fit(apart.X_train, apart.y_train)
    assert model.score(apart.X_train, apart.y_train) == 1
    assert 0 < model.mistakes_ <= model.mistake_bound_


def test_exercise_1_4_weights_every_five_updates() -> None:
    model = Perceptron(epochs=10, average=False, trace=5, dtype="float64", shuffle=False).fit(X, Y)
    assert [update for update, _, _ in model.trace_] == [5 * (i + 1) for i in range(len(model.trace_))]
    assert len(model.trace_) == model.mistakes_ // 5
    w, seen = np.zeros(3), []
    for m in list(range(len(X))) * model.n_iter_:
        if (WITH_ONE[m] @ w >= 0) != (Y[m] == 1):
            w = w + (1 if Y[m] == 1 else -1) * WITH_ONE[m]
            seen.append(w)
    for update, W, b in model.trace_:
        np.testing.assert_allclose(np.append(W[:, 0], b), seen[update - 1])


@pytest.mark.parametrize("lam", [0.01, 1.0, 100.0])
def test_algorithm_3_mira(lam: float) -> None:
    model = Mira(lam=lam, constraints="predicted", shuffle=False, epochs=3, dtype="float64").fit(X, Y)
    _, average = binary_mira(WITH_ONE, Y, 1 - np.eye(2), list(range(len(X))) * 3, C=1 / lam)
    np.testing.assert_allclose(weights(model)[:, 0], average)
    data = np.column_stack([THREE.X_train, np.ones(45)])
    model = Mira(lam=lam, constraints="predicted", shuffle=False, epochs=3, dtype="float64").fit(
        THREE.X_train, THREE.y_train
    )
    _, average = mira(data, THREE.y_train, 1 - np.eye(3), list(range(45)) * 3, C=1 / lam)
    np.testing.assert_allclose(weights(model), average)


def test_eq_1_23_the_step_of_mira_is_the_smallest_that_corrects() -> None:
    """One mistake on x = (1, 2) from w = 0: τ = 1/(2‖x‖²) = 0.1, and then the margin is exactly 1."""
    x, first = (
        np.array([[1.0, 2.0]]),
        Mira(fit_intercept=False, epochs=1, average=False, dtype="float64", C=1e9),
    )
    first.partial_fit(x, [2], classes=[0, 1, 2])
    np.testing.assert_allclose(first.W_, [[-0.1, 0, 0.1], [-0.2, 0, 0.2]])
    scores = first.decision_function(x)[0]
    assert scores[2] - scores[0] == pytest.approx(1)
    w, _ = mira(x, np.array([2]), 1 - np.eye(3), [0], C=1e9)
    np.testing.assert_allclose(first.W_, w)


def test_section_1_5_the_die() -> None:
    """Ten throws of 1 to 3 and thirty of 4 to 6: 1/12 and 1/4 for each side."""
    f = np.tile(np.repeat([0.0, 1.0], 3)[:, None], (40, 1, 1))
    throws = np.repeat([0, 5], [10, 30])
    for train in (improved_iterative_scaling, generalised_iterative_scaling):
        w = train(f, throws, 300)
        P = conditional(f, w[:1])[0] if train is improved_iterative_scaling else None
        if P is None:  # its last weight belongs to the slack feature, 1 − f
            P = conditional(np.concatenate([f, 1 - f], axis=2), w)[0]
        np.testing.assert_allclose(P, [1 / 12] * 3 + [1 / 4] * 3, atol=1e-9)


def test_eq_1_29_and_1_32_gradients() -> None:
    rng = np.random.default_rng(5)
    W, b, h = rng.normal(size=(2, 3)), rng.normal(size=3), 1e-6
    data = Data(THREE.X_train, THREE.y_train.astype(np.int32), np.full(45, 1 / 45))

    def log_z(W: np.ndarray) -> float:
        return float(np.log(np.exp(data.X[0] @ W).sum()))

    expected = np.outer(data.X[0], probabilities((data.X[0] @ W)[None])[0])
    found = gradient(data, W, b, "softmax", 0.3)[0]
    for j, k in np.ndindex(2, 3):
        step = np.zeros((2, 3))
        step[j, k] = h
        assert (log_z(W + step) - log_z(W - step)) / (2 * h) == pytest.approx(expected[j, k], abs=1e-7)
        slope = objective(data, W + step, b, "softmax", 0.3) - objective(data, W - step, b, "softmax", 0.3)
        assert slope / (2 * h) == pytest.approx(found[j, k], abs=1e-7)


def test_maxent_matches_the_moments_of_the_data() -> None:
    """Without a penalty the expected features are the observed ones."""
    wide = toy_gaussians(200, variances=2.0, random_state=3)  # overlapping, so that the optimum is finite
    model = MaxEnt(penalty=None, tol=1e-7).fit(wide.X_train, wide.y_train)
    P = model.predict_proba(wide.X_train)
    observed = wide.X_train.T @ np.eye(2)[wide.y_train]
    np.testing.assert_allclose(wide.X_train.T @ P, observed, atol=1e-3)


@pytest.mark.parametrize("solver", ["lbfgs", "gradient-descent", "conjugate-gradient", "newton", "dual"])
def test_algorithm_4_every_batch_optimiser_finds_the_same_model(solver: str) -> None:
    """Two weight vectors under λ are w₁ − w₀ of the same lam."""
    W, values = batch_gradient_descent(X, Y.astype(np.int32), 2, lam=0.1, rounds=500)
    assert (np.diff(values) <= 1e-15).all()
    model = MaxEnt(lam=0.1, solver=solver, fit_intercept=False, tol=1e-10).fit(X, Y)
    np.testing.assert_allclose(model.W_[:, 0], W[:, 1] - W[:, 0], atol=1e-4)


def test_algorithms_5_and_6_stochastic_steps() -> None:
    options = {"eta0": 0.1, "epochs": 2, "shuffle": False, "dtype": "float64"}
    order, lam = list(range(len(X))) * 2, 0.1
    entropy = MaxEnt(lam=lam, solver="sgd", fit_intercept=False, solver_options=options).fit(X, Y)
    svm = SVM(
        loss="multiclass_hinge", lam=lam, solver="subgradient", fit_intercept=False, solver_options=options
    )
    for model, direction in (
        (entropy, log_direction),
        (svm.fit(X, Y), cost_augmented_direction(1 - np.eye(2))),
    ):
        last, _ = stochastic_gradient(
            X, Y, np.zeros((2, 2)), order, direction, lambda t: 0.05 / math.sqrt(t), lam
        )
        np.testing.assert_allclose(model.W_[:, 0], last[:, 1] - last[:, 0], rtol=1e-6)


def test_eq_1_34_two_definitions_of_the_hinge_loss() -> None:
    scores = np.random.default_rng(0).normal(size=(500, 4))
    first = (scores - scores[:, :1] + (np.arange(4) > 0)).max(axis=1)
    second = np.maximum(0, 1 + scores[:, 1:].max(axis=1) - scores[:, 0])
    np.testing.assert_allclose(first, second, atol=1e-15)
    model = SVM(loss="multiclass_hinge").fit(THREE.X_train, THREE.y_train)
    o = model.decision_function(THREE.X_train)
    own = o[np.arange(45), THREE.y_train]
    augmented = o + 1 - np.eye(3)[THREE.y_train]
    np.testing.assert_allclose(
        model.slacks(THREE.X_train, THREE.y_train)[:, 0], augmented.max(axis=1) - own, atol=1e-12
    )


def test_eq_1_35_a_sum_of_losses_is_a_mean_with_a_smaller_penalty() -> None:
    """Sum of losses + ½·λ·‖w‖² is M times the mean of losses + ½·(λ/M)·‖w‖²."""
    lam, M = 2.0, len(X)
    summed = SVM(loss="hinge", C=1 / lam, tol=1e-8).fit(X, Y)
    averaged = SVM(loss="hinge", lam=lam / M, tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(summed.W_, averaged.W_, rtol=1e-4)
    slack = summed.slacks(X, Y).sum()
    primal = slack + 0.5 * lam * float((summed.W_**2).sum())
    assert primal / M == pytest.approx(averaged.certificate_.objective, rel=1e-6)


def test_eq_1_30_the_objective_of_maxent() -> None:
    model = MaxEnt(lam=0.1).fit(THREE.X_train, THREE.y_train)
    mean = -float(model.predict_log_proba(THREE.X_train)[np.arange(45), THREE.y_train].mean())
    scores = THREE.X_train @ model.W_ + model.b_
    assert mean == pytest.approx(float(losses(scores, THREE.y_train.astype(np.int32), "softmax").mean()))
    assert model.certificate_.objective == pytest.approx(mean + 0.05 * float((model.W_**2).sum()), rel=1e-6)


@pytest.mark.parametrize(
    "model",
    [
        GaussianNaiveBayes(variance=0.5),
        Perceptron(),
        Mira(),
        MaxEnt(lam=0.01),
        SVM(loss="hinge", lam=0.01),
    ],
    ids=lambda model: type(model).__name__,
)
def test_toy_data_reach_94_percent(model: Any) -> None:
    assert model.fit(X, Y).score(TOY.X_test, TOY.y_test) >= 0.94


def test_table_1_1_a_wrong_model_hurts_only_naive_bayes() -> None:
    toy = toy_gaussians(
        2_000, means=[(-1, -1), (1, 1), (7, 7)], variances=0.5, priors=[0.5, 0.25, 0.25], random_state=1
    )
    truth, test = np.minimum(toy.y_train, 1), np.minimum(toy.y_test, 1)
    bayes = GaussianNaiveBayes(variance="shared").fit(toy.X_train, truth)
    assert bayes.score(toy.X_test, test) < 0.85
    for model in (Perceptron(), Mira(), MaxEnt(), SVM()):
        assert model.fit(toy.X_train, truth).score(toy.X_test, test) > 0.95
