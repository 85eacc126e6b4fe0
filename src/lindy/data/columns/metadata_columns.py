"""Columns of a table that are no features but say something about its rows: their group, their time, their weight."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import distinct
from lindy.data.columns.keys import in_order_of_appearance, text_keys
from lindy.data.columns.numbers import as_numbers
from lindy.data.columns.table import Table
from lindy.data.splits.split_policy import SplitPolicy
from lindy.data.splits.stratify import ranks
from lindy.errors import DataError

_EVERY_ROW = "Give every row a weight; 0 leaves it out."


def division_of(
    tables: Table | Sequence[Table], group: str | None = None, time: str | None = None
) -> SplitPolicy:
    """Return how the rows of a table, or of several below each other, may be divided: by columns of groups and times.

    A row with a blank group is a group of its own.

    Raises
    ------
    DataError
        If there is no such column, a time is missing or none, or all rows are of one group or one moment.
    """
    tables = [tables] if isinstance(tables, Table) else tables
    parts = DivisionParts(group, time)
    for table in tables:
        parts.add(table)
    return parts.division(tables[0].name)


class DivisionParts:
    """The division of rows that come part by part.

    Of the group of a row, 64 bits of its BLAKE2 digest are kept: two of a million groups are taken for one with a
    probability of 3·10⁻⁸.
    """

    def __init__(self, group: str | None, time: str | None) -> None:
        self._group, self._time = group, time
        self._keys: list[NDArray[np.uint64]] = []
        self._alone: list[NDArray[np.bool_]] = []
        self._moments: list[NDArray[np.float64]] = []
        if time is not None:
            from lindy.data.columns.timestamps import MomentParts

            self._reader = MomentParts(time)

    def add(self, table: Table) -> None:
        """Add the rows of a table."""
        if self._group is not None:
            from lindy.data.columns.label_cleaning import is_blank

            column: Any = table.texts(self._group)
            if column.null_count:
                import pyarrow.compute as pc

                column = pc.fill_null(column, "")
            values, codes = distinct(column)
            self._keys.append(text_keys(values)[codes])
            self._alone.append(np.array([is_blank(value) for value in values], bool)[codes])
        if self._time is not None:
            self._moments.append(self._reader.add(table.column(self._time).to_pylist(), table.place))

    def division(self, name: str) -> SplitPolicy:
        """Return the division of all rows; ``name`` is that of the table, for errors."""
        groups = moments = None
        if self._group is not None:
            alone = np.concatenate(self._alone)
            groups = in_order_of_appearance(np.concatenate(self._keys))
            groups[alone] = len(groups) + np.arange(alone.sum())
            groups = ranks(groups)
        if self._time is not None:
            moments = ranks(np.concatenate(self._moments))
        return SplitPolicy(groups, moments).checked(f"{name}: ")


def weights_in(table: Table, name: str, *, may_be_zero: bool = False) -> NDArray[np.float64]:
    """Return how much each row counts; those of one part of a table ``may_be_zero``.

    Raises
    ------
    DataError
        If a weight is missing, negative or no number, with its line, or if all are 0.
    """
    try:
        column = as_numbers(table.column(name), name, table.place)
    except DataError as error:
        raise DataError(str(error), _EVERY_ROW) from None
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
            _EVERY_ROW,
        )
    if not weights.any() and not may_be_zero:
        raise DataError(
            f"{table.name}: every weight in column {name!r} is 0", "Name another column with `weight=`."
        )
    return weights
