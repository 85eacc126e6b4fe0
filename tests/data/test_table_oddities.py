"""Odd tables, each with its golden outcome: the rows, or an error that names the line and says what to do."""

from __future__ import annotations

import pyarrow as pa
import pytest
from tests.hostile.oddities import Wrong
from tests.hostile.oddities.delimited import CSV, TSV
from tests.hostile.oddities.json_lines import JSONL
from tests.hostile.oddities.packed import PACKED
from tests.hostile.oddities.parquet_files import PARQUET
from tests.hostile.oddities.workbooks import XLSX

from lindy.data import read_examples, read_table
from lindy.errors import DataError

CASES = [
    (f"{kind}: {name}", f"table.{kind}", data, expected)
    for kind, cases in (("csv", CSV), ("tsv", TSV), ("jsonl", JSONL), ("parquet", PARQUET), ("xlsx", XLSX))
    for name, data, expected in cases
] + [(f"file: {name}", name, data, expected) for name, data, expected in PACKED]


def test_every_case_has_a_name_of_its_own():
    assert len({name for name, *_ in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("file", "data", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
@pytest.mark.parametrize("threads", [None, 1])
def test_outcome(tmp_path, file, data, expected, threads):
    path = tmp_path / file
    path.write_bytes(data)
    if isinstance(expected, Wrong):
        with pytest.raises(DataError) as caught:
            rows(path, threads)
        place = f"{path}, line {expected.line}"
        places = str(path) if expected.line is None else (f"{place}:", f"{place} (row ")
        assert str(caught.value).startswith(places)
        assert expected.line is not None or ", line " not in str(caught.value)
        assert expected.message in str(caught.value)
        assert expected.hint in caught.value.hint
    else:
        assert rows(path, threads) == expected


def rows(path, threads):
    table = read_table(path, threads=threads)
    if {"text", "label"} <= set(table.column_names):
        data = read_examples(path, "text", "label", threads=threads)
        assert data.texts == table.column("text")
        assert data.labels == table.column("label")
    columns = [table.column(name) for name in table.column_names]
    assert all(pa.types.is_string(c.type) or pa.types.is_large_string(c.type) for c in columns)
    assert all(len(column) == table.num_rows for column in columns)
    return list(zip(*(column.to_pylist() for column in columns), strict=True))
