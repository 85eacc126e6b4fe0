"""``--spreadsheet-safe``: labels and texts that a spreadsheet would run are written as text; numbers stay numbers."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from lindy import TextClassifier
from lindy.cli.app import run
from lindy.data import read_table
from lindy.data.formats.spreadsheets import as_it_was, as_text

ATTACK = "=cmd|'/c calc'!A1"
TEXTS = ["fine warm book", "dull long pages", "wise fine book", "dull empty book"] * 6
LABELS = [ATTACK, "@SUM(A1)"] * 12


@pytest.mark.parametrize(
    "cell",
    [
        ATTACK,
        "+1+2",
        "-2+3",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "-",
        "+",
        "＝1+1",
        "-1.5.2",
        "=1",
        "-1,5",
        "-１",
    ],
)
def test_cells_that_would_run(cell: str) -> None:
    assert as_text(cell) == "'" + cell
    assert as_it_was(as_text(cell)) == cell


@pytest.mark.parametrize(
    "cell",
    ["", "fine", "-1.5", "+3", "-1e-05", "+2E3", ".5", "-.5", "'quoted'", "' =1", "a=b", "1-2", "'fine"],
)
def test_harmless_cells(cell: str) -> None:
    assert as_text(cell) == cell
    assert as_it_was(cell) == cell


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    rows = [["text", "label", "=id", "change"]]
    rows += [
        [text, label, f"+{i}+1", "-1.5"] for i, (text, label) in enumerate(zip(TEXTS, LABELS, strict=True))
    ]
    with (tmp_path / "t.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    TextClassifier(learner="svm").fit(TEXTS, LABELS).save(tmp_path / "m.lindy")
    return tmp_path


def cells(path: Path) -> list[list[Any]]:
    if path.suffix == ".xlsx":
        sheet = openpyxl.load_workbook(path).active
        assert sheet is not None
        return [list(row) for row in sheet.iter_rows(values_only=True)]
    with path.open(newline="") as file:
        return list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ","))


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".xlsx"])
def test_predictions(suffix: str, folder: Path) -> None:
    out = folder / f"out{suffix}"
    command = [
        "predict",
        str(folder / "m.lindy"),
        str(folder / "t.csv"),
        "--text",
        "text",
        "--keep",
        "=id,change",
        "-o",
    ]
    assert run([*command, str(out), "--quiet"]) == 0
    plain = cells(out)
    assert plain[0][:3] == ["=id", "change", "label"]
    assert plain[1][:3] == ["+0+1", "-1.5", ATTACK], "the default is the data as they are"
    assert run([*command, str(out), "--quiet", "--spreadsheet-safe"]) == 0
    safe = cells(out)
    assert safe[0] == ["'=id", *plain[0][1:]]
    assert safe[1][:3] == ["'+0+1", "-1.5", "'" + ATTACK]
    assert [row[3:] for row in safe] == [row[3:] for row in plain], "numbers are the same"


def test_negative_scores_stay_numbers(folder: Path) -> None:
    import numpy as np

    from lindy.data.write.table_writer import column_of, writing_pieces

    for kind in ("csv", "tsv", "xlsx"):
        out = folder / f"scores.{kind}"
        with writing_pieces(str(out), kind, spreadsheet_safe=True) as write:
            write({"label": column_of(["=1", "a"]), "score": np.array([-1.5, 2.0])})
        assert [row[0] for row in cells(out)] == ["label", "'=1", "a"]
        assert float(cells(out)[1][1]) == -1.5


def test_mistakes_and_conversions(folder: Path) -> None:
    table = folder / "t.csv"
    swapped = folder / "swapped.csv"
    swapped.write_text(
        table.read_text().replace(ATTACK, "~").replace("@SUM(A1)", ATTACK).replace("~", "@SUM(A1)")
    )
    out = folder / "mistakes.csv"
    columns = ["--text", "text", "--label", "label"]
    done = run(
        [
            "evaluate",
            str(folder / "m.lindy"),
            str(swapped),
            *columns,
            "--mistakes",
            str(out),
            "--spreadsheet-safe",
        ]
    )
    assert done == 0
    rows = cells(out)[1:]
    assert rows
    for name in ("label", "predicted"):
        assert {row[cells(out)[0].index(name)][:2] for row in rows} == {"'=", "'@"}
    for suffix in (".tsv", ".xlsx"):
        assert run(["convert", str(table), str(folder / f"c{suffix}"), "--spreadsheet-safe"]) == 0
        assert cells(folder / f"c{suffix}")[:2] == [
            ["text", "label", "'=id", "change"],
            ["fine warm book", "'" + ATTACK, "'+0+1", "-1.5"],
        ]
    assert run(["convert", str(table), str(folder / "c.tsv"), "--force"]) == 0
    assert cells(folder / "c.tsv")[1][1] == ATTACK


def test_a_sheet_of_fixes_goes_there_and_back(folder: Path) -> None:
    table, sheet, clean = folder / "t.csv", folder / "sheet.csv", folder / "clean.csv"
    columns = ["--text", "text", "--label", "label", "--quiet"]
    assert run(["audit", str(table), "-o", str(sheet), *columns, "--spreadsheet-safe"]) == 0
    rows = cells(sheet)
    place = rows[0].index("label")
    assert "'" + ATTACK in [row[place] for row in rows]
    rows[1][rows[0].index("new label")] = "'=other"
    with sheet.open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert (
        run(["audit", str(table), "--apply", str(sheet), "-o", str(clean), *columns, "--spreadsheet-safe"])
        == 0
    )
    labels = read_table(clean).column("label").to_pylist()
    assert labels.count("=other") == 1, "the mark is gone"
    assert set(labels) <= {ATTACK, "@SUM(A1)", "=other"}


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["predict", "{m}", "{t}", "-o", "{d}/o.jsonl"], "the output is jsonl, which has no formulas"),
        (["convert", "{t}", "{d}/o.parquet"], "the output is parquet, which has no formulas"),
        (["evaluate", "{m}", "{t}"], "no table is written"),
        (["audit", "{t}"], "no table is written"),
    ],
)
def test_formats_without_formulas(
    command: list[str], message: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    given = [word.format(m=folder / "m.lindy", t=folder / "t.csv", d=folder) for word in command]
    assert run([*given, "--spreadsheet-safe"]) == 2
    assert message in capsys.readouterr().err


def test_json_lines_are_never_changed(folder: Path) -> None:
    out = folder / "out.jsonl"
    assert (
        run(["predict", str(folder / "m.lindy"), str(folder / "t.csv"), "--text", "text", "-o", str(out)])
        == 0
    )
    assert json.loads(out.read_text().splitlines()[0])["label"] == ATTACK
