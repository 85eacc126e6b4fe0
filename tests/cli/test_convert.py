"""``lindy convert``, and training on what it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Command, lindy_process
from tests.cli.test_bad_input import assert_refused


@pytest.mark.parametrize("name", ["r.ft", "r.vw", "r.review", "r.svm", "r.jsonl.gz", "r.parquet", "folder"])
def test_train_on_any_format(table: Path, tmp_path: Path, lindy: Command, name: str) -> None:
    converted, model = tmp_path / name, tmp_path / "m.lindy"
    assert lindy("convert", table, converted, "-q").code == 0
    outcome = lindy("train", converted, "-o", model, "--learner", "naive-bayes")
    what = "rows" if name in ("r.vw", "r.review", "r.svm") else "texts"
    assert f"4 {what}, 2 classes" in outcome.err
    assert lindy("evaluate", model, converted, "--quiet").out.startswith("accuracy  1.0000")
    assert len(lindy("predict", model, converted, "--quiet").out.splitlines()) == 5


def test_folders_of_classes(table: Path, tmp_path: Path, lindy: Command) -> None:
    folder, model = tmp_path / "reviews", tmp_path / "m.lindy"
    assert lindy("convert", table, folder).code == 0
    outcome = lindy("train", folder / "bad", folder / "good", "-o", model, "--learner", "naive-bayes")
    assert "bad 2, good 2" in outcome.err
    assert "4 examples" in lindy("evaluate", model, folder / "good", folder / "bad").out
    assert_refused(lindy("train", folder / "bad", folder / "good"), "several inputs", "-o", code=2)


def test_standard_input_and_output(table: Path) -> None:
    lines = lindy_process("convert", "-", "-", "--from", "csv", "--to", "fasttext", stdin=table.read_text())
    assert lines.out.splitlines()[0] == "__label__good a wonderful warm book"
    back = lindy_process("convert", "-", "-", "--from", "fasttext", "--to", "csv", stdin=lines.out)
    assert back.out.splitlines()[1] == '"a wonderful warm book","good"'


def test_json_and_remarks(table: Path, tmp_path: Path, lindy: Command) -> None:
    outcome = lindy("convert", table, tmp_path / "r.vw", "--json")
    record = json.loads(outcome.out)
    assert (record["rows"], record["from"], record["to"]) == (4, "csv", "vw")
    assert "note: the labels are words" in outcome.err


def test_bad_calls(table: Path, tmp_path: Path, lindy: Command) -> None:
    assert_refused(lindy("convert", table, tmp_path / "r.xyz"), "'.xyz' is not known", "--to")
    assert_refused(lindy("convert", table, "-"), "standard output has no extension", "--to")
    assert_refused(lindy("convert", table, tmp_path / "r.ft", "--columns", "x"), "svmlight")
    assert_refused(lindy("convert", table, tmp_path / "r.ft", "--label", "lable"), "Did you mean 'label'")
    assert_refused(lindy("convert", table, tmp_path / "r", "--to", "excel"), "invalid choice", code=2)
