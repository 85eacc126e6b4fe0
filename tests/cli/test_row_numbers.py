"""Every command calls a row by its number in the user's file, whatever was left out; ``evaluate --mistakes``."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import pytest

from lindy.data import read_table
from tests.cli.conftest import Command

HEADER = "ticket,text,label\n"


@pytest.fixture
def tickets(tmp_path: Path) -> Path:
    """Rows 1 and 4 have no label, row 3 takes three lines, rows 3 and 6 are labelled wrongly."""
    path = tmp_path / "test.csv"
    path.write_text(
        HEADER + 'T1,wise,\nT2,wonderful,good\nT3,"dull\n\nand dull, empty",good\nT4,dull,\nT5,dull,bad\n'
        "T6,wonderful,bad\n",
        encoding="utf-8",
    )
    return path


def test_all_mistakes_are_written_the_surest_first(
    model: Path, tickets: Path, tmp_path: Path, lindy: Command
) -> None:
    for kind in ("csv", "tsv", "jsonl", "parquet", "xlsx"):
        out = tmp_path / f"mistakes.{kind}"
        told = lindy("evaluate", model, tickets, "--mistakes", out, "--id", "ticket")
        assert told.code == 0, told.err
        assert f"wrote 2 mistakes to {out}" in told.err
        found = read_table(out)
        names = ["row", "line", "id", "label", "predicted", "probability", "text"]
        assert found.column_names == names
        rows = list(zip(*(found.column(name).to_pylist() for name in names), strict=True))
        assert [row[:5] for row in rows] == [
            ("3", "4", "T3", "good", "bad"),
            ("6", "9", "T6", "bad", "good"),
        ]
        assert float(rows[0][5]) > float(rows[1][5]) > 0.5
        assert rows[0][6] == "dull\n\nand dull, empty"
    records = [json.loads(line) for line in (tmp_path / "mistakes.jsonl").read_text().splitlines()]
    assert [(record["row"], record["line"]) for record in records] == [(3, 4), (6, 9)]


def test_a_model_without_mistakes_and_one_without_probabilities(
    table: Path, model: Path, tmp_path: Path, lindy: Command
) -> None:
    out = tmp_path / "mistakes.csv"
    assert "wrote 0 mistakes" in lindy("evaluate", model, table, "--mistakes", out).err
    assert out.read_text() == "row,line,label,predicted,probability,text\n"
    plain = tmp_path / "plain.lindy"
    assert lindy("train", table, "-o", plain, "--learner", "svm", "--calibrate", "none").code == 0
    wrong = tmp_path / "wrong.csv"
    wrong.write_text("text,label\nwonderful,unheard of\n")
    assert lindy("evaluate", plain, wrong, "--mistakes", out).code == 0
    with out.open(newline="") as file:
        (row,) = csv.DictReader(file)
    assert (row["row"], row["label"], row["predicted"]) == ("1", "unheard of", "good")
    assert float(row["score"]) > 0


def test_what_cannot_be_written_is_refused_before_the_work(
    model: Path, tickets: Path, tmp_path: Path, lindy: Command
) -> None:
    for words, said in (
        (("--mistakes", "m.svm"), "'.svm'"),
        (("--mistakes", "-"), "stdout is already used for the figures"),
        (("--id", "ticket"), "add --mistakes FILE"),
    ):
        told = lindy("evaluate", model, tickets, *words)
        assert told.code == 2
        assert said in told.err
    told = lindy("evaluate", model, tickets, "--mistakes", tmp_path / "m.csv", "--id", "tiket")
    assert told.code == 1
    assert "no column 'tiket'" in told.err
    assert "'ticket'" in told.err
    assert lindy("evaluate", model, tickets, "--mistakes", tickets).code == 1


def test_a_report_names_rows_as_the_file_has_them(
    model: Path, tickets: Path, tmp_path: Path, lindy: Command
) -> None:
    page = tmp_path / "page.html"
    told = lindy("report", model, tickets, "-o", page, "--id", "ticket")
    assert told.code == 0, told.err
    assert set(re.findall(r"row \d+ \([^)]*\)", page.read_text())) == {
        "row 3 (line 4, id T3)",
        "row 6 (line 9, id T6)",
    }
    assert lindy("report", model, tickets, "-o", page).code == 0
    assert "row 3 (line 4):" in page.read_text()


def test_the_report_of_training_names_rows_as_the_file_has_them(tmp_path: Path, lindy: Command) -> None:
    table, page = tmp_path / "t.csv", tmp_path / "page.html"
    kinds = {"good": "wonderful warm wise", "bad": "dull long empty"}
    rows = []
    for i in range(1, 121):
        label = ("good", "bad")[i % 2]
        wrong = {"good": "bad", "bad": "good"}[label] if i % 10 == 0 else label
        shown = "" if i % 4 == 1 else wrong
        rows.append(f'T{i},"{kinds[label]}\nnumber{i}",{shown}\n')
    table.write_text(HEADER + "".join(rows))
    words = ("train", table, "-o", tmp_path / "m.lindy", "--learner", "svm")
    told = lindy(*words, "--report", page, "--id", "ticket")
    assert told.code == 0, told.err
    named = re.findall(r"row (\d+) \(line (\d+), id T(\d+)\)", page.read_text())
    assert named
    for row, line, ticket in named:
        assert row == ticket
        assert int(line) == 2 * int(row)
    assert any(int(row) % 10 == 0 for row, *_ in named)
    told = lindy(*words, "--id", "ticket")
    assert told.code == 2
    assert "add --report FILE" in told.err
    told = lindy(*words, "--report", page, "--id", "tiket")
    assert told.code == 1
    assert "no column 'tiket'" in told.err


def test_an_audit_names_rows_as_the_file_has_them(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "t.csv"
    table.write_text(HEADER + 'T1,one,\nT2,"two\nlines",a\nT3,three,b\nT4,"two\nlines",a\n')
    told = lindy("audit", table, "--id", "ticket")
    assert re.search(r"^row 4 +6 +T4 +a +row 2 +two lines$", told.out, re.MULTILINE)
    assert re.search(r"^ +1  blank label", told.out, re.MULTILINE)
    record = json.loads(lindy("audit", table, "--id", "ticket", "--json").out)
    assert record["unlabelled"] == 1
    (found,) = record["findings"]
    assert (found["row"], found["line"], found["id"], found["other_row"]) == (4, 6, "T4", 2)


def test_an_error_names_row_and_line(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "t.csv"
    table.write_text('text,price,label\n"one\nmore",1,\ntwo,2,a\nthree,x,b\n')
    told = lindy("train", table, "--numeric", "price", "--text", "text", "-o", tmp_path / "m.lindy")
    assert told.code == 1
    assert f"{table}, line 5 (row 3): 'price' is 'x', expected a number" in told.err
