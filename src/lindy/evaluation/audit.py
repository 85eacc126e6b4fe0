"""Audit of a table of labelled texts: label errors, duplicates and other faults.

- label errors: rows whose label the others contradict. Each row gets scores from learners that did not see it; from
  these and all labels follow the share of wrong labels, and how probable it is that a row's own is one of them
  (``label_noise``). The most probable come first, as many as make the expected F1 the highest; those below ``CLEAR``
  are left out. Where labels are several joined by a mark, none are looked for: every other label would take some of
  the row's own away.
- contradictions: the same text with different labels
- duplicates: the same text with the same label, and near duplicates (see ``duplicates``)
- empty texts, texts without a word, and classes that are rare
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.column import distinct
from lindy.core.csr import Csr
from lindy.core.inputs import as_inputs
from lindy.core.targets import Targets
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.estimators.base import Classifier
from lindy.evaluation.crossfit import Weighted, out_of_fold, refitted
from lindy.evaluation.diagnostics import joined_by
from lindy.evaluation.duplicates import near_duplicates
from lindy.evaluation.label_noise import Suspicion, fit_label_noise, worth_listing

FEWEST = 20
"""In fewer rows no label errors are looked for: learners of so few texts know nothing about the others."""
CLEAR = 0.1
"""A label that is wrong with a lower probability is not listed."""
FEW = 10
"""A class with fewer examples is rare."""
UNEVEN = 20
"""A class is rare too if the largest one has so many times its examples."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at: a row (from 0), what kind of trouble, and what it has to do with.

    ``other`` is the row it repeats or contradicts, ``suggestion`` the label that it may rather have, ``score`` the
    probability that the label is wrong or the similarity of a near duplicate; ``right`` is the probability that the
    suggestion for a label error is right.
    """

    kind: str
    row: int
    label: str
    other: int | None = None
    suggestion: str | None = None
    score: float | None = None
    right: float | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """All findings, the classes' counts, and the classes that are rare.

    ``counts`` says how many findings of a kind there are, where not all of them are listed.
    """

    findings: list[Finding]
    rows: int
    classes: dict[str, int]
    rare: list[str]
    counts: dict[str, int] = field(default_factory=dict)

    @property
    def joined(self) -> tuple[str, list[str]] | None:
        """The mark between several labels of one text, and the labels that have it; None where there are none."""
        return joined_by(list(self.classes))

    def of(self, kind: str) -> list[Finding]:
        """Return the findings of one kind."""
        return [finding for finding in self.findings if finding.kind == kind]

    def number_of(self, kind: str) -> int:
        """Return how many findings of one kind there are."""
        return self.counts.get(kind, len(self.of(kind)))


def rare_classes(counts: Mapping[str, int]) -> list[str]:
    """Return the classes that are rare, of those with so many examples."""
    return [name for name, n in counts.items() if n < FEW or n * UNEVEN < max(counts.values())]


def audit(
    texts: Any,
    labels: Targets,
    X: Csr,
    learner: Classifier,
    *,
    examples: Any = None,
    vectorizer: Any = None,
    similarity: float = 0.8,
    random_state: int = 0,
    division: SplitPolicy = FREE,
    n_jobs: int | None = None,
) -> Audit:
    """Look for trouble in texts (an Arrow column) with encoded labels.

    ``X`` holds the texts' rows and ``learner`` learns from them, out of fold, to find label errors; ``division`` says
    how rows may be divided for that. With the ``vectorizer`` that made them of ``examples``, words and their weights
    are learned anew without each fold; otherwise the rows are taken as they are.
    """
    names, codes, counts = [str(label) for label in labels.names.tolist()], labels.codes, labels.counts
    findings: list[Finding] = []
    if len(names) > 1 and counts.max() > 1 and X.n_columns:
        findings += label_errors(
            learner, X if vectorizer is None else examples, labels, random_state, division, vectorizer
        )
    empty = blank_rows(texts)
    findings += _duplicates(texts, codes, names, empty)
    same = {finding.row for finding in findings if finding.kind in ("contradiction", "duplicate")}
    for later, earlier, J in zip(*near_duplicates(texts, similarity, n_jobs=n_jobs), strict=True):
        if int(later) not in same:
            findings.append(
                Finding(
                    "near duplicate",
                    int(later),
                    names[codes[later]],
                    other=int(earlier),
                    suggestion=None if codes[later] == codes[earlier] else names[codes[earlier]],
                    score=float(J),
                )
            )
    findings += [Finding("empty", int(row), names[codes[row]]) for row in np.flatnonzero(empty)]
    silent = (np.diff(X.indptr) == 0) & ~empty
    findings += [Finding("no words", int(row), names[codes[row]]) for row in np.flatnonzero(silent)]
    by_name = dict(zip(names, counts.tolist(), strict=True))
    return Audit(findings, len(codes), by_name, rare_classes(by_name))


def label_errors(
    learner: Classifier,
    X: Any,
    labels: Targets,
    random_state: int,
    division: SplitPolicy = FREE,
    vectorizer: Any = None,
) -> list[Finding]:
    """Return the rows whose label is contradicted by learners that have not seen them, the most probable errors first.

    ``X`` are rows, or with a fitted ``vectorizer`` the examples, of which it is fitted anew without each fold. There
    are none where there are fewer than ``FEWEST`` rows, or where labels are several joined by a mark.
    """
    names = [str(label) for label in labels.names.tolist()]
    if not can_judge(len(labels), names):
        return []
    given = (X, None) if vectorizer is None else (Weighted(as_inputs(X)), refitted(vectorizer, vectorizer))
    held_out = out_of_fold(
        learner, given[0], labels, random_state=random_state, division=division, prepare=given[1]
    )
    y = labels.take(held_out.rows)
    rows, (wrong, better, right) = suspects(held_out.scores, y)
    return [
        Finding("label error", int(held_out.rows[i]), names[y.codes[i]], None, names[k], float(p), float(q))
        for i, k, p, q in zip(rows, better, wrong, right, strict=True)
    ]


def can_judge(n_rows: int, names: Sequence[str]) -> bool:
    """Whether label errors can be found in so many rows with these labels."""
    return n_rows >= FEWEST and joined_by(names) is None


def suspects(scores: ArrayLike, y: Targets) -> tuple[NDArray[np.int64], Suspicion]:
    """Return the rows whose label is in doubt, the most probable errors first, and what is known about each.

    Scores are those of ``decision_function``, of learners that have not seen the rows.
    """
    judged = fit_label_noise(scores, y).judge(scores, y.codes)
    order = np.argsort(-judged.wrong, kind="stable")
    rows = order[: worth_listing(judged.wrong[order], float(judged.wrong.sum()))]
    rows = rows[judged.wrong[rows] >= CLEAR]
    return rows, judged.take(rows)


def blank_rows(texts: Any) -> NDArray[np.bool_]:
    """Return which texts hold nothing but white space."""
    values, numbers = distinct(texts)
    blank = np.array([not value.strip() for value in values], bool)
    empty: NDArray[np.bool_] = blank[numbers]
    return empty


def _duplicates(
    texts: Any, codes: NDArray[np.int32], names: list[str], empty: NDArray[np.bool_]
) -> list[Finding]:
    _, numbers = distinct(texts)
    _, first = np.unique(numbers, return_index=True)
    first_row = first[numbers]
    findings = []
    for row in np.flatnonzero((first_row != np.arange(len(numbers))) & ~empty).tolist():
        other = int(first_row[row])
        if codes[row] == codes[other]:
            findings.append(Finding("duplicate", row, names[codes[row]], other))
        else:
            findings.append(Finding("contradiction", row, names[codes[row]], other, names[codes[other]]))
    return findings
