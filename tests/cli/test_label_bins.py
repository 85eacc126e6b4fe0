"""``--label-bins``: labels made of numeric scores, in training and again afterwards."""

from __future__ import annotations

import json
from pathlib import Path

from lindy.textclassifier import load
from tests.cli.conftest import Command
from tests.data.test_label_bins import BINS, table


def test_the_model_makes_them_again(tmp_path: Path, lindy: Command) -> None:
    data, model = table(tmp_path / "t.csv"), tmp_path / "m.lindy"
    told = lindy("train", data, "--label", "stars", "--label-bins", BINS, "--learner", "svm", "-o", model)
    assert told.code == 0, told.err
    assert "left out 6 of 30 rows" in told.err
    assert load(model).classes_.tolist() == ["neg", "pos"]
    told = lindy("evaluate", model, data, "--json")
    assert told.code == 0, told.err
    assert json.loads(told.out)["accuracy"] == 1
    assert BINS in lindy("inspect", model).out
    named = tmp_path / "named.csv"
    named.write_text("text,stars\nawful dull,neg\ngood fun,pos\n")
    assert lindy("evaluate", model, named).code == 0
    told = lindy(
        "train", data, "--label", "stars", "--label-bins", BINS, "--memory", "50MB", "--fast", "-o", model
    )
    assert told.code == 0, told.err
    assert load(model).classes_.tolist() == ["neg", "pos"]


def test_bad_bins_on_the_command_line(tmp_path: Path, lindy: Command) -> None:
    data = table(tmp_path / "t.csv")
    told = lindy("train", data, "--label", "stars", "--label-bins", "1-3:a,3-5:b", "-o", tmp_path / "m")
    assert told.code == 2
    assert "the ranges of 'a' and 'b' have 3 in common" in told.err
    told = lindy("train", data, "--label", "stars", "--label-bins", BINS, "--strict", "-o", tmp_path / "m")
    assert told.code == 2
    assert "argument --strict: --label-bins leaves rows out" in told.err
