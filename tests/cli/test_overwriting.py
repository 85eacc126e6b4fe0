"""No command overwrites what it reads, nor without ``--force`` a file of another kind."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lindy.files.output_guard import MODEL, PAGE, PICTURE, TABLE, kind_of, note_input, protecting
from tests.cli.conftest import Command
from tests.cli.test_bad_input import assert_refused

Words = Callable[[Path, Path, Path], list[object]]

# each writes to its last argument while it reads the table or the model
COMMANDS: dict[str, Words] = {
    "train": lambda table, _, out: ["train", table, "--learner", "naive-bayes", "-o", out],
    "train --report": lambda table, _, out: [
        "train", table, "--learner", "naive-bayes", "-o", table.parent / "new.lindy", "--report", out,
        "--test", table,
    ],
    "tune": lambda table, _, out: ["tune", table, "--learner", "naive-bayes", "-o", out],
    "predict": lambda table, model, out: ["predict", model, table, "--to", "csv", "-o", out],
    "convert": lambda table, _, out: ["convert", table, out, "--to", "jsonl"],
    "audit": lambda table, _, out: ["audit", table, "-o", out],
    "report": lambda table, model, out: ["report", model, table, "-o", out],
    "explain": lambda _, model, out: ["explain", model, "a wise book", "--html", out],
    "inspect": lambda _, model, out: ["inspect", model, "--weights", out],
    "compare": lambda table, _, out: ["compare", table, "--learner", "naive-bayes", "--report", out],
    "convert-model": lambda _, model, out: ["convert-model", model, out],
    "plot": lambda table, model, out: ["plot", "confusion", model, table, "--format", "csv", "-o", out],
}  # fmt: skip
READS_NO_TABLE = ("explain", "inspect", "convert-model")


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in READS_NO_TABLE])
@pytest.mark.parametrize("link", [None, os.link, os.symlink], ids=["itself", "hard link", "symbolic link"])
def test_the_table_is_kept(
    name: str,
    link: Callable[[Path, Path], None] | None,
    table: Path,
    model: Path,
    tmp_path: Path,
    lindy: Command,
) -> None:
    if name == "plot":  # whose output ends in .png
        table = table.rename(tmp_path / "table.png")
    before, out = table.read_bytes(), table
    if link is not None:
        out = tmp_path / f"other{table.suffix}"
        link(table, out)
    outcome = lindy(*COMMANDS[name](table, model, out), "--force")
    assert outcome.code == 1
    assert f"{out} is read by this command and would be overwritten" in outcome.err
    assert table.read_bytes() == before
    assert [each.name for each in tmp_path.iterdir() if each.name.startswith(".lindy-")] == []


@pytest.mark.parametrize("name", ["predict", "report", "explain"])
def test_the_model_is_kept(name: str, table: Path, model: Path, lindy: Command) -> None:
    before = model.read_bytes()
    outcome = lindy(*COMMANDS[name](table, model, model), "--force")
    assert outcome.code == 1
    assert "is read by this command" in outcome.err
    assert model.read_bytes() == before


@pytest.mark.parametrize("name", COMMANDS)
def test_another_kind_of_file_is_kept_unless_forced(
    name: str, table: Path, model: Path, tmp_path: Path, lindy: Command
) -> None:
    out = tmp_path / ("precious.png" if name == "plot" else "precious")
    page_or_table = (
        b"<!DOCTYPE html><p>mine</p>" if name in ("predict", "convert", "audit", "inspect") else b"a,b\n1,2\n"
    )
    out.write_bytes(page_or_table)
    refused = lindy(*COMMANDS[name](table, model, out))
    assert refused.code == 1
    assert f"{out} exists and is not" in refused.err
    assert "--force" in refused.err
    assert out.read_bytes() == page_or_table
    assert lindy(*COMMANDS[name](table, model, out), "--force").code == 0
    assert out.read_bytes() != page_or_table
    assert lindy(*COMMANDS[name](table, model, out)).code == 0, "a file of the same kind is replaced"


def test_split_keeps_its_table_where_a_part_would_have_its_name(
    table: Path, tmp_path: Path, lindy: Command
) -> None:
    part = tmp_path / f"{table.stem}-train.csv"
    os.link(table, part)
    before = table.read_bytes()
    assert_refused(lindy("split", table, "--parts", "train=0.5,test=0.5"), "is read by this command")
    assert table.read_bytes() == part.read_bytes() == before


def test_kinds_are_known_by_their_first_bytes(model: Path, tmp_path: Path) -> None:
    def kind(contents: bytes) -> str | None:
        path = tmp_path / "file"
        path.write_bytes(contents)
        return kind_of(str(path))

    assert kind_of(str(model)) == MODEL
    assert kind_of(str(tmp_path / "missing")) is None
    assert kind(b"") is None
    assert kind(b"\xef\xbb\xbf\n<HTML>") == PAGE
    assert kind(b"<?xml version='1.0'?><svg>") == PICTURE
    assert kind(b"\x89PNG\r\n") == PICTURE
    assert kind(b"text,label\n") == kind(b"PAR1") == kind(b"PK\x03\x04") == TABLE


def test_the_library_writes_where_it_is_told(table: Path) -> None:
    import lindy
    from lindy.data import read_examples

    data = read_examples(table)
    lindy.TextClassifier(learner="naive-bayes").fit(data.texts, data.labels.to_pylist()).save(table)
    assert kind_of(str(table)) == MODEL


def test_an_inner_protection_knows_only_its_own_inputs(table: Path) -> None:
    from lindy.errors import OutputError
    from lindy.files.atomic import check_writable

    with protecting():
        note_input(table)
        with protecting():
            check_writable(table, TABLE)
        with pytest.raises(OutputError, match="is read by this command"):
            check_writable(table, TABLE)
    check_writable(table, MODEL)


def test_parts_replace_no_table_with_other_texts(tmp_path: Path, lindy: Command) -> None:
    table, other = tmp_path / "t.csv", tmp_path / "t-test.csv"
    table.write_text("text,label\n" + "".join(f"text {k},{'ab'[k % 2]}\n" for k in range(40)))
    for content in ("text,label\ntext 1,b\nmine,a\n", "name,value\nmine,1\n"):
        other.write_text(content)
        assert_refused(lindy("split", table), "there is another table of this name")
        assert other.read_text() == content
        assert not (tmp_path / "t-train.csv").exists()
    assert lindy("split", table, "--force").code == 0
    first = other.read_text()
    assert lindy("split", table, "--seed", 3).code == 0  # all its texts are in the table
    assert other.read_text() != first
    features = tmp_path / "b.svm"
    features.write_text("".join(f"{k % 2} {k % 5 + 1}:1\n" for k in range(40)))
    (tmp_path / "b-test.csv").write_text("name,value\nmine,1\n")  # its parts have other names
    assert lindy("split", features).code == 0
