"""Tables that are read part by part give what they give as a whole, and what is wrong with them is named."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import random
import resource
import threading
from pathlib import Path
from typing import Any

import pytest

from lindy.data import read_chunks
from lindy.data.write.convert import convert
from tests.cli.conftest import Command

WORDS = {"good": "wonderful warm wise", "bad": "dull long empty"}


def rows(n: int, seed: int = 0) -> list[dict[str, str]]:
    rng = random.Random(seed)
    made = []
    for i in range(n):
        label = rng.choice(["good", "bad"])
        text = " ".join(rng.choice((WORDS[label] + " a book and").split()) for _ in range(5))
        written = rng.choice([label] * 8 + [f" {label}", "", "mixed", "Mixed"])
        when = f"2024-{1 + i % 12:02d}-01"
        made.append({"id": str(i), "text": text, "label": written, "who": f"u{i % 17}", "when": when})
    return made


def write_csv(path: Path, table: list[dict[str, str]]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(table[0]))
        writer.writeheader()
        writer.writerows(table)
    return path


@pytest.fixture
def messy(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "messy.csv", rows(400))


def cut_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lindy.cli.io.reading.AT_ONCE", 0)
    monkeypatch.setattr("lindy.data.chunks.delimited_parts.BLOCK", 500)
    monkeypatch.setattr("lindy.data.chunks.chunks.CHUNK", 900)
    monkeypatch.setitem(read_chunks.__kwdefaults__, "size", 900)


@pytest.mark.parametrize("options", [[], ["--merge-labels", "case"], ["--merge-labels", "none"]])
def test_evaluate_in_parts_is_evaluate(
    model: Path, messy: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    more = [*options, "--precision", "0.9", "--json", "--mistakes", messy.with_name("mistakes.csv")]
    whole = lindy("evaluate", model, messy, *more)
    mistakes = messy.with_name("mistakes.csv").read_bytes()
    cut_small(monkeypatch)
    parts = lindy("evaluate", model, messy, *more)
    assert whole.code == parts.code == 0, parts.err
    assert parts.out == whole.out
    assert sorted(parts.err.split("\n")) == sorted(whole.err.split("\n"))
    assert messy.with_name("mistakes.csv").read_bytes() == mistakes
    plain = [lindy("evaluate", model, messy, "--reliability").out]
    monkeypatch.undo()
    assert plain == [lindy("evaluate", model, messy, "--reliability").out]


def test_evaluate_knows_its_training_table_in_parts(
    lindy: Command, messy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = tmp_path / "two.lindy"
    columns = ["--text", "text", "--category", "who"]
    assert (
        lindy("train", messy, *columns, "--label", "label", "-o", model, "--learner", "naive-bayes").code == 0
    )
    cut_small(monkeypatch)
    found = lindy("evaluate", model, messy, "--json")
    assert json.loads(found.out)["used_for"] == ["training"]
    assert "this table was used for training" in found.err


@pytest.mark.parametrize("kind", ["jsonl", "parquet", "csv.gz", "tsv"])
def test_other_formats_give_the_same_figures(
    model: Path, messy: Path, lindy: Command, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = lindy("evaluate", model, messy, "--json").out
    other = messy.with_name(f"other.{kind}")
    convert(messy, other)
    cut_small(monkeypatch)
    assert lindy("evaluate", model, other, "--json").out == expected


SPLITS: list[list[str]] = [
    [],
    ["--group", "who"],
    ["--time", "when", "--together"],
    ["--group", "who", "--time", "when"],
    ["--merge-labels", "case"],
]


@pytest.mark.parametrize("options", SPLITS)
def test_split_in_parts_is_split(
    messy: Path, lindy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: list[str]
) -> None:
    folders = [tmp_path / "whole", tmp_path / "parts"]
    outcomes = [lindy("split", messy, *options, "--json", "--folder", folders[0])]
    cut_small(monkeypatch)
    outcomes.append(lindy("split", messy, *options, "--json", "--folder", folders[1]))
    assert [outcome.code for outcome in outcomes] == [0, 0], outcomes[1].err
    assert outcomes[0].err == outcomes[1].err
    for name in ("train", "dev", "test"):
        files = [folder / f"messy-{name}.csv" for folder in folders]
        assert files[0].read_bytes() == files[1].read_bytes()
    sizes = json.loads(outcomes[1].out)
    kept = sum(part["rows"] for part in sizes["parts"].values()) + sizes.get("left out", 0)
    assert kept == sum(bool(row["label"].strip()) for row in rows(400))


def test_several_tables_with_a_mark_and_another_order_of_columns(
    model: Path, messy: Path, lindy: Command, tmp_path: Path
) -> None:
    table = rows(400)
    one = write_csv(tmp_path / "one.csv", table[:150])
    turned = [dict(reversed(row.items())) for row in table[150:]]
    two = write_csv(tmp_path / "two.csv", turned)
    two.write_bytes(b"\xef\xbb\xbf" + two.read_bytes())
    whole = lindy("evaluate", model, messy, "--json")
    assert lindy("evaluate", model, one, two, "--json").out == whole.out
    predicted = lindy("predict", model, one, two, "--keep", "id,who", "-q")
    assert predicted.out == lindy("predict", model, messy, "--keep", "id,who", "-q").out
    split = lindy("split", one, two, "--folder", tmp_path / "several", "--json")
    assert split.code == 0, split.err
    assert lindy("split", messy, "--folder", tmp_path / "single").code == 0
    for name in ("train", "dev", "test"):
        joined = (tmp_path / "several" / f"one-{name}.csv").read_bytes()
        assert joined == (tmp_path / "single" / f"messy-{name}.csv").read_bytes()


@pytest.mark.parametrize("command", ["predict", "evaluate", "split"])
def test_a_column_that_is_missing_in_the_second_table(
    model: Path, messy: Path, lindy: Command, tmp_path: Path, command: str
) -> None:
    other = write_csv(tmp_path / "other.csv", [{"id": "1", "label": "good"}])
    out = tmp_path / "out.csv"
    words = [command, messy, other] if command == "split" else [command, model, messy, other]
    more = ["-o", out] if command == "predict" else ["--folder", tmp_path] if command == "split" else []
    found = lindy(*words, *more)
    assert found.code == 1
    assert f"{other}: no column 'text'" in found.err
    assert not out.exists()
    assert not list(tmp_path.glob("*-train.csv"))


def test_predictions_in_parquet_keep_every_row_in_order(
    model: Path, messy: Path, lindy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet as pq

    cut_small(monkeypatch)
    monkeypatch.setattr("lindy.data.formats.parquet.ROW_GROUP", 150)
    out = tmp_path / "out.parquet"
    assert lindy("predict", model, messy, "-o", out, "--keep", "all").code == 0
    found = pq.ParquetFile(out)
    assert found.num_row_groups == 3
    table = found.read().to_pylist()
    assert [row["id"] for row in table] == [str(i) for i in range(400)]
    assert [row["text"] for row in table] == [row["text"] for row in rows(400)]
    plain = csv.DictReader(io.StringIO(lindy("predict", model, messy, "-q").out))
    assert [row["predicted_label"] for row in table] == [row["label"] for row in plain]


@pytest.mark.parametrize("command", ["predict", "evaluate", "split", "convert"])
def test_a_broken_row_in_the_middle_is_named_or_left_out(
    model: Path, messy: Path, lindy: Command, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lines = messy.read_text().splitlines(keepends=True)
    lines.insert(301, "one,field,too,many,here,there\n")
    messy.write_text("".join(lines))
    cut_small(monkeypatch)
    out = tmp_path / "parts" / "out.csv"
    out.parent.mkdir()
    words: list[object] = {
        "predict": ["predict", model, messy, "-o", out],
        "evaluate": ["evaluate", model, messy],
        "split": ["split", messy, "--folder", out.parent],
        "convert": ["convert", messy, out],
    }[command]
    found = lindy(*words)
    assert found.code == 1
    assert f"{messy}, line 302" in found.err
    assert not list(out.parent.iterdir())
    skipped = lindy(*words, "--skip-bad", 1)
    assert skipped.code == 0, skipped.err
    assert f"left out: {messy}, line 302" in skipped.err


@pytest.mark.parametrize("command", ["predict", "evaluate", "split"])
def test_a_truncated_gzip_leaves_the_output_as_it_was(
    model: Path, messy: Path, lindy: Command, tmp_path: Path, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = tmp_path / "messy.csv.gz"
    data = gzip.compress(messy.read_bytes())
    packed.write_bytes(data[: len(data) // 2])
    cut_small(monkeypatch)
    out = tmp_path / "messy-train.csv"
    out.write_text("old\n")
    words: list[object] = {
        "predict": ["predict", model, packed, "-o", out, "--force"],
        "evaluate": ["evaluate", model, packed],
        "split": ["split", packed, "--force"],
    }[command]
    found = lindy(*words)
    assert found.code == 1
    assert f"{packed}: the gzip data is truncated" in found.err
    assert out.read_text() == "old\n"


def test_a_file_that_changes_while_it_is_read(messy: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from lindy.errors import DataError

    cut_small(monkeypatch)
    parts = read_chunks(messy).of(str(messy))
    next(parts)
    with messy.open("a") as file:
        file.write("x,y,z,u,v\n")
    with pytest.raises(DataError, match="the file changed while it was read"):
        list(parts)


def test_a_file_that_is_replaced_between_two_readings(
    messy: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    from lindy.cli.commands import split

    survey = split.survey

    def meddling(*given: Any) -> Any:
        found = survey(*given)
        write_csv(messy.with_name("new.csv"), rows(400)[::-1]).replace(messy)  # as many rows of each class
        return found

    cut_small(monkeypatch)
    monkeypatch.setattr(split, "survey", meddling)
    found = lindy("split", messy)
    assert found.code == 1
    assert f"{messy}: the file changed while it was read" in found.err
    assert not list(messy.parent.glob("messy-*"))


def test_a_pipe_is_split_though_it_can_be_read_only_once(messy: Path, lindy: Command, tmp_path: Path) -> None:
    pipe = tmp_path / "piped.csv"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(messy.read_bytes()), daemon=True)
    writer.start()
    assert lindy("split", messy).code == 0
    assert lindy("split", pipe).code == 0
    for part in ("train", "dev", "test"):
        assert (tmp_path / f"piped-{part}.csv").read_bytes() == (tmp_path / f"messy-{part}.csv").read_bytes()


@pytest.mark.parametrize("command", ["predict", "evaluate", "split", "convert"])
def test_a_full_disk_leaves_the_output_as_it_was(
    model: Path, lindy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    table = write_csv(tmp_path / "messy.csv", rows(2_000))
    out = tmp_path / "messy-train.csv"
    out.write_text("old\n")
    if command == "evaluate":  # writes nothing but numbers of rows
        monkeypatch.setattr("lindy.data.chunks.disk_array.IN_MEMORY", 0)
    words: list[object] = {
        "predict": ["predict", model, table, "-o", out, "--force", "--keep", "all"],
        "evaluate": ["evaluate", model, table],
        "split": ["split", table, "--force"],
        "convert": ["convert", table, out, "--force"],
    }[command]
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (8_000, limits[1])
    )  # a larger file is refused as on a full disk
    try:
        found = lindy(*words)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert found.code == 1
    assert ("File too large" if command == "evaluate" else "ulimit") in found.err
    assert ("TMPDIR" in found.err) == (command == "evaluate")
    assert out.read_text() == "old\n"
    assert sorted(path.name for path in tmp_path.glob("messy*")) == ["messy-train.csv", "messy.csv"]


def test_audit_in_parts_finds_the_same_in_all_rows(
    messy: Path, lindy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = rows(400)
    table[7]["text"], table[350]["text"] = " ", "? !"
    table[9]["text"], table[9]["label"] = "wonderful warm wise", "good"
    table[390]["text"], table[390]["label"] = "wonderful warm wise", "bad"
    write_csv(messy, table)
    whole = json.loads(lindy("audit", messy, "--json").out)
    assert "counts" not in whole
    cut_small(monkeypatch)
    large = lindy("audit", messy, "--json", "--sample", 150, "--id", "id")
    assert "learners learn from 150 of them" in large.err
    found = json.loads(large.out)
    for name in ("rows", "unlabelled", "classes", "rare_classes", "spellings"):
        assert found[name] == whole[name], name
    for kind in ("duplicate", "contradiction", "empty", "no words"):
        own = [f for f in found["findings"] if f["kind"] == kind]
        assert own, kind
        assert all(int(f.pop("id")) == f["row"] - 1 for f in own)
        expected = [f for f in whole["findings"] if f["kind"] == kind]
        assert own == [_without_id(f) for f in expected], kind
        assert found["counts"][kind] == len(own)
    again = lindy("audit", messy, "--json", "--sample", 400)
    assert json.loads(again.out) == whole


def test_audit_in_parts_of_a_table_without_faults(
    messy: Path, lindy: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_csv(messy, [{"text": f"word{'abcdefghij'[i % 10] * (i + 2)}", "label": "good"} for i in range(60)])
    cut_small(monkeypatch)
    told = lindy("audit", messy, "--sample", 30)
    assert told.code == 0, told.err
    assert "learners learn from 30 of them" in told.err
    assert told.out.endswith("nothing suspicious found\n")
    whole = lindy("audit", messy, "--sample", 60)
    assert whole.out == told.out
    assert whole.err.count("good") == told.err.count("good")


def _without_id(finding: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in finding.items() if name != "id"}


def test_audit_in_parts_doubts_rows_outside_the_sample(
    messy: Path, lindy: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = [
        {"text": f"{WORDS[label]} number{i}", "label": label}
        for i, label in enumerate(random.Random(1).choices(["good", "bad"], k=600))
    ]
    wrong = list(range(0, 600, 60))
    for i in wrong:
        table[i]["label"] = "bad" if table[i]["label"] == "good" else "good"
    write_csv(messy, table)
    cut_small(monkeypatch)
    sheet = tmp_path / "sheet.csv"
    told = lindy("audit", messy, "--sample", 200, "--json", "-o", sheet)
    assert told.code == 0, told.err
    findings = json.loads(told.out)["findings"]
    assert sorted(f["row"] - 1 for f in findings if f["kind"] == "label error") == wrong
    applied = lindy("audit", messy, "--apply", sheet, "-o", tmp_path / "clean.csv", "--json")
    assert applied.code == 0, applied.err
    with (tmp_path / "clean.csv").open(newline="", encoding="utf-8") as file:
        clean = list(csv.DictReader(file))
    assert all(row["text"].startswith(WORDS[row["label"]]) for row in clean)
