"""Columns of a table that are no features but say something about its rows: their group, their time, their weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.data.dealing import ranks
from lindy.data.distinct import distinct
from lindy.data.division import Division
from lindy.data.label_cleaning import is_blank
from lindy.data.moments import as_moments
from lindy.data.numbers import as_numbers
from lindy.data.table import Table
from lindy.errors import DataError


def division_of(
    tables: Table | Sequence[Table], group: str | None = None, time: str | None = None
) -> Division:
    """Return how the rows of a table, or of several below each other, may be divided: by columns of groups and times.

    A row with a blank group is a group of its own.

    Raises
    ------
    DataError
        If there is no such column, a time is missing or none, or all rows are of one group or one moment.
    """
    tables = [tables] if isinstance(tables, Table) else tables
    groups = None if group is None else _groups(tables, group)
    moments = None if time is None else _moments(tables, time)
    return Division(groups, moments).checked(f"{tables[0].name}: ")


def weights_in(table: Table, name: str) -> NDArray[np.float64]:
    """Return how much each row counts.

    Raises
    ------
    DataError
        If a weight is missing, negative or no number, with its line, or if all are 0.
    """
    column = as_numbers(table.column(name), name, table.place)
    missing = (
        column.is_null().to_numpy(zero_copy_only=False) if column.null_count else np.zeros(len(column), bool)
    )
    weights: NDArray[np.float64] = column.to_numpy().astype(np.float64)
    wrong = np.flatnonzero(missing | (weights < 0))
    if len(wrong):
        row = int(wrong[0])
        what = "missing" if missing[row] else f"{weights[row]:g}"
        raise DataError(
            f"{table.place(row)}: the weight {name!r} is {what}, expected a number from 0 on",
            "Give every row a weight; 0 leaves it out.",
        )
    if not weights.any():
        raise DataError(
            f"{table.name}: every weight in column {name!r} is 0", "Name another column with --weight."
        )
    return weights


def _groups(tables: Sequence[Table], name: str) -> NDArray[np.int64]:
    known: dict[str, int] = {}
    parts = []
    for table in tables:
        column: Any = table.texts(name)
        if column.null_count:
            import pyarrow.compute as pc

            column = pc.fill_null(column, "")
        values, codes = distinct(column)
        own = [-1 if is_blank(value) else known.setdefault(value, len(known)) for value in values]
        parts.append(np.array(own, np.int64)[codes])
    numbers = np.concatenate(parts)
    alone = np.flatnonzero(numbers < 0)
    numbers[alone] = len(known) + np.arange(len(alone))
    return ranks(numbers)


def _moments(tables: Sequence[Table], name: str) -> NDArray[np.int64]:
    values = [value for table in tables for value in table.column(name).to_pylist()]
    ends = np.cumsum([table.num_rows for table in tables])

    def place(row: int) -> str:
        number = int(np.searchsorted(ends, row, side="right"))
        return tables[number].place(row - (int(ends[number - 1]) if number else 0))

    return ranks(as_moments(values, name, place))
