"""Arguments that cannot be used: the error names the parameter, what it may be and what was given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lindy import SVM, KernelSVM, MaxEnt, Mira, NaiveBayesSVM, Perceptron

X = np.abs(np.random.default_rng(0).normal(size=(30, 4)))
y = np.arange(30) % 3

WRONG: dict[str, tuple[Any, ...]] = {
    "C": (None, "1", [1.0]),
    "lam": ("x", [1.0]),
    "tol": (None, "1"),
    "l1_ratio": (None, "0.5"),
    "max_iter": (None, "1", np.nan, 1.5, 0),
    "random_state": ("a", -1, 0.5),
    "fit_intercept": ("yes", None),
    "penalize_intercept": ("no",),
    "warm_start": ("no",),
    "n_jobs": ("2", 1.5, 0),
    "solver": (None, ["dual"]),
    "alpha": (None, "1"),
    "floor": (None, "1"),
    "eta0": (None, "1", 0.0),
    "epochs": ("1", 1.5, 0),
    "batch_size": ("1", 1.5, 0),
    "held_out": (None, "0"),
    "patience": (None, "1"),
    "trace": (None, "1"),
}
LEARNERS = (SVM, MaxEnt, NaiveBayesSVM, Perceptron, Mira, KernelSVM)


@pytest.mark.parametrize(
    ("learner", "name", "value"),
    [
        pytest.param(learner, name, value, id=f"{learner.__name__}-{name}-{value!r}")
        for learner in LEARNERS
        for name, values in WRONG.items()
        if name in learner().get_params()
        for value in values
    ],
)
def test_the_error_names_parameter_and_value(learner: Any, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be .*; got ") as caught:
        learner(**{name: value}).fit(X, y)
    assert str(caught.value).endswith(f"; got {value!r}")


@pytest.mark.parametrize("learner", LEARNERS)
def test_numpys_numbers_are_numbers(learner: Any) -> None:
    given = {
        "C": np.float32(1),
        "tol": np.float32(1e-3),
        "max_iter": np.int32(100),
        "fit_intercept": np.True_,
    }
    given |= {"epochs": np.int64(2), "random_state": np.uint8(1), "n_jobs": np.int64(1)}
    known = learner().get_params()
    learner(**{name: value for name, value in given.items() if name in known}).fit(X, y)


@pytest.mark.parametrize("solver", ["sgd", "subgradient"])
def test_stochastic_solvers_draw_from_a_generator(solver: str) -> None:
    for seed in (np.random.default_rng(0), np.random.RandomState(0)):
        MaxEnt(solver=solver, random_state=seed).fit(X, y)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "given", [{"C": 0.7}, {"lam": 0.01}, {"C": 0.7, "l1_ratio": 0.3, "penalty": "elasticnet"}]
)
@pytest.mark.parametrize("learner", [SVM, MaxEnt])
def test_a_float32_parameter_leaves_the_proof_as_it_is(learner: Any, given: dict[str, Any]) -> None:
    narrow = {name: np.float32(value) if name != "penalty" else value for name, value in given.items()}
    wide = {name: float(value) if name != "penalty" else value for name, value in narrow.items()}
    ours = learner(**narrow, tol=np.float32(1e-6)).fit(X, y)
    same = learner(**wide, tol=float(np.float32(1e-6))).fit(X, y)
    assert ours.certificate_ == same.certificate_
    assert {type(value) for value in ours.history_.objective} <= {float, np.float64}
    assert type(ours.certificate_.gap) in (float, np.float64)
    np.testing.assert_array_equal(ours.W_, same.W_)
