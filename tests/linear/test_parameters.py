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


STEPS: dict[str, tuple[Any, ...]] = {
    "schedule": (None, "fast", np.array([1, 2])),
    "eta0": ("1", 0.0, -1, np.inf, [1.0]),
    "power": (None, "1", -1),
    "epochs": ("1", 0, 1.5),
    "batch_size": (None, 0, 1.5),
    "average": ("yes", [True]),
    "projection": ("no", None),
    "l1_method": (None, "hope", np.array([1, 2])),
    "shuffle": (None, "yes", [1]),
    "held_out": (None, "0"),
    "patience": (None, 0),
    "callback": ("print", 3),
    "trace": (None, -1),
    "dtype": (None, "float16", np.array([1, 2])),
}


@pytest.mark.parametrize("solver", ["sgd", "pegasos", "subgradient"])
@pytest.mark.parametrize(
    ("name", "value"),
    [pytest.param(name, value, id=f"{name}-{value!r}") for name, values in STEPS.items() for value in values],
)
def test_the_error_names_the_option_of_a_stochastic_solver(solver: str, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be ") as caught:
        MaxEnt(lam=0.1, solver=solver, solver_options={name: value}).fit(X, y)
    assert repr(value) in str(caught.value)


def test_solver_options_are_a_dictionary_of_known_names() -> None:
    for given in ("eta0", [1], 3):
        with pytest.raises(
            ValueError, match="solver_options must be a dictionary of options by name, or None"
        ):
            MaxEnt(solver="sgd", solver_options=given).fit(X, y)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="schedule='auto' derives its steps from the data: leave out eta0"):
        MaxEnt(lam=0.1, solver="sgd", solver_options={"schedule": "auto", "eta0": 1.0}).fit(X, y)


@pytest.mark.parametrize(
    "learner",
    [
        MaxEnt(solver="sgd"),
        SVM(solver="subgradient", penalty=None),
        SVM(solver="pegasos"),
        Mira(),
        Perceptron(),
    ],
)
def test_data_that_cannot_be_learned_from(learner: Any) -> None:
    for rows, labels, message in [
        (np.zeros((0, 3)), [], "0 sample"),
        (np.zeros((3, 0)), [0, 1, 2], "0 feature"),
        (X, np.zeros(30, int), "class"),
        (X, y[:5], "inconsistent numbers of samples"),
        (X * np.nan, y, "contains NaN"),
    ]:
        with pytest.raises(ValueError, match=message):
            learner.fit(rows, labels)
