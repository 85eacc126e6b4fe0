"""The first line of delimited text: where it ends, what it names, and how records are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from lindy.data import read_chunks, read_table
from lindy.data.chunks.row_chunker import cut_tables
from lindy.data.chunks.source import Source
from lindy.data.formats import csv_header
from lindy.data.formats.csv_header import has_header, read_header, records
from lindy.errors import DataError


def source(folder: Path, data: bytes) -> Source:
    path = folder / "table.csv"
    path.write_bytes(data)
    return Source(path)


@pytest.mark.parametrize("block", [1, 4, 9, 10, 11, 1 << 16])
def test_a_header_may_be_longer_than_a_block(
    block: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_header, "BLOCK", block)
    for data in (b"text,label\nfine,good\n", b'\n"te""xt",label\nfine,good\n', b"text,label"):
        header = read_header(source(tmp_path, data), ",")
        assert header.names[0].replace('"', "") == "text"
        assert header.names[1] == "label"
        assert header.delimiter == ","
        assert data[header.end :] == (b"fine,good\n" if b"fine" in data else b"")
        assert header.next_line == data[: header.end].count(b"\n") + 1


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b'{"text": "x"}\n', "the first line is"),
        (b'{"text": "x", "label": "y"}\n', "the first line is JSON"),
        (b",\nx,y\n", "the header has no column names"),
        (b'text,"lab\nx,y\n', "line 1: a double quote is opened and never closed"),
        (b'\ntext,"la\nbel","x\ny\n', "line 3: a double quote is opened and never closed"),
        (b'\n\n"text,label\nx,y\n', "line 3: a double quote is opened and never closed"),
        (b"te\0xt,label\nx,y\n", "NUL"),
        (b"te\xffxt,label\nx,y\n", "line 1"),
    ],
    ids=str,
)
def test_what_is_no_header_is_said(data: bytes, message: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=message):
        read_header(source(tmp_path, data), ",")


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("block", [4, 8, 1 << 16])
def test_a_header_may_have_as_many_bytes_as_a_row(
    block: int, start: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(csv_header, "BLOCK", block)
    for size in range(1, 20):
        table = source(tmp_path, start + b"a" * size + b",b\nx,y\n")
        for longest in range(1, 25):
            table.longest_row = longest
            if size + len(",b\n") <= longest:
                header = read_header(table, None)
                assert header.names == ["a" * size, "b"]
            else:
                with pytest.raises(DataError, match=f"line 1: the row is longer than {longest} bytes"):
                    read_header(table, None)


@pytest.mark.parametrize(("columns", "fine"), [(3, True), (4, False)])
def test_a_header_has_a_limit_of_columns(
    columns: int, fine: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert csv_header._MOST_COLUMNS == 1_048_576, "documented"
    monkeypatch.setattr(csv_header, "_MOST_COLUMNS", 3)
    table = source(tmp_path, ",".join(f"c{i}" for i in range(columns)).encode() + b"\n1\n")
    if fine:
        assert len(read_header(table, ",").names) == columns
    else:
        with pytest.raises(DataError, match="has 4 columns, expected at most 3"):
            read_header(table, ",")


def test_a_header_that_comes_in_parts_is_complete_when_something_follows() -> None:
    def header(data: bytes, delimiter: str | None = None) -> tuple[int, str, int] | None:
        if not has_header(data, delimiter):
            return None
        found = read_header(Source.arriving("given").holding(data, 0), delimiter)
        return found.end, found.delimiter, len(found.names)

    data = b"text;label\nfine;good\n"
    for end in range(len(data) + 1):
        assert header(data[:end]) == (None if end <= 11 else (11, ";", 2)), end
    assert header(b"a,b\nx", ",") == (4, ",", 2)
    titled = b"A title;;\n" + data.replace(b";", b";;")
    for end in range(len(titled) + 1):
        assert header(titled[:end]) is None, end  # of which later rows tell that it is one
    assert header(titled + b"a;b;c\n" * 100) == (22, ";", 3)
    data = b"\xef\xbb\xbfsep=;\r\ntext,;label\r\nfine;good\r\n"
    for end in range(len(data) + 1):
        if end <= data.index(b"fine"):
            assert header(data[:end]) in (None, (data.index(b"fine") - 1, ";", 2)), end
        else:
            assert header(data[:end]) == (data.index(b"fine"), ";", 2), end


def test_records_know_their_lines_and_blanks() -> None:
    data = b'a,b\n\n"x\ny",z\r\n""\n"o""p"q,"open\nto the end'
    found = list(records(data, ",", 0, 1))
    assert [record.fields for record in found] == [
        [b"a", b"b"], [b""], [b"x\ny", b"z"], [b""], [b'o"pq', b"open\nto the end"],
    ]  # fmt: skip
    assert [record.line for record in found] == [1, 2, 3, 5, 6]
    assert [record.next_line for record in found] == [2, 3, 5, 6, 7]
    assert [record.blank for record in found] == [False, True, False, False, False]
    assert [record.open_line for record in found] == [None, None, None, None, 6]
    assert found[-1].end == len(data)
    (last,) = records(b'x,"y\nz","open', ",", 0, 1)
    assert last.open_line == 2


def test_the_line_of_excel_is_counted(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("sep=;\n\ntext;label\nfine;good\n")
    assert read_table(path).line(0) == 4
    path.write_text("sep=;\ntext;text\nfine;good\n")
    assert read_table(path).column_names == ["text_1", "text_2"]


EXPORTED = (
    "Feedback 2026;;;\nas of;1 March;;\n;;;\nid;text;label;note\n"
    '1;a fine book;good;x\n2;"dull;\nlong";bad;\n3;fine;good;\n'
)


def test_titles_above_the_header_are_passed_over_and_said(tmp_path: Path) -> None:
    """As a spreadsheet exports them: with as many delimiters as the table has."""
    path = tmp_path / "a.csv"
    path.write_text(EXPORTED)
    for tables in ([read_table(path)], list(read_chunks(path, size=1))):
        names = ["id", "text", "label", "note"]
        assert all(table.column_names == names for table in tables)
        texts = [text for table in tables for text in table.column("text").to_pylist()]
        assert texts == ["a fine book", "dull;\nlong", "fine"]
        assert tables[0].line(0) == 5
        assert tables[-1].line(tables[-1].num_rows - 1) == 8
        assert "taken from line 4; above them: 'Feedback 2026' and more" in tables[0].remarks[0]


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_titles_of_what_comes_piece_by_piece(size: int, tmp_path: Path) -> None:
    """Titles are told from the header by rows that come later, and only once: later rows may look otherwise."""
    data = (EXPORTED + "4;x;good;\n" * 200 + "5;;;\n" * 200).encode()
    pieces = iter([data[begin : begin + size] for begin in range(0, len(data), size)])
    tables = list(cut_tables(source(tmp_path, b""), "csv", lambda: next(pieces, b"")))
    assert all(table.column_names == ["id", "text", "label", "note"] for table in tables)
    assert sum(table.num_rows for table in tables) == 403
    assert [len(table.remarks) for table in tables] == [1, *[0] * (len(tables) - 1)]
    assert tables[-1].line(tables[-1].num_rows - 1) == 408


def test_a_header_of_few_names_stays_a_header(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    for data, name in (
        (",words\n0,fine\n1,dull\n", "words"),  # an index beside one column
        ("words,\nfine,\ndull,\n", "words"),  # a delimiter at the end of every line
        ("Text,,\nfine,a,b\ndull,c,d\n", "Text"),
    ):
        path.write_text(data)
        table = read_table(path)
        assert (table.column_names, table.column(name).to_pylist()) == ([name], ["fine", "dull"])
        assert table.remarks == ()
    path.write_text("Reviews,,\nid,text,label\n1,fine,good\n")
    assert read_table(path).column_names == ["id", "text", "label"]
    asked = read_table(path, header_row=1)
    assert (asked.column_names, asked.num_rows, asked.remarks) == (["Reviews"], 2, ())
