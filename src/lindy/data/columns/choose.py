"""Which column is the text and which the label: by name first, then by content."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lindy.data.columns.table import Table
from lindy.errors import DataError


def _ranked(*groups: str) -> dict[str, tuple[int, int]]:
    """Return the rank of each word, and of its plural: the number of its group, and its place there."""
    ranks: dict[str, tuple[int, int]] = {}
    for g, group in enumerate(groups):
        for i, word in enumerate(group.split()):
            ranks[word] = ranks[word + "s"] = (g, i)
    return ranks


# the most certain names first; each group first as the whole name, then as its last word
_TEXT_NAMES = _ranked(
    "text review body message content document sentence tweet comment",
    "description sms email mail article post question utterance passage paragraph",
    "abstract summary headline title",
)
_LABEL_NAMES = _ranked(
    "label class category sentiment target y topic tag",
    "polarity intent emotion genre section rating stars overall",
)
_SEPARATED = (
    "Check that the columns are separated by commas (CSV) or tabs (TSV), or name the format with `format=`."
)
_DATA_FIRST = "If the first line of the file is data, add a header line such as text,label."
_ADD_HEADER = (
    "Add a first line with the names of the columns, such as text,label; for texts alone, one in each line, add"
    " `format='lines'`."
)
SAMPLE = 10_000
"""Rows that are looked at when names do not tell."""
_LONGEST_NAME = 6  # words; a header that has more is taken for a text


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns to learn from; ``why`` is a sentence to print."""

    text: str
    label: str | None
    why: str


def is_usual_name(name: str) -> bool:
    """Whether columns of texts or labels are often called so."""
    word = name.strip().lower()
    return word in _TEXT_NAMES or word in _LABEL_NAMES


class _Content(NamedTuple):
    name: str
    distinct: int
    length: float  # mean, in bytes


def find_columns(
    table: Table, text: str | None = None, label: str | None = None, need_label: bool = True
) -> Columns:
    """Choose the text and the label column.

    What is given is taken. Otherwise a column whose name says so (``text``, ``review``, …; ``label``, ``class``, …),
    also as its last word (``tweet_text``), then the column with the longest values as text, and the only other one
    with few distinct values as label. Without ``need_label``, a label is taken only if it is given.

    Raises
    ------
    DataError
        If there is no such column, or none or several could be meant.
    """
    check_names(table, text, label)
    if text is not None and text == label:
        raise DataError(
            f"{table.name}: {text!r} cannot be both text and label",
            "Name two columns with `text=` and `label=`.",
        )
    if need_label and len(table.column_names) < 2:
        raise DataError(
            f"{table.name}: there is only the column {table.column_names[0]!r}, expected a text and a label column",
            table.expected or _SEPARATED,
        )
    label_why = "as asked"
    if label is None and need_label:
        label, label_why = _by_name(_names_of(table), _LABEL_NAMES, text), "by its name"
    text_why = "as asked"
    if text is None:
        # some tables have a "label_text" beside a label
        names = [name for name in _names_of(table) if not any(word in _LABEL_NAMES for word in _words(name))]
        text, text_why = _by_name(names, _TEXT_NAMES, label), "by its name"
    check_names(table, text, label)
    if text is None:
        text, text_why = _text_by_content(table, label)
    if label is None and need_label:
        label, label_why = _label_by_content(table, text)
    why = f"text from column {text!r} ({text_why})"
    if label is not None:
        why += f", label from column {label!r} ({label_why})"
    return Columns(text, label, why)


def header_is_data(names: Sequence[str], rows: Sequence[Sequence[str]]) -> bool:
    """Whether a first line holds data, going by the rows below it, and not the names of columns.

    It does if no name says text, and one is too long for a name or is also a value below it, or the only one has
    several words.
    """
    if _by_name(names, _TEXT_NAMES) is not None:
        return False
    if len(names) == 1 and len(names[0].split()) > 1:
        return True
    if any(len(name.split()) > _LONGEST_NAME for name in names):
        return True
    others = [
        row for row in rows if list(row) != list(names)
    ]  # tables that were put together repeat their header
    return any(name and name == value for row in others for name, value in zip(names, row, strict=False))


def find_label(table: Table) -> tuple[str, str]:
    """Return the label column of a table whose other columns are known, and why it was taken."""
    if not table.column_names:
        raise DataError(f"{table.name}: no column is left for the label", "Name it with `label=`.")
    label = _by_name(_names_of(table), _LABEL_NAMES)
    check_names(table, label)
    return (label, "by its name") if label is not None else _label_by_content(table, "")


def check_names(table: Table, *names: str | None) -> None:
    """Refuse names that no column has, or several have."""
    for name in names:
        if name is not None and name not in table.column_names:
            raise table.no_such_column(name)


def _names_of(table: Table) -> list[str]:
    """Return the names of the columns as the file has them."""
    new = {name for names in table.repeated.values() for name in names}
    return [*(name for name in table.column_names if name not in new), *table.repeated]


def _by_name(
    names: Sequence[str], known: Mapping[str, tuple[int, int]], taken: str | None = None
) -> str | None:
    """Return the name, except ``taken``, that ends in the first of the ``known`` words; one word is best."""
    found = []
    for i, name in enumerate(names):
        parts = _words(name)
        if name != taken and parts and parts[-1] in known:
            group, place = known[parts[-1]]
            found.append((group, len(parts) > 1, place, i))
    return names[min(found)[-1]] if found else None


_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_WORD = re.compile(r"[^\W_]+")


def _words(name: str) -> list[str]:
    """Split ``review_text``, ``Review Text`` and ``reviewText`` into lower-case words."""
    if name.isascii() and name.isalnum() and name.islower():
        return [name]
    return _WORD.findall(_CAMEL.sub(" ", name).casefold())


def _text_by_content(table: Table, taken: str | None) -> tuple[str, str]:
    others = [name for name in table.column_names if name != taken]
    if len(others) == 1:
        (name,), why = others, "the only column" if taken is None else "the only other column"
        if taken is None and table.expected is None and len(name.split()) > 1:
            why += "; if that is a text, the file has no header: add `format='lines'`"
    else:
        longest = max(_contents(table, others), key=lambda content: content.length, default=None)
        if longest is None:
            raise DataError(f"{table.name}: no column holds text", "Name one with `text=`.")
        name, why = longest.name, f"the longest values, {longest.length:.0f} bytes on average"
    if len(name.split()) > _LONGEST_NAME:
        raise _no_header(table, f"{name!r} is too long for a column name", "`text=`")
    return name, why


def _label_by_content(table: Table, text: str) -> tuple[str, str]:
    rows = min(table.num_rows, SAMPLE)
    contents = _contents(table, [name for name in table.column_names if name != text])
    few = [content for content in contents if content.distinct <= max(2, rows // 2)]
    candidates = [content for content in few if content.distinct > 1] or few
    if len(candidates) != 1:
        number = "more than one column looks" if candidates else "no column looks"
        listed = ", ".join(f"{c.name!r} ({c.distinct:,} distinct values)" for c in candidates or contents)
        raise DataError(
            f"{table.name}: {number} like a label: {listed}",
            f"Name it with `label=`. {table.expected or _DATA_FIRST}",
        )
    (found,) = candidates
    if found.name in table.column(found.name).unique().to_pylist():
        raise _no_header(table, f"{found.name!r} is also a value below it", "`label=`")
    return found.name, f"{found.distinct:,} distinct value{'s' * (found.distinct > 1)} in {rows:,} rows"


def _no_header(table: Table, reason: str, option: str) -> DataError:
    return DataError(
        f"{table.name}: the first line looks like data, not like a header: {reason}",
        f"{table.expected or _ADD_HEADER} If it is a column name, give it with {option}.",
    )


def _contents(table: Table, names: Sequence[str]) -> list[_Content]:
    """Look at the first rows of the columns; lists and the like, which are no text, are left out."""
    import pyarrow.compute as pc

    contents = []
    for name in names:
        try:
            sample = table.column(name).slice(0, SAMPLE)
        except DataError:
            continue  # if it is asked for by name, the error is raised
        length = pc.mean(pc.binary_length(sample)).as_py()
        contents.append(_Content(name, pc.count_distinct(sample, mode="all").as_py(), length or 0.0))
    return contents
