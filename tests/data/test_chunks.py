"""Tables part by part are the table as a whole: its rows, their numbers and lines, its errors."""

from __future__ import annotations

import gzip
import json
import threading
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.hostile.oddities.parquet_files import damaged, parquet

from lindy.data import read_chunks, read_table
from lindy.data.chunks.chunks import ahead
from lindy.data.chunks.row_chunker import cut_tables
from lindy.data.chunks.source import Source
from lindy.data.columns.table import Table
from lindy.errors import DataError

TEXTS = st.text(st.sampled_from('ab ,;"\n\r\té€😀'), max_size=8)
ROWS = st.lists(st.tuples(TEXTS, TEXTS), min_size=1, max_size=12)
MANY_FIELDS = ",".join("ijklmnopqrstuvwxyz")  # its fault is known some blocks before its end


@pytest.fixture(autouse=True)
def _small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lindy.data.chunks.delimited_parts.BLOCK", 7)
    monkeypatch.setattr("lindy.data.formats.csv_header.BLOCK", 64)


def quoted(field: str) -> str:
    return '"' + field.replace('"', '""') + '"' if set(field) & set('",\n\r') or not field else field


def as_csv(rows: list[tuple[str, str]]) -> str:
    return "".join(f"{quoted(a)},{quoted(b)}\n" for a, b in [("text", "label"), *rows])


def as_jsonl(rows: list[tuple[str, str]]) -> str:
    return "".join(json.dumps({"text": a, "label": b}) + "\n" for a, b in rows)


def rows_of(table: Table) -> list[tuple[object, ...]]:
    columns = [table.column(name).to_pylist() for name in table.column_names]
    places = [(table.number(row), table.line(row)) for row in range(table.num_rows)]
    return list(zip(*columns, places, strict=True))


@given(ROWS, st.integers(1, 40), st.sampled_from(["csv", "excel", "jsonl"]))
def test_the_parts_of_a_file_are_its_rows(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], size: int, kind: str
) -> None:
    path = tmp_path_factory.mktemp("parts") / ("table.jsonl" if kind == "jsonl" else "table.csv")
    text = as_jsonl(rows) if kind == "jsonl" else as_csv(rows)
    path.write_text("sep=,\r\n" + text if kind == "excel" else text, newline="")
    whole = read_table(path)
    parts = list(read_chunks(path, size=size))
    assert [row for part in parts for row in rows_of(part)] == rows_of(whole)
    joined = read_chunks([path], size=size).joined()
    assert rows_of(joined) == rows_of(whole)
    assert [joined.place(row) for row in range(joined.num_rows)] == [
        whole.place(row) for row in range(whole.num_rows)
    ]


@given(
    ROWS,
    st.sampled_from(["csv", "tsv", "jsonl", "lines", "fasttext"]),
    st.integers(1, 60),
    st.booleans(),
    st.integers(0, 3),
)
def test_reading_begins_behind_any_part(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[tuple[str, str]],
    kind: str,
    size: int,
    packed: bool,
    blank: int,
) -> None:
    text = (
        as_csv(rows)
        if kind == "csv"
        else as_csv(rows).replace(",", "\t")
        if kind == "tsv"
        else as_jsonl(rows)
    )
    data = ("\n" * blank if kind == "jsonl" else "").encode() + text.encode()
    path = tmp_path_factory.mktemp("t") / f"t.{kind}{'.gz' if packed else ''}"
    path.write_bytes(gzip.compress(data, mtime=0) if packed else data)
    try:
        parts = list(read_chunks(path, kind, size=size))
    except DataError:
        return
    for number, part in enumerate(parts):
        assert part.end is not None
        rest = list(read_chunks(path, kind, size=size).of(str(path), part.end))
        assert [rows_of(own) for own in rest] == [rows_of(own) for own in parts[number + 1 :]]
        assert [own.end for own in rest] == [own.end for own in parts[number + 1 :]]


def test_reading_on_knows_a_first_line_of_any_length(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    rows = [("a" * 2_500_000, "x"), *((f"b{i}", "y") for i in range(50))]  # longer than what is read at once
    path.write_text("\n \n" + as_jsonl(rows))
    first, *others = read_chunks(path, size=3_000_000)
    assert first.num_rows + sum(part.num_rows for part in others) == len(rows)
    small = list(read_chunks(path, size=100))
    for number, part in enumerate(small[:3]):
        rest = list(read_chunks(path, size=100).of(str(path), part.end))
        assert [rows_of(own) for own in rest] == [rows_of(own) for own in small[number + 1 :]]


def test_reading_on_has_the_columns_of_the_first_line(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text('{"text": "a", "label": "x"}\n{"text": "b"}\n{"more": "m", "text": "c"}\n')
    first, *others = read_chunks(path, size=28)
    assert others
    after = list(read_chunks(path, size=28).of(str(path), first.end))
    assert [part.column_names for part in after] == [["text", "label"]] * len(others)
    assert [rows_of(part) for part in after] == [rows_of(part) for part in others]


def test_parquet_lines_fasttext_and_compressed_files_in_parts(tmp_path: Path) -> None:
    from lindy.data.write.convert import convert

    source = tmp_path / "t.csv"
    source.write_text(as_csv([(f"text number {i}, long enough", f"class{i % 3}") for i in range(500)]))
    for name in ("t.parquet", "t.ft", "t.txt", "t.csv.gz", "t.jsonl.zst", "t.tsv"):
        path = tmp_path / name
        convert(source, path)
        parts = list(read_chunks(path, size=1000))
        assert len(parts) > 3, name
        assert [row for part in parts for row in rows_of(part)] == rows_of(read_table(path)), name


@given(ROWS, st.integers(1, 30))
def test_what_comes_piece_by_piece_is_the_file(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], size: int
) -> None:
    path = tmp_path_factory.mktemp("pieces") / "table.csv"
    data = ("sep=,\r\n" + as_csv(rows)).encode()
    path.write_bytes(data)
    pieces = (data[k : k + size] for k in range(0, len(data), size))
    arriving = cut_tables(Source.arriving("input", None), "csv", lambda: next(pieces, b""))
    assert [row for table in arriving for row in rows_of(table)] == rows_of(read_table(path))


@pytest.mark.parametrize("size", [1, 2_000, 20_000, 1 << 30])
def test_parts_of_parquet_have_about_the_size_that_is_asked_for(size: int, tmp_path: Path) -> None:
    texts = [f"{i:0100}" for i in range(400)]
    pq.write_table(
        pa.table({"text": texts}), tmp_path / "t.parquet", row_group_size=150, use_dictionary=False
    )
    parts = list(read_chunks(tmp_path / "t.parquet", size=size))
    assert [text for part in parts for text in part.column("text").to_pylist()] == texts
    assert [part.number(0) for part in parts] == [
        1 + sum(part.num_rows for part in parts[:k]) for k in range(len(parts))
    ]
    most = max(part.num_rows for part in parts)
    assert max(size / 2, 1) <= most * 100 or most >= 150  # not over the end of a row group
    assert most == 1 or (most - 1) * 100 <= size


def test_what_cannot_be_read_in_parts_of_parquet_is_named(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(damaged("label", text=["a"], label=["b"]))
    with pytest.raises(DataError, match=r"t.parquet: a row group cannot be read: \S"):
        list(read_chunks(path))
    path.write_bytes(parquet(text=pa.array([b"a", b"\xff"]).view(pa.string()), label=["b", "c"]))
    (part,) = read_chunks(path)
    assert part.column("label").to_pylist() == ["b", "c"]
    with pytest.raises(DataError, match=r"t.parquet: the column 'text' cannot be read: \S"):
        part.column("text")


def test_the_reason_is_the_first_line_of_what_arrow_says(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    path.write_bytes(b"text,label\n" * 10)
    with pytest.raises(pa.ArrowInvalid) as theirs:
        pq.ParquetFile(path)
    with pytest.raises(DataError) as ours:
        read_table(path)
    first = str(theirs.value).partition("\n")[0]
    assert str(ours.value) == f"{path}: not a Parquet file, or damaged: {first}"


def test_several_tables_are_one(tmp_path: Path) -> None:
    one, two = tmp_path / "one.csv", tmp_path / "two.jsonl"
    one.write_text("text,label\na,x\nb,y\n")
    two.write_text('{"label": "z", "text": "c"}\n')
    table = read_table([one, two])
    assert table.column("text").to_pylist() == ["a", "b", "c"]
    assert table.place(2) == f"{two}, line 1"
    assert table.place(1) == f"{one}, line 3 (row 2)"
    two.write_text('{"class": "z", "text": "c"}\n')
    with pytest.raises(
        DataError, match=r"two.jsonl: other columns than .*one.csv: only one of them has 'class', 'label'"
    ):
        read_table([one, two])


@pytest.mark.parametrize("size", [1, 1000])
def test_an_open_quote_below_blank_lines_is_one_bad_row(size: int, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'text,label\na,x\n\n\n"b,y\n\nc,z\n')
    chunks = read_chunks(path, skip_bad=1, size=size)
    found = [(table.number(k), table.line(k)) for table in chunks for k in range(table.num_rows)]
    assert found == [(1, 2), (3, 7)]
    assert chunks.left_out == (f"left out: {path}, line 5: a double quote is opened and never closed",)


def test_bad_rows_of_a_delimited_file_are_left_out_and_listed(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(b'text,label\na,x\n"b",y,z\nc,y\nd,\xff\n"e\ng",y\nh,\0\ni,x\n"f,x\nj,y\n')
    with pytest.raises(DataError, match=r"t.csv, line 3: expected 2 columns as in the header, got 3"):
        list(read_chunks(path))
    table = read_table(path, skip_bad=4)
    assert table.column("text").to_pylist() == ["a", "c", "e\ng", "i", "j"]
    assert [(table.number(row), table.line(row)) for row in range(5)] == [
        (1, 2),
        (3, 4),
        (5, 6),
        (7, 9),
        (9, 11),
    ]
    said = list(table.remarks)
    assert len(said) == 4
    for remark, line, what in zip(said, (3, 5, 8, 10), ("got 3", "0xff", "NUL", "never closed"), strict=True):
        assert f"t.csv, line {line}: " in remark
        assert what in remark
    with pytest.raises(
        DataError, match=r"line 10: .*3 such rows may be left out, this is one more"
    ) as caught:
        read_table(path, skip_bad=3)
    assert "`skip_bad=`" in str(caught.value.hint)


def test_rows_behind_a_quote_that_is_never_closed_are_those_of_the_next_lines(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('text\na\n"b\nc\n\n')  # of one column, in which a blank line is a row
    for size in (1, 100):
        parts = list(read_chunks(path, skip_bad=1, size=size))
        found = [row for part in parts for row in rows_of(part)]
        assert found == [("a", (1, 2)), ("c", (3, 4)), ("", (4, 5))]


@given(
    st.lists(st.sampled_from(["a,x", "b", "c,d,e", '"f\n,g",h', ",", MANY_FIELDS]), min_size=1),
    st.booleans(),
)
@example([MANY_FIELDS, "a,x"], True)
def test_sound_rows_are_kept_wherever_the_bad_ones_are(
    tmp_path_factory: pytest.TempPathFactory, rows: list[str], ended: bool
) -> None:
    path = tmp_path_factory.mktemp("bad") / "t.csv"
    path.write_text("text,label\n" + "\n".join(rows) + "\n" * ended)
    sound = {"a,x": ("a", "x"), '"f\n,g",h': ("f\n,g", "h"), ",": ("", "")}
    for size in (1, 20, 1000):
        chunks = read_chunks(path, skip_bad=len(rows), size=size)
        parts = list(chunks)
        assert {part.end for part in parts} <= {None}, "reading cannot go on where rows are left out"
        found = [row for part in parts for row in rows_of(part)]
        assert [row[:2] for row in found] == [sound[row] for row in rows if row in sound]
        assert [row[2][0] for row in found] == [i + 1 for i, row in enumerate(rows) if row in sound]  # type: ignore[index]
        assert chunks.bad is not None
        assert len(chunks.bad.found) == sum(row not in sound for row in rows)


def test_bad_lines_of_json_are_left_out_and_listed(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    lines = ["nonsense", '{"text": "a", "label": "x"}', "", "{", '{"text": "b", "label": "y"}', "[1]"]
    path.write_text("\n".join(lines * 3) + "\n")
    for size in (5, 30, 1000):
        chunks = read_chunks(path, skip_bad=9, size=size)
        parts = list(chunks)
        rows = [row for part in parts for row in rows_of(part)]
        assert [row[:2] for row in rows] == [("a", "x"), ("b", "y")] * 3, size
        assert [row[2][1] for row in rows] == [2, 5, 8, 11, 14, 17], size  # type: ignore[index]
        assert chunks.bad is not None
        assert [int(what.split("line ")[1].split(":")[0]) for what in chunks.bad.found] == [
            1,
            4,
            6,
            7,
            10,
            12,
            13,
            16,
            18,
        ]


@pytest.fixture
def _blocks_of_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "lindy.data.chunks.delimited_parts.BLOCK", 200
    )  # twice the longest row: else parts may be cut elsewhere


@pytest.mark.usefixtures("_blocks_of_rows")
@given(ROWS, st.integers(1, 300))
@example([("longer than", "a block")] * 12, 1)
def test_reading_goes_on_behind_any_part(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, str]], size: int
) -> None:
    path = tmp_path_factory.mktemp("after") / "t.csv"
    path.write_text("\n" + as_csv(rows * 5), newline="")
    parts = list(read_chunks(path, size=size))
    ends = [len("\ntext,label\n"), *(part.end[0] for part in parts if part.end)]
    assert all(end - begin >= size for begin, end in pairwise(ends[:-1])), "only the last may be smaller"
    assert ends[-1] == path.stat().st_size
    for k, part in enumerate(parts):
        after = list(read_chunks(path, size=size).of(str(path), part.end))
        assert [rows_of(other) for other in after] == [rows_of(other) for other in parts[k + 1 :]]
        assert [other.end for other in after] == [other.end for other in parts[k + 1 :]]
    places = [part.place(row) for part in parts for row in range(part.num_rows)]
    again = list(read_chunks(path, size=size))
    asked = [(part, row) for part in again for row in range(part.num_rows)]
    assert [part.place(row) for part, row in reversed(asked)] == places[::-1]


def test_a_truncated_file_is_an_error_after_its_sound_parts(tmp_path: Path) -> None:
    path = tmp_path / "t.csv.gz"
    text = as_csv([(f"text {i * 7919 % 10007}", f"c{i % 2}") for i in range(20_000)])
    path.write_bytes(gzip.compress(text.encode())[:-3000])
    parts: list[Table] = []
    with pytest.raises(DataError, match=r"t.csv.gz: the gzip data is truncated"):
        parts.extend(read_chunks(path, size=10_000))
    assert sum(part.num_rows for part in parts) > 1000


def test_parts_that_are_read_ahead_raise_where_they_are_used(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_csv([("a", "b")] * 100) + "c\n")
    read = ahead(read_chunks(path, size=50))
    assert next(read).num_rows > 0
    with pytest.raises(DataError, match=r"line 102: expected 2 columns"):
        list(read)


def test_one_part_is_read_ahead_and_no_more(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(as_csv([("a", "b")]))
    one = read_table(tmp_path / "t.csv")
    second, fourth = threading.Event(), threading.Event()

    def made() -> Iterator[Table]:
        yield one
        second.set()
        yield one
        yield one  # waits for its turn
        fourth.set()
        yield one

    parts = ahead(made())
    next(parts)
    assert second.wait(60), "nothing is made while a part is being worked on"
    assert not fourth.wait(0.5), "parts pile up"
    assert len(list(parts)) == 3


def test_the_thread_of_parts_that_nobody_wants_ends(tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(as_csv([("a", "b")]))
    one = read_table(tmp_path / "t.csv")
    third = threading.Event()

    def made() -> Iterator[Table]:
        yield one
        yield one
        third.set()
        yield one  # for which there is no room

    before = set(threading.enumerate())
    parts = ahead(made())
    next(parts)
    begun = set(threading.enumerate()) - before
    assert third.wait(60)
    parts.close()
    for thread in begun:
        thread.join(20)
    assert not any(thread.is_alive() for thread in begun)


@pytest.fixture
def _no_threads() -> Iterator[None]:
    threading.stack_size(1 << 46)  # the system has no room for such a thread
    yield
    threading.stack_size(0)


@pytest.mark.usefixtures("_no_threads")
def test_where_no_thread_can_be_started_nothing_is_read_ahead(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(as_csv([("a", "b")] * 100))
    with pytest.raises(RuntimeError):
        threading.Thread(target=list).start()
    assert sum(part.num_rows for part in ahead(read_chunks(path, size=50))) == 100
    assert read_table(path).num_rows == 100
    path.write_text(as_csv([("a", "b")] * 100) + "c\n")
    with pytest.raises(DataError, match=r"line 102: expected 2 columns"):
        list(ahead(read_chunks(path, size=50)))
    with pytest.raises(DataError, match=r"line 102: expected 2 columns"):
        read_table(path)


def test_who_leaves_parts_that_are_read_ahead_does_not_wait_for_them(tmp_path: Path) -> None:
    """The garbage collector closes what is left lying, in a thread that may hold the lock that a join needs."""
    (tmp_path / "t.csv").write_text(as_csv([("a", "b")]))
    one = read_table(tmp_path / "t.csv")
    go_on = threading.Event()

    def slow() -> Iterator[Table]:
        yield one
        go_on.wait(60)
        yield one

    left = ahead(slow())
    next(left)
    closing = threading.Thread(target=left.close)
    closing.start()
    closing.join(20)
    waits = closing.is_alive()
    go_on.set()
    assert not waits
