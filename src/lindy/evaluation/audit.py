"""Audit of a table of labelled texts: label errors, duplicates and other faults.

- label errors: rows whose label the others contradict. Each row gets scores from learners that did not see it; from
  these and all labels follow the share of wrong labels, and how probable it is that a row's own is one of them
  (``label_noise``). The most probable come first, as many as make the expected F1 the highest; those below ``CLEAR``
  are left out. Where labels are several joined by a mark, none are looked for: every other label would take some of
  the row's own away.
- contradictions: the same text with different labels
- duplicates: the same text with the same label, and near duplicates (see ``duplicates``)
- empty texts, texts without a word, and classes that are rare

An audit of a table that is too large to be held: what takes all rows, and what a sample of them can tell.

Of every row, 64 bits of its text, its class and two marks are kept; they tell duplicates, contradictions, empty texts
and texts without words of the whole table. Learners learn from a sample. Rows of the sample get scores out of fold, as
in ``audit``; all others from a learner of the whole sample, which has not seen them either. Near duplicates
are looked for within the sample.
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
from lindy.core.targets import OneLabel, Targets
from lindy.data.chunks.disk_array import DiskArray
from lindy.data.columns.keys import Keys, text_keys
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.estimators.base import Classifier
from lindy.evaluation.crossfit import Weighted, out_of_fold, refitted
from lindy.evaluation.diagnostics import joined_by
from lindy.evaluation.duplicates import near_duplicates
from lindy.evaluation.label_noise import Suspicion, fit_label_noise, worth_listing
from lindy.text.hashing import HashingVectorizer

FEWEST = 20
Rows = NDArray[np.int64]
_DOUBT = np.dtype([("row", np.int64), ("better", np.int32), ("wrong", np.float64), ("right", np.float64)])


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


class Survey:
    """The summary that is kept of all rows: 14 bytes each."""

    def __init__(self, *, texts_have_words: bool = True, n_jobs: int | None = None) -> None:
        self._keys: list[Keys] = []
        self._numbers: list[NDArray[np.int32]] = []
        self._empty: list[NDArray[np.bool_]] = []
        self._silent: list[NDArray[np.bool_]] = []
        self._words = HashingVectorizer(norm=None, n_jobs=n_jobs) if texts_have_words else None

    def add(self, texts: Any, numbers: NDArray[Any]) -> None:
        """Add rows: a column of texts, and the numbers of their labels."""
        empty = blank_rows(texts)
        silent = np.zeros(len(empty), bool)
        if self._words is not None:
            silent = (np.diff(self._words.transform_csr(texts).indptr) == 0) & ~empty
        self._keys.append(text_keys(texts.to_pylist()))
        self._numbers.append(numbers.astype(np.int32))
        self._empty.append(empty)
        self._silent.append(silent)

    @property
    def n(self) -> int:
        """How many rows were added."""
        return sum(map(len, self._numbers))

    def labels(self, names: list[str]) -> Targets:
        """Return the labels of all rows; ``names`` has what each number is called."""
        classes = sorted(set(names))
        place = {name: k for k, name in enumerate(classes)}
        codes = np.array([place[name] for name in names], np.int32)
        return OneLabel(np.array(classes, object), codes[np.concatenate(self._numbers)])

    def marked(self) -> dict[str, Rows]:
        """Return the rows that are empty, and those without words."""
        return {
            "empty": np.flatnonzero(np.concatenate(self._empty)),
            "no words": np.flatnonzero(np.concatenate(self._silent)),
        }

    def repeated(self) -> tuple[Rows, Rows]:
        """Return the rows whose text, which is not empty, was there before, and the first row with it."""
        keys = np.concatenate(self._keys)
        order = np.argsort(keys, kind="stable")
        same = np.append(False, keys[order[1:]] == keys[order[:-1]])
        start = np.maximum.accumulate(np.where(same, 0, np.arange(len(order))))
        first = np.empty(len(order), np.int64)
        first[order] = order[start]
        rows = np.flatnonzero((first != np.arange(len(first))) & ~np.concatenate(self._empty))
        return rows, first[rows]


class Doubts:
    """Rows whose label may be wrong: ``audit.suspects`` for rows that come in parts."""

    def __init__(self) -> None:
        self._expected = 0.0  # wrong labels among all rows
        self._found = DiskArray(_DOUBT)

    def add(self, judged: Suspicion, rows: Rows) -> None:
        """Add rows, and what is known about their labels."""
        self._expected += float(judged.wrong.sum())
        kept = np.flatnonzero(judged.wrong >= CLEAR)
        made = np.empty(len(kept), _DOUBT)
        made["row"] = rows[kept]
        made["wrong"], made["better"], made["right"] = judged.take(kept)
        self._found.add(made)

    def findings(self, labels: Targets, most: int) -> tuple[list[Finding], int]:
        """Return the most probable label errors, at most so many, and how many there are."""
        found = self._found.read(0, len(self._found))
        found = found[np.lexsort((found["row"], -found["wrong"]))]
        n = worth_listing(found["wrong"], self._expected)
        names = [str(name) for name in labels.names.tolist()]
        return [
            Finding("label error", row, names[labels.codes[row]], None, names[better], wrong, right)
            for row, better, wrong, right in found[: min(n, most)].tolist()
        ], n


class SampleLearner:
    """A learner, its vectorizer and the share of wrong labels, fitted to a sample of the rows.

    ``labels`` are those of the sample, with the classes of the whole table; a class that the sample lacks is never
    suggested, and rows of it are not judged.
    """

    def __init__(
        self,
        learner: Any,
        vectorizer: Any,
        examples: Any,
        labels: Targets,
        *,
        random_state: int = 0,
        division: SplitPolicy = FREE,
    ) -> None:
        self._learner = learner
        self._vectorizer = vectorizer
        rows = vectorizer.fit_csr(examples)
        own = labels.seen()
        self._classes = np.searchsorted(labels.names, own.names)  # of those of the whole table
        held_out = out_of_fold(
            learner,
            Weighted(as_inputs(examples)),
            own,
            random_state=random_state,
            division=division,
            prepare=refitted(vectorizer, vectorizer),
        )
        judged = own.take(held_out.rows)
        self._noise = fit_label_noise(held_out.scores, judged)
        self.held_out_rows = held_out.rows
        self.held_out = self._judge(held_out.scores, judged.codes)
        self._learner.fit(rows, own)

    def __call__(self, examples: Any, codes: NDArray[Any], rows: Rows) -> Suspicion:
        """Return how probable it is that labels are wrong, and the class suggested instead.

        ``rows`` says which examples are asked about: of those that ``judges`` names, some that are not in the sample.
        """
        scores = np.asarray(self._learner.decision_function(self._vectorizer.transform_csr(examples)))
        return self._judge(scores[rows].astype(np.float64), np.searchsorted(self._classes, codes[rows]))

    def judges(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which rows are of a class that the sample has."""
        return np.isin(codes, self._classes)

    def _judge(self, scores: NDArray[np.float64], codes: NDArray[Any]) -> Suspicion:
        wrong, better, right = self._noise.judge(scores, codes)
        return Suspicion(wrong, self._classes[better], right)
