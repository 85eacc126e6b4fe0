"""``lindy predict -``: rows are predicted as they come, and errors name their lines."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.conftest import lindy_process

STREAMS: dict[str, tuple[list[str], list[str]]] = {
    "csv": (
        ["id,text\n", '1,"wonderful\nand wise"\n', '2,"5"" dull"\r\n', "\n", "3,dull\n"],
        ["good", "bad", "", "bad"],
    ),
    "tsv": (["text\tid\n", "wonderful\t1\n", "dull\t2\n"], ["good", "bad"]),
    "jsonl": (['{"text": "wonderful", "id": 1}\n', '{"id": 2, "text": "dull"}\n'], ["good", "bad"]),
    "lines": (["wonderful\n", "dull\n"], ["good", "bad"]),
    "fasttext": (["__label__x wonderful\n", "__label__y dull\n"], ["good", "bad"]),
}


@pytest.mark.parametrize("kind", STREAMS)
def test_a_line_in_gives_its_line_out(model: Path, kind: str) -> None:
    pieces, labels = STREAMS[kind]
    command = [sys.executable, "-m", "lindy.cli", "predict", str(model), "-", "--format", kind, "--json"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if kind in ("csv", "tsv"):
            process.stdin.write(pieces[0].encode())
            pieces = pieces[1:]
        for piece, label in zip(pieces, labels, strict=True):
            process.stdin.write(piece.encode())
            if label:  # waits for the answer before the next line is written
                assert json.loads(process.stdout.readline())["label"] == label
        process.stdin.close()
        assert process.stdout.read() == b""
        assert process.wait() == 0


@pytest.mark.parametrize("kind", STREAMS)
def test_at_once_is_the_same_as_line_by_line(model: Path, kind: str, tmp_path: Path) -> None:
    pieces, labels = STREAMS[kind]
    path = tmp_path / "table"
    path.write_text("".join(pieces), newline="")
    told = lindy_process("predict", model, path, "--format", kind, "--keep", "all")
    streamed = lindy_process("predict", model, "-", "--format", kind, "--keep", "all", stdin="".join(pieces))
    assert streamed.code == told.code == 0, streamed.err
    assert streamed.out == told.out
    assert len(list(csv.DictReader(io.StringIO(told.out)))) == len([label for label in labels if label])


def stepwise(model: Path, pieces: list[bytes], *options: str) -> tuple[int, str]:
    command = [sys.executable, "-m", "lindy.cli", "predict", str(model), "-", *options]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        for piece in pieces:
            process.stdin.write(piece)
            if piece.endswith(b"wait\n"):
                while b"bad" not in (line := process.stdout.readline()) and b"good" not in line:
                    assert line
        process.stdin.close()
        process.stdout.read()
        return process.wait(), process.stderr.read().decode()


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        (
            [b"text,id\n", b"dull,wait\n", b"a,b\nc\n"],
            "standard input, line 4: expected 2 columns as in the header",
        ),
        (
            [b"text,id\n", b"dull,wait\n", b"caf\xe9,b\n"],
            "standard input, line 3: byte 0xe9 is not valid UTF-8",
        ),
        ([b"id,text\n", b"1,dull wait\n", b'2,"open\n'], "standard input, line 3: a double quote is opened"),
        ([b"text\n"], "there is a header but no row"),
        ([], "standard input: the file is empty"),
    ],
)
def test_errors_name_the_line(model: Path, pieces: list[bytes], message: str) -> None:
    code, said = stepwise(model, pieces)
    assert code == 1
    assert message in said


def test_input_that_cannot_be_cut_is_read_whole(model: Path) -> None:
    for data, options in (
        ("text\nwonderful\n".encode("utf-16"), ()),
        ("text\ncafé wonderful\n".encode("cp1252"), ("--encoding", "cp1252")),
    ):
        command = [sys.executable, "-m", "lindy.cli", "predict", str(model), "-", *options]
        done = subprocess.run(command, input=data, capture_output=True, check=True)
        assert done.stdout.decode().splitlines()[1].startswith("good")


def test_lines_without_a_label_have_the_columns_of_the_others(model: Path) -> None:
    pieces = [b"__label__x a dull wait\n", b"a dull wait\n", b"__label__y wonderful\n"]
    code, said = stepwise(model, pieces, "--keep", "all", "--format", "fasttext")
    assert code == 0, said
