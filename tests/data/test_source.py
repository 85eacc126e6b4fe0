"""Files that are not there, pipes, standard input, formats."""

from __future__ import annotations

import gzip
import io
import os
import sys
import threading

import pyarrow as pa
import pytest
from tests.hostile.oddities.workbooks import book

from lindy.data import FORMATS, read_examples, read_table
from lindy.data.chunks.chunks import begin_table
from lindy.errors import DataError

CSV = b"text,label\nA fine book.,positive\n"
JSONL = b'{"text": "A fine book.", "label": "positive"}\n'


def error_of(path, **options):
    with pytest.raises(DataError) as caught:
        read_table(path, **options)
    return str(caught.value), caught.value.hint


def test_missing_file_suggests_near_names(tmp_path):
    (tmp_path / "reviews.csv").write_bytes(CSV)
    message, hint = error_of(tmp_path / "review.csv")
    assert message == f"{tmp_path / 'review.csv'}: no such file"
    assert hint == f"Did you mean {tmp_path / 'reviews.csv'}?"


def test_missing_file_in_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "reviews.csv").write_bytes(CSV)
    assert error_of("reviws.csv") == ("reviws.csv: no such file", "Did you mean reviews.csv?")
    assert error_of("x.csv") == ("x.csv: no such file", f"The folder is {tmp_path}.")


def test_missing_folder(tmp_path):
    message, hint = error_of(tmp_path / "nowhere" / "reviews.csv")
    assert f"the folder {str(tmp_path / 'nowhere')!r} does not exist" in message
    assert hint


def test_a_folder(tmp_path):
    message, hint = error_of(tmp_path, format="svmlight")
    assert message == f"{tmp_path}: is a folder, expected a file"
    assert hint == "Name a file."
    (tmp_path / "b.csv").write_bytes(CSV)
    assert error_of(tmp_path, format="svmlight")[1] == f"Name a file in it, such as {tmp_path / 'b.csv'}."


@pytest.mark.parametrize("path", ["a\0b.csv", "x" * 300 + ".csv"])
def test_impossible_names(path):
    message, hint = error_of(path)
    assert "cannot be read" in message
    assert hint


MEANT = {"jsonlines": "jsonl", "ndjson": "jsonl", "text": "lines", "libsvm": "svmlight", "vowpal": "vw"}
MEANT |= {"directory": "folder", "cvs": "csv", "XLSX": "xlsx", "zzz": None}


@pytest.mark.parametrize("name", MEANT)
def test_unknown_format(tmp_path, name):
    message, hint = error_of(tmp_path / "x.csv", format=name)
    assert message == f"{tmp_path / 'x.csv'}: no format {name!r}"
    guess = f"Did you mean {MEANT[name]!r}? " if MEANT[name] else ""
    assert hint == f"{guess}The formats are: {', '.join(FORMATS)}."


def test_no_path_is_no_input():
    assert error_of([]) == ("there is no input", "Name a file.")


def test_unknown_extensions(tmp_path):
    for name, what in (
        ("table.ods", "the extension '.ods' is not known"),
        ("table", "the name has no extension"),
    ):
        (tmp_path / name).write_bytes(CSV)
        said = (
            f"{tmp_path / name}: {what}",
            f"Name the format with `format=`, one of: {', '.join(FORMATS)}.",
        )
        assert error_of(tmp_path / name) == said
    (tmp_path / "my table.json").write_bytes(JSONL)
    message, hint = error_of(tmp_path / "my table.json")
    assert message == f"{tmp_path}/my table.json: the extension '.json' is not known"
    assert "`format='jsonl'`" in hint
    assert hint.endswith(f"jq -c '.[]' '{tmp_path}/my table.json'")


def test_a_model_is_no_table(tmp_path):
    (tmp_path / "model.lindy").write_bytes(CSV)
    said = (f"{tmp_path}/model.lindy: a model, where a table is expected", "Check the order of the files.")
    assert error_of(tmp_path / "model.lindy") == said


def test_format_overrides_the_extension(tmp_path):
    path = tmp_path / "reviews.txt"
    path.write_bytes(JSONL)
    assert read_table(path, "jsonl").column("label").to_pylist() == ["positive"]
    path.write_bytes(CSV)
    assert read_table(path, "csv").column("label").to_pylist() == ["positive"]


def parquet():
    sink = io.BytesIO()
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"text": ["A fine book."], "label": ["positive"]}), sink)
    return sink.getvalue()


@pytest.mark.parametrize(
    "data",
    [
        CSV,
        CSV.replace(b",", b"\t"),
        JSONL,
        b"\n " + JSONL,
        parquet(),
        book(["text", "label"], ["A fine book.", "positive"]),
        b"__label__positive A fine book.\n",
        gzip.compress(CSV),
        gzip.compress(JSONL),
    ],
    ids=["csv", "tsv", "jsonl", "blank line", "parquet", "xlsx", "fastText", "csv.gz", "jsonl.gz"],
)
def test_standard_input_tells_its_format(monkeypatch, data):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    found = read_examples("-")
    assert found.table.path == "-"
    assert found.texts.to_pylist() == ["A fine book."]
    assert found.labels.to_pylist() == ["positive"]


@pytest.mark.parametrize(
    ("data", "message", "hint"),
    [
        (b"", "standard input: the file is empty", "at least one row"),
        (CSV + b"a\n", "standard input, line 3: expected 2 columns", "double quotes"),
        (
            CSV + b"\xe9,a\n",
            "standard input, line 3: byte 0xe9",
            "first, with: iconv -f WINDOWS-1252 -t UTF-8",
        ),
    ],
)
def test_errors_on_standard_input(monkeypatch, data, message, hint):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    said, advised = error_of("-")
    assert said.startswith(message)
    assert hint in advised


def test_a_pipe_is_read_once(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(CSV + b'"a\nb",\n',))
    writer.start()
    with pytest.raises(DataError, match=r"line 3 \(row 2\): the label is empty"):
        read_examples(path)
    writer.join()


def test_the_hint_converts_the_file(tmp_path):
    path = tmp_path / "my reviews.csv"
    path.write_bytes("text,label\ncafé,a\n".encode("cp1252"))
    hint = error_of(path)[1]
    command = hint.partition("with: ")[2]
    assert os.system(command) == 0
    assert read_table(tmp_path / "my reviews-utf8.csv").column("text").to_pylist() == ["café"]


@pytest.mark.parametrize("data", [CSV, JSONL, parquet()], ids=["csv", "jsonl", "parquet"])
def test_a_row_that_is_not_there_has_no_line(tmp_path, data):
    kind = {CSV: "csv", JSONL: "jsonl"}.get(data, "parquet")
    path = tmp_path / f"table.{kind}"
    path.write_bytes(data)
    table = read_table(path)
    assert table.line(0) == {"csv": 2, "jsonl": 1, "parquet": None}[kind]
    with pytest.raises(IndexError, match="row 1 of a table of 1 rows"):
        table.line(1)


def test_what_is_wrong_in_other_columns_does_not_matter(tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_text('{"x": 1, "text": "a", "label": 0.5}\n{"x": NaN, "x": [], "text": "b", "label": 1.5}\n')
    assert read_examples(path).labels.to_pylist() == ["0.5", "1.5"]


def test_no_row_is_left_out_unless_that_is_asked_for(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(CSV + b"alone\n")
    for read in (read_table, lambda path: begin_table(path)()):
        with pytest.raises(DataError) as caught:
            read(path)
        assert str(caught.value) == f"{path}, line 3: expected 2 columns as in the header, got 1"


def test_only_arrays_are_told_how_to_become_json_lines(tmp_path):
    path = tmp_path / "table.jsonl"
    hints = []
    for line in ('"a"', "a", "[1]", "["):
        path.write_text(line + "\n")
        hints.append(error_of(path)[1])
    assert ["jq" in hint for hint in hints] == [False, False, True, True]


@pytest.mark.parametrize("kind", ["csv", "jsonl"])
def test_a_field_of_ten_million_characters(tmp_path, kind):
    huge = "é" * 5_000_000 + "\n" * 5_000_000
    path = tmp_path / f"table.{kind}"
    if kind == "csv":
        path.write_text(f'text,label\na,b\n"{huge}",c\nd,e\n', encoding="utf-8", newline="")
    else:
        escaped = huge.replace("\n", "\\n")
        lines = [
            f'{{"text": "{text}", "label": "{label}"}}\n'
            for text, label in [("a", "b"), (escaped, "c"), ("d", "e")]
        ]
        path.write_text("".join(lines), encoding="utf-8")
    found = read_examples(path)
    assert found.texts.to_pylist() == ["a", huge, "d"]
    assert found.table.line(2) == (5_000_004 if kind == "csv" else 3)


def test_reading_imports_no_other_library(tmp_path):
    """Arrow loads pandas, if it is there, when it is handed Python values; a third of a second."""
    import subprocess

    path = tmp_path / "table.csv"
    path.write_bytes(CSV)
    code = (
        "import sys; from lindy.data import read_examples; read_examples(sys.argv[1]);"
        "print([m for m in ('pandas', 'scipy', 'sklearn', 'pyarrow.parquet') if m in sys.modules])"
    )
    run = subprocess.run([sys.executable, "-c", code, path], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
