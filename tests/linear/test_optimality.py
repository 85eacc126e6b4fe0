"""The conditions of Karush, Kuhn and Tucker for every loss, penalty and form of the bias, by their definitions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.linear.smooth_problems import BIASES, LOSSES, random_problem

from lindy import SVM
from lindy.linear.optimizers import minimise
from lindy.linear.problem import Options, Problem, Solution

PENALTIES: dict[str, dict[str, float]] = {
    "l2": {"l2": 0.02},
    "l1": {"l1": 0.03, "l2": 0.0},
    "elasticnet": {"l1": 0.03, "l2": 0.01},
    "none": {"l2": 0.0},
}


def shares(problem: Problem) -> np.ndarray:
    weight = np.ones(len(problem.y)) if problem.weight is None else problem.weight
    return weight / weight.sum()


def signs(problem: Problem) -> np.ndarray:
    """+1 for the own class of a row, −1 for the others; one column for two classes."""
    K = problem.n_outputs
    return np.where(problem.y.codes[:, None] == (np.arange(K) if K > 1 else 1), 1.0, -1.0)


def slopes(problem: Problem, W: np.ndarray, b: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Derivatives of the mean loss in W and in b."""
    X = problem.X.to_dense().astype(float)
    scores = X @ W + b
    s = signs(problem)
    if problem.loss == "squared_hinge":
        r = -2 * s * np.maximum(0, 1 - s * scores)
    elif problem.loss == "log" and problem.n_outputs > 1:
        p = np.exp(scores - scores.max(axis=1, keepdims=True))
        r = p / p.sum(axis=1, keepdims=True) - (s > 0)
    else:
        r = -s / (1 + np.exp(s * scores))
    r *= shares(problem)[:, None]
    return X.T @ r, r.sum(axis=0)


def violation(z: np.ndarray, w: np.ndarray, l1: float, l2: float) -> float:
    """Distance of −z − l2·w from the subgradients of l1·|w|, the largest."""
    g = z + l2 * w
    return float(np.where(w == 0, np.maximum(np.abs(g) - l1, 0), np.abs(g + l1 * np.sign(w))).max())


@pytest.mark.parametrize("bias", BIASES, ids=str)
@pytest.mark.parametrize("penalty", PENALTIES)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_smooth_losses(loss: str, n_classes: int, penalty: str, bias: dict[str, Any]) -> None:
    """0 ∈ ∂P: the slope of the loss is balanced by the penalty, for each weight and for the bias."""
    columns = 4 if penalty == "none" else 15
    problem = random_problem(
        loss, n_classes, columns=columns, density=0.5, weighted=True, **PENALTIES[penalty], **bias
    )
    solution = minimise(problem, Options(tol=1e-10 if penalty != "none" else 1e-7, max_iter=5000))
    assert solution.certificate is not None
    assert solution.certificate.reached
    W, b = solution.W.astype(float), solution.b.astype(float)
    z, z_b = slopes(problem, W, b)
    assert violation(z, W, problem.l1, problem.l2) < 2e-6
    if problem.bias:
        l1, l2 = (problem.l1, problem.l2) if problem.penalize_bias else (0.0, 0.0)
        assert violation(z_b, b, l1, l2) < 2e-6
    else:
        assert not b.any()
    if problem.l1:
        assert (W == 0).any()
        assert W.any()


def fitted_hinge(loss: str, n_classes: int, form: dict[str, Any]) -> tuple[SVM, Problem]:
    problem = random_problem(loss, n_classes, columns=12, density=0.5, weighted=True, l2=0.02, **form)
    model = SVM(
        loss=loss,
        lam=0.02,
        tol=1e-9,
        max_iter=20_000,
        fit_intercept=problem.bias,
        penalize_intercept=problem.penalize_bias,
    )
    return model.fit(problem.X.to_scipy(), problem.y.codes, problem.weight), problem


def dual_coefficients(model: SVM, problem: Problem) -> np.ndarray:
    """W = Xᵀ·coefficients, and the largest value that C allows each row is c_i = weight_i/(lam·Σ weight)."""
    dense = np.zeros((len(problem.y), problem.n_outputs))
    dense[model.support_] = model.dual_coef_.T
    np.testing.assert_allclose(problem.X.to_dense().T @ dense, model.W_, atol=1e-9)
    return dense


def check_bias(coefficients: np.ndarray, model: SVM, problem: Problem) -> None:
    if problem.bias:
        expected = model.b_ if problem.penalize_bias else np.zeros(problem.n_outputs)
        np.testing.assert_allclose(coefficients.sum(axis=0), expected, atol=1e-5)


@pytest.mark.parametrize("form", BIASES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
def test_hinge(n_classes: int, form: dict[str, Any]) -> None:
    """0 ≤ α ≤ c;  beyond the margin α = 0,  inside it α = c;  Σ s·α = 0, or b if it is penalised."""
    model, problem = fitted_hinge("hinge", n_classes, form)
    coefficients = dual_coefficients(model, problem)
    alpha = signs(problem) * coefficients
    c = (shares(problem) / 0.02)[:, None] * np.ones_like(alpha)
    assert alpha.min() >= 0
    assert (alpha <= c * (1 + 1e-12)).all()
    margin = model.margins(problem.X.to_scipy(), problem.y.codes)
    np.testing.assert_allclose(alpha[margin > 1 + 1e-4], 0, atol=1e-4)
    np.testing.assert_allclose(alpha[margin < 1 - 1e-4], c[margin < 1 - 1e-4], atol=1e-4)
    check_bias(coefficients, model, problem)


@pytest.mark.parametrize("form", BIASES, ids=str)
def test_crammer_singer(form: dict[str, Any]) -> None:
    """Rows sum to 0, other classes take no positive part, and only those that attain the maximum take any."""
    model, problem = fitted_hinge("multiclass_hinge", 4, form)
    coefficients = dual_coefficients(model, problem)
    rows = np.arange(len(problem.y))
    np.testing.assert_allclose(coefficients.sum(axis=1), 0, atol=1e-9)
    others = coefficients.copy()
    own = others[rows, problem.y.codes].copy()
    others[rows, problem.y.codes] = 0
    assert others.max() <= 1e-12
    assert (own <= shares(problem) / 0.02 * (1 + 1e-9)).all()
    raised = model.decision_function(problem.X.to_scipy()) + 1.0
    raised[rows, problem.y.codes] -= 1.0
    behind = raised.max(axis=1, keepdims=True) - raised
    np.testing.assert_allclose(others[behind > 1e-4], 0, atol=1e-4)
    check_bias(coefficients, model, problem)


@pytest.mark.parametrize("l1_ratio", [0.2, 0.8])
@pytest.mark.parametrize("bias", BIASES, ids=str)
def test_the_dual_point_of_the_elastic_net_is_a_bound(l1_ratio: float, bias: dict[str, Any]) -> None:
    """No weights are better than objective − gap, and a tighter fit comes as near as its certificate says."""
    fields = {"l1": 0.02 * l1_ratio, "l2": 0.02 * (1 - l1_ratio)}
    problem = random_problem("log", 3, weighted=True, **fields, **bias)

    def proof(tol: float) -> tuple[float, float]:
        solution: Solution = minimise(problem, Options(tol=tol))
        assert solution.certificate is not None
        assert solution.certificate.reached
        return solution.certificate.objective, solution.certificate.gap

    (loose, gap), (exact, tight) = proof(1e-2), proof(1e-11)
    assert loose - gap <= exact <= loose
    assert tight <= 1e-11 * exact
