"""Excel workbooks."""

from __future__ import annotations

import datetime
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import openpyxl
from openpyxl.chart import BarChart
from openpyxl.comments import Comment
from openpyxl.worksheet.formula import ArrayFormula
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


def _comment(made: Any) -> None:
    made.active["A2"].comment = Comment("fine", "me")


def _chart_alone(made: Any) -> None:
    made.create_chartsheet("Chart").add_chart(BarChart())
    made.remove(made["Sheet"])


def _array_formula(made: Any) -> None:
    made.active["B2"] = ArrayFormula("B2", "=1+1")


def edited(data: bytes, part: str, *changes: tuple[str, str]) -> bytes:
    """Return a workbook with other text in one of its files."""
    sink = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(sink, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            for before, after in changes if part in name else ():
                assert re.search(before, text.decode())
                text = re.sub(before, after, text.decode()).encode()
            new.writestr(name, text)
    return sink.getvalue()


def broken(data: bytes, part: str) -> bytes:
    """Return a workbook in which the sum of a file is wrong."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        wrong = archive.getinfo(part).CRC.to_bytes(4, "little")
    assert data.count(wrong) == 2
    return data.replace(wrong, b"\1\2\3\4")


SHEET = "worksheets/sheet1.xml"
PLAIN = book(HEADER, ["a", "b"])
FORMULA = book(HEADER, ["a", "=1+1"], ["c", None])
RESULT = ("<v></v>|<v ?/>", "<v>2</v>")

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
    (
        "formulas whose results are stored, and an empty cell",
        edited(FORMULA, SHEET, RESULT),
        Wrong(3, "the label is empty", "Give it a label"),
    ),
    (
        "a formula whose result is stored",
        edited(book(HEADER, ["=1+1", "b"]), SHEET, RESULT),
        [("2", "b")],
    ),
    (
        "a formula of several cells without a result",
        book(HEADER, ["a", "b"], edit=_array_formula),
        Wrong(2, "the cell B2 has a formula whose result is not stored", "save it"),
    ),
    (
        "numbers with a point or an exponent",
        edited(
            book([8, 9], [1, 2], [3, 4], [5, 6]),
            SHEET,
            *(
                (f"<v>{before}</v>", f"<v>{after}</v>")
                for before, after in (
                    (1, "3.0"),
                    (2, "1.5E+1"),
                    (3, "1E+15"),
                    (4, "-2.50"),
                    (5, "1E+15"),
                    (6, "1E+20"),
                )
            ),
        ),
        [("3", "15"), ("1000000000000000", "-2.5"), ("1000000000000000", "1e+20")],
    ),
    (
        "midnight is a day",
        book(HEADER, [NOON.replace(hour=0, minute=0), NOON.replace(hour=0)]),
        [("2024-05-01", "2024-05-01 00:30:00")],
    ),
    (
        "rows of several lengths without a dimension",
        edited(book(HEADER, ["a", "b", "c"], ["d", "e"], ["f", "g"]), SHEET, ("<dimension[^>]*>", "")),
        [("a", "b"), ("d", "e"), ("f", "g")],
    ),
    (
        "a row that ends early without a dimension",
        edited(book(HEADER, ["a", "b"], ["c"]), SHEET, ("<dimension[^>]*>", "")),
        Wrong(3, "the label is empty", "Give it a label"),
    ),
    (
        "a damaged comment does not matter",
        edited(book(HEADER, ["a", "b"], edit=_comment), "comment1.xml", ("<comment ", "<<")),
        [("a", "b")],
    ),
    (
        "a damaged comment and a formula",
        edited(
            edited(book(HEADER, ["=1+1", "b"], edit=_comment), SHEET, RESULT),
            "comment1.xml",
            ("<comment ", "<<"),
        ),
        [("2", "b")],
    ),
    (
        "a damaged sheet",
        edited(PLAIN, SHEET, ("</sheetData>", "<<")),
        Wrong(None, "the sheet 'Sheet' cannot be read", "save it as .xlsx"),
    ),
    (
        "a sheet with a wrong sum",
        broken(PLAIN, "xl/worksheets/sheet1.xml"),
        Wrong(None, "not an Excel workbook, or damaged: Bad CRC-32", "save it as .xlsx"),
    ),
    (
        "another sheet with a wrong sum",
        broken(
            book(HEADER, ["a", "b"], edit=lambda b: b.create_sheet().append(["x"])),
            "xl/worksheets/sheet2.xml",
        ),
        Wrong(None, "not an Excel workbook, or damaged: Bad CRC-32", "save it as .xlsx"),
    ),
    (
        "only a chart",
        book(HEADER, ["a", "b"], edit=_chart_alone),
        Wrong(None, "there is no sheet with cells", "a table"),
    ),
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
    (
        "a name twice",
        book(["text", "text"], ["a", "b"]),
        [("a", "b")],
    ),
    (
        "nothing but blanks",
        book([None, None], ["", ""]),
        Wrong(None, "the sheet 'Sheet' is empty", "names of the columns"),
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
