"""The hinges with L1 or no penalty as linear programs: another solver's optimum, the proof, what is refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import clarabel
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.linear.smooth_problems import BIASES, problems, random_problem

from lindy import SVM
from lindy.linear.losses import loss_values
from lindy.linear.optimizers import minimise
from lindy.linear.problem import Options, Problem, Solution

HINGES = ("hinge", "multiclass_hinge")
EXACT = Options(tol=1e-8)


def value(problem: Problem, W: Any, b: Any) -> float:
    """The objective by its definition."""
    scores = problem.X.to_dense().astype(float) @ W + b
    losses = loss_values(problem.loss, scores, problem.y.codes, problem.cost)
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
    rho = 1.0 - np.eye(len(problem.y.names)) if problem.cost is None else problem.cost
    weight = np.ones(len(X)) if problem.weight is None else problem.weight
    A, asked, slack, price = [], [], [], []
    for i, y in enumerate(problem.y.codes):
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


def optimum(problem: Problem) -> float:
    """The least value of the program by Clarabel, an interior-point solver."""
    cost, A, b = program(problem)
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    rows = np.vstack([A, -np.eye(len(cost))])
    solution = clarabel.DefaultSolver(
        sp.csc_matrix((len(cost), len(cost))), cost, sp.csc_matrix(rows), np.append(b, np.zeros(len(cost))),
        [clarabel.NonnegativeConeT(len(rows))], settings,
    ).solve()  # fmt: skip
    assert str(solution.status) in ("Solved", "AlmostSolved")
    return float(solution.obj_val)


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
def test_l1_finds_the_optimum_and_zeros(loss: str, n_classes: int, bias: dict[str, bool]) -> None:
    problem = random_problem(
        loss, n_classes, rows=60, columns=20, density=0.3, weighted=n_classes == 4, l1=0.01, l2=0.0, **bias
    )
    solution = proved(problem)
    assert solution.certificate is not None
    assert solution.certificate.objective == pytest.approx(optimum(problem), rel=1e-8)
    assert (solution.W == 0).any()


@pytest.mark.parametrize("bias", BIASES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", HINGES)
def test_without_a_penalty(loss: str, n_classes: int, bias: dict[str, bool]) -> None:
    """Classes that overlap: the optimum; classes that do not: no loss at all."""
    problem = random_problem(loss, n_classes, rows=80, columns=4, density=0.8, l2=0.0, **bias)
    solution = proved(problem)
    assert solution.certificate is not None
    assert solution.certificate.gap == np.inf
    free = replace(problem, penalize_bias=False)
    assert solution.certificate.objective == pytest.approx(optimum(free), rel=1e-6)
    wide = random_problem(loss, n_classes, rows=20, columns=60, density=0.5, l2=0.0, **bias)
    separated = proved(wide)
    assert value(wide, separated.W, separated.b) == 0.0


def test_costs() -> None:
    rng = np.random.default_rng(0)
    cost = rng.uniform(0.5, 2.0, (3, 3))
    np.fill_diagonal(cost, 0.0)
    for n_classes in (3, 2):
        part = cost[:n_classes, :n_classes]
        problem = random_problem(
            "multiclass_hinge", n_classes, rows=50, columns=15, l1=0.01, l2=0.0, cost=part
        )
        solution = proved(problem)
        assert solution.certificate is not None
        assert solution.certificate.objective == pytest.approx(optimum(problem), rel=1e-8)


@pytest.mark.parametrize("loss", HINGES)
def test_weights_are_repetitions_and_zero_is_absence(loss: str) -> None:
    problem = random_problem(loss, 3, rows=60, columns=15, l1=0.01, l2=0.0)
    weight = np.random.default_rng(1).integers(0, 4, 60).astype(float)
    rows = np.repeat(np.arange(60), weight.astype(int))
    repeated = replace(problem, X=problem.X.take(rows), y=problem.y.take(rows))
    by_weight = proved(replace(problem, weight=weight)).certificate
    by_row = proved(repeated).certificate
    assert by_weight is not None
    assert by_row is not None
    assert by_weight.objective == pytest.approx(by_row.objective, rel=1e-9)


@settings(max_examples=25, deadline=None)
@given(problem=problems(), loss=st.sampled_from(HINGES), l1=st.sampled_from([0.01, 0.1]))
def test_the_gap_bounds_the_distance_to_the_optimum(problem: Problem, loss: str, l1: float) -> None:
    """Every small problem ends with P − gap ≤ P* ≤ P, also with classes without rows and rows without weight."""
    problem = replace(problem, loss=loss, l1=l1, l2=0.0)
    solution = minimise(problem, Options(tol=1e-6))
    assert solution.certificate is not None
    assert solution.certificate.reached
    best, ours = optimum(problem), value(problem, solution.W, solution.b)
    assert ours == pytest.approx(solution.certificate.objective, abs=1e-10)
    assert ours - solution.certificate.gap <= best + 1e-8
    assert best <= ours + 1e-8


def test_the_same_bits_again_and_with_threads() -> None:
    problem = random_problem("hinge", 3, rows=300, columns=100, density=0.05, l1=0.003, l2=0.0)
    alone = minimise(problem, Options(n_jobs=1))
    for threads in (1, 3):
        other = minimise(problem, Options(n_jobs=threads))
        assert alone.W.tobytes() == other.W.tobytes()
        assert alone.b.tobytes() == other.b.tobytes()


@pytest.mark.parametrize("loss", HINGES)
def test_a_path_is_proved_at_every_point(loss: str) -> None:
    problem = random_problem(loss, 3, rows=150, columns=100, density=0.08)
    X = problem.X.to_scipy()
    for point in SVM(loss=loss, penalty="l1", tol=1e-6).path(X, problem.y.codes, [0.1, 1.0]):
        assert point.solver_ == "linear-program"
        assert point.certificate_.reached
        assert point.objective(X, problem.y.codes) == pytest.approx(point.certificate_.objective, rel=1e-9)


def test_large_programs_and_the_elastic_net_are_refused_with_what_would_do() -> None:
    rng = np.random.default_rng(0)
    X, y = sp.random(3000, 1000, 0.1, format="csr", rng=rng), rng.integers(0, 2, 3000)
    for penalty in ("l1", None):
        with pytest.raises(ValueError, match=r"linear program.*squared_hinge.*sgd"):
            SVM(loss="hinge", penalty=penalty).fit(X, y)
    for loss in HINGES:
        with pytest.raises(ValueError, match=r"no solver proves.*squared_hinge.*sgd"):
            SVM(loss=loss, penalty="elasticnet").fit(X[:100], y[:100])
    assert SVM(loss="hinge", penalty="elasticnet", solver="sgd").fit(X, y).certificate_ is None
