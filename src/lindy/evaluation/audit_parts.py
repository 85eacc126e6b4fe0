"""An audit of a table that is too large to be held: what takes all rows, and what a sample of them can tell.

Of every row, 64 bits of its text, its class and two marks are kept; they tell duplicates, contradictions, empty texts
and texts without words of the whole table. Learners learn from a sample. Rows of the sample get scores out of fold, as
in ``audit``; all others from a learner of the whole sample, which has not seen them either. Near duplicates
are looked for within the sample.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.inputs import as_inputs
from lindy.core.targets import OneLabel, Targets
from lindy.data.chunks.disk_array import DiskArray
from lindy.data.columns.keys import Keys, text_keys
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.evaluation.audit import CLEAR, Finding, blank_rows
from lindy.evaluation.crossfit import Weighted, out_of_fold, refitted
from lindy.evaluation.label_noise import Suspicion, fit_label_noise, worth_listing
from lindy.text.hashing import HashingVectorizer

Rows = NDArray[np.int64]
_DOUBT = np.dtype([("row", np.int64), ("better", np.int32), ("wrong", np.float64), ("right", np.float64)])


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
