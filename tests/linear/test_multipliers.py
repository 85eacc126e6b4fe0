"""The hinges with L1, the elastic net and no penalty: the optimum by other solvers, its proof, weights, starts."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog
from smooth_problems import BIASES, problems, random_problem

from lindy import SVM
from lindy.csr import as_csr
from lindy.errors import ConvergenceWarning
from lindy.linear.losses import loss_values
from lindy.linear.optimizers import minimise
from lindy.linear.optimizers.hinges import Hinges
from lindy.linear.optimizers.multipliers_newton import line_minimum
from lindy.linear.optimizers.multipliers_program import solve_program
from lindy.linear.problem import Options, Problem, Solution
from oracles import linear_constraints

HINGES = ("hinge", "multiclass_hinge")
EXACT = Options(tol=1e-10, max_iter=200)


def value(problem: Problem, W: Any, b: Any) -> float:
    """The objective by its definition."""
    scores = problem.X.to_dense().astype(float) @ W + b
    losses = loss_values(problem.loss, scores, problem.y, problem.cost)
    part = np.append(W, b) if problem.bias and problem.penalize_bias else np.ravel(W)
    penalty = problem.l1 * np.abs(part).sum() + 0.5 * problem.l2 * (part @ part)
    return float(np.average(losses, weights=problem.weight) + penalty)


def constraints(problem: Problem) -> tuple[Any, Any, Any, Any]:
    """ξ ≥ ρ + A·θ, one row at a time: A, ρ, the slack of each constraint and the prices of the slacks.

    θ is (features and bias) × outputs, by rows.
    """
    X = problem.X.to_dense().astype(float)
    if problem.bias:
        X = np.hstack([X, np.ones((len(X), 1))])
    K, joint = problem.n_outputs, problem.loss == "multiclass_hinge" and problem.n_outputs > 1
    rho = 1.0 - np.eye(problem.n_classes) if problem.cost is None else problem.cost
    weight = np.ones(len(X)) if problem.weight is None else problem.weight
    A, asked, slack, price = [], [], [], []
    for i, y in enumerate(problem.y):
        for k in range(K):
            if joint and k == y:
                continue
            row = np.zeros((X.shape[1], K))
            if joint:
                row[:, k], row[:, y] = X[i], -X[i]
                asked.append(rho[k, y])
                slack.append(i)
            else:
                row[:, k] = X[i] * (-1 if y == (k if K > 1 else 1) else 1)
                asked.append(rho[1 - y, y] if K == 1 and problem.loss == "multiclass_hinge" else 1.0)
                slack.append(len(asked) - 1)
                price.append(weight[i] / weight.sum())
            A.append(row.ravel())
    return np.array(A), np.array(asked), slack, weight / weight.sum() if joint else np.array(price)


def program(problem: Problem) -> tuple[Any, Any, Any]:
    """Cost, A and b of the linear part: minimise cost·(w⁺, w⁻, ξ) subject to A·(w⁺, w⁻, ξ) ≤ b."""
    A, asked, slack, price = constraints(problem)
    free = np.zeros((A.shape[1] // problem.n_outputs, problem.n_outputs), bool)
    if problem.bias and not problem.penalize_bias:
        free[-1] = True
    l1 = np.where(free.ravel(), 0.0, problem.l1)
    S = -np.eye(len(price))[slack]
    return np.concatenate([l1, l1, price]), np.hstack([A, -A, S]), -asked


def linear_optimum(problem: Problem) -> float:
    cost, A, b = program(problem)
    found = linprog(cost, A, b, method="highs")
    assert found.status == 0
    return float(found.fun)


def quadratic_optimum(problem: Problem) -> float:
    """The same with ½·l2·(w⁺ − w⁻)², by Clarabel."""
    cost, A, b = program(problem)
    size = A.shape[1] - len(constraints(problem)[3])
    half = size // 2
    reached = np.ones((half // problem.n_outputs, problem.n_outputs))
    if problem.bias and not problem.penalize_bias:
        reached[-1] = 0.0
    D = np.diag(problem.l2 * reached.ravel())
    P = np.zeros((len(cost), len(cost)))
    P[:half, :half] = P[half:size, half:size] = D
    P[:half, half:size] = P[half:size, :half] = -D
    return linear_constraints(P, cost, np.vstack([A, -np.eye(len(cost))]), np.append(b, np.zeros(len(cost))))[
        1
    ]


def proved(problem: Problem, options: Options = EXACT) -> Solution:
    solution = minimise(problem, options)
    assert solution.certificate is not None
    assert solution.certificate.reached
    ours = value(problem, solution.W, solution.b)
    assert solution.certificate.objective == pytest.approx(ours, rel=1e-10, abs=1e-12)
    return solution


@pytest.mark.parametrize("bias", BIASES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("loss", HINGES)
def test_l1_finds_the_optimum_of_the_linear_program(loss: str, n_classes: int, bias: dict[str, bool]) -> None:
    problem = random_problem(
        loss, n_classes, rows=60, columns=20, density=0.3, weighted=n_classes == 4, l1=0.01, l2=0.0, **bias
    )
    solution = proved(problem)
    assert solution.certificate is not None
    assert solution.certificate.objective == pytest.approx(linear_optimum(problem), rel=1e-8)
    assert (solution.W == 0).any()


@pytest.mark.parametrize("bias", BIASES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", HINGES)
def test_the_elastic_net_finds_clarabels_optimum(loss: str, n_classes: int, bias: dict[str, bool]) -> None:
    problem = random_problem(
        loss, n_classes, rows=40, columns=10, density=0.4, weighted=True, l1=0.01, l2=0.02, **bias
    )
    solution = proved(problem)
    assert solution.certificate is not None
    assert solution.certificate.objective == pytest.approx(quadratic_optimum(problem), rel=1e-8)


@pytest.mark.parametrize("bias", BIASES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", HINGES)
def test_without_a_penalty(loss: str, n_classes: int, bias: dict[str, bool]) -> None:
    """Classes that overlap: HiGHS's optimum; classes that do not: no loss at all."""
    problem = random_problem(loss, n_classes, rows=80, columns=4, density=0.8, l2=0.0, **bias)
    solution = proved(problem, Options(tol=1e-8))
    assert solution.certificate is not None
    assert solution.certificate.gap == np.inf
    free = replace(problem, penalize_bias=False)
    assert solution.certificate.objective == pytest.approx(linear_optimum(free), rel=1e-6)
    wide = random_problem(loss, n_classes, rows=20, columns=60, density=0.5, l2=0.0, **bias)
    separated = proved(wide)
    assert value(wide, separated.W, separated.b) == 0.0


def test_costs_and_class_weights() -> None:
    rng = np.random.default_rng(0)
    cost = rng.uniform(0.5, 2.0, (3, 3))
    np.fill_diagonal(cost, 0.0)
    problem = random_problem("multiclass_hinge", 3, rows=50, columns=15, l1=0.01, l2=0.0, cost=cost)
    solution = proved(problem)
    assert solution.certificate is not None
    assert solution.certificate.objective == pytest.approx(linear_optimum(problem), rel=1e-8)
    two = random_problem("multiclass_hinge", 2, rows=50, columns=15, l1=0.01, l2=0.0, cost=cost[:2, :2])
    solution = proved(two)
    assert solution.certificate is not None
    assert solution.certificate.objective == pytest.approx(linear_optimum(two), rel=1e-8)


@pytest.mark.parametrize("loss", HINGES)
def test_weights_are_repetitions_and_zero_is_absence(loss: str) -> None:
    problem = random_problem(loss, 3, rows=60, columns=15, l1=0.01, l2=0.0)
    weight = np.random.default_rng(1).integers(0, 4, 60).astype(float)
    rows = np.repeat(np.arange(60), weight.astype(int))
    repeated = replace(problem, X=problem.X.take(rows), y=problem.y[rows])
    by_weight = proved(replace(problem, weight=weight)).certificate
    by_row = proved(repeated).certificate
    assert by_weight is not None
    assert by_row is not None
    assert by_weight.objective == pytest.approx(by_row.objective, rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(
    problem=problems(),
    loss=st.sampled_from(HINGES),
    l1=st.sampled_from([0.01, 0.1]),
    l2=st.sampled_from([0.0, 0.05]),
    tol=st.sampled_from([0.5, 1e-6]),
)
def test_the_gap_bounds_the_distance_to_the_optimum(
    problem: Problem, loss: str, l1: float, l2: float, tol: float
) -> None:
    """Every small problem ends with P − gap ≤ P* ≤ P, also with classes without rows and rows without weight."""
    problem = replace(problem, loss=loss, l1=l1, l2=l2)
    solution = minimise(problem, Options(tol=tol))
    assert solution.certificate is not None
    assert solution.certificate.reached
    best = quadratic_optimum(problem) if l2 else linear_optimum(problem)
    ours = value(problem, solution.W, solution.b)
    assert ours == pytest.approx(solution.certificate.objective, abs=1e-10)
    assert ours - solution.certificate.gap <= best + 1e-8
    assert best <= ours + 1e-8


@pytest.mark.parametrize("loss", HINGES)
def test_the_dual_point_is_feasible_and_its_value_is_the_bound(loss: str) -> None:
    """Balanced and scaled, any multipliers are a point of the dual, which no weights get below."""
    problem = random_problem(loss, 3 if loss == "multiclass_hinge" else 2, l1=0.01, l2=0.0, weighted=True)
    hinges = Hinges(problem)
    rng = np.random.default_rng(0)
    best = linear_optimum(problem)
    for _ in range(20):
        U = hinges.balanced(hinges.residuals(hinges.nearest(rng.normal(size=hinges.rho.shape) * 0.01)))
        v = hinges.variables(U)
        assert v.min() >= -1e-15
        if hinges.joint:
            np.testing.assert_allclose(v.sum(axis=1), hinges.c, atol=1e-15)
        else:
            assert (v <= hinges.c[:, None] + 1e-15).all()
        np.testing.assert_allclose(U.sum(axis=0), 0.0, atol=1e-14)
        z = np.abs(problem.X.to_dense().T @ U).max()
        assert hinges.dual(U) * min(1.0, problem.l1 / z) <= best + 1e-12


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_envelope_is_below_the_loss_and_its_derivative_is_u(n_classes: int) -> None:
    problem = random_problem("multiclass_hinge", n_classes, rows=20, weighted=True)
    hinges = Hinges(problem)
    rng = np.random.default_rng(0)
    S = rng.normal(size=hinges.rho.shape)
    a = hinges.nearest(rng.random(size=hinges.rho.shape) * 0.1)
    near = hinges.envelope(S, a, 5.0)
    assert near.value <= hinges.value(S) + 1e-15
    for _ in range(5):
        d = rng.normal(size=S.shape)
        ahead, back = (hinges.envelope(S + t * d, a, 5.0).value for t in (1e-6, -1e-6))
        assert (ahead - back) / 2e-6 == pytest.approx(float((near.U * d).sum()), abs=1e-6)
    np.testing.assert_allclose(hinges.variables(hinges.residuals(a)), a, atol=1e-17)


@given(st.lists(st.tuples(st.floats(-2, 2), st.floats(-2, 2)), min_size=1, max_size=8), st.floats(0.1, 4))
def test_the_minimum_on_a_line(points: list[tuple[float, float]], bend: float) -> None:
    z, d = (np.array(part) for part in zip(*points, strict=True))
    l1 = np.full(len(z), 0.5)

    def along(t: Any) -> Any:
        return -1.5 * t + 0.5 * bend * t**2 + 0.5 * np.abs(z + np.multiply.outer(t, d)).sum(axis=-1)

    t = line_minimum(z, d, l1, -1.5, bend)
    if along(np.array(1e-9)) < along(np.array(0.0)):  # as Newton's directions are
        assert along(np.array(t)) <= along(np.linspace(0, 1, 301)).min() + 1e-9


def test_best_bias_is_a_minimum() -> None:
    problem = random_problem("hinge", 2, weighted=True)
    hinges = Hinges(problem)
    S = np.random.default_rng(0).normal(size=(120, 1))
    b = hinges.best_bias(S)
    grid = np.linspace(b - 2, b + 2, 401)
    assert hinges.value(S + b) <= min(hinges.value(S + g) for g in grid) + 1e-12


@pytest.mark.parametrize("loss", HINGES)
def test_the_linear_program_of_its_own(loss: str) -> None:
    problem = random_problem(loss, 3 if loss == "multiclass_hinge" else 2, rows=50, l1=0.01, l2=0.0)
    found = solve_program(problem, Hinges(problem))
    assert found is not None
    W, b, v = found
    assert value(problem, W, b) == pytest.approx(linear_optimum(problem), rel=1e-9)
    assert Hinges(problem).dual(Hinges(problem).residuals(v)) == pytest.approx(value(problem, W, b), rel=1e-9)


@pytest.mark.parametrize("loss", HINGES)
@pytest.mark.parametrize("penalty", ["l1", "elasticnet"])
def test_warm_starts_and_paths(loss: str, penalty: str) -> None:
    problem = random_problem(loss, 3, rows=150, columns=100, density=0.08)
    X = problem.X.to_scipy()
    model = SVM(loss=loss, penalty=penalty, tol=1e-6, warm_start=True).fit(X, problem.y)
    first, objective = model.n_iter_, model.certificate_.objective
    assert model.fit(X, problem.y).n_iter_ <= max(1, first / 2)
    assert model.certificate_.objective == pytest.approx(objective, rel=2e-6)
    for point in SVM(loss=loss, penalty=penalty, tol=1e-6).path(X, problem.y, [0.1, 1.0]):
        alone = SVM(loss=loss, penalty=penalty, tol=1e-6, C=point.C).fit(X, problem.y)
        assert point.certificate_.reached
        assert point.certificate_.objective == pytest.approx(alone.certificate_.objective, rel=2e-6)


def test_the_same_bits_again_and_with_threads() -> None:
    problem = random_problem("hinge", 3, rows=600, columns=300, density=0.05, l1=0.003, dtype=np.float32)
    alone = minimise(problem, Options(n_jobs=1))
    for threads in (1, 3):
        other = minimise(problem, Options(n_jobs=threads))
        assert alone.W.tobytes() == other.W.tobytes()
        assert alone.b.tobytes() == other.b.tobytes()


@pytest.mark.parametrize("loss", HINGES)
def test_a_penalised_bias_alone_is_found(loss: str) -> None:
    """Columns too small to be worth a weight leave the bias, which is a variable as the others are."""
    problem = random_problem(loss, 3, rows=76, columns=6, l1=0.006, l2=0.006, penalize_bias=True)
    problem = replace(problem, X=replace(problem.X, values=problem.X.values * 1e-3))
    problem = replace(problem, y=np.sort(problem.y) * (np.arange(76) % 3 > 0).astype(np.int32))
    solution = proved(problem)
    assert not solution.W.any()
    assert solution.certificate is not None
    assert solution.certificate.objective == pytest.approx(quadratic_optimum(problem), rel=1e-8)


def test_an_early_stop_says_how_far() -> None:
    problem = random_problem("hinge", 2, rows=300, columns=200)
    with pytest.warns(
        ConvergenceWarning, match=r"after 1 rounds of solver 'multipliers' with a relative gap"
    ):
        SVM(loss="hinge", penalty="l1", max_iter=1).fit(problem.X.to_scipy(), problem.y)


@pytest.mark.parametrize("strange", [1e60, 1e-310, 1.0, 0.0])
@pytest.mark.parametrize("loss", HINGES)
def test_strange_columns_end_in_a_finite_model(strange: float, loss: str) -> None:
    problem = random_problem(loss, 3, rows=30, columns=4, l1=0.01, l2=0.0)
    X = np.hstack([problem.X.to_dense(), np.full((30, 1), strange), problem.X.to_dense()[:, :1]])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        solution = minimise(replace(problem, X=as_csr(X)), Options(max_iter=50))
    assert np.isfinite(solution.W).all()
    assert np.isfinite(solution.b).all()
