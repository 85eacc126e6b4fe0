"""Tables: their columns, rows and places; some of their rows, and several of them as one."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from lindy.data import read_table
from lindy.data.chunks.bad_rows import BadRows
from lindy.data.chunks.file_guard import file_state, unchanged
from lindy.data.columns.table import LineFinder, Table, first_repeated, joined
from lindy.errors import DataError


def made(folder: Path, name: str, *rows: str) -> Table:
    path = folder / f"{name}.csv"
    path.write_text("text,label\n" + "".join(f"{row}\n" for row in rows))
    return read_table(path)


def texts(table: Table) -> list[str]:
    column: list[str] = table.column("text").to_pylist()
    return column


def test_a_table_of_texts_is_nothing_else(tmp_path: Path) -> None:
    for table in (made(tmp_path, "t", "a,b"), Table.of("t.csv", {"text": ["a"], "label": ["b"]})):
        assert not table.has_messages
        assert table.kind == "texts"
        assert table.losses == []
        assert table.remarks == ()
        assert table.number(0) == 1
    assert Table.of("-", {"text": ["a"]}).place(0) == "standard input, row 1"


def test_labels_are_a_column_if_there_is_one() -> None:
    lines = [3, 5]
    table = Table.of_texts("t.ft", ["a", "b"], [None, "x"], lines.__getitem__)
    assert table.column_names == ["text", "label"]
    assert table.column("label").to_pylist() == [None, "x"]
    assert [table.place(row) for row in (0, 1)] == ["t.ft, line 3 (row 1)", "t.ft, line 5 (row 2)"]
    assert Table.of_texts("t.ft", ["a"], [None], lines.__getitem__).column_names == ["text"]
    assert Table.of_texts("t.ft", ["a"], ["x"], lambda row: row + 1).place(0) == "t.ft, line 1"


def test_some_rows_keep_their_places(tmp_path: Path) -> None:
    table = made(tmp_path, "t", '"a\na",x', "b,y", "c,z", "d,x")
    some = table.take(np.array([3, 0, 2]))
    assert texts(some) == ["d", "a\na", "c"]
    assert some.num_rows == 3
    assert [some.number(row) for row in range(3)] == [4, 1, 3]
    assert [some.line(row) for row in range(3)] == [6, 2, 5]
    fewer = some.take(np.array([2, 0]))
    assert texts(fewer) == ["c", "d"]
    assert [fewer.place(row) for row in range(2)] == [table.place(2), table.place(3)]
    for row in (-1, 2):
        with pytest.raises(IndexError, match=f"row {row} of a table of 2 rows"):
            fewer.line(row)


def test_rows_that_are_files_of_their_own(tmp_path: Path) -> None:
    for name in ("good/1.txt", "good/2.txt", "bad/1.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(name)
    table = read_table(tmp_path)
    files = [str(tmp_path / name) for name in ("bad/1.txt", "good/1.txt", "good/2.txt")]
    assert [table.place(row) for row in range(3)] == files
    assert [table.take([2, 0]).place(row) for row in range(2)] == [files[2], files[0]]
    both = joined([table, table.take([1])])
    assert [both.place(row) for row in range(4)] == [*files, files[1]]
    assert both.files == [*files, files[1]]
    assert texts(both) == ["bad/1.txt", "good/1.txt", "good/2.txt", "good/1.txt"]


def test_another_column_in_the_place_of_one(tmp_path: Path) -> None:
    table = made(tmp_path, "t", "a,x", "b,y")
    other = table.with_column("label", made(tmp_path, "u", "c,z", "d,z").column("text"))
    assert other.column("label").to_pylist() == ["c", "d"]
    assert other.column("text").to_pylist() == ["a", "b"]
    assert table.column("label").to_pylist() == ["x", "y"]


def test_rows_of_several_files_are_counted_through(tmp_path: Path) -> None:
    one, two = made(tmp_path, "one", "a,x", '"b\nb",y'), made(tmp_path, "two", "c,z", "d,x")
    both = joined([one, two.take([1])])
    assert [both.number(row) for row in range(3)] == [1, 2, 2]
    through = both.counted_from(10)
    assert [through.number(row) for row in range(3)] == [11, 12, 13]
    counted = two.counted_from(2)
    assert [counted.number(row) for row in range(2)] == [3, 4]
    places = [one.place(0), one.place(1), two.place(1)]
    for table in (both, through):
        assert [table.place(row) for row in range(3)] == places
        assert [table.line(row) for row in range(3)] == [2, 3, 3]
        some = table.take(np.array([2, 1]))
        assert [some.place(row) for row in range(2)] == [places[2], places[1]]
    assert [counted.place(row) for row in range(2)] == [two.place(0), two.place(1)]


def test_tables_one_below_the_other(tmp_path: Path) -> None:
    one, two, three = (made(tmp_path, name, f"{name},x", "more,y") for name in ("one", "two", "three"))
    table = joined([one, two, three])
    assert table.num_rows == 6
    assert texts(table) == ["one", "more", "two", "more", "three", "more"]
    assert [table.place(row) for row in range(6)] == [
        part.place(row) for part in (one, two, three) for row in range(2)
    ]
    assert table.path == one.path
    assert texts(joined([one])) == texts(one)
    assert joined([one]).place(1) == one.place(1)


def test_remarks_of_all_tables_are_kept(tmp_path: Path) -> None:
    for name, encoding in (("one", "cp1252"), ("two", "utf-16")):
        (tmp_path / f"{name}.csv").write_text("text,label\né,x\n", encoding=encoding)
    paths = [tmp_path / "one.csv", tmp_path / "two.csv"]
    assert read_table(paths, encoding="auto").remarks == (
        f"{paths[0]}: read as cp1252",
        f"{paths[1]}: read as utf-16",
    )


def test_other_columns_are_named_up_to_a_limit(tmp_path: Path) -> None:
    one = Table.of("one.csv", {"text": ["a"]})
    for n in (1, 2, 150):
        two = Table.of("two.csv", {"text": ["a"], **{f"c{i:03}": ["x"] for i in range(n)}})
        with pytest.raises(DataError, match=r"^two\.csv: other columns than one\.csv") as caught:
            joined([one, one, two])
        named = re.findall(r"'c\d+'", str(caught.value))
        assert named == [f"'c{i:03}'" for i in range(min(n, len(named)))]
        assert len(named) == n or 10 < len(named) < n


@pytest.mark.parametrize("n", [2, *range(95, 106)])
def test_all_columns_are_named_or_counted(n: int) -> None:
    table = Table.of("t.csv", {f"c{i}": ["x"] for i in range(n)})
    with pytest.raises(DataError, match=r"(?m)^t\.csv: no column 'text'$") as caught:
        table.texts("text")
    hint = str(caught.value.hint)
    assert hint.startswith("The columns are: 'c0', ")
    named = len(re.findall(r"'c\d+'", hint))
    more = re.search(r" and ([\d,]+) more\.$", hint)
    assert named + (int(more[1]) if more else 0) == n
    assert more is None or int(more[1]) > 0


def test_near_names_are_suggested() -> None:
    table = Table.of("t.csv", {name: ["x"] for name in (" Label", "lable", "text")})
    with pytest.raises(DataError) as caught:
        table.texts("LABEL ")
    assert str(caught.value.hint).startswith(
        "Did you mean ' Label' or 'lable'? The columns are: ' Label', 'lable'"
    )


@pytest.mark.parametrize(
    ("header", "said"),
    [("text,label", []), ("text,", ["a column"]), (",text,", ["2 columns"])],
)
def test_columns_without_a_name_are_told(header: str, said: list[str], tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(f"{header}\n{'x' + header.count(',') * ',x'}\n")
    for skip_bad in (0, 1):
        table = read_table(path, skip_bad=skip_bad)
        assert table.losses == [f"{path}: {what} without a name left out" for what in said]


def test_the_first_name_that_was_there_before() -> None:
    assert first_repeated(["a", "", "b", "", "c", "b", "a"]) == "b"
    assert first_repeated(["a", "", "", "b"]) is None


def test_lines_are_looked_for_once_and_as_far_as_asked() -> None:
    begun, given = [], []

    def lines() -> object:
        begun.append(True)
        for line in (2, 4, 8):
            given.append(line)
            yield line

    find = LineFinder(lines)  # type: ignore[arg-type]
    assert begun == []
    assert find(1) == 4
    assert given == [2, 4]
    assert [find(0), find(1)] == [2, 4]
    assert given == [2, 4]
    assert find(2) == 8
    assert find(3) is None
    assert [find(0), find(5), find(2)] == [2, None, 8]
    assert (len(begun), given) == (1, [2, 4, 8])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 19, 20, 21, 22, 40])
def test_rows_that_were_left_out_are_named_or_counted(n: int) -> None:
    bad = BadRows(n)
    for i in range(n):
        bad.add(DataError(f"t.csv, line {i}: wrong", "Mend it."))
    with pytest.raises(
        DataError, match=rf"^t\.csv, line {n}: wrong \({n} such rows? may be left out"
    ) as caught:
        bad.add(DataError(f"t.csv, line {n}: wrong", "Mend it."))
    assert (" row may" in str(caught.value)) == (n == 1)
    assert caught.value.hint == "Mend it. Or allow more with `skip_bad=`."
    named = [remark for remark in bad.remarks if remark.startswith("left out: t.csv, line ")]
    assert named == [f"left out: t.csv, line {i}: wrong" for i in range(len(named))]
    more = bad.remarks[len(named) :]
    assert len(more) <= 1
    counted = [int(re.fullmatch(r"left out: ([\d,]+) more rows that cannot be read", one)[1]) for one in more]  # type: ignore[index]
    assert len(named) + sum(counted) == n
    assert 0 not in counted
    assert bool(named) == bool(n)


def test_a_hint_that_is_missing_is_not_needed() -> None:
    with pytest.raises(DataError) as caught:
        BadRows(0).add(DataError("wrong"))
    assert caught.value.hint == "Or allow more with `skip_bad=`."


def test_a_file_must_stay_the_same_while_it_is_read(tmp_path: Path) -> None:
    table = made(tmp_path, "t", "a,b")
    parts = unchanged(table.path, [table, table])
    assert next(parts) is table
    assert list(parts) == [table]
    parts = unchanged(table.path, [table, table])
    next(parts)
    made(tmp_path, "t", "a,b", "c,d")
    with pytest.raises(
        DataError, match=rf"(?m)^{re.escape(table.path)}: the file changed while it was read$"
    ):
        next(parts)
    parts = unchanged(table.path, [table])
    next(parts)
    Path(table.path).unlink()
    with pytest.raises(DataError, match="the file changed while it was read"):
        next(parts)
    assert file_state(table.path) is None
    assert file_state("-") is None


def test_standard_input_is_no_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("-").write_text("a")
    assert file_state("-") is None
    assert file_state("./-") is not None
