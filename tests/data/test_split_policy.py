"""Divisions: groups on one side, the past before the future, both at once; balance, few groups, and errors."""

from __future__ import annotations

import datetime
import itertools
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from numpy.typing import NDArray

from lindy import DataError
from lindy.core.targets import OneLabel
from lindy.data import SplitPolicy, Table, split
from lindy.data.columns.metadata_columns import division_of, weights_in
from lindy.data.columns.timestamps import as_moments
from lindy.data.splits.split_policy import FREE
from lindy.data.splits.stratify import NEVER, by_group, by_time

Row = tuple[int, int, int]
"""The class, the group and the moment of a row."""
ROWS = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 5), st.integers(0, 7)), min_size=2, max_size=60)
KINDS = st.sampled_from([(True, False), (False, True), (True, True)])


def division(rows: list[Row], kind: tuple[bool, bool]) -> tuple[NDArray[np.int64], SplitPolicy]:
    """Return the classes and the division of rows by group, by time or by both; as they come from the user."""
    codes, groups, times = (np.array(values) for values in zip(*rows, strict=True))
    assume(not kind[0] or len(set(groups.tolist())) > 1)
    assume(not kind[1] or len(set(times.tolist())) > 1)
    named = [f"customer {group}" for group in groups.tolist()]
    return codes, SplitPolicy.of(len(rows), named if kind[0] else None, times if kind[1] else None)


def check(rows: list[Row], kind: tuple[bool, bool], train: Any, held: Any) -> None:
    """Check one pair of rows to learn from and rows held out against the rows themselves."""
    assert len(held)
    assert not set(train.tolist()) & set(held.tolist())
    assert len({rows[i][0] for i in train}) > 1
    assert {rows[i][0] for i in held} <= {rows[i][0] for i in train}
    if kind[0]:
        assert not {rows[i][1] for i in train} & {rows[i][1] for i in held}
    if kind[1]:
        assert max(rows[i][2] for i in train) < min(rows[i][2] for i in held)


@given(ROWS, KINDS, st.integers(2, 6), st.integers(0, 3))
def test_no_split_breaks_a_condition(rows: list[Row], kind: tuple[bool, bool], k: int, seed: int) -> None:
    codes, own = division(rows, kind)
    splits = own.splits(codes, k, seed)
    assert len(splits) <= k
    for train, held in splits:
        check(rows, kind, train, held)
    held_out = [row for _, held in splits for row in held.tolist()]
    assert len(held_out) == len(set(held_out))
    again = own.splits(codes, k, seed)
    assert [held.tolist() for _, held in again] == [held.tolist() for _, held in splits]
    if kind == (False, True):  # windows expand, and the latest comes first
        for (later, _), (earlier, _) in itertools.pairwise(splits):
            assert set(earlier.tolist()) < set(later.tolist())


@given(ROWS, KINDS, st.floats(0.05, 0.9), st.integers(0, 3))
def test_one_part_held_out(rows: list[Row], kind: tuple[bool, bool], share: float, seed: int) -> None:
    codes, own = division(rows, kind)
    if not own.can_hold_out(codes, share):
        with pytest.raises(DataError, match="can be held out"):
            own.hold_out(codes, share)
        return
    check(rows, kind, *own.hold_out(codes, share, seed))


@given(ROWS, KINDS)
def test_a_part_of_a_division_is_one(rows: list[Row], kind: tuple[bool, bool]) -> None:
    codes, own = division(rows, kind)
    some = np.arange(0, len(rows), 2)
    for train, held in own.take(some).splits(codes[some], 3):
        check(rows, kind, some[train], some[held])


@given(ROWS, KINDS, st.integers(1, 59))
def test_what_may_stand_beside_rows_that_are_given(rows: list[Row], kind: tuple[bool, bool], n: int) -> None:
    _, own = division(rows, kind)
    n = min(n, len(rows) - 1)
    given, held = np.arange(n), np.arange(n, len(rows))
    train = own.cleared(given, held)
    groups, first = {rows[i][1] for i in held}, min(rows[i][2] for i in held)
    fitting = [
        i
        for i in range(n)
        if not (kind[0] and rows[i][1] in groups) and not (kind[1] and rows[i][2] >= first)
    ]
    assert train.tolist() == fitting


@given(ROWS)
def test_parts_by_group_and_time(rows: list[Row]) -> None:
    codes, _ = division(rows, (True, True))
    groups, times = [row[1] for row in rows], [row[2] for row in rows]
    parts = split(codes, {"train": 0.6, "dev": 0.2, "test": 0.2}, groups=groups, time=times)
    names = list(parts)
    for i, earlier in enumerate(names):
        for later in names[i + 1 :]:
            if len(parts[earlier]) and len(parts[later]):
                assert max(times[r] for r in parts[earlier]) < min(times[r] for r in parts[later])
                assert not {groups[r] for r in parts[earlier]} & {groups[r] for r in parts[later]}


def cost(part: Any, codes: Any, share: Any) -> float:
    """The sum that the module's docstring defines, from its definition."""
    total = 0.0
    for p, own in enumerate(share):
        for of_class in [codes == c for c in np.unique(codes)] + [np.ones(len(codes), bool)]:
            wanted = own * of_class.sum()
            total += ((of_class & (part == p)).sum() - wanted) ** 2 / wanted
    return total


@given(ROWS, st.sampled_from([(0.5, 0.5), (0.8, 0.2), (1 / 3, 1 / 3, 1 / 3), (0.7, 0.2, 0.1)]))
@example([(0, 0, 0)] * 9 + [(1, 1, 0)] * 9, (0.5, 0.5))
def test_no_group_would_be_better_elsewhere(rows: list[Row], share: tuple[float, ...]) -> None:
    codes, groups = (
        np.array([row[0] for row in rows]),
        np.unique([row[1] for row in rows], return_inverse=True)[1],
    )
    part = by_group(OneLabel.of(codes), groups, np.array(share), 0)
    reached = cost(part, codes, share)
    for group in np.unique(groups):
        assert len(set(part[groups == group].tolist())) == 1
        for other in range(len(share)):
            assert cost(np.where(groups == group, other, part), codes, share) >= reached - 1e-6


def test_two_groups_are_two_folds_and_equal_groups_equal_folds() -> None:
    codes = np.arange(40) % 2
    splits = SplitPolicy.of(40, np.arange(40) // 20).splits(codes, 5)
    assert [len(held) for _, held in splits] == [20, 20]
    sizes = [len(held) for _, held in SplitPolicy.of(40, np.arange(40) // 2).splits(codes, 5)]
    assert sizes == [8] * 5


def test_nothing_can_be_held_out_where_every_class_is_a_group() -> None:
    codes = np.repeat([0, 1], 10)
    own = SplitPolicy.of(20, codes)
    assert own.splits(codes, 5) == []
    with pytest.raises(DataError) as refused:
        own.hold_out(codes, 0.2)
    assert "at least two groups" in refused.value.hint


@given(st.lists(st.integers(0, 9), min_size=3, max_size=50), st.integers(2, 4))
def test_cuts_lie_between_moments_as_near_as_can_be(times: list[int], parts: int) -> None:
    moments = np.unique(times, return_inverse=True)[1]
    assume(moments.max() + 1 >= parts)
    part = by_time(moments, np.full(parts, 1 / parts))
    assert set(part.tolist()) == set(range(parts))
    order = np.argsort(moments, kind="stable")
    assert (np.diff(part[order]) >= 0).all()
    assert len(set(zip(moments.tolist(), part.tolist(), strict=True))) == moments.max() + 1
    if parts == 2:
        borders = np.cumsum(np.bincount(moments))[:-1]
        assert abs((part == 0).sum() - len(times) / 2) == np.abs(borders - len(times) / 2).min()


def test_a_group_that_spans_the_cut_keeps_one_side() -> None:
    groups = ["old", "old", "both", "both", "both", "new", "new"]
    parts = split([0, 1, 0, 1, 0, 0, 1], {"train": 4, "test": 3}, groups=groups, time=range(7))
    assert {name: rows.tolist() for name, rows in parts.items()} == {"train": [0, 1, 2, 3], "test": [5, 6]}


def test_without_conditions_nothing_is_left_out() -> None:
    assert FREE.is_free
    assert FREE.take(np.arange(3)) is FREE
    codes = np.arange(30) % 3
    assert sorted(np.concatenate([held for _, held in FREE.splits(codes, 4)]).tolist()) == list(range(30))
    assert FREE.splits(np.array([0, 1, 2]), 3) == []  # the only example of a class is never held out
    assert (FREE.parts(codes, np.array([0.5, 0.5])) != NEVER).all()


DAYS = ["2024-05-01", "2024-05-03", "2024-05-02"]


@pytest.mark.parametrize(
    "times",
    [
        DAYS,
        [f" {day}T12:00Z" for day in DAYS],
        ["2024-05-01 12:00:00+00:00", "2024-05-03 12:00:00+02:00", "2024-05-02 23:59:59-01:00"],
        ["2024-05", "2024-07", "2024-06"],
        ["2024-W01-1", "2024-W01-3", "2024-W01-2"],
        ["9", "11", "10"],
        [-1.5, 2, 0.0],
        np.array(DAYS, "datetime64[D]"),
        list(np.array(DAYS, "datetime64[ns]")),
        [datetime.date.fromisoformat(day) for day in DAYS],
        [datetime.datetime.fromisoformat(day) for day in DAYS],
        pd.Series(pd.to_datetime(DAYS)),
        pd.Series(pd.to_datetime(DAYS)).dt.tz_localize("UTC"),
        pa.chunked_array([DAYS]),
        pa.array([1, 3, 2]),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str | list) else str(value)[:30],
)
def test_times_of_every_kind_are_put_in_order(times: Any) -> None:
    assert SplitPolicy.of(3, time=times).moments.tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    ("times", "message"),
    [
        (["2024-05-01", "yesterday"], "row 2: 'time' is 'yesterday', expected a date such as 2024-05-31"),
        (["2024-05-01", None], "row 2: 'time' is missing"),
        (["2024-05-01", " "], "row 2: 'time' is missing"),
        (["2024-05-01", "7"], "row 2: 'time' is '7', a number, but those before it are dates"),
        (["7", "2024-05-01"], "a date, but those before it are numbers"),
        (["1", "nan"], "row 2: 'time' is 'nan'"),
        (np.array([1.0, np.inf]), "row 2: 'time' is"),
        (np.array(["2024-05-01", "NaT"], "datetime64[D]"), "row 2: 'time' is"),
        (["2024-13-01", "x"], "row 1: 'time' is '2024-13-01'"),
    ],
    ids=lambda value: type(value).__name__ if not isinstance(value, str | list) else str(value)[:30],
)
def test_what_is_no_time_is_refused_with_its_row(times: Any, message: str) -> None:
    with pytest.raises(DataError) as refused:
        as_moments(times)
    assert message in str(refused.value)


@pytest.mark.parametrize(
    "values", [["a", "b", "a"], [1, 2, 1], [("a",), None, ("a",)], pd.Series(["x", "y", "x"])]
)
def test_groups_are_any_values(values: Any) -> None:
    groups = SplitPolicy.of(3, values).groups
    assert groups[0] == groups[2] != groups[1]


def test_rows_without_a_group_are_groups_of_their_own() -> None:
    for values in (
        [None, None, "a", "a"],
        [float("nan"), float("nan"), 1.0, 1.0],
        pa.array([None, None, "a", "a"]),
    ):
        groups = SplitPolicy.of(4, values).groups
        assert len(set(groups.tolist())) == 3
    table = Table.of("t.csv", {"customer": [None, " ", "a", "a"]})
    assert len(set(division_of(table, "customer").groups.tolist())) == 3


def test_errors_name_the_file_and_the_line() -> None:
    table = Table.of(
        "t.csv", {"day": ["2024-01-01", "soon"], "one": ["x", "x"], "w": ["1", "-2"]}, lambda row: row + 2
    )
    for name in ("one", "w"):
        assert weights_or_error(table, name).startswith("t.csv, line ")
    with pytest.raises(DataError, match=r"t\.csv, line 3 \(row 2\): 'day' is 'soon'"):
        division_of(table, time="day")
    with pytest.raises(DataError, match=r"t\.csv: all 2 rows have the same group"):
        division_of(table, "one")
    with pytest.raises(DataError, match=r"t\.csv: no column 'two'"):
        division_of(table, "two")
    with pytest.raises(DataError, match=r"every weight in column 'w' is 0"):
        weights_in(Table.of("t.csv", {"w": ["0", "0"]}), "w")
    with pytest.raises(ValueError, match="groups must have one value per row, 3; got 2"):
        SplitPolicy.of(3, ["a", "b"])
    with pytest.raises(ValueError, match="time must have one value per row, 3"):
        SplitPolicy.of(3, time=[1, 2])
    with pytest.raises(ValueError, match="groups must be words or numbers"):
        SplitPolicy.of(2, [{}, {}])


def weights_or_error(table: Table, name: str) -> str:
    with pytest.raises(DataError) as refused:
        weights_in(table, name)
    return str(refused.value)


def test_two_tables_have_their_groups_and_times_in_common() -> None:
    first = Table.of("a.csv", {"customer": ["x", "y"], "day": ["2024-01-01", "2024-01-03"]})
    second = Table.of("b.csv", {"customer": ["y", "z"], "day": ["2024-01-02", "oops"]})
    groups = division_of([first, second], "customer").groups.tolist()
    assert groups[1] == groups[2]
    assert len(set(groups)) == 3
    with pytest.raises(DataError, match=r"b\.csv, row 2: 'day' is 'oops'"):
        division_of([first, second], time="day")
