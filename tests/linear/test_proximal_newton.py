"""L1 and elastic net: the optimum, its conditions, its sparsity, and the same bits everywhere."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from liblinear.liblinearutil import parameter, train
from liblinear.liblinearutil import problem as liblinear_problem
from tests.instruction_sets import printed_at_every_level
from tests.linear.exponential_cone import optimum
from tests.linear.smooth_problems import BIASES, LOSSES, problems, random_problem, textbook_loss
from tests.oracles import linear_constraints

from lindy import _native
from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.objective import Objective
from lindy.linear.optimizers import minimise
from lindy.linear.problem import History, Options, Problem, Solution
from lindy.textbook.objectives import Data, objective
from lindy.textbook.proximal_gradient import proximal_gradient, soft

TIGHT = Options(tol=1e-8, max_iter=300, n_jobs=2)


def value(problem: Problem, W: Any, b: Any) -> float:
    """The objective by its definition."""
    weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
    data = Data(problem.X.to_dense().astype(float), problem.y.codes, weight / weight.sum())
    smooth = objective(data, W, b, textbook_loss(problem), problem.l2)
    penalised = (
        float(np.abs(b).sum() * problem.l1 + 0.5 * problem.l2 * (b @ b)) if problem.penalize_bias else 0.0
    )
    return smooth + problem.l1 * float(np.abs(W).sum()) + penalised


def slopes(problem: Problem, solution: Solution) -> np.ndarray:
    """∂(mean loss)/∂W at the solution."""
    whole = Objective(replace(problem, l1=0.0, l2=0.0), 1)
    x = np.concatenate([solution.W.ravel(), solution.b]) if problem.bias else solution.W.ravel()
    return whole.split(whole.evaluate(x, whole.buffers())[1])[0]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("l2", [0.0, 0.02])
def test_the_optimality_conditions_hold(loss: str, n_classes: int, bias: dict[str, bool], l2: float) -> None:
    problem = random_problem(loss, n_classes, l1=0.01, l2=l2, weighted=n_classes == 4, **bias)
    solution = minimise(problem, TIGHT)
    certificate = solution.certificate
    assert certificate is not None
    assert certificate.reached
    assert certificate.objective == pytest.approx(value(problem, solution.W, solution.b), rel=1e-12)
    z = slopes(problem, solution) + l2 * solution.W
    zero = solution.W == 0
    assert zero.any()
    assert (~zero).any()
    slack = 1e-4 * problem.l1 + (2 * l2 * certificate.gap) ** 0.5
    assert (np.abs(z[zero]) <= problem.l1 + slack).all()
    np.testing.assert_allclose(z[~zero], -problem.l1 * np.sign(solution.W[~zero]), atol=slack)


@settings(max_examples=25, deadline=None)
@given(problem=problems(), l1=st.sampled_from([0.01, 0.05]), l2=st.sampled_from([0.0, 0.1]))
def test_no_better_point_is_found_by_the_textbook(problem: Problem, l1: float, l2: float) -> None:
    problem = replace(problem, l1=l1, l2=l2, bias=True, penalize_bias=False)
    solution = minimise(problem, replace(TIGHT, tol=1e-6))
    weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
    data = Data(problem.X.to_dense().astype(float), problem.y.codes, weight / weight.sum())
    W, b = proximal_gradient(data, textbook_loss(problem), problem.n_outputs, (l1, l2), 300)
    ours = value(problem, solution.W, solution.b)
    assert solution.certificate is not None
    assert ours - solution.certificate.gap <= value(problem, W, b) + 1e-9


def test_it_agrees_with_the_textbook_to_the_weights() -> None:
    problem = random_problem("log", 3, l1=0.01, l2=0.01)
    data = Data(problem.X.to_dense(), problem.y.codes, np.full(len(problem.y), 1 / len(problem.y)))
    W, b = proximal_gradient(data, "softmax", 3, (0.01, 0.01), 3000)
    solution = minimise(problem, replace(TIGHT, tol=1e-12))
    np.testing.assert_allclose(solution.W, W, atol=2e-5)
    np.testing.assert_allclose(solution.b - solution.b.mean(), b - b.mean(), atol=2e-5)


@pytest.mark.parametrize(("l1", "l2"), [(0.02, 0.0), (0.01, 0.05)])
def test_it_agrees_with_an_exponential_cone_solver(l1: float, l2: float) -> None:
    problem = random_problem("log", 3, rows=25, columns=6, density=0.4, weighted=True, l1=l1, l2=l2)
    solution = minimise(problem, replace(TIGHT, tol=1e-10))
    assert solution.certificate is not None
    assert solution.certificate.objective == pytest.approx(optimum(problem), rel=1e-8)


@pytest.mark.parametrize("bias", [{"bias": False}, {"penalize_bias": True}])
@pytest.mark.parametrize(("loss", "number"), [("log", 6), ("squared_hinge", 5)])
def test_it_agrees_with_liblinear(loss: str, number: int, bias: dict[str, bool]) -> None:
    problem = random_problem(loss, 2, l1=0.01, l2=0.0, **bias)
    C = 1 / (problem.l1 * len(problem.y))
    with_bias = 1 if problem.bias else -1
    settings = parameter(f"-s {number} -c {C!r} -e 1e-9 -B {with_bias} -q")
    theirs = train(
        liblinear_problem(np.where(problem.y.codes == 1, 1.0, -1.0), problem.X.to_scipy()), settings
    )
    w, b = theirs.get_decfun(theirs.get_labels().index(1))
    solution = minimise(problem, TIGHT)
    expected = value(
        problem, np.array(w)[: problem.X.n_columns, None], np.array([b if problem.bias else 0.0])
    )
    assert solution.certificate is not None
    assert solution.certificate.objective == pytest.approx(expected, rel=1e-8)


def test_a_weight_whose_rows_have_all_reached_their_margins_still_moves() -> None:
    """The squared hinge has no curvature there, and only the penalty pulls."""
    X = np.array(
        [[-3, -1, 2], [-1, -1, 3], [1, -2, -2], [0, -2, 3], [1, 0, 1], [-1, 1, 0], [-1, 1, -3], [0, 3, 2]]
    )
    y = np.array([0, 1, 1, 1, 1, 1, 1, 1], np.int32)
    solution = minimise(Problem(as_csr(X), OneLabel(np.arange(2), y), "squared_hinge", l1=1 / 800), TIGHT)
    assert solution.certificate is not None
    assert solution.certificate.reached

    # mean ξ² + l1·Σ v over (w, b, v, ξ) subject to |w| ≤ v, y·(xᵀw + b) ≥ 1 − ξ and ξ ≥ 0, a quadratic program
    P = np.diag([0.0] * 7 + [2 / 8] * 8)
    q = np.array([0.0] * 4 + [1 / 800] * 3 + [0.0] * 8)
    W, V, none = np.eye(3, 4), np.eye(3), np.zeros((3, 8))
    margins = -(2 * y - 1)[:, None] * np.column_stack([X, np.ones(8)])
    A = np.block(
        [
            [W, -V, none],
            [-W, -V, none],
            [margins, np.zeros((8, 3)), -np.eye(8)],
            [np.zeros((8, 7)), -np.eye(8)],
        ]
    )
    _, least = linear_constraints(P, q, A, np.r_[np.zeros(6), -np.ones(8), np.zeros(8)])
    assert solution.certificate.objective == pytest.approx(least, rel=TIGHT.tol)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("C", [10.0, 1000.0])
def test_the_squared_hinge_reaches_its_optimum_where_classes_can_be_separated(
    n_classes: int, C: float
) -> None:
    rng = np.random.default_rng(int(C))
    X = sp.random(150, 400, 0.03, format="csr", rng=rng)
    y = np.argmax((X @ rng.normal(size=(400, n_classes))), axis=1).astype(np.int32)
    problem = Problem(
        as_csr(X), OneLabel(np.arange(n_classes), y), "squared_hinge", l1=1 / (C * len(y)), bias=False
    )
    solution = minimise(problem, Options(tol=1e-4))
    assert solution.certificate is not None
    assert solution.certificate.reached
    model = train(liblinear_problem(y.astype(float), X.tocsr()), parameter(f"-s 5 -c {C} -e 1e-5 -q"))
    W = np.ctypeslib.as_array(model.w, (solution.W.size,)).reshape(solution.W.shape)
    labels = model.get_labels()
    W = W[:, np.argsort(labels)] if n_classes > 2 else W * (1.0 if labels[0] == 1 else -1.0)
    theirs = value(problem, W, np.zeros(W.shape[1]))
    assert solution.certificate.objective <= theirs * (1 + 1e-6)
    assert solution.certificate.objective - solution.certificate.gap <= theirs


@given(st.floats(-3, 3), st.floats(0.0, 2.0), st.floats(0.1, 3.0))
def test_soft_thresholding_is_the_proximal_operator(target: float, l1: float, curvature: float) -> None:
    """argmin_v ½·c·(v − t)² + l1·|v|: no perturbation is better."""
    w = np.zeros(1)
    H, slope = np.array([[curvature]]), np.array([-curvature * target])
    _native.descend_gram(H, slope, np.array([l1]), np.zeros(1), w, 1e-15, 10)

    def cost(v: float) -> float:
        return 0.5 * curvature * (v - target) ** 2 + l1 * abs(v)

    assert all(cost(w[0]) <= cost(w[0] + step) + 1e-15 for step in (1e-6, -1e-6, 1e-2, -1e-2, 1.0, -1.0))
    np.testing.assert_allclose(w, soft(np.array([target]), l1 / curvature), atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("entry", "error"), [(np.float32, 1e-5), (np.float64, 1e-12)])
@given(st.integers(0, 2**32 - 1), st.integers(1, 200), st.booleans(), st.data())
@settings(max_examples=40, deadline=None)
def test_the_matrix_is_x_transposed_d_x(
    dtype: Any, entry: Any, error: float, seed: int, rows: int, bias: bool, data: st.DataObject
) -> None:
    """Formed at once or extended, of rare and frequent columns in any order, with and without a bias."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(rows, 20)) * (rng.random((rows, 20)) < rng.choice([0.02, 0.2, 0.9], 20))
    h = rng.random(rows)
    column = rng.permutation(20)[: rng.integers(1, 21)].astype(np.int32)
    kind = _native.WorkingSet32 if dtype == np.float32 else _native.WorkingSet64
    columns = kind(rows)
    columns.append(as_csr(X.astype(dtype)), np.arange(20, dtype=np.int32), 20)
    chosen = X.astype(dtype).astype(float)[:, column]
    if bias:
        chosen = np.hstack([chosen, np.ones((rows, 1))])
    expected = chosen.T @ (h[:, None] * chosen)
    first = data.draw(st.integers(0, len(column)))
    H = np.full_like(expected, np.nan, dtype=entry)
    known = [*range(first), len(column)] if bias and first else list(range(first))
    H[np.ix_(known, known)] = expected[np.ix_(known, known)]
    columns.gram(column, h, bias, first, H)
    lengths = np.sqrt(np.diagonal(expected))
    assert (np.abs(H - expected) <= error * np.outer(lengths, lengths)).all()


@pytest.mark.parametrize("penalize_bias", [False, True])
def test_a_matrix_of_few_digits_costs_no_digits_of_the_solution(penalize_bias: bool) -> None:
    """float32 data has a float32 matrix; columns that are all but the same make it all but singular."""
    problem = random_problem("log_ovr", 2, l1=0.002, l2=0.0)
    X = problem.X.to_dense()
    X = np.hstack([X, X[:, :5] * (1 + 1e-6), X[:, :5] + X[:, 5:10]]).astype(np.float32)
    problem = replace(problem, X=as_csr(X), penalize_bias=penalize_bias)
    solution = minimise(problem, TIGHT)
    assert solution.certificate is not None
    assert solution.certificate.reached
    double = replace(problem, X=as_csr(X.astype(np.float64)))
    exact = minimise(double, TIGHT).certificate
    assert exact is not None
    np.testing.assert_allclose(solution.certificate.objective, exact.objective, rtol=1e-7)


def test_outputs_of_one_vs_rest_are_problems_of_their_own() -> None:
    problem = random_problem("log_ovr", 4, l1=0.005, l2=0.0)
    together = minimise(problem, TIGHT)
    for k in range(4):
        own = replace(problem, y=problem.y.one_vs_rest(k))
        np.testing.assert_allclose(together.W[:, [k]], minimise(own, TIGHT).W, atol=1e-6)


@pytest.mark.parametrize("density", [0.02, 0.9])
@pytest.mark.parametrize("loss", ["log_ovr", "squared_hinge"])
def test_rare_and_frequent_columns_reach_the_optimum(loss: str, density: float) -> None:
    """Of rare columns the matrix would be larger than they are, so that epochs visit the columns themselves."""
    problem = random_problem(loss, 2, rows=200, columns=150, density=density, l1=0.001, l2=0.0)
    solution = minimise(problem, TIGHT)
    certificate = solution.certificate
    assert certificate is not None
    assert certificate.reached
    assert certificate.objective == pytest.approx(value(problem, solution.W, solution.b), rel=1e-12)


def test_working_sets_grow_until_nothing_is_violated() -> None:
    """At weights 0 nearly all of 3,000 columns violate |z| ≤ l1, more than the first working set takes."""
    problem = random_problem("log", 3, rows=100, columns=3000, density=0.3, l1=1e-4, l2=0.0)
    violating = np.abs(slopes(problem, Solution(np.zeros((3000, 3)), np.zeros(3), 0, History()))) > problem.l1
    assert violating.sum() > 4000
    solution = minimise(problem, replace(TIGHT, tol=1e-6))
    assert solution.n_iter > 1
    assert solution.certificate is not None
    assert solution.certificate.reached


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_threads_do_not_change_a_bit(loss: str, n_classes: int) -> None:
    problem = random_problem(loss, n_classes, rows=600, l1=0.003, l2=0.0, dtype=np.float32)
    alone = minimise(problem, Options(n_jobs=1))
    for threads in (2, 3, 4):
        other = minimise(problem, Options(n_jobs=threads))
        assert alone.W.tobytes() == other.W.tobytes()
        assert alone.b.tobytes() == other.b.tobytes()


DIGEST = """
import hashlib
from tests.linear.smooth_problems import LOSSES, random_problem
from lindy.linear.optimizers import minimise
from lindy.linear.problem import Options
digest = hashlib.sha256()
for loss in LOSSES:
    for n_classes in (2, 5):
        for solver, l1 in (("proximal-newton", 0.004), ("newton", 0.0), ("lbfgs", 0.0)):
            solution = minimise(random_problem(loss, n_classes, rows=300, l1=l1), Options(n_jobs=2), solver)
            digest.update(solution.W.tobytes() + solution.b.tobytes())
print(digest.hexdigest())
"""


def test_instruction_sets_do_not_change_a_bit_of_the_model() -> None:
    assert len(printed_at_every_level(DIGEST, beside=__file__)) == 1


@pytest.mark.parametrize("strange", [1e60, 1e-310, 1.0, 0.0])
@pytest.mark.parametrize("loss", LOSSES)
def test_strange_columns_end_in_a_finite_model(strange: float, loss: str) -> None:
    problem = random_problem(loss, 3, rows=30, columns=4, l1=0.01, l2=0.0)
    X = np.hstack([problem.X.to_dense(), np.full((30, 1), strange), problem.X.to_dense()[:, :1]])
    with np.errstate(all="ignore"):
        solution = minimise(replace(problem, X=as_csr(X)), Options(max_iter=50))
    assert np.isfinite(solution.W).all()
    assert np.isfinite(solution.b).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_shifted_columns_are_no_harder(loss: str, n_classes: int) -> None:
    """A free bias absorbs every shift: the weights stay the same."""
    plain = random_problem(loss, n_classes, columns=5, density=1.0, l1=0.01, l2=0.0)
    options = Options(tol=1e-7, max_iter=50)
    solutions = [
        minimise(replace(plain, X=as_csr(plain.X.to_dense() + shift)), options) for shift in (0.0, 1000.0)
    ]
    for solution in solutions:
        assert solution.certificate is not None
        assert solution.certificate.reached
    np.testing.assert_allclose(solutions[0].W, solutions[1].W, atol=1e-3)


def test_a_warm_start_needs_fewer_passes() -> None:
    problem = random_problem("log", 3, l1=0.01, l2=0.0)
    near = minimise(replace(problem, l1=0.011), TIGHT)
    cold, warm = minimise(problem, TIGHT), minimise(problem, replace(TIGHT, start=near))
    np.testing.assert_allclose(cold.W, warm.W, atol=1e-6)
    assert warm.details["passes"] <= cold.details["passes"]


def test_pairs_outside_the_working_set_are_refused() -> None:
    problem = random_problem("log", 2)
    columns = _native.WorkingSet64(len(problem.y))
    columns.append(problem.X, np.full(problem.X.n_columns, -1, np.int32), 0)
    pair, flat = np.zeros(1, np.int32), np.zeros((1, len(problem.y)))
    with pytest.raises(ValueError, match="working set"):
        columns.scores(pair, pair, np.zeros(1), flat)
    with pytest.raises(ValueError, match="not in the set"):
        columns.append(problem.X, np.zeros(problem.X.n_columns, np.int32), 0)
    with pytest.raises(ValueError, match="n_rows"):
        _native.WorkingSet64(1).append(problem.X, np.zeros(problem.X.n_columns, np.int32), 1)
