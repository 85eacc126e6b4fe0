"""Texts that lie in a file: what is taken of them is read without the map, and is what Arrow would take."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.core.column import TextColumn, text_column
from lindy.stream.mapped_arrays import new_array


def in_a_file(texts: list[str], folder: Path) -> TextColumn:
    column = text_column([text.encode() for text in texts])
    data = new_array(str(folder), len(column.data), np.uint8)
    data[:] = column.data
    return TextColumn(column.offsets, data)


@given(st.data(), st.lists(st.text(st.characters(codec="utf-8")), min_size=1))
def test_rows_of_a_file_are_those_of_memory(tmp_path_factory, data, texts):
    texts[0] += "a"  # a file without a byte cannot be mapped
    column = in_a_file(texts, tmp_path_factory.getbasetemp())
    rows = data.draw(st.lists(st.integers(0, len(texts) - 1)))
    copies = column.from_file(rows)
    assert copies is not None
    assert copies.to_pylist() == [texts[row] for row in rows] == column.take(rows).to_pylist()


def test_a_column_in_memory_is_not_read_from_a_file():
    column = text_column([b"one", b"two"])
    assert column.from_file([1]) is None
    assert column.take([1, 0]).to_pylist() == ["two", "one"]


@pytest.mark.parametrize("row", [-1, 2, 1 << 62])
def test_rows_that_are_not_there_are_refused(tmp_path, row):
    with pytest.raises(ValueError, match="rows must hold row numbers"):
        in_a_file(["one", "two"], tmp_path).from_file([row])


def test_offsets_beyond_the_file_are_refused(tmp_path):
    column = in_a_file(["one", "two"], tmp_path)
    for offsets in ([0, 3, 7], [0, -1, 6], [4, 3, 6]):
        broken = TextColumn(np.array(offsets, np.int64), column.data)
        with pytest.raises(ValueError, match="offsets must ascend within the data"):
            broken.from_file([0, 1])
