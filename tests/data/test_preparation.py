"""How a table was read is kept with the model, and done again where another table allows it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from lindy import TextClassifier
from lindy.data import read_examples, read_table
from lindy.data.columns.label_cleaning import LabelRules
from lindy.data.columns.preparation import Preparation
from lindy.data.mail import MailWords
from lindy.errors import ModelFileError

CSV = "text,label\ncafé good,yes\ncafé bad,no\ngood good,Yes\nbad bad,NO\n"


def model_of(path: Path, **options: Any) -> TextClassifier:
    """Train on a table and read the model back from its file."""
    model = TextClassifier(learner="naive-bayes").fit_examples(read_examples(path, **options))
    model.save(path.with_suffix(".lindy"))
    return TextClassifier.load(path.with_suffix(".lindy"))


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "a.csv"
    path.write_text(CSV)
    return path


def test_nothing_is_kept_of_a_table_that_was_read_as_any(table: Path) -> None:
    model = model_of(table, rules=LabelRules())
    assert model.columns_ == {"text": "text", "label": "label", "text_is": "plain"}
    kept = Preparation.of(model)
    assert kept.reading([str(table)], {}) == dict.fromkeys(("format", "encoding", "sheet", "header_row"))
    assert kept.rules() == LabelRules()


def test_spellings_and_blank_labels(table: Path) -> None:
    kept = Preparation.of(model_of(table, rules=LabelRules(strict=True, merge="case")))
    assert kept.rules(["yes"]) == LabelRules(strict=True, merge="case", known=("yes",))
    given = kept.rules(merge_labels="none", strict=False)
    assert given == LabelRules(merge="none"), "who asks for something else gets it"


def test_an_encoding_is_taken_where_the_text_is_not_utf_8(table: Path, tmp_path: Path) -> None:
    table.write_bytes(CSV.encode("cp1252"))
    kept = Preparation.of(model_of(table, encoding="cp1252"))
    assert kept.read(str(table)).column("text")[0].as_py() == "café good"
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        other = tmp_path / "other.csv"
        other.write_bytes(CSV.encode(encoding))
        assert kept.read(str(other)).column("text")[0].as_py() == "café good"
    assert kept.reading([str(table)], {"encoding": "latin-1"})["encoding"] == "latin-1"


def test_zeros_are_no_text_in_utf_8(table: Path) -> None:
    table.write_bytes("text,label\ngood,yes\nbad,no\n".encode("utf-16-le"))
    kept = Preparation.of(model_of(table, encoding="utf-16-le"))
    assert kept.read(str(table)).column("text").to_pylist() == ["good", "bad"]


def test_a_format_is_taken_where_the_name_tells_none(table: Path, tmp_path: Path) -> None:
    nameless = table.rename(tmp_path / "a.dat")
    kept = Preparation.of(model_of(nameless, format="csv"))
    assert kept.read(str(nameless)).num_rows == 4
    assert kept.reading(["b.jsonl"], {})["format"] is None
    assert kept.reading(["-"], {})["format"] is None
    assert kept.reading(["model.lindy"], {})["format"] is None


@pytest.mark.parametrize("kind", ["fasttext", "lines"])
def test_a_stream_has_the_format_of_the_training_where_its_beginning_does_not_tell_it(
    table: Path, kind: str
) -> None:
    kept = replace(Preparation.of(model_of(table)), format=kind)
    assert kept.reading(["-"], {})["format"] == kind
    assert kept.reading(["-"], {"format": "csv"})["format"] == "csv"
    assert kept.reading(["b.csv"], {})["format"] is None


def test_a_header_row_is_taken_where_its_names_are(tmp_path: Path) -> None:
    path, plain = tmp_path / "titled.csv", tmp_path / "plain.csv"
    path.write_text("made by Ann\n\n" + CSV)
    plain.write_text(CSV)
    table = read_table(path, header_row=3)
    assert table.column_names == ["text", "label"]
    assert table.place(0) == f"{path}, line 4 (row 1)"
    kept = Preparation.of(model_of(path, header_row=3))
    assert kept.read(str(path)).num_rows == kept.read(str(plain)).num_rows == 4


def test_models_of_earlier_versions_read_folders_as_they_did(table: Path, tmp_path: Path) -> None:
    model = model_of(table)
    model.columns_ = {"text": "text", "label": "label"}
    (tmp_path / "mail").mkdir()
    assert Preparation.of(model).reading([str(tmp_path / "mail")], {})["format"] == "folder"
    assert Preparation.of(model).reading(["a.eml"], {})["format"] is None
    model.columns_ = MailWords().to_state() | {"text": "text", "label": "label"}
    assert Preparation.of(model).reading([str(tmp_path / "mail")], {})["format"] == "mail"
    assert Preparation.of(model).reading(["-"], {})["format"] is None


@pytest.mark.parametrize("forged", [{"merge_labels": "all"}, {"format": "exe"}, {"header_row": "-1"}])
def test_a_forged_file_is_refused(table: Path, forged: dict[str, str]) -> None:
    model = model_of(table)
    model.columns_ |= forged
    with pytest.raises(ModelFileError, match="how tables are read"):
        Preparation.of(model)
