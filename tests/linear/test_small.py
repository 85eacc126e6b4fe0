"""Small problems without a penalty: the end of the path of L2 penalties."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from smooth_problems import BIASES, LOSSES, random_problem

from lindy import MaxEnt
from lindy.linear.optimizers import minimise
from lindy.linear.optimizers.small import is_small
from lindy.linear.problem import Options
from oracles import logistic_regression


@pytest.mark.parametrize("bias", BIASES, ids=str)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_finite_minimum_is_found_to_the_last_digits(
    loss: str, n_classes: int, bias: dict[str, bool]
) -> None:
    problem = random_problem(loss, n_classes, columns=4, density=0.8, l2=0.0, weighted=True, **bias)
    assert is_small(problem, Options())
    solution = minimise(problem, Options())
    other = minimise(problem, Options(tol=1e-9, max_iter=5000), "newton")
    assert solution.certificate is not None
    assert other.certificate is not None
    assert solution.certificate.missed.startswith("gradient of")
    assert solution.certificate.gradient_norm < 1e-9 * solution.certificate.gradient_at_zero
    assert solution.certificate.objective <= other.certificate.objective * (1 + 1e-13)


def test_it_agrees_with_scikit_learn() -> None:
    problem = random_problem("log", 3, columns=4, density=0.8, l2=0.0)
    X = problem.X.to_dense()
    ours = MaxEnt(penalty="none").fit(X, problem.y)
    theirs = logistic_regression(X, problem.y, C=np.inf)
    np.testing.assert_allclose(ours.predict_proba(X), theirs.predict_proba(X), atol=1e-6)


@pytest.mark.parametrize("loss", LOSSES)
def test_separable_classes_end_as_soon_as_asked_and_without_chance(loss: str) -> None:
    """The same rows in another order give the same weights, though no finite minimum decides about them."""
    problem = random_problem(loss, 3, rows=20, columns=25, density=0.6, l2=0.0)
    order = np.random.default_rng(0).permutation(20)
    mixed = replace(problem, X=problem.X.take(order), y=problem.y[order])
    one, other = minimise(problem, Options()), minimise(mixed, Options())
    assert one.certificate is not None
    assert one.certificate.reached
    np.testing.assert_allclose(one.W, other.W, rtol=1e-6, atol=1e-8)
