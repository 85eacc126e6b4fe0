"""The registry of optimisers: what can be combined, and what a refusal says."""

from __future__ import annotations

import pytest
from tests.linear.smooth_problems import random_problem

from lindy.linear.losses import LOSSES, get_loss
from lindy.linear.optimizers import SOLVERS, choose, few_columns, penalty_name


def test_auto_prefers_the_dual_for_l2_and_proximal_newton_for_l1() -> None:
    for loss, definition in LOSSES.items():
        if "dual" in definition.capabilities:
            assert choose("auto", loss, "l2").name == "dual"
        if "curvature" in definition.capabilities:
            assert choose("auto", loss, "l1").name == "proximal-newton"
            assert choose("auto", loss, "none").name == "lbfgs"


def test_auto_prefers_newtons_method_for_few_columns() -> None:
    for loss, definition in LOSSES.items():
        if "curvature" in definition.capabilities:
            assert choose("auto", loss, "l2", few=True).name == "newton"
            assert choose("auto", loss, "none", few=True).name == "newton"
            assert choose("auto", loss, "l1", few=True).name == "proximal-newton"
        elif "dual" in definition.capabilities:
            assert choose("auto", loss, "l2", few=True).name == "augmented-lagrangian"


@pytest.mark.parametrize(
    ("rows", "columns", "density", "few"),
    [
        (20_000, 300, 0.04, True),  # a table
        (2000, 64, 1.0, True),  # pixels
        (20, 25, 1.0, True),  # so small that nothing matters
        (2000, 20_000, 0.005, False),  # texts
        (200, 2000, 1.0, False),  # more columns than rows
    ],
)
def test_what_few_columns_are(rows: int, columns: int, density: float, few: bool) -> None:
    assert few_columns(random_problem("log", 2, rows=rows, columns=columns, density=density)) == few


@pytest.mark.parametrize("penalty", ["l2", "l1", "elasticnet", "none"])
@pytest.mark.parametrize("loss", [loss for loss in LOSSES if loss != "perceptron"])
def test_auto_always_proves_what_it_found(loss: str, penalty: str) -> None:
    if loss in ("hinge", "multiclass_hinge") and penalty == "elasticnet":
        with pytest.raises(ValueError, match=r"no solver proves the optimum.*squared_hinge.*'sgd'"):
            choose("auto", loss, penalty)
        return
    chosen = choose("auto", loss, penalty)
    assert chosen.certifies
    if loss in ("hinge", "multiclass_hinge") and penalty != "l2":
        assert chosen.name == "linear-program"


def test_every_loss_and_penalty_that_a_solver_accepts_is_within_what_it_declares() -> None:
    for solver in SOLVERS.values():
        for loss in LOSSES:
            for penalty in ("l2", "l1", "elasticnet", "none"):
                if solver.needs <= get_loss(loss).capabilities and penalty in solver.penalties:
                    assert choose(solver.name, loss, penalty) is solver
                else:
                    with pytest.raises(ValueError, match=solver.name):
                        choose(solver.name, loss, penalty)


def test_a_refusal_names_what_is_missing_and_what_would_work() -> None:
    with pytest.raises(ValueError, match=r"needs the gradient of the loss.*'hinge'.*'dual'"):
        choose("lbfgs", "hinge", "l2")
    with pytest.raises(ValueError, match=r"handles the penalties \['l2'\], not penalty='l1'"):
        choose("dual", "log", "l1")
    with pytest.raises(ValueError, match="solver must be 'auto' or one of"):
        choose("adam", "log", "l2")
    with pytest.raises(ValueError, match="loss must be one of"):
        choose("auto", "huber", "l2")


@pytest.mark.parametrize(
    ("l2", "l1", "name"), [(1, 0, "l2"), (0, 1, "l1"), (1, 1, "elasticnet"), (0, 0, "none")]
)
def test_penalty_name(l2: float, l1: float, name: str) -> None:
    assert penalty_name(l2, l1) == name
