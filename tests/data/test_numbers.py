"""Columns of numbers: what is read as one, what stands for none, and what is refused."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest

from lindy.data.columns.numbers import as_numbers
from lindy.errors import DataError

WRITTEN = {
    "1": 1,
    "+1.5": 1.5,
    "-.5": -0.5,
    "5.": 5,
    "1e3": 1000,
    "+2E-1": 0.2,
    " 7 ": 7,
    "007": 7,
    "": None,
    " \t": None,
    None: None,
}


def place(row: int) -> str:
    return f"given.csv, row {row + 1}"


def numbers(column: Any) -> list[float | None]:
    made = as_numbers(column, "price", place)
    assert made.type == pa.float64()
    return made.to_pylist()


@pytest.mark.parametrize(
    "kind",
    [pa.string(), pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())],
    ids=str,
)
def test_texts_that_write_numbers(kind: pa.DataType) -> None:
    column = pa.chunked_array([pa.array(list(WRITTEN), pa.string()).cast(kind)])
    assert numbers(column) == list(WRITTEN.values())


def test_columns_that_are_numbers() -> None:
    assert numbers(pa.array([1, None, -3])) == [1, None, -3]
    assert numbers(pa.array([0.5, math.nan, None])) == [0.5, None, None]
    assert numbers(pa.array([True, False])) == [1, 0]


REFUSED: dict[str, tuple[pa.Array, int, str]] = {
    "a word": (pa.array(["1", "cheap"]), 1, "'cheap'"),
    "a word in the first row": (pa.array(["cheap", "1"]), 0, "'cheap'"),
    "a word in the second row": (pa.array([None, "cheap", "dear"]), 1, "'cheap'"),
    "not a number": (pa.array(["nan"]), 0, "'nan'"),
    "infinity": (pa.array(["1", "inf"]), 1, "'inf'"),
    "a comma": (pa.array(["1,5"]), 0, "'1,5'"),
    "hexadecimal": (pa.array(["0x10"]), 0, "'0x10'"),
    "too large": (pa.array(["1", "2", "1e999"]), 2, "'1e999'"),
    "an infinite number": (pa.array([1.0, -math.inf]), 1, "-inf"),
    "40 letters": (pa.array(["x" * 40]), 0, f"'{'x' * 40}'"),
    "41 letters": (pa.array(["x" * 41]), 0, f"'{'x' * 39}…'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_finite_number(case: str) -> None:
    column, row, shown = REFUSED[case]
    with pytest.raises(DataError) as caught:
        as_numbers(column, "price", place)
    assert str(caught.value) == f"{place(row)}: 'price' is {shown}, expected a number"
    assert "declare it as a category" in str(caught.value.hint)


def test_a_column_of_another_kind() -> None:
    with pytest.raises(DataError, match=r"row 1: 'price' is list<.*, expected numbers") as caught:
        as_numbers(pa.array([[1], [2]]), "price", place)
    assert "convert it first" in str(caught.value.hint)
