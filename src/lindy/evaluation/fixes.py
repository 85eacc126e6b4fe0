"""A sheet of rows to correct: what an audit found, with a column to edit; and what becomes of a table by it.

A line of the sheet is about one row, or, where ``row`` is empty, about all rows that are labelled as its ``label``
says (several spellings of a label). ``new label`` says what becomes of them:

    empty        nothing: they stay as they are
    (delete)     they are left out
    a label      is their label from then on

A line about a row goes before one about a label.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lindy.data.columns.label_cleaning import Spellings, escaped, is_blank, spelling
from lindy.data.columns.table import Table
from lindy.errors import DataError, did_you_mean
from lindy.evaluation.audit import Finding

DELETE = "(delete)"
SURE = 0.5
"""A suggestion that is right with at least this probability is the new label unless the user says otherwise."""
_OTHER_TABLE = (
    "Give the table that the sheet was made from, unchanged, or make a new sheet with lindy audit -o."
)
NEEDED = ("row", "text", "label", "new label")
COLUMNS = ("row", "file", "line", "id", "problem", "details", "text", "label", "suggested label", "new label")

_ORDER = (
    "spelling",
    "contradiction",
    "label error",
    "blank label",
    "near duplicate",
    "no words",
    "duplicate",
    "empty",
)
_MOST = 8  # copies of a text that a line lists
_LONGEST = 30_000  # characters; Excel's cells hold 32,767
_CONTROLS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


@dataclass
class Fix:
    """A line of the sheet; ``row`` is the row of the file from 0, or −1 where it is about all rows of a label.

    ``group`` is the first row of those with the same text, which come one after the other.
    """

    row: int
    label: str
    problems: list[str] = field(default_factory=list)
    details: list[str] = field(default_factory=list)
    suggestion: str = ""
    new: str = ""
    group: int = -1

    def add(self, problem: str, details: str, suggestion: str = "", new: str = "") -> None:
        """Add a problem; the first suggestion stays, and what is to be deleted is."""
        self.problems.append(problem)
        self.details.append(details)
        self.suggestion = self.suggestion or suggestion
        if new == DELETE or not self.new:
            self.new = new


class Fixes:
    """Collects the lines of a sheet.

    Parameters
    ----------
    labels : the labels of all rows of the file, as written
    spellings : labels that are written in several ways
    joined : whether labels are several joined by a mark
    """

    def __init__(
        self, labels: Sequence[str], spellings: Iterable[Spellings] = (), *, joined: bool = False
    ) -> None:
        self._labels = labels
        self._by_row: dict[int, Fix] = {}
        found = list(spellings)
        self._merged = {old: s.into for s in found if s.merged for old in s.counts}
        self._folded = {old: s.into for s in found if not s.merged for old in s.counts}
        self._joined = joined

    def usual(self, label: str) -> str:
        """Return the usual spelling of a label."""
        merged = self._merged.get(label, label)
        return self._folded.get(merged, merged)

    def add_findings(self, findings: Iterable[Finding]) -> None:
        """Add what an audit found; the rows of its findings are rows of the file."""
        groups: dict[int, list[int]] = {}
        for found in findings:
            if found.kind == "label error":
                self._add_label_error(found)
            elif found.kind in ("contradiction", "duplicate"):
                assert found.other is not None
                groups.setdefault(found.other, [found.other]).append(found.row)
            elif found.kind == "near duplicate":
                assert found.other is not None
                like = f"nearly the words of {self._named(found.other)} (similarity {found.score:.2f})"
                self._fix(found.row).add(found.kind, like)
            else:
                deleted = found.kind == "empty"
                self._fix(found.row).add(
                    found.kind,
                    "there is no text" if deleted else "there is no word of at least two letters",
                    new=DELETE if deleted else "",
                )
        for group in groups.values():
            self._add_copies(group)

    def add_blank(self, row: int, guess: str, text: str) -> None:
        """Add a row without a label, and the label that a learner would give it."""
        if text.strip():
            self._fix(row).add("blank label", "there is no label", guess)
        else:
            self._fix(row).add("empty", "there is neither text nor label", new=DELETE)

    def lines(self) -> list[Fix]:
        """Return the lines of the sheet in the order in which one looks at them."""
        made = []
        counts = Counter(self._labels)
        for label in sorted(counts, key=lambda label: (self.usual(label), -counts[label], label)):
            if not is_blank(label) and self.usual(label) != label:
                number = f"{counts[label]:,} row{'s are' if counts[label] > 1 else ' is'} labelled"
                fix = Fix(-1, label)
                fix.add("spelling", f"{number} {escaped(label)}", self.usual(label), self.usual(label))
                made.append(fix)
        return made + sorted(self._by_row.values(), key=self._place)

    def _place(self, fix: Fix) -> tuple[int, int, int]:
        """Return what lines are sorted by; label errors stay as they came, the most probable first."""
        first = min(map(_ORDER.index, fix.problems))
        return (first, 0, 0) if _ORDER[first] == "label error" else (first, fix.group, fix.row)

    def _named(self, row: int) -> str:
        return f"row {row + 1:,}, {self.usual(self._labels[row])}"

    def _fix(self, row: int) -> Fix:
        return self._by_row.setdefault(row, Fix(row, self._labels[row]))

    def _add_label_error(self, found: Finding) -> None:
        better, score, right = self.usual(found.suggestion or ""), found.score or 0.0, found.right or 0.0
        if better != self.usual(found.label):
            details = f"wrong with probability {score:.2f}; the other texts suggest {better} ({right:.2f})"
            self._fix(found.row).add("label error", details, better, better if right >= SURE else "")

    def _add_copies(self, rows: list[int]) -> None:
        """Add rows of the same text, of which the first with the best label is kept, if one label is the best.

        Where labels are several joined by a mark, no copy with other labels is left out: it may have one more.
        """
        labels = [self.usual(self._labels[row]) for row in rows]
        best = "" if self._joined and len(set(labels)) > 1 else self._best_label(rows, labels)
        kept = rows[labels.index(best)] if best else None
        more = f"; and {len(rows) - _MOST:,} more" if len(rows) > _MOST else ""
        listed = "; ".join(map(self._named, rows[:_MOST])) + more
        for row, label in zip(rows, labels, strict=True):
            new = DELETE if best and row != kept else ""
            if len(set(labels)) > 1:
                fix = self._fix(row)
                fix.add("contradiction", f"the same text: {listed}", best if label != best else "")
                fix.new, fix.group = new, rows[0]
            elif row != kept:
                self._fix(row).add("duplicate", f"the same text and label as row {rows[0] + 1:,}", new=new)

    def _best_label(self, rows: list[int], labels: list[str]) -> str:
        """Return the most frequent label of copies; among several, the one that the other texts suggest; else none."""
        counts = Counter(labels)
        tied = [label for label, count in counts.items() if count == max(counts.values())]
        if len(tied) > 1:
            suggested = {self._by_row[row].new for row in rows if row in self._by_row}
            tied = [label for label in tied if label in suggested]
        return tied[0] if len(tied) == 1 else ""


def sheet_text(text: str) -> str:
    """Return a text as a spreadsheet can hold it: control characters are spaces, and an end that is too long is cut."""
    shown = _CONTROLS.sub(" ", text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"


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


def apply_fixes(sheet: Table, table: Table, texts: Sequence[str], label: str) -> Applied:
    """Return a table with the corrections of a sheet.

    Parameters
    ----------
    sheet : Table with the columns of ``COLUMNS``, in any order
    table : Table, all rows of the file that the sheet was made from
    texts : the text of each row, as the sheet has it
    label : name of the column with the labels

    Raises
    ------
    DataError
        If the sheet does not fit the table: columns, rows, texts or labels.
    """
    import pyarrow as pa

    old = [value or "" for value in table.column(label).to_pylist()]
    asked = _Reader(sheet, table, texts, old)
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
        if is_blank(old[row]):
            filled += 1
        elif not asked.by_row.get(row):
            spelled += 1
        else:
            changed[f"{spelling(old[row])} → {after[row]}"] += 1
    labels = [after[row] for row in kept]
    known = set(old)
    return Applied(
        table.take(np.array(kept)).with_column(
            label, pa.chunked_array([pa.array(labels, pa.large_string())])
        ),
        deleted=len(old) - len(kept),
        filled=filled,
        changed=dict(changed.most_common()),
        spelled=spelled,
        unlabelled=sum(map(is_blank, labels)),
        new_labels=dict(Counter(new for new in labels if new not in known)),
    )


class _Reader:
    """Reads a sheet: what it asks for rows, and for labels. Lines that change nothing are checked, too."""

    def __init__(self, sheet: Table, table: Table, texts: Sequence[str], labels: Sequence[str]) -> None:
        self.sheet = sheet
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
