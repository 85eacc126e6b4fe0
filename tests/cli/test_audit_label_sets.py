"""``lindy audit`` of rows with several labels: missing and wrong ones are found, written to a sheet, and corrected."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from tests.cli.conftest import Command

WORDS = {
    "bread": "loaf crust dough flour yeast",
    "soup": "broth bowl spoon stock ladle",
    "fish": "salmon fin trout scale cod",
}
LACKS, WRONG = 11, 33


def dishes() -> list[tuple[list[str], str]]:
    """Return labels and texts; row 11 lacks one of its labels, and row 33 has one wrongly."""
    draw = random.Random(0)
    rows = []
    for number in range(300):
        tags = draw.sample(sorted(WORDS), 1 if number in (LACKS, WRONG) else draw.choice([0, 1, 1, 2, 3]))
        words = [word for tag in tags for word in draw.sample(WORDS[tag].split(), 4)]
        rows.append((tags, f"{' '.join(words)} number{number} kitchen{number % 3}"))
    rows[LACKS] = ([], rows[LACKS][1])
    rows[WRONG] = (sorted(WORDS), rows[WRONG][1])
    return rows


def write(path: Path, form: str) -> list[str]:
    """Write the rows in a form; returns the options that read it."""
    rows = dishes()
    with path.open("w", newline="", encoding="utf-8") as file:
        if form == "lists":
            file.writelines(json.dumps({"tags": tags, "text": text}) + "\n" for tags, text in rows)
            return ["--label", "tags"]
        out = csv.writer(file)
        if form == "joined":
            out.writerows([["tags", "text"], *([" | ".join(tags), text] for tags, text in rows)])
            return ["--label", "tags", "--label-separator", "|"]
        out.writerows(
            [[*WORDS, "text"], *([*(int(tag in tags) for tag in WORDS), text] for tags, text in rows)]
        )
        return ["--labels", ",".join(WORDS)]


def labels_of(path: Path, form: str) -> list[set[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        if form == "lists":
            return [set(json.loads(line)["tags"]) for line in file]
        rows = list(csv.DictReader(file))
    if form == "joined":
        return [{part.strip() for part in row["tags"].split("|") if part.strip()} for row in rows]
    return [{tag for tag in WORDS if row[tag] == "1"} for row in rows]


@pytest.mark.parametrize("form", ["joined", "lists", "columns"])
def test_missing_and_wrong_labels_are_found_and_corrected(form: str, tmp_path: Path, lindy: Command) -> None:
    suffix = "jsonl" if form == "lists" else "csv"
    table, sheet, clean = (tmp_path / name for name in (f"tags.{suffix}", "fixes.csv", f"clean.{suffix}"))
    options = write(table, form)
    told = lindy("audit", table, *options, "-o", sheet)
    assert told.code == 0, told.err
    assert "300 texts, 3 labels" in told.out
    assert "missing label" in told.out
    with sheet.open(newline="", encoding="utf-8") as file:
        lines = {int(line["row"]) - 1: line for line in csv.DictReader(file)}
    assert lines[LACKS]["problem"].startswith("missing label")
    assert "wrong label" in lines[WRONG]["problem"]
    applied = lindy("audit", table, *options, "--apply", sheet, "-o", clean)
    assert applied.code == 0, applied.err
    before, after = labels_of(table, form), labels_of(clean, form)
    right = next(tag for tag, words in WORDS.items() if set(words.split()) & set(dishes()[LACKS][1].split()))
    assert after[LACKS] == {right}
    assert after[WRONG] < before[WRONG]
    changed = {row for row, (old, new) in enumerate(zip(before, after, strict=True)) if old != new}
    assert changed == {row for row, line in lines.items() if line["new label"]}


def test_json_says_which_label_it_is_about(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "tags.jsonl"
    found = json.loads(lindy("audit", table, *write(table, "lists"), "--json").out)
    assert found["classes"].keys() == WORDS.keys()
    errors = [finding for finding in found["findings"] if finding["kind"] in ("missing label", "wrong label")]
    (missing,) = [finding for finding in errors if finding["row"] == LACKS + 1]
    assert missing["suggestion"] == missing["about"]
    assert 0.5 < missing["score"] <= 1
    wrong = [finding for finding in errors if finding["row"] == WRONG + 1]
    assert wrong
    for finding in wrong:
        assert {*finding["suggestion"].split("|")} == {*WORDS} - {finding["about"]}


def test_a_row_can_lose_its_only_label(tmp_path: Path, lindy: Command) -> None:
    table, sheet, clean = tmp_path / "tags.csv", tmp_path / "fixes.csv", tmp_path / "clean.csv"
    options = write(table, "joined")
    row, (tags, text) = next((row, own) for row, own in enumerate(dishes()) if len(own[0]) == 1)
    with sheet.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(
            [["row", "text", "label", "new label"], [row + 1, text, tags[0], "(none)"]]
        )
    told = lindy("audit", table, *options, "--apply", sheet, "-o", clean)
    assert told.code == 0, told.err
    assert labels_of(clean, "joined")[row] == set()


def test_parts_of_a_large_table_are_judged_by_a_sample(
    tmp_path: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lindy.cli.io.reading.AT_ONCE", 10)
    monkeypatch.setattr("lindy.data.chunks.delimited_parts.BLOCK", 700)
    table = tmp_path / "tags.csv"
    found = json.loads(lindy("audit", table, *write(table, "joined"), "--sample", "200", "--json").out)
    assert found["counts"]["missing label"] >= 1
    assert LACKS + 1 in {
        finding["row"] for finding in found["findings"] if finding["kind"] == "missing label"
    }
