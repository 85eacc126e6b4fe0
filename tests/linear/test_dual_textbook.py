"""The native passes of dual coordinate ascent against the textbook's, row by row."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import measurements

from lindy import _native
from lindy.core.csr import as_csr
from lindy.linear.losses import LOSSES, get_loss
from lindy.textbook import dual as textbook

STEPS = {
    "hinge": textbook.hinge_step,
    "squared_hinge": textbook.squared_hinge_step,
    "log": textbook.logistic_step,
    "log_ovr": textbook.logistic_step,
}


JOINT_STEPS = {"log": textbook.softmax_step, "multiclass_hinge": textbook.crammer_singer_step}


def native_passes(
    loss: str,
    X: Any,
    y: Any,
    C: float,
    n_classes: int,
    passes: int = 2,
    before: float | None = None,
    scale: Any = None,
) -> tuple[list[Any], Any, Any]:
    """Run some passes from W = 0; returns the orders that were taken, the dual variables and W.

    With ``before`` the first of them looks ahead; ``scale`` are scales of the penalty, columns × classes.
    """
    csr = as_csr(X)
    n, d = csr.shape
    K = 1 if n_classes == 2 else n_classes
    stride = 1 if K == 1 else -(-K // 4) * 4
    q, c = (X**2).sum(axis=1)[:, None], np.full(n, C)
    squares = None
    if scale is not None:
        squares = np.zeros((d, stride))
        squares[:, :K] = scale**2
        q = X**2 @ squares
    W, dual = np.zeros((d, stride)), np.zeros((n, stride))
    dual[:, :K] = get_loss(loss).dual_start(y, c, K)
    solver = _native.dual_solver(
        loss, csr, y=y, c=c, q=q, cost=get_loss(loss).targets(n_classes, None), w=W,
        b=np.zeros(stride), dual=dual, gap=np.zeros(n), loss_values=np.zeros(n), scale=squares,
    )  # fmt: skip
    orders = []
    for seed in range(passes):
        order = np.arange(n, dtype=np.int32)
        if before is not None and seed == 0:
            solver.look_ahead(order, seed=seed, bias_step=0.0, before=before)
        else:
            solver.run(order, n, seed=seed, bias_step=0.0, reach=np.inf)
        orders.append(order)
    return orders, dual[:, :K], W[:, :K]


@pytest.mark.parametrize("loss", [loss for loss in STEPS if loss != "log_ovr"])
@settings(max_examples=30, deadline=None)
@given(data=measurements(max_classes=2), C=st.sampled_from([0.01, 0.1, 1.0]))
def test_steps_of_one_output(loss: str, data: Any, C: float) -> None:
    X, y = data[0] / 10, data[1].astype(np.int32)
    orders, dual, W = native_passes(loss, X, y, C, 2)
    s, alpha, w = 2.0 * y - 1, np.zeros(len(y)), np.zeros(X.shape[1])
    for order in orders:
        textbook.margin_pass(STEPS[loss], X, s, C, alpha, w, order)
    tolerance = 1e-5 * C if loss == "log" else 1e-10
    np.testing.assert_allclose(dual[:, 0], alpha, atol=tolerance, rtol=1e-6)
    np.testing.assert_allclose(W[:, 0], w, atol=10 * tolerance, rtol=1e-6)
    assert textbook.duality_gap(loss, X, s, C, alpha) >= -1e-9


@pytest.mark.parametrize("loss", [loss for loss in STEPS if loss != "log"])
@settings(max_examples=12, deadline=None)
@given(data=measurements(max_rows=8, max_classes=3), C=st.sampled_from([0.01, 0.1, 1.0]))
def test_steps_of_one_output_per_class(loss: str, data: Any, C: float) -> None:
    X, y = data[0] / 10, data[1].astype(np.int32)
    orders, dual, W = native_passes(loss, X, y, C, 3)
    tolerance = 1e-5 * C if loss == "log_ovr" else 1e-10
    for k in range(3):
        s, alpha, w = np.where(y == k, 1.0, -1.0), np.zeros(len(y)), np.zeros(X.shape[1])
        for order in orders:
            textbook.margin_pass(STEPS[loss], X, s, C, alpha, w, order)
        np.testing.assert_allclose(dual[:, k], alpha, atol=tolerance, rtol=1e-6)
        np.testing.assert_allclose(W[:, k], w, atol=10 * tolerance, rtol=1e-6)


@pytest.mark.parametrize("n_classes", [3, 7, 21])
@settings(max_examples=12, deadline=None)
@given(data=measurements(max_rows=8, max_classes=3), C=st.sampled_from([0.01, 1.0]), seed=st.integers(0, 99))
def test_steps_with_scales_of_every_class(n_classes: int, data: Any, C: float, seed: int) -> None:
    X, y = data[0] / 10, data[1].astype(np.int32)
    scale = np.random.default_rng(seed).uniform(0.0, 3.0, (X.shape[1], n_classes))
    scale[scale < 0.5] = 0.0  # a column that a class may not use
    orders, dual, W = native_passes("squared_hinge", X, y, C, n_classes, scale=scale)
    for k in range(n_classes):
        s, alpha, w = np.where(y == k, 1.0, -1.0), np.zeros(len(y)), np.zeros(X.shape[1])
        for order in orders:
            textbook.margin_pass(STEPS["squared_hinge"], X, s, C, alpha, w, order, scale[:, k])
        np.testing.assert_allclose(dual[:, k], alpha, atol=1e-10, rtol=1e-6)
        np.testing.assert_allclose(W[:, k], w, atol=1e-9, rtol=1e-6)


@pytest.mark.parametrize("n_classes", [3, 7])
@pytest.mark.parametrize("loss", JOINT_STEPS)
@settings(max_examples=12, deadline=None)
@given(data=measurements(max_rows=8, max_classes=3), C=st.sampled_from([0.01, 0.1, 1.0]))
def test_steps_of_joint_losses(loss: str, n_classes: int, data: Any, C: float) -> None:
    X, y = data[0] / 10, data[1].astype(np.int32)
    orders, dual, W = native_passes(loss, X, y, C, n_classes)
    Z, V = get_loss(loss).dual_start(y, np.full(len(y), C), n_classes), np.zeros((X.shape[1], n_classes))
    rho = (1.0 - np.eye(n_classes)[y]) * (loss == "multiclass_hinge")
    for order in orders:
        textbook.joint_pass(JOINT_STEPS[loss], X, rho, C, Z, V, order)
    nonempty = X.any(axis=1)  # a row without values may rest anywhere among its best classes
    np.testing.assert_allclose(dual[nonempty], Z[nonempty], atol=2e-6)  # rounding, divided by a small ‖x‖²
    np.testing.assert_allclose(W, V, atol=1e-9 if loss == "multiclass_hinge" else 1e-5)


def pieces(n: int, before: float) -> Iterator[tuple[int, float]]:
    """Yield each position of a first pass with the factor by which W is taken to grow after it."""
    begin = 0
    while begin < n:
        end = min(n, begin + max(begin // 8, 1))
        yield from ((k, (n + before) / (begin + before)) for k in range(begin, end))
        begin = end


@settings(max_examples=12, deadline=None)
@given(
    data=measurements(max_rows=40, max_classes=3),
    C=st.sampled_from([0.01, 0.1, 1.0]),
    before=st.sampled_from([3.0, 50.0]),
)
def test_a_first_pass_looks_ahead(data: Any, C: float, before: float) -> None:
    X, y = data[0] / 10, data[1].astype(np.int32)
    n = len(y)
    (order,), dual, W = native_passes("log", X, y, C, 3, 1, before)
    Z, V = C * np.eye(3)[y], np.zeros((X.shape[1], 3))
    for k, lead in pieces(n, before):
        i = order[k]
        new = textbook.softmax_step(Z[i], lead * (X[i] @ V), X[i] @ X[i], C)
        V -= np.outer(X[i], new - Z[i])
        Z[i] = new
    np.testing.assert_allclose(dual, Z, atol=2e-6)
    np.testing.assert_allclose(W, V, atol=1e-5)
    (order,), dual, W = native_passes("log", X, y % 2, C, 2, 1, before)
    s, alpha, w = 2.0 * (y % 2) - 1, np.zeros(n), np.zeros(X.shape[1])
    for k, lead in pieces(n, before):
        i = order[k]
        new = textbook.logistic_step(alpha[i], s[i] * lead * (X[i] @ w), X[i] @ X[i], C)
        w += (new - alpha[i]) * s[i] * X[i]
        alpha[i] = new
    np.testing.assert_allclose(dual[:, 0], alpha, atol=1e-4 * C, rtol=1e-4)
    np.testing.assert_allclose(W[:, 0], w, atol=1e-3 * C, rtol=1e-4)


def test_every_dual_has_its_steps_here() -> None:
    assert STEPS.keys() | JOINT_STEPS.keys() == {
        name for name, loss in LOSSES.items() if "dual" in loss.capabilities
    }


def test_the_gap_closes() -> None:
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(40, 60)) / 8, rng.choice([-1.0, 1.0], 40)
    for loss in [loss for loss in STEPS if loss != "log_ovr"]:
        alpha, w = np.full(40, 0.5 if loss == "log" else 0.0), np.zeros(60)
        w += X.T @ (s * alpha)
        for _ in range(100):
            textbook.margin_pass(STEPS[loss], X, s, 1.0, alpha, w, np.arange(40))
        assert 0 <= textbook.duality_gap(loss, X, s, 1.0, alpha) + 1e-9 < 1e-6
