"""Loss, gradient, Hessian product and duality gap against their definitions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.instruction_sets import printed_at_every_level
from tests.linear.smooth_problems import BIASES, LOSSES, problems, random_problem, textbook_loss

from lindy import _native
from lindy.core.csr import Csr, as_csr
from lindy.core.targets import OneLabel
from lindy.linear.objective import Objective
from lindy.linear.problem import Problem
from lindy.textbook import objectives as textbook

pytestmark = pytest.mark.filterwarnings("error")


def point(objective: Objective, seed: int = 1) -> np.ndarray:
    return np.random.default_rng(seed).normal(size=objective.size)


def textbook_value(problem: Problem, x: np.ndarray) -> float:
    objective = Objective(problem, 1)
    W, b = objective.split(x)
    X = problem.X.to_dense().astype(float)
    data = textbook.Data(X, problem.y.codes, objective.share)
    value = textbook.objective(data, W, b, textbook_loss(problem), problem.l2)
    return value + (0.5 * problem.l2 * float((b**2).sum()) if problem.penalize_bias else 0.0)


@settings(max_examples=60, deadline=None)
@given(problem=problems(), seed=st.integers(0, 100))
def test_value_and_gradient_are_the_textbooks(problem: Problem, seed: int) -> None:
    objective = Objective(problem, 1)
    x = point(objective, seed)
    W, b = objective.split(x)
    value, gradient = objective.evaluate(x, objective.buffers())
    np.testing.assert_allclose(value, textbook_value(problem, x), rtol=1e-12)
    X = problem.X.to_dense().astype(float)
    l2 = problem.l2
    data = textbook.Data(X, problem.y.codes, objective.share)
    G, gb = textbook.gradient(data, W, b, textbook_loss(problem), l2)
    if problem.penalize_bias:
        gb = gb + l2 * b
    np.testing.assert_allclose(objective.split(gradient)[0], G, atol=1e-12)
    if problem.bias:
        np.testing.assert_allclose(objective.split(gradient)[1], gb, atol=1e-12)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@pytest.mark.parametrize("loss", LOSSES)
def test_derivatives_by_finite_differences(loss: str, n_classes: int, bias: dict[str, bool]) -> None:
    objective = Objective(random_problem(loss, n_classes, weighted=True, **bias), 1)
    x, d, step = point(objective, 1), point(objective, 2), 1e-6
    at, elsewhere = objective.buffers(), objective.buffers()
    _, gradient = objective.evaluate(x, at)
    above, gradient_above = objective.evaluate(x + step * d, elsewhere)
    below, gradient_below = objective.evaluate(x - step * d, elsewhere)
    assert (above - below) / (2 * step) == pytest.approx(gradient @ d, rel=1e-6)
    product, scores = objective.hessian_vector(d, at)
    # a row of a hinge whose margin crosses the place of a jump within the step changes its curvature
    slack = 1e-4 if objective.problem.definition.jumps else 1e-7
    np.testing.assert_allclose((gradient_above - gradient_below) / (2 * step), product, atol=slack)
    np.testing.assert_allclose(scores, problem_dense(objective) @ objective.split(d)[0], atol=1e-12)


def problem_dense(objective: Objective) -> np.ndarray:
    return objective.problem.X.to_dense().astype(float)


@settings(max_examples=80, deadline=None)
@given(problem=problems(), seed=st.integers(0, 100), l1=st.sampled_from([0.0, 0.01, 0.3]))
def test_no_dual_value_exceeds_any_primal_value(problem: Problem, seed: int, l1: float) -> None:
    objective = Objective(replace(problem, l1=l1), 1)
    x, other = point(objective, seed), point(objective, seed + 1)
    at = objective.buffers()
    objective.evaluate(x, at)
    certificate = objective.certify(x, at, 1e-4)
    lower_bound = certificate.objective - certificate.gap
    for scale in (0.0, 0.1, 1.0):
        W = scale * other
        elsewhere = objective.buffers()
        objective.native.scores(objective.split(W)[0], elsewhere.S)
        value = objective.best_bias(W, elsewhere)
        assert lower_bound <= value + 1e-9 * abs(value)


@settings(max_examples=60, deadline=None)
@given(problem=problems(), seed=st.integers(0, 100))
def test_the_conjugate_is_the_textbooks_at_the_residuals(problem: Problem, seed: int) -> None:
    objective = Objective(replace(problem, weight=None), 1)
    at = objective.buffers()
    objective.evaluate(point(objective, seed), at)
    expected = textbook.conjugate(at.R, problem.y.codes, objective.share, textbook_loss(problem))
    assert objective.native.conjugate(at.R) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_classes", [2, 4])
def test_the_gap_of_a_penalised_bias_is_the_squared_gradient(loss: str, n_classes: int) -> None:
    problem = random_problem(loss, n_classes, penalize_bias=True)
    objective = Objective(problem, 1)
    x, at = point(objective), objective.buffers()
    objective.evaluate(x, at)
    certificate = objective.certify(x, at, 1e-4)
    _, gradient = objective.evaluate(x, at)
    assert certificate.gap == pytest.approx(gradient @ gradient / (2 * problem.l2), rel=1e-9)
    assert certificate.gradient_norm == pytest.approx(float(np.linalg.norm(gradient)), rel=1e-9)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_classes", [2, 5])
def test_the_dual_point_of_a_free_bias_sums_to_zero(loss: str, n_classes: int) -> None:
    objective = Objective(random_problem(loss, n_classes, weighted=True), 1)
    x, at = point(objective), objective.buffers()
    objective.evaluate(x, at)
    objective.certify(x, at, 1e-4)
    np.testing.assert_allclose(at.R.sum(axis=0), 0, atol=1e-14)


def test_a_class_without_weight_gets_no_probability_in_the_dual_point() -> None:
    problem = random_problem("log", 3)
    weight = np.where(problem.y.codes == 2, 0.0, 1.0)
    objective = Objective(replace(problem, weight=weight), 1)
    x, at = point(objective), objective.buffers()
    objective.evaluate(x, at)
    certificate = objective.certify(x, at, 1e-4)
    assert np.isfinite(certificate.gap)
    assert not at.R[:, 2].any()


def shuffled_rows(X: Csr) -> Csr:
    """The same matrix with the columns of every row in another order."""
    rng = np.random.default_rng(3)
    order = np.concatenate([a + rng.permutation(b - a) for a, b in zip(X.indptr, X.indptr[1:], strict=False)])
    return Csr(X.indptr, X.indices[order], X.values[order], X.n_columns)


@pytest.mark.parametrize("loss", LOSSES)
@pytest.mark.parametrize("n_classes", [2, 3, 21])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_do_not_change_a_bit(loss: str, n_classes: int, dtype: type) -> None:
    problem = random_problem(loss, n_classes, rows=700, columns=40, dtype=dtype)
    for each in (problem, replace(problem, X=shuffled_rows(problem.X))):
        alone = Objective(each, 1)
        x, at = point(alone), alone.buffers()
        value, gradient = alone.evaluate(x, at)
        product, _ = alone.hessian_vector(x, at)
        for threads in (2, 3, 4):
            objective = Objective(each, threads)
            other = objective.buffers()
            other_value, other_gradient = objective.evaluate(x, other)
            assert value == other_value
            assert (gradient == other_gradient).all()
            assert (product == objective.hessian_vector(x, other)[0]).all()


DIGEST = """
import hashlib, numpy as np
from tests.linear.smooth_problems import LOSSES, random_problem
from lindy.linear.objective import Objective
digest = hashlib.sha256()
for loss in LOSSES:
    for n_classes in (2, 5, 37):
        objective = Objective(random_problem(loss, n_classes, rows=300), 2)
        x = np.random.default_rng(0).normal(size=objective.size)
        at = objective.buffers()
        value, gradient = objective.evaluate(x, at)
        product, _ = objective.hessian_vector(gradient, at)
        certificate = objective.certify(x, at, 1e-4)
        for array in (np.array([value, certificate.gap, objective.dot(x, x)]), gradient, product, x):
            digest.update(array.tobytes())
print(digest.hexdigest())
"""


def test_instruction_sets_do_not_change_a_bit() -> None:
    assert len(printed_at_every_level(DIGEST, beside=__file__)) == 1


@given(size=st.integers(0, 70), seed=st.integers(0, 9))
def test_dot(size: int, seed: int) -> None:
    a, b = np.random.default_rng(seed).normal(size=(2, size))
    assert _native.dot(a, b) == pytest.approx(float(a @ b), abs=1e-12)


def test_an_unknown_loss_is_refused_by_name() -> None:
    with pytest.raises(ValueError, match="'perceptron'"):
        Objective(random_problem("perceptron"), 1)


def test_values_whose_squares_overflow_are_refused_with_their_row() -> None:
    problem = random_problem("log", 3)
    X = problem.X.to_dense()
    X[7, 2] = 1e200
    with pytest.raises(ValueError, match=r"row 7 of X is too large.*scale the columns"):
        Objective(replace(problem, X=as_csr(X)), 1)


def test_arrays_of_the_wrong_shape_are_refused() -> None:
    objective = Objective(random_problem("log", 3), 1)
    good = objective.buffers()
    with pytest.raises(ValueError, match="features × outputs"):
        objective.native.scores(np.zeros((5, 3)), good.S)
    with pytest.raises(ValueError, match="rows × outputs"):
        objective.native.curve(good.D, np.zeros((2, 3)))
    problem = random_problem("log", 3)
    with pytest.raises(ValueError, match="class numbers"):
        Objective(replace(problem, y=OneLabel(problem.y.names, problem.y.codes + 1)), 1)
