"""An input that comes piece by piece gives what it gives as a whole: rows, numbers, lines and errors."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from lindy.data import read_table
from lindy.data.chunks.bad_rows import BadRows
from lindy.data.chunks.row_chunker import cut_tables
from lindy.data.chunks.source import Source
from lindy.data.columns.table import Table
from lindy.errors import DataError

BOM = "\ufeff"
FORMS: dict[str, tuple[list[str], list[str]]] = {  # what a table may begin with, and what its rows look like
    "csv": (
        ["text,label\n", "\n\r\ntext,label\r\n", '"te\nxt",label\r', BOM + "text,label\n"],
        ["a,b\n", '"c, ""d""\n\r\ne",f\r\n', '5" disk,x\n', "\n", "\r\n", "g,h\r", "é,😀\n", ",\n", "i\n"],
    ),
    "csv with semicolons": (["text;label\n"], ["a,b;c\n", '"d;e";"f\n"\n']),
    "csv of one column": (
        ["text\n", '"text, and more"\n\n'],
        ["a\n", "\n", "\r\n", '""\n', '"b\n"\r\n', " \n", "c\r"],
    ),
    "tsv": (
        ["text\tlabel\n", "a,b\tlabel\n"],
        ["a\tb\n", '"c\td"\t"e\n"\n', "f,g\th\r\n", "\n", "\t\n"],
    ),
    "jsonl": (
        ["", "\n \n", BOM],
        [
            '{"text": "a", "label": "x"}\n',
            '{"label": "y", "text": "é\\n"}\r\n',
            "\n",
            " \t\r\n",
            '{"text": "b"}\n',
            '{"label": "z", "more": "m", "text": "c"}\n',
            "{\n",
        ],
    ),
    "lines": (["", BOM], ["a\n", "\n", "é b\r\n", " \n", BOM + "c\n", '"d\n']),
    "fasttext": (
        ["__label__z first\n", BOM],
        ["__label__x a\n", "b\n", "\n", "__label__y é\r\n", BOM + "c\n", "__label__ d\n"],
    ),
}


def pieces_of(data: bytes, cuts: list[int]) -> Iterator[bytes]:
    places = sorted({cut % (len(data) + 1) for cut in cuts} | {0, len(data)})
    return (data[a:b] for a, b in itertools.pairwise(places))


def cut(data: bytes, kind: str, cuts: list[int], bad: BadRows | None = None) -> Iterator[Table]:
    pieces = pieces_of(data, cuts)
    return cut_tables(Source.arriving("given"), kind, lambda: next(pieces, b""), bad=bad)


def rows_of(tables: list[Table]) -> list[tuple[object, ...]]:
    found: list[tuple[object, ...]] = []
    for table in tables:
        assert table.num_rows > 0
        assert table.column_names == tables[0].column_names
        columns = [table.column(name).to_pylist() for name in sorted(table.column_names, reverse=True)]
        places = [(table.number(row), table.line(row)) for row in range(table.num_rows)]
        found += zip(*columns, places, strict=True)
    return found


def read_or_error(path: Path, kind: str) -> Table | DataError:
    try:
        return read_table(path, kind)
    except DataError as error:
        return error


@settings(max_examples=250)
@given(
    st.sampled_from(sorted(FORMS)), st.data(), st.lists(st.integers(0, 10_000), max_size=12), st.booleans()
)
def test_rows_in_whatever_pieces_they_come(
    tmp_path_factory: pytest.TempPathFactory, form: str, draw: st.DataObject, cuts: list[int], ended: bool
) -> None:
    starts, rows = FORMS[form]
    chosen = draw.draw(st.lists(st.sampled_from(rows), max_size=8))
    text = draw.draw(st.sampled_from(starts)) + "".join(chosen)
    data = (text if ended else text.removesuffix("\n").removesuffix("\r")).encode()
    kind = form.partition(" ")[0]
    path = tmp_path_factory.mktemp("cut") / "given"
    path.write_bytes(data)
    table = read_or_error(path, kind)
    if isinstance(table, DataError):
        with pytest.raises(DataError) as caught:
            list(cut(data, kind, cuts))
        assert str(caught.value) == str(table).replace(str(path), "given")
    else:
        found = list(cut(data, kind, cuts))
        if kind == "fasttext" and table.column_names == ["text"]:  # parts cannot know that none has a label
            found = [part.take(range(part.num_rows)) for part in found]
            assert all(set(part.column("label").to_pylist()) == {None} for part in found)
            found = [replace(part, column_names=["text"]) for part in found]
        assert rows_of(found) == rows_of([table])


def test_a_wrong_row_is_named_where_a_piece_ends_within_a_character() -> None:
    data = "text,label\ni\né,😀\n".encode()
    with pytest.raises(DataError, match="line 2: expected 2 columns as in the header, got 1"):
        list(cut(data, "csv", [17]))


@pytest.mark.parametrize(
    ("kind", "pieces", "expected"),  # after so many pieces a table of so many rows
    [
        (
            "csv",
            ["text,label\na,b\n", "c,d\n", '"e\n', 'f",g\n"h",i\n', "j,k"],
            [(1, 1), (2, 1), (4, 2), (6, 1)],
        ),
        ("csv", ["text,label\n", "a,b\n", "\n", "c,d\n"], [(2, 1), (4, 1)]),
        ("csv", ["text,label\na", ",", "b\n"], [(3, 1)]),
        ("csv", ["text\na\n", "\n", "b\n"], [(1, 1), (2, 1), (3, 1)]),
        ("csv", ['text\na\r\n"b"\r', "\nc\r\n"], [(1, 1), (2, 2)]),
        ("tsv", ["text\tlabel\na\tb\n", 'c\td\n"e', '"\tf\n'], [(1, 1), (2, 1), (3, 1)]),
        ("jsonl", ['{"text": "a"}\n', "\n", '{"text": "b"}\n{', "}\n"], [(1, 1), (3, 1), (4, 1)]),
        ("lines", ["a\n", "\n", "b\nc", "d\n"], [(1, 1), (2, 1), (3, 1), (4, 1)]),
        ("fasttext", ["__label__x a\n", "\n", "b\n"], [(1, 1), (2, 1), (3, 1)]),
    ],
)
def test_rows_are_there_as_soon_as_they_are_complete(
    kind: str, pieces: list[str], expected: list[tuple[int, int]]
) -> None:
    came = itertools.count(1)
    left = iter(pieces)
    taken = 0

    def more() -> bytes:
        nonlocal taken
        taken = next(came)
        return next(left, "").encode()

    tables = cut_tables(Source.arriving("given"), kind, more)
    assert [(taken, table.num_rows) for table in tables] == expected


BAD: dict[str, tuple[dict[str, tuple[str | None, ...]], list[str]]] = {  # sound rows and bad ones
    "jsonl": (
        {
            '{"text": "a", "label": "x"}': ("a", "x"),
            '{"label": "y", "text": "b"}': ("b", "y"),
            '{"text": "c", "label": null}': ("c", None),
            '{"text": "d"}': ("d", None),
        },
        ["nonsense", "{", "[1]", '{"text": "\udcff"}'],
    ),
    "lines": ({"a": ("a",), "": ("",), " b": (" b",)}, ["\udcff", "\udcff\udcfe", "c\0"]),
    "fasttext": (
        {"__label__x a": ("a", "x"), "__label__y ": ("", "y"), "b": ("b", None), "": ("", None)},
        ["__label__ c", "d __label__x e", "\udcff"],
    ),
}


@settings(max_examples=150)
@given(st.sampled_from(sorted(BAD)), st.data(), st.lists(st.integers(0, 10_000), max_size=6), st.booleans())
def test_bad_lines_are_left_out_wherever_they_are(
    form: str, draw: st.DataObject, cuts: list[int], ended: bool
) -> None:
    sound, wrong = BAD[form]
    blank = [""] if form == "jsonl" else []  # a line that is no row
    lines = draw.draw(st.lists(st.sampled_from([*sound, *wrong, *blank]), min_size=1, max_size=9))
    assume(lines[0] != "\udcff\udcfe")  # the mark of UTF-16, which is read as a whole
    ended = ended or not lines[-1]
    data = ("\n".join(lines) + "\n" * ended).encode(errors="surrogateescape")
    rows = [(line, text) for line, text in enumerate(lines, 1) if text or form != "jsonl"]
    bad = BadRows(len(lines))
    tables = list(cut(data, form, cuts, bad))
    assert {table.end for table in tables} <= {None}, "reading cannot go on where rows are left out"
    expected = [(number, line, text) for number, (line, text) in enumerate(rows, 1) if text in sound]
    n_columns = 1 if expected and expected[0][2] == '{"text": "d"}' else 2  # the first one has them all
    assert rows_of(tables) == [(*sound[text][:n_columns], (number, line)) for number, line, text in expected]
    lines_of_bad = [line for line, text in rows if text in wrong]
    assert [int(what.split("given, line ")[1].split(":")[0]) for what in bad.found] == lines_of_bad
    if lines_of_bad:
        with pytest.raises(DataError, match=rf"given, line ({'|'.join(map(str, lines_of_bad))}): "):
            list(cut(data, form, cuts))
        with pytest.raises(
            DataError, match=rf"line {lines_of_bad[-1]}: .* may be left out, this is one more"
        ):
            list(cut(data, form, cuts, BadRows(len(lines_of_bad) - 1)))


@given(st.lists(st.integers(0, 10_000), max_size=6))
def test_bad_rows_of_a_delimited_input_are_left_out(cuts: list[int]) -> None:
    data = b'text,label\na,b\nc\n"d\nd",e\nf,\xff\n\ng,h,i\nj,k\n'
    bad = BadRows(3)
    rows = [("a", "b", (1, 2)), ("d\nd", "e", (3, 4)), ("j", "k", (6, 9))]
    assert rows_of(list(cut(data, "csv", cuts, bad))) == rows
    assert [int(what.split("given, line ")[1].split(":")[0]) for what in bad.found] == [3, 6, 8]
    with pytest.raises(DataError, match=r"line 8: .* may be left out, this is one more"):
        list(cut(data, "csv", cuts, BadRows(2)))
    with pytest.raises(DataError, match=r"given, line [36]: "):
        list(cut(data, "csv", cuts))


def test_a_quote_that_is_never_closed_is_left_out_when_all_has_come() -> None:
    bad = BadRows(1)
    found = rows_of(list(cut(b'text,label\na,b\n"c,d\ne,f\n', "csv", [20], bad)))
    assert found == [("a", "b", (1, 2)), ("e", "f", (3, 4))]


@pytest.mark.parametrize("kind", ["csv", "jsonl", "lines"])
def test_the_longest_row_is_that_of_a_file(kind: str, tmp_path: Path) -> None:
    start, row = {
        "csv": ("text,label\n\n\n", "0123456789,b"),
        "jsonl": ('{"text": "a"}\n\n\n', '{"text": "0123456789"}'),
        "lines": ("a\n\n\n", "0123456789"),
    }[kind]
    longest = len(row) + (kind == "csv")  # there the end of the line counts
    data = f"{start}{row}\n".encode()
    path = tmp_path / "given"
    path.write_bytes(data)
    whole = read_table(path, kind, longest_row=longest)
    assert whole.line(whole.num_rows - 1) == 4
    with pytest.raises(DataError, match="line 4: the row is longer than"):
        read_table(path, kind, longest_row=longest - 1)
    for size in range(1, len(data) + 1):
        pieces = [data[k : k + size] for k in range(0, len(data), size)]

        def read(longest: int, pieces: list[bytes] = pieces) -> list[Table]:
            left = iter(pieces)
            source = Source.arriving("given", longest)
            source.rows_are_lines = kind != "csv"
            return list(cut_tables(source, kind, lambda: next(left, b"")))

        assert rows_of(read(longest)) == rows_of([whole])
        with pytest.raises(DataError, match="given, line 4: the row is longer than"):
            read(len(row) - 1)


@pytest.mark.parametrize(
    ("kind", "start", "endless", "line"),
    [
        ("csv", b"text,label\na,b\n\n", b"word ", 4),
        ("csv", b'text,label\n\n"', b"word\n", 3),
        ("csv", b"text,label\n", b"\r\n", None),
        ("tsv", b"", b"word ", 1),
        ("jsonl", b'{"text": "a"}\n \n', b"word ", 3),
        ("jsonl", b'{"text": "a"}\n', b" \n", None),
        ("lines", b"a\n", b"word ", 2),
    ],
)
def test_what_has_no_end_is_refused_when_it_is_too_long(
    kind: str, start: bytes, endless: bytes, line: int | None
) -> None:
    pieces = itertools.chain([start], itertools.repeat(endless, 1000))

    def more() -> bytes:
        piece = next(pieces, None)
        assert piece is not None, "all of it was read"
        return piece

    place = "given, line " + (r"\d+" if line is None else str(line))
    with pytest.raises(DataError, match=f"^{place}: the row is longer than 100 bytes") as caught:
        list(cut_tables(Source.arriving("given", 100), kind, more))
    assert "`longest_row=`" in str(caught.value.hint)
