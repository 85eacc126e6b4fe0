"""Rows that are kept with a model: what comes back, and what damaged or forged ones do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import TextClassifier, UpdateError
from lindy.errors import ModelFileError
from lindy.modelfile.kept import Kept


@given(texts=st.lists(st.text(max_size=20), min_size=1, max_size=20))
def test_texts_come_back(texts: list[str]) -> None:
    import pyarrow as pa

    codes = np.arange(len(texts)) % 3
    weight = np.linspace(0, 1, len(texts))
    kept = Kept.of(texts, codes, weight, "auto")
    again = Kept.from_state(*kept.to_state(), 3)
    assert again.texts() == texts
    assert again.codes.tolist() == codes.tolist()
    assert again.weight is not None
    assert again.weight.tolist() == weight.tolist()
    if all(not 0xD800 <= ord(character) < 0xE000 for text in texts for character in text):
        column = pa.chunked_array([pa.array(texts, pa.string()), pa.array(texts, pa.string()).slice(1)])
        assert Kept.of(column, np.zeros(len(column), int), None, "auto").texts() == [*texts, *texts[1:]]


def test_weights_are_kept_if_there_are_any() -> None:
    for weight in (None, np.array([0.5, 2.0])):
        stored, arrays = Kept.of(["one", "two"], np.array([0, 1]), weight, "auto").to_state()
        assert set(arrays) == {"texts", "lengths", "codes"} | ({"weight"} if weight is not None else set())
        again = Kept.from_state(stored, arrays, 2).weight
        assert (None if again is None else again.tolist()) == (None if weight is None else weight.tolist())


def test_only_texts_can_be_kept() -> None:
    for X in ([{"a": 1.0}, {"b": 2.0}], np.zeros((2, 3, 3), np.uint8)):
        with pytest.raises(UpdateError, match="only texts can be kept"):
            TextClassifier(learner="naive-bayes", keep_rows=True).fit(X, ["x", "y"])


def state() -> tuple[dict[str, Any], dict[str, Any]]:
    return Kept.of(["one", "two words", ""], np.array([0, 1, 1]), np.ones(3), "auto").to_state()


@pytest.mark.parametrize(
    "change",
    [
        {"codes": np.array([0, 1, 2], np.uint8)},
        {"codes": np.array([0, 1], np.uint8)},
        {"codes": np.array([0, 1, 1], np.int64)},
        {"lengths": np.array([3.0, 9.0, 0.0])},
        {"lengths": np.array([1 << 62] * 3, np.uint64)},
        {"texts": np.zeros(3, np.float32)},
        {"weight": np.array([1.0, np.nan, 1.0])},
        {"weight": np.array([1.0, -1.0, 1.0])},
        {"weight": np.ones(2)},
        {"more": np.ones(2)},
    ],
    ids=str,
)
def test_forged_arrays_are_refused(change: dict[str, Any]) -> None:
    stored, arrays = state()
    with pytest.raises(ValueError):  # noqa: PT011
        Kept.from_state(stored, arrays | change, 2)


@pytest.mark.parametrize(
    "stored", [None, [], {}, {"calibration": "other"}, {"calibration": "auto", "more": 1}], ids=str
)
def test_forged_settings_are_refused(stored: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        Kept.from_state(stored, state()[1], 2)


def test_texts_that_are_not_what_they_say_are_refused_when_they_are_read() -> None:
    stored, arrays = state()
    bomb = Kept.of(["x" * 10_000_000], np.zeros(1, int), None, "auto").to_state()[1]["texts"]
    for change in (
        {"texts": arrays["texts"][:-3]},
        {"texts": np.zeros(40, np.uint8)},
        {"texts": bomb},
        {"lengths": np.array([3, 8, 0], np.uint8)},
        {"lengths": np.array([3, 200, 0], np.uint8)},
    ):
        kept = Kept.from_state(stored, arrays | change, 2)
        with pytest.raises(ModelFileError, match="kept rows"):
            kept.texts()


def test_rows_of_a_table_come_back() -> None:
    import pyarrow as pa

    rows = [{"text": "a \u2028 b", "price": 1.5, "kind": None}, {"text": "", "price": None, "kind": "x"}]
    for table in (rows, pa.Table.from_pylist(rows)):
        kept = Kept.of(table, np.array([0, 1]), None, "auto")
        assert Kept.from_state(*kept.to_state(), 2).examples() == rows
    texts = Kept.of(["{}", "no row"], np.array([0, 1]), None, "auto")
    assert texts.examples() == ["{}", "no row"]
    stored, arrays = texts.to_state()
    for forged in (arrays, Kept.of(["1", "2"], np.array([0, 1]), None, "auto").to_state()[1]):
        with pytest.raises(ModelFileError, match="no rows"):
            Kept.from_state(stored | {"records": True}, forged, 2).examples()
    with pytest.raises(ValueError, match="no calibration"):
        Kept.from_state(stored | {"records": 1}, arrays, 2)
