"""Rows of a table as examples: several columns of texts, numbers and categories, and a label."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from lindy.data.columns.choose import Columns, find_columns, find_label
from lindy.data.columns.examples import TextData
from lindy.data.columns.label_cleaning import LabelRules, Spellings, clean_labels
from lindy.data.columns.numbers import as_numbers
from lindy.data.columns.several_labels import gathered
from lindy.data.columns.table import Table
from lindy.errors import DataError

ROLES = {"text": "text", "numeric": "numbers", "category": "categories"}


def rows_of(
    table: Table,
    columns: Mapping[str, Sequence[str]],
    label: str | None = None,
    need_label: bool = True,
    *,
    trained: bool = False,
    rules: LabelRules | None = None,
) -> TextData:
    """Take some columns of a table, and its labels.

    ``texts`` of what is returned is an Arrow table: texts and categories as strings, numbers as float64. If no text
    column is named, one is looked for among those that are left beside the label, unless a model was ``trained``
    without. ``rules`` are as in `examples_of`.

    Raises
    ------
    DataError
        If a column is not there or named twice, if a number is none, or a label is missing, with its line.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    table = gathered(table, label)
    named = {role: list(columns.get(role, ())) for role in ROLES}
    every = [name for names in named.values() for name in names]
    for i, name in enumerate(every):
        if name not in table.column_names:
            raise _missing(table, name, trained)
        if name in every[:i] or name == label:
            raise DataError(
                f"{table.name}: the column {name!r} is named twice",
                "A column is a text, a number, a category or the label, not two of them.",
            )
    found = _label_and_text(table, named, label, need_label, trained)
    label_column, why = found.label, found.why
    if found.text:
        named["text"].append(found.text)
    labels: Any | None = None
    spellings: tuple[Spellings, ...] = ()
    if label_column is not None:
        table, labels, spellings = clean_labels(table, label_column, rules)
    taken: dict[str, Any] = {}
    for role, names in named.items():
        for name in names:
            column = table.column(name)
            if role == "numeric":
                taken[name] = as_numbers(column, name, table.place)
            else:
                taken[name] = pc.fill_null(column, "")
    return TextData(
        pa.table(taken),
        labels,
        Columns(_listed(named["text"]), label_column, why),
        table,
        spellings,
    )


def _label_and_text(
    table: Table, named: dict[str, list[str]], label: str | None, need_label: bool, trained: bool
) -> Columns:
    """Return the label, the text where one had to be found, and a sentence that says it all."""
    every = [name for names in named.values() for name in names]
    rest = replace(table, column_names=[name for name in table.column_names if name not in every])
    if label is not None and label not in table.column_names:
        raise table.no_such_column(label)
    parts = [f"{ROLES[role]} from {_listed(names)}" for role, names in named.items() if names]
    text, how = "", "as in training" if trained else "as asked"
    if not trained and not named["text"] and len(rest.column_names) > int(need_label):
        looked = find_columns(rest, None, label, need_label)
        return Columns(looked.text, looked.label, ", ".join([looked.why, *parts]))
    if label is None and need_label:
        label, how = find_label(rest)
    if label is not None:
        parts.append(f"label from column {label!r} ({how})")
    return Columns(text, label, ", ".join(parts))


def _missing(table: Table, name: str, trained: bool) -> DataError:
    error = table.no_such_column(name)
    return DataError(f"{error}, which the model was trained on", error.hint) if trained else error


def _listed(names: Sequence[str]) -> str:
    return " and ".join(map(repr, names)) if len(names) < 3 else ", ".join(map(repr, names))
