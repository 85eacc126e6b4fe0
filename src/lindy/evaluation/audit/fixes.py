"""A sheet of rows to correct: what an audit found, with a column to edit; and what becomes of a table by it.

A line of the sheet is about one row, or, where ``row`` is empty, about all rows that are labelled as its ``label``
says (several spellings of a label). ``new label`` says what becomes of them:

    empty        nothing: they stay as they are
    (delete)     they are left out
    a label      is their label from then on
    (none)       they have no label from then on, where rows have several

A line about a row goes before one about a label. Of rows with several labels, ``label`` and ``new label`` have all of
them, as they are joined in the cells of the table, or of lists and of columns for each label, by a mark.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from lindy.data.columns.label_cleaning import Spellings, escaped, is_blank
from lindy.evaluation.audit.table_audit import Finding

DELETE = "(delete)"
NO_LABEL = "(none)"
SURE = 0.5
"""A suggestion that is right with at least this probability is the new label unless the user says otherwise."""
NEEDED = ("row", "text", "label", "new label")
COLUMNS = ("row", "file", "line", "id", "problem", "details", "text", "label", "suggested label", "new label")

_ORDER = (
    "spelling",
    "contradiction",
    "label error",
    "wrong label",
    "missing label",
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
    separator : the mark, where rows are known to have several labels
    """

    def __init__(
        self,
        labels: Sequence[str],
        spellings: Iterable[Spellings] = (),
        *,
        joined: bool = False,
        separator: str | None = None,
    ) -> None:
        self._labels = labels
        self._by_row: dict[int, Fix] = {}
        found = list(spellings)
        self._merged = {old: s.into for s in found if s.merged for old in s.counts}
        self._folded = {old: s.into for s in found if not s.merged for old in s.counts}
        self._joined, self._separator = joined or separator is not None, separator

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
            elif found.about is not None:
                self._add_set_change(found, found.about)
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

    def _add_set_change(self, found: Finding, label: str) -> None:
        """Add that one of several labels is missing or wrong; what is suggested are all labels of the row."""
        fix, score = self._fix(found.row), found.score or 0.0
        fix.add(found.kind, f"{label} is {found.kind.split()[0]} with probability {score:.2f}")
        fix.suggestion = self._changed(fix.suggestion or fix.label, label)
        if score >= SURE:
            fix.new = self._changed(fix.new or fix.label, label)

    def _changed(self, cell: str, label: str) -> str:
        """Return the labels of a cell without one of them, or with it where it is not among them."""
        assert self._separator is not None
        own = [] if cell == NO_LABEL else apart(cell, self._separator)
        own = [other for other in own if other != label] if label in own else [*own, label]
        return self._separator.join(own) or NO_LABEL

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
                if new or self._separator is None:  # one more label is right, whatever the copies have
                    fix.new = new
                fix.group = rows[0]
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


def apart(cell: str, separator: str) -> list[str]:
    """Return the labels of a cell."""
    return [part.strip() for part in cell.split(separator) if part.strip()]


def sheet_text(text: str) -> str:
    """Return a text as a spreadsheet can hold it: control characters are spaces, and an end that is too long is cut."""
    shown = _CONTROLS.sub(" ", text)
    return shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
