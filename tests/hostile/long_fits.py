"""Fits that never end by themselves, one of every kind: whoever interrupts them is sure to hit them."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from tests.hostile.estimators import ARGUMENTS, estimator_classes

from lindy.estimators.learners import learner_classes
from lindy.linear import SVM, MaxEnt
from lindy.linear.losses import LOSSES
from lindy.linear.optimizers import SOLVERS
from lindy.linear.optimizers.stochastic import STREAMS

ROUNDS = {"epochs": 10**6, "max_iter": 10**6}
HARD = {"C": 1e6, "tol": 1e-15, "kernel": "rbf"}


def rows(n: int, d: int) -> tuple[Any, Any]:
    """Return counts whose labels have nothing to do with them: no fit of them is easy."""
    rng = np.random.default_rng(0)
    return rng.poisson(1.0, (n, d)).astype(float), rng.integers(0, 3, n)


def hard_rows(n: int, d: int) -> tuple[Any, Any]:
    """Return the same in the thousands: hardly any penalty is left, and solvers take long."""
    X, y = rows(n, d)
    return X * 1000.0, y


def texts(n: int) -> list[str]:
    """Return texts of words at random."""
    rng = np.random.default_rng(0)
    return [" ".join(f"w{number}" for number in rng.zipf(1.3, 60) % 50_000) for _ in range(n)]


def endlessly(fit: Callable[[], Any]) -> None:
    """Fit again and again."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        while True:
            fit()


def _hard(kind: type, known: list[str], **options: Any) -> Any:
    """Return the estimator with as many rounds, and as little tolerance, as it can be asked for."""
    wanted = {name: value for name, value in (ROUNDS | HARD).items() if name in known}
    return kind(**wanted | options)


def long_fits(n: int = 1000, d: int = 60, n_texts: int = 2000) -> dict[str, Callable[[], None]]:
    """Return the fits by name: every solver, every learner of rows, every vectorizer of texts, the automatic search."""
    X, y = hard_rows(n, d)
    found: dict[str, Callable[[], Any]] = {}
    for solver in SOLVERS.values():
        kind, options = next(
            (kind, given)
            for kind in (MaxEnt, SVM)
            for loss in (LOSSES if kind is SVM else ["log"])
            for penalty in ("l2", "l1", None)
            if solver.handles(loss, penalty or "none")
            for given in [{"penalty": penalty} | ({"loss": loss} if kind is SVM else {})]
        )
        rounds = {"solver_options": {"epochs": 10**6}} if solver.name in STREAMS else {}
        model = _hard(kind, kind._parameter_names(), solver=solver.name, **options, **rounds)
        found[f"solver {solver.name}"] = partial(model.fit, X, y)
    X, y = rows(n, d)
    for name, learner in learner_classes().items():
        if learner.spec.input_kind in ("texts", "trees", "values"):
            continue
        found[f"learner {name}"] = partial(_hard(learner, learner._parameter_names()).fit, X, y)
    documents = texts(n_texts)
    for name, kind in text_vectorizers().items():
        found[f"vectorizer {name}"] = partial(kind().fit, documents, y=np.arange(n_texts) % 2)
    found["automatic search"] = partial(_automatic, documents, np.arange(n_texts) % 2)
    return {name: partial(endlessly, fit) for name, fit in found.items()}


def text_vectorizers() -> dict[str, type]:
    """Return the public vectorizers of texts that need no arguments."""
    made = {
        name: kind for name, kind in estimator_classes().items() if kind.__module__.startswith("lindy.text.")
    }
    return {
        name: kind for name, kind in made.items() if name.endswith("Vectorizer") and name not in ARGUMENTS
    }


def _automatic(documents: list[str], labels: Any) -> None:
    from lindy import TextClassifier

    TextClassifier().fit(documents, labels)
