"""A table: named columns of text, and the line where each row begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise
from typing import Any, NamedTuple

from lindy.core.column import as_arrow, is_list, join_columns, take_rows
from lindy.errors import DataError

_LISTED = 100  # columns that a message names at the most
_REMARKS = 5  # repeated names that remarks list


@dataclass(frozen=True, slots=True)
class Table:
    """Named columns of equal length, each of strings, or of lists of them.

    Attributes
    ----------
    path : str
        Where the table was read from; ``-`` is standard input.
    column_names : list of str
        In the order of the file, each once.
    num_rows : int
        At least one.
    fetch : callable
        The column of a name that is in ``column_names``, as the reader has it: see `texts`.
    locate : callable
        The line where a row begins; None if the format has no lines or the file is no longer the same.
    files : sequence of str or None
        The file of each row, where every row has its own.
    remarks : tuple of str
        What a reader could not take as it was, such as damaged messages.
    has_messages : bool
        Whether the texts were made of mail.
    kind : str
        "texts", unless its examples are "features" (with values) or "images": see `lindy.core.inputs`.
    find : callable or None
        How `find_columns` is done where names and contents of columns do not matter: feature rows and images.
    source : dict from str to str
        What a model is to remember of such a file: its format, and how it numbers labels.
    rows : array of int or None
        Which row of the file each one is, where some were left out.
    n_nameless : int
        How many columns of the file have no name: they cannot be asked for, and were not read.
    repeated : dict from str to list of str
        Names that several columns of the file have, and what these are called instead.
    expected : str or None
        What to do where the columns are not those that are looked for, which differs with the format.
    within : callable or None
        Of tables that were joined, the one that a row is from, and its row there.
    begins : tuple of int
        Of several inputs that are read as one table, the rows where those after the first begin.
    end : tuple or None
        Of a part of a file that can be read on from its end (`parts`): the bytes and rows of the file up to there.
    """

    path: str
    column_names: list[str]
    num_rows: int
    fetch: Callable[[str], Any]
    locate: Callable[[int], int | None]
    files: Sequence[str] | None = None
    remarks: tuple[str, ...] = ()
    has_messages: bool = False
    kind: str = "texts"
    find: Callable[..., Any] | None = None
    source: Mapping[str, str] = field(default_factory=dict)
    rows: Any | None = None
    n_nameless: int = 0
    repeated: Mapping[str, Sequence[str]] = field(default_factory=dict)
    expected: str | None = None
    within: Callable[[int], tuple[Table, int]] | None = None
    end: tuple[int, ...] | None = None
    begins: tuple[int, ...] = ()

    @classmethod
    def of(
        cls,
        path: str,
        columns: Mapping[str, Sequence[str | None]],
        locate: Callable[[int], int | None] = lambda _row: None,
        **more: Any,
    ) -> Table:
        """Return the table of columns that are Python strings."""
        import pyarrow as pa

        made = {
            name: pa.chunked_array([pa.array(values, pa.large_string())]) for name, values in columns.items()
        }
        n_rows = len(next(iter(made.values())))
        return cls(path, list(made), n_rows, made.__getitem__, locate, **more)

    @classmethod
    def of_texts(
        cls,
        path: str,
        texts: Sequence[str],
        labels: Sequence[str | None],
        locate: Callable[[int], int | None],
        separator: str | None = None,
    ) -> Table:
        """Return the table of texts and labels; the label column is left out if no row has a label.

        ``separator`` stands between the labels of a row, where some have several.
        """
        columns: dict[str, Sequence[str | None]] = {"text": texts}
        if any(label is not None for label in labels):
            columns["label"] = labels
        return cls.of(
            path, columns, locate, source={} if separator is None else {"label_separator": separator}
        )

    def column(self, name: str) -> Any:
        """Return the column as a ``pyarrow.ChunkedArray`` of ``string`` or ``large_string``.

        Null stands only where a JSON Lines or Parquet file has no value.
        """
        return as_arrow(self.texts(name))

    def texts(self, name: str) -> Any:
        """Return the column as the core takes it: a `TextColumn`, which needs no Arrow, or what `column` returns."""
        column = self.values(name)
        if is_list(column):
            row = next((row for row, value in enumerate(column) if value.is_valid), 0)
            raise DataError(
                f"{self.place(row)}: {name!r} is an array, expected a string",
                "Choose another column with `text=` or `label=`.",
            )
        return column

    def values(self, name: str) -> Any:
        """Return the column as the reader has it: of texts, or an Arrow column of lists of them."""
        if name not in self.column_names:
            raise self.no_such_column(name)
        return self.fetch(name)

    def has(self, name: str) -> bool:
        """Whether a column has this name, or several have."""
        return name in self.column_names or name in self.repeated

    def take(self, rows: Any) -> Table:
        """Return some of the rows; their places and numbers stay those of the file."""
        import functools

        return replace(
            self,
            begins=self._begins_among(rows),
            num_rows=len(rows),
            fetch=functools.cache(lambda name: take_rows(self.fetch(name), rows)),
            locate=lambda row: self.locate(int(rows[row])),
            files=None if self.files is None else [self.files[row] for row in rows],
            rows=rows if self.rows is None else self.rows[rows],
            within=None if self.within is None else lambda row, of=self.within: of(int(rows[row])),  # type: ignore[misc]
        )

    def _begins_among(self, rows: Any) -> tuple[int, ...]:
        """Return where inputs begin among some rows; nowhere if these are in another order."""
        import numpy as np

        if not self.begins or (np.diff(np.asarray(rows)) < 0).any():
            return ()
        return tuple(np.searchsorted(rows, self.begins).tolist())

    @property
    def inputs(self) -> list[slice]:
        """The rows of each input: all rows, unless several were read as one table."""
        edges = [0, *self.begins, self.num_rows]
        return [slice(begin, end) for begin, end in pairwise(edges) if begin < end]

    def with_column(self, name: str, column: Any) -> Table:
        """Return the table with another column of this name."""
        return replace(self, fetch=lambda asked: column if asked == name else self.fetch(asked))

    def counted_from(self, first: int) -> Table:
        """Return the table with rows that are counted from ``first`` on, as one of several files; places stay."""
        import numpy as np

        within = self.within or (lambda row: (self, row))
        return replace(self, rows=first + np.arange(self.num_rows), within=within)

    def below(self, n_lines: int) -> Table:
        """Return the table as part of a file in which so many lines stand above it."""

        def locate(row: int) -> int | None:
            line = self.locate(row)
            return None if line is None else line + n_lines

        return replace(self, locate=locate)

    def number(self, row: int) -> int:
        """Return which row of the file this is, counted from 1 without a header."""
        return int(row if self.rows is None else self.rows[row]) + 1

    def line(self, row: int) -> int | None:
        """Return the 1-based line of the file where ``row`` begins; None if the format has no lines.

        It reads the file again, so it is for messages and for lists of rows to look at.
        """
        if not 0 <= row < self.num_rows:
            raise IndexError(f"row {row} of a table of {self.num_rows} rows")
        return self.locate(row)

    @property
    def name(self) -> str:
        """The path as messages show it."""
        return "standard input" if self.path == "-" else self.path

    @property
    def losses(self) -> list[str]:
        """The columns that a copy of the table lacks, as remarks."""
        columns = f"{self.n_nameless} columns" if self.n_nameless > 1 else "a column"
        return [f"{self.name}: {columns} without a name left out"] if self.n_nameless else []

    def place(self, row: int) -> str:
        """Return the file, the line and the number of ``row``, as messages begin."""
        if self.within is not None:
            table, own = self.within(row)
            return table.place(own)
        if self.files is not None:
            return self.files[row]
        line, number = self.line(row), self.number(row)
        if line is None:
            return f"{self.name}, row {number}"
        return f"{self.name}, line {line}" + (f" (row {number})" if line != number else "")

    def in_order(self, names: Collection[str]) -> list[str]:
        """Return names of columns in the order of the table; an error for one that is not there."""
        for name in names:
            if name not in self.column_names:
                raise self.no_such_column(name)
        return [name for name in self.column_names if name in names]

    def no_such_column(self, name: str) -> DataError:
        """Return the error for a column that is not there, suggesting those with near names."""
        if name in self.repeated:
            new = self.repeated[name]
            often = "twice" if len(new) == 2 else f"{len(new):,} times"
            return DataError(
                f"{self.name}: the column {name!r} occurs {often}",
                f"Name one of them: {' or '.join(map(repr, new))}.",
            )
        import difflib

        by_folded = {other.strip().casefold(): other for other in self.column_names[:_LISTED]}
        near = difflib.get_close_matches(name.strip().casefold(), by_folded, n=3)
        listed = ", ".join(map(repr, self.column_names[:_LISTED]))
        if len(self.column_names) > _LISTED:
            listed += f" and {len(self.column_names) - _LISTED:,} more"
        guess = f"Did you mean {' or '.join(repr(by_folded[other]) for other in near)}? " if near else ""
        return DataError(f"{self.name}: no column {name!r}", f"{guess}The columns are: {listed}.")


def joined(tables: Sequence[Table]) -> Table:
    """Return tables one below the other; they must have the same columns, in any order."""
    first = tables[0]
    if len(tables) == 1:
        return first
    for other in tables:
        if set(other.column_names) != set(first.column_names):
            missing = sorted(set(first.column_names) ^ set(other.column_names))
            listed = ", ".join(map(repr, missing[:_LISTED]))
            raise DataError(
                f"{other.name}: other columns than {first.name}: only one of them has {listed}",
                "Tables that are read together need the same columns.",
            )
    import functools

    import numpy as np

    ends = np.cumsum([table.num_rows for table in tables])

    def within(row: int) -> tuple[Table, int]:
        number = int(np.searchsorted(ends, row, side="right"))
        return tables[number], row - int(ends[number]) + tables[number].num_rows

    def locate(row: int) -> int | None:
        table, own = within(row)
        return table.locate(own)

    def numbers(table: Table) -> Any:
        return np.arange(table.num_rows) if table.rows is None else table.rows

    begins = [
        int(end)
        for end, (table, after) in zip(ends, pairwise(tables), strict=False)
        if table.path != after.path
    ]
    files = None
    if all(table.files is not None for table in tables):
        files = [file for table in tables for file in table.files or ()]
    return replace(
        first,
        num_rows=int(ends[-1]),
        fetch=functools.cache(lambda name: _joined_column(tables, name)),
        locate=locate,
        files=files,
        remarks=tuple(dict.fromkeys(remark for table in tables for remark in table.remarks)),
        source={key: value for table in reversed(tables) for key, value in table.source.items()},
        rows=np.concatenate([numbers(table) for table in tables]),
        within=within,
        begins=tuple(begins),
    )


def _joined_column(tables: Sequence[Table], name: str) -> Any:
    columns = [table.fetch(name) for table in tables]
    are_lists = [is_list(column) for column in columns]
    if all(are_lists) or not any(are_lists):
        return join_columns(columns)
    one, several = tables[are_lists.index(False)].name, tables[are_lists.index(True)].name
    raise DataError(
        f"{one}: {name!r} has one label in each row, that of {several} lists of labels",
        "Tables that are read together have either: write lists of one label.",
    )


def with_constants(table: Table, constants: Mapping[str, str | None]) -> Table:
    """Return a table with more columns, each of which has the same value in every row.

    A column of the file that has such a name is replaced: it is the name of its folder that is believed.
    """
    if not constants:
        return table
    import pyarrow as pa

    def fetch(name: str) -> Any:
        if name not in constants:
            return table.fetch(name)
        value = pa.scalar(constants[name], pa.large_string())
        return pa.chunked_array([pa.repeat(value, table.num_rows)])

    names = [*table.column_names, *(name for name in constants if name not in table.column_names)]
    return replace(table, column_names=names, fetch=fetch)


class LineFinder:
    """``locate`` of a format whose rows are found by going over the file, which is done once for all rows asked for.

    ``begin`` starts to yield the line of each row, from the first one on.
    """

    def __init__(self, begin: Callable[[], Iterator[int]]) -> None:
        self._begin = begin
        self._more: Iterator[int] | None = None
        self._found: list[int] = []

    def __call__(self, row: int) -> int | None:
        """Return the line where a row begins; None if the file has no such row any more."""
        if self._more is None:
            self._more = self._begin()
        self._found.extend(islice(self._more, max(row + 1 - len(self._found), 0)))
        return self._found[row] if row < len(self._found) else None


class NumberedNames(NamedTuple):
    """The names of columns, each once: those that occur several times with numbers behind them."""

    names: list[str]
    repeated: dict[str, list[str]]

    def remarks(self, table: str) -> tuple[str, ...]:
        """Return what is said about a table of this name."""
        return tuple(
            f"{table}: {len(new)} columns are called {name!r}: they are read as {', '.join(map(repr, new))}"
            for name, new in islice(self.repeated.items(), _REMARKS)
        )


def numbered_names(names: Sequence[str]) -> NumberedNames:
    """Return names in which ``note`` and ``note`` are ``note_1`` and ``note_2``; empty ones stay empty."""
    counts = Counter(filter(None, names))
    if all(count == 1 for count in counts.values()):
        return NumberedNames(list(names), {})
    taken, made = set(counts), []
    repeated: dict[str, list[str]] = {}
    numbers: Counter[str] = Counter()
    for name in names:
        new = name
        if counts[name] > 1:
            while new in taken:
                numbers[name] += 1
                new = f"{name}_{numbers[name]}"
            taken.add(new)
            repeated.setdefault(name, []).append(new)
        made.append(new)
    return NumberedNames(made, repeated)


def first_repeated(names: Sequence[str]) -> str | None:
    """Return the first name, of those that are not empty, that was there before."""
    seen: set[str] = set()
    for name in filter(None, names):
        if name in seen:
            return name
        seen.add(name)
    return None
