"""Parquet files."""

from __future__ import annotations

import datetime
import gzip
import io
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.hostile.oddities import PLAIN, Cases, Wrong


def parquet(**columns: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def twice() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table([["a"], ["b"]], names=["text", "text"]), sink)
    return sink.getvalue()


def damaged(column: str, **columns: Any) -> bytes:
    """Return a file in which the values of a column cannot be unpacked."""
    whole = parquet(**columns)
    metadata = pq.ParquetFile(io.BytesIO(whole)).metadata.row_group(0)
    (found,) = [
        metadata.column(k) for k in range(len(columns)) if metadata.column(k).path_in_schema == column
    ]
    start = found.dictionary_page_offset or found.data_page_offset
    return (
        whole[:start] + b"\xff" * found.total_compressed_size + whole[start + found.total_compressed_size :]
    )


NOON = datetime.datetime(2024, 5, 1, 12, 30)
MISSING_LABEL = "no label: 'label' is null or missing"

PARQUET: Cases = [
    ("plain", parquet(text=["a", ""], label=["01", "NA"]), [("a", "01"), ("", "NA")]),
    ("large strings", parquet(text=pa.array(["a"], pa.large_string()), label=["b"]), [("a", "b")]),
    ("views", parquet(text=pa.array(["a"], pa.string_view()), label=["b"]), [("a", "b")]),
    (
        "dictionary",
        parquet(text=["a", "b"], label=pa.array(["x", "y"]).dictionary_encode()),
        [("a", "x"), ("b", "y")],
    ),
    ("integers", parquet(text=["a", "b"], label=[1, -2]), [("a", "1"), ("b", "-2")]),
    ("booleans", parquet(text=["a", "b"], label=[True, False]), [("a", "true"), ("b", "false")]),
    ("UTF-8 bytes", parquet(text=pa.array([b"caf\xc3\xa9"], pa.binary()), label=["b"]), [("café", "b")]),
    ("dots in names", parquet(**{"a.b": ["x"], "c": ["y"]}), [("x", "y")]),
    (
        "null text",
        parquet(text=["a", None], label=["b", "c"]),
        Wrong(None, "row 2: no text: 'text' is null", "Give it a value"),
    ),
    (
        "empty label",
        parquet(text=["a", "a"], label=["b", ""]),
        Wrong(None, "row 2: the label is empty", "Give it a label"),
    ),
    ("a name twice", twice(), [("a", "b")]),
    (
        "a text that is not UTF-8",
        parquet(text=pa.array([b"a", b"\xff"]).view(pa.string()), label=["b", "c"]),
        Wrong(None, "the column 'text' cannot be read", "complete"),
    ),
    (
        "a damaged column",
        damaged("label", text=["a"], label=["b"]),
        Wrong(None, "the column 'label' cannot be read", "complete"),
    ),
    ("lists", parquet(text=[["a"]], label=["b"]), Wrong(None, "'text' is an array", "`text=`")),
    (
        "bytes",
        parquet(text=pa.array([b"\xff"]), label=["b"]),
        Wrong(None, "'text' is of type binary", "`text=`"),
    ),
    (
        "no row",
        parquet(text=pa.array([], pa.string()), label=pa.array([], pa.string())),
        Wrong(None, "there is no row", "at least"),
    ),
    ("no column", parquet(), Wrong(None, "there is no row", "at least one row")),
    ("empty file", b"", Wrong(None, "the file is empty", "Parquet")),
    ("CSV instead", PLAIN, Wrong(None, "not a Parquet file, or damaged", "`format=`")),
    (
        "truncated",
        parquet(text=["a"], label=["b"])[:-30],
        Wrong(None, "not a Parquet file, or damaged", "complete"),
    ),
    (
        "inside gzip",
        gzip.compress(parquet(text=["a"], label=["b"])),
        Wrong(None, "a Parquet file inside gzip", "Unpack"),
    ),
    ("fractions", parquet(text=["a", "b"], label=[1.0, 2.5]), [("a", "1"), ("b", "2.5")]),
    (
        "NaN is missing",
        parquet(text=["a", "b"], label=[1.0, float("nan")]),
        Wrong(None, f"row 2: {MISSING_LABEL}", "Give it a value"),
    ),
    (
        "null label",
        parquet(text=["a", "b"], label=["x", None]),
        Wrong(None, f"row 2: {MISSING_LABEL}", "Give it a value"),
    ),
    (
        "null in a dictionary",
        parquet(text=["a", "b"], label=pa.array(["x", None]).dictionary_encode()),
        Wrong(None, f"row 2: {MISSING_LABEL}", "Give it a value"),
    ),
    (
        "nothing but nulls",
        parquet(text=["a"], label=pa.nulls(1)),
        Wrong(None, f"row 1: {MISSING_LABEL}", "Give it a value"),
    ),
    (
        "a dictionary of integers",
        parquet(text=["a", "b"], label=pa.array([7, 7]).dictionary_encode()),
        [("a", "7"), ("b", "7")],
    ),
    ("days", parquet(text=["a"], label=[NOON.date()]), [("a", "2024-05-01")]),
    (
        "moments",
        parquet(text=["a"], label=pa.array([NOON], pa.timestamp("s"))),
        [("a", "2024-05-01 12:30:00.000")],
    ),
    ("decimals", parquet(text=["a"], label=[Decimal("1.50")]), [("a", "1.50")]),
    (
        "the largest integer",
        parquet(text=["a"], label=pa.array([2**64 - 1], pa.uint64())),
        [("a", "18446744073709551615")],
    ),
    (
        "large binary of UTF-8",
        parquet(text=pa.array([b"caf\xc3\xa9"], pa.large_binary()), label=["b"]),
        [("café", "b")],
    ),
    ("structs", parquet(text=["a"], label=[{"x": 1}]), Wrong(None, "'label' is of type struct", "`label=`")),
    (
        "maps",
        parquet(text=["a"], label=pa.array([[("k", 1)]], pa.map_(pa.string(), pa.int32()))),
        Wrong(None, "'label' is of type map", "`label=`"),
    ),
    ("NUL within a text", parquet(text=["a\0b"], label=["c"]), [("a\0b", "c")]),
    (
        "blank label",
        parquet(text=["a"], label=[" "]),
        Wrong(None, "row 1: the label is only white space", "Give it a label"),
    ),
]
