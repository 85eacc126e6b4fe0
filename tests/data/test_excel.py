"""Excel workbooks."""

from __future__ import annotations

import datetime
import gc
import sys
import tempfile
from pathlib import Path

import openpyxl
import pytest
from openpyxl.xml import constants
from tests.hostile.oddities.workbooks import edited

from lindy.data import convert, read_examples, read_table
from lindy.data.formats import excel
from lindy.errors import DataError, MissingPackageError, OutputError

HEADER = ["id", "text", None, "label", "day"]
ROWS = [
    [1, "A fine book.", "x", "good", datetime.date(2024, 5, 1)],
    [None, None, None, None, None],
    [2.5, "=1+1", None, True, datetime.datetime(2024, 5, 1, 12, 30)],
    [3.0, None, None, None, None],
]


@pytest.fixture
def book(tmp_path: Path) -> Path:
    made = openpyxl.Workbook()
    for row in [HEADER, *ROWS]:
        made.active.append(row)
    made.active["B4"].data_type = "s"
    other = made.create_sheet("Other")
    other.append(["text"])
    other.append(["elsewhere"])
    path = tmp_path / "tickets.xlsx"
    made.save(path)
    return path


def contents(path: Path) -> list[dict[str, str]]:
    table = read_table(path)
    columns = [table.column(name).to_pylist() for name in table.column_names]
    return [dict(zip(table.column_names, row, strict=True)) for row in zip(*columns, strict=True)]


def test_cells_are_texts_and_lines_are_rows_of_the_sheet(book: Path) -> None:
    assert contents(book) == [
        {"id": "1", "text": "A fine book.", "label": "good", "day": "2024-05-01"},
        {"id": "2.5", "text": "=1+1", "label": "true", "day": "2024-05-01 12:30:00"},
        {"id": "3", "text": "", "label": "", "day": ""},
    ]
    assert [read_table(book).line(row) for row in range(3)] == [2, 4, 5]
    assert read_table(book, sheet="Other").column("text").to_pylist() == ["elsewhere"]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    source, path = tmp_path / "a.csv", tmp_path / "a.xlsx"
    source.write_text('text,label\n"=HYPERLINK(""x"")",01\n"two\nlines, ü",\n')
    convert(source, path)
    assert contents(path) == contents(source)
    assert all(cell.data_type != "f" for row in openpyxl.load_workbook(path).active for cell in row)


def test_what_no_workbook_can_hold(tmp_path: Path) -> None:
    source, path = tmp_path / "a.csv", tmp_path / "a.xlsx"
    for text, what in (("a\x01b", "a control character"), ("x" * 32_768, "longer than 32,767")):
        source.write_text(f"text\nfine\n{text}\n")
        with pytest.raises(DataError, match=f"row 2: .*{what}"):
            convert(source, path)
        gc.collect()  # as below
    assert not path.exists()


def test_a_cell_holds_so_many_characters(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"text\n{'x' * 32_767}\n")
    convert(tmp_path / "a.csv", tmp_path / "a.xlsx")
    assert contents(tmp_path / "a.xlsx") == [{"text": "x" * 32_767}]


def test_a_sheet_holds_so_many_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert excel._MOST_ROWS == constants.MAX_ROW
    monkeypatch.setattr(excel, "_MOST_ROWS", 3)  # a million rows take a minute
    (tmp_path / "a.csv").write_text("text\n1\n2\n")
    convert(tmp_path / "a.csv", tmp_path / "a.xlsx")
    assert contents(tmp_path / "a.xlsx") == [{"text": "1"}, {"text": "2"}]
    (tmp_path / "b.csv").write_text("text\n1\n2\n3\n")
    with pytest.raises(DataError, match=r"b.xlsx: there are more than 3 rows, which no Excel sheet can hold"):
        convert(tmp_path / "b.csv", tmp_path / "b.xlsx")
    assert not (tmp_path / "b.xlsx").exists()
    gc.collect()  # a sheet that was left open would complain, which fails the test


def test_no_room_for_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.csv").write_text("text\n1\n")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
    with pytest.raises(OutputError) as caught:
        convert(tmp_path / "a.csv", tmp_path / "a.xlsx")
    assert str(caught.value) == (
        f"cannot write the temporary files of a workbook in {tmp_path / 'gone'}: No such file or directory"
    )
    assert "TMPDIR" in str(caught.value.hint)
    assert not (tmp_path / "a.xlsx").exists()


def test_errors(book: Path, tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no sheet 'Othr'") as caught:
        read_table(book, sheet="Othr")
    assert "Did you mean 'Other'? The sheets are: 'Sheet', 'Other'." in str(caught.value.hint)
    broken = tmp_path / "broken.xlsx"
    broken.write_bytes(book.read_bytes()[:500])
    with pytest.raises(DataError, match="not an Excel workbook, or damaged"):
        read_table(broken)
    (tmp_path / "old.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    with pytest.raises(DataError, match="Excel 2003 or older"):
        read_table(tmp_path / "old.xls")
    (tmp_path / "a.csv").write_text("text\na\n")
    with pytest.raises(DataError, match="only Excel workbooks have sheets"):
        read_table(tmp_path / "a.csv", sheet="x")
    made = openpyxl.Workbook()
    made.save(tmp_path / "empty.xlsx")
    with pytest.raises(DataError, match="the sheet 'Sheet' is empty"):
        read_table(tmp_path / "empty.xlsx")


def test_without_openpyxl(book: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    with pytest.raises(MissingPackageError, match="openpyxl") as caught:
        read_table(book)
    assert "lindy[excel]" in str(caught.value.hint)


@pytest.mark.parametrize("dimension", [True, False], ids=["with its dimension", "without"])
def test_cells_beside_the_table_are_remarked(tmp_path: Path, dimension: bool) -> None:
    made = openpyxl.Workbook()
    for row in (["text", "label"], ["a", "b"], ["c", "d", "lost"], ["e"]):
        made.active.append(row)
    made.save(tmp_path / "a.xlsx")
    if not dimension:
        whole = edited((tmp_path / "a.xlsx").read_bytes(), "worksheets/sheet1.xml", ("<dimension[^>]*>", ""))
        (tmp_path / "a.xlsx").write_bytes(whole)
    assert "a column without a name left out" in convert(tmp_path / "a.xlsx", tmp_path / "a.csv").remarks[0]
    assert [list(row.values()) for row in contents(tmp_path / "a.xlsx")] == [
        ["a", "b"],
        ["c", "d"],
        ["e", ""],
    ]


def saved(path: Path, *rows: list[object], cover: list[list[object]] | None = None) -> Path:
    """Save a workbook with rows on a sheet of its own behind a cover, or on the first one."""
    made = openpyxl.Workbook()
    for row in cover or ():
        made.active.append(row)
    sheet = made.create_sheet("Data") if cover else made.active
    for row in rows:
        sheet.append(row)
    made.save(path)
    return path


TABLE: list[list[object]] = [
    ["id", "text", "label", "note"],
    [1, "a fine book", "good", "x"],
    [2, "dull", "bad", None],
]


@pytest.mark.parametrize(
    ("titles", "row"),
    [
        ([["Tickets 2024"]], 2),
        ([["Tickets 2024"], ["all of them"]], 3),
        ([["Tickets 2024"], [], []], 4),
        ([["made by", "Ann"], ["Tickets"], []], 4),
        ([[None, "Tickets"]], 2),
    ],
)
def test_titles_above_the_header_are_passed_over_and_said(
    titles: list[list[object]], row: int, tmp_path: Path
) -> None:
    path = saved(tmp_path / "a.xlsx", *titles, *TABLE)
    table = read_table(path)
    assert table.column_names == ["id", "text", "label", "note"]
    assert table.column("text").to_pylist() == ["a fine book", "dull"]
    assert table.line(0) == row + 1
    assert f"the names of the columns are taken from row {row}" in table.remarks[0]
    first = next(str(cell) for cell in titles[0] if cell)
    assert repr(first) in table.remarks[0]


def test_a_name_beside_numbered_rows_is_no_title(tmp_path: Path) -> None:
    """As data frames are saved: the first column numbers the rows, and has no name."""
    path = saved(tmp_path / "a.xlsx", [None, "text"], [0, "a fine book"], [1, "dull"])
    table = read_table(path)
    assert (table.column("text").to_pylist(), table.remarks) == (["a fine book", "dull"], ())


def test_titles_are_not_said_where_the_header_row_is_given(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.xlsx", ["Tickets"], *TABLE)
    assert read_table(path, header_row=2).remarks == ()


def test_a_header_row_that_is_named(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.xlsx", ["text", "kind"], ["a", "b"], ["body", "class"], ["c", "d"])
    assert read_table(path).column_names == ["text", "kind"]
    assert read_table(path).remarks == ()
    assert read_table(path, header_row=3).column("body").to_pylist() == ["c"]
    with pytest.raises(DataError, match="line 9: the row is blank or not there"):
        read_table(path, header_row=9)
    with pytest.raises(DataError, match="row 4") as caught:
        read_table(path, header_row=4)
    assert "header but no row" in str(caught.value) or "--header-row" in str(caught.value.hint)
    lines = tmp_path / "a.txt"
    lines.write_text("a\n")
    with pytest.raises(DataError, match="has no header row"):
        read_table(lines, header_row=2)


def test_other_sheets_are_named(book: Path, tmp_path: Path) -> None:
    assert "read the sheet 'Sheet', and not the sheet 'Other'" in read_table(book).remarks[0]
    assert read_table(book, sheet="Other").remarks == ()
    path = saved(tmp_path / "covered.xlsx", *TABLE, cover=[["Report"], ["of the year"]])
    with pytest.raises(DataError, match="there is only the column 'Report'") as caught:
        read_examples(path)
    hint = str(caught.value.hint)
    assert "the sheet 'Data': `sheet=` names another one" in hint
    assert "commas" not in hint
    assert read_examples(path, sheet="Data").labels.to_pylist() == ["good", "bad"]
    empty = saved(tmp_path / "empty.xlsx", *TABLE, cover=[[]])
    with pytest.raises(DataError, match="the sheet 'Sheet' is empty") as caught:
        read_table(empty)
    assert "'Data'" in str(caught.value.hint)


def test_a_column_whose_name_others_have_stops_nothing_unless_it_is_used(tmp_path: Path) -> None:
    path = saved(tmp_path / "a.xlsx", ["note", "text", "label", "note", "note_1"], ["x", "a", "b", "y", "z"])
    data = read_examples(path)
    assert data.table.column_names == ["note_2", "text", "label", "note_3", "note_1"]
    assert data.table.column("note_3").to_pylist() == ["y"]
    assert "2 columns are called 'note': they are read as 'note_2', 'note_3'" in data.table.remarks[0]
    with pytest.raises(DataError, match="the column 'note' occurs twice") as caught:
        read_examples(path, text="note")
    assert "'note_2' or 'note_3'" in str(caught.value.hint)


@pytest.mark.parametrize("name", ["text", "label"])
def test_a_repeated_column_that_would_be_taken_by_its_name(name: str, tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text(f"text,label,{name}\na,b,c\nd,e,f\n")
    with pytest.raises(DataError, match=f"the column {name!r} occurs twice"):
        read_examples(path)
    assert read_examples(path, **{name: f"{name}_2"}).columns is not None
