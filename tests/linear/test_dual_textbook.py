"""The native passes of dual coordinate ascent against the textbook's, row by row."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy import _native
from lindy.csr import as_csr
from lindy.textbook import dual as textbook
from strategies import measurements


def native_passes(
    loss: str, X: Any, y: Any, C: float, n_classes: int, passes: int = 2, before: float | None = None
) -> tuple[list[Any], Any, Any]:
    """Run some passes from W = 0; returns the orders that were taken, the dual variables and W.

    With ``before`` the first of them is a sweep that looks ahead.
    """
    csr = as_csr(X)
    n, d = csr.shape
    K = 1 if n_classes == 2 else n_classes
    stride = 1 if K == 1 else -(-K // 4) * 4
    q = np.empty(n)
    _native.row_norms(*csr.arrays, q)
    cost = np.ones(2) if K == 1 else (1.0 - np.eye(K)).ravel()
    W, dual = np.zeros((d, stride)), np.zeros((n, stride))
    if K > 1 and loss in ("log", "multiclass_hinge"):
        dual[np.arange(n), y] = 1.0 if loss == "log" else C
    solver = _native.DualSolver.make(
        loss, *csr.arrays, y, np.full(n, C), q, cost, K, W, np.zeros(stride), dual, np.zeros(n), np.zeros(n)
    )
    orders = []
    for seed in range(passes):
        order = np.arange(n, dtype=np.int32)
        if before is not None and seed == 0:
            solver.sweep(order, seed, 0.0, before)
        else:
            solver.run(order, n, seed, 0.0, np.inf)
        orders.append(order)
    return orders, dual[:, :K], W[:, :K]


BINARY = {
    "hinge": textbook.hinge_pass,
    "squared_hinge": textbook.squared_hinge_pass,
    "log": textbook.logistic_pass,
}


@pytest.mark.parametrize("loss", BINARY)
@settings(max_examples=30, deadline=None)
@given(data=measurements(max_classes=2), C=st.sampled_from([0.01, 0.1, 1.0]))
def test_binary_steps(loss: str, data: Any, C: float) -> None:
    X, y = data[0] / 10, data[1].astype(np.int32)
    orders, dual, W = native_passes(loss, X, y, C, 2)
    s, alpha, w = 2.0 * y - 1, np.zeros(len(y)), np.zeros(X.shape[1])
    for order in orders:
        BINARY[loss](X, s, C, alpha, w, order)
    tolerance = 1e-5 * C if loss == "log" else 1e-10
    np.testing.assert_allclose(dual[:, 0], alpha, atol=tolerance, rtol=1e-6)
    np.testing.assert_allclose(W[:, 0], w, atol=10 * tolerance, rtol=1e-6)
    assert textbook.duality_gap(loss, X, s, C, alpha) >= -1e-9


@settings(max_examples=12, deadline=None)
@given(data=measurements(max_rows=8, max_classes=3), C=st.sampled_from([0.01, 0.1, 1.0]))
def test_crammer_singer_and_softmax_steps(data: Any, C: float) -> None:
    X, y = data[0] / 10, data[1].astype(np.int32)
    n, K = len(y), 3
    orders, dual, W = native_passes("multiclass_hinge", X, y, C, K)
    Z, V = np.zeros((n, K)), np.zeros((X.shape[1], K))
    Z[np.arange(n), y] = C
    for order in orders:
        textbook.crammer_singer_pass(X, y, C, Z, V, order, 1.0 - np.eye(K), at_once=2)
    nonempty = X.any(axis=1)  # a row without values may rest anywhere among its best classes
    np.testing.assert_allclose(dual[nonempty], Z[nonempty], atol=1e-6)  # rounding, divided by a small ‖x‖²
    np.testing.assert_allclose(W, V, atol=1e-9)
    orders, dual, W = native_passes("log", X, y, C, K)
    P, V = np.eye(K)[y], np.zeros((X.shape[1], K))
    for order in orders:
        textbook.softmax_pass(X, y, C, P, V, order, at_once=2)
    np.testing.assert_allclose(dual, P, atol=2e-6)
    np.testing.assert_allclose(W, V, atol=1e-5)


@settings(max_examples=12, deadline=None)
@given(data=measurements(max_rows=8, max_classes=3), C=st.sampled_from([0.01, 0.1, 1.0]))
def test_one_vs_rest_logistic_steps(data: Any, C: float) -> None:
    X, y = data[0] / 10, data[1].astype(np.int32)
    orders, dual, W = native_passes("log_ovr", X, y, C, 3)
    for k in range(3):
        s, alpha, w = np.where(y == k, 1.0, -1.0), np.zeros(len(y)), np.zeros(X.shape[1])
        for order in orders:
            textbook.logistic_pass(X, s, C, alpha, w, order, at_once=2)
        np.testing.assert_allclose(dual[:, k], alpha, atol=1e-5 * C, rtol=1e-6)
        np.testing.assert_allclose(W[:, k], w, atol=1e-4 * C, rtol=1e-6)


@settings(max_examples=12, deadline=None)
@given(
    data=measurements(max_rows=40, max_classes=3),
    C=st.sampled_from([0.01, 0.1, 1.0]),
    before=st.sampled_from([3.0, 50.0]),
)
def test_a_first_sweep_looks_ahead(data: Any, C: float, before: float) -> None:
    X, y = data[0] / 10, data[1].astype(np.int32)
    n = len(y)
    (order,), dual, W = native_passes("log", X, y, C, 3, 1, before)
    P, V = np.eye(3)[y], np.zeros((X.shape[1], 3))
    for begin, end, lead in textbook.look_ahead(n, before):
        textbook.softmax_pass(X, y, C, P, V, order[begin:end], at_once=2, lead=lead)
    np.testing.assert_allclose(dual, P, atol=2e-6)
    np.testing.assert_allclose(W, V, atol=1e-5)
    (order,), dual, W = native_passes("log", X, y % 2, C, 2, 1, before)
    s, alpha, w = 2.0 * (y % 2) - 1, np.zeros(n), np.zeros(X.shape[1])
    for begin, end, lead in textbook.look_ahead(n, before):
        textbook.logistic_pass(X, s, C, alpha, w, order[begin:end], lead=lead)
    np.testing.assert_allclose(dual[:, 0], alpha, atol=1e-4 * C, rtol=1e-4)
    np.testing.assert_allclose(W[:, 0], w, atol=1e-3 * C, rtol=1e-4)


@pytest.mark.parametrize("loss", ["log", "log_ovr", "multiclass_hinge"])
def test_two_rows_at_once_never_lower_the_dual(loss: str) -> None:
    """Rows that are all the same are the worst case: each step undoes what the other gained."""
    n, C = 6, 50.0
    X, y = np.tile([[1.0, 2.0, -1.0]], (n, 1)), np.array([0, 1, 2, 0, 0, 1], np.int32)
    values = []
    for passes in range(1, 12):
        _, dual, W = native_passes(loss, X, y, C, 3, passes)
        if loss == "multiclass_hinge":
            gained = float(dual.sum() - dual[np.arange(n), y].sum())  # every wrong class costs 1
        else:
            p = dual if loss == "log" else np.stack([dual / C, 1 - dual / C])
            gained = -C * float((p * np.log(np.maximum(p, 1e-300))).sum())
        values.append(gained - 0.5 * float(np.square(W).sum()))
    assert (np.diff(values) >= -1e-6 * abs(values[-1])).all()


def test_the_gap_closes() -> None:
    rng = np.random.default_rng(0)
    X, s = rng.normal(size=(40, 60)) / 8, rng.choice([-1.0, 1.0], 40)
    for loss, step in BINARY.items():
        alpha, w = np.full(40, 0.5 if loss == "log" else 0.0), np.zeros(60)
        w += X.T @ (s * alpha)
        for _ in range(100):
            step(X, s, 1.0, alpha, w, np.arange(40))
        assert 0 <= textbook.duality_gap(loss, X, s, 1.0, alpha) + 1e-9 < 1e-6
