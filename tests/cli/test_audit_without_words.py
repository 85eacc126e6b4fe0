"""``lindy audit`` where text columns hold no words: that is a finding, not the end."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command

ROWS = [row for i in range(40) for row in ((f"good lovely {i}", "", "pos"), (f"bad awful {i}", "1 2", "neg"))]


def written(path: Path, rows: list[tuple[str, str, str]]) -> Path:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("title", "body", "label"), *rows])
    return path


def test_one_of_several_columns_without_words_is_left_out(tmp_path: Path, lindy: Command) -> None:
    path = written(
        tmp_path / "t.csv", [*ROWS, ("good lovely thing", "", "neg"), ("", "", "pos"), ("bad awful", "", "")]
    )
    sheet = tmp_path / "sheet.csv"
    told = lindy("audit", path, "--text", "title", "--text", "body", "-o", sheet)
    assert told.code == 0, told.err
    assert "no text of 'body' has a word of at least two letters" in told.err
    alone = lindy("audit", path, "--text", "title", "--json")
    both = lindy("audit", path, "--text", "title", "--text", "body", "--json")
    errors = [
        [(f["row"], f["suggestion"]) for f in json.loads(out.out)["findings"] if f["kind"] == "label error"]
        for out in (alone, both)
    ]
    assert errors[0] == errors[1] == [(81, "pos")]
    rows = list(csv.DictReader(sheet.read_text(encoding="utf-8").splitlines()))
    assert {row["problem"] for row in rows} >= {"label error", "blank label", "no words"}


@pytest.mark.parametrize("columns", [("title",), ("title", "body")])
def test_no_column_has_words(columns: tuple[str, ...], tmp_path: Path, lindy: Command) -> None:
    rows = [(str(i % 10), f"{i}", "ab"[i % 2]) for i in range(30)]
    path = written(tmp_path / "t.csv", [*rows, ("1", "1", "")])
    words = [word for name in columns for word in ("--text", name)]
    told = lindy("audit", path, *words, "-o", tmp_path / "sheet.csv", "--json")
    assert told.code == 0, told.err
    found = json.loads(told.out)["findings"]
    assert not [finding for finding in found if finding["kind"] == "label error"]
    assert len([finding for finding in found if finding["kind"] == "no words"]) >= 10


def test_numbers_are_left_where_no_text_has_words(tmp_path: Path, lindy: Command) -> None:
    rows = [("1", str(i % 2 * 50 + i % 3), "ab"[i % 2]) for i in range(40)]
    path = written(tmp_path / "t.csv", [*rows, ("1", "51", "a")])
    told = lindy("audit", path, "--text", "title", "--numeric", "body", "--json")
    assert told.code == 0, told.err
    found = [f for f in json.loads(told.out)["findings"] if f["kind"] == "label error"]
    assert [(f["row"], f["suggestion"]) for f in found] == [(41, "b")]
