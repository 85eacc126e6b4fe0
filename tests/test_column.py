"""A text column is its strings, with and without Arrow."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.core.column import TextColumn, as_arrow, holds_strings, string_arrays, text_column

TEXTS = st.lists(st.text(st.characters(codec="utf-8"), max_size=9), max_size=8)


def column(texts: list[str]) -> TextColumn:
    encoded = [text.encode() for text in texts]
    offsets = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return TextColumn(offsets, np.frombuffer(b"".join(encoded), np.uint8))


@given(TEXTS, st.slices(8))
def test_it_behaves_like_the_list_of_its_strings(texts: list[str], rows: slice) -> None:
    made = column(texts)
    assert len(made) == len(texts)
    assert made.to_pylist() == texts
    assert made.arrow.to_pylist() == texts
    assert made == pa.chunked_array([texts], pa.large_string())
    assert made[rows].to_pylist() == texts[rows]
    assert np.asarray(made).tolist() == texts
    made.arrow.validate(full=True)


@given(TEXTS.filter(bool), st.data())
def test_parts_are_of_the_same_memory(texts: list[str], data: st.DataObject) -> None:
    made = column(texts)
    start = data.draw(st.integers(0, len(texts) - 1))
    part = made.slice(start, 2)
    assert part.to_pylist() == texts[start : start + 2]
    assert np.shares_memory(part.offsets, made.offsets)
    assert part.data is made.data
    assert part.take([0]).to_pylist() == texts[start : start + 1]
    assert made[start].as_py() == texts[start]
    ((offsets, _),) = string_arrays(part)
    assert len(offsets) == len(part) + 1


def test_arrow_consumers_take_it() -> None:
    made = column(["a", "", "ö"])
    assert pa.chunked_array(made).to_pylist() == ["a", "", "ö"]
    assert pd.Series(made.arrow.to_pandas()).tolist() == ["a", "", "ö"]
    assert as_arrow(made) is made.arrow
    assert as_arrow([1]) == [1]
    assert holds_strings(made)
    assert not holds_strings(pa.array([1]))
    with pytest.raises(ValueError, match="copy"):
        np.array(made, copy=False)
    with pytest.raises(TypeError):
        hash(made)


def test_a_column_is_a_list_of_strings_to_others() -> None:
    column = text_column([b"one", b"two", b"drei und vier", b"x" * 100])
    assert list(column) == ["one", "two", "drei und vier", "x" * 100]
    assert repr(column) == "TextColumn of 4: ['one', 'two', 'drei und vier', …]"
    assert pd.DataFrame({"text": column})["text"].tolist() == list(column)
