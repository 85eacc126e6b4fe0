"""Stochastic gradient descent, Pegasos and Algorithm 6 against their textbook twins and against the optimum."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.svm import LinearSVC
from tests.linear.online_helpers import all_labels, seeds
from tests.strategies import Labelled, measurements

from lindy import SVM, MaxEnt
from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.optimizers import minimise
from lindy.linear.optimizers.online_rows import prepare
from lindy.linear.optimizers.training_schedule import TrainingSchedule, generator, orders
from lindy.linear.problem import Options, Problem, Solution
from lindy.textbook import stochastic_gradient as textbook

data_sets = measurements(max_rows=10, max_columns=5, max_classes=5).filter(all_labels)
DIRECTIONS = {
    "log": textbook.log_direction,
    "log_ovr": textbook.logistic_direction,
    "hinge": textbook.hinge_direction,
    "squared_hinge": textbook.squared_hinge_direction,
}
EPOCHS = 3


def problem_of(data: Labelled, loss: str, **options: Any) -> Problem:
    X, y = data
    return Problem(
        as_csr(X / 10), OneLabel(np.arange(int(y.max()) + 1), y.astype(np.int32)), loss, bias=False, **options
    )


def solve(problem: Problem, solver: str, **extra: Any) -> Solution:
    extra = {"epochs": EPOCHS, "dtype": "float64", "shuffle": False} | extra
    return minimise(problem, Options(extra=extra), solver)


def start(problem: Problem) -> NDArray[np.float64]:
    return np.zeros((problem.X.n_columns, problem.n_outputs))


def in_order(problem: Problem) -> list[int]:
    return list(range(len(problem.y))) * EPOCHS


@settings(max_examples=120)
@given(
    data_sets,
    st.sampled_from([*DIRECTIONS, "multiclass_hinge"]),
    st.sampled_from([0.0, 0.1]),
    st.sampled_from([("constant", 0.5, 0.0), ("power", 0.7, 1.0), ("power", 0.7, 0.5), ("power", 0.7, 0.3)]),
    seeds,
)
def test_algorithms_5_and_6(
    data: Labelled, loss: str, l2: float, steps: tuple[str, float, float], seed: int
) -> None:
    schedule, eta0, power = steps
    rho = np.random.default_rng(seed).uniform(0.1, 2, (5, 5)) * (1 - np.eye(5))
    K = int(data[1].max()) + 1
    rho = np.ascontiguousarray(rho[:K, :K])
    problem = problem_of(data, loss, l2=l2, cost=rho if loss == "multiclass_hinge" else None)
    direction = DIRECTIONS.get(loss) or textbook.cost_augmented_direction(rho)
    last, mean = textbook.stochastic_gradient(
        problem.X.to_dense(),
        problem.y.codes,
        start(problem),
        in_order(problem),
        direction,
        lambda t: eta0 * t**-power,
        l2,
    )
    options = {"schedule": schedule, "eta0": eta0, "power": power}
    solver = "sgd" if loss != "multiclass_hinge" else "subgradient"
    np.testing.assert_allclose(solve(problem, solver, average=True, **options).W, mean, atol=1e-10)
    np.testing.assert_allclose(solve(problem, solver, average=False, **options).W, last, atol=1e-10)


@settings(max_examples=80)
@given(data_sets, st.sampled_from([0.02, 0.5]), st.booleans(), st.sampled_from([1, 3]), st.booleans())
def test_pegasos(data: Labelled, l2: float, project: bool, batch: int, average: bool) -> None:
    problem = problem_of(data, "hinge", l2=l2)
    n = len(problem.y)
    batches = [range(i, min(i + batch, n)) for i in range(0, n, batch)] * EPOCHS
    last, mean = textbook.pegasos(
        problem.X.to_dense(), problem.y.codes, start(problem), batches, l2, project=project
    )
    found = solve(problem, "pegasos", projection=project, batch_size=batch, average=average)
    np.testing.assert_allclose(found.W, mean if average else last, atol=1e-9, rtol=1e-9)


@settings(max_examples=40)
@given(data_sets, st.sampled_from([0.02, 0.5]), st.booleans())
def test_average_over_the_last_half_of_the_epochs(data: Labelled, l2: float, project: bool) -> None:
    problem = problem_of(data, "hinge", l2=l2)
    visits = [[m] for m in in_order(problem)]  # three epochs: the average is over the second and the third
    X, n = problem.X.to_dense(), len(problem.y)
    _, of_all = textbook.pegasos(X, problem.y.codes, start(problem), visits, l2, project=project)
    _, of_first = textbook.pegasos(X, problem.y.codes, start(problem), visits[:n], l2, project=project)
    found = solve(problem, "pegasos", projection=project, average=0.5)
    np.testing.assert_allclose(found.W, (3 * of_all - of_first) / 2, atol=1e-9, rtol=1e-9)


@settings(max_examples=60)
@given(data_sets, st.sampled_from(["log", "hinge"]), st.sampled_from([0.01, 0.2]), st.booleans())
def test_l1_by_truncation_and_by_cumulative_penalty(
    data: Labelled, loss: str, l1: float, cumulative: bool
) -> None:
    problem = problem_of(data, loss, l1=l1)
    twin = textbook.cumulative_penalty if cumulative else textbook.truncated_gradient
    W = twin(
        problem.X.to_dense(),
        problem.y.codes,
        start(problem),
        in_order(problem),
        DIRECTIONS[loss],
        lambda t: 0.5 * t**-0.5,
        l1,
    )
    method = "cumulative" if cumulative else "truncate"
    found = solve(problem, "sgd", schedule="power", eta0=0.5, power=0.5, l1_method=method)
    np.testing.assert_allclose(found.W, W, atol=1e-10)


@settings(max_examples=60)
@given(data_sets, st.sampled_from(["log", "hinge", "squared_hinge"]))
def test_adagrad(data: Labelled, loss: str) -> None:
    problem = problem_of(data, loss)
    W = textbook.adagrad(
        problem.X.to_dense(), problem.y.codes, start(problem), in_order(problem), DIRECTIONS[loss], 0.3
    )
    found = solve(problem, "sgd", schedule="adagrad", eta0=0.3, average=False)
    np.testing.assert_allclose(found.W, W, atol=1e-9)


def test_scaled_weights_survive_the_underflow_of_their_scale() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 4)), rng.integers(0, 3, 50)
    problem = Problem(as_csr(X), OneLabel(np.arange(3), y.astype(np.int32)), "log", l2=0.9, bias=False)
    n = 60  # the scale falls by 0.55 per step: 0.55^3000 is far below the smallest number
    order = list(range(50)) * n
    for average in (True, False):
        both = textbook.stochastic_gradient(
            X, y, np.zeros((4, 3)), order, textbook.log_direction, lambda t: 0.5, 0.9
        )
        found = solve(problem, "sgd", schedule="constant", eta0=0.5, epochs=n, average=average)
        np.testing.assert_allclose(found.W, both[1 if average else 0], atol=1e-10)


def training_set(K: int, seed: int = 0) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=400)
    return rng.normal(size=(K, 8))[y] + rng.normal(size=(400, 8)), y.astype(np.int32)


def loss_values(problem: Problem, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    y = problem.y.codes
    if scores.shape[1] == 1:
        sign = np.where(y == 1, 1.0, -1.0)[:, None]
    else:
        sign = np.where(np.arange(scores.shape[1]) == y[:, None], 1.0, -1.0)
    lack = np.maximum(0.0, 1 - sign * scores)
    if scores.shape[1] > 1 and problem.loss in ("log", "multiclass_hinge"):
        own = scores[np.arange(len(y)), y]
        if problem.loss == "log":
            return np.log(np.exp(scores).sum(axis=1)) - own
        return (scores + (sign < 0)).max(axis=1) - own
    each = {"squared_hinge": lack**2}.get(problem.loss, lack)
    if problem.loss.startswith("log"):
        each = np.logaddexp(0, -sign * scores)
    return each.sum(axis=1)


def objective(problem: Problem, W: NDArray[Any], b: NDArray[Any] | float = 0.0) -> float:
    W = np.asarray(W, float)
    loss = np.average(loss_values(problem, problem.X.to_dense() @ W + b), weights=problem.weight)
    return float(loss + 0.5 * problem.l2 * (W * W).sum() + problem.l1 * np.abs(W).sum())


def certified(problem: Problem, value: float) -> float:
    """Return the value, after a proof that it is the least objective to a hundred-thousandth of it."""
    proof = minimise(problem, Options(tol=1e-6, max_iter=10_000)).certificate
    assert proof is not None
    assert proof.reached
    assert proof.objective - proof.gap <= value <= (proof.objective - proof.gap) * (1 + 1e-5)
    return value


def optimum(problem: Problem) -> float:
    """Return the least objective, found by LIBLINEAR or L-BFGS (without a bias) and proved by another solver."""
    return certified(problem, _found_by_others(problem))


def _found_by_others(problem: Problem) -> float:
    X, y, weight = problem.X.to_dense(), problem.y.codes, problem.weight
    assert weight is not None
    C = 1 / (problem.l2 * weight.sum())
    same = {"C": C, "fit_intercept": False, "tol": 1e-7, "max_iter": 200_000, "random_state": 0}
    if problem.loss == "log":
        return objective(problem, LogisticRegression(**same).fit(X, y, weight).coef_.T)
    if problem.loss == "log_ovr":
        sides = [y == k for k in range(len(problem.y.names))][-problem.n_outputs :]
        columns = [LogisticRegression(**same).fit(X, side, weight).coef_[0] for side in sides]
        return objective(problem, np.array(columns).T)
    joint = problem.loss == "multiclass_hinge" and len(problem.y.names) > 2
    loss = "squared_hinge" if problem.loss == "squared_hinge" else "hinge"
    machine = LinearSVC(loss=loss, multi_class="crammer_singer" if joint else "ovr", **same)
    return objective(problem, machine.fit(X, y, weight).coef_.T)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize(
    ("loss", "solver", "extra"),
    [
        ("hinge", "pegasos", {}),
        ("hinge", "pegasos", {"projection": True, "batch_size": 4}),
        ("multiclass_hinge", "subgradient", {}),
        ("multiclass_hinge", "pegasos", {}),
        ("log", "sgd", {}),
        ("log", "sgd", {"schedule": "adagrad", "eta0": 0.5}),
        ("log", "pegasos", {"projection": True}),
        ("squared_hinge", "sgd", {"eta0": 0.1}),
        ("log_ovr", "sgd", {"shuffle": "random"}),
    ],
)
def test_close_to_the_optimum(K: int, loss: str, solver: str, extra: dict[str, Any]) -> None:
    X, y = training_set(K)
    weight = np.random.default_rng(1).uniform(0.5, 1.5, len(y))
    problem = Problem(as_csr(X), OneLabel(np.arange(K), y), loss, l2=0.01, weight=weight, bias=False)
    extra = {"epochs": 200, "shuffle": True, "average": True} | extra
    found = objective(problem, minimise(problem, Options(extra=extra), solver).W)
    best = optimum(problem)
    assert best * (1 - 1e-5) <= found <= best * 1.03


def test_l1_gives_zeros_and_nears_the_optimum() -> None:
    X, y = training_set(2)
    rare = np.random.default_rng(5).normal(size=(400, 20)) * (
        np.random.default_rng(6).random((400, 20)) < 0.02
    )
    X = np.hstack((X, rare))
    problem = Problem(as_csr(X), OneLabel(np.arange(2), y), "log", l1=0.03)
    for method in ("cumulative", "truncate"):
        extra = {"epochs": 200, "l1_method": method, "eta0": 0.5}
        found = minimise(problem, Options(extra=extra), "sgd")
        assert (found.W == 0).sum() >= 10
        best = LogisticRegression(l1_ratio=1.0, C=1 / (0.03 * 400), solver="saga", tol=1e-8, max_iter=10_000)
        best.fit(X, y)
        least = certified(problem, objective(problem, best.coef_.T, best.intercept_))
        assert objective(problem, found.W, found.b) <= least * 1.02


@pytest.mark.parametrize("schedule", ["constant", "adagrad"])
def test_adagrad_and_sgd_shrink_with_l2(schedule: str) -> None:
    X, y = training_set(3)
    norms = []
    for l2 in (0.0, 0.01, 0.1):
        problem = Problem(as_csr(X), OneLabel(np.arange(3), y), "log", l2=l2)
        found = minimise(problem, Options(extra={"schedule": schedule, "eta0": 0.1, "epochs": 50}), "sgd")
        norms.append(float(np.linalg.norm(found.W)))
    assert norms[0] > norms[1] > norms[2]


def test_penalised_bias_is_a_feature_that_is_always_1() -> None:
    X, y = training_set(3)
    ones = np.hstack((X, np.ones((400, 1))))
    extra = {"epochs": 3, "dtype": "float64", "shuffle": False, "schedule": "power", "eta0": 0.5}
    inside = minimise(
        Problem(as_csr(ones), OneLabel(np.arange(3), y), "log", l2=0.1, bias=False),
        Options(extra=extra),
        "sgd",
    )
    beside = minimise(
        Problem(as_csr(X), OneLabel(np.arange(3), y), "log", l2=0.1, penalize_bias=True),
        Options(extra=extra),
        "sgd",
    )
    np.testing.assert_allclose(inside.W[:-1], beside.W, atol=1e-12)
    np.testing.assert_allclose(inside.W[-1], beside.b, atol=1e-12)


def test_random_order_draws_with_replacement() -> None:
    X, y = training_set(2)
    data = prepare(as_csr(X), y, None, shuffle="random", dtype="float32")
    epochs = list(orders(data.rows, TrainingSchedule(epochs=2, shuffle="random"), generator(0)))
    assert all(len(order) == 400 for order in epochs)
    assert all(len(np.unique(order)) < 400 for order in epochs)


def test_start_history_trace_and_epoch_limit() -> None:
    X, y = training_set(3)
    problem = Problem(as_csr(X), OneLabel(np.arange(3), y), "log", l2=0.01)
    first = minimise(problem, Options(extra={"epochs": 30}), "sgd")
    again = minimise(problem, Options(extra={"epochs": 1, "trace": 100}, start=first), "sgd")
    fresh = minimise(problem, Options(extra={"epochs": 1}), "sgd")
    assert again.history.objective[0] < fresh.history.objective[0]
    assert len(again.details["trace"]) == 4
    assert minimise(problem, Options(max_iter=3), "sgd").n_iter == 3
    assert len(first.history.objective) == len(first.history.mistakes) == first.n_iter == 30
    assert first.history.objective[-1] < first.history.objective[0]


def test_wrong_options_are_named() -> None:
    X, y = training_set(2)
    l2 = Problem(as_csr(X), OneLabel(np.arange(2), y), "hinge", l2=0.01)
    l1 = Problem(as_csr(X), OneLabel(np.arange(2), y), "log", l1=0.01)
    for problem, extra, message in [
        (l2, {"eta": 1}, r"unknown solver options \['eta'\]"),
        (l2, {"schedule": "fast"}, "schedule must be"),
        (l2, {"eta0": 200.0}, "eta0·l2 must be below 1"),
        (l2, {"l1_method": "hope"}, "l1_method must be"),
        (l1, {"average": True}, "averaged weights are not sparse"),
        (l2, {"average": 1.5}, "at most 1"),
        (l1, {"projection": True}, "projection needs an L2 penalty"),
        (l1, {"schedule": "pegasos"}, "needs an L2 penalty above 0"),
    ]:
        with pytest.raises(ValueError, match=message):
            minimise(problem, Options(extra=extra), "sgd")


def test_steps_that_diverge_are_reported() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(400, 8)), rng.integers(0, 2, 400).astype(np.int32)
    problem = Problem(as_csr(X * 1e3), OneLabel(np.arange(2), y), "squared_hinge")
    with pytest.raises(ValueError, match="The weights overflowed: take smaller steps"):
        minimise(problem, Options(extra={"schedule": "constant", "eta0": 1e3, "epochs": 50}), "sgd")


@pytest.mark.parametrize("K", [2, 4])
def test_estimators_reach_the_stochastic_solvers(K: int) -> None:
    X, y = training_set(K)
    for model, solver in [
        (SVM(loss="hinge", lam=0.01, solver="pegasos", fit_intercept=False), "pegasos"),
        (SVM(loss="multiclass_hinge", lam=0.01, solver="subgradient", fit_intercept=False), "subgradient"),
        (MaxEnt(lam=0.01, solver="sgd", fit_intercept=False), "sgd"),
    ]:
        options = {"epochs": 200, "average": True}
        fitted = model.set_params(solver_options=options).fit(X, y)
        assert fitted.solver_ == solver
        assert fitted.n_iter_ == 200
        assert fitted.certificate_ is None
        exact = type(model)(**(model.get_params() | {"solver": "auto", "solver_options": None})).fit(X, y)
        assert exact.objective(X, y) <= fitted.objective(X, y) * (1 + 1e-4)
        assert fitted.objective(X, y) <= exact.objective(X, y) * 1.03
    sparse = MaxEnt(lam=0.03, penalty="l1", solver="sgd", solver_options={"epochs": 50}).fit(X, y)
    assert np.isfinite(sparse.W_).all()


def test_estimators_pass_costs_starts_and_refuse_foreign_options() -> None:
    X, y = training_set(3)
    rho = np.array([[0, 1, 5], [1, 0, 5], [1, 1, 0]], float)
    costly = SVM(loss="multiclass_hinge", cost=rho, lam=0.1, solver="subgradient").fit(X, y)
    plain = SVM(loss="multiclass_hinge", lam=0.1, solver="subgradient").fit(X, y)
    assert (costly.predict(X) == 2).sum() > (plain.predict(X) == 2).sum()
    warm = MaxEnt(lam=0.01, solver="sgd", warm_start=True, solver_options={"epochs": 1})
    first = warm.fit(X, y).history_.objective[0]
    assert warm.fit(X, y).history_.objective[0] < first
    with pytest.raises(ValueError, match=r"has no options \['epochs'\]"):
        MaxEnt(solver_options={"epochs": 3}).fit(X, y)
    with pytest.raises(ValueError, match="unknown solver options"):
        MaxEnt(solver="sgd", solver_options={"speed": 3}).fit(X, y)


def test_pegasos_that_overflows_says_what_helps() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 5)), rng.integers(0, 3, 60)
    with pytest.raises(ValueError, match=r"steps of Pegasos.*'projection': True.*larger lam.*another solver"):
        SVM(solver="pegasos").fit(X, y)
    optimum = SVM().fit(X, y).objective(X, y)
    helped = SVM(solver="pegasos", solver_options={"projection": True}).fit(X, y)
    assert helped.objective(X, y) <= 1.02 * optimum
