"""Names of rows follow them through everything that leaves rows out or puts them in another order."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from lindy.data import read_examples, read_table
from lindy.data.columns.label_cleaning import LabelRules
from lindy.data.columns.row_ids import RowName, RowNames
from lindy.errors import DataError


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "t.csv"
    path.write_text('key,text,label\na,"1\n1",x\nb,2,\nc,3,y\n\nd,4,x\n')
    return path


def test_names_stay_those_of_the_file(table: Path) -> None:
    data = read_examples(table, text="text", label="label", rules=LabelRules())
    names = RowNames(data.table, "key")
    assert names([2, 0]) == [RowName(4, 7, "d"), RowName(1, 2, "a")]
    assert names.take(np.array([2, 1]))([0, 1]) == [RowName(4, 7, "d"), RowName(3, 5, "c")]
    assert str(names.of(2)) == "row 4 (line 7, id d)"
    assert str(RowNames(data.table).of(1)) == "row 3 (line 5)"
    assert str(RowName(12345)) == "row 12,345"
    with pytest.raises(DataError, match="no column 'kee'"):
        RowNames(data.table, "kee")


def test_lines_are_found_in_any_order(table: Path) -> None:
    read = read_table(table)
    assert [read.line(row) for row in (3, 0, 2, 1)] == [7, 2, 5, 4]
    assert read.place(3) == f"{table}, line 7 (row 4)"


def test_the_file_of_a_row_among_several(table: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.csv"
    other.write_text("key,text,label\ne,5,x\n")
    both = read_table([table, other]).counted_from(0)
    names = RowNames(both, several=True)
    assert (names.has_files, names.has_lines, names.has_ids) == (True, True, False)
    assert [names.of(row).file for row in (3, 4)] == [str(table), str(other)]
    assert names.take([4]).of(0) == RowName(5, 2, None, str(other))
    assert str(names.of(4)) == f"row 5 ({other}, line 2)"
    assert not RowNames(both).has_files
    assert RowNames(both).of(4) == RowName(5, 2)
    alone = RowNames(read_table(other), several=True)
    assert (alone.has_files, alone.has_lines) == (False, True)
    assert alone.of(0) == RowName(1, 2)


def test_files_are_ids(tmp_path: Path) -> None:
    for label in ("x", "y"):
        (tmp_path / "d" / label).mkdir(parents=True)
        (tmp_path / "d" / label / "1.txt").write_text(label)
    names = RowNames(read_table(tmp_path / "d"))
    assert (names.has_ids, names.has_lines) == (True, False)
    assert names.of(1).id == str(tmp_path / "d" / "y" / "1.txt")
    assert RowNames(read_table([tmp_path / "d" / "x", tmp_path / "d" / "y"]), several=True).of(1).file is None
