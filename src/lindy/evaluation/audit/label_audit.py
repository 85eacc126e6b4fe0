"""Audit of rows with several labels: labels that are probably missing or wrong, and labels that are hardly two.

- missing and wrong labels: pairs of a row and a label that learners contradict which have not seen the row
  (``pair_noise``), the most probable first, as many as make the expected F1 of the list the highest
- labels that go together: of the rows that have one or the other, ``TOGETHER`` have both; or of those that have one,
  ``IMPLIED`` have the other
- labels that may be one: their spelling is the same but for case, marks and a plural, or their weights are alike
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.core.targets import ManyLabels
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.estimators.base import Classifier
from lindy.evaluation.audit.label_noise import worth_listing
from lindy.evaluation.audit.pair_noise import FEW, Doubtful, PairNoise, fit_pair_noise
from lindy.evaluation.crossfit import FOLDS, out_of_fold
from lindy.linear.one_vs_rest import OneVsRest

FEWEST = 20
"""In fewer rows no label errors are looked for: learners of so few texts know nothing about the others."""
TOGETHER, IMPLIED, ALIKE = 0.9, 0.95, 0.3
"""Shares of rows from which on labels go together or follow, and the cosine from which on weights are alike."""

_LARGEST = 200  # weights of a label that are compared
_MOST_CELLS = 1 << 27  # scores that are held at once: 1 GB

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class LabelPair:
    """Two labels: what they have to do with each other, how many rows have each and both, and how alike they are."""

    kind: str
    first: str
    second: str
    first_rows: int
    second_rows: int
    both: int
    similarity: float


def label_pairs(labels: ManyLabels, weights: NDArray[Any] | None = None) -> list[LabelPair]:
    """Return pairs of labels that go together or may be one; ``weights`` are those of a linear model of each."""
    names, n = [str(name) for name in labels.names.tolist()], labels.counts
    both = _together(labels)
    found = []
    for (i, j), count in both.items():
        if max(n[i], n[j]) < FEW:
            continue
        jaccard = count / (n[i] + n[j] - count)
        few, many = (i, j) if n[i] <= n[j] else (j, i)
        if jaccard >= TOGETHER:
            found.append(("always together", i, j, jaccard))
        elif n[few] >= FEW and count >= IMPLIED * n[few]:
            found.append(("implies", few, many, count / n[few]))
    found += [("same spelling", i, j, 1.0) for i, j in _same_spelling(names)]
    if weights is not None:
        found += [("like weights", i, j, cosine) for i, j, cosine in _like_weights(weights, n)]
    order = {kind: place for place, kind in enumerate(("same spelling", "always together", "implies"))}
    found.sort(key=lambda pair: (order.get(pair[0], len(order)), -pair[3], -n[pair[1]]))
    return [
        LabelPair(
            kind, names[i], names[j], int(n[i]), int(n[j]), both.get((min(i, j), max(i, j)), 0), float(alike)
        )
        for kind, i, j, alike in found
    ]


def _together(labels: ManyLabels) -> dict[tuple[int, int], int]:
    """Return how many rows have both of two labels, the lower number first."""
    K, cells = len(labels.names), []
    lengths = np.diff(labels.indptr)
    for length in np.unique(lengths[lengths > 1]).tolist():
        rows = np.flatnonzero(lengths == length)
        own = labels.codes[labels.indptr[rows][:, None] + np.arange(length)].astype(np.int64)
        cells += [own[:, i] * K + own[:, j] for i, j in combinations(range(length), 2)]
    pairs, counts = np.unique(np.concatenate([np.zeros(0, np.int64), *cells]), return_counts=True)
    return {divmod(pair, K): count for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True)}


def _same_spelling(names: list[str]) -> list[tuple[int, int]]:
    folded: dict[str, list[int]] = {}
    for k, name in enumerate(names):
        plain = re.sub(r"[\W_]+", "", name.casefold())
        folded.setdefault(plain.removesuffix("s") or name, []).append(k)
    return [pair for same in folded.values() for pair in combinations(same, 2)]


def _like_weights(weights: NDArray[Any], n: NDArray[np.int64]) -> list[tuple[int, int, float]]:
    """Return pairs whose largest weights have a cosine of at least ``ALIKE``."""
    from scipy.sparse import csr_array

    known = np.flatnonzero(n >= FEW)
    columns, values = [], []
    for k in known.tolist():
        own = weights[:, k].astype(np.float64)
        largest = np.argsort(-own, kind="stable")[:_LARGEST]
        largest = largest[own[largest] > 0]
        columns.append(largest)
        values.append(own[largest] / max(float(np.sqrt(np.square(own[largest]).sum())), 1e-300))
    indptr = np.cumsum([0, *map(len, columns)])
    W = csr_array(
        (np.concatenate([[], *values]), np.concatenate([np.zeros(0, np.int64), *columns]), indptr),
        shape=(len(known), len(weights)),
    )
    cosine = (W @ W.T).tocoo()
    pairs = sorted(zip(cosine.row.tolist(), cosine.col.tolist(), cosine.data.tolist(), strict=True))
    return [(int(known[i]), int(known[j]), alike) for i, j, alike in pairs if i < j and alike >= ALIKE]


def judge_sets(
    labels: ManyLabels,
    X: Csr,
    learner: Classifier,
    sample: Rows,
    random_state: int,
    division: SplitPolicy,
    chunks: Iterable[Csr],
) -> LabelSetJudge | None:
    """Judge the labels of all rows of a table: X has those of a sample, ``chunks`` all of them; None for few rows."""
    own = labels.take(sample)
    if len(own) < FEWEST or not X.n_columns or not len(own.codes):
        return None
    judge = LabelSetJudge(learner, X, own, sample, random_state, division.take(sample))
    if division.is_free:
        judge.judge_others(chunks, labels)
    return judge


class LabelSetJudge:
    """Learners of several labels, out of fold and of all rows, and what they say about missing and wrong labels.

    ``found`` are the pairs in doubt so far, by the numbers of the rows in the table; ``weights`` those of all rows.
    """

    def __init__(
        self,
        learner: Classifier,
        X: Csr,
        labels: ManyLabels,
        rows: Rows,
        random_state: int = 0,
        division: SplitPolicy = FREE,
        least: float = 0.1,
    ) -> None:
        self._least, self._known = least, np.flatnonzero(labels.counts)
        own = labels.seen()
        most = _MOST_CELLS // len(self._known)
        if len(own) > most:  # more scores than there is room for: the rest is judged by a learner of these
            some = np.sort(np.random.default_rng(random_state).choice(len(own), most, replace=False))
            X, own, rows, division = X.take(some), own.take(some), rows[some], division.take(some)
            self._known = self._known[own.counts > 0]
            own = own.seen()
        self._model = OneVsRest(learner=learner, n_jobs=learner.get_params(deep=False).get("n_jobs"))
        self._names, self._rows, self._X, self._own = labels.names, rows, X, own
        self._found: list[Doubtful] = []
        self._expected = np.zeros(2)
        self._noise: PairNoise | None = None
        self._weights: NDArray[Any] | None = None
        if division.is_free or division.splits(own, FOLDS):
            held_out = out_of_fold(self._model, X, own, random_state=random_state, division=division)
            judged = own.take(held_out.rows)
            self._noise = fit_pair_noise(held_out.scores, judged)
            self._add(held_out.scores, judged, rows[held_out.rows])

    @property
    def weights(self) -> NDArray[Any]:
        """The weights of each label, 0 for one that no row has."""
        if self._weights is None:
            self._model.fit(self._X, self._own)
            self._weights = np.zeros((self._X.n_columns, len(self._names)), self._model.W_.dtype)
            self._weights[:, self._known] = self._model.W_
        return self._weights

    def judge_others(self, chunks: Iterable[Csr], labels: ManyLabels) -> None:
        """Judge the rows of a table that were not learned from, which come chunk by chunk, by a learner of these."""
        own, done = labels.only(self._known), 0
        assert self.weights is not None
        for X in chunks:
            rows = np.arange(done, done := done + X.shape[0])
            new = np.flatnonzero(~np.isin(rows, self._rows))
            self._add(self._model.decision_function(X.take(new)), own.take(rows[new]), rows[new])

    def _add(self, scores: NDArray[Any], labels: ManyLabels, rows: Rows) -> None:
        if self._noise is None or not len(rows):
            return
        found, expected = self._noise.judge(np.asarray(scores, np.float64), labels, self._least)
        self._found.append(found._replace(rows=rows[found.rows], codes=self._known[found.codes]))
        self._expected += expected

    def worth_listing(self, *, lacks: bool) -> tuple[Rows, Rows, NDArray[np.float64]]:
        """Return rows, labels that they lack or have wrongly, and how probable that is, the most probable first."""
        empty = Doubtful(*(np.zeros(0, kind) for kind in (np.int64, np.int64, bool, float)))
        rows, codes, missing, p = (np.concatenate(own) for own in zip(empty, *self._found, strict=True))
        own = np.flatnonzero(missing == lacks)
        own = own[np.lexsort((codes[own], rows[own], -p[own]))]
        own = own[: worth_listing(p[own], float(self._expected[0 if lacks else 1]))]
        return rows[own], codes[own], p[own]
