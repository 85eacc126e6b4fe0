"""Texts and labels, checked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from lindy.data.columns import Columns, find_columns
from lindy.data.distinct import distinct
from lindy.data.read import read_table
from lindy.data.table import Table
from lindy.errors import DataError

if TYPE_CHECKING:
    from lindy.data.mail import MailWords


@dataclass(frozen=True, slots=True)
class TextData:
    """What a classifier is trained or tested on, as columns without nulls.

    Attributes
    ----------
    texts : TextColumn or pyarrow.ChunkedArray
        Strings; one may be empty. A ``pyarrow.Table`` where examples are rows of several columns.
    labels : TextColumn or pyarrow.ChunkedArray, or None
        Strings that are not blank; None if no label column was asked for.
    columns : Columns
        Where they are from, and why.
    table : Table
        The table they are from.
    """

    texts: Any
    labels: Any | None
    columns: Columns
    table: Table


def read_examples(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    text: str | None = None,
    label: str | None = None,
    need_label: bool = True,
    format: str | None = None,  # noqa: A002
    *,
    threads: int | None = None,
    mail: MailWords | None = None,
) -> TextData:
    """Read texts and labels from a file; see `read_table` and `examples_of`.

    With ``mail``, the texts of a table are raw messages (see ``lindy.data.mail``).
    """
    return examples_of(
        read_table(path, format, threads=threads, mail=mail), text, label, need_label, mail=mail
    )


def examples_of(
    table: Table,
    text: str | None = None,
    label: str | None = None,
    need_label: bool = True,
    *,
    mail: MailWords | None = None,
) -> TextData:
    """Take texts and labels from a table; see `find_columns`.

    Raises
    ------
    DataError
        Also if a row has no text or a blank label, with its line.
    """
    columns = find_columns(table, text, label, need_label)
    texts = _without_nulls(table, columns.text, "text")
    labels = labels_of(table, columns.label)
    if mail is not None and not table.has_messages:
        from lindy.data.mail import mail_column

        texts, remarks = mail_column(texts, mail)
        table = replace(table, remarks=(*table.remarks, *remarks))
    return TextData(texts, labels, columns, table)


def labels_of(table: Table, name: str | None) -> Any | None:
    """Return a column of labels, none of which is missing or blank; None for None."""
    if name is None:
        return None
    labels = _without_nulls(table, name, "label")
    _check_not_blank(table, name, labels)
    return labels


def _without_nulls(table: Table, name: str, role: str) -> Any:
    column = table.texts(name)
    if column.null_count:
        import pyarrow.compute as pc

        row = pc.index(pc.is_null(column), True).as_py()
        raise DataError(
            f"{table.place(row)}: no {role}: {name!r} is null or missing",
            "Give it a value or leave the row out."
            + (' An empty text is written "".' if role == "text" else ""),
        )
    return column


def _check_not_blank(table: Table, name: str, labels: Any) -> None:
    values, codes = distinct(labels)
    blank = [number for number, value in enumerate(values) if not value.strip()]
    if not blank:
        return
    row = int(np.flatnonzero(np.isin(codes, blank))[0])
    kind = "only white space" if values[codes[row]] else "empty"
    raise DataError(
        f"{table.place(row)}: the label is {kind} (column {name!r})", "Give it a label or leave the row out."
    )
