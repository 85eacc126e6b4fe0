"""What characters get of what features add: the core against the textbook."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import _native
from lindy.textbook.attribution import spread_credit


@given(data=st.data(), n_characters=st.integers(1, 12), n_units=st.integers(1, 8))
def test_the_core_spreads_as_the_textbook_does(data: st.DataObject, n_characters: int, n_units: int) -> None:
    ends = st.lists(st.integers(0, n_characters), min_size=2, max_size=2).map(sorted)
    spans = np.array(data.draw(st.lists(ends, min_size=n_units, max_size=n_units)), np.int64)
    units = st.integers(0, n_units - 1)
    covered = data.draw(st.lists(st.tuples(units, units, st.floats(-1e3, 1e3)), max_size=20))
    first = np.array([min(a, b) for a, b, _ in covered], np.int64)
    last = np.array([max(a, b) + 1 for a, b, _ in covered], np.int64)
    part = np.array([p for _, _, p in covered], np.float64)
    found = _native.spread_credit(part, first, last, spans, n_characters)
    np.testing.assert_array_equal(found, spread_credit(part, first, last, spans, n_characters))
    np.testing.assert_allclose(found.sum(), part.sum(), rtol=0, atol=1e-9 * (1 + np.abs(part).sum()))


@pytest.mark.parametrize(
    ("first", "last", "spans", "said"),
    [
        (0, 3, [[0, 1], [1, 2]], "cover units that there are"),
        (1, 1, [[0, 1], [1, 2]], "cover units that there are"),
        (-1, 1, [[0, 1], [1, 2]], "cover units that there are"),
        (0, 1, [[0, 5]], "lie in the text"),
        (0, 1, [[2, 1]], "lie in the text"),
    ],
)
def test_places_outside_of_the_text_are_refused(
    first: int, last: int, spans: list[list[int]], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        _native.spread_credit(np.ones(1), np.array([first]), np.array([last]), np.array(spans), 4)
