"""The augmented Lagrangian method: the hinges' optimum by a cone solver, its proof, starts, hard tables, bits."""

from __future__ import annotations

import numpy as np
import pytest
from tests.linear.cone_oracle import optimum
from tests.linear.smooth_problems import BIASES, random_problem

from lindy import SVM
from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.objective import Objective
from lindy.linear.optimizers import few_columns, minimise
from lindy.linear.optimizers.augmented_lagrangian import solve
from lindy.linear.problem import Options, Problem, hinge_margins

HINGES = ("hinge", "multiclass_hinge")


@pytest.mark.parametrize("bias", BIASES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("loss", HINGES)
def test_it_finds_the_optimum_of_a_cone_solver(loss: str, n_classes: int, bias: dict[str, bool]) -> None:
    problem = random_problem(
        loss, n_classes, rows=60, columns=8, density=0.5, weighted=n_classes == 4, **bias
    )
    certificate = solve(problem, Options(tol=1e-7)).certificate
    assert certificate is not None
    assert certificate.reached
    best = optimum(problem)
    assert best - 1e-9 <= certificate.objective <= best * (1 + 1e-7) + 1e-9


def test_costs_are_margins() -> None:
    cost = np.random.default_rng(0).uniform(0.5, 2.0, (3, 3))
    np.fill_diagonal(cost, 0.0)
    for n_classes in (2, 3):
        part = cost[:n_classes, :n_classes]
        problem = random_problem("multiclass_hinge", n_classes, rows=50, columns=6, density=0.5, cost=part)
        certificate = solve(problem, Options(tol=1e-7)).certificate
        assert certificate is not None
        assert certificate.objective == pytest.approx(optimum(problem), rel=1e-6)


@pytest.mark.parametrize("seed", [81, 169, 363, 371, 445, 652, 1027])
def test_small_tables_need_not_be_scaled(seed: int) -> None:
    """Steps towards a free bias that no row holds are far too long: the minimum along the line shortens them."""
    rng = np.random.default_rng(seed)
    n_classes, rows, columns = int(rng.choice([3, 4, 5])), int(rng.integers(20, 40)), int(rng.integers(1, 6))
    X, y = 30 * rng.normal(size=(rows, columns)), rng.integers(0, n_classes, rows).astype(np.int32)
    y[:n_classes] = np.arange(n_classes)
    C, loss = float(10 ** rng.uniform(0, 2)), str(rng.choice(["multiclass_hinge", "hinge"]))
    problem = Problem(as_csr(X), OneLabel(np.arange(n_classes), y), loss, l2=1 / (C * rows))
    assert few_columns(problem)
    solution = minimise(problem, Options(tol=1e-4, max_iter=1000))
    assert solution.certificate is not None
    assert solution.certificate.reached
    assert solution.certificate.objective <= optimum(problem) * (1 + 1e-4)


@pytest.mark.parametrize("loss", HINGES)
def test_the_dual_variables_make_the_weights(loss: str) -> None:
    problem = random_problem(loss, 3, rows=80, columns=6, density=0.8)
    X = problem.X.to_dense()
    model = SVM(loss=loss, tol=1e-9).fit(X, problem.y.codes)
    assert model.solver_ == "augmented-lagrangian"
    np.testing.assert_allclose(model.dual_coef_ @ X[model.support_], model.coef_, atol=1e-4)
    again = SVM(loss=loss, tol=1e-9, warm_start=True).fit(X, problem.y.codes)
    rounds = again.n_iter_
    assert again.fit(X, problem.y.codes).n_iter_ <= rounds / 2


@pytest.mark.parametrize("loss", HINGES)
def test_threads_do_not_change_a_bit(loss: str) -> None:
    problem = random_problem(loss, 3, rows=600, columns=20, density=0.5)
    alone = solve(problem, Options(n_jobs=1))
    other = solve(problem, Options(n_jobs=3))
    assert alone.W.tobytes() == other.W.tobytes()
    assert alone.b.tobytes() == other.b.tobytes()


def test_looser_tolerances_end_sooner() -> None:
    problem = random_problem("hinge", 2, rows=600, columns=20, density=0.5)
    rounds = [solve(problem, Options(tol=tol)).n_iter for tol in (1e-1, 1e-3, 1e-7)]
    assert rounds == sorted(rounds)
    assert rounds[0] < rounds[-1]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", HINGES)
def test_the_envelope_is_below_the_loss_and_its_slope_is_the_residual(loss: str, n_classes: int) -> None:
    problem = random_problem(loss, n_classes, rows=20, weighted=True)
    objective, rng = Objective(problem, 1), np.random.default_rng(0)
    K = objective.n_outputs
    a = rng.random((20, K))
    a = a / a.sum(axis=1, keepdims=True) if objective.joint else a
    objective.native.set_multipliers(a, hinge_margins(problem), 5.0)
    S, b, d, at = rng.normal(size=(20, K)), np.zeros(K), rng.normal(size=(20, K)), objective.buffers()
    assert objective.native.loss(S, b, at.R, at.D) <= objective.native.hinge(S, b) + 1e-15
    U = at.R.copy()
    ahead, back = (objective.native.loss(S + t * d, b, at.R, at.D) for t in (1e-6, -1e-6))
    assert (ahead - back) / 2e-6 == pytest.approx(float((U * d).sum()), abs=1e-6)
