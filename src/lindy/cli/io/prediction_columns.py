"""The columns that ``lindy predict`` writes: what is kept of the input, then labels and their probabilities."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.data import Table
    from lindy.data.write.table_writer import Column, Piece
    from lindy.evaluation.decisions import Answers, Codes


def kept_columns(asked: Sequence[str] | None, table: Table) -> list[str]:
    """Return the columns to copy, in the order of the table."""
    if asked == ["all"] and "all" not in table.column_names:
        return table.column_names
    for name in asked or ():
        if name not in table.column_names:
            raise table.no_such_column(name)
    return [name for name in table.column_names if name in (asked or ())]


def kept(names: Sequence[str], table: Table, start: int, length: int) -> Piece:
    """Return some rows of the columns to copy, and their files where every row has its own."""
    import numpy as np

    from lindy.data.write.table_writer import words_of

    columns: dict[str, Column] = {name: words_of(table.column(name).slice(start, length)) for name in names}
    if table.files is not None and "file" not in columns:
        files = list(table.files[start : start + length])
        return {"file": (files, np.arange(len(files)))} | columns
    return columns


class Layout(NamedTuple):
    """The columns of the output. Which they are follows from the options and the input's header, never from its rows.

    Attributes
    ----------
    names : list of str, the labels
    measure : "probability" or "score"
    top : int, how many labels are written, the best first
    every : bool, whether the measure of every label is written
    guess : bool, whether rows without a label say which one they would have got
    nested : bool, whether several values may be one column, as in JSON
    """

    names: list[str]
    measure: str
    top: int
    every: bool
    guess: bool
    nested: bool

    def columns(self, answer: Answers, codes: Codes, guesses: Codes, kept: Piece) -> Piece:
        """Return the columns of some rows: what is kept of the input, the label that was given, and the others."""
        import numpy as np

        from lindy.data.write.table_writer import unused_name

        values = answer.values
        rows = np.arange(len(values))
        made: dict[str, Column] = dict(kept)

        def add(name: str, column: Column) -> None:
            made[unused_name(name, made)] = column

        def add_label(end: str, numbers: Codes, shown: Codes) -> None:
            add(f"label{end}", (self.names, numbers.astype(np.int64)))
            add(f"{self.measure}{end}", values[rows, shown].astype(np.float64))

        add_label("", codes, guesses)
        if self.guess:
            add_label("_1", guesses, guesses)
        others = self._runners_up(values, guesses)
        if not self.nested:
            for place, numbers in enumerate(others, start=2):
                add_label(f"_{place}", numbers, numbers)
            for name, column in zip(self.names, values.T if self.every else (), strict=False):
                add(name, np.ascontiguousarray(column, np.float64))
            return made
        if self.top > 1:
            ranked = zip(*(numbers.tolist() for numbers in others), strict=True)
            add("next", [self._listed(row, places) for row, places in zip(values, ranked, strict=True)])
        if self.every:
            plural = {"probability": "probabilities", "score": "scores"}[self.measure]
            rounded = ([round(value, 6) for value in row] for row in values.tolist())
            add(plural, [dict(zip(self.names, row, strict=True)) for row in rounded])
        return made

    def _listed(self, row: NDArray[Any], places: Sequence[int]) -> list[dict[str, Any]]:
        return [{"label": self.names[k], self.measure: round(float(row[k]), 6)} for k in places]

    def _runners_up(self, values: NDArray[Any], leader: Codes) -> list[Codes]:
        """Return the labels in second, third, … place, behind each row's first."""
        if self.top < 2:
            return []
        import numpy as np

        ranked = values.astype(np.float64)
        ranked[np.arange(len(values)), leader] = np.inf
        order = np.argsort(-ranked, axis=1, kind="stable")
        return [order[:, k] for k in range(1, self.top)]
