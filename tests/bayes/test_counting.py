"""The counting kernels: passes, threads and instruction sets do not matter; wrong arrays are refused."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from tests.instruction_sets import LEVELS, printed_at
from tests.strategies import Labelled, counts, sparse_with_zeros

from lindy import _native
from lindy.bayes import MultinomialNaiveBayes
from lindy.core.csr import Csr, as_csr
from lindy.core.targets import OneLabel
from lindy.estimators.base import Examples
from lindy.estimators.class_counts import class_counts

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


@given(counts(max_rows=20), st.booleans())
def test_sums_of_classes(data: Labelled, weighted: bool) -> None:
    X, y = data
    K = int(y.max()) + 1
    weight = np.arange(1.0, len(y) + 1) if weighted else None
    expected = np.zeros((X.shape[1], K))
    np.add.at(expected.T, y, X if weight is None else X * weight[:, None])
    found = class_counts(Examples(as_csr(sparse_with_zeros(X)), OneLabel.of(y), weight))
    np.testing.assert_array_equal(found.to_dense(), expected)
    assert (found.values != 0).all()


def test_more_values_than_one_pass_takes() -> None:
    rows, columns = 4500, 4096  # all of them stored: more than 2^24
    values = np.tile(np.arange(1.0, 4.0, dtype=np.float32), rows * columns // 3)
    indices = np.tile(np.arange(columns, dtype=np.int32), rows)
    X = Csr(np.arange(rows + 1, dtype=np.int64) * columns, indices, values, columns)
    y = (np.arange(rows) % 2).astype(np.int32)
    found = class_counts(Examples(X, OneLabel.of(y), None)).to_dense()
    dense = values.reshape(rows, columns)
    np.testing.assert_array_equal(
        found, np.stack([dense[y == c].sum(axis=0, dtype=float) for c in (0, 1)], axis=1)
    )


@given(counts(max_rows=20), st.booleans())
def test_counts_of_few_and_of_many_columns_are_the_same(data: Labelled, weighted: bool) -> None:
    """A table of all features and classes that fits the cache is summed in another way than a larger one."""
    X, y = data
    K = int(y.max()) + 1
    weight = np.linspace(0.1, 1.7, len(y)) if weighted else None
    csr = as_csr(sparse_with_zeros(X))
    few, many = (
        _native.class_counts(replace(csr, n_columns=n), y=y.astype(np.int32), weight=weight, n_classes=K)
        for n in (csr.n_columns, (1 << 20) + 1)
    )
    np.testing.assert_array_equal(few[0], many[0][: len(few[0])])
    for one, other in zip(few[1:], many[1:], strict=True):
        np.testing.assert_array_equal(one, other)


@given(counts(), counts())
def test_distinct_rows_give_back_every_row(first: Labelled, second: Labelled) -> None:
    rows = np.vstack([np.pad(X, ((0, 0), (0, 8 - X.shape[1]))) for X in (first[0], second[0], first[0])])
    csr = as_csr(scipy.sparse.csr_array(rows))
    row_of, first_feature = _native.distinct_rows(csr)
    np.testing.assert_array_equal(rows[first_feature][row_of], rows)
    assert len(first_feature) == len(np.unique(rows, axis=0))


def test_many_distinct_rows() -> None:
    rows = np.arange(1, 5001, dtype=float)[:, None] * [1.0, 0.0]
    row_of, first_feature = _native.distinct_rows(as_csr(np.vstack([rows, rows])))
    np.testing.assert_array_equal(row_of, np.tile(np.arange(5000), 2))
    np.testing.assert_array_equal(first_feature, np.arange(5000))


def test_features_counted_alike_have_the_same_weights() -> None:
    model = MultinomialNaiveBayes().fit(np.eye(3, 1000, dtype=float) + np.eye(3, 1000, 500), [0, 1, 1])
    assert model.W_.shape == (1000, 2)
    assert len(np.unique(model.W_, axis=0)) == 3


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
    X = Csr(np.array([0, 1, 2]), np.zeros(2, np.int32), np.ones(2), 1)
    own: dict[str, Any] = {"X": X, "y": np.array([0, 1], np.int32), "weight": None, "n_classes": 2}
    _native.class_counts(**own)
    if not change.keys() <= own.keys():
        change = {"X": replace(X, **change)}
    with pytest.raises(ValueError, match="must"):
        _native.class_counts(**(own | change))
