"""``lindy train --tree`` and what later commands say of such a model."""

from __future__ import annotations

import json
from pathlib import Path

from lindy import load
from lindy.linear import OneVsRest
from tests.cli.conftest import Command
from tests.test_label_trees import labelled


def test_commands(lindy: Command, tmp_path: Path) -> None:
    several = labelled(60)
    table = tmp_path / "tags.csv"
    rows = zip(several[0], several[1], strict=True)
    table.write_text("text,labels\n" + "".join(f"{text},{'|'.join(own)}\n" for text, own in rows))
    made = lindy(
        "train", table, "--tree", "--trees", "1", "--label-separator", "|", "-o", tmp_path / "m.lindy"
    )
    assert made.code == 0, made.err
    assert "a label tree of 1 nodes each over 60 labels (as asked for)" in made.err
    assert "labels are given from the probability" in made.err
    looked = lindy("inspect", tmp_path / "m.lindy")
    assert "label tree" in looked.out
    assert "those dropped change the sum" in looked.out
    assert "every label from" in looked.out
    told = json.loads(lindy("inspect", tmp_path / "m.lindy", "--json").out)
    assert len(told["label tree"]) == 2
    said = lindy("predict", tmp_path / "m.lindy", table, "--top-k", "3")
    assert said.out.splitlines()[0].startswith(
        "label,probability,label_2,probability_2,label_3,probability_3"
    )
    assert len(said.out.splitlines()) == len(several[0]) + 1
    judged = lindy("evaluate", tmp_path / "m.lindy", table, "--json")
    assert judged.code == 0, judged.err
    shown = lindy("explain", tmp_path / "m.lindy", several[0][0])
    assert "speaks for" in shown.out
    flat = lindy(
        "train", table, "--no-tree", "--label-separator", "|", "--fast", "-o", tmp_path / "flat.lindy"
    )
    assert flat.code == 0, flat.err
    assert isinstance(load(tmp_path / "flat.lindy").learner_, OneVsRest)
