"""A corrected sheet of ``fixes``, applied to the table that it was made from."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lindy.core.column import is_list
from lindy.data.columns.label_cleaning import escaped, is_blank, spelling
from lindy.data.columns.several_labels import gathered, joined_cells, label_columns, list_column
from lindy.data.columns.table import Table
from lindy.errors import DataError, did_you_mean
from lindy.evaluation.audit.fixes import COLUMNS, DELETE, NEEDED, NO_LABEL, apart, sheet_text

_OTHER_TABLE = (
    "Give the table that the sheet was made from, unchanged, or make a new sheet with lindy audit -o."
)


@dataclass
class Applied:
    """A corrected table, and how many rows were changed in which way."""

    table: Table
    deleted: int
    filled: int
    changed: dict[str, int]
    spelled: int
    unlabelled: int
    new_labels: dict[str, int]


def apply_fixes(
    sheet: Table, table: Table, texts: Sequence[str], label: str, separator: str | None = None
) -> Applied:
    """Return a table with the corrections of a sheet.

    Parameters
    ----------
    sheet : Table with the columns of ``COLUMNS``, in any order
    table : Table, all rows of the file that the sheet was made from
    texts : the text of each row, as the sheet has it
    label : name of the column with the labels
    separator : what joins the labels of a cell, or of a list, where rows have several

    Raises
    ------
    DataError
        If the sheet does not fit the table: columns, rows, texts or labels.
    """
    old = cells_of(table, label, separator)
    asked = _Reader(sheet, table, texts, old, separator)
    asked.read()
    after = [asked.by_row.get(row) or asked.by_label.get(own) or own for row, own in enumerate(old)]
    kept = [row for row, new in enumerate(after) if new != DELETE]
    if not kept:
        raise DataError(f"{sheet.name}: every row is to be deleted", "Change the column 'new label'.")
    changed: Counter[str] = Counter()
    filled = spelled = 0
    for row in kept:
        if after[row] == old[row]:
            continue
        if separator is None and is_blank(old[row]):
            filled += 1
        elif not asked.by_row.get(row):
            spelled += 1
        else:
            changed[f"{spelling(old[row]) or NO_LABEL} → {after[row]}"] += 1
    labels = [after[row] for row in kept]
    if separator is not None:
        labels = ["" if own == NO_LABEL else own for own in labels]

    def each(cells: Iterable[str]) -> list[str]:
        if separator is None:
            return list(cells)
        return [own for cell in cells for own in apart(cell, separator)]

    known = set(each(old))
    return Applied(
        _relabelled(table.take(np.array(kept)), label, labels, separator),
        deleted=len(old) - len(kept),
        filled=filled,
        changed=dict(changed.most_common()),
        spelled=spelled,
        unlabelled=sum(map(is_blank, labels)),
        new_labels=dict(Counter(new for new in each(labels) if new not in known)),
    )


def cells_of(table: Table, label: str, separator: str | None) -> list[str]:
    """Return the labels of each row in one string; ``separator`` joins lists, and those of columns for each label."""
    column = gathered(table, label).values(label)
    if separator is not None and is_list(column):
        return joined_cells(column, separator, table.place)
    return [value or "" for value in column.to_pylist()]


def _relabelled(table: Table, label: str, cells: list[str], separator: str | None) -> Table:
    """Return the table with other labels, in the form that its own have."""
    import pyarrow as pa

    lists = [apart(cell, separator) for cell in cells] if separator is not None else []
    if names := label_columns(table, label):
        for name in names:
            marks = ["1" if name in own else "0" for own in lists]
            table = table.with_column(name, pa.chunked_array([pa.array(marks, pa.large_string())]))
        return table
    if separator is not None and is_list(table.values(label)):
        return table.with_column(label, list_column(lists, np.arange(len(lists))))
    return table.with_column(label, pa.chunked_array([pa.array(cells, pa.large_string())]))


class _Reader:
    """Reads a sheet: what it asks for rows, and for labels. Lines that change nothing are checked, too."""

    def __init__(
        self,
        sheet: Table,
        table: Table,
        texts: Sequence[str],
        labels: Sequence[str],
        separator: str | None,
    ) -> None:
        self.sheet = sheet
        self.separator = separator
        self.table = table
        self.texts = texts
        self.labels = labels
        self.known = set(labels)
        self.by_row: dict[int, str] = {}
        self.by_label: dict[str, str] = {}

    def read(self) -> None:
        """Fill ``by_row`` and ``by_label``."""
        _check_columns(self.sheet)
        columns = [[value or "" for value in self.sheet.column(name).to_pylist()] for name in NEEDED]
        for line, (number, text, label, asked) in enumerate(zip(*columns, strict=True)):
            if not any(cell.strip() for cell in (number, text, label, asked)):
                continue
            new = self._new_label(line, asked)
            if number.strip():
                row = self._row(line, number)
                self._check(line, row, text, label)
                self._put(line, self.by_row, row, new, f"row {row + 1:,}")
            elif label in self.known:
                self._put(line, self.by_label, label, new, f"the label {escaped(label)}")
            else:
                what = f"there is no row, and no row of {self.table.name} has the label {escaped(label)}"
                raise self._error(line, what, _OTHER_TABLE)

    def _error(self, line: int, what: str, hint: str) -> DataError:
        return DataError(f"{self.sheet.place(line)}: {what}", hint)

    def _new_label(self, line: int, asked: str) -> str:
        if is_blank(asked):
            return ""
        new = asked if asked in self.known else spelling(asked)
        if new.casefold() == DELETE:
            return DELETE
        if new.casefold() == NO_LABEL and self.separator is not None:
            return NO_LABEL
        if re.fullmatch(r"\(.*\)", new) and new not in self.known:
            raise self._error(
                line,
                f"the new label is {new!r}, which is not a label of {self.table.name}",
                f"{DELETE} leaves a row out, an empty cell leaves it as it is, anything else is its new label.",
            )
        return new

    def _row(self, line: int, number: str) -> int:
        if not number.strip().isdecimal() or int(number) < 1:
            raise self._error(
                line,
                f"the row is {number!r}, expected a whole number of at least 1",
                "Leave the column 'row' as lindy audit wrote it.",
            )
        if int(number) > self.table.num_rows:
            raise self._error(
                line,
                f"row {int(number):,} is beyond the end of {self.table.name}, which has {self.table.num_rows:,} rows",
                _OTHER_TABLE,
            )
        return int(number) - 1

    def _check(self, line: int, row: int, text: str, label: str) -> None:
        """Raise if a row is not what the sheet says it is."""
        own, written = self.texts[row], self.labels[row]
        if _same(text) != _same(own):
            raise self._error(
                line,
                f"the text of row {row + 1:,} differs: {_begin(text)!r} here, {_begin(own)!r} in {self.table.name}",
                _OTHER_TABLE,
            )
        if spelling(label) != spelling(written):
            raise self._error(
                line,
                f"the label of row {row + 1:,} differs: {escaped(label)} here, {escaped(written)} in {self.table.name}",
                f"{_OTHER_TABLE} Write the corrected label into the column 'new label'.",
            )

    def _put(self, line: int, chosen: dict[Any, str], key: Any, new: str, name: str) -> None:
        if chosen.setdefault(key, new) != new:
            raise self._error(
                line,
                f"{name} is in the sheet twice, with the new labels {chosen[key]!r} and {new!r}",
                "Keep one of the two lines.",
            )


def _check_columns(sheet: Table) -> None:
    listed = ", ".join(map(repr, COLUMNS))
    for name in sheet.column_names:
        if name not in COLUMNS:
            raise DataError(
                f"{sheet.name}: the column {name!r} does not belong to a sheet of fixes",
                f"{did_you_mean(name, COLUMNS)}Its columns are {listed}; delete the others.",
            )
    for name in NEEDED:
        if name not in sheet.column_names:
            raise DataError(
                f"{sheet.name}: there is no column {name!r}, which a sheet of fixes has",
                f"Make a sheet with lindy audit -o; its columns are {listed}.",
            )


def _same(text: str) -> str:
    """Return a text as spreadsheets leave it: white space and Unicode form may differ, the words do not."""
    return " ".join(unicodedata.normalize("NFC", sheet_text(text)).split())


def _begin(text: str, most: int = 40) -> str:
    shown = _same(text)
    return shown if len(shown) <= most else shown[: most - 1] + "…"
