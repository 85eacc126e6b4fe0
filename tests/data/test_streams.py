"""The bytes of an input: the lines of its places, how long they may be, what may be unpacked, what cannot be read."""

from __future__ import annotations

import gzip
import io
import os
import re
import socket
import sys
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.data import read_chunks, read_svmlight, read_table
from lindy.data.chunks.source import Source
from lindy.errors import DataError, OutputError
from lindy.files.output_guard import check_replaceable, protecting

MB = 1 << 20
HARMLESS = 64 * MB  # what the smallest file may unpack to
BREAK = re.compile(rb"\r\n|\r|\n")


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lindy.data.chunks.source.BLOCK", 3)


def written(folder: Path, data: bytes, packed: bool) -> Path:
    path = folder / ("t.txt.gz" if packed else "t.txt")
    path.write_bytes(gzip.compress(data) if packed else data)
    return path


@pytest.mark.usefixtures("small_blocks")
@given(
    st.lists(st.sampled_from([b"a", b"bc", b"\n", b"\r", b"\r\n"]), max_size=12).map(b"".join),
    st.lists(st.integers(0, 30), min_size=1, max_size=6),
    st.booleans(),
)
def test_the_line_of_any_place_asked_for_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, places: list[int], packed: bool
) -> None:
    source = Source(written(tmp_path_factory.mktemp("lines"), data, packed))
    for place in places:
        if data[place - 1 : place + 1] != b"\r\n":  # between those two nothing begins
            assert source.line_at(place) == 1 + len(BREAK.findall(data[:place])), place
    for start in range(len(data)):
        if data[start - 1 : start + 1] != b"\r\n":
            part = source.excerpt(start, start + 4)
            assert part.read() == data[start : start + 4]
            assert part.lines_before == len(BREAK.findall(data[:start]))
            for place in (3, 1, 0, 2):
                held = data[start : start + 4]
                if held[place - 1 : place + 1] != b"\r\n":
                    assert part.line_at(place) == 1 + len(BREAK.findall(held[:place]))
            assert str(part.error("wrong", line=1)).endswith(f", line {part.lines_before + 1}: wrong")


READERS: dict[str, Callable[[Path, int], list[str]]] = {
    "whole": lambda path, longest: read_table(path, "lines", longest_row=longest).column("text").to_pylist(),
    "parts": lambda path, longest: [
        text
        for part in read_chunks(path, "lines", longest_row=longest, size=4)
        for text in part.column("text").to_pylist()
    ],
}


def read_from_pipe(data: bytes, longest: int) -> list[str]:
    before, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data))
    try:
        return READERS["whole"](Path("-"), longest)
    finally:
        sys.stdin = before


@pytest.mark.usefixtures("small_blocks")
@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=8),
    st.integers(1, 8),
    st.booleans(),
    st.sampled_from([*READERS, "pipe"]),
    st.booleans(),
)
def test_a_line_may_have_as_many_bytes_as_are_allowed(
    tmp_path_factory: pytest.TempPathFactory,
    sizes: list[int],
    longest: int,
    ended: bool,
    how: str,
    packed: bool,
) -> None:
    lines = ["abcdefghi"[:size] for size in sizes]
    data = ("\n".join(lines) + "\n" * (ended or not lines[-1])).encode()
    path = written(tmp_path_factory.mktemp("lines"), data, packed)

    def read() -> list[str]:
        return read_from_pipe(path.read_bytes(), longest) if how == "pipe" else READERS[how](path, longest)

    too_long = [number for number, size in enumerate(sizes, 1) if size > longest]
    if too_long:
        name = "standard input" if how == "pipe" else re.escape(str(path))
        limit = f"{longest} bytes"
        with pytest.raises(DataError, match=f"^{name}, line {too_long[0]}: the row is longer than {limit}"):
            read()
    else:
        assert read() == lines


def test_the_cause_of_a_row_that_is_too_long(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text,label\na,b\nc,d\n" + "x" * 50 + ",a\n")
    for read in (read_table, lambda path, longest_row: list(read_chunks(path, longest_row=longest_row))):
        with pytest.raises(DataError, match="line 4: the row is longer than 40 bytes") as caught:
            read(path, longest_row=40)
        assert "A double quote that is opened and never closed" in str(caught.value.hint)
    with pytest.raises(DataError, match="line 4: the row is longer than 40 bytes") as caught:
        read_table(path, "lines", longest_row=40)
    assert "A file of another kind may have such lines" in str(caught.value.hint)
    path.write_text("x" * 50)
    with pytest.raises(DataError, match="line 1: the row is longer than 40 bytes") as caught:
        list(read_chunks(path, "lines", longest_row=40, size=8))
    assert "A file of another kind may have such lines" in str(caught.value.hint)
    path.write_text("text,label\n" + "x" * (5 * MB // 2))
    for limit, said in (
        (5 * MB // 2 - 1, "2,621,439 bytes"),
        (MB, "1 MB"),
        (3 * MB // 2, "1,572,864 bytes"),
    ):
        with pytest.raises(DataError, match=f"(?m)the row is longer than {said}$") as caught:
            read_table(path, longest_row=limit)
        assert "A double quote that is opened and never closed" in str(caught.value.hint)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("start", ["", "x\n"])
def test_what_comes_without_line_ends_is_not_waited_for(start: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for more, fine in (("0123456789", True), ("0123456789a", False), ("01\r3456\r89a", False)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO((start + more).encode())))
        if fine:
            assert read_table("-", "lines", longest_row=10).num_rows == 1 + len(start) // 2
        else:
            line = 1 + len(start) // 2
            with pytest.raises(DataError, match=f"^standard input, line {line}: the row is longer") as caught:
                read_table("-", "lines", longest_row=10)
            assert "No line ends there." in str(caught.value.hint)


@pytest.mark.parametrize("packed", [False, True])
def test_lines_behind_what_is_skipped(packed: bool, tmp_path: Path) -> None:
    source = Source(written(tmp_path, b"ab\ncd\nefgh\nijklm\n", packed), longest_row=4)
    source.rows_are_lines = True
    with source.open() as stream:
        stream.skip(3)
        assert stream.read(8) == b"cd\nefgh\n"
    with source.open() as stream:
        stream.skip(6)
        with pytest.raises(DataError, match="line 4: the row is longer than 4 bytes"):
            stream.read()


def test_a_row_is_measured_in_utf_8(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"text,label\n{'x' * 30},a\n", encoding="utf-16")
    assert read_table(path, longest_row=40).num_rows == 1


def test_a_device_has_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(DataError, match=r"^/dev/zero: is a device, expected a file"):
        read_table("/dev/zero", "csv")
    with open("/dev/zero", encoding="utf-8") as device:
        monkeypatch.setattr(sys, "stdin", device)
        with pytest.raises(DataError, match=r"^standard input: is a device, expected a file"):
            read_table("-", "csv")
        with pytest.raises(DataError, match=r"^standard input: is a device, expected a file"):
            next(iter(read_chunks("-", "csv")))


def test_what_is_read_is_not_written_over(tmp_path: Path) -> None:
    path, out = tmp_path / "t.csv", tmp_path / "o.csv"
    path.write_text("text,label\na,b\n")
    out.hardlink_to(path)  # another name of the same file
    with protecting():
        check_replaceable(str(out), None)
        read_table(path)
        with pytest.raises(OutputError, match="is read by this command"):
            check_replaceable(str(out), None)


def packed_lines(path: Path, line: bytes, size: int) -> Path:
    """Write a text of so many bytes."""
    with pa.CompressedOutputStream(str(path), "zstd") as out:
        block = line * (MB // len(line))
        for _ in range(size // len(block)):
            out.write(block)
        out.write(block[: size % len(block)])
    return path


def unpacked(path: Path) -> int:
    with Source(path).open() as stream:
        return sum(iter(lambda: len(stream.read(MB)), 0))


def test_how_far_a_file_may_unpack(tmp_path: Path) -> None:
    """To 64 MB; beyond that, to a thousand times its size."""
    path = tmp_path / "t.txt.zst"
    assert unpacked(packed_lines(path, b"word\n", HARMLESS)) == HARMLESS
    packed_lines(path, b"word\n", HARMLESS + 1)
    stored = path.stat().st_size
    assert 1000 * stored < HARMLESS
    refusal = rf"^{re.escape(str(path))}: unpacks to more than 1,000 times its {stored:,} bytes"
    with pytest.raises(DataError, match=refusal) as caught:
        unpacked(path)
    assert "unpack it first" in str(caught.value.hint)
    size = HARMLESS + 2 * MB
    with pa.CompressedOutputStream(str(path), "zstd") as out:
        out.write(os.urandom(size // 1000))
        for _ in range(size // MB):
            out.write(b"word" * (MB // 4))
    assert 1000 * path.stat().st_size > size
    assert unpacked(path) == size // 1000 + size // MB * MB


def test_a_bomb_is_unpacked_piece_by_piece(tmp_path: Path) -> None:
    path = packed_lines(tmp_path / "t.csv.zst", b"word,good\n", 4 * HARMLESS)
    tracemalloc.start()
    try:
        with pytest.raises(DataError, match="unpacks to more than"):
            Source(path).read()
        assert tracemalloc.get_traced_memory()[1] < 3 * HARMLESS
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("packed", [False, True])
def test_a_stream_is_a_file(packed: bool, tmp_path: Path) -> None:
    source = Source(written(tmp_path, b"0123456789", packed))
    with source.open() as stream:
        assert stream.readable()
        assert stream.read(0) == b""
        assert stream.read(3) == b"012"
        stream.skip(0)
        stream.skip(1)
        stream.skip(2)
        buffer = bytearray(b"abcdef")
        assert stream.readinto(buffer) == 4
        assert buffer == b"6789ef"
        assert stream.read(1) == b""
        assert stream.read() == b""
    assert stream.closed
    with pytest.raises(ValueError, match="closed"):
        stream.read(1)
    with source.open() as stream:
        stream.skip(4)
        assert stream.read() == b"456789"
    with source.open() as stream:
        stream.skip(100)
        assert stream.read() == b""


@pytest.mark.parametrize("packed", [False, True])
def test_a_file_that_is_gone(packed: bool, tmp_path: Path) -> None:
    path = written(tmp_path, b"a\n", packed)
    source = Source(path)
    path.unlink()
    with pytest.raises(DataError, match=rf"^{re.escape(str(path))}: cannot be read: ") as caught:
        source.read()
    assert caught.value.hint


def test_what_cannot_be_opened(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("t.csv")
        with pytest.raises(DataError, match=r"^t\.csv: cannot be read: ") as caught:
            read_table("t.csv")
    assert caught.value.hint


def test_a_file_of_which_no_byte_can_be_read() -> None:
    """The memory of a process is a file, and where it begins there is nothing."""
    with pytest.raises(DataError, match=r"^/proc/self/mem: cannot be read: "):
        Source("/proc/self/mem").read()


@pytest.mark.parametrize(
    "name", ["t.svm", "my t.SVM", "a.b.svm", "a.b.svm.gz", "no suffix", "İ.svm", "t.svm.gz", "T.SVM.GZ"]
)
def test_the_hint_converts_what_is_in_utf_16(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    data = "1 1:2 # é\n".encode("utf-16")
    path.write_bytes(gzip.compress(data) if name.lower().endswith(".gz") else data)
    with pytest.raises(DataError, match="the text is in UTF-16, expected UTF-8") as caught:
        read_svmlight(path)
    assert os.system(str(caught.value.hint).partition("with: ")[2]) == 0
    (made,) = tmp_path.glob("*-utf8*")
    stem, suffix = os.path.splitext(name.lower().removesuffix(".gz"))
    assert made.name.lower() == f"{stem}-utf8{suffix}"
    assert made.read_text(encoding="utf-8").removeprefix("\ufeff") == "1 1:2 # é\n"


@pytest.mark.parametrize(
    ("data", "line", "what"),
    [
        (b"\0", 1, "a NUL byte"),
        (b"\n\0", 2, "a NUL byte"),
        (b"a\r\r\n\0", 3, "a NUL byte"),
        (b"\xe9", 1, "byte 0xe9 is not valid UTF-8; the text may be in WINDOWS-1252"),
        (b"\n\xe9", 2, "byte 0xe9 is not valid UTF-8; the text may be in WINDOWS-1252"),
        (b"a\rb\x81", 2, "byte 0x81 is not valid UTF-8; the text may be in ISO-8859-1"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, line: int, what: str, tmp_path: Path) -> None:
    path = tmp_path / "t.txt"
    path.write_bytes(data)
    with pytest.raises(DataError) as caught:
        read_table(path)
    assert str(caught.value).startswith(f"{path}, line {line}: {what}")
    assert "iconv" in str(caught.value.hint)


@pytest.mark.parametrize(
    ("name", "data", "found"),
    [
        ("t.csv.gz", b"text,label\na,b\n", "not compressed"),
        ("t.csv.zst", gzip.compress(b"text,label\na,b\n", mtime=0), "gzip data"),
        ("t.csv.gz", pa.compress(b"text,label\na,b\n", "zstd", asbytes=True), "zstd data"),
    ],
)
def test_a_name_that_promises_other_compression(name: str, data: bytes, found: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(data)
    promised = {"gz": "gzip", "zst": "zstd"}[name.rpartition(".")[2]]
    said = f"the name indicates {promised} compression, but the file is {found}"
    with pytest.raises(DataError, match=rf"^{re.escape(str(path))}: {said}"):
        read_table(path)


@pytest.mark.parametrize("block", [64, MB])  # behind the block of the header, rows are read in the background
def test_damage_is_told_from_an_early_end(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lindy.data.chunks.delimited_parts.BLOCK", block)
    monkeypatch.setattr("lindy.data.formats.csv_header.BLOCK", block)
    path = tmp_path / "t.csv.gz"
    whole = gzip.compress(
        b"text,label\n" + b"".join(b"%04d,go\n" % i for i in range(1000))
    )  # 8 rows are a block
    path.write_bytes(whole[:-20])
    with pytest.raises(DataError, match=r"t\.csv\.gz: the gzip data is truncated"):
        read_table(path)
    path.write_bytes(whole[:100] + bytes(50) + whole[150:])
    with pytest.raises(DataError, match=r"t\.csv\.gz: the gzip data is damaged"):
        read_table(path)
