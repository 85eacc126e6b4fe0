"""Standard input in parts, several files as one, and what cannot be read in parts."""

from __future__ import annotations

import fcntl
import gzip
import io
import os
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from lindy.data import read_chunks, read_table
from lindy.data.columns.table import Table
from lindy.errors import DataError

CSV = "text,label\na,x\ncafé,y\n"
ROWS = [("a", "x"), ("café", "y")]


def parquet(**columns: list[str]) -> bytes:
    sink = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), sink)
    return sink.getvalue()


def rows_of(tables: list[Table]) -> list[tuple[str, str]]:
    return [
        row
        for table in tables
        for row in zip(table.column("text").to_pylist(), table.column("label").to_pylist(), strict=True)
    ]


class Pipe:
    """A real pipe as standard input."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        reader, self._writer = os.pipe()
        self._stdin = os.fdopen(reader, "r")
        monkeypatch.setattr(sys, "stdin", self._stdin)

    def write(self, data: str | bytes) -> None:
        left = data.encode() if isinstance(data, str) else data
        while left:
            left = left[os.write(self._writer, left) :]

    def close(self) -> None:
        os.close(self._writer)

    def end(self) -> None:
        self._stdin.close()


@pytest.fixture
def pipe(monkeypatch: pytest.MonkeyPatch) -> Iterator[Pipe]:
    made = Pipe(monkeypatch)
    yield made
    made.end()


@pytest.mark.parametrize("kind", ["csv", None])
def test_rows_come_out_while_the_pipe_is_still_written_to(kind: str | None, pipe: Pipe) -> None:
    pipe.write("text,label\na,x\n")
    parts = iter(read_chunks("-", kind))
    assert rows_of([next(parts)]) == [("a", "x")]
    pipe.write('b,y\n"c\n')
    assert rows_of([next(parts)]) == [("b", "y")]
    pipe.write('c",z\nd,')
    assert rows_of([next(parts)]) == [("c\nc", "z")]
    pipe.write("x")
    pipe.close()
    last = list(parts)
    assert rows_of(last) == [("d", "x")]
    assert [(part.number(0), part.line(0)) for part in last] == [(4, 6)]


def test_packed_input_is_looked_at_when_all_of_it_has_come(pipe: Pipe) -> None:
    data = gzip.compress(CSV.encode())
    pipe.write(data[:20])

    def go_on() -> None:
        left = bytearray(4)
        while fcntl.ioctl(sys.stdin.fileno(), termios.FIONREAD, left) == 0 and any(left):
            pass  # the first bytes have not been taken
        pipe.write(data[20:])
        pipe.close()

    writer = threading.Thread(target=go_on)
    writer.start()
    assert rows_of(list(read_chunks("-"))) == ROWS
    writer.join()


@pytest.mark.parametrize("looked_at", [False, True])
def test_a_file_through_a_pipe_is_one_part(pipe: Pipe, looked_at: bool) -> None:
    """Its pieces are put together while more of it follows, up to a size."""
    pipe.write("text,label\n" + "some text,x\n" * 4000)
    if looked_at:
        sys.stdin.buffer.peek(1)  # its beginning is no longer in the pipe, and comes alone
    parts = iter(read_chunks("-", "csv"))
    assert next(parts).num_rows == 4000
    pipe.close()
    assert list(parts) == []


@pytest.mark.parametrize(
    ("data", "options"),
    [
        (CSV.encode(), {}),
        (CSV.encode(), {"format": "csv"}),
        (CSV.replace(",", "\t").encode(), {"format": "tsv"}),
        (b'{"text": "a", "label": "x"}\n{"label": "y", "text": "caf\xc3\xa9"}', {}),
        ("__label__x a\n__label__y café\n".encode(), {}),
        (gzip.compress(CSV.encode(), mtime=0), {}),
        (gzip.compress(CSV.encode(), mtime=0), {"format": "csv"}),
        (CSV.encode("utf-16"), {}),
        (CSV.encode("cp1252"), {"encoding": "cp1252"}),
        (CSV.encode("cp1252"), {"format": "csv", "encoding": "auto"}),
        (parquet(text=["a", "café"], label=["x", "y"]), {}),
        (parquet(text=["a", "café"], label=["x", "y"]), {"format": "parquet"}),
    ],
)
@pytest.mark.parametrize("piped", [True, False])
def test_whatever_comes_on_standard_input(
    data: bytes, options: dict[str, str], piped: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if piped:
        pipe = Pipe(monkeypatch)
        pipe.write(data)
        pipe.close()
    else:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert rows_of(list(read_chunks("-", **options))) == ROWS  # type: ignore[arg-type]
    if piped:
        pipe.end()


@pytest.mark.parametrize("kind", ["csv", "tsv", "lines", "jsonl", "parquet"])
def test_only_workbooks_have_sheets(kind: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = parquet(text=["a"]) if kind == "parquet" else b'{"text": "a"}\n' * 2
    path = tmp_path / "given"
    path.write_bytes(data)
    with pytest.raises(DataError, match="only Excel workbooks have sheets"):
        list(read_chunks(path, kind, sheet="first"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with pytest.raises(DataError, match="standard input: only Excel workbooks have sheets"):
        list(read_chunks("-", kind, sheet="first"))


def test_what_the_encoding_is_is_said_once(tmp_path: Path) -> None:
    for name, text in (("t.csv", CSV), ("t.txt", "café\n" * 9), ("t.svm", "1 1:2 # é\n")):
        path = tmp_path / name
        path.write_bytes(text.encode("cp1252"))
        parts = list(read_chunks(path, encoding="auto", size=4))
        assert [part.remarks for part in parts] == [
            (f"{path}: read as cp1252",) if k == 0 else () for k in range(len(parts))
        ]
        assert len(parts) > 1 or name != "t.txt"


def test_a_pipe_that_has_a_name(tmp_path: Path) -> None:
    """It is read once, and has no state that could change."""
    path = tmp_path / "t.csv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(CSV,))
    writer.start()
    parts = iter(read_chunks(path))
    assert rows_of([next(parts)]) == ROWS
    writer.join()
    path.unlink()  # all of it has been read
    assert list(parts) == []


def test_a_file_that_changes_between_two_parts(tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_text("a\nb\n")
    parts = read_chunks(path, size=2).of(str(path))
    next(parts)
    path.write_text("a\nb\nc\n")
    with pytest.raises(DataError, match=r"t\.txt: the file changed while it was read"):
        next(parts)


def test_tabs_are_what_a_tsv_file_has(tmp_path: Path) -> None:
    path = tmp_path / "t.tsv"
    path.write_text("text,a\tlabel\nb,c\tx\n")
    (part,) = read_chunks(path)
    assert part.column_names == ["text,a", "label"]


def test_rows_that_cannot_be_read(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.csv"
    one.write_text("text,label\na\nb\n")
    two.write_text("text,label\nc,x\nd\n")
    with pytest.raises(DataError, match=r"(?m)one\.csv, line 2: expected 2 columns as in the header, got 1$"):
        read_table([one, two])
    with pytest.raises(DataError, match=r"one\.csv: no row can be read") as caught:
        read_table([one], skip_bad=2)
    assert "one.csv, line 2: expected 2 columns" in str(caught.value.hint)
    table = read_table([one, two], skip_bad=3)
    assert rows_of([table]) == [("c", "x")]
    assert [remark.split(": ")[1] for remark in table.remarks] == [
        f"{one}, line 2", f"{one}, line 3", f"{two}, line 3",
    ]  # fmt: skip
    with pytest.raises(DataError, match=r"two\.csv, line 3: .* this is one more"):
        read_table([one, two], skip_bad=2)
    assert list(read_chunks(one, skip_bad=2)) == []


def test_features_with_values_are_one_file(tmp_path: Path) -> None:
    one, two = tmp_path / "one.svm", tmp_path / "two.svm"
    for path in (one, two):
        path.write_text("1 1:2\n")
    assert read_table(one, skip_bad=1).kind == "features"
    with pytest.raises(
        DataError, match=r"one\.svm, .*two\.svm: files of features with values cannot be read as one"
    ):
        read_table([one, two])
