"""Inputs that come piece by piece: guessed encodings, formats told by the first bytes, headers that are not there."""

from __future__ import annotations

import gzip
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.data import convert, read_chunks
from lindy.data.chunks.arriving import Arriving
from lindy.data.columns.choose import header_is_data
from lindy.data.formats.encodings import AutoDecoder
from lindy.errors import DataError

GERMAN = "text\nSchön – “gut”\nnaïve\n"


def in_pieces(data: bytes, size: int) -> Callable[[], bytes]:
    pieces: Iterator[bytes] = iter([data[i : i + size] for i in range(0, len(data), size)])
    return lambda: next(pieces, b"")


def texts(arriving: Arriving) -> list[str]:
    return [
        text for table in read_chunks(arriving) for text in table.column(table.column_names[0]).to_pylist()
    ]


@given(
    st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16", "utf-16-le", "utf-16-be"]),
    st.integers(1, 40),
    st.integers(0, 3000),
)
def test_the_encoding_does_not_depend_on_the_pieces(encoding: str, size: int, ascii_first: int) -> None:
    text = "a,b\n" * ascii_first + GERMAN
    more = in_pieces(text.encode(encoding), size)
    decoder = AutoDecoder("input", more(), more)
    assert b"".join(iter(decoder, b"")).decode("utf-8-sig") == text
    found = encoding.removesuffix("-sig")
    assert decoder.remarks == ([] if found == "utf-8" else [f"input: read as {found}"])


def test_what_an_encoding_does_not_have_is_replaced_and_said() -> None:
    data = (GERMAN * 5000).encode() + b"wrong: \xff\xff \xe2\x82"
    more = in_pieces(data, 1000)
    decoder = AutoDecoder("input", more(), more)
    assert b"".join(iter(decoder, b"")).decode().endswith("wrong: \ufffd\ufffd \ufffd")
    assert decoder.remarks == [
        "input: characters that are not in utf-8 became U+FFFD, the first in line 15001"
    ]


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "xlsx"])
@pytest.mark.parametrize("size", [3, 1000, 1 << 20])
def test_formats_are_told_by_the_first_bytes(tmp_path: Path, kind: str, size: int) -> None:
    plain, path = tmp_path / "a.csv", tmp_path / f"b.{kind}"
    plain.write_text("text,label\nfirst,x\n" + "another,y\n" * 50)
    convert(plain, path)
    data = path.read_bytes()
    size = max(size, 4)  # which the first bytes of a packed file have
    arriving = Arriving("input", in_pieces(data, size), None if kind != "tsv" else kind, encoding="auto")
    assert arriving.kind == kind
    assert texts(arriving) == ["first"] + ["another"] * 50
    if kind in ("csv", "jsonl"):
        packed = Arriving("input", in_pieces(gzip.compress(data), size), encoding="auto")
        assert (packed.kind, packed.is_cut) == (kind, False)
        assert len(texts(packed)) == 51


def test_a_header_that_is_added_is_no_line() -> None:
    arriving = Arriving("input", in_pieces(b"sep=;\nI liked it;good\ndull;bad\n", 10_000), "csv")
    assert arriving.add_header() == ["column_1", "column_2"]
    (table,) = read_chunks(arriving)
    assert table.column("column_1").to_pylist() == ["I liked it", "dull"]
    assert [table.line(row) for row in (0, 1)] == [2, 3]
    arriving = Arriving("input", in_pieces(b"I liked it;good\ndull\n", 10_000), "csv")
    arriving.add_header()
    with pytest.raises(DataError, match="input, line 2: expected 2 columns"):
        list(read_chunks(arriving))


@pytest.mark.parametrize(
    ("names", "rows", "expected"),
    [
        (["text"], [["text"]], False),
        (["I liked it"], [], True),
        (["comment"], [["comment"]], False),
        (["Gästebuch"], [["gut"]], False),
        (["a", "b"], [["c", "b"]], True),
        (["a", "b"], [["a", "b"], ["c", "d"]], False),
        (["", "b"], [["", "x"]], False),
        (["1", "this is a long text and no name"], [], True),
        (["my review of it all, and more: text", "y"], [], False),
    ],
)
def test_when_a_first_line_is_data(names: list[str], rows: list[list[Any]], expected: bool) -> None:
    assert header_is_data(names, rows) is expected
