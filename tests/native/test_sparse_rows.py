"""Rows of sparse matrices, moved and put side by side, are those of SciPy."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy import _native
from lindy.core.csr import Csr, as_csr, side_by_side


def matrix(n: int, d: int, seed: int, dtype: Any = np.float32) -> Any:
    return scipy.sparse.random(n, d, 0.4, "csr", rng=np.random.default_rng(seed), dtype=dtype)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 20), d=st.integers(1, 9), seed=st.integers(0, 999), data=st.data())
def test_rows_that_are_taken(n: int, d: int, seed: int, data: Any) -> None:
    X = matrix(n, d, seed)
    rows = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=1)), np.int64)
    taken = as_csr(X).take(rows)
    np.testing.assert_array_equal(taken.to_scipy().toarray(), X.toarray()[rows])


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 20), widths=st.lists(st.integers(1, 9), min_size=1, max_size=4), seed=st.integers(0, 999)
)
def test_parts_side_by_side(n: int, widths: list[int], seed: int) -> None:
    dtypes = [np.float64 if k % 3 == 2 else np.float32 for k in range(len(widths))]
    parts = [matrix(n, d, seed + k, dtype) for k, (d, dtype) in enumerate(zip(widths, dtypes, strict=True))]
    found = side_by_side([as_csr(part) for part in parts])
    np.testing.assert_array_equal(found.to_scipy().toarray(), np.hstack([p.toarray() for p in parts]))


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 12), d=st.integers(1, 9), seed=st.integers(0, 999), full=st.booleans())
def test_columns_of_all_rows(n: int, d: int, seed: int, full: bool) -> None:
    X = matrix(n, d, seed).tolil()
    if full:
        X[:, d // 2] = 1.0
    stored = as_csr(X.tocsr())
    found = _native.columns_of_all_rows(stored)
    assert np.asarray(found).tolist() == np.flatnonzero((X.toarray() != 0).all(axis=0)).tolist()


def test_rows_that_are_not_there_or_have_no_room() -> None:
    csr: Csr = as_csr(matrix(3, 4, 0))
    indices, values = np.empty(1, np.int32), np.empty(1, np.float32)
    for rows, starts in (([3], [0]), ([-1], [0]), ([0, 1, 2], [0, 0, 2]), ([0], [-1])):
        with pytest.raises(ValueError, match="rows"):
            _native.move_rows(csr, np.array(rows), np.array(starts), 0, indices[:0], values[:0], threads=1)


@settings(max_examples=40, deadline=None)
@given(n=st.integers(1, 12), d=st.integers(1, 9), seed=st.integers(0, 999), n_columns=st.integers(0, 9))
def test_column_sums(n: int, d: int, seed: int, n_columns: int) -> None:
    X = matrix(n, d, seed)
    stored = as_csr(X)
    columns = np.sort(np.random.default_rng(seed).permutation(d)[:n_columns]).astype(np.int32)
    sums = np.full((2, len(columns)), np.nan)
    _native.column_sums(stored, columns, sums)
    dense = X.toarray()[:, columns].astype(np.float64)
    np.testing.assert_allclose(sums, [dense.sum(axis=0), (dense * dense).sum(axis=0)], rtol=1e-12)
    with pytest.raises(ValueError, match="ascend"):
        _native.column_sums(stored, np.array([1, 1], np.int32), np.empty((2, 2)))


@pytest.mark.parametrize(
    "wrong",
    [
        None,
        "text",
        np.ones((2, 2)),
        matrix(2, 3, 0),
        Csr(np.array([0, 1], np.int32), np.zeros(1, np.int32), np.ones(1), 1),  # type: ignore[arg-type]
        Csr(np.array([0, 1]), np.zeros(1, np.int64), np.ones(1), 1),  # type: ignore[arg-type]
        Csr(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1, np.int64), 1),
        Csr(np.array([0, 1]), np.zeros(1, np.int32), np.ones((1, 1)), 1),
        Csr(np.array([0, 2]), np.zeros(2, np.int32), np.ones(4)[::2], 1),
        Csr(np.array([0, 1]), np.zeros(1, np.int32), [1.0], 1),  # type: ignore[arg-type]
        Csr(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1), 1.5),  # type: ignore[arg-type]
        Csr(np.array([0, 1]), np.zeros(1, np.int32), np.ones(1), None),  # type: ignore[arg-type]
    ],
    ids=repr,
)
def test_what_is_not_rows_is_refused_and_never_converted(wrong: Any) -> None:
    with pytest.raises(TypeError):
        _native.row_norms(wrong, np.empty(1))


@pytest.mark.parametrize(
    "change",
    [
        {"indptr": np.empty(0, np.int64)},
        {"indptr": np.array([1, 2])},
        {"indptr": np.array([0, 3])},
        {"indices": np.zeros(1, np.int32)},
        {"values": np.ones(3)},
    ],
    ids=str,
)
def test_arrays_that_do_not_fit_together_are_refused(change: dict[str, Any]) -> None:
    X = Csr(np.array([0, 2]), np.array([0, 1], np.int32), np.array([3.0, 4.0]), 2)
    out = np.empty(1)
    _native.row_norms(X, out)
    assert out == [25.0]
    with pytest.raises(ValueError, match="must"):
        _native.row_norms(replace(X, **change), out)


def test_weights_of_another_number_of_columns_are_refused() -> None:
    X = as_csr(matrix(3, 4, 0))
    for weights in (np.ones((3, 1)), np.ones((5, 1))):
        with pytest.raises(ValueError, match="one row per column"):
            _native.scores(X, weights, np.zeros(1), np.empty((3, 1)), 1)


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 20),
    d=st.integers(1, 9),
    k=st.integers(1, 5),
    seed=st.integers(0, 999),
    threads=st.integers(1, 3),
)
def test_gradient_and_gram_matrix(n: int, d: int, k: int, seed: int, threads: int) -> None:
    X, rng = matrix(n, d, seed, np.float64), np.random.default_rng(seed)
    rows, dense = as_csr(X), X.toarray()
    R, weight, centre = rng.normal(size=(n, k)), rng.random(n), rng.normal(size=d)
    np.testing.assert_allclose(rows.gradient(R, threads), dense.T @ R, atol=1e-12)
    apart = dense - centre
    np.testing.assert_allclose(
        rows.gram(weight, centre, threads), apart.T @ (weight[:, None] * apart), atol=1e-12
    )


def test_what_is_written_is_never_a_converted_copy() -> None:
    X = as_csr(matrix(1, 2, 0))
    kernel = _native.row_kernel(X, X, "linear", 1.0, 0.0, 1)
    for out in (np.empty(1, np.float32), np.empty(2)[::2][:1].astype(">f8"), np.broadcast_to(np.empty(1), 1)):
        for write in (lambda out: _native.row_norms(X, out), lambda out: kernel.diagonal(True, out)):
            with pytest.raises(TypeError):
                write(out)


def test_a_name_that_is_no_choice() -> None:
    X = as_csr(matrix(1, 2, 0))
    with pytest.raises(ValueError, match="must be linear, poly, rbf, cosine or intersection; got sigmoid"):
        _native.row_kernel(X, X, "sigmoid", 1.0, 0.0, 1)
