"""The counting kernels: passes, threads and instruction sets do not matter; wrong arrays are refused."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from instruction_sets import LEVELS, printed_at
from lindy import _native, counting
from lindy.base import Examples
from lindy.bayes import MultinomialNaiveBayes
from lindy.csr import as_csr
from strategies import Labelled, counts, sparse_with_zeros

SCRIPT = """
import hashlib, numpy as np, scipy.sparse
from lindy.bayes import MultinomialNaiveBayes
rng = np.random.default_rng(0)
X = scipy.sparse.random(700, 300, 0.05, "csr", random_state=rng)
X.data = np.ceil(X.data * 5)
model = MultinomialNaiveBayes(alpha=0.3, n_jobs=THREADS).fit(X, rng.integers(0, 11, 700))
print(hashlib.sha256(model.joint_log_proba(X).tobytes() + model.W_.tobytes()).hexdigest())
"""


def test_same_bits_for_every_thread_count_and_instruction_set() -> None:
    runs = [("baseline", 1), (LEVELS[-1], 2), (LEVELS[-1], 3)]
    assert len({printed_at(isa, SCRIPT.replace("THREADS", str(threads))) for isa, threads in runs}) == 1


@given(counts(max_rows=20), st.integers(1, 30), st.booleans())
def test_counts_do_not_depend_on_the_passes(data: Labelled, stored: int, weighted: bool) -> None:
    X, y = data
    K = int(y.max()) + 1
    weight = np.arange(1.0, len(y) + 1) if weighted else None
    examples = Examples(as_csr(sparse_with_zeros(X)), y.astype(np.int32), weight)
    expected = np.zeros((X.shape[1], K))
    np.add.at(expected.T, y, X if weight is None else X * weight[:, None])
    before = counting.STORED_PER_PASS
    try:
        counting.STORED_PER_PASS = stored
        found = counting.class_counts(examples, K)
    finally:
        counting.STORED_PER_PASS = before
    np.testing.assert_array_equal(found.to_dense(), expected)
    assert (found.values != 0).all()


@given(counts(max_rows=20), st.booleans())
def test_a_dense_table_and_sorted_entries_give_the_same_bits(data: Labelled, weighted: bool) -> None:
    X, y = data
    K = int(y.max()) + 1
    weight = np.linspace(0.1, 1.7, len(y)) if weighted else None
    csr = as_csr(sparse_with_zeros(X))
    dense, entries = (
        _native.class_counts(*csr.arrays, csr.n_columns, y.astype(np.int32), weight, K, most_cells)
        for most_cells in (1 << 20, 0)
    )
    for one, other in zip(dense, entries, strict=True):
        np.testing.assert_array_equal(one, other)


@given(counts(), counts())
def test_distinct_rows_give_back_every_row(first: Labelled, second: Labelled) -> None:
    rows = np.vstack([np.pad(X, ((0, 0), (0, 8 - X.shape[1]))) for X in (first[0], second[0], first[0])])
    csr = as_csr(scipy.sparse.csr_array(rows))
    row_of, first_feature = _native.distinct_rows(*csr.arrays, 8)
    np.testing.assert_array_equal(rows[first_feature][row_of], rows)
    assert len(first_feature) == len(np.unique(rows, axis=0))


def test_many_distinct_rows() -> None:
    rows = np.arange(1, 5001, dtype=float)[:, None] * [1.0, 0.0]
    row_of, first_feature = _native.distinct_rows(*as_csr(np.vstack([rows, rows])).arrays, 2)
    np.testing.assert_array_equal(row_of, np.tile(np.arange(5000), 2))
    np.testing.assert_array_equal(first_feature, np.arange(5000))


def test_features_counted_alike_share_their_weights() -> None:
    model = MultinomialNaiveBayes().fit(np.eye(3, 1000, dtype=float) + np.eye(3, 1000, 500), [0, 1, 1])
    assert model._weights.rows.shape == (3, 2)
    assert model.W_.shape == (1000, 2)


@pytest.mark.parametrize(
    "change",
    [
        {"y": np.array([0, 9], np.int32)},
        {"y": np.array([0, -1], np.int32)},
        {"y": np.array([0], np.int32)},
        {"weight": np.ones(3)},
        {"indptr": np.array([0, 1, 9])},
        {"indices": np.zeros(1, np.int32)},
    ],
    ids=str,
)
def test_wrong_arrays_are_refused(change: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {
        "indptr": np.array([0, 1, 2]),
        "indices": np.zeros(2, np.int32),
        "values": np.ones(2),
        "n_columns": 1,
        "y": np.array([0, 1], np.int32),
        "weight": None,
        "n_classes": 2,
    }
    _native.class_counts(**arguments)
    with pytest.raises(ValueError, match="must"):
        _native.class_counts(**(arguments | change))
