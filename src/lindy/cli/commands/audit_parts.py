"""``lindy audit`` of large tables, in parts: see ``lindy.evaluation.audit_parts``."""

from __future__ import annotations

import argparse
import os
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from lindy.cli.io.chunked_reading import TableParts
from lindy.cli.io.console import Notes, usable
from lindy.cli.io.reading import AT_ONCE, chunks_of, read, vectorizer_of, wanted_columns, wanted_mail
from lindy.cli.options.shared import shown

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from lindy.core.targets import Targets
    from lindy.data import SplitPolicy, Table, TextData
    from lindy.evaluation.audit import Audit, Finding
    from lindy.evaluation.audit_parts import Survey

MOST_LISTED = 10_000
"""Findings of each kind of a large table that are listed; all of them are counted."""


class LargeAudit:
    """The findings in a large table.

    Attributes
    ----------
    found : Audit, whose findings are about rows of ``data``
    data : TextData, only of rows that are listed
    source : Table, the same rows
    n_rows : int, rows of the table, those without a label included
    """

    def __init__(self, found: Audit, data: TextData, source: Table, n_rows: int) -> None:
        self.found, self.data, self.source, self.n_rows = found, data, source, n_rows


class _Held(Notes):
    """Remarks that wait until it is known whether somebody else will make them."""

    def __init__(self) -> None:
        super().__init__(quiet=True)
        self._said: list[str] = []

    def __call__(self, message: str) -> None:
        """Keep a remark."""
        self._said.append(message)

    def release(self, note: Notes) -> None:
        """Make all remarks."""
        for message in self._said:
            note(message)


def large_audit(args: argparse.Namespace, note: Notes) -> LargeAudit | None:
    """Audit a table part by part; None for one that has not more rows than ``--sample``, or cannot be cut."""
    paths = [args.data] if isinstance(args.data, str) else args.data
    size = sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
    mail = wanted_mail(args)
    if "-" in paths or size <= AT_ONCE or chunks_of(args, mail) is None:
        return None
    from lindy.data.columns.metadata_columns import DivisionParts
    from lindy.evaluation.audit_parts import Survey

    held = _Held()
    parts = TableParts(args, held, fill=True, through=len(paths) > 1)
    survey = Survey(texts_have_words=not wanted_columns(args), n_jobs=args.threads)
    roles = DivisionParts(args.group, args.time)
    with note.progress("reading"):
        for examples, numbers in parts:
            survey.add(examples.inputs.written, numbers)
            roles.add(examples.table)
    if survey.n <= args.sample:
        return None
    labels = survey.labels(parts.names or [])
    held.release(note)
    note(
        f"note: the table has {survey.n:,} labelled rows: learners learn from {args.sample:,} of them, drawn with the"
        " seed; near duplicates are looked for among these (--sample changes their number)"
    )
    division = roles.division(shown(args.data))
    with note.progress("looking"), usable(shown(args.data)):
        listed, counts = _repeated(survey, labels)
        for findings, kind, n in _learned(args, parts, labels, division):
            listed = [*listed, *findings] if kind != "label error" else [*findings, *listed]
            counts[kind] = n
        return _assembled(args, parts, listed, counts, labels)


def _repeated(survey: Survey, labels: Targets) -> tuple[list[Finding], dict[str, int]]:
    """Return what the survey tells, at most ``MOST_LISTED`` findings of each kind, and how many there are."""
    import numpy as np

    from lindy.evaluation.audit import Finding

    names, codes = [str(name) for name in labels.names.tolist()], labels.codes
    rows, first = survey.repeated()
    agree = codes[rows] == codes[first]
    found: list[Finding] = []
    for kind, own in (("duplicate", agree), ("contradiction", ~agree)):
        for i in np.flatnonzero(own)[:MOST_LISTED].tolist():
            row, other = int(rows[i]), int(first[i])
            better = None if kind == "duplicate" else names[codes[other]]
            found.append(Finding(kind, row, names[codes[row]], other, better))
    marked = survey.marked()
    for kind, own_rows in marked.items():
        found += [Finding(kind, row, names[codes[row]]) for row in own_rows[:MOST_LISTED].tolist()]
    counts = {"duplicate": int(agree.sum()), "contradiction": int((~agree).sum())}
    return found, counts | {kind: len(own_rows) for kind, own_rows in marked.items()}


def _learned(
    args: argparse.Namespace, parts: TableParts, labels: Targets, division: SplitPolicy
) -> list[tuple[list[Finding], str, int]]:
    """Return near duplicates within a sample, and label errors that its learners find everywhere."""
    import numpy as np

    from lindy.evaluation.audit import Finding, can_judge
    from lindy.evaluation.audit_parts import Doubts, SampleLearner
    from lindy.evaluation.duplicates import near_duplicates
    from lindy.linear import SVM
    from lindy.text import TfidfVectorizer

    rng = np.random.default_rng(args.seed)
    sample = np.sort(rng.choice(len(labels), args.sample, replace=False))
    data = _picked(args, parts, sample)
    names = [str(name) for name in labels.names.tolist()]
    texts = data.inputs.written
    later, earlier, J = near_duplicates(texts, args.similarity, n_jobs=args.threads)
    near = [
        Finding(
            "near duplicate", int(sample[i]), names[labels.codes[sample[i]]], int(sample[k]), None, float(s)
        )
        for i, k, s in zip(later, earlier, J, strict=True)
        if texts[int(i)].as_py() != texts[int(k)].as_py()
    ]
    made = [(near[:MOST_LISTED], "near duplicate", len(near))]
    if len(labels.take(sample).seen().names) < 2 or not can_judge(len(sample), names):
        return made
    words = TfidfVectorizer(sublinear_tf=True, dtype=np.float32, n_jobs=args.threads)
    learner = SampleLearner(
        SVM(random_state=args.seed, n_jobs=args.threads),
        vectorizer_of(data, args, words),
        data.texts,
        labels.take(sample),
        random_state=args.seed,
        division=division.take(sample),
    )
    doubts = Doubts()
    doubts.add(learner.held_out, sample[learner.held_out_rows])
    if division.is_free:  # others may be of a group, or earlier than a row, that was learned from
        _judge_others(parts, learner, doubts, labels, sample)
    findings, n = doubts.findings(labels, MOST_LISTED)
    return [*made, (findings, "label error", n)]


def _judge_others(
    parts: TableParts, learner: Any, doubts: Any, labels: Targets, sample: NDArray[Any]
) -> None:
    import numpy as np

    done = 0
    for examples, _ in parts:
        for batch in examples.inputs.chunks():
            codes = labels.codes[done : done + len(batch)]
            first, last = np.searchsorted(sample, [done, done + len(batch)])
            wanted = learner.judges(codes)
            wanted[sample[first:last] - done] = False
            new = np.flatnonzero(wanted)
            doubts.add(learner(batch, codes, new), done + new)
            done += len(batch)


def _picked(args: argparse.Namespace, parts: TableParts, rows: NDArray[Any]) -> TextData:
    """Return some rows, ascending, as examples; their numbers and lines stay those of the file."""
    import numpy as np

    from lindy.core.column import text_column
    from lindy.data.columns.table import joined

    found, done, names = [], 0, parts.names or []
    for examples, numbers in parts:
        first, last = np.searchsorted(rows, [done, done + len(numbers)])
        if first < last:
            own = rows[first:last] - done
            spelled = text_column([names[k].encode() for k in numbers[own].tolist()])
            table = examples.table.take(own).with_column(str(examples.columns.label), spelled)
            found.append(replace(table, remarks=()))
        done += len(numbers)
    columns = parts.columns
    given = argparse.Namespace(**vars(args) | columns | {"merge_labels": "none"})
    return read(joined(found), given, wanted_columns(given), None)


def _assembled(
    args: argparse.Namespace,
    parts: TableParts,
    listed: list[Finding],
    counts: dict[str, int],
    labels: Targets,
) -> LargeAudit:
    """Return the findings with the rows that they are about."""
    import numpy as np

    from lindy.evaluation.audit import Audit, rare_classes

    rows = np.unique([row for f in listed for row in (f.row, f.other) if row is not None] or [0])
    data = _picked(args, parts, rows)
    place = {row: number for number, row in enumerate(rows.tolist())}
    findings = [
        replace(f, row=place[f.row], other=None if f.other is None else place[f.other]) for f in listed
    ]
    names = [str(name) for name in labels.names.tolist()]
    classes = dict(zip(names, labels.counts.tolist(), strict=True))
    found = Audit(findings, len(labels), classes, rare_classes(classes), counts)
    return LargeAudit(found, replace(data, spellings=parts.spellings), data.table, parts.n_rows)
