"""What was done to a table in training is done again by every command that has the model."""

from __future__ import annotations

import csv
import io
import json
import sys
from pathlib import Path

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lindy.cli.app import run
from tests.cli.conftest import Command

ROWS = [
    (f"{words} {i}", label)
    for i in range(6)
    for words, label in (
        ("a wonderful warm café", ("Good", "good", "GOOD", "Good", "Good", "good")[i]),
        ("a dull empty café", ("Bad", "bad", "Bad")[i % 3]),
    )
]
FAST = ("--learner", "naive-bayes", "--merge-labels", "case", "-q")


def table(path: Path, *, encoding: str = "utf-8", above: str = "") -> Path:
    made = io.StringIO()
    csv.writer(made, lineterminator="\n").writerows([["text", "label"], *ROWS])
    path.write_bytes((above + made.getvalue()).encode(encoding))
    return path


@pytest.fixture
def merged(tmp_path: Path, lindy: Command) -> Path:
    """A model whose labels were merged by case."""
    model, data = tmp_path / "m.lindy", table(tmp_path / "a.csv")
    assert lindy("train", data, "-o", model, *FAST).code == 0
    return model


def test_labels_that_were_merged_are_merged_again(merged: Path, tmp_path: Path, lindy: Command) -> None:
    data = tmp_path / "a.csv"
    outcome = lindy("evaluate", merged, data)
    assert outcome.out.startswith("accuracy  1.0000")
    assert "does not know" not in outcome.err
    assert "this table was used for training" in outcome.err
    assert json.loads(lindy("evaluate", merged, data, "--json").out)["unknown_labels"] == {}
    other = lindy("evaluate", merged, data, "--merge-labels", "spaces")
    assert "labels that the model does not know" in other.err
    updated = lindy("update", merged, data, "-o", tmp_path / "more.lindy", "--json")
    assert json.loads(updated.out)["new classes"] == []
    assert "learned from this very table before" in updated.err
    audited = json.loads(lindy("audit", data, "--model", merged, "--json").out)
    assert sorted(audited["classes"].values()) == [6, 6]
    assert len(json.loads(lindy("audit", data, "--json").out)["classes"]) == 5


def test_inspect_says_how_tables_are_read(merged: Path, tmp_path: Path, lindy: Command) -> None:
    assert "merge-labels case, as in training" in lindy("inspect", merged).out
    plain = tmp_path / "plain.lindy"
    assert lindy("train", tmp_path / "a.csv", "-o", plain, "--learner", "naive-bayes", "-q").code == 0
    assert "as in training" not in lindy("inspect", plain).out


def test_a_report_of_merged_labels(merged: Path, tmp_path: Path, lindy: Command) -> None:
    page = tmp_path / "r.html"
    assert lindy("report", merged, tmp_path / "a.csv", "-o", page, "-q").code == 0
    assert "(unknown)" not in page.read_text()
    assert "GOOD" not in page.read_text()


def test_tables_in_parts(
    merged: Path, tmp_path: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lindy.cli.io.reading.AT_ONCE", 10)
    outcome = lindy("evaluate", merged, tmp_path / "a.csv")
    assert outcome.out.startswith("accuracy  1.0000")
    assert "this table was used for training" in outcome.err


def test_blank_labels_that_were_refused(tmp_path: Path, lindy: Command) -> None:
    model, data = tmp_path / "m.lindy", table(tmp_path / "a.csv")
    assert lindy("train", data, "--strict", "-o", model, *FAST).code == 0
    data.write_text(data.read_text() + "nothing,\n")
    assert "the label is empty" in lindy("evaluate", model, data).err
    assert lindy("evaluate", model, data, "--no-strict").code == 0


def test_an_encoding(tmp_path: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    model, data = tmp_path / "m.lindy", table(tmp_path / "a.csv", encoding="cp1252")
    assert lindy("train", data, "--encoding", "cp1252", "-o", model, *FAST).code == 0
    outcome = lindy("evaluate", model, data)
    assert outcome.out.startswith("accuracy  1.0000")
    assert f"{data}: read as cp1252" in outcome.err
    assert "this table was used for training" in outcome.err
    same = table(tmp_path / "utf8.csv")
    assert "this table was used for training" in lindy("evaluate", model, same).err
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data.read_bytes())))
    assert len(lindy("predict", model, "-").out.splitlines()) == 13
    assert lindy("update", model, data, "-o", tmp_path / "more.lindy").code == 0
    assert lindy("predict", model, data, "--encoding", "ascii").code != 0


def test_lines_from_a_stream(tmp_path: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    data, model = tmp_path / "a.dat", tmp_path / "m.lindy"
    data.write_text("__label__pos good, fine\n__label__neg bad, dull\n" * 4)
    assert lindy("train", data, "--format", "fasttext", "-o", model, *FAST).code == 0
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(b"good, fine\nbad\n__label__pos dull, bad\n"))
    )
    outcome = lindy("predict", model, "-")
    assert [line.split(",")[0] for line in outcome.out.splitlines()] == ["label", "pos", "neg", "neg"]


def test_a_sheet_and_a_header_row(tmp_path: Path, lindy: Command) -> None:
    book = openpyxl.Workbook()
    book.active.append(["cover"])
    sheet = book.create_sheet("Tickets")
    for row in ([], ["x", "y"], ["text", "label"], *ROWS):
        sheet.append(row)
    path, model = tmp_path / "b.xlsx", tmp_path / "m.lindy"
    book.save(path)
    refused = lindy("train", path, "-o", model, *FAST)
    assert "The workbook also has the sheet 'Tickets'" in refused.err
    assert "commas" not in refused.err
    options = ("--sheet", "Tickets", "--header-row", "3")
    assert lindy("train", path, *options, "-o", model, *FAST).code == 0
    assert lindy("evaluate", model, path).out.startswith("accuracy  1.0000")
    assert lindy("audit", path, "--model", model).code == 0
    plain = table(tmp_path / "a.csv")
    assert lindy("evaluate", model, plain).out.startswith("accuracy  1.0000")
    swapped = lindy("predict", path, model)
    assert "it looks like a workbook" in swapped.err
    assert "Give the model file first" in swapped.err


def test_lines_above_the_header_of_a_csv(tmp_path: Path, lindy: Command) -> None:
    model, data = tmp_path / "m.lindy", table(tmp_path / "a.csv", above="Tickets\n")
    assert "--header-row" in lindy("train", data, "-o", model, *FAST).err
    assert lindy("train", data, "--header-row", "2", "-o", model, *FAST).code == 0
    assert lindy("evaluate", model, data).out.startswith("accuracy  1.0000")
    assert lindy("evaluate", model, table(tmp_path / "plain.csv")).out.startswith("accuracy  1.0000")


def test_a_format_that_no_name_tells(tmp_path: Path, lindy: Command) -> None:
    model, data = tmp_path / "m.lindy", table(tmp_path / "a.dat")
    assert lindy("train", data, "--format", "csv", "-o", model, *FAST).code == 0
    assert lindy("evaluate", model, data).out.startswith("accuracy  1.0000")


def test_the_same_bytes_whatever_memory_is_allowed(tmp_path: Path, lindy: Command) -> None:
    data, models = table(tmp_path / "a.csv", encoding="cp1252"), [tmp_path / "1.lindy", tmp_path / "2.lindy"]
    for model, memory in zip(models, ("1GB", "1"), strict=True):
        options = ("--encoding", "cp1252", "--memory", memory)
        assert lindy("train", data, *options, "-o", model, *FAST).code == 0
    assert models[0].read_bytes() == models[1].read_bytes()


def test_a_folder_of_parquet_files(tmp_path: Path, lindy: Command) -> None:
    for year in (2023, 2024):
        (tmp_path / "ds" / f"year={year}").mkdir(parents=True)
        for part in range(2):
            own = ROWS[part::2] if year == 2023 else []
            columns = {
                name: pa.array([row[k] for row in own], pa.string())
                for k, name in enumerate(("text", "label"))
            }
            pq.write_table(pa.table(columns), tmp_path / "ds" / f"year={year}" / f"part-{part}.parquet")
    (tmp_path / "ds" / "_SUCCESS").touch()
    model = tmp_path / "m.lindy"
    assert lindy("train", tmp_path / "ds", "-o", model, *FAST).code == 0
    assert lindy("evaluate", model, tmp_path / "ds").out.startswith("accuracy  1.0000")
    assert len(lindy("predict", model, tmp_path / "ds", "--keep", "year").out.splitlines()) == 13
    empty = lindy("train", tmp_path / "ds" / "year=2024", "-o", model, *FAST)
    assert "there is no row" in empty.err


def test_labels_that_often_stand_for_none_are_remarked_on(tmp_path: Path, lindy: Command) -> None:
    model, data = tmp_path / "m.lindy", table(tmp_path / "a.csv")
    data.write_text(data.read_text() + "what,N/A\nis it,-\nthis,-\n")
    said = lindy("train", data, "-o", model, "--learner", "naive-bayes").err
    assert "'N/A' (1), '-' (2) are classes like any other" in said
    assert "like any other" not in lindy("evaluate", model, data).err, "they are classes of the model"
    data.write_text("text,label\na,+\nb,-\n")
    assert "like any other" not in lindy("train", data, "-o", model, "--learner", "naive-bayes").err


def test_the_service_merges_labels_of_its_test_table(merged: Path, tmp_path: Path) -> None:
    from lindy.web.model_registry import LoadedModel
    from lindy.web.testing import TestFile

    served = LoadedModel("m", str(merged))
    tested = TestFile(str(tmp_path / "a.csv"))(served)
    assert tested.evaluation.accuracy == 1
    assert list(tested.evaluation.labels) == ["Bad", "Good"]


def test_a_model_whose_reading_is_forged(
    merged: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from lindy.textclassifier import load

    model = load(merged)
    model.columns_["format"] = "nonsense"
    model.save(tmp_path / "forged.lindy")
    assert run(["predict", str(tmp_path / "forged.lindy"), str(tmp_path / "a.csv")]) != 0
    assert "how tables are read" in capsys.readouterr().err
