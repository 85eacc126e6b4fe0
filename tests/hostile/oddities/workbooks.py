"""Excel workbooks."""

from __future__ import annotations

import datetime
import io
from collections.abc import Callable
from typing import Any

import openpyxl
from tests.hostile.oddities import Cases, Wrong

HEADER = ["text", "label"]
NOON = datetime.datetime(2024, 5, 1, 12, 30)


def book(*rows: list[Any], edit: Callable[[Any], None] = lambda _: None) -> bytes:
    made = openpyxl.Workbook()
    for row in rows:
        made.active.append(row)
    edit(made)
    sink = io.BytesIO()
    made.save(sink)
    return sink.getvalue()


def _error_cell(made: Any) -> None:
    made.active["A2"].value, made.active["A2"].data_type = "#DIV/0!", "e"


def _text_cell(made: Any) -> None:
    made.active["A2"].data_type = "s"


XLSX: Cases = [
    ("plain", book(HEADER, ["a", "b"]), [("a", "b")]),
    (
        "dates and times",
        book(HEADER, [NOON, NOON.date()], [NOON.time(), "b"]),
        [("2024-05-01 12:30:00", "2024-05-01"), ("12:30:00", "b")],
    ),
    (
        "a formula without a result",
        book(HEADER, ["a", "b"], ["c", "=1+1"]),
        Wrong(3, "the cell B3 has a formula whose result is not stored", "save it"),
    ),
    ("a text that begins as a formula", book(HEADER, ["=1+1", "b"], edit=_text_cell), [("=1+1", "b")]),
    (
        "merged cells: the first has the value",
        book(HEADER, ["a", "x"], [None, "y"], edit=lambda b: b.active.merge_cells("A2:A3")),
        [("a", "x"), ("", "y")],
    ),
    ("a cell with an error", book(HEADER, ["x", "b"], edit=_error_cell), [("#DIV/0!", "b")]),
    ("booleans", book(HEADER, [True, False]), [("true", "false")]),
    (
        "whole numbers have no point",
        book(HEADER, [3.0, 1e15], [0.5, -2]),
        [("3", "1000000000000000"), ("0.5", "-2")],
    ),
    ("01 as text stays 01", book(HEADER, ["'01", "01"]), [("'01", "01")]),
    ("NA is text", book(HEADER, ["NA", "null"]), [("NA", "null")]),
    ("blank rows before the header", book([], [], HEADER, ["a", "b"]), [("a", "b")]),
    ("blank rows between", book(HEADER, ["a", "b"], [None, None], ["c", "d"]), [("a", "b"), ("c", "d")]),
    ("numbers as names", book([1, 2.5], ["a", "b"]), [("a", "b")]),
    ("spaces are kept", book(HEADER, ["  a ", "b"]), [("  a ", "b")]),
    ("the longest text", book(HEADER, ["x" * 32_767, "b"]), [("x" * 32_767, "b")]),
    ("a cell beside the table", book(HEADER, ["a", "b", "c"]), [("a", "b")]),
    ("only a header", book(HEADER), Wrong(None, "a header but no row", "at least one row")),
    ("no label", book(HEADER, ["a", "b"], ["c", None]), Wrong(3, "the label is empty", "Give it a label")),
    ("a short row", book(HEADER, ["a"]), Wrong(2, "the label is empty", "Give it a label")),
    ("a name twice", book(["text", "text"], ["a", "b"]), Wrong(1, "the column 'text' twice", "its own name")),
    (
        "nothing but blanks",
        book([None, None], ["", ""]),
        Wrong(None, "the sheet is empty", "names of the columns"),
    ),
    ("an empty file", b"", Wrong(None, "the file is empty", "Excel workbook")),
    (
        "a zip file",
        b"PK\5\6" + b"\0" * 18,
        Wrong(None, "not an Excel workbook, or damaged", "save it as .xlsx"),
    ),
    (
        "cut off",
        book(HEADER, ["a", "b"])[:-100],
        Wrong(None, "not an Excel workbook, or damaged", "save it as .xlsx"),
    ),
]
