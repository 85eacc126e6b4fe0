"""The columns of a text: in ascending order and counted, whichever way is shorter, at every level."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.instruction_sets import printed_at_every_level

from lindy import _native

SCRIPT = """
import hashlib, numpy as np
from lindy import _native
rng = np.random.default_rng(0)
columns = (450_000 * rng.random(3000) ** 3).astype(np.uint32)
found = _native.counted_columns(columns, rng.integers(1, 9, 3000).astype(np.uint32), 450_000)
print([hashlib.sha256(array.tobytes()).hexdigest() for array in found])
"""


def check(columns: np.ndarray, times: np.ndarray, n_columns: int) -> None:
    expected, inverse = np.unique(columns, return_inverse=True)
    found, counts = _native.counted_columns(columns.astype(np.uint32), times.astype(np.uint32), n_columns)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(counts, np.bincount(inverse, times, len(expected)))


@given(st.lists(st.tuples(st.integers(0, 4999), st.integers(1, 5)), max_size=300), st.integers(5000, 9000))
def test_it_is_numpys(entries: list[tuple[int, int]], n_columns: int) -> None:
    columns, times = np.array(entries, np.int64).reshape(-1, 2).T
    check(columns, times, n_columns)


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 500, 5000])
@pytest.mark.parametrize("n_columns", [1, 63, 64, 65, 4095, 4096, 4097, 450_000, 2**31 - 2])
def test_every_number_of_columns(n: int, n_columns: int) -> None:
    rng = np.random.default_rng(n)
    last = n_columns - 1
    check(rng.integers(0, n_columns, n), rng.integers(1, 4, n), n_columns)
    check(np.full(n, last), np.ones(n, np.int64), n_columns)
    check(np.maximum(last - np.arange(n), 0), np.ones(n, np.int64), n_columns)  # words full of columns


def test_the_same_at_every_level() -> None:
    assert len(printed_at_every_level(SCRIPT)) == 1


def test_wrong_columns_are_refused() -> None:
    one = np.ones(1, np.uint32)
    with pytest.raises(ValueError, match="not below n_columns"):
        _native.counted_columns(one, one, 1)
    with pytest.raises(ValueError, match="one number of times"):
        _native.counted_columns(one, np.ones(2, np.uint32), 2)
