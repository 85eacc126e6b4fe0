"""Exports of a help desk: what ``predict`` copies and writes, and tables that are not as clean as one would wish."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

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
    for kind in ("csv", "tsv", "jsonl", "parquet"):
        out = tmp_path / f"out.{kind}"
        assert lindy("predict", model, tickets, "--keep", "all", "-o", out).code == 0
        told[kind] = out
    expected = read_rows(told["csv"].read_text())
    assert list(expected[0]) == ["id", "text", "date", "label", "predicted_label", "probability"]
    assert [row["predicted_label"] for row in expected] == ["good", "bad"]
    assert read_rows(told["tsv"].read_text(), "\t") == expected
    for records in (
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
