"""Exports of a help desk: what ``predict`` copies and writes, and tables that are not as clean as one would wish."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import openpyxl
import pyarrow.parquet as pq
import pytest

from tests.cli.conftest import Command

TICKETS = 'id,text,date,label\n7,"wonderful, wise",2024-05-01,good\n8,dull,2024-05-02,\n'


@pytest.fixture
def tickets(tmp_path: Path) -> Path:
    path = tmp_path / "tickets.csv"
    path.write_text(TICKETS, encoding="utf-8")
    return path


def read_rows(text: str, delimiter: str = ",") -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter))


def test_the_name_of_the_output_says_its_format(
    model: Path, tickets: Path, tmp_path: Path, lindy: Command
) -> None:
    told = {}
    for kind in ("csv", "tsv", "jsonl", "parquet", "xlsx"):
        out = tmp_path / f"out.{kind}"
        assert lindy("predict", model, tickets, "--keep", "all", "-o", out).code == 0
        told[kind] = out
    expected = read_rows(told["csv"].read_text())
    assert list(expected[0]) == ["id", "text", "date", "label", "predicted_label", "probability"]
    assert [row["predicted_label"] for row in expected] == ["good", "bad"]
    assert read_rows(told["tsv"].read_text(), "\t") == expected
    book = list(openpyxl.load_workbook(told["xlsx"]).active.values)
    for records in (
        [dict(zip(book[0], row, strict=True)) for row in book[1:]],
        [json.loads(line) for line in told["jsonl"].read_text().splitlines()],
        pq.read_table(told["parquet"]).to_pylist(),
    ):
        assert [list(record) for record in records] == [list(expected[0])] * 2
        assert [record["id"] for record in records] == ["7", "8"]
        for record, row in zip(records, expected, strict=True):
            assert record["probability"] == pytest.approx(float(row["probability"]), abs=1e-5)
    assert read_rows(lindy("predict", model, tickets, "--to", "tsv").out, "\t")[0]["label"] == "good"


def test_an_output_of_another_format_is_refused_before_the_work(
    model: Path, tickets: Path, tmp_path: Path, lindy: Command
) -> None:
    told = lindy("predict", model, tickets, "-o", tmp_path / "out.svm")
    assert told.code == 2
    assert "'.svm'" in told.err
    assert ".parquet" in told.err
    assert lindy("predict", model, tickets, "-o", tmp_path / "out.svm", "--to", "csv").code == 0


def test_kept_columns_come_in_the_order_of_the_input(model: Path, tickets: Path, lindy: Command) -> None:
    told = lindy("predict", model, tickets, "--keep", "date,id")
    assert told.out.splitlines()[0] == "id,date,label,probability"
    told = lindy("predict", model, tickets, "--keep", "dates")
    assert told.code == 1
    assert "no column 'dates'" in told.err
    assert "'date'" in told.err


def test_fields_with_delimiters_and_line_breaks_come_back_as_they_were(
    model: Path, tmp_path: Path, lindy: Command
) -> None:
    odd = ['a,"b"', "two\nlines", "a\tb", " c ", ""]
    table = tmp_path / "odd.jsonl"
    rows = [{"key": value, "text": "dull"} for value in odd] + [{"key": None, "text": "dull"}]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows))
    for kind, delimiter in (("csv", ","), ("tsv", "\t")):
        told = lindy("predict", model, table, "--keep", "key", "--to", kind)
        assert [row["key"] for row in read_rows(told.out, delimiter)] == [*odd, ""]
    told = lindy("predict", model, table, "--keep", "key", "--json")
    assert [json.loads(line)["key"] for line in told.out.splitlines()] == [*odd, None]


@pytest.mark.parametrize("limit", ["0", "2"])
def test_a_rejected_row_keeps_its_best_guess(model: Path, tickets: Path, lindy: Command, limit: str) -> None:
    told = lindy("predict", model, tickets, "--reject", limit, "--top-k", "2")
    assert told.out.splitlines()[0] == (
        "label,probability,label_1,probability_1,label_2,probability_2"  # whether or not a row is rejected
    )
    rows = read_rows(told.out)
    assert [row["label"] for row in rows] == (["", ""] if limit == "2" else ["good", "bad"])
    assert [row["label_1"] for row in rows] == ["good", "bad"]
    assert [row["label_2"] for row in rows] == ["bad", "good"]
    assert all(float(row["probability_1"]) > float(row["probability_2"]) for row in rows)
    record = json.loads(lindy("predict", model, tickets, "--reject", limit, "--json").out.splitlines()[0])
    assert record["label_1"] == "good"


MESSY = (
    "text,label\na wonderful warm book,Refund\nwonderful and wise,Refund \nwise and warm,Refund\u00a0\n"
    "so wise,refund\nno label here,\na dull long book,Café\ndull and empty,Cafe\u0301\nnor here, \n"
)


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    path = tmp_path / "messy.csv"
    path.write_text(MESSY, encoding="utf-8")
    return path


def test_rows_without_a_label_are_left_out_and_named(messy: Path, tmp_path: Path, lindy: Command) -> None:
    path = tmp_path / "m.lindy"
    said = "left out 2 of 8 rows, which have no label in column 'label': rows 5, 8 "
    for words in (
        ("train", messy, "-o", path, "--learner", "naive-bayes"),
        ("evaluate", path, messy),
        ("audit", messy),
        ("compare", messy, "--share", "0.4", "--learner", "naive-bayes"),
        ("tune", messy, "--learner", "naive-bayes", "--dev", messy),
        ("split", messy, "--parts", "train=0.5,test=0.5"),
    ):
        told = lindy(*words)
        assert told.code == 0, told.err
        assert said in told.err
        told = lindy(*words, "--strict")
        assert told.code == 1
        assert f"{messy}, line 6 (row 5): the label is empty (column 'label')" in told.err
    parts = [read_rows((tmp_path / f"messy-{part}.csv").read_text()) for part in ("train", "test")]
    assert sorted(row["label"] for part in parts for row in part) == ["Café"] * 2 + ["Refund"] * 3 + [
        "refund"
    ]


def test_nulls_are_blank_labels(tmp_path: Path, lindy: Command) -> None:
    table = tmp_path / "t.jsonl"
    rows = [{"text": "wise", "label": "a"}, {"text": None, "label": None}, {"text": "dull", "label": "b"}]
    table.write_text("".join(json.dumps(row) + "\n" for row in rows * 3))
    for columns in ((), ("--category", "text", "--label", "label")):
        told = lindy("train", table, "-o", tmp_path / "m.lindy", "--learner", "naive-bayes", *columns)
        assert told.code == 0, told.err
        assert "left out 3 of 9 rows" in told.err
    table.write_text('{"text": "wise", "label": null}\n' * 2)
    told = lindy("train", table, "-o", tmp_path / "m.lindy", "--label", "label")
    assert told.code == 1
    assert "no row has a label (column 'label')" in told.err


@pytest.mark.parametrize(
    ("merge", "classes"),
    [
        ("spaces", {"Refund": 3, "refund": 1, "Café": 2}),
        ("case", {"Refund": 4, "Café": 2}),
        ("none", {"Refund": 1, "Refund ": 1, "Refund\u00a0": 1, "refund": 1, "Café": 1, "Cafe\u0301": 1}),
    ],
)
def test_spellings_of_a_label_are_merged(
    messy: Path, tmp_path: Path, lindy: Command, merge: str, classes: dict[str, int]
) -> None:
    path = tmp_path / "m.lindy"
    told = lindy("train", messy, "-o", path, "--learner", "naive-bayes", "--merge-labels", merge, "--json")
    assert told.code == 0, told.err
    assert json.loads(told.out)["classes"] == classes
    if merge != "none":
        assert r"'Refund' (1), 'Refund\x20' (1), 'Refund\xa0' (1)" in told.err
        assert r"'Café' (1), 'Cafe\u0301' (1) → 'Café'" in told.err
    assert ("(--merge-labels case merges them): 'Refund' (3), 'refund' (1)" in told.err) is (
        merge == "spaces"
    )


def test_the_audit_suggests_merges(messy: Path, lindy: Command) -> None:
    told = lindy("audit", messy)
    assert r"'Refund\xa0' (1) → 'Refund': merged" in told.out
    assert "'Refund' (3), 'refund' (1): merge? (--merge-labels case)" in told.out
    record = json.loads(lindy("audit", messy, "--json").out)
    assert {"into": "Refund", "counts": {"Refund": 3, "refund": 1}, "merged": False} in record["spellings"]
    assert {finding["row"] for finding in record["findings"]} <= {1, 2, 3, 4, 6, 7}


def test_labels_that_the_model_does_not_know_are_named(model: Path, tmp_path: Path, lindy: Command) -> None:
    test = tmp_path / "test.csv"
    test.write_text("text,label\nwonderful,good \ndull,BAD\ndull,so-so\n")
    told = lindy("evaluate", model, test)
    assert "2 of 3 rows have labels that the model does not know; they count as wrong: " in told.err
    assert "so-so (unknown)" in told.out
    record = json.loads(lindy("evaluate", model, test, "--merge-labels", "case", "--json").out)
    assert record["unknown_labels"] == {"so-so": 1}
    assert record["accuracy"] == pytest.approx(2 / 3)


def test_only_blank_labels_are_filled(model: Path, tickets: Path, lindy: Command) -> None:
    told = lindy("predict", model, tickets, "--only-unlabelled", "--keep", "all")
    assert told.out.splitlines()[0] == "id,text,date,label,probability"
    rows = read_rows(told.out)
    assert [row["label"] for row in rows] == ["good", "bad"]
    assert [bool(row["probability"]) for row in rows] == [False, True]
    assert "filled 1 labels; 1 rows keep theirs" in told.err
    told = lindy("predict", model, tickets, "--only-unlabelled", "--json", "--proba", "--top-k", "2")
    first, second = map(json.loads, told.out.splitlines())
    assert first == {"label": "good", "probability": None, "next": None, "probabilities": None}
    assert second["label"] == "bad"
    told = lindy("predict", model, tickets, "--only-unlabelled", "--label", "kind")
    assert told.code == 2
    assert "no column 'kind'" in told.err


def test_fasttext_lines_are_trained_on_and_predicted(tmp_path: Path, lindy: Command) -> None:
    lines = tmp_path / "tickets"
    lines.write_text("__label__good a wonderful book\n__label__bad a dull book\n" * 2)
    path = tmp_path / "m.lindy"
    assert lindy("train", lines, "-o", path, "--learner", "naive-bayes").code == 0
    told = lindy("predict", path, lines, "--keep", "all")
    assert told.code == 0, told.err
    assert read_rows(told.out)[0]["text"] == "a wonderful book"
    assert [row["predicted_label"] for row in read_rows(told.out)] == ["good", "bad"] * 2


def test_a_table_in_another_encoding(tmp_path: Path, lindy: Command) -> None:
    table, path = tmp_path / "t.csv", tmp_path / "m.lindy"
    table.write_bytes("text,label\ncafé,gut\nwise,schlecht\n".encode("cp1252"))
    told = lindy("train", table, "-o", path, "--learner", "naive-bayes")
    assert told.code == 1
    assert "line 2: byte 0xe9 is not valid UTF-8" in told.err
    assert "--encoding" in told.err
    for encoding, said in (("cp1252", ""), ("auto", "read as cp1252")):
        told = lindy("train", table, "-o", path, "--learner", "naive-bayes", "--encoding", encoding)
        assert told.code == 0, told.err
        assert said in told.err
        assert "café" in lindy("predict", path, table, "--keep", "text", "--encoding", encoding).out
