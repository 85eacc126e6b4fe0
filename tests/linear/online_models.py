"""Online learners of every kind, and points in clouds for them."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy import SVM, MaxEnt, Mira, Perceptron

LEARNERS = [
    Perceptron(epochs=4),
    Perceptron(average=False, epochs=4),
    Mira(epochs=4),
    Mira(constraints="all", variant="PA-II", average=False, epochs=4),
]


STOCHASTIC = [
    SVM(loss="hinge", lam=0.1, solver="pegasos"),
    SVM(
        loss="multiclass_hinge", cost="distance", lam=1e-3, solver="subgradient", solver_options={"eta0": 1.0}
    ),
    MaxEnt(lam=1e-3, solver="sgd", solver_options={"average": True, "eta0": 1.0}),
    MaxEnt(lam=1e-3, solver="sgd", solver_options={"schedule": "adagrad", "eta0": 0.3}),
    MaxEnt(lam=1e-3, penalty="elasticnet", solver="sgd", solver_options={"eta0": 1.0}),
    MaxEnt(penalty=None, multiclass="one-vs-rest", solver="sgd", solver_options={"eta0": 1.0}),
]
LEARNERS_OF_STREAMS = [*LEARNERS, *STOCHASTIC]


def copy_of(model: Any, **options: Any) -> Any:
    return type(model)(**(model.get_params() | options))


def blobs(seed: int = 0, n: int = 200, K: int = 3, noise: float = 1.0) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    y = rng.integers(K, size=n)
    return rng.normal(size=(K, 6))[y] * 2 + rng.normal(size=(n, 6)) * noise, y


def one_pass(model: Any, **options: Any) -> Any:
    """Return a copy that visits the rows once, as given."""
    if isinstance(model, Perceptron | Mira):
        return copy_of(model, epochs=1, shuffle=False, **options)
    chosen = {**(model.solver_options or {}), "epochs": 1, "shuffle": False}
    return copy_of(model, solver_options=chosen, **options)
