"""How rows are named to the user: by their number in the file, the line where they begin, and the user's own id."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from lindy.core.column import take_rows
from lindy.data.columns.table import Table


@dataclass(frozen=True, slots=True)
class RowName:
    """A row of the user's file: 1 is the first below the header; ``line`` and ``id`` where they are known.

    Rows of several files are counted through all of them; ``file`` is where the line is.
    """

    row: int
    line: int | None = None
    id: str | None = None
    file: str | None = None

    def __str__(self) -> str:
        more = [self.file] if self.file is not None else []
        more += [f"line {self.line:,}"] if self.line is not None else []
        more += [f"id {self.id}"] if self.id is not None else []
        return f"row {self.row:,}" + (f" ({', '.join(more)})" if more else "")


class RowNames:
    """The names of a table's rows, whatever was left out of it; ``id_column`` is one of its columns.

    Where every row has a file of its own, that is its id unless a column is named. ``has_lines``, ``has_ids`` and
    ``has_files`` (of ``several`` files) say what is known besides the number.
    """

    def __init__(self, table: Table, id_column: str | None = None, *, several: bool = False) -> None:
        if id_column is not None and id_column not in table.column_names:
            raise table.no_such_column(id_column)
        self._table = table
        self._column = id_column
        self.has_ids = id_column is not None or table.files is not None
        self.has_lines = table.line(0) is not None
        self.has_files = several and table.files is None and table.within is not None

    def __call__(self, rows: Iterable[int]) -> list[RowName]:
        """Return the names of some rows."""
        numbers = [int(row) for row in rows]
        return [
            RowName(self._table.number(row), self._table.line(row), own, self._file(row))
            for row, own in zip(numbers, self._ids(numbers), strict=True)
        ]

    def of(self, row: int) -> RowName:
        """Return the name of one row."""
        (name,) = self([row])
        return name

    def take(self, rows: Iterable[int]) -> RowNames:
        """Return the names of some of the rows, numbered from 0 in this order."""
        import numpy as np

        return RowNames(self._table.take(np.asarray(rows)), self._column, several=self.has_files)

    def _file(self, row: int) -> str | None:
        """Return the name of the file that a row is from, where there are several."""
        if not self.has_files:
            return None
        table = self._table
        while table.within is not None:
            table, row = table.within(row)
        return table.name

    def _ids(self, rows: list[int]) -> list[str] | list[None]:
        if self._column is not None:
            column = take_rows(self._table.texts(self._column), rows)
            return [value or "" for value in column.to_pylist()]
        if self._table.files is not None:
            return [self._table.files[row] for row in rows]
        return [None] * len(rows)
