"""Regularisation paths: where they begin, that every point is a proven fit, and that warm starts pay."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.linear.smooth_problems import BIASES, LOSSES, random_problem

import lindy
from lindy import SVM, MaxEnt
from lindy.linear.optimizers import minimise
from lindy.linear.penalty_path import largest_l1, penalty_grid, problem_path
from lindy.linear.problem import Options


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("n_classes", [2, 4])
@pytest.mark.parametrize("loss", LOSSES)
def test_from_the_largest_l1_on_all_weights_are_zero(
    loss: str, n_classes: int, bias: dict[str, bool]
) -> None:
    top = largest_l1(random_problem(loss, n_classes, weighted=True, **bias))
    above = minimise(
        random_problem(loss, n_classes, weighted=True, l1=1.001 * top, l2=0.0, **bias), Options(tol=1e-7)
    )
    below = minimise(
        random_problem(loss, n_classes, weighted=True, l1=0.98 * top, l2=0.0, **bias), Options(tol=1e-7)
    )
    assert not above.W.any()
    assert np.count_nonzero(below.W) + np.count_nonzero(below.b if bias.get("penalize_bias") else 0) > 0


@pytest.mark.parametrize("penalty", ["l1", "l2"])
def test_every_point_is_the_solution_of_a_single_fit(penalty: str) -> None:
    fixed = {"l2": 0.0} if penalty == "l1" else {"l1": 0.0}
    problem = random_problem("log", 3, **fixed)
    options = Options(tol=1e-8)
    solver = "auto" if penalty == "l1" else "newton"
    points = list(problem_path(problem, penalty, penalty_grid(problem, penalty, 6), options, solver))
    strengths = [getattr(point, penalty) for point in points]
    assert strengths == sorted(strengths, reverse=True)
    for point in points:
        assert point.solution.certificate is not None
        assert point.solution.certificate.reached
        alone = minimise(random_problem("log", 3, l1=point.l1, l2=point.l2), options, solver)
        assert alone.certificate is not None
        assert point.solution.certificate.objective == pytest.approx(alone.certificate.objective, rel=2e-8)
    objectives = [point.solution.certificate.objective for point in points if point.solution.certificate]
    assert objectives == sorted(objectives, reverse=True)
    if penalty == "l1":
        assert points[0].nonzero == 0
        assert points[-1].nonzero > 0


def test_a_warm_path_costs_less_than_cold_fits() -> None:
    problem = random_problem("log", 2, rows=400, columns=60, l2=0.0)
    grid = penalty_grid(problem, "l2", 8)
    warm = sum(point.solution.n_iter for point in problem_path(problem, "l2", grid, solver="lbfgs"))
    cold = sum(
        minimise(random_problem("log", 2, rows=400, columns=60, l2=l2), Options(), "lbfgs").n_iter
        for l2 in grid
    )
    assert warm < cold


def test_wrong_arguments_are_named() -> None:
    problem = random_problem("log", 2)
    with pytest.raises(ValueError, match="'l1' or 'l2'"):
        next(problem_path(problem, "l0"))
    with pytest.raises(ValueError, match="ratio"):
        penalty_grid(problem, "l1", ratio=2.0)


TEXTS, LABELS = ["good book", "a fine read", "bad book", "an awful read"] * 6, ["+", "+", "-", "-"] * 6


@pytest.mark.parametrize("penalty", ["l1", "l2"])
@pytest.mark.parametrize("learner", [None, MaxEnt(fit_intercept=False), SVM()])
def test_a_path_of_data_and_labels_has_the_models_of_single_fits(penalty: str, learner: Any) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 6))
    y = np.array(["no", "yes"])[(X[:, 0] + 0.3 * rng.normal(size=80) > 0).astype(int)]
    path = lindy.regularization_path(X, y, penalty=penalty, learner=learner, n_values=5)
    assert len(path) == 5
    assert path.strengths.tolist() == sorted(path.strengths.tolist(), reverse=True)
    if penalty == "l1":
        assert path.nonzero[0] == 0
    for strength, model in zip(path.strengths, path.models, strict=True):
        alone = type(model)(**model.get_params() | {"lam": strength, "C": 1.0}).fit(X, y)
        assert model.certificate_.objective == pytest.approx(alone.certificate_.objective, rel=3e-4)
    np.testing.assert_allclose(path.score(X, y), path.training)


def test_a_path_of_texts_names_its_words() -> None:
    path = lindy.regularization_path(TEXTS, LABELS, values=[1e-3, 1e-2])
    assert path.strengths.tolist() == [1e-2, 1e-3]
    assert {name for name, _ in path.entering(4)} <= {"good", "fine", "bad", "awful", "an"}
    assert path.score(["good", "awful"], ["+", "-"])[-1] == 1.0
    assert str(path).count("\n") == 2
    features = [dict.fromkeys(text.split(), 1) for text in TEXTS]
    assert lindy.regularization_path(features, LABELS, n_values=2).names == sorted(
        {w for b in features for w in b}
    )


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((TEXTS, ["+"] * 24), {}, "one class"),
        ((TEXTS, LABELS[:3]), {}, "inconsistent numbers"),
        (([], []), {}, "no examples"),
        (("a text", ["+"]), {}, "string object received"),
        ((TEXTS, LABELS), {"penalty": "l0"}, "'l1' or 'l2'"),
        ((TEXTS, LABELS), {"values": []}, "at least one number"),
        ((TEXTS, LABELS), {"values": [0.1, -1]}, "values must be a finite number above 0; got -1"),
        ((TEXTS, LABELS), {"values": ["x"]}, "values must be a finite number above 0"),
        ((TEXTS, LABELS), {"n_values": 0}, "n_values must be at least 1"),
        (([[1.0], [1.0]], ["+", "-"]), {}, "say nothing about the classes"),
        (([[1.0], [2.0]], ["+", "-"]), {"names": ["a", "b"]}, "2 names for 1 columns"),
    ],
)
def test_paths_of_what_cannot_be(arguments: Any, options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        lindy.regularization_path(*arguments, **options)


def test_a_path_needs_a_convex_learner() -> None:
    with pytest.raises(TypeError, match="unfitted MaxEnt or SVM"):
        lindy.regularization_path(TEXTS, LABELS, learner=lindy.Perceptron())
