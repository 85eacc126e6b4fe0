"""Partitions as they come in: files, or parts of a frame; checked like a table on one machine, each under its name."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import as_arrow, is_list, take_rows
from lindy.core.targets import OneLabel, Targets, as_targets
from lindy.core.weights import present_rows
from lindy.data.columns.examples import examples_of, read_examples
from lindy.data.columns.label_cleaning import LabelRules, missing
from lindy.data.columns.metadata_columns import weights_in
from lindy.data.columns.several_labels import WHOLE
from lindy.data.columns.table import Table
from lindy.errors import DataError, LabelTypeError, NoRowsError


@dataclass(frozen=True, slots=True)
class Wanted:
    """The names of the columns, and how labels of files are cleaned; ``weight`` is that of the rows' weights."""

    text: str
    label: str | None
    rules: LabelRules | None = None
    reading: dict[str, Any] = field(default_factory=dict)
    weight: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """The texts of a partition as an Arrow column, and their labels, if they were asked for.

    ``weight`` says how many texts each of them is; those of weight 0 are not there.
    """

    name: str
    texts: Any
    labels: Targets | None
    weight: NDArray[np.float64] | None = None


def read_part(path: str, wanted: Wanted) -> Part:
    """Read a file as a partition; one without a row is a partition without examples."""
    try:
        found = read_examples(
            path,
            wanted.text,
            wanted.label,
            need_label=wanted.label is not None,
            threads=1,
            rules=wanted.rules,
            **wanted.reading,
        )
    except NoRowsError:
        return _empty(path, has_labels=wanted.label is not None)
    labels = None if found.labels is None else as_targets(found.labels, several=True)
    return _weighted(Part(path, as_arrow(found.texts), labels), found.table, wanted.weight)


def _weighted(part: Part, table: Table, name: str | None) -> Part:
    """Return a partition with the weights in a column of its table, without the rows of weight 0."""
    if name is None or not len(part.texts):
        return part
    weight = weights_in(table, name, may_be_zero=True)
    if (rows := present_rows(weight)) is None:
        return replace(part, weight=weight)
    labels = None if part.labels is None else part.labels.take(rows).seen()
    return Part(part.name, take_rows(part.texts, rows), labels, weight[rows])


def _empty(name: str, *, has_labels: bool) -> Part:
    import pyarrow as pa

    nothing = pa.chunked_array([pa.array([], pa.large_string())])
    return Part(name, nothing, OneLabel(np.empty(0, object), np.empty(0, np.int32)) if has_labels else None)


def frame_part(numbered: tuple[int, Any], wanted: Wanted) -> Part:
    """Check a part of a frame, with its number: an Arrow table, a pandas data frame or a list of dictionaries."""
    number, table = numbered
    if isinstance(table, list):
        table = _listed(table, number, wanted)
    name = f"partition {number}"
    named = (wanted.text, wanted.label, wanted.weight)
    columns = {column: _column(table, name, column) for column in named if column}
    text = columns[wanted.text]
    if not _holds_strings(text.type):
        raise DataError(
            f"{name}: the column {wanted.text!r} holds {text.type}, expected strings",
            "Name the column of the texts, or convert it.",
        )
    checked = Table(name, list(columns), len(text), columns.__getitem__, lambda _row: None)
    if len(text):
        examples_of(checked, wanted.text, need_label=False)
    if wanted.label is None:
        return Part(name, text, None)
    values = columns[wanted.label]
    if values.null_count and not is_list(values):
        raise missing(checked, wanted.label, "label")
    if not len(values):
        return Part(name, text, OneLabel(np.empty(0, object), np.empty(0, np.int32)))
    try:
        plain = _holds_strings(values.type) or is_list(values)
        mark = None if wanted.rules is None or wanted.rules.separator == WHOLE else wanted.rules.separator
        labels = as_targets(values if plain else values.to_numpy(), several=True, separator=mark)
    except (TypeError, ValueError) as error:
        raise LabelTypeError(f"{name}: the column {wanted.label!r}: {error}") from error
    return _weighted(Part(name, text, labels), checked, wanted.weight)


def _listed(items: list[Any], number: int, wanted: Wanted) -> Any:
    """Return the items of a bag as an Arrow table of the wanted columns."""
    import pyarrow as pa

    for row, item in enumerate(items):
        if not isinstance(item, dict):
            raise DataError(
                f"partition {number}, row {row + 1}: expected a dictionary, got {type(item).__name__}",
                f"Make items of the bag such as {{'{wanted.text}': …}}.",
            )
    names = [name for name in (wanted.text, wanted.label, wanted.weight) if name]
    return pa.table({name: [item.get(name) for item in items] for name in names})


def _holds_strings(kind: Any) -> bool:
    from pyarrow import types

    return bool(types.is_string(kind) or types.is_large_string(kind) or types.is_null(kind))


def _column(table: Any, name: str, column: str) -> Any:
    """Return a column of a frame's part as an Arrow column; NaN of pandas is null."""
    import pyarrow as pa

    names = list(getattr(table, "column_names", None) or table.columns)
    if column not in names:
        raise Table(name, [str(other) for other in names], 1, lambda _: None, lambda _: None).no_such_column(
            column
        )
    values = table[column]
    if isinstance(values, pa.ChunkedArray):
        made = values
    else:
        try:
            made = pa.chunked_array([pa.Array.from_pandas(values)])
        except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
            raise DataError(
                f"{name}: the column {column!r} holds values of several types ({error})",
                "Make them strings, or whole numbers for labels.",
            ) from error
    strings = pa.large_string()
    return made.cast(strings) if _holds_strings(made.type) else made
