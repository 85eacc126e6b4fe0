"""Several labels per row: joined in one cell, as lists, or as a column for each label that says which rows have it.

All of them become one column of lists. A label that a row has twice counts once; one that is blank is left out; a row
without any label is an example, too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Any

import numpy as np

from lindy.core.column import distinct, is_list
from lindy.data.columns.table import Table
from lindy.errors import DataError

if TYPE_CHECKING:
    from lindy.data.columns.label_cleaning import LabelRules

WHOLE = "none"
"""The separator of labels that are kept as they stand."""
SPACE = " "
"""The separator of formats of lines, no label of which has white space."""
MARKS = ("|", ";", ",")
"""Characters that are looked for between labels."""
_RARE = 20  # at least one row in so many has several labels
_YES, _NO = {"1", "1.0", "true", "yes", "y", "x"}, {"", "0", "0.0", "false", "no", "n"}


def separator_of(table: Table, name: str, rules: LabelRules | None) -> str | None:
    """Return what stands between several labels in the cells of a column; None if each row has one label.

    As it was asked for, as the format of the file says, or as the cells look; "" if a cell is one label, or a list.
    """
    given = None if rules is None else rules.separator
    if is_list(column := table.values(name)):
        return ""
    own = table.source.get("label_separator")
    if own and (not given or (given == WHOLE and rules is not None and rules.is_part)):
        return own  # of a file in parts, the first ones may have had single labels
    if rules is not None and rules.finds and not given and rules.bins is None:
        values, codes = distinct(without_null(column))
        return found_separator(values, np.bincount(codes, minlength=len(values))) or given
    return None if given == WHOLE else given


def found_separator(values: Sequence[str], counts: Any) -> str | None:
    """Return the character that labels are joined by, if there can be little doubt; each cell with its count.

    At least one row in twenty has several labels, of which there are at most half as many as different cells, and
    rows have different numbers of them: paths (``sport|football``) and pairs have as many parts everywhere.
    """
    counts = np.asarray(counts)
    for mark in MARKS:
        parts = [list(_parts(value, mark)) for value in values]
        several = np.array([mark in value for value in values], bool)
        different = {part for own in parts for part in own}
        lengths = {len(own) for own in parts if own}
        if (
            len(lengths) > 1
            and 2 * len(different) <= len(values)
            and _RARE * counts[several].sum() >= counts.sum()
        ):
            return mark
    return None


def _parts(cell: str, separator: str) -> Iterator[str]:
    """Yield the labels of a cell."""
    for part in cell.split(separator) if separator else (cell,):
        if own := part.strip():
            yield own


def without_null(column: Any) -> Any:
    """Return a column of strings in which null is an empty one."""
    if not column.null_count:
        return column
    import pyarrow.compute as pc

    return pc.fill_null(column, "")


def split_cells(column: Any, separator: str) -> tuple[list[list[str]], Any]:
    """Return the labels of each different cell, and the number of each row's cell."""
    if is_list(column):
        lists = column.to_pylist()
        return [[p for label in own or () for p in _parts(label or "", "")] for own in lists], np.arange(
            len(lists)
        )
    values, codes = distinct(without_null(column))
    return [list(_parts(value, separator)) for value in values], codes


def list_column(values: Sequence[Iterable[str]], codes: Any) -> Any:
    """Return the Arrow column whose rows are ``values[codes]``, each label once."""
    import pyarrow as pa

    lists = pa.array([list(dict.fromkeys(own)) for own in values], pa.list_(pa.large_string()))
    return pa.chunked_array([lists.take(pa.array(codes))])


def words_in(labels: Sequence[Any] | None, row: int, table: Table) -> list[str]:
    """Return the labels of a row, which has one, none or a list of them; refuses white space inside of one."""
    own = None if labels is None else labels[row]
    words = own if isinstance(own, list) else [own] if own else []
    if wrong := [label for label in words if re.search(r"\s", label)]:
        raise DataError(
            f"{table.place(row)}: the label {wrong[0]!r} has white space, which no label of this format can have",
            "Rename the label.",
        )
    return words


def joined_cells(column: Any, separator: str, place: Any) -> list[str]:
    """Return the labels of each row in one string; DataError, with ``place(row)``, for one that has the separator."""
    rows = column.to_pylist()
    for row, labels in enumerate(rows):
        if wrong := next((label for label in labels or () if separator in label), None):
            raise DataError(
                f"{place(row)}: the label {wrong!r} contains {separator!r}, which stands between labels there",
                "Rename the label, choose another `label_separator=`, or write JSON Lines or Parquet.",
            )
    return [separator.join(labels or ()) for labels in rows]


def label_columns(table: Table, label: str | None) -> list[str]:
    """Return the columns that ``a,b,c`` or a pattern such as ``tag_*`` names; none if it is the name of one column.

    Raises
    ------
    DataError
        For a name that no column has.
    """
    if label is None or table.has(label) or not re.search(r"[,*?\[]", label):
        return []
    found: dict[str, None] = {}
    for part in label.split(","):
        own = [name for name in table.column_names if fnmatchcase(name, part.strip())]
        if not own:
            raise table.no_such_column(part.strip())
        found |= dict.fromkeys(own)
    return list(found)


def has_label(table: Table, label: str) -> bool:
    """Whether a table has the column of this name, or all columns that it names."""
    try:
        return table.has(label) or bool(label_columns(table, label))
    except DataError:
        return False


def gathered(table: Table, label: str | None) -> Table:
    """Return a table in which the columns of several labels are one column of lists, called as they were asked for."""
    names = label_columns(table, label)
    if label is None or not names:
        return table
    has = np.column_stack([_marked(table, name) for name in names])
    import pyarrow as pa

    _, labels = np.nonzero(has)
    offsets = np.concatenate([[0], np.cumsum(has.sum(axis=1))]).astype(np.int32)
    flat = pa.array(names, pa.large_string()).take(pa.array(labels))
    column = pa.chunked_array([pa.ListArray.from_arrays(pa.array(offsets), flat)])
    others = [name for name in table.column_names if name not in names]
    return replace(table.with_column(label, column), column_names=[*others, label])


def _marked(table: Table, name: str) -> Any:
    """Return which rows have the label that a column is about."""
    values, codes = distinct(without_null(table.texts(name)))
    folded = [value.strip().casefold() for value in values]
    for number, value in enumerate(folded):
        if value not in _YES | _NO:
            row = int(np.flatnonzero(codes == number)[0])
            raise DataError(
                f"{table.place(row)}: {values[number]!r} in the column {name!r}, which is to say whether a row has that"
                " label: expected 1 or 0, true or false, yes or no, x or nothing",
                "Name only such columns with `labels=`; a column with the labels themselves with `label=`.",
            )
    return np.array([value in _YES for value in folded], bool)[codes]
