"""Texts in other encodings than UTF-8."""

from __future__ import annotations

import gzip
import io
import sys
from pathlib import Path

import pytest

from lindy.data import convert, read_table
from lindy.errors import DataError

TEXT = "text,label\ncafé – “fine”,gut\nnaïve,schlecht\n"


def columns(path: Path, **options: str) -> list[str]:
    table = read_table(path, **options)
    if table.kind == "features":
        return table.texts("features").names
    return table.column("text").to_pylist()


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "utf-32", "mac-roman"]
)
@pytest.mark.parametrize("suffix", ["csv", "csv.gz"])
def test_named_encodings(tmp_path: Path, encoding: str, suffix: str) -> None:
    path, data = tmp_path / f"a.{suffix}", TEXT.encode(encoding)
    path.write_bytes(gzip.compress(data) if suffix.endswith("gz") else data)
    expected = ["café – “fine”", "naïve"]
    assert columns(path, encoding=encoding) == expected
    if encoding.startswith("utf-8") or encoding == "utf-16":
        assert columns(path) == expected
    if encoding not in ("utf-32", "mac-roman"):
        table = read_table(path, encoding="auto")
        assert table.column("text").to_pylist() == expected
        assert bool(table.remarks) is not encoding.startswith("utf-8")


def test_every_text_format_has_an_encoding(tmp_path: Path) -> None:
    for name, text in {
        "a.jsonl": '{"text": "café"}\n',
        "a.txt": "café\n",
        "a.ft": "__label__a café\n",
        "a.vw": "a | café\n",
        "a.tsv": "text\tlabel\ncafé\ta\n",
    }.items():
        path = tmp_path / name
        path.write_bytes(text.encode("latin-1"))
        assert columns(path, encoding="latin-1") == ["café"]
        path.write_bytes(text.encode("utf-16"))
        assert columns(path) == ["café"]
    folder = tmp_path / "texts" / "good"
    folder.mkdir(parents=True)
    (folder / "1.txt").write_bytes(b"caf\xe9")
    assert columns(folder.parent, encoding="cp1252") == ["café"]
    convert(tmp_path / "a.txt", tmp_path / "out.jsonl", encoding="utf-16")
    assert columns(tmp_path / "out.jsonl") == ["café"]


def test_what_was_replaced_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes("text\nÄÖÜ\n".encode() + b"caf\xe9\n" + "ß\n".encode())
    table = read_table(path, encoding="auto")
    assert table.column("text").to_pylist() == ["ÄÖÜ", "caf\ufffd", "ß"]
    assert table.remarks == (
        f"{path}: read as utf-8; 1 character that it does not have became U+FFFD, the first in line 3",
    )
    path.write_bytes(b"text\nx\x81\xe9\n")
    assert columns(path, encoding="auto") == ["x\x81é"]


REPLACED = "that it does not have became U+FFFD, the first in line"


@pytest.mark.parametrize(
    ("data", "texts", "remark"),
    [
        ("\ufffd\nä\n".encode(), ["\ufffd", "ä"], None),
        ("\ufffd\nÄÖÜ".encode() + b"\xe9\n", ["\ufffd", "ÄÖÜ\ufffd"], f"utf-8; 1 character {REPLACED} 2"),
        (
            "ÄÖÜ\n\n".encode() + b"\xe9\n\xe9",
            ["ÄÖÜ", "", "\ufffd", "\ufffd"],
            f"utf-8; 2 characters {REPLACED} 3",
        ),
        ("é".encode() + b"\xe9", ["Ã©é"], "cp1252"),  # half of it is not most of it
        ("aé".encode() + b"\x81", ["aÃ©\x81"], "latin-1"),
        ("a\ufffd\nb".encode("utf-16"), ["a\ufffd", "b"], "utf-16"),
        ("a\ufffd\nb".encode("utf-16") + b"\0", ["a\ufffd", "b\ufffd"], f"utf-16; 1 character {REPLACED} 2"),
        ("ab\nc".encode("utf-16-le"), ["ab", "c"], "utf-16-le"),
        ("ab\nc".encode("utf-16-be"), ["ab", "c"], "utf-16-be"),
        (
            "ĀĀabc".encode("utf-16-be"),
            ["ĀĀabc"],
            "utf-16-be",
        ),  # most zeros are where its letters of ASCII have them
        ("ĀĀabc".encode("utf-16-le"), ["ĀĀabc"], "utf-16-le"),
        (b"abc\xe9", ["abcé"], "cp1252"),
        (b"abc", ["abc"], None),
    ],
)
def test_what_is_guessed(tmp_path: Path, data: bytes, texts: list[str], remark: str | None) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(data)
    table = read_table(path, encoding="auto")
    assert table.column("text").to_pylist() == texts
    assert table.remarks == (() if remark is None else (f"{path}: read as {remark}",))


@pytest.mark.parametrize(
    ("data", "encoding", "message", "hint"),
    [
        (b"text\na\ncaf\xe9\n", None, "line 3: byte 0xe9 is not valid UTF-8", "`encoding='auto'`"),
        (b"text\na\ncaf\xe9\n", "ascii", "line 3: byte 0xe9 is not valid ascii", "'auto'"),
        (b"text\na\n", "latin1252", "no encoding is called 'latin1252'", "cp1252"),
        (b"text\na\n", "base64", "no encoding is called 'base64'", "cp1252"),
        (b"\xe9", "ascii", "line 1: byte 0xe9 is not valid ascii", "'auto'"),
        ("text\na\n\n".encode("utf-16") + b"\0", None, "line 4: byte 0x00 is not valid utf-16", "'auto'"),
        (b"a-!", "punycode", "not valid punycode", "`encoding=`"),
    ],
)
def test_what_cannot_be_decoded(
    tmp_path: Path, data: bytes, encoding: str | None, message: str, hint: str
) -> None:
    path = tmp_path / "a.csv"
    path.write_bytes(data)
    with pytest.raises(DataError, match=message) as caught:
        read_table(path, encoding=encoding)
    assert hint in str(caught.value.hint)


def test_binary_formats_have_none(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1")
    with pytest.raises(DataError, match="no encoding to choose"):
        read_table(path, encoding="cp1252")


def test_the_first_of_several_encodings_that_has_all_bytes(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for encoding, remarks in (("utf-8", ()), ("utf-16", ()), ("cp1252", (f"{path}: read as cp1252",))):
        path.write_bytes("text\ncafé\n".encode(encoding))
        table = read_table(path, encoding="utf-8, cp1252")
        assert table.column("text").to_pylist() == ["café"]
        assert table.remarks == remarks


@pytest.mark.parametrize("stdin", [False, True])
@pytest.mark.parametrize(
    ("encoding", "bad"), [("utf-8", b"\xff"), ("UTF8", b"\xff"), ("cp1252", b"\x81"), ("cp932", b"\x81\xff")]
)
@pytest.mark.parametrize("name", ["a.csv", "a.jsonl", "a.txt"])
def test_rows_with_bytes_that_the_encoding_does_not_have_can_be_left_out(
    name: str, encoding: str, bad: bytes, stdin: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = {"a.csv": b"text,label\nfine,good\n%s,x\ndull,bad\n", "a.txt": b"fine\n%s\ndull\n"}
    rows["a.jsonl"] = b'{"text": "fine"}\n{"text": "%s"}\n{"text": "dull"}\n'
    path = tmp_path / name
    path.write_bytes(rows[name] % bad)
    kind = name.removeprefix("a.").replace("txt", "lines")
    if stdin:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(path.read_bytes())))
    given = "-" if stdin else path
    table = read_table(given, kind, encoding=encoding, skip_bad=1)
    assert table.column("text").to_pylist() == ["fine", "dull"]
    assert "left out" in table.remarks[-1]
    if not stdin:
        with pytest.raises(DataError):
            read_table(given, kind, encoding=encoding)
