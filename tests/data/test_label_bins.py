"""Labels made of numeric scores, in training and again afterwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from lindy.data import read_examples
from lindy.data.columns.label_bins import LabelBins
from lindy.data.columns.label_cleaning import LabelRules
from lindy.errors import DataError

BINS = "1-2:neg,4-5:pos"


def table(path: Path, scores: str = "1 2 3 4 5") -> Path:
    said = {"1": "awful dull", "2": "dull book", "3": "a book", "4": "good book", "5": "good fun"}
    rows = [f"{said.get(score, 'a text')} {i},{score}" for i, score in enumerate(scores.split(" ") * 6)]
    path.write_text("text,stars\n" + "\n".join(rows) + "\n")
    return path


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        (BINS, ["neg", "neg", "", "pos", "pos"]),
        ("..2.5:low, 3..:high", ["low", "low", "high", "high", "high"]),
        ("3:mid", ["", "", "mid", "", ""]),
        ("-1-1.5:a,2-2:b", ["a", "b", "", "", ""]),
    ],
)
def test_bins_of_scores(text: str, labels: list[str]) -> None:
    bins = LabelBins.of(text)
    assert [bins.label(score) for score in (1, 2, 3, 4, 5)] == labels


@pytest.mark.parametrize(
    "text", ["", "neg", "1-2", "1-2:", ":neg", "..:all", "2-1:x", "1-3:a,3-4:b", "a-b:c"]
)
def test_what_is_no_bins_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not LOW-HIGH:LABEL|empty, write 1-2|have 3 in common"):
        LabelBins.of(text)


def test_rows_between_are_left_out_and_that_is_said(tmp_path: Path) -> None:
    rules = LabelRules(bins=LabelBins.of(BINS))
    data = read_examples(table(tmp_path / "t.csv"), label="stars", rules=rules)
    assert sorted(set(data.labels.to_pylist())) == ["neg", "pos"]
    assert len(data.texts) == 24
    assert any(
        "left out 6 of 30 rows, which have no label, or one that is in none of 1-2:neg,4-5:pos" in remark
        for remark in data.table.remarks
    )
    with pytest.raises(DataError, match=r"line 3.*'many' is no number, expected a score"):
        read_examples(table(tmp_path / "u.csv", "1 many 5"), label="stars", rules=rules)
