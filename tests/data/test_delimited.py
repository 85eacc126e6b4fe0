"""The compiled parser and writer of delimited text, without the rest of the reader."""

from __future__ import annotations

import csv
import io
import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import _native
from lindy.core.column import TextColumn
from lindy.data import begin_table, read_chunks, read_table
from lindy.data.chunks.source import Stream
from lindy.errors import DataError

PIECES = ["a", "bc", '"', ",", "\n", "\r\n", " ", "é", "😀", "x" * 40]
FIELDS = st.lists(st.sampled_from(PIECES), max_size=6).map("".join)
ROWS = st.lists(st.tuples(FIELDS, FIELDS, FIELDS), min_size=1, max_size=8)


def written(rows: list[tuple[str, ...]]) -> bytes:
    file = io.StringIO(newline="")
    csv.writer(file, quoting=csv.QUOTE_ALL).writerows(rows)
    return file.getvalue().encode()


def parsed(data: bytes, wanted: list[bool], piece: int, expected: int = 0) -> list[list[str]] | None:
    parser = _native.DelimitedParser(",", wanted, expected)
    for begin in range(0, len(data), piece):
        parser.feed(data[begin : begin + piece])
    if not parser.finish():
        return None
    columns = [parser.take(k) for k, keep in enumerate(wanted) if keep]
    assert all(len(offsets) == parser.n_rows + 1 for offsets, _ in columns)
    return [TextColumn(offsets, text).to_pylist() for offsets, text in columns]


@given(ROWS, st.integers(1, 50), st.lists(st.booleans(), min_size=3, max_size=3))
def test_rows_in_whatever_pieces_they_come(
    rows: list[tuple[str, ...]], piece: int, wanted: list[bool]
) -> None:
    data = written(rows)
    columns = [list(column) for column, keep in zip(zip(*rows, strict=True), wanted, strict=True) if keep]
    assert parsed(data, wanted, piece) == columns
    assert parsed(data, wanted, piece, 1 << 24) == columns


@given(ROWS, st.booleans())
def test_what_arrow_reads(rows: list[tuple[str, ...]], quoted: bool) -> None:
    data = written(rows)
    if not quoted:
        data = data.replace(b'"', b"")
    names = ["a", "b", "c"]
    options = pa.csv.ConvertOptions(column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=False)
    try:
        theirs = pa.csv.read_csv(
            io.BytesIO(data),
            pa.csv.ReadOptions(column_names=names),
            pa.csv.ParseOptions(newlines_in_values=True),
            options,
        )
    except pa.ArrowInvalid:
        assert parsed(data, [True] * 3, len(data)) is None
    else:
        assert parsed(data, [True] * 3, len(data) or 1) == [column.to_pylist() for column in theirs.columns]


@pytest.mark.parametrize("data", [b"a\n", b"a,b,c\n", b'"a,b', b"a,\xff\n", b"a,\0\n", b'"a",b\n"'])
def test_what_is_no_table(data: bytes) -> None:
    assert parsed(data, [True, True], 2) is None


def test_a_long_row_is_not_gone_over_again_with_every_piece() -> None:
    text = "x" * (1 << 24)
    assert parsed(f'"{text}",b\n'.encode(), [True, True], 1 << 12) == [[text], ["b"]]


def test_reading_goes_on_while_something_else_is_done(tmp_path) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(b"text,label\n" + 200_000 * b'"some ""text""",b\n')
    finish = begin_table(path)
    table = finish()
    assert table.num_rows == 200_000
    assert table.texts("text").to_pylist()[-1] == 'some "text"'
    assert table.column("text") == read_table(path).column("text")
    path.write_bytes(b"text,label\n" + 200_000 * b"a,b\n" + b"c\n")
    finish = begin_table(path)  # what is wrong is said when the rows are wanted
    with pytest.raises(DataError, match="line 200002: expected 2 columns"):
        finish()


MIDDLES = st.integers(0, 2 * 10**6).map(lambda k: k / 2e6)  # of two numbers of six digits

NUMBERS = st.floats() | st.floats(0, 1) | MIDDLES | MIDDLES.map(lambda v: float(np.nextafter(v, 2)))


@given(st.lists(st.tuples(st.integers(-1, 2), NUMBERS), max_size=9))
def test_lines_are_as_python_formats_them(rows: list[tuple[int, float]]) -> None:
    codes = np.array([code for code, _ in rows], np.int64)
    numbers = np.abs(np.array([number for _, number in rows], np.float64))
    words = ["x", '"a,b"', "ü"]
    for delimiter in ",\t":
        expected = "".join(
            f"{words[k] if k >= 0 else ''}{delimiter}{'' if np.isnan(p) else format(p, '.6g')}\n"
            for k, p in zip(codes, numbers, strict=True)
        )
        assert _native.delimited_lines([(words, codes), numbers], delimiter) == expected.encode()


def test_rows_that_are_kept_are_not_written_over() -> None:
    parser = _native.DelimitedParser(",", [True, False], 0)
    kept: list[tuple[TextColumn, list[str]]] = []
    for turn in range(12):
        rows = [f"{turn}-{k}" * (turn % 3 + 1) for k in range(50)]
        parser.feed("".join(f"{row},x\n" for row in rows).encode())
        drained = TextColumn(*parser.drain()[0])
        if turn % 2:  # the memory of the others is free for what comes next
            kept.append((drained, rows))
        assert drained.to_pylist() == rows
    assert all(column.to_pylist() == rows for column, rows in kept)


def test_a_column_is_handed_out_once() -> None:
    parser = _native.DelimitedParser(",", [True, True], 0)
    parser.feed(b"a,b\n")
    assert parser.finish()
    assert TextColumn(*parser.take(1)).to_pylist() == ["b"]
    for k in (1, 2):
        with pytest.raises(ValueError, match="no such column, or it was taken"):
            parser.take(k)
    assert TextColumn(*parser.take(0)).to_pylist() == ["a"]


def test_a_header_of_very_many_columns(tmp_path: Path) -> None:
    n = 100_000
    path = tmp_path / "wide.csv"
    path.write_text(f"{','.join(f'c{i}' for i in range(n))}\n{','.join(map(str, range(n)))}\n")
    table = read_table(path)
    assert table.texts("c99999").to_pylist() == ["99999"]
    with pytest.raises(DataError) as refused:
        table.texts("d0")
    assert len(str(refused.value.hint)) < 2000
    path.write_text(path.read_text().replace("c99999", "c99998"))
    assert read_table(path).column_names[-2:] == ["c99998_1", "c99998_2"]


def test_lines_of_columns_that_do_not_fit() -> None:
    with pytest.raises(ValueError, match="code"):
        _native.delimited_lines([(["a"], np.array([1]))])
    with pytest.raises(ValueError, match="length"):
        _native.delimited_lines([np.zeros(2), np.zeros(3)])
    with pytest.raises(ValueError, match="column"):
        _native.delimited_lines([])
    with pytest.raises(ValueError, match="delimiter"):
        _native.DelimitedParser('"', [True], 0)
    with pytest.raises(ValueError, match="column"):
        _native.DelimitedParser(",", [], 0)


@pytest.mark.parametrize(
    ("data", "message", "hint", "not_said"),
    [
        ("text\n", "there is a header but no row", "add `format='lines'`", "above"),
        ("text,label\n", "there is a header but no row", "at least one row", "`format="),
        ("A sentence, as it comes\n", "there is a header but no row", "add `format='lines'`", "above"),
        (
            "text\na,b\n",
            "line 2: expected 1 column as in the header, got 2",
            "remove what is above them",
            "`format=`",
        ),
        (
            "text,label\na\n",
            "line 2: expected 2 columns as in the header, got 1",
            "a comma or a line",
            "above",
        ),
        ("text,label\na,b\n\nc\n", "line 4: expected 2 columns as in the header, got 1", "a comma", "above"),
        ("a,b,c\na\n", "line 2: expected 3 columns as in the header, got 1", "a comma or a line", "above"),
    ],
)
def test_hints_fit_the_number_of_columns(
    data: str, message: str, hint: str, not_said: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_text(data)
    for read in (read_table, lambda path: list(read_chunks(path))):
        with pytest.raises(DataError, match=message) as caught:
            read(path)
        assert hint in str(caught.value.hint)
        assert not_said not in str(caught.value.hint)


def test_a_column_may_be_asked_for_again(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("text,,label\na,b,c\n")
    table = read_table(path)
    for _ in range(2):
        assert table.texts("label").to_pylist() == ["c"]
        assert table.texts("text").to_pylist() == ["a"]


def test_a_file_that_was_mended_meanwhile(tmp_path: Path) -> None:
    """What was wrong cannot be found any more, which is said."""
    path = tmp_path / "t.csv"
    path.write_text("text,label\na,b,c\n")
    before = set(threading.enumerate())
    finish = begin_table(path)
    for reader in set(threading.enumerate()) - before:
        reader.join()
    path.write_text("text,label\na,b\n")
    with pytest.raises(DataError, match=r"t\.csv: the table cannot be parsed") as caught:
        finish()
    assert "another program is writing" in str(caught.value.hint)


def test_who_is_interrupted_while_rows_are_read_does_not_leave_a_reader_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b"text,label\n" + b"a,b\n" * 1000)
    monkeypatch.setattr("lindy.data.chunks.delimited_parts.BLOCK", 40)
    main, read, close = threading.main_thread(), Stream.read, Stream.close
    third, caught, ended = threading.Event(), threading.Event(), threading.Event()
    blocks: list[bytes] = []

    def noted(stream: Stream, size: int = -1) -> bytes:
        data = read(stream, size)
        if threading.current_thread() is not main:
            blocks.append(data)
            if len(blocks) == 3:
                third.set()
                caught.wait(60)
        return data

    def closing(stream: Stream) -> None:
        close(stream)
        if threading.current_thread() is not main:
            ended.set()

    def interrupted(_thread: threading.Thread, _timeout: float | None = None) -> None:
        third.wait(60)
        raise KeyboardInterrupt  # a signal could come just before the thread is waited for, which would go on

    monkeypatch.setattr(Stream, "read", noted)
    monkeypatch.setattr(Stream, "close", closing)
    finish = begin_table(path)
    with monkeypatch.context() as waiting:
        waiting.setattr(threading.Thread, "join", interrupted)
        with pytest.raises(KeyboardInterrupt):
            finish()
    caught.set()
    assert ended.wait(60)
    assert len(blocks) == 3


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        ("text\na\n\n\nb\n", [2, 3, 4, 5]),  # in a single column, a blank line is a row
        ("text,label\n\na,b\n\n\nc,d\n", [3, 6]),
        ("\na,b,c\r\n\r\n1,2,3\r\n", [4]),
        ('text\n"a\nb"\n\nc', [2, 4, 5]),
    ],
)
def test_blank_lines_count_as_lines(data: str, lines: list[int], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(data, newline="")
    for tables in ([read_table(path)], list(read_chunks(path)), list(read_chunks(path, size=1))):
        assert [table.line(row) for table in tables for row in range(table.num_rows)] == lines
