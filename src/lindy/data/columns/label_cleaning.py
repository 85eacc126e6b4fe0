r"""Labels as people type them: some blank, some written in several ways.

    spelling   white space at both ends is dropped, every other kind of space is a plain one, Unicode form NFC
    merge      "none": labels stay as written; "spaces": each becomes its spelling; "case": labels whose spellings
               differ only in upper and lower case become the most frequent one of them

The classes of a model go first: a label that merges with one of them becomes it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lindy.core.column import distinct
from lindy.data.columns.label_bins import LabelBins
from lindy.data.columns.several_labels import found_separator, list_column, separator_of, split_cells
from lindy.data.columns.table import Table
from lindy.errors import DataError

MOST = 5
"""Rows or labels that a remark lists."""
_ENDS = re.compile(r"\A[\s\u200b\u2060\ufeff]+|[\s\u200b\u2060\ufeff]+\Z")
_PLACEHOLDERS = {"n/a", "na", "n.a.", "#n/a", "nan", "null", "none", "nil", "-", "--", "–", "—", "?", "tbd"}
_UNSEEN = ("Cc", "Cf", "Cs", "Mn", "Me", "Zl", "Zp")


@dataclass(frozen=True, slots=True)
class LabelRules:
    """The rule for blank labels (left out unless ``strict``) and for different spellings of one label.

    ``is_part`` says that more rows of the table are to come: nothing is remarked then, see ``label_parts``. With
    ``bins``, labels are made of scores first. ``separator`` stands between the labels of a row ("none": each row has
    one label; "": each has a list, or a cell is one of its labels; None: as the format tells); with ``finds``, labels
    that look joined are several, see ``several_labels``.
    """

    strict: bool = False
    merge: str = "spaces"
    known: tuple[str, ...] = ()
    is_part: bool = False
    bins: LabelBins | None = None
    separator: str | None = None
    finds: bool = False

    @property
    def left_out(self) -> str:
        """Why rows are left out, in words."""
        return (
            "have no label"
            if self.bins is None
            else f"have no label, or one that is in none of {self.bins.text}"
        )


@dataclass(frozen=True, slots=True)
class Spellings:
    """A label that is written in several ways: how often each occurs, and whether they were merged ``into`` it."""

    into: str
    counts: dict[str, int]
    merged: bool

    def __str__(self) -> str:
        listed = [f"{escaped(label)} ({count:,})" for label, count in self.counts.items()]
        return f"{', '.join(listed)} → {escaped(self.into)}" if self.merged else ", ".join(listed)


def clean_labels(
    table: Table, name: str, rules: LabelRules | None
) -> tuple[Table, Any, tuple[Spellings, ...]]:
    """Return the table without the rows that are left out, its labels, and which of them are written in several ways.

    Without rules, labels are as written, and a blank one is an error, as it is with strict ones. Where rows have
    several labels, these are a column of lists, and no row is left out.
    """
    separator = separator_of(table, name, rules)
    if rules is not None and (rules.strict or rules.merge != "spaces" or rules.separator):
        from lindy.data.columns.preparation import label_source, noted

        table = noted(table, **label_source(rules))
    if rules is not None and rules.bins is not None:
        table = rules.bins.applied(table, name)
    if separator is not None:
        return _several(table, name, rules, separator)
    column = table.texts(name)
    refused = rules is None or rules.strict
    if column.null_count:
        if refused:
            raise missing(table, name, "label")
        import pyarrow.compute as pc

        column = pc.fill_null(column, "")
    values, codes = distinct(column)
    blank = [number for number, value in enumerate(values) if is_blank(value)]
    if blank:
        left_out = np.isin(codes, blank)
        is_part = rules is not None and rules.is_part
        if refused or (left_out.all() and not is_part):
            raise _blank(table, name, values[codes[left_out.argmax()]], left_out, is_part=is_part)
        kept, dropped = np.flatnonzero(~left_out), np.flatnonzero(left_out)
        numbers = [table.number(row) for row in dropped[:MOST].tolist()]
        why = "" if rules is None else rules.left_out
        said = (
            ()
            if is_part
            else (left_out_remark(table.name, name, numbers, len(dropped), table.num_rows, why),)
        )
        table = _with_remark(table.take(kept), *said)
        column, codes = table.texts(name), codes[kept]
    counts = np.bincount(codes, minlength=len(values)).tolist()
    present = {value: count for value, count in zip(values, counts, strict=True) if count}
    if rules is not None and not rules.is_part:
        table = _with_remark(table, *placeholder_remark(table.name, present, rules.known))
        if rules.separator is None and not rules.finds and not rules.known and rules.bins is None:
            mark = found_separator(values, counts)
            table = _with_remark(
                table, *(() if mark is None else (_joined_remark(table.name, mark, len(present)),))
            )
    if rules is None or rules.merge == "none":
        return table, column, ()
    found, new = merged(present, rules)
    if any(new[value] != value for value in present):
        import pyarrow as pa

        spelled = pa.array([new.get(value, value) for value in values], pa.large_string())
        column = pa.chunked_array([spelled.take(pa.array(codes))])
        table = table.with_column(name, column)
    return _with_remark(table, *(() if rules.is_part else remarks_on(table.name, found))), column, found


def _several(
    table: Table, name: str, rules: LabelRules | None, separator: str
) -> tuple[Table, Any, tuple[Spellings, ...]]:
    """Return the same of a table whose rows have several labels."""
    from lindy.data.columns.preparation import noted

    cells, codes = split_cells(table.values(name), separator)
    counts: Counter[str] = Counter()
    for own, count in zip(cells, np.bincount(codes, minlength=len(cells)).tolist(), strict=True):
        counts.update(dict.fromkeys(own, count))
    present = {label: n for label, n in counts.items() if n}
    rules, is_found = rules or LabelRules(merge="none"), separator and "label_separator" not in table.source
    if not present and not rules.is_part:
        raise no_labels(table.name, name)
    found, new = ((), {}) if rules.merge == "none" else merged(present, rules)
    column = list_column([[new.get(label, label) for label in own] for own in cells], codes)
    said = (
        []
        if rules.is_part
        else [*placeholder_remark(table.name, present, rules.known), *remarks_on(table.name, found)]
    )
    if is_found:
        said.insert(
            0,
            f"{table.name}: labels are several per row, joined by {separator!r} ({len(present):,} labels):"
            " `label_separator='none'` keeps them whole",
        )
    table = noted(table.with_column(name, column), label_separator=separator)
    return _with_remark(table, *said), column, found


def _joined_remark(name: str, mark: str, n_labels: int) -> str:
    """Return what is said about labels that look joined where only one per row is taken."""
    which = f"each of the {n_labels:,} combinations is a class"
    return f"{name}: labels look like several per row, joined by {mark!r}: {which}"


def missing(table: Table, name: str, role: str) -> DataError:
    """Return the error for a column that has null where a text or a label is expected."""
    import pyarrow.compute as pc

    row = pc.index(pc.is_null(table.texts(name)), True).as_py()
    return DataError(
        f"{table.place(row)}: no {role}: {name!r} is null or missing",
        "Give it a value or leave the row out." + (' An empty text is written "".' if role == "text" else ""),
    )


def is_blank(label: str | None) -> bool:
    """Whether there is no label, or nothing of it can be seen."""
    return not label or not _ENDS.sub("", label)


def spelling(label: str) -> str:
    """Return a label without what cannot be seen: NFC, plain spaces, none at the ends."""
    if label.isascii() and label.isprintable():
        return label.strip()
    plain = "".join(" " if unicodedata.category(c) == "Zs" else c for c in _ENDS.sub("", label))
    return unicodedata.normalize("NFC", plain)


def escaped(label: str) -> str:
    r"""Return a label in quotes, with escapes for what could not be told apart: ``'Refund\x20'``."""
    start, end = len(label) - len(label.lstrip(" ")), len(label.rstrip(" "))
    return (
        "'" + "".join(_escape(c) if _is_unseen(c, start <= i < end) else c for i, c in enumerate(label)) + "'"
    )


def _is_unseen(c: str, inside: bool) -> bool:
    if c == " ":
        return not inside
    return c.isspace() or unicodedata.category(c) in _UNSEEN


def _escape(c: str) -> str:
    number = ord(c)
    if number < 0x100:
        return f"\\x{number:02x}"
    return f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def merged(present: dict[str, int], rules: LabelRules) -> tuple[tuple[Spellings, ...], dict[str, str]]:
    """Return labels of several spellings, also those that differ in case and stay apart, and what each becomes."""
    folds = rules.merge == "case"
    new: dict[str, str] = {}
    groups: dict[str, list[str]] = {}
    for label in present:
        groups.setdefault(spelling(label).casefold(), []).append(label)
    known: dict[str, list[str]] = {}
    for label in rules.known:
        known.setdefault(spelling(label).casefold(), []).append(label)
    found = []
    for fold, group in groups.items():
        apart: dict[str, list[str]] = {}
        for label in group:
            apart.setdefault(fold if folds else spelling(label), []).append(label)
        for key, labels in apart.items():
            classes = [c for c in known.get(fold, ()) if folds or spelling(c) == key]
            into = classes[0] if classes else _most_frequent(labels, present)
            new |= {label: label if label in classes else into for label in labels}
            if any(new[label] != label for label in labels):
                found.append(Spellings(into, {label: present[label] for label in labels}, merged=True))
        names = {new[label]: 0 for label in group}
        if len(names) > 1:
            for label in group:
                names[new[label]] += present[label]
            found.append(Spellings(max(names, key=names.__getitem__), names, merged=False))
    return tuple(found), new


def _most_frequent(labels: Sequence[str], present: dict[str, int]) -> str:
    counts: dict[str, int] = {}
    for label in labels:
        counts[spelling(label)] = counts.get(spelling(label), 0) + present[label]
    return min(counts, key=lambda label: (-counts[label], label))


def _with_remark(table: Table, *remarks: str) -> Table:
    return replace(table, remarks=(*table.remarks, *remarks)) if remarks else table


def remarks_on(name: str, found: Sequence[Spellings]) -> list[str]:
    """Return what is said about the spellings in a table of this name."""
    heads = {
        True: "spellings of a label that were merged",
        False: "labels that differ only in upper and lower case are different classes"
        " (`merge='case'` merges them)",
    }
    remarks = []
    for merged, head in heads.items():
        listed = [str(spellings) for spellings in found if spellings.merged == merged]
        more = f"; and {len(listed) - MOST} more" if len(listed) > MOST else ""
        if listed:
            remarks.append(f"{name}: {head}: {'; '.join(listed[:MOST])}{more}")
    return remarks


def placeholder_remark(name: str, present: Mapping[str, int], known: Collection[str] = ()) -> list[str]:
    """Return what is said about labels that often stand for none, unless a model has them as classes."""
    without = {"-"} if "+" in present else set()  # which is its opposite then
    usual = _PLACEHOLDERS - without
    found = {label: n for label, n in present.items() if n and spelling(label).casefold() in usual}
    listed = [f"{escaped(label)} ({count:,})" for label, count in found.items() if label not in known]
    if not listed:
        return []
    more = f" and {len(listed) - MOST} more" if len(listed) > MOST else ""
    return [
        f"{name}: {', '.join(listed[:MOST])}{more} {'are classes' if len(listed) > 1 else 'is a class'} like any other;"
        " if such rows have no label, leave it blank in the table: blank labels are left out"
    ]


def left_out_remark(
    table: str, column: str, numbers: Sequence[int], n_left_out: int, n_rows: int, why: str = "have no label"
) -> str:
    """Return what is said about rows of a table without a label; ``numbers`` are those of the first of them."""
    listed = ", ".join(f"{number:,}" for number in numbers)
    more = f" and {n_left_out - len(numbers):,} more" if n_left_out > len(numbers) else ""
    return (
        f"{table}: left out {n_left_out:,} of {n_rows:,} rows, which {why} in column {column!r}:"
        f" row{'s' * (n_left_out > 1)} {listed}{more} (counted from 1, without a header)"
    )


def no_labels(table: str, column: str) -> DataError:
    """Return the error for a table of which no row has a label."""
    return DataError(
        f"{table}: no row has a label (column {column!r})",
        "Name the column with the labels with `label=`, or fill it.",
    )


def _blank(table: Table, name: str, label: str, left_out: Any, *, is_part: bool = False) -> DataError:
    if left_out.all() and table.num_rows > 1 and not is_part:
        return no_labels(table.name, name)
    kind = "only white space" if label else "empty"
    place = table.place(int(left_out.argmax()))
    return DataError(
        f"{place}: the label is {kind} (column {name!r})", "Give it a label or leave the row out."
    )
