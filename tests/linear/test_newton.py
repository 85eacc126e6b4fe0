"""Newton's method: its kernels against NumPy, how tolerances matter, and the path to no penalty at all."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from tests.linear.smooth_problems import BIASES, LOSSES, random_problem

from lindy import MaxEnt
from lindy.core.csr import as_csr
from lindy.linear.objective import Objective
from lindy.linear.optimizers import few_columns, minimise
from lindy.linear.optimizers.newton import FLAT, Equations, line_minimum
from lindy.linear.problem import Options


@pytest.mark.parametrize("bias", BIASES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_finite_minimum_is_found_to_the_last_digits(
    loss: str, n_classes: int, bias: dict[str, bool]
) -> None:
    problem = random_problem(loss, n_classes, columns=4, density=0.8, l2=0.0, weighted=True, **bias)
    assert few_columns(problem)
    solution = minimise(problem, Options())
    other = minimise(problem, Options(tol=1e-9, max_iter=5000), "lbfgs")
    assert solution.certificate is not None
    assert other.certificate is not None
    assert solution.certificate.missed.startswith("gradient of")
    assert solution.certificate.gradient_norm < 1e-9 * solution.certificate.gradient_at_zero
    assert solution.certificate.objective <= other.certificate.objective * (1 + 1e-13)


def test_it_agrees_with_scikit_learn() -> None:
    problem = random_problem("log", 3, columns=4, density=0.8, l2=0.0)
    X = problem.X.to_dense()
    ours = MaxEnt(penalty=None).fit(X, problem.y.codes)
    theirs = LogisticRegression(C=np.inf, tol=1e-10, max_iter=10_000).fit(X, problem.y.codes)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_separable_classes_end_as_soon_as_asked_and_without_chance(loss: str) -> None:
    """The same rows in another order give the same weights, though no finite minimum decides about them."""
    problem = random_problem(loss, 3, rows=20, columns=25, density=0.6, l2=0.0)
    order = np.random.default_rng(0).permutation(20)
    mixed = replace(problem, X=problem.X.take(order), y=problem.y.take(order))
    one, other = minimise(problem, Options()), minimise(mixed, Options())
    assert one.certificate is not None
    assert one.certificate.reached
    np.testing.assert_allclose(one.W, other.W, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("columns", [5, 70])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_kernels_are_numpys(loss: str, n_classes: int, columns: int) -> None:
    """Dense and rare columns, more than a panel of them: products, diagonal and factors of the Hessian."""
    rng = np.random.default_rng(0)
    X = (rng.random((300, columns)) < np.linspace(0.01, 0.9, columns)) * rng.normal(size=(300, columns))
    problem = replace(random_problem(loss, n_classes, rows=300, weighted=True), X=as_csr(X))
    objective = Objective(problem, 2)
    at, K, M = objective.buffers(), objective.n_outputs, columns + 1
    objective.evaluate(rng.normal(size=objective.size), at)
    padded = np.hstack([X, np.ones((300, 1))])
    H = np.zeros((K, M, K, M))
    for k in range(K):
        for j in range(K):
            h = at.D[:, k] * (k == j)
            if objective.joint:
                h = objective.share * (h - at.D[:, k] * at.D[:, j])
            H[k, :, j] = (padded * h[:, None]).T @ padded
    V, out = rng.normal(size=(M, K)), np.empty((M, K))
    objective.native.hessian_times(at.D, V, out)
    np.testing.assert_allclose(out, np.einsum("kajb,bj->ak", H, V), atol=1e-12)
    objective.native.hessian_diagonal(at.D, out)
    np.testing.assert_allclose(out, np.einsum("kaka->ak", H), atol=1e-12)
    penalty = rng.uniform(0.1, 1.0, M)
    for k in range(K):
        H[k, np.arange(M), k, np.arange(M)] += penalty
    objective.native.factor(at.D, penalty, True)
    objective.native.factor_solve(V, out)
    np.testing.assert_allclose(out.T.ravel(), np.linalg.solve(H.reshape(K * M, -1), V.T.ravel()), atol=1e-10)
    objective.native.factor(at.D, penalty, False)
    objective.native.factor_solve(V, out)
    for k in range(K):
        np.testing.assert_allclose(out[:, k], np.linalg.solve(H[k, :, k], V[:, k]), atol=1e-10)


def test_a_column_that_others_explain_is_left_out_of_a_factor() -> None:
    problem = random_problem("log", 2, columns=4, density=1.0)
    X = problem.X.to_dense()
    objective = Objective(replace(problem, X=as_csr(np.hstack([X, X]))), 1)
    at, out = objective.buffers(), np.empty((9, 1))
    objective.evaluate(np.zeros(objective.size), at)
    objective.native.factor(at.D, np.zeros(9), False)
    objective.native.factor_solve(np.ones((9, 1)), out)
    assert np.isfinite(out).all()
    np.testing.assert_array_equal(out[4:8], 0.0)


@pytest.mark.parametrize("loss", LOSSES)
def test_slopes_along_a_line_are_the_losses(loss: str) -> None:
    objective = Objective(random_problem(loss, 3, weighted=True), 2)
    rng = np.random.default_rng(0)
    S, A, b = rng.normal(size=(120, 3)), rng.normal(size=(120, 3)), rng.normal(size=3)
    t = np.full(3, 0.7) if objective.joint else rng.random(3)
    slope, curve, ahead, back, at = *(np.empty(3) for _ in range(4)), objective.buffers()
    objective.native.line(S, b, A, t, slope, curve)
    objective.native.line(S, b, A, t + 1e-6, ahead, np.empty(3))
    objective.native.line(S, b, A, t - 1e-6, back, np.empty(3))
    objective.native.loss(S + t * A, b, at.R, at.D)
    products = (at.R * A).sum(axis=0)
    expected = np.array([products.sum(), 0.0, 0.0]) if objective.joint else products
    np.testing.assert_allclose(slope, expected, atol=1e-14)
    np.testing.assert_allclose(curve, (ahead - back) / 2e-6, atol=1e-5)


@pytest.mark.parametrize("loss", LOSSES)
def test_looser_tolerances_end_sooner(loss: str) -> None:
    problem = random_problem(loss, 3, rows=600, columns=20, density=0.5, l2=1e-4)
    rounds = [minimise(problem, Options(tol=tol), "newton").n_iter for tol in (1e-1, 1e-4, 1e-9)]
    assert rounds == sorted(rounds)
    assert rounds[0] < rounds[-1]


@pytest.mark.parametrize("penalty", ["l2", "none"])
@pytest.mark.parametrize("loss", LOSSES)
def test_rows_given_twice_are_rows_of_weight_2(loss: str, penalty: str) -> None:
    problem = random_problem(loss, 3, rows=60, columns=5, density=0.8, l2=0.01 if penalty == "l2" else 0.0)
    twice = np.repeat(np.arange(60), 1 + np.arange(60) % 2)
    by_row = replace(problem, X=problem.X.take(twice), y=problem.y.take(twice))
    by_weight = replace(problem, weight=1.0 + np.arange(60) % 2)
    one, other = (minimise(p, Options(tol=1e-10), "newton") for p in (by_row, by_weight))
    np.testing.assert_allclose(one.W, other.W, rtol=1e-7, atol=1e-9)


@pytest.mark.parametrize("share", [0.05, 1.0, 30.0])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_step_ends_at_the_minimum_along_its_line(loss: str, n_classes: int, share: float) -> None:
    """Whether the step is far too short, right or far too long."""
    problem = random_problem(loss, n_classes, columns=6, density=0.9, l2=0.01)
    objective = Objective(problem)
    x, at = objective.start(None), objective.buffers()
    before, gradient = objective.evaluate(x, at)
    step = share * Equations(objective).direction(gradient, at)
    value = line_minimum(objective, x, step, gradient, at)
    assert value < before
    shape = (-1, objective.n_outputs)
    axis = None if objective.joint else 0
    first, last = (
        np.abs((slopes.reshape(shape) * step.reshape(shape)).sum(axis=axis))
        for slopes in (gradient, objective.gradient(x, at))
    )
    assert (last <= FLAT * first + 1e-12).all()


def test_weights_that_must_grow_far_are_found() -> None:
    """Pixels as they are can be separated: steps must go past their ends, and the loss is proved to be next to 0."""
    X, y = load_digits(return_X_y=True)
    model = MaxEnt().fit(16.0 * X, y)
    assert model.solver_ == "newton"
    assert model.certificate_.reached
    assert model.certificate_.objective < 1e-3
