"""What may be wrong with a table of labelled texts.

- label errors: rows whose label the others contradict. Each row gets probabilities from learners that did not see it;
  a row is suspected of belonging to class j instead of its own y when p_j is the highest and at least the mean p_j of
  the rows that are labelled j (confident learning, Northcutt et al. 2021). The surest, p_j − p_y, come first; those
  below ``CLEAR`` are left out.
- contradictions: the same text with different labels
- duplicates: the same text with the same label, and near duplicates (see ``duplicates``)
- empty texts, texts without a word, and classes that are rare
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.base import Classifier
from lindy.csr import Csr
from lindy.data.distinct import distinct
from lindy.data.division import FREE, Division
from lindy.evaluation.calibration import fit_calibrator
from lindy.evaluation.crossfit import Examples, out_of_fold, refitted
from lindy.evaluation.duplicates import near_duplicates
from lindy.labels import Labels

FEWEST = 20
"""In fewer rows no label errors are looked for: learners of so few texts know nothing about the others."""
CLEAR = 0.05
"""A label error must be at least so sure."""
FEW = 10
"""A class with fewer examples is rare."""
UNEVEN = 20
"""A class is rare too if the largest one has so many times its examples."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at: a row (from 0), what kind of trouble, and what it has to do with.

    ``other`` is the row it repeats or contradicts, ``suggestion`` the label that it may rather have, ``score`` the
    sureness of a label error or the similarity of a near duplicate.
    """

    kind: str
    row: int
    label: str
    other: int | None = None
    suggestion: str | None = None
    score: float | None = None


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
    labels: Labels,
    X: Csr,
    learner: Classifier,
    *,
    examples: Any = None,
    vectorizer: Any = None,
    similarity: float = 0.8,
    random_state: int = 0,
    division: Division = FREE,
    n_jobs: int | None = None,
) -> Audit:
    """Look for trouble in texts (an Arrow column) with encoded labels.

    ``X`` holds the texts' rows and ``learner`` learns from them, out of fold, to find label errors; ``division`` says
    how rows may be divided for that. With the ``vectorizer`` that made them of ``examples``, words and their weights
    are learned anew without each fold; otherwise the rows are taken as they are.
    """
    names, codes, counts = [str(label) for label in labels.classes.tolist()], labels.codes, labels.counts
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
    labels: Labels,
    random_state: int,
    division: Division = FREE,
    vectorizer: Any = None,
) -> list[Finding]:
    """Return the rows whose label is contradicted by learners that have not seen them, the surest first.

    ``X`` are rows, or with a fitted ``vectorizer`` the examples, of which it is fitted anew without each fold. There
    are none where there are fewer than ``FEWEST`` rows.
    """
    if len(labels) < FEWEST:
        return []
    names = [str(label) for label in labels.classes.tolist()]
    given = (X, None) if vectorizer is None else (Examples(X), refitted(vectorizer))
    held_out = out_of_fold(
        learner, given[0], labels, random_state=random_state, division=division, prepare=given[1]
    )
    y = labels.codes[held_out.rows]
    own = division.take(held_out.rows)
    p = fit_calibrator(held_out.scores, y, len(names), division=own)(held_out.scores)
    rows, suggestion, sureness = suspects(p, y)
    return [
        Finding("label error", int(held_out.rows[i]), names[y[i]], None, names[k], float(s))
        for i, k, s in zip(rows, suggestion, sureness, strict=True)
        if s >= CLEAR
    ]


def suspects(
    p: NDArray[np.float64], y: NDArray[np.integer[Any]]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return the rows whose label is in doubt, the class suggested instead, and p_suggested − p_label, surest first."""
    K = p.shape[1]
    own = p[np.arange(len(y)), y]
    counts = np.bincount(y, minlength=K)
    usual = np.divide(np.bincount(y, own, K), counts, out=np.full(K, np.inf), where=counts > 0)
    best = p.argmax(axis=1)
    top = p[np.arange(len(y)), best]
    rows = np.flatnonzero((best != y) & (top >= usual[best]))
    sureness = top[rows] - own[rows]
    order = np.argsort(-sureness, kind="stable")
    return rows[order], best[rows[order]], sureness[order]


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
