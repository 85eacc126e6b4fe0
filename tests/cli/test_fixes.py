"""Sheets of fixes: what ``audit`` writes into them, what ``--apply`` makes of them, and what it refuses."""

from __future__ import annotations

import csv
import io
import json
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from lindy.data import read_table
from lindy.evaluation.audit.fixes import Fixes
from lindy.evaluation.audit.table_audit import Finding
from tests.cli.conftest import Command, Outcome

# rows 4 and 6 have no label; row 3 takes two lines; rows 5 and 8 repeat row 1, once with another label
TABLE = (
    "id,text,note,label\n"
    'a,"wonderful, warm",=1+1,good\n'
    "b,dull and long,,bad\n"
    'c,"wise\nand warm"," x ",good\n'
    "d,no label here,,\n"
    'e,"wonderful, warm",5,Good\n'
    "f,, , \n"
    "g,dull,6,bad\u00a0\n"
    'h,"wonderful, warm",7,bad\n'
)
HEAD = ["row", "line", "id", "problem", "details", "text", "label", "suggested label", "new label"]


@pytest.fixture
def data(tmp_path: Path) -> Path:
    path = tmp_path / "data.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def rows_of(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter=delimiter))


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


@pytest.fixture
def fixes(data: Path, tmp_path: Path, lindy: Command) -> Path:
    path = tmp_path / "fixes.csv"
    told = lindy("audit", data, "--id", "id", "-o", path)
    assert told.code == 0, told.err
    assert f"lindy audit {data} --apply {path} -o clean.csv" in told.err
    return path


Apply = Callable[..., Outcome]


@pytest.fixture
def apply(data: Path, tmp_path: Path, lindy: Command) -> Apply:
    """Apply a sheet of these rows; what is written is ``clean.csv``."""

    def call(rows: list[dict[str, Any]], *more: object) -> Outcome:
        sheet = write_rows(tmp_path / "edited.csv", rows)
        return lindy("audit", data, "--apply", sheet, "-o", tmp_path / "clean.csv", *more)

    return call


def test_the_sheet_has_every_row_once_with_its_number_line_and_id(fixes: Path) -> None:
    lines = rows_of(fixes)
    assert list(lines[0]) == HEAD
    spelled = [(line["label"], line["new label"]) for line in lines if not line["row"]]
    assert spelled == [("bad\u00a0", "bad"), ("Good", "good")]
    by_row = {line["row"]: line for line in lines if line["row"]}
    assert len(by_row) == len(lines) - 2
    assert {row: (line["line"], line["id"]) for row, line in by_row.items()} == {
        "1": ("2", "a"),
        "4": ("6", "d"),
        "5": ("7", "e"),
        "6": ("8", "f"),
        "8": ("10", "h"),
    }
    assert by_row["8"]["problem"] == "contradiction"
    assert by_row["8"]["suggested label"] == "good"
    assert by_row["8"]["details"] == "the same text: row 1, good; row 5, good; row 8, bad"
    assert by_row["4"]["problem"] == "blank label"
    assert by_row["6"]["problem"] == "empty"
    new = {row: line["new label"] for row, line in by_row.items()}
    assert new == {"1": "", "4": "", "5": "(delete)", "6": "(delete)", "8": "(delete)"}


def test_a_sheet_as_it_is_written_is_applied(data: Path, fixes: Path, tmp_path: Path, lindy: Command) -> None:
    told = lindy("audit", data, "--apply", fixes, "-o", tmp_path / "clean.csv")
    assert told.code == 0, told.err
    assert [line.split(None, 1) for line in told.out.splitlines()] == [
        ["1", "labels got their usual spelling"],
        ["3", "rows deleted"],
        ["5", f"rows in {tmp_path / 'clean.csv'}, 1 of them without a label"],
    ]
    expected = [row for row in csv.DictReader(io.StringIO(TABLE, newline="")) if row["id"] in "abcdg"]
    expected[4]["label"] = "bad"
    assert rows_of(tmp_path / "clean.csv") == expected
    assert data.read_text(encoding="utf-8") == TABLE


def test_edits_are_followed(fixes: Path, tmp_path: Path, apply: Apply) -> None:
    lines = rows_of(fixes)
    wanted = {"1": "great", "4": " bad ", "5": "", "6": "(Delete)", "8": "good"}
    for line in lines:
        line["new label"] = wanted.get(line["row"], line["new label"])
    told = apply(lines, "--json")
    assert json.loads(told.out) == {
        "rows": 7,
        "deleted": 1,
        "spellings": 2,
        "changed": {"good → great": 1, "bad → good": 1},
        "filled": 1,
        "unlabelled": 0,
        "new_labels": {"great": 1},
    }
    assert "labels that no row had before: 'great' (1)" in told.err
    labels = [row["label"] for row in rows_of(tmp_path / "clean.csv")]
    assert labels == ["great", "bad", "good", "bad", "good", "bad", "good"]


def test_a_line_about_a_label_renames_or_deletes_it(tmp_path: Path, apply: Apply) -> None:
    head = {"row": "", "text": ""}
    assert apply([head | {"label": "bad", "new label": "poor"}]).code == 0
    assert [row["label"] for row in rows_of(tmp_path / "clean.csv")].count("poor") == 2
    assert apply([head | {"label": "bad", "new label": "(delete)"}]).code == 0
    assert len(rows_of(tmp_path / "clean.csv")) == 6


def test_what_spreadsheets_do_to_a_sheet_is_no_difference(
    fixes: Path, data: Path, tmp_path: Path, lindy: Command
) -> None:
    lines = rows_of(fixes)
    lines.append(dict.fromkeys(HEAD, ""))
    lines.append(
        dict.fromkeys(HEAD, "")
        | {"row": "3", "text": "wise\r\nand  warm ", "label": "good ", "new label": "bad"}
    )
    sheet = tmp_path / "edited.csv"
    with sheet.open("w", encoding="utf-8-sig", newline="") as file:
        writer = csv.DictWriter(file, HEAD[::-1], delimiter=";", lineterminator="\r\n")
        writer.writeheader()
        writer.writerows(lines)
    told = lindy("audit", data, "--apply", sheet, "-o", tmp_path / "clean.csv")
    assert told.code == 0, told.err
    assert rows_of(tmp_path / "clean.csv")[2]["label"] == "bad"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"row": "99"}, "row 99 is beyond the end of"),
        ({"row": "0"}, "the row is '0', expected a whole number of at least 1"),
        ({"row": "two"}, "the row is 'two'"),
        ({"row": "2"}, "the text of row 2 differs: 'wonderful, warm' here, 'dull and long' in"),
        ({"text": "other"}, "the text of row 1 differs: 'other' here, 'wonderful, warm' in"),
        ({"label": "bad"}, "the label of row 1 differs: 'bad' here, 'good' in"),
        ({"new label": "(remove)"}, "the new label is '(remove)', which is not a label of"),
        ({"row": "", "label": "fine"}, "there is no row, and no row of"),
        ({"remark": "ask Eva"}, "the column 'remark' does not belong to a sheet of fixes"),
    ],
)
def test_a_sheet_that_does_not_fit_is_refused(
    change: dict[str, str], said: str, tmp_path: Path, apply: Apply
) -> None:
    line = {"row": "1", "text": "wonderful, warm", "label": "good", "new label": "bad"}
    told = apply([line | change])
    assert told.code == 1
    assert said in told.err
    assert "edited.csv" in told.err
    assert ("edited.csv, line 2 (row 1): " in told.err) is ("remark" not in change)
    assert "hint:" in told.err
    assert not (tmp_path / "clean.csv").exists()


def test_other_sheets_that_are_refused(data: Path, tmp_path: Path, apply: Apply, lindy: Command) -> None:
    line = {"row": "1", "text": "wonderful, warm", "label": "good", "new label": "bad"}
    assert "there is no column 'new label'" in apply([{"row": "1", "text": "x", "label": "good"}]).err
    assert "row 1 is in the sheet twice, with the new labels 'bad' and ''" in (
        apply([line, line | {"new label": ""}]).err
    )
    every = [{"row": "", "text": "", "label": name, "new label": "(delete)"} for name in ("good", "bad")]
    assert apply([line, *every]).code == 0
    told = lindy("audit", data, "--apply", data)
    assert told.code == 2
    assert "add -o clean.csv" in told.err
    told = lindy("audit", data, "--apply", write_rows(tmp_path / "s.csv", [line]), "-o", data)
    assert told.code == 1
    assert "would be overwritten" in told.err


def test_edits_are_not_overwritten_unasked(data: Path, fixes: Path, lindy: Command) -> None:
    assert lindy("audit", data, "--id", "id", "-o", fixes).code == 0
    lines = rows_of(fixes)
    lines[-1]["new label"] = "good"
    before = write_rows(fixes, lines).read_bytes()
    told = lindy("audit", data, "-o", fixes)
    assert told.code == 1
    assert "edits would be lost" in told.err
    assert fixes.read_bytes() == before
    assert lindy("audit", data, "-o", fixes, "--force").code == 0
    assert lindy("audit", data, "-o", fixes.with_suffix(".svm")).code == 2


@pytest.mark.parametrize("kind", ["tsv", "jsonl", "parquet", "xlsx"])
def test_every_format_is_audited_and_written(kind: str, data: Path, tmp_path: Path, lindy: Command) -> None:
    table, sheet, clean = (tmp_path / f"{name}.{kind}" for name in ("table", "sheet", "clean"))
    assert lindy("convert", data, table).code == 0
    told = lindy("audit", table, "-o", sheet)
    assert told.code == 0, told.err
    lines = read_table(sheet)
    assert ("line" in lines.column_names) is (kind != "parquet")
    told = lindy("audit", table, "--apply", sheet, "-o", clean)
    assert told.code == 0, told.err
    done = read_table(clean)
    assert done.column_names == ["id", "text", "note", "label"]
    assert done.column("id").to_pylist() == ["a", "b", "c", "d", "g"]
    assert done.column("label").to_pylist()[-1] == "bad"


def test_missing_texts_and_labels_of_json_lines(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "t.jsonl"
    rows = [{"text": "wise", "label": "a"}, {"text": None, "label": "a"}, {"text": "dull", "label": None}]
    rows += [{"text": "long", "label": "b", "more": None}]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    assert lindy("audit", table, "-o", tmp_path / "fixes.jsonl").code == 0
    lines = [json.loads(line) for line in (tmp_path / "fixes.jsonl").read_text().splitlines()]
    assert {line["row"]: line["problem"] for line in lines} == {2: "empty", 3: "blank label"}
    told = lindy("audit", table, "--apply", tmp_path / "fixes.jsonl", "-o", tmp_path / "clean.jsonl")
    assert told.code == 0, told.err
    clean = [json.loads(line) for line in (tmp_path / "clean.jsonl").read_text().splitlines()]
    assert [row["text"] for row in clean] == ["wise", "dull", "long"]


def test_folders_and_lines_of_text(tmp_path: Path, lindy: Command) -> None:
    for label, name, text in (("good", "a", "wise"), ("bad", "b", "dull"), ("bad", "c", "wise")):
        (tmp_path / "texts" / label).mkdir(parents=True, exist_ok=True)
        (tmp_path / "texts" / label / f"{name}.txt").write_text(text)
    sheet, clean = tmp_path / "fixes.csv", tmp_path / "clean.ft"
    assert lindy("audit", tmp_path / "texts", "-o", sheet).code == 0
    lines = rows_of(sheet)
    assert sorted(Path(line["id"]).name for line in lines) == ["a.txt", "c.txt"]
    for line in lines:
        line["new label"] = "(delete)" if line["id"].endswith("c.txt") else ""
    told = lindy("audit", tmp_path / "texts", "--apply", write_rows(sheet, lines), "-o", clean)
    assert told.code == 0, told.err
    assert sorted(clean.read_text().splitlines()) == ["__label__bad dull", "__label__good wise"]


def test_what_the_target_cannot_hold_is_named_by_the_row_of_the_input(tmp_path: Path, lindy: Command) -> None:
    table, sheet = tmp_path / "t.csv", tmp_path / "s.csv"
    table.write_text("text,label\nwise,a\nwise,a\ndull,so so\nlong,../b\n")
    assert lindy("audit", table, "-o", sheet).code == 0
    told = lindy("audit", table, "--apply", sheet, "-o", tmp_path / "clean.ft")
    assert told.code == 1
    assert f"{table}, line 4 (row 3): the label 'so so' has white space" in told.err
    told = lindy("audit", table, "--apply", sheet, "-o", tmp_path / "clean")
    assert f"{table}, line 5 (row 4): the label '../b' cannot be the name of a folder" in told.err


def test_several_columns_of_text(tmp_path: Path, lindy: Command) -> None:
    table, sheet, clean = (tmp_path / name for name in ("t.csv", "s.csv", "clean.csv"))
    table.write_text("title,body,label\nxx,one,a\nyy,two,b\nxx,one,a\nzz,three,\n")
    columns = ("--text", "title", "--text", "body")
    told = lindy("audit", table, *columns, "-o", sheet)
    assert told.code == 0, told.err
    assert [(line["row"], line["text"]) for line in rows_of(sheet)] == [
        ("4", "zz | three"),
        ("3", "xx | one"),
    ]
    told = lindy("audit", table, *columns, "--apply", sheet, "-o", clean)
    assert told.code == 0, told.err
    assert clean.read_text() == "title,body,label\nxx,one,a\nyy,two,b\nzz,three,\n"


def test_columns_without_a_name_are_said_to_be_left_out(tmp_path: Path, lindy: Command) -> None:
    table, sheet, clean = (tmp_path / name for name in ("t.csv", "s.csv", "clean.csv"))
    table.write_text(",text,label\n0,one,a\n1,one,a\n2,two,b\n")
    assert lindy("audit", table, "-o", sheet).code == 0
    assert "a column without a name left out" in lindy("audit", table, "--apply", sheet, "-o", clean).err
    assert "a column without a name left out" in lindy("convert", table, clean).err
    assert clean.read_text().splitlines()[0] == '"text","label"'


def test_the_sheet_of_a_clean_table_is_empty(tmp_path: Path, lindy: Command) -> None:
    table, sheet = tmp_path / "t.csv", tmp_path / "s.csv"
    table.write_text("text,label\nwise,a\ndull,b\n")
    told = lindy("audit", table, "-o", sheet)
    assert told.code == 0
    assert "nothing to correct" in told.err
    assert sheet.read_text() == ",".join(name for name in HEAD if name != "id") + "\n"


def test_five_rows_have_no_label_errors(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "t.csv"
    table.write_text("text,label\nwise and warm,a\nwarm,a\ndull and long,b\nlong,b\nwarm and dull,a\n")
    told = lindy("audit", table)
    assert "label errors were not looked for: that takes at least 20 labelled texts" in told.out
    assert "suggest another label" not in told.out
    assert json.loads(lindy("audit", table, "--json").out)["findings"] == []


def test_long_texts_and_control_characters_fit_into_a_workbook(tmp_path: Path, lindy: Command) -> None:
    table, sheet, clean = (tmp_path / name for name in ("t.csv", "s.xlsx", "clean.csv"))
    long = "wise\x0b " * 10_000
    table.write_text(f"text,label\n{long},a\n{long},a\ndull,b\n")
    assert lindy("audit", table, "-o", sheet).code == 0
    told = lindy("audit", table, "--apply", sheet, "-o", clean)
    assert told.code == 0, told.err
    assert [row["text"] for row in rows_of(clean)] == [long, "dull"]


def test_a_sheet_that_a_spreadsheet_saved_in_its_own_encoding(tmp_path: Path, lindy: Command) -> None:
    table, sheet, clean = (tmp_path / name for name in ("t.csv", "s.csv", "clean.csv"))
    table.write_text("text,label\ncafé,Café\ndull,b\n", encoding="utf-8")
    sheet.write_bytes("row;text;label;new label\r\n1;café;Café;Théâtre\r\n".encode("cp1252"))
    told = lindy("audit", table, "--apply", sheet, "-o", clean)
    assert told.code == 0, told.err
    assert "s.csv: read as cp1252" in told.err
    assert rows_of(clean)[0]["label"] == "Théâtre"


def test_contradictions_that_nothing_decides_are_left_to_the_user() -> None:
    fixes = Fixes(["a", "b"])
    fixes.add_findings(
        [
            Finding("label error", 0, "a", None, "b", 0.9),
            Finding("label error", 1, "b", None, "a", 0.9),
            Finding("contradiction", 1, "b", 0, "a"),
        ]
    )
    assert [(fix.row, fix.new) for fix in fixes.lines()] == [(0, ""), (1, "")]


def test_of_many_copies_only_some_are_listed() -> None:
    fixes = Fixes(["a"] * 20 + ["b"])
    copies = [Finding("duplicate", row, "a", 0) for row in range(1, 20)]
    fixes.add_findings([*copies, Finding("contradiction", 20, "b", 0, "a")])
    lines = fixes.lines()
    assert [fix.new for fix in lines] == ["", *["(delete)"] * 20]
    assert all(fix.details[0].endswith("row 8, a; and 13 more") for fix in lines)


def test_labels_of_another_unicode_form_are_the_same(tmp_path: Path, lindy: Command) -> None:
    table, clean = tmp_path / "t.csv", tmp_path / "clean.csv"
    table.write_text("text,label\ncafé,Café\ndull,b\n", encoding="utf-8")
    line = {"row": "1", "text": "café", "label": "Café", "new label": "Bar"}
    apart = {name: unicodedata.normalize("NFD", value) for name, value in line.items()}
    told = lindy("audit", table, "--apply", write_rows(tmp_path / "s.csv", [apart]), "-o", clean)
    assert told.code == 0, told.err
    assert rows_of(clean)[0] == {"text": "café", "label": "Bar"}
