"""What Johansson's slides and their assignment compute, by the learners and by the textbook."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_matrix

from lindy import SVM, MaxEnt, Perceptron
from lindy.data import toy_gaussians
from lindy.features import DictVectorizer, TokenConjunctions
from lindy.text import CountVectorizer
from lindy.textbook.feature_maps import word_pairs
from lindy.textbook.objectives import losses
from lindy.textbook.perceptron import binary_perceptron, sparse_perceptron
from lindy.textbook.stochastic_gradient import hinge_direction, logistic_direction, pegasos, sparse_pegasos

PHRASES = ["very good", "very bad", "not good", "not bad"]
LABELS = np.array([1, 0, 0, 1])
RNG = np.random.default_rng(6)
X = csr_matrix(RNG.poisson(0.3, (40, 12)).astype(float))
Y = RNG.integers(0, 2, 40)
ROWS = [(X.indices[a:b], X.data[a:b]) for a, b in zip(X.indptr[:-1], X.indptr[1:], strict=True)]


def test_features_are_scored_independently() -> None:
    vectorizer = DictVectorizer()
    rows = vectorizer.fit_transform([dict.fromkeys(["a", "really", "good", "movie"], 1)])
    weight = {"really": 0.3, "good": 1.5, "movie": -0.1, "a": 0.0}
    names = vectorizer.get_feature_names_out()
    assert (rows @ np.array([weight[name] for name in names]))[0] == pytest.approx(1.7)


def test_single_words_do_not_separate_and_combinations_do() -> None:
    single = CountVectorizer().fit_transform(PHRASES).toarray()
    assert (
        single[LABELS == 1].sum(axis=0) == single[LABELS == 0].sum(axis=0)
    ).all()  # any w scores both sums alike
    with pytest.raises(ValueError, match="cannot be separated"):
        SVM(loss="hinge", C=math.inf).fit(single, LABELS)
    combined = TokenConjunctions()
    pairs = combined.fit_transform(PHRASES)
    names = set(combined.get_feature_names_out())
    assert {pair for text in PHRASES for pair in word_pairs(text.split(), 1)} <= names
    model = Perceptron(average=False, epochs=100).fit(pairs, LABELS)
    assert model.score(pairs, LABELS) == 1
    with_one = np.column_stack([pairs.toarray(), np.ones(4)]).astype(float)
    last, _, _ = binary_perceptron(with_one, LABELS, list(range(4)) * 20)
    assert ((with_one @ last >= 0) == (LABELS == 1)).all()


def test_dense_and_sparse_perceptrons_are_the_same() -> None:
    order = list(range(40)) * 5
    dense, _, mistakes = binary_perceptron(X.toarray(), Y, order)
    sparse = sparse_perceptron(ROWS, Y, (12, 1), order)
    model = Perceptron(average=False, fit_intercept=False, shuffle=False, epochs=5, dtype="float64").fit(X, Y)
    np.testing.assert_array_equal(sparse[:, 0], dense)
    np.testing.assert_array_equal(model.W_[:, 0], dense)
    assert model.mistakes_ == mistakes


def test_the_logistic_function_and_the_likelihood() -> None:
    toy = toy_gaussians(40, variances=1.0, random_state=2)
    model = MaxEnt(lam=0.1).fit(toy.X_train, toy.y_train)
    score = model.decision_function(toy.X_train)
    P = model.predict_proba(toy.X_train)
    np.testing.assert_allclose(P[:, 1], 1 / (1 + np.exp(-score)))
    np.testing.assert_allclose(P.sum(axis=1), 1)
    likelihood = np.log(P[np.arange(20), toy.y_train].prod())
    assert likelihood == pytest.approx(
        -losses(score[:, None], toy.y_train.astype(np.int32), "logistic").sum()
    )


def test_lambda_of_the_slides_is_half_of_lam() -> None:
    """λ|w|² + mean loss is ½·(2λ)·|w|² + mean loss."""
    toy = toy_gaussians(200, variances=1.0, random_state=2)
    slides = 0.05
    sign = np.where(toy.y_train == 1, 1.0, -1.0)

    def objective(w: np.ndarray) -> float:
        return float(slides * w @ w + np.maximum(0, 1 - sign * (toy.X_train @ w)).mean())

    model = SVM(loss="hinge", lam=2 * slides, fit_intercept=False, tol=1e-8).fit(toy.X_train, toy.y_train)
    best = objective(model.W_[:, 0])
    assert best == pytest.approx(model.certificate_.objective, rel=1e-6)
    for step in np.random.default_rng(0).normal(0, 0.02, (200, 2)):
        assert objective(model.W_[:, 0] + step) >= best - 1e-7


@pytest.mark.parametrize("direction", [hinge_direction, logistic_direction], ids=["hinge", "log"])
def test_pegasos_with_sparse_rows_and_scaled_weights(direction: Any) -> None:
    order = np.random.default_rng(3).integers(0, 40, 300)
    scaled = sparse_pegasos(ROWS, Y, 12, order, direction, 0.05)
    w = np.zeros(12)
    dense = X.toarray()
    for t, m in enumerate(order, start=1):  # the same, with vectors that are written out
        g = direction(np.array([dense[m] @ w]), int(Y[m]))[0]
        w = (1 - 1 / t) * w + g / (0.05 * t) * dense[m]
    np.testing.assert_allclose(scaled, w, rtol=1e-9, atol=1e-12)
    options = {"epochs": 1, "shuffle": False, "dtype": "float64"}
    if direction is hinge_direction:
        plain, _ = pegasos(dense, Y, np.zeros((12, 1)), [[m] for m in order], 0.05, project=False)
        np.testing.assert_allclose(plain[:, 0], w, rtol=1e-9, atol=1e-12)
        model: Any = SVM(
            loss="hinge", lam=0.05, solver="pegasos", fit_intercept=False, solver_options=options
        )
    else:
        model = MaxEnt(
            multiclass="one-vs-rest",
            lam=0.05,
            solver="sgd",
            fit_intercept=False,
            solver_options={**options, "schedule": "pegasos"},
        )
    np.testing.assert_allclose(model.fit(X[order], Y[order]).W_[:, 0], w, rtol=1e-6, atol=1e-9)


def test_pegasos_nears_the_optimum() -> None:
    toy = toy_gaussians(400, variances=1.0, random_state=2)
    exact = SVM(loss="hinge", lam=0.1, fit_intercept=False, tol=1e-8).fit(toy.X_train, toy.y_train)
    steps = SVM(loss="hinge", lam=0.1, fit_intercept=False, solver="pegasos", solver_options={"epochs": 200})
    steps.fit(toy.X_train, toy.y_train)
    np.testing.assert_allclose(steps.W_, exact.W_, atol=0.02)


def test_the_svm_does_not_depend_on_the_order() -> None:
    toy = toy_gaussians(60, means=[(1, 0), (2, 2)], variances=0.15, random_state=1)
    models = [
        SVM(loss="hinge", C=10, tol=1e-9, random_state=seed).fit(toy.X_train, toy.y_train)
        for seed in range(3)
    ]
    for model in models[1:]:
        np.testing.assert_allclose(model.W_, models[0].W_, rtol=1e-3)
    found = {
        tuple(Perceptron(average=False, random_state=seed).fit(toy.X_train, toy.y_train).W_[:, 0].tolist())
        for seed in range(3)
    }
    assert len(found) > 1
