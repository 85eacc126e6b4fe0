"""The guide from a messy export to a model, executed for each encoding, against the truth that only the test knows."""

from __future__ import annotations

import csv
import re
import shlex
from pathlib import Path

import openpyxl
import pytest

from tests.cli.conftest import Command
from tests.cli.messy_tickets import ENCODINGS, HEADER, SPELLINGS, Tickets, write_both

PAGE = Path(__file__).parents[2] / "docs" / "guide" / "messy-export.md"


def commands() -> list[list[str]]:
    """Return the commands of the page."""
    return [
        shlex.split(line)[1:]
        for line in re.findall(r"^    (lindy .*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    ]


def shown() -> list[str]:
    """Return the lines that the page says are printed."""
    blocks = re.findall(r"^```text\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.splitlines()]


def sheet(path: Path) -> list[dict[str, object]]:
    head, *rows = openpyxl.load_workbook(path).active.values
    return [dict(zip(head, row, strict=True)) for row in rows]


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_six_commands_go_from_the_export_to_answers(
    encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lindy: Command
) -> None:
    monkeypatch.chdir(tmp_path)
    made, newer = write_both(tmp_path, encoding)
    words = commands()
    assert [word[0] for word in words] == ["train", "audit", "audit", "train", "evaluate", "predict"]
    printed = ""
    for word in words:
        told = lindy(*word)
        assert told.code == 0, told.err
        printed += told.out
    if encoding != "cp1252":  # it has a spelling less
        assert [line for line in shown() if line not in printed.splitlines()] == []
    check_fixes(made, sheet(tmp_path / "fixes.xlsx"))
    check_clean(made, tmp_path / "clean.csv")
    check_answers(newer, sheet(tmp_path / "answered.xlsx"), sheet(tmp_path / "mistakes.xlsx"))
    page = (tmp_path / "before.html").read_text(encoding="utf-8")
    named = re.findall(r"row ([\d,]+) \(line ([\d,]+), id (T-\d+)\)", page)
    assert len(named) >= 10
    for row, _, ticket in named:
        assert made.rows[int(row.replace(",", "")) - 1][0] == ticket


def check_fixes(made: Tickets, lines: list[dict[str, object]]) -> None:
    """Nearly all wrong labels are found, and nearly all new labels are right."""
    by_row = {line["row"]: line for line in lines if line["row"] is not None}
    assert len(by_row) == sum(line["row"] is not None for line in lines)  # a row is there once
    for row, line in by_row.items():
        assert line["id"] == made.rows[row - 1][0]
    relabelled = [row for row, line in by_row.items() if line["new label"] not in (None, "(delete)")]
    right = sum(by_row[row]["new label"] == made.truth[row - 1] for row in relabelled)
    assert right >= 0.98 * len(relabelled)
    assert f"{right} of the {len(relabelled)} new labels" in PAGE.read_text(encoding="utf-8").replace(
        "\n", " "
    )
    assert sum(row in by_row for row in made.wrong) >= 0.9 * len(made.wrong)
    assert set(made.contradictions) <= {r for r, line in by_row.items() if "contradiction" in line["problem"]}
    assert set(made.blank_labels) == {r for r, line in by_row.items() if line["problem"] == "blank label"}
    assert {by_row[row]["new label"] for row in made.blank_texts} == {"(delete)"}
    assert {by_row[row]["new label"] for row in made.blank_labels} == {None}


def check_clean(made: Tickets, path: Path) -> None:
    """Columns are as they were, labels have four spellings, and most of them are right."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == HEADER
    before = {row[0]: (row, truth) for row, truth in zip(made.rows, made.truth, strict=True)}
    wrong = 0
    for row in rows:
        old, truth = before[row["ticket"]]
        assert [row[name] for name in HEADER[:-1]] == old[:-1]
        wrong += bool(row["category"].strip()) and row["category"] != truth
    assert {row["category"].strip() for row in rows} == {"", *SPELLINGS}
    assert wrong < 0.1 * (len(made.wrong) + len(made.contradictions))


def check_answers(
    newer: Tickets, answered: list[dict[str, object]], mistakes: list[dict[str, object]]
) -> None:
    """Every new ticket is there with its own columns, and those that had no label have one that is mostly right."""
    assert [line["ticket"] for line in answered] == [row[0] for row in newer.rows]
    right = 0
    for line, row, truth in zip(answered, newer.rows, newer.truth, strict=True):
        assert not row[5] or line["category"] == row[5]
        right += line["category"] in (truth, None)
    assert right >= 0.97 * len(answered)
    assert 0 < len(mistakes) < 25
    for line in mistakes:
        row = newer.rows[line["row"] - 1]
        assert (row[0], row[5]) == (line["id"], line["label"])
        assert line["predicted"] != line["label"]
    sure = [line["probability"] for line in mistakes]
    assert sure == sorted(sure, reverse=True)
