"""``lindy audit`` of rows with several labels in one cell: nothing that it suggests takes one of them away."""

from __future__ import annotations

import csv
import json
import random
from pathlib import Path

import pytest

from tests.cli.conftest import Command

WORDS = {"bread": "loaf crust dough", "soup": "broth bowl spoon", "fish": "salmon fin trout", "cake": "icing"}


def write_tags(path: Path, mark: str, *, alone: bool) -> None:
    """Write texts about one to three dishes, most of them about bread; the first one three times, with other tags."""
    draw = random.Random(0)
    rows = []
    for number in range(240):
        most = draw.choice([1, 1, 1, 2, 3]) if alone else draw.choice([2, 2, 3])
        tags = sorted(
            {"bread", *draw.sample(sorted(WORDS), most - 1)}
            if draw.random() < 0.7
            else draw.sample(sorted(WORDS), most)
        )
        if not alone and len(tags) < 2:
            tags = ["bread", "soup"]
        text = " ".join(draw.choice(WORDS[tag].split()) for tag in tags for _ in range(3))
        rows.append([mark.join(tags), f"{text} number{number}"])
    rows += [[mark.join(["bread", "cake"]), rows[0][1]], [mark.join(["bread", "cake"]), rows[0][1]]]
    rows[0][0] = mark.join(["cake", "fish", "soup"])
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["labels", "text"], *rows])


@pytest.mark.parametrize("alone", [True, False], ids=["tags alone, too", "always several"])
@pytest.mark.parametrize("mark", ["|", ";", ",", " | "])
@pytest.mark.parametrize("large", [False, True], ids=["whole", "in parts"])
def test_no_suggestion_takes_a_tag_away(
    large: bool, mark: str, alone: bool, tmp_path: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, fixes = tmp_path / "tags.csv", tmp_path / "fixes.csv"
    write_tags(table, mark, alone=alone)
    sample: list[str | int] = []
    if large:
        monkeypatch.setattr("lindy.cli.io.reading.AT_ONCE", 10)
        monkeypatch.setattr("lindy.data.chunks.delimited_parts.BLOCK", 700)
        sample = ["--sample", 150]
    whole = ["--label", "labels", "--label-separator", "none", *sample]
    told = lindy("audit", table, *whole, "-o", fixes)
    assert told.code == 0, told.err
    assert "label errors were not looked for: labels such as" in told.out
    assert f"joined by {mark.strip()!r}" in told.out
    assert "contradiction" in told.out
    with fixes.open(newline="", encoding="utf-8") as file:
        lines = list(csv.DictReader(file))
    assert {line["problem"] for line in lines} >= {"contradiction"}
    for line in lines:
        assert line["new label"] in ("", "(delete)")
        assert line["new label"] == "" or line["problem"] == "duplicate"
    several = lindy("audit", table, "--label", "labels", *sample)
    assert several.code == 0, several.err
    assert several.err.count(f"labels are several per row, joined by {mark.strip()!r} (") == 1
    assert "contradiction" in several.out
    found = json.loads(lindy("audit", table, *whole, "--json").out)
    assert found["labels_joined_by"] == mark.strip()
    assert not [finding for finding in found["findings"] if finding["kind"] == "label error"]


def test_labels_with_a_comma_in_their_names_are_audited(tmp_path: Path, lindy: Command) -> None:
    draw = random.Random(0)
    names = {
        "Salem, OR": "willamette river",
        "Portland, OR": "rose garden",
        "Portland, ME": "lobster harbour",
    }
    rows = [
        [name, f"{' '.join(draw.choices(names[name].split(), k=5))} number{i}"]
        for i in range(40)
        for name in names
    ]
    rows[4][0] = "Salem, OR"  # of Portland, OR
    table = tmp_path / "towns.csv"
    with table.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["label", "text"], *rows])
    found = json.loads(lindy("audit", table, "--json").out)
    assert found["labels_joined_by"] is None
    (error,) = [finding for finding in found["findings"] if finding["kind"] == "label error"]
    assert (error["row"], error["label"], error["suggestion"]) == (5, "Salem, OR", "Portland, OR")
    assert error["score"] >= error["suggestion_score"] > 0.1


def test_train_says_before_the_fit_that_labels_are_joined(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "t.csv"
    rows = [f"text {i} {label},{label}" for i, label in enumerate(["a", "b", "a|b", "b|c", "c"] * 6)]
    table.write_text("text,label\n" + "\n".join(rows) + "\n")
    told = lindy("train", table, "-o", tmp_path / "m.lindy", "--learner", "naive-bayes")
    assert told.code == 0, told.err
    assert told.err.count("are others joined by '|'") == 1
    assert told.err.index("joined by") < told.err.index("trained naive-bayes")
