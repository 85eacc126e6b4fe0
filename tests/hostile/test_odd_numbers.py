"""Finite numbers, however odd, give a finite model or a named error, with every estimator and every solver."""

from __future__ import annotations

import inspect
import zlib
from typing import Any

import numpy as np
import pytest
from tests.hostile.estimators import Subject
from tests.hostile.odd_numbers import COUNTS, ODDITIES, THREE, TWO, number_subjects, verdict, with_strength

import lindy
from lindy.kernels import KernelSVM, RandomFourier
from lindy.linear.optimizers import SOLVERS

SHARE = 40  # every so manieth oddity is tried on an estimator here, all of them by ``make torture``
SMOOTH = [
    name
    for name, solver in SOLVERS.items()
    if solver.certifies and "gradient" in solver.needs and solver.handles("log", "l2") and name != "newton"
]


def test_there_are_two_hundred_oddities() -> None:
    assert len({str(oddity) for oddity in ODDITIES}) == len(ODDITIES) >= 200


@pytest.mark.parametrize("subject", number_subjects(), ids=str)
def test_finite_or_a_named_error(subject: Subject) -> None:
    weighted = "sample_weight" in inspect.signature(subject.make().fit).parameters
    found = {}
    for oddity in ODDITIES[zlib.crc32(str(subject).encode()) % SHARE :: SHARE]:
        model = with_strength(subject, oddity.strength)
        if model is not None and (weighted or oddity.weight is None):
            found[oddity.name] = verdict(model, oddity)
    assert set(found.values()) <= {"finite", "refused"}, found


@pytest.mark.parametrize("solver", SMOOTH)
def test_counts_in_the_millions_are_solved_to_the_proof(solver: str) -> None:
    """Their losses are of the size of 1e-12 and so is the curvature of the bias, which Newton's step divides by."""
    model = lindy.MaxEnt(solver=solver).fit(COUNTS * 1e6, TWO)
    assert model.certificate_ is not None
    assert model.certificate_.reached


@pytest.mark.parametrize("solver", SMOOTH)
def test_the_scale_of_the_rows_does_not_stop_a_solver(solver: str) -> None:
    """With s·X and C / s², the problem is the same one."""
    plain = lindy.MaxEnt(solver=solver, tol=1e-8).fit(COUNTS, THREE)
    large = lindy.MaxEnt(solver=solver, tol=1e-8, C=1e-24).fit(COUNTS * 1e12, THREE)
    assert large.certificate_ is not None
    assert large.certificate_.reached
    np.testing.assert_allclose(large.coef_ * 1e12, plain.coef_, atol=1e-3)


REFUSED: dict[str, tuple[Any, str]] = {
    "C of 5e-324": (
        lambda: lindy.MaxEnt(C=5e-324).fit(COUNTS, TWO),
        "C=5e-324 is too small.*choose a larger C",
    ),
    "C of 1.7e308": (lambda: KernelSVM(C=1.7e308).fit(COUNTS, TWO, np.full(40, 9.0)), "choose a smaller C"),
    "waves of 1e40": (
        lambda: RandomFourier().fit(COUNTS).transform(COUNTS * 1e40),
        "the features of row .* are too large to be numbers",
    ),
    "alpha of 1.7e308": (
        lambda: lindy.ComplementNaiveBayes(alpha=1.7e308).fit(COUNTS, TWO),
        "a smaller alpha",
    ),
    "scores of 1e320": (
        lambda: lindy.SVM(C=1e6).fit(COUNTS, TWO).predict(np.where(COUNTS > 0, 1.7e308, 0)),
        "the score of row .* is too large to be a number",
    ),
}


@pytest.mark.filterwarnings("ignore::lindy.errors.ConvergenceWarning")
@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_finite_says_what_to_do(name: str) -> None:
    call, says = REFUSED[name]
    with pytest.raises(ValueError, match=says):
        call()
