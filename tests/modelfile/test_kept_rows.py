"""Rows that are kept with a model: what comes back, and what damaged or forged ones do."""

from __future__ import annotations

import zlib
from pathlib import Path
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


def test_columns_come_back_whatever_their_chunks() -> None:
    import pyarrow as pa

    first, second = pa.array(["", "two words", "drei Wörter hier"]), pa.array(["left out", "last"]).slice(1)
    for column in (first, pa.chunked_array([first, second]), pa.chunked_array([second, first])):
        kept = Kept.of(column, np.zeros(len(column), int), np.zeros(len(column)), "auto")
        again = Kept.from_state(*kept.to_state(), 1)
        assert again.examples() == again.texts() == column.to_pylist()
        assert len(again) == len(column)
        assert again.weight is not None
        assert not again.weight.any(), "a weight of 0 is one"


def test_a_row_is_kept_as_it_is_written() -> None:
    kept = Kept.of([{"text": "жизнь"}], np.zeros(1, int), None, "auto")
    assert kept.texts() == ['{"text": "жизнь"}']
    with pytest.raises(UpdateError, match="a row cannot be kept with a model") as error:
        Kept.of([{"text": b"bytes"}], np.zeros(1, int), None, "auto")
    assert "keep_rows" in str(error.value.hint)


def test_rows_of_a_matrix_cannot_be_kept() -> None:
    import scipy.sparse as sp

    with pytest.raises(UpdateError, match="only texts can be kept"):
        Kept.of(sp.coo_array(np.eye(2)), np.array([0, 1]), None, "auto")


@pytest.mark.parametrize(("total", "fine"), [(1 << 40, True), ((1 << 40) + 1, False)])
def test_the_lengths_of_kept_rows_have_a_limit(total: int, fine: bool) -> None:
    stored, arrays = Kept.of(["one"], np.zeros(1, int), None, "auto").to_state()
    arrays["lengths"] = np.array([total], np.uint64)
    if fine:
        assert len(Kept.from_state(stored, arrays, 1)) == 1
    else:
        with pytest.raises(ValueError, match="must have a length and a class each"):
            Kept.from_state(stored, arrays, 1)


def test_bytes_that_are_no_text_are_refused_when_they_are_read() -> None:
    stored, arrays = Kept.of(["ab"], np.zeros(1, int), None, "auto").to_state()
    arrays["texts"] = np.frombuffer(zlib.compress(b"\xff\xfe"), np.uint8)
    with pytest.raises(ModelFileError, match="are no texts"):
        Kept.from_state(stored, arrays, 1).texts()


@pytest.mark.limits_memory
def test_empty_texts_that_are_a_bomb_cost_nothing() -> None:
    import tracemalloc

    bomb = Kept.of(["x" * 50_000_000], np.zeros(1, int), None, "auto")
    stored, arrays = bomb.to_state()
    forged = Kept.from_state(stored, arrays | {"lengths": np.zeros(1, np.uint8)}, 1)
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match="not as long as it says"):
            forged.texts()
        assert tracemalloc.get_traced_memory()[1] < 1_000_000
    finally:
        tracemalloc.stop()


def test_a_loaded_model_keeps_its_rows(tmp_path: Path) -> None:
    texts = ["a fine book", "a dull book"] * 3
    model = TextClassifier(learner="naive-bayes", keep_rows=True).fit(texts, ["good", "bad"] * 3)
    model.save(tmp_path / "model.lindy")
    again = TextClassifier.load(tmp_path / "model.lindy")
    assert again.keep_rows is True
    assert again.kept_ is not None
    assert again.kept_.examples() == texts
