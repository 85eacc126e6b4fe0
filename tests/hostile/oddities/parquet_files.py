"""Parquet files."""

from __future__ import annotations

import gzip
import io
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from tests.hostile.oddities import PLAIN, Cases, Wrong


def parquet(**columns: Any) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


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
    ("lists", parquet(text=[["a"]], label=["b"]), Wrong(None, "'text' is of type list", "--text")),
    (
        "bytes",
        parquet(text=pa.array([b"\xff"]), label=["b"]),
        Wrong(None, "'text' is of type binary", "--text"),
    ),
    (
        "no row",
        parquet(text=pa.array([], pa.string()), label=pa.array([], pa.string())),
        Wrong(None, "there is no row", "at least"),
    ),
    ("no column", parquet(), Wrong(None, "there is no row", "at least one row")),
    ("empty file", b"", Wrong(None, "the file is empty", "Parquet")),
    ("CSV instead", PLAIN, Wrong(None, "not a Parquet file, or damaged", "--format")),
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
]
