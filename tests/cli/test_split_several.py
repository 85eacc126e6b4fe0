"""``lindy split`` of tables with several labels per row."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lindy.core.targets import as_targets
from lindy.data import read_examples
from tests.cli.conftest import Command


@pytest.mark.parametrize("separator", ["|", "found", "none"])
def test_every_part_has_its_share_of_each_label(lindy: Command, tmp_path: Path, separator: str) -> None:
    rng = np.random.default_rng(0)
    cells = ["|".join(f"l{k}" for k in rng.permutation(8)[: rng.integers(1, 4)]) for _ in range(300)]
    path = tmp_path / "t.csv"
    path.write_text("text,label\n" + "".join(f"text {i},{cell}\n" for i, cell in enumerate([*cells, ""])))
    given = [] if separator == "found" else ["--label-separator", separator]
    done = lindy("split", path, *given, "--parts", "a=1,b=1")
    assert done.code == 0, done.err
    assert ("joined by '|' (8 labels)" in done.err) == (separator == "found")
    parts = [read_examples(tmp_path / f"t-{name}.csv", label_separator="|") for name in "ab"]
    n_rows = sum(len(part.labels) for part in parts)
    assert n_rows == len(cells) + (separator != "none")  # the row without a label
    if separator != "none":
        counts = [as_targets(part.labels, several=True).counts for part in parts]
        assert (abs(counts[0] - counts[1]) <= 1).all()


def test_lists_and_columns_of_labels_are_dealt_out_too(lindy: Command, tmp_path: Path) -> None:
    lists, columns = tmp_path / "lists.jsonl", tmp_path / "columns.csv"
    lists.write_text('{"text": "a", "label": ["x", "y"]}\n{"text": "b", "label": []}\n' * 20)
    assert lindy("split", lists, "--parts", "a=1,b=1").code == 0
    assert sorted((tmp_path / "lists-a.csv").read_text().split()) == ["a,x|y"] * 10 + ["b,"] * 10 + [
        "text,label"
    ]
    columns.write_text("text,x,y\n" + "a,1,0\nb,,1\n" * 20)
    assert lindy("split", columns, "--labels", "x,y", "--parts", "a=1,b=1").code == 0
    assert sorted((tmp_path / "columns-a.csv").read_text().split()) == ["a,1,0"] * 10 + ["b,,1"] * 10 + [
        "text,x,y"
    ]


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ('{"text": "a", "label": ["x|y"]}\n', [], "line 1: the label 'x|y' contains '|'"),
        ('{"text": "a", "label": [], "x": 2}\n', ["--labels", "x,text"], "line 1: '2' in the column 'x'"),
        ('{"text": "a", "label": []}\n', [], "no row has a label"),
    ],
)
def test_bad_labels_are_named_before_anything_is_written(
    lindy: Command, tmp_path: Path, content: str, options: list[str], message: str
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(content * 4)
    done = lindy("split", path, *options)
    assert done.code != 0
    assert message in done.err
    assert sorted(tmp_path.iterdir()) == [path]
