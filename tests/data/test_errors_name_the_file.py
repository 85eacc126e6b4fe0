"""Every error of a reader names its file: each reader with its bad inputs, in Python and on the command line."""

from __future__ import annotations

import gzip
import io
import json
import os
import pickle
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lindy.cli.app import run
from lindy.data import read_examples, read_table
from lindy.data.write.convert import convert
from lindy.errors import DataError, LindyError

GOOD = b"text,label\nfine,good\ndull,bad\n"
CSV = {
    "empty": b"",
    "blank": b"\n\n",
    "only a header": b"text,label\n",
    "ragged row": b"text,label\nfine,good\ndull\n",
    "too many fields": b"text,label\nfine,good,better\n",
    "open quote": b'text,label\nfine,good\n"dull,bad\n',
    "NUL": b"text,label\nfi\0ne,good\n",
    "NUL in the header": b"te\0xt,label\nfine,good\n",
    "not UTF-8": b"text,label\nfine \xff,good\n",
    "header is not UTF-8": b"te\xffxt,label\nfine,good\n",
    "column twice": b"text,text\nfine,good\n",
    "no names": b",,\nfine,good,x\n",
    "blank label": b"text,label\nfine,\n",
    "no label at all": b"text,label\nfine,\ndull,\n",
    "one column": b"text\nfine\n",
    "no header": b"fine,good\nfine,good\ndull,bad\n",
    "UTF-16 without a mark": "text,label\nfine,good\n".encode("utf-16-le"),
    "cut UTF-16": b"\xff\xfet\0e",
    "gzip in name only": GOOD,
}
JSONL = {
    "empty": b"",
    "blank": b"\n \n",
    "no JSON": b"fine\n",
    "cut": b'{"text": "fine", "label": "good"}\n{"text": "du',
    "two values": b'{"text": "fine"} {"text": "dull"}\n',
    "array": b'[{"text": "fine", "label": "good"}]\n',
    "number": b"7\n",
    "null": b"null\n",
    "key twice": b'{"text": "fine", "text": "dull", "label": "good"}\n',
    "nested too deeply": b'{"text": ' + b"[" * 100_000 + b"\n",
    "not UTF-8": b'{"text": "fi\xff", "label": "good"}\n',
    "NUL": b'{"text": "fi\0", "label": "good"}\n',
    "half a surrogate pair": b'{"text": "\\ud83d", "label": "good"}\n{"text": "b", "label": "bad"}\n',
    "list as text": b'{"text": ["fine"], "label": "good"}\n',
    "NaN": b'{"text": NaN, "label": "good"}\n',
    "null as text": b'{"text": null, "label": "good"}\n{"text": "dull", "label": "bad"}\n',
    "null as label": b'{"text": "fine", "label": null}\n',
    "label is missing": b'{"text": "fine", "label": "good"}\n{"text": "dull"}\n',
}
LINES = {"empty": b"", "not UTF-8": b"fine \xff\n", "NUL": b"fi\0ne\n"}
FASTTEXT = {
    **LINES,
    "no label": b"__label__good fine\ndull\n",
    "no label in the first line": b"fine\n__label__good fine\n",
    "empty label": b"__label__ fine\n",
}
SVMLIGHT = {
    "empty": b"",
    "only comments": b"# nothing\n",
    "no colon": b"1 1\n",
    "no number": b"1 a:1\n",
    "no value": b"1 1:x\n",
    "NaN": b"1 1:nan\n",
    "infinite": b"1 1:1e999\n",
    "negative column": b"1 -1:1\n",
    "column beyond 32 bits": b"1 99999999999:1\n",
    "column twice": b"1 1:1 1:2\n",
    "columns descend": b"1 2:1 1:1\n",
    "NUL": b"1 1:\0\n",
    "no label": b"1:1 2:1\n",
    "bad query": b"1 qid:x 1:1\n",
    "label is not UTF-8": b"\xff 1:1\n",
    "names twice": b"# column 1 is a\n# column 2 is a\n1 1:1 2:1\n",
    "UTF-16": "1 1:1\n".encode("utf-16"),
}
VOWPAL = {
    **LINES,
    "no bar": b"good fine\n",
    "bad value": b"good | fine:x\n",
    "infinite value": b"good | fine:1e999\n",
    "bad weight": b"good x | fine\n",
    "negative weight": b"good -1 | fine\n",
    "no label": b"| fine\ngood | fine\n",
    "no label at all": b"| fine\n| dull\n",
    "no feature name": b"good | :1\n",
}
REVIEW = {
    **LINES,
    "no count": b"fine #label#:good\n",
    "bad count": b"fine:x #label#:good\n",
    "infinite count": b"fine:1e999 #label#:good\n",
    "no label": b"fine:1\nfine:1 #label#:good\n",
    "two labels": b"fine:1 #label#:good #label#:bad\n",
}
FILES = {
    **{f"{name}.csv": content for name, content in CSV.items() if name != "gzip in name only"},
    **{
        f"{name}.tsv": content.replace(b",", b"\t")
        for name, content in CSV.items()
        if name != "gzip in name only"
    },
    "not packed.csv.gz": GOOD,
    "cut.csv.gz": gzip.compress(GOOD * 1000)[:-20],
    "damaged.csv.gz": gzip.compress(GOOD)[:12] + b"\0" * 20,
    "not packed.csv.zst": GOOD,
    **{f"{name}.jsonl": content for name, content in JSONL.items()},
    **{f"{name}.txt": content for name, content in LINES.items()},
    **{f"{name}.ft": content for name, content in FASTTEXT.items()},
    **{f"{name}.svm": content for name, content in SVMLIGHT.items()},
    **{f"{name}.vw": content for name, content in VOWPAL.items()},
    **{f"{name}.review": content for name, content in REVIEW.items()},
    **{
        f"{name}.parquet": content
        for name, content in {"empty": b"", "text": GOOD, "cut": b"PAR1\0\0"}.items()
    },
    **{
        f"{name}.xlsx": content
        for name, content in {"empty": b"", "text": GOOD, "cut": b"PK\x03\x04 x"}.items()
    },
    **{f"{name}.eml": content for name, content in {"empty": b""}.items()},
    "unknown.extension": GOOD,
    "no extension": GOOD,
    "old.xls": b"\xd0\xcf\x11\xe0",
}


def parquet(**columns: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.table(columns), out)
    return out.getvalue()


def workbook(*rows: list[Any]) -> bytes:
    book, out = openpyxl.Workbook(), io.BytesIO()
    for row in rows:
        book.active.append(row)  # type: ignore[union-attr]
    book.save(out)
    return out.getvalue()


FILES |= {
    "no rows.parquet": parquet(text=pa.array([], pa.string()), label=pa.array([], pa.string())),
    "lists.parquet": parquet(text=[["a"], ["b"]], label=["x", "y"]),
    "null text.parquet": parquet(text=["a", None], label=["x", "y"]),
    "null label.parquet": parquet(text=["a", "b"], label=["x", None]),
    "packed.parquet.gz": gzip.compress(parquet(text=["a"], label=["x"])),
    "no sheet.xlsx": workbook(),
    "only a header.xlsx": workbook(["text", "label"]),
    "column twice.xlsx": workbook(["text", "text"], ["a", "b"]),
    "blank label.xlsx": workbook(["text", "label"], ["a", None]),
}


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    before = Path.cwd()
    os.chdir(tmp_path)
    yield tmp_path
    os.chdir(before)


@pytest.mark.parametrize("name", sorted(FILES))
def test_reading(name: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / name).write_bytes(FILES[name])
    assert run(["train", name, "-o", "m.lindy", "--learner", "majority", "--strict"]) == 1
    said = capsys.readouterr().err
    assert name in said.partition("error:")[2].partition("hint:")[0], said
    errors: list[Exception] = []
    try:
        data = read_examples(name)
        [data.table.column(column) for column in data.table.column_names]
    except Exception as error:
        errors.append(error)
    assert all(isinstance(error, LindyError) and name in str(error) for error in errors), errors


OPTIONS: dict[str, dict[str, Any]] = {
    "no such column": {"text": "body"},
    "no such label": {"label": "class"},
    "text is label": {"text": "text", "label": "text"},
    "unknown encoding": {"encoding": "utf-99"},
    "wrong encoding": {"encoding": "utf-16"},
    "ascii": {"encoding": "ascii"},
    "sheet of a CSV": {"sheet": "first"},
    "wrong format": {"format": "jsonl"},
    "no format": {"format": "cvs"},
    "Vowpal Wabbit": {"format": "vw"},
    "parquet": {"format": "parquet"},
    "xlsx": {"format": "xlsx"},
    "folder": {"format": "folder"},
    "row": {"longest_row": 5},
}


@pytest.mark.parametrize("what", OPTIONS)
def test_options_that_do_not_fit(what: str, folder: Path) -> None:
    (folder / "given.csv").write_bytes(GOOD.replace(b"fine", "fïne".encode()))
    with pytest.raises(LindyError) as caught:
        read_examples("given.csv", **OPTIONS[what])
    assert "given.csv" in str(caught.value)


def test_paths(folder: Path) -> None:
    (folder / "here.csv").write_bytes(GOOD)
    (folder / "nothing").mkdir()
    (folder / "book.xlsx").write_bytes(workbook(["text", "class"], ["a", "b"]))
    for path, options in (
        ("there.csv", {}),
        ("nowhere/there.csv", {}),
        ("nothing", {}),
        ("nothing", {"format": "csv"}),
        ("here.csv/there.csv", {}),
        ("book.xlsx", {"sheet": "second"}),
        ("book.xlsx", {"encoding": "cp1252"}),
        (["here.csv", "book.xlsx"], {}),
        (["here.csv", "nothing"], {}),
    ):
        with pytest.raises(LindyError) as caught:
            read_table(path, **options)
        first = path if isinstance(path, str) else path[0]
        assert first in str(caught.value), (path, options)


TARGETS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "o.ft": (b"text,label\nfine,very good\n", {}),
    "o2.ft": (b"text,label\nfine __label__x,good\n", {}),
    "o.vw": (b"text,label\nfine,very good\n", {}),
    "o.review": (b"text,label\nfine,very good\n", {}),
    "o3.review": (b"text,label\nfine,a:b\n", {}),
    "o": (b"text,label\nfine,a/b\n", {}),
    "o.xlsx": (b"text,label\n" + b"x" * 40_000 + b",good\n", {}),
    "o4.xlsx": (b"text,label\nfi\x01ne,good\n", {}),
    "o.csv": (GOOD, {"columns": "given.csv"}),
    "o.unknown": (GOOD, {}),
    "o5.csv": (GOOD, {"target_format": "cvs"}),
    "o.svm": (GOOD, {"columns": "given.csv"}),
    "nowhere/o.csv": (GOOD, {}),
}


@pytest.mark.parametrize("target", TARGETS)
def test_writing_names_the_source_or_the_target(target: str, folder: Path) -> None:
    content, options = TARGETS[target]
    (folder / "given.csv").write_bytes(content)
    with pytest.raises((LindyError, OSError)) as caught:
        convert("given.csv", target, **options)
    assert "given.csv" in str(caught.value) or target in str(caught.value)
    assert not (folder / target).exists()


NUMBERS = b"text,price,label\nfine,1.5,good\ndull,cheap,bad\n"


@pytest.mark.parametrize(
    "options",
    [
        ["--text", "text", "--numeric", "price", "--label", "label"],
        ["--text", "text", "--numeric", "cost", "--label", "label"],
        ["--text", "text", "--numeric", "text", "--label", "label"],
        ["--text", "text", "--category", "label", "--label", "label"],
        ["--text", "body"],
        ["--format", "vw"],
        ["--encoding", "utf-99"],
        ["--sheet", "first"],
        ["--longest-row", "7"],
    ],
)
def test_options_of_the_command_line(
    options: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "given.csv").write_bytes(NUMBERS)
    assert run(["train", "given.csv", "-o", "m.lindy", *options]) == 1
    assert "given.csv" in capsys.readouterr().err.partition("hint:")[0]


def test_the_rows_of_several_commands(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "good.csv").write_bytes(GOOD * 1 + b"warm,good\ncold,bad\n" * 5)
    assert run(["train", "good.csv", "-o", "m.lindy", "--learner", "svm", "--quiet"]) == 0
    (folder / "bad.csv").write_bytes(CSV["ragged row"])
    (folder / "other.jsonl").write_text(json.dumps({"title": "a", "kind": "b"}) + "\n")
    (folder / "one.csv").write_bytes(b"text,label\nfine,good\nwarm,good\n")
    for command in (
        ["predict", "m.lindy", "{}"],
        ["evaluate", "m.lindy", "{}"],
        ["audit", "{}"],
        ["split", "{}"],
        ["compare", "{}"],
        ["tune", "{}", "-o", "n.lindy"],
        ["train", "{}", "-o", "n.lindy"],
        ["convert", "{}", "o.tsv"],
    ):
        for name in ("bad.csv", "missing.csv"):
            capsys.readouterr()
            assert run([word.format(name) for word in command]) == 1, command
            said = capsys.readouterr().err
            assert name in said.partition("hint:")[0], (command, said)
    for command in (
        ["train", "one.csv", "-o", "n.lindy"],
        ["compare", "one.csv"],
        ["tune", "one.csv", "-o", "n.lindy"],
    ):
        capsys.readouterr()
        assert run(command) == 1
        assert "one.csv" in capsys.readouterr().err.partition("hint:")[0], command


def test_a_traceback_ends_with_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(DataError) as caught:
        read_table(tmp_path / "missing.csv")
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert error.hint
        assert "".join(traceback.format_exception(error)).endswith(f"{error}\nhint: {error.hint}\n")
