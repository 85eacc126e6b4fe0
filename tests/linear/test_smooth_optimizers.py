"""The primal optimisers reach the proven optimum of the stated objective."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
from tests.linear.cone_oracle import optimum as cone_optimum
from tests.linear.exponential_cone import optimum
from tests.linear.smooth_problems import BIASES, LOSSES, random_problem
from tests.oracles import logistic_regression, radius

from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.objective import Objective
from lindy.linear.optimizers import minimise
from lindy.linear.problem import Options, Problem, Solution
from lindy.textbook.batch_gradient import batch_gradient_descent
from lindy.textbook.iterative_scaling import (
    conditional,
    counts,
    generalised_iterative_scaling,
    improved_iterative_scaling,
)
from lindy.textbook.objectives import Data
from lindy.textbook.objectives import objective as textbook_objective

SMOOTH = ("lbfgs", "newton", "conjugate-gradient", "gradient-descent")


def objective_of(problem: Problem, solution: Solution) -> float:
    """P(W, b) by its definition, in NumPy."""
    kind = {"log": "softmax" if problem.n_outputs > 1 else "logistic", "log_ovr": "logistic"}
    weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
    X, W, b = problem.X.to_dense().astype(float), solution.W, solution.b
    loss = kind.get(problem.loss, problem.loss)
    value = textbook_objective(Data(X, problem.y.codes, weight / weight.sum()), W, b, loss, problem.l2)
    return value + (0.5 * problem.l2 * float(b @ b) if problem.penalize_bias else 0.0)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("loss", LOSSES)
def test_all_reach_the_same_optimum_and_prove_it(loss: str, n_classes: int, bias: dict[str, bool]) -> None:
    problem = random_problem(loss, n_classes, weighted=n_classes == 4, **bias)
    values = []
    for solver in SMOOTH:
        solution = minimise(problem, Options(tol=1e-10, max_iter=3000, n_jobs=2), solver)
        certificate = solution.certificate
        assert certificate is not None
        assert certificate.reached
        assert certificate.objective == pytest.approx(objective_of(problem, solution), rel=1e-12)
        assert solution.history.objective == sorted(solution.history.objective, reverse=True)
        values.append(certificate.objective)
    np.testing.assert_allclose(values, values[0], rtol=2e-10)


@pytest.mark.parametrize("solver", SMOOTH)
@pytest.mark.parametrize("tol", [1e-2, 1e-5])
def test_the_tolerance_is_the_relative_distance_to_the_optimum(solver: str, tol: float) -> None:
    problem = random_problem("log", 3)
    optimum = minimise(problem, Options(tol=1e-12), "newton").certificate
    loose = minimise(problem, Options(tol=tol), solver).certificate
    assert optimum is not None
    assert loose is not None
    assert loose.reached
    assert 0 <= loose.objective - optimum.objective <= loose.gap + 1e-12
    assert loose.gap <= tol * loose.objective


@pytest.mark.parametrize("seed", [29, 53, 173])
def test_newton_gets_along_with_curvatures_that_jump(seed: int) -> None:
    """Few rows, a weak penalty: shorter and shorter steps of the squared hinge would not end."""
    rng = np.random.default_rng(seed)
    K, n, d = int(rng.choice([2, 3, 4])), int(rng.integers(8, 30)), int(rng.integers(3, 8))
    X = rng.integers(-3, 4, (n, d)).astype(float)
    y = np.concatenate([np.arange(K), rng.integers(0, K, n - K)]).astype(np.int32)
    problem = Problem(as_csr(X), OneLabel(np.arange(K), y), "squared_hinge", l2=1 / (1000.0 * n))
    found = minimise(problem, Options(), "newton").certificate
    assert found is not None
    assert found.reached
    assert found.objective == pytest.approx(cone_optimum(problem), rel=1e-4)


@pytest.mark.parametrize("n_classes", [3, 2])
def test_log_loss_agrees_with_an_exponential_cone_solver(n_classes: int) -> None:
    problem = random_problem("log", n_classes, rows=25, columns=6, density=0.4, weighted=True, l2=0.05)
    cone = problem if n_classes > 2 else replace(problem, l2=2 * problem.l2)  # W = (−w/2, w/2) has ½·‖w‖²
    expected = optimum(cone)
    solution = minimise(problem, Options(tol=1e-10), "newton")
    assert solution.certificate is not None
    assert solution.certificate.objective == pytest.approx(expected, rel=1e-8)


def test_scipys_driver_over_the_same_function_finds_the_same_optimum() -> None:
    problem = random_problem("log", 3)
    objective = Objective(problem, 1)
    at = objective.buffers()
    theirs = scipy.optimize.minimize(
        lambda x: objective.evaluate(x, at),
        np.zeros(objective.size),
        jac=True,
        method="L-BFGS-B",
        options={"ftol": 0, "gtol": 1e-9, "maxiter": 10_000},
    )
    ours = minimise(problem, Options(tol=1e-10), "lbfgs").certificate
    assert ours is not None
    assert np.abs(theirs.jac).max() < 1e-6  # it has arrived: 1e-6² / l2 is far below the tolerance
    assert ours.objective == pytest.approx(theirs.fun, rel=1e-9)


@pytest.mark.parametrize("solver", ["lbfgs", "newton"])
def test_multinomial_weights_are_scikit_learns(solver: str) -> None:
    problem = random_problem("log", 4, weighted=True)
    assert problem.weight is not None
    C = 1 / (problem.l2 * problem.weight.sum())
    theirs = logistic_regression(problem.X.to_scipy(), problem.y.codes, problem.weight, C=C)
    ours = minimise(problem, Options(tol=1e-13), solver)
    assert ours.certificate is not None
    np.testing.assert_allclose(ours.W.T, theirs.coef_, atol=1e-6 + radius(ours.certificate.gap, problem.l2))


def test_at_the_optimum_expected_and_empirical_feature_counts_agree() -> None:
    """The maximum entropy theorem; a penalty leaves the difference l2·W."""
    problem = random_problem("log", 3, rows=80, columns=6, density=0.5, l2=1e-6)
    solution = minimise(problem, Options(tol=1e-13, max_iter=5000), "newton")
    X = problem.X.to_dense()
    scores = X @ solution.W + solution.b
    p = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    empirical = X.T @ np.eye(3)[problem.y.codes] / len(X)
    expected = X.T @ p / len(X)
    np.testing.assert_allclose(empirical - expected, problem.l2 * solution.W, atol=1e-8)
    np.testing.assert_allclose(p.mean(axis=0), np.bincount(problem.y.codes) / len(X), atol=1e-8)


def test_the_die_of_the_maximum_entropy_lecture() -> None:
    """10 throws among {1, 2, 3} and 30 among {4, 5, 6}: 1/12 and 1/4 each, uniform within the groups."""
    group = np.repeat([0, 1], 3)
    f = np.tile(np.eye(2)[group], (40, 1, 1))  # f_j(y) = [outcome y is in group j]
    y = np.r_[np.arange(10) % 3, 3 + np.arange(30) % 3]
    for scaling in (generalised_iterative_scaling, improved_iterative_scaling):
        w = scaling(f, y, 50)
        p = conditional(np.concatenate([f, np.zeros((40, 6, len(w) - 2))], axis=2), w)[0]
        np.testing.assert_allclose(p, [1 / 12] * 3 + [1 / 4] * 3, atol=1e-10)
    # the same by lindy: the group is what the data decide, and within a group nothing distinguishes the faces
    problem = Problem(
        as_csr(np.zeros((40, 1))), OneLabel(np.arange(2), group[y].astype(np.int32)), "log", l2=1.0
    )
    b = minimise(problem, Options(tol=1e-12), "lbfgs").b[0]
    second = 1 / (1 + np.exp(-b))
    np.testing.assert_allclose([(1 - second) / 3, second / 3], [1 / 12, 1 / 4], atol=1e-10)


def test_iterative_scaling_finds_the_maximum_likelihood() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 3, size=(60, 3)).astype(float), rng.integers(0, 3, size=60).astype(np.int32)
    f = np.einsum("ij,yk->iykj", X, np.eye(3)).reshape(60, 3, 9)
    problem = Problem(as_csr(X), OneLabel(np.arange(3), y), "log", l2=1e-9, bias=False)
    W = minimise(problem, Options(tol=1e-12, max_iter=5000), "newton").W
    p = conditional(f, W.T.ravel())
    np.testing.assert_allclose(counts(f, p), counts(f, np.eye(3)[y]), atol=1e-4)
    np.testing.assert_allclose(conditional(f, improved_iterative_scaling(f, y, 300)), p, atol=1e-4)
    slack = np.concatenate([f, (f.sum(axis=2).max() - f.sum(axis=2))[:, :, None]], axis=2)
    np.testing.assert_allclose(conditional(slack, generalised_iterative_scaling(f, y, 3000)), p, atol=1e-3)


def test_minimal_error_is_not_maximal_likelihood() -> None:
    """McDonald's 1001 points: w without errors has log-likelihood −126.9, one with an error −1.4."""
    X = np.vstack([np.tile([-1.0, 1.0], (1000, 1)), [[3.0, 1.0]]])
    y = np.r_[np.zeros(1000), 1].astype(np.int32)
    problem = Problem(as_csr(X), OneLabel(np.arange(2), y), "log", bias=False)
    objective = Objective(problem, 1)
    for w, likelihood, errors in (([-1, 0, 1, 0], -126.9, 0), ([-1, 7, 1, 0], -1.4, 1)):
        W = np.reshape(w, (2, 2)).T.astype(
            float
        )  # block features: the first two weights are those of class 0
        single = np.ascontiguousarray(W[:, 1] - W[:, 0])
        value, _ = objective.evaluate(single, objective.buffers())
        assert round(-1001 * value, 1) == likelihood
        textbook = textbook_objective(Data(X, y, np.ones(1001)), W, np.zeros(2), "softmax", 0.0)
        assert -1001 * value == pytest.approx(-textbook, rel=1e-12)
        assert ((X @ W).argmax(axis=1) != y).sum() == errors


def test_gradient_descent_is_the_textbooks() -> None:
    problem = random_problem("log", 3, bias=False, l2=0.1)
    W, values = batch_gradient_descent(problem.X.to_dense(), problem.y.codes, 3, problem.l2, 5)
    solution = minimise(problem, Options(tol=0.0, max_iter=5), "gradient-descent")
    np.testing.assert_allclose(solution.history.objective, values, rtol=1e-12)
    np.testing.assert_allclose(solution.W, W, atol=1e-12)


@pytest.mark.parametrize("solver", SMOOTH)
def test_a_warm_start_at_the_optimum_needs_no_round(solver: str) -> None:
    problem = random_problem("squared_hinge", 3)
    first = minimise(problem, Options(tol=1e-6, max_iter=3000), solver)
    again = minimise(problem, Options(tol=1e-5, start=first), solver)
    assert again.n_iter <= 1
    assert again.certificate is not None
    assert again.certificate.reached


@pytest.mark.parametrize("solver", SMOOTH)
def test_too_few_rounds_are_admitted(solver: str) -> None:
    solution = minimise(random_problem("log", 3, l2=1e-5), Options(tol=1e-9, max_iter=2), solver)
    assert solution.n_iter <= 2
    assert solution.certificate is not None
    assert not solution.certificate.reached
    assert np.isfinite(solution.certificate.gap)


@pytest.mark.parametrize("solver", SMOOTH)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_do_not_change_a_bit_of_the_model(solver: str, n_classes: int) -> None:
    problem = random_problem("log", n_classes, rows=600)
    alone = minimise(problem, Options(tol=1e-6, n_jobs=1), solver)
    for threads in (2, 3, 4):
        other = minimise(problem, Options(tol=1e-6, n_jobs=threads), solver)
        assert alone.W.tobytes() == other.W.tobytes()
        assert alone.b.tobytes() == other.b.tobytes()


@pytest.mark.parametrize("solver", SMOOTH)
@pytest.mark.parametrize("value", [1e60, 1e-310, 1.0, 0.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_strange_columns_end_in_a_finite_model(solver: str, value: float, loss: str) -> None:
    problem = random_problem(loss, 3, rows=30, columns=4)
    X = np.hstack([problem.X.to_dense(), np.full((30, 1), value), problem.X.to_dense()[:, :1]])
    with np.errstate(all="ignore"):
        solution = minimise(replace(problem, X=as_csr(X)), Options(tol=1e-6, max_iter=200), solver)
    assert np.isfinite(solution.W).all()
    assert np.isfinite(solution.b).all()


@pytest.mark.parametrize("solver", SMOOTH)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_shifted_columns_cost_no_more_rounds(solver: str, n_classes: int, loss: str) -> None:
    """A free bias absorbs every shift: the problem is the same, and so must be the way to its solution."""
    plain = random_problem(loss, n_classes, columns=5, density=1.0, l2=0.02)
    X = plain.X.to_dense()
    options = Options(tol=1e-7, max_iter=2000)
    rounds = []
    for shift in (0.0, 1000.0):
        solution = minimise(replace(plain, X=as_csr(X + shift)), options, solver)
        assert solution.certificate is not None
        assert solution.certificate.reached
        rounds.append(solution.n_iter)
    assert rounds[1] <= 1.5 * rounds[0] + 5


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("loss", LOSSES)
def test_reduced_hessian_is_that_of_the_best_bias(loss: str, bias: dict[str, bool]) -> None:
    objective = Objective(random_problem(loss, 3, weighted=True, **bias), 1)
    rng = np.random.default_rng(4)
    x, v, step = rng.normal(size=objective.size), rng.normal(size=objective.size), 1e-4
    gradients = []
    for sign in (1, -1):
        moved, at = x + sign * step * v, objective.buffers()
        gradients.append(objective.evaluate_best_bias(moved, at)[1][: objective.n_weights])
    at = objective.buffers()
    objective.evaluate_best_bias(x, at)
    product, _ = objective.reduced_hessian_vector(v, at)
    expected = (gradients[0] - gradients[1]) / (2 * step)
    slack = 1e-3 if objective.problem.definition.jumps else 1e-5
    np.testing.assert_allclose(product[: objective.n_weights], expected, atol=slack)


@pytest.mark.parametrize("solver", SMOOTH)
def test_without_a_penalty_the_gradient_decides(solver: str) -> None:
    problem = random_problem("log", 2, l2=0.0, columns=5, density=0.5)
    solution = minimise(problem, Options(tol=1e-5, max_iter=5000), solver)
    certificate = solution.certificate
    assert certificate is not None
    assert certificate.gap == np.inf
    assert certificate.reached
    assert certificate.gradient_norm is not None
    assert certificate.gradient_at_zero is not None
    assert certificate.gradient_norm <= 1e-5 * certificate.gradient_at_zero
    again = minimise(problem, Options(tol=1e-5, start=solution), solver)
    assert again.n_iter == 0
