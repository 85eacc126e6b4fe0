"""``lindy embed``: a table without labels becomes a file of vectors."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lindy.features.vector_files import read_vectors
from tests.cli.conftest import Command


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rows = "".join(
        f"{word} and {mark} number {i}\n"
        for i in range(5)
        for word, mark in (("tea", "hot"), ("ice", "cold"))
    )
    path = tmp_path / "all.csv"
    path.write_text("text\n" + rows)
    return path


def test_vectors_are_learned_and_stand_beside_words(lindy: Command, tmp_path: Path, table: Path) -> None:
    target = tmp_path / "v.safetensors"
    done = lindy("embed", table, "-o", target, "--dimensions", 2, "--json")
    assert done.code == 0
    record = json.loads(done.out)
    vectors = read_vectors(target)
    assert vectors.words is not None
    assert (record["words"], record["dimensions"], record["texts"]) == (len(vectors.words), 2, 10)
    assert record["bytes"] == target.stat().st_size
    before = target.read_bytes()
    assert lindy("embed", table, "-o", target, "--dimensions", 2, "--threads", 1).code == 0
    assert target.read_bytes() == before
    labelled = tmp_path / "labelled.csv"
    labelled.write_text("label,text\n" + "warm,hot tea\ncold,cold ice\n" * 3)
    model = tmp_path / "m.lindy"
    assert lindy("train", labelled, "-o", model, "--learner", "svm", "--embedding", target).code == 0
    assert "embedding[1]" in lindy("inspect", model, "--top", 100, "--json").out


def test_texts_without_a_frequent_word_are_an_error(lindy: Command, tmp_path: Path, table: Path) -> None:
    done = lindy("embed", table, "-o", tmp_path / "v.safetensors", "--min-df", 11)
    assert done.code == 1
    assert "no word is in 11 of the texts" in done.err
    assert not (tmp_path / "v.safetensors").exists()


def test_the_column_of_the_texts_is_found_or_named(lindy: Command, tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("title,body\n" + "tea time,nothing here\n" * 4)
    assert lindy("embed", path, "-o", tmp_path / "v.safetensors", "--text", "title").code == 0
    assert read_vectors(tmp_path / "v.safetensors").words == ["tea", "time"]


def test_an_input_is_not_overwritten(lindy: Command, table: Path) -> None:
    before = table.read_bytes()
    assert lindy("embed", table, "-o", table).code != 0
    assert table.read_bytes() == before


def test_a_file_that_holds_no_vectors_is_an_error(lindy: Command, tmp_path: Path, table: Path) -> None:
    (tmp_path / "labelled.csv").write_text("label,text\na,tea\nb,ice\n")
    done = lindy(
        "train", tmp_path / "labelled.csv", "-o", tmp_path / "m", "--embedding", tmp_path / "none.vec"
    )
    assert done.code == 1
    assert "none.vec: cannot be read" in done.err
