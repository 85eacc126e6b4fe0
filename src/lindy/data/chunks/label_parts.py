"""The labels of a table that comes part by part: numbers for its rows, and what can be said of all of them at the end.

What a spelling becomes may depend on how often others occur (``label_cleaning``), so labels are counted as they are
written, and merged when all have been seen.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import distinct, is_list, text_column
from lindy.data.columns.label_cleaning import (
    MOST,
    LabelRules,
    Spellings,
    is_blank,
    left_out_remark,
    merged,
    no_labels,
    placeholder_remark,
    remarks_on,
)
from lindy.data.columns.several_labels import MARKS, joined_cells
from lindy.data.columns.table import Table

if TYPE_CHECKING:
    from lindy.data.columns.examples import TextData


def one_label(examples: TextData) -> tuple[Any, str | None]:
    """Return the labels as one of each row, and what stands between those that are several; None where none are."""
    if not is_list(examples.labels):
        return examples.labels, None
    separator = examples.table.source.get("label_separator") or MARKS[0]
    cells = joined_cells(examples.labels, separator, examples.table.place)
    return text_column([cell.encode() for cell in cells]), separator


class LabelParts:
    """Labels as they are written, each with a number; ``counts`` says how often each occurred in rows that are kept."""

    def __init__(self, rules: LabelRules) -> None:
        self._rules = rules
        self._numbers: dict[str, int] = {}
        self.counts: list[int] = []
        self.n_rows = 0
        self._first_left_out: list[int] = []
        self._name = self._column = ""
        self.separator: str | None = None
        self._is_cleaned = False  # whether a reader has remarked on the labels already

    @property
    def values(self) -> list[str]:
        """The labels by their numbers."""
        return list(self._numbers)

    def add_rows(self, table: Table, examples: TextData) -> NDArray[np.int64]:
        """Return the numbers of the labels of examples, which are those of the table's rows that have a label."""
        assert examples.columns.label is not None
        return (
            self.add_cleaned(examples)
            if is_list(examples.labels)
            else self.add(table, examples.columns.label)
        )

    def add(self, table: Table, column: str) -> NDArray[np.int64]:
        """Return the numbers of the labels of the rows that have one; the table holds all rows of the part."""
        if self._rules.bins is not None:
            table = self._rules.bins.applied(table, column)
        labels = table.texts(column)
        if labels.null_count:
            import pyarrow.compute as pc

            labels = pc.fill_null(labels, "")
        values, codes = distinct(labels)
        blank = np.array([is_blank(value) for value in values], bool)
        left_out = np.flatnonzero(blank[codes])
        room = MOST - len(self._first_left_out)
        self._first_left_out += [table.number(row) for row in left_out[:room].tolist()]
        self._name, self._column = self._name or table.name, column
        self.n_rows += table.num_rows
        numbers = np.array(
            [-1 if empty else self._number(value) for value, empty in zip(values, blank, strict=True)],
            np.int64,
        )[codes]
        numbers = numbers[numbers >= 0]
        self._count(numbers)
        return numbers

    def add_cleaned(self, examples: TextData) -> NDArray[np.int64]:
        """Return the numbers of labels that stay as they are; several labels of a row are joined by ``separator``."""
        self._rules, self._is_cleaned = replace(self._rules, merge="none"), True
        labels, self.separator = one_label(examples)
        self._name, self._column = self._name or examples.table.name, str(examples.columns.label)
        values, codes = distinct(labels)
        numbers = np.array([self._number(value) for value in values], np.int64)[codes]
        self._count(numbers)
        self.n_rows += len(numbers)
        return numbers

    def _count(self, numbers: NDArray[np.int64]) -> None:
        for value, count in enumerate(np.bincount(numbers, minlength=len(self.counts)).tolist()):
            self.counts[value] += count

    def _number(self, value: str) -> int:
        if value not in self._numbers:
            self.counts.append(0)
        return self._numbers.setdefault(value, len(self._numbers))

    def finish(self) -> tuple[list[str], tuple[Spellings, ...], list[str]]:
        """Return what each label becomes, by its number, the labels of several spellings, and remarks on the table.

        Raises
        ------
        DataError
            If no row has a label.
        """
        n_left_out = self.n_rows - sum(self.counts)
        # "" is the label of rows without any of several
        if n_left_out == self.n_rows or not any(self._numbers):
            raise no_labels(self._name, self._column)
        remarks = []
        if n_left_out:
            remarks.append(
                left_out_remark(
                    self._name,
                    self._column,
                    self._first_left_out,
                    n_left_out,
                    self.n_rows,
                    self._rules.left_out,
                )
            )
        present = dict(zip(self._numbers, self.counts, strict=True))
        if not self._is_cleaned:
            remarks += placeholder_remark(self._name, present, self._rules.known)
        if self._rules.merge == "none":
            return self.values, (), remarks
        found, new = merged(present, self._rules)
        return [new[value] for value in self._numbers], found, remarks + remarks_on(self._name, found)

    def class_numbers(self, classes: list[str]) -> NDArray[np.int64]:
        """Return, by the number of a label, the number of the class that it becomes; −1 where it is none."""
        number = {label: k for k, label in enumerate(classes)}
        if self._rules.merge == "none":
            return np.array([number.get(value, -1) for value in self._numbers], np.int64)
        # whether a label becomes a class does not depend on the others
        new = [merged({value: 1}, self._rules)[1][value] for value in self._numbers]
        return np.array([number.get(value, -1) for value in new], np.int64)
