"""The compiled fingerprint is the textbook's, in whatever pieces a column comes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from lindy.core.column import TextColumn
from lindy.data import fingerprint
from lindy.textbook import fingerprint as textbook

TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=70), min_size=1, max_size=6)


def digits(*columns: list[str]) -> str:
    halves = textbook.fingerprint([[text.encode() for text in column] for column in columns])
    return "".join(f"{half:016x}" for half in halves)


@given(TEXTS, TEXTS, st.integers(0, 6))
def test_it_is_the_textbook_s(texts: list[str], labels: list[str], cut: int) -> None:
    mark = fingerprint(texts, labels)
    assert mark == digits(texts, labels)
    pieces = pa.chunked_array([texts[:cut], texts[cut:]], pa.string())
    assert fingerprint(pieces, labels) == mark
    large = pa.array(["x", *texts], pa.large_string())
    _, offsets, data = large.buffers()
    column = TextColumn(
        np.frombuffer(offsets, np.int64)[: len(large) + 1], np.frombuffer(data or b"", np.uint8)
    )
    assert fingerprint(column[1:], labels) == mark


@given(TEXTS, TEXTS)
def test_other_columns_have_another(a: list[str], b: list[str]) -> None:
    assert (fingerprint(a) == fingerprint(b)) is (a == b)
    assert fingerprint(a, b) != fingerprint(a + b)


def test_several_labels_are_the_same_in_any_order_and_form() -> None:
    texts, lists = ["one", "two", "three"], [["b", "a"], [], ["c"]]
    mark = fingerprint(texts, pa.array(lists))
    assert fingerprint(texts, pa.chunked_array([[["a", "b"]], [None, ["c"]]])) == mark
    assert fingerprint(texts, [{"a", "b"}, (), ["c"]]) == mark
    assert fingerprint(texts, [["a"], ["b"], ["c"]]) != mark
