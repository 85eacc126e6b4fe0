"""Texts and labels, checked."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from lindy.core.inputs import Inputs, as_inputs
from lindy.data.chunks.chunks import Options, read_table
from lindy.data.columns.choose import Columns, find_columns
from lindy.data.columns.label_cleaning import LabelRules, Spellings, clean_labels, missing
from lindy.data.columns.several_labels import gathered
from lindy.data.columns.table import Table

if TYPE_CHECKING:
    from lindy.data.mail import MailWords


@dataclass(frozen=True, slots=True)
class TextData:
    """The examples that a classifier is trained or tested on, as columns without nulls.

    Attributes
    ----------
    texts : TextColumn or pyarrow.ChunkedArray
        Strings; one may be empty. A ``pyarrow.Table`` where examples are rows of several columns;
        `lindy.core.feature_rows.FeatureRows` where they are features with values.
    labels : TextColumn or pyarrow.ChunkedArray, or None
        Strings that are not blank, or lists of them where rows have several; None if no label column was asked for.
    columns : Columns
        Where they are from, and why.
    table : Table
        The table they are from, without the rows that were left out.
    spellings : tuple of Spellings
        Labels that are written in several ways.
    """

    texts: Any
    labels: Any | None
    columns: Columns
    table: Table
    spellings: tuple[Spellings, ...] = ()

    @property
    def inputs(self) -> Inputs:
        """The texts, rows, features or images as `Inputs`."""
        return as_inputs(self.texts)


def read_examples(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    text: str | None = None,
    label: str | None = None,
    need_label: bool = True,
    format: str | None = None,  # noqa: A002
    *,
    rules: LabelRules | None = None,
    label_separator: str | None = None,
    **options: Unpack[Options],
) -> TextData:
    """Read texts and labels from a file; see `read_table` and `examples_of`.

    With ``mail``, the texts of a table are raw messages (see ``lindy.data.mail``).
    """
    table = read_table(path, format, **options)
    return examples_of(
        table, text, label, need_label, mail=options.get("mail"), rules=rules, label_separator=label_separator
    )


def examples_of(
    table: Table,
    text: str | None = None,
    label: str | None = None,
    need_label: bool = True,
    *,
    mail: MailWords | None = None,
    rules: LabelRules | None = None,
    label_separator: str | None = None,
) -> TextData:
    """Take texts and labels from a table; see `find_columns`.

    With ``rules``, rows with blank labels are left out, and spellings of one label are merged. ``label_separator``
    stands between the labels of a row that has several; "none" keeps them whole. A ``label`` such as ``a,b,c`` or
    ``tag_*`` names a column for each label, of 0 and 1. Where rows have several labels, these are lists, and rows
    without any stay.

    Raises
    ------
    DataError
        Also if a row has no text or, without rules, a blank label, with its line.
    """
    table = gathered(table, label)
    if label_separator is not None:
        rules = replace(rules or LabelRules(strict=True, merge="none"), separator=label_separator)
    columns = (table.find or find_columns)(table, text, label, need_label)
    if rules is None or rules.strict:
        _check_texts(table, columns.text)
    labels: Any | None = None
    spellings: tuple[Spellings, ...] = ()
    if columns.label is not None:
        table, labels, spellings = clean_labels(table, columns.label, rules)
    texts = _check_texts(table, columns.text)
    if mail is not None and not table.has_messages:
        from lindy.data.mail import mail_column

        texts, remarks = mail_column(texts, mail)
        table = replace(table, remarks=(*table.remarks, *remarks))
    if mail is not None:
        table = replace(table, source={**table.source, **mail.to_state()})
    return TextData(texts, labels, columns, table, spellings)


def _check_texts(table: Table, name: str) -> Any:
    """Return the texts, none of which is missing."""
    texts = table.texts(name)
    if texts.null_count:
        raise missing(table, name, "text")
    return texts
