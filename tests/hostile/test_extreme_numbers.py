"""Finite input gives a finite model, or an error that says what to do; never a model of NaN."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import lindy
from lindy.estimators.learners import learner_classes
from lindy.linear.optimizers import SOLVERS

RNG = np.random.default_rng(0)
COUNTS = RNG.poisson(0.5, (60, 12)).astype(float)
TWO = (COUNTS[:, 0] > 0).astype(int)
THREE = np.where(COUNTS[:, 1] > 0, 2, TWO)


def with_cell(value: float) -> Any:
    X = COUNTS.copy()
    X[3, 2] = value
    return X


def with_column(value: float) -> Any:
    X = COUNTS.copy()
    X[:, 1] = value
    return X


ODDITIES: dict[str, Any] = {
    "zeros": COUNTS * 0,
    **{f"cell of {value:g}": with_cell(value) for value in (5e-324, 1e-300, 1e20, 1e38, 1e154, 1e300)},
    **{f"column of {value:g}": with_column(value) for value in (1e-300, 1e12, 1e100)},
    **{f"counts times {value:g}": COUNTS * value for value in (1e-150, 1e-12, 1e12, 1e100, 1e150)},
}
LEARNERS: dict[str, Callable[[], Any]] = {
    **{
        name: kind
        for name, kind in learner_classes().items()
        if kind.spec.input_kind not in ("texts", "trees")
    },
    **{
        f"{kind.__name__} C={C:g} {solver}": lambda kind=kind, C=C, solver=solver: kind(
            C=C, solver=solver, max_iter=50
        )
        for kind, loss in ((lindy.MaxEnt, "log"), (lindy.SVM, "squared_hinge"))
        for C in (1e-10, 1e10)
        for solver in SOLVERS
        if SOLVERS[solver].handles(loss, "l2") and SOLVERS[solver].certifies
    },
    "NaiveBayesSVM C=1e10": lambda: lindy.NaiveBayesSVM(C=1e10),
}


def outcomes(model: Any, X: Any) -> dict[str, Any]:
    names = ("coef_", "intercept_", "decision_function", "predict_proba")
    found = {name: getattr(model, name) for name in names if hasattr(model, name)}
    return {name: value(X) if callable(value) else value for name, value in found.items()}


@pytest.mark.parametrize("oddity", ODDITIES)
@pytest.mark.parametrize("learner", LEARNERS)
def test_finite_or_a_named_error(learner: str, oddity: str) -> None:
    for y in (TWO, THREE):
        for X in (ODDITIES[oddity], sp.csr_matrix(ODDITIES[oddity])):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # that an optimum was not reached
                try:
                    found = outcomes(LEARNERS[learner]().fit(X, y), X)
                except ValueError:
                    continue
            for name, value in found.items():
                values = value.toarray() if sp.issparse(value) else np.asarray(value)
                assert not np.isnan(values).any(), name
                assert (values < np.inf).all(), name


def test_an_overflow_that_is_foreseen_says_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"row 3 of X times its C is too large.*scale the columns"):
        lindy.SVM(C=1e10, solver="dual").fit(with_cell(1e154), TWO)


def test_a_fit_that_overflowed_is_no_model() -> None:
    from lindy.estimators.base import require_finite

    with pytest.raises(ValueError, match=r"the weights of SVM overflowed.*Scale the columns"):
        require_finite(lindy.SVM(), [0.0], [np.nan])
    require_finite(lindy.SVM(), [0.0], np.ones((2, 2)))
