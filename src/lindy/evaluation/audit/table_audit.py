"""Audit of a table of labelled texts: label errors, duplicates and other faults.

- label errors: rows whose label the others contradict. Each row gets scores from learners that did not see it; from
  these and all labels follow the share of wrong labels, and how probable it is that a row's own is one of them
  (``label_noise``). The most probable come first, as many as make the expected F1 the highest; those below ``CLEAR``
  are left out. Where labels are several joined by a mark, none are looked for: every other label would take some of
  the row's own away. Where rows are known to have several labels, those that are missing or wrong are looked for
  instead (``label_audit``).
- contradictions: the same text with different labels
- duplicates: the same text with the same label, and near duplicates (see ``duplicates``)
- empty texts, texts without a word, and classes that are rare

A table that is too large to be held is gone over chunk by chunk. Of every row, 64 bits of its text, its class and two
marks are kept (``Survey``), and learners learn from a sample. Rows of the sample get scores out of fold; all others
from a learner of the whole sample, which has not seen them either. Near duplicates are looked for within the sample.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.column import distinct
from lindy.core.csr import Csr
from lindy.core.inputs import as_inputs
from lindy.core.targets import ManyLabels, OneLabel, Targets
from lindy.data.chunks.disk_array import DiskArray
from lindy.data.columns.keys import Keys, text_keys
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.estimators.base import Classifier
from lindy.evaluation.audit.duplicates import near_duplicates
from lindy.evaluation.audit.label_audit import FEWEST, LabelPair, judge_sets, label_pairs
from lindy.evaluation.audit.label_noise import Suspicion, fit_label_noise, worth_listing
from lindy.evaluation.audit.pair_noise import FEW
from lindy.evaluation.crossfit import Weighted, out_of_fold, refitted
from lindy.evaluation.diagnostics import joined_by

CLEAR = 0.1
"""A label that is wrong with a lower probability is not listed."""
UNEVEN = 20
"""A class is rare too if the largest one has so many times its examples."""

Rows = NDArray[np.int64]
_DOUBT = np.dtype([("row", np.int64), ("better", np.int32), ("wrong", np.float64), ("right", np.float64)])


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to look at: a row (from 0), what kind of trouble, and what it has to do with.

    ``other`` is the row it repeats or contradicts, ``suggestion`` the label that it may rather have, ``score`` the
    probability that the label is wrong or the similarity of a near duplicate; ``right`` is the probability that the
    suggestion for a label error is right. Of a row with several labels, ``about`` is the one that is missing or wrong.
    """

    kind: str
    row: int
    label: str
    other: int | None = None
    suggestion: str | None = None
    score: float | None = None
    right: float | None = None
    about: str | None = None


@dataclass(frozen=True, slots=True)
class Audit:
    """All findings, the classes' counts, and the classes that are rare.

    ``counts`` says how many findings of a kind there are, where not all of them are listed. Where rows have several
    labels, ``classes`` counts each of them, ``separator`` joins those of a row, and ``pairs`` are labels that are
    hardly two.
    """

    findings: list[Finding]
    rows: int
    classes: dict[str, int]
    rare: list[str]
    counts: dict[str, int] = field(default_factory=dict)
    separator: str | None = None
    pairs: list[LabelPair] = field(default_factory=list)

    @property
    def joined(self) -> tuple[str, list[str]] | None:
        """The mark between several labels of one text, and the labels that have it; None where there are none."""
        return joined_by(list(self.classes)) if self.separator is None else None

    def of(self, kind: str) -> list[Finding]:
        """Return the findings of one kind."""
        return [finding for finding in self.findings if finding.kind == kind]

    def number_of(self, kind: str) -> int:
        """Return how many findings of one kind there are."""
        return self.counts.get(kind, len(self.of(kind)))


def rare_classes(counts: Mapping[str, int]) -> list[str]:
    """Return the classes that are rare, of those with so many examples."""
    return [name for name, n in counts.items() if n < FEW or n * UNEVEN < max(counts.values())]


class Survey:
    """The summary that is kept of all rows: 14 bytes each."""

    def __init__(self) -> None:
        self._keys: list[Keys] = []
        self._numbers: list[NDArray[np.int32]] = []
        self._empty: list[NDArray[np.bool_]] = []
        self._silent: list[NDArray[np.bool_]] = []

    def add(self, texts: Any, numbers: NDArray[Any], X: Csr | None) -> None:
        """Add rows: a column of texts, the numbers of their labels, and their words, where these are looked at."""
        values, own = distinct(texts)
        empty = np.array([not value.strip() for value in values], bool)[own]
        self._keys.append(text_keys(values)[own])
        self._numbers.append(numbers.astype(np.int32))
        self._empty.append(empty)
        self._silent.append(np.zeros(len(own), bool) if X is None else (np.diff(X.indptr) == 0) & ~empty)

    def __len__(self) -> int:
        return sum(map(len, self._numbers))

    def labels(self, names: list[str]) -> Targets:
        """Return the labels of all rows; ``names`` has what each number is called."""
        classes = sorted(set(names))
        place = {name: k for k, name in enumerate(classes)}
        codes = np.array([place[name] for name in names], np.int32)
        return OneLabel(np.array(classes, object), codes[np.concatenate(self._numbers)])

    def empty(self) -> Rows:
        """Return the rows whose text is nothing but white space."""
        return np.flatnonzero(np.concatenate(self._empty))

    def silent(self) -> Rows:
        """Return the rows without words that are not empty."""
        return np.flatnonzero(np.concatenate(self._silent))

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


def audit(
    texts: Any,
    labels: Targets,
    X: Csr,
    learner: Classifier,
    *,
    survey: Survey | None = None,
    sample: Rows | None = None,
    examples: Any = None,
    vectorizer: Any = None,
    chunks: Iterable[Any] = (),
    similarity: float = 0.8,
    random_state: int = 0,
    division: SplitPolicy = FREE,
    n_jobs: int | None = None,
    most: int | None = None,
    separator: str | None = None,
) -> Audit:
    """Look for trouble in texts (an Arrow column) with encoded labels.

    ``X`` holds the texts' rows and ``learner`` learns from them, out of fold, to find label errors; ``division`` says
    how rows may be divided for that. With the ``vectorizer`` that made them of ``examples``, words and their weights
    are learned anew without each fold; otherwise the rows are taken as they are.

    Of a large table, the texts are a ``sample`` (the numbers of rows, ascending), while ``labels``, ``survey`` and
    ``division`` are about all rows, which ``chunks`` yields in order to be judged by a learner of the sample. (They
    are not where rows may not be divided freely: they may be of a group, or earlier than a row, that was learned
    from.) At most ``most`` findings of each kind are listed. ``separator`` is what joins several labels of a row.
    """
    names, codes = [str(label) for label in labels.names.tolist()], labels.codes
    if survey is None:
        survey = Survey()
        survey.add(texts, codes, X)
    if sample is None:
        sample = np.arange(len(codes))
    own = labels.take(sample)
    doubts, sets, pairs = Doubts(), None, list[LabelPair]()
    if separator is not None:
        sets = ManyLabels.of_joined(labels.names, separator).take(codes)
        judged = judge_sets(
            sets, X, learner, sample, random_state, division, _transformed(vectorizer, chunks)
        )
        pairs = label_pairs(sets, None if judged is None else judged.weights)
    elif len(own.seen().names) > 1 and own.counts.max() > 1 and X.n_columns and can_judge(len(sample), names):
        learned = X if vectorizer is None else examples
        judge = LabelJudge(learner, learned, own, random_state, division.take(sample), vectorizer)
        doubts.add(judge.held_out, sample[judge.rows])
        if vectorizer is not None and division.is_free:
            fitted: Any = learner
            fitted.fit(X, own.seen())
            scored = (fitted.decision_function(chunk) for chunk in _transformed(vectorizer, chunks))
            _judge_others(judge, scored, codes, sample, doubts)
    rows, first = survey.repeated()
    agree = codes[rows] == codes[first]
    later, earlier, J = near_duplicates(texts, similarity, n_jobs=n_jobs)
    new = ~np.isin(sample[later], rows)
    later, earlier = sample[later[new]], sample[earlier[new]]
    better = np.where(codes[later] == codes[earlier], -1, codes[earlier])
    kinds: dict[str, tuple[Any, ...]] = {
        "label error": doubts.worth_listing(),
        "duplicate": (rows[agree], first[agree]),
        "contradiction": (rows[~agree], first[~agree], codes[first[~agree]]),
        "near duplicate": (later, earlier, better, J[new]),
        "empty": (survey.empty(),),
        "no words": (survey.silent(),),
    }
    found = {kind: _findings(kind, labels, most, *columns) for kind, columns in kinds.items()}
    same = found.pop("duplicate") + found.pop("contradiction")
    found["label error"] += sorted(same, key=lambda finding: finding.row)
    counts = {} if most is None else {kind: len(columns[0]) for kind, columns in kinds.items()}
    if sets is None:
        by_name = dict(zip(names, labels.counts.tolist(), strict=True))
        return Audit([*chain(*found.values())], len(codes), by_name, rare_classes(by_name), counts)
    assert separator is not None
    by_name = {str(name): n for name, n in zip(sets.names.tolist(), sets.counts.tolist(), strict=True)}
    for kind, lacks in (("wrong label", False), ("missing label", True)):
        doubtful = (np.zeros(0, np.int64),) * 3 if judged is None else judged.worth_listing(lacks=lacks)
        found = {kind: _set_findings(kind, sets, separator, most, *doubtful)} | found
        counts |= {} if most is None else {kind: len(doubtful[0])}
    rare = [name for name, n in by_name.items() if n < FEW]
    return Audit([*chain(*found.values())], len(codes), by_name, rare, counts, separator, pairs)


def _transformed(vectorizer: Any, chunks: Iterable[Any]) -> Iterable[Csr]:
    return (vectorizer.transform_csr(chunk) for chunk in chunks)


def _set_findings(
    kind: str, sets: ManyLabels, separator: str, most: int | None, rows: Any, codes: Any, p: Any
) -> list[Finding]:
    """Return findings of labels that are missing, or wrong; what is suggested are all labels of the row."""
    found = []
    for row, code, score, own in zip(
        rows[:most].tolist(),
        codes[:most].tolist(),
        p[:most].tolist(),
        sets.take(rows[:most]).labels,
        strict=True,
    ):
        label = str(sets.names[code])
        better = sorted({*own} ^ {label})
        found.append(
            Finding(
                kind,
                row,
                separator.join(own),
                suggestion=separator.join(better),
                score=score,
                right=score,
                about=label,
            )
        )
    return found


def _findings(
    kind: str, labels: Targets, most: int | None, rows: Rows, *columns: NDArray[Any] | None
) -> list[Finding]:
    """Return the first findings of a kind; columns are other rows, suggested classes (−1: none), and two scores."""
    given = [repeat(None) if column is None else column[:most].tolist() for column in columns]
    given += [repeat(None)] * (4 - len(given))
    return [
        Finding(
            kind,
            row,
            str(labels.names[labels.codes[row]]),
            other,
            None if k is None or k < 0 else str(labels.names[k]),
            *scores,
        )
        for row, other, k, *scores in zip(rows[:most].tolist(), *given, strict=False)
    ]


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
    if not can_judge(len(labels), [str(label) for label in labels.names.tolist()]):
        return []
    judge, doubts = LabelJudge(learner, X, labels, random_state, division, vectorizer), Doubts()
    doubts.add(judge.held_out, judge.rows)
    return _findings("label error", labels, None, *doubts.worth_listing())


def can_judge(n_rows: int, names: Sequence[str]) -> bool:
    """Whether label errors can be found in so many rows with these labels."""
    return n_rows >= FEWEST and joined_by(names) is None


def suspects(scores: ArrayLike, y: Targets) -> tuple[Rows, Suspicion]:
    """Return the rows whose label is in doubt, the most probable errors first, and what is known about each.

    Scores are those of ``decision_function``, of learners that have not seen the rows.
    """
    doubts = Doubts()
    doubts.add(fit_label_noise(scores, y).judge(scores, y.codes), np.arange(len(y)))
    rows, _, better, wrong, right = doubts.worth_listing()
    return rows, Suspicion(wrong, better, right)


class LabelJudge:
    """The share of wrong labels among rows, from out-of-fold scores: how probable it is that a label is wrong.

    A class that the rows lack is never suggested, and rows of it cannot be judged. ``rows`` are those that have scores
    and ``held_out`` says what is known about their labels.
    """

    def __init__(
        self,
        learner: Classifier,
        X: Any,
        labels: Targets,
        random_state: int,
        division: SplitPolicy,
        vectorizer: Any,
    ) -> None:
        self._classes = np.flatnonzero(labels.counts)
        own = labels.seen()
        given = (
            (X, None) if vectorizer is None else (Weighted(as_inputs(X)), refitted(vectorizer, vectorizer))
        )
        self.rows, scores = out_of_fold(
            learner, given[0], own, random_state=random_state, division=division, prepare=given[1]
        )
        y = labels.take(self.rows).codes
        self._noise = fit_label_noise(scores, own.take(self.rows))
        self.held_out = self(scores, y)

    def __call__(self, scores: NDArray[np.float64], codes: NDArray[Any]) -> Suspicion:
        """Return how probable it is that labels are wrong, and the class suggested instead."""
        wrong, better, right = self._noise.judge(scores, np.searchsorted(self._classes, codes))
        return Suspicion(wrong, self._classes[better], right)

    def knows(self, codes: NDArray[Any]) -> NDArray[np.bool_]:
        """Return which labels are of a class that the rows have."""
        return np.isin(codes, self._classes)


class Doubts:
    """Rows whose label may be wrong, as they come chunk by chunk."""

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

    def worth_listing(self) -> tuple[Rows, None, NDArray[Any], NDArray[Any], NDArray[Any]]:
        """Return the rows that are worth a look, the most probable errors first, and the columns of their findings."""
        found = self._found.read(0, len(self._found))
        found = found[np.lexsort((found["row"], -found["wrong"]))]
        found = found[: worth_listing(found["wrong"], self._expected)]
        return found["row"], None, found["better"], found["wrong"], found["right"]


def _judge_others(
    judge: LabelJudge, chunks: Iterable[ArrayLike], codes: NDArray[Any], sample: Rows, doubts: Doubts
) -> None:
    """Add the rows that are not in the sample to the doubts, by their scores, which come chunk by chunk."""
    done = 0
    for chunk in chunks:
        scores = np.asarray(chunk, np.float64)
        end = done + len(scores)
        wanted = judge.knows(codes[done:end])
        wanted[sample[slice(*np.searchsorted(sample, [done, end]))] - done] = False
        doubts.add(judge(scores[wanted], codes[done:end][wanted]), done + np.flatnonzero(wanted))
        done = end
