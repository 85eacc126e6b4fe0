"""Sorting a text's columns: stable, for every number of them and every width of the keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import _native


def check(keys: np.ndarray, n_keys: int) -> None:
    numbers = keys.astype(np.uint64) << np.uint64(32) | np.arange(len(keys), dtype=np.uint64)[::-1]
    found = _native.sort_by_key(numbers, n_keys)
    assert np.array_equal(found, numbers[np.argsort(keys, kind="stable")])


@given(data=st.data(), n_keys=st.integers(1, 2**32 - 1))
def test_it_is_numpys(data: st.DataObject, n_keys: int) -> None:
    keys = data.draw(st.lists(st.integers(0, n_keys - 1), max_size=200))
    check(np.array(keys, np.uint64), n_keys)


@pytest.mark.parametrize("n", [0, 1, 31, 32, 127, 128, 500, 32_768, 32_769])
@pytest.mark.parametrize("bits", [0, 1, 7, 14, 15, 18, 19, 20, 21, 22, 23, 31])
def test_every_way_of_sorting(n: int, bits: int) -> None:
    random = np.random.default_rng(bits)
    check(random.integers(0, 2**bits, n), 2**bits)
    check(np.full(n, 2**bits - 1), 2**bits)  # so many of one digit as can be counted


def test_keys_beyond_are_refused() -> None:
    with pytest.raises(ValueError, match="not below n_keys"):
        _native.sort_by_key(np.array([7 << 32], np.uint64), 7)
