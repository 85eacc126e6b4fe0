"""The order in which the dual solver visits rows: the textbook's, the same for rows in memory and rows in files."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lindy import _native
from lindy.core.csr import Csr
from lindy.linear.svm import SVM
from lindy.stream.workspace import Workspace
from lindy.textbook.visits import block_size, visit_order


def matrix(n: int, sizes: Any, n_columns: int = 50, seed: int = 0) -> Csr:
    """Return n rows of these sizes, in ascending columns."""
    draw = np.random.default_rng(seed)
    indptr = np.append(0, np.cumsum(np.broadcast_to(sizes, n))).astype(np.int64)
    starts = draw.integers(0, n_columns - np.diff(indptr) + 1)
    indices = np.arange(indptr[-1]) - np.repeat(indptr[:-1] - starts, np.diff(indptr))
    values = draw.random(indptr[-1]).astype(np.float32) + np.float32(0.1)
    return Csr(indptr, indices.astype(np.int32), values, n_columns, checked=True)


def visited(X: Csr, rows: Any, seed: int) -> list[int]:
    """Return the order in which a pass of the solver has visited some rows."""
    n = X.shape[0]
    order = np.array(rows, np.int32)
    solver = _native.dual_solver(
        "hinge", X, y=np.zeros(n, np.int32), c=np.ones(n), q=np.ones((n, 1)), cost=np.ones((2, 1)),
        w=np.zeros((X.n_columns, 1), np.float32), b=np.zeros(1, np.float32), dual=np.zeros((n, 1), np.float32),
        gap=np.zeros(n), loss_values=np.zeros(n),
    )  # fmt: skip
    solver.run(order, len(order), seed=seed, bias_step=0.0, reach=np.inf)
    return order.tolist()


@pytest.mark.parametrize(
    ("n", "size", "block"), [(1000, 1, 1), (65_535, 1, 1), (65_536, 1, 2), (100_001, 1, 3), (131_072, 0, 4)]
)
def test_the_order_is_that_of_the_textbook(n, size, block):
    X = matrix(n, size)
    assert block_size(n, int(X.indptr[-1])) == block
    draw = np.random.default_rng(1)
    for share in (1.0, 0.3, 0.001):
        rows = draw.permutation(np.flatnonzero(draw.random(n) < share))  # as a pass before has left them
        assert visited(X, rows, seed=n) == visit_order(rows, n, int(X.indptr[-1]), n)


def test_long_rows_are_a_block_each_and_short_ones_have_64_kilobytes():
    assert block_size(10**6, 10**6 * 16_384) == 1
    assert block_size(10**6, 10**6 * 8_000) == 2
    assert block_size(10**6, 10**6 * 1_000) == 16
    assert block_size(10**6, 10**6) == 30  # there are never fewer than 32,768 blocks
    assert block_size(10**8, 10**8 * 32) == 512


def test_rows_that_are_read_together_are_of_64_blocks():
    n = 70_000
    order = np.array(visited(matrix(n, 1), np.arange(n), seed=3)) // 2
    for first in range(0, n, 128):
        assert len(set(order[first : first + 128].tolist())) <= 64


@pytest.mark.parametrize("n", [3000, 70_000])
def test_rows_in_files_give_the_same_solution(n, tmp_path):
    sizes = np.random.default_rng(2).integers(0, 12, n)  # some have no values
    X = matrix(n, sizes, n_columns=40)
    y = (X.values[np.minimum(X.indptr[:-1], len(X.values) - 1)] > 0.6).astype(np.int64)
    expected = SVM().fit(X, y)
    with Workspace(str(tmp_path / "cache"), memory=128 << 20) as workspace, workspace.in_use():
        indices, values = workspace.growing(np.int32), workspace.growing(np.float32)
        indices.append(X.indices)
        values.append(X.values)
        kept = Csr(X.indptr, indices.finish(), values.finish(), X.n_columns, checked=True)
        found = SVM().fit(kept, y)
    np.testing.assert_array_equal(found.W_, expected.W_)
    np.testing.assert_array_equal(found.b_, expected.b_)
    assert found.n_iter_ == expected.n_iter_
