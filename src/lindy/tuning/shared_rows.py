"""Held-out scores from one matrix of all texts: a fold's rows are held out by giving them no weight.

Texts are counted and weighted once, for all folds and all recipes, and for the model of all texts that follows; and a
learner begins where it ended without another fold. Which terms exist is learned without the fold: in its rows, terms
of no other text are left out before they are given length 1. Only how rare a term is (its inverse document frequency)
is that of all texts; labels have no part in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.bags import Bags
from lindy.csr import Csr, side_by_side
from lindy.evaluation.crossfit import ROUGH, weight_of_some
from lindy.learners import learner_class
from lindy.linear.convex import ConvexClassifier
from lindy.pictures import Pictures
from lindy.text import terms
from lindy.text.limits import Limits
from lindy.text.vectorizer import Vectorizer
from lindy.tuning.held_out import HeldOut, Scores, Task, class_scores, in_paths, new_learner
from lindy.tuning.recipe import Features, Recipe, part_vectorizer

Part = tuple[str, tuple[int, int], str]

_OF_LENGTH_1 = ("tfidf", "bm25")


class SharedRows(HeldOut):
    """A ``HeldOut`` that shares rows and solutions among folds where it can, and does as that one elsewhere."""

    def __init__(self, task: Task, splits: Sequence[Any], *, tol: float = ROUGH) -> None:
        super().__init__(task, splits, tol=tol)
        self._made: dict[Part, tuple[Vectorizer, Csr]] = {}
        self._unions: dict[Features, Csr] = {}
        self._solved: dict[str, ConvexClassifier] = {}

    def shares(self, features: Features, learner: str) -> bool:
        """Whether rows are shared: weights of plain texts, for a learner whose rows may have no weight."""
        task, options = self.task, self.task.options
        plain = task.columns is None and not task.extra and not isinstance(task.texts, Bags | Pictures)
        # with groups or times, texts of others or later ones must not say how rare a term is
        plain = plain and task.division.is_free and features.weighting in _OF_LENGTH_1
        plain = plain and options.get("select") is None and options.get("min_count", 1) == 1
        return plain and issubclass(learner_class(learner), ConvexClassifier)

    def fitted(self, features: Features) -> tuple[Vectorizer, Csr]:
        """Return the vectorizer of all texts and their rows."""
        made = [(kind, *self._all(kind, lengths, features.weighting)) for kind, lengths in features.parts]
        if features not in self._unions:
            rows = [rows for _, _, rows in made]
            self._unions[features] = rows[0] if len(rows) == 1 else side_by_side(rows)
        return terms.side_by_side([(kind, own) for kind, own, _ in made]), self._unions[features]

    def solved(self, recipe: Recipe) -> ConvexClassifier | None:
        """Return the last model of a recipe, without some fold, or else of any other: which rows are hard is alike."""
        return self._solved.get(repr(recipe)) or next(reversed(self._solved.values()), None)

    def _all(self, kind: str, lengths: tuple[int, int], weighting: str) -> tuple[Vectorizer, Csr]:
        key = (kind, lengths, weighting)
        if key not in self._made:
            vectorizer = part_vectorizer(kind, lengths, weighting, self.task.n_jobs, **self.task.options)
            self._made[key] = vectorizer, vectorizer.fit_csr(self.task.texts, order="seen")
        return self._made[key]

    def scores(
        self, features: Features, learner: str, grid: Sequence[Mapping[str, Any]], split: int
    ) -> Iterator[tuple[Mapping[str, Any], Scores]]:
        """Yield every point of a grid of options with the scores of the held-out rows, as ``HeldOut`` does."""
        if not self.shares(features, learner):
            yield from super().scores(features, learner, grid, split)
            return
        train, _ = self.splits[split]
        _, rows = self.fitted(features)
        weight = weight_of_some(train, len(self.task.y), self.task.sample_weight)
        test = self._held_out_rows(features, split)
        for path in in_paths(grid):
            for params in sorted(path, key=lambda params: float(params.get("C", 1.0))):
                model = new_learner(learner, params, self.task.n_jobs)
                model.set_params(tol=max(model.tol, self.tol))
                recipe = Recipe(features, learner, params)
                model.fit_from(self.solved(recipe), rows, self.task.y, weight)
                self._solved[repr(recipe)] = model
                yield params, class_scores(model, test, self.n_classes)

    def _held_out_rows(self, features: Features, split: int) -> Csr:
        """Return the rows of a fold's texts as the others' terms make them."""
        if split != self._fold:
            self._fold, self._parts = split, {}
        parts = []
        for kind, lengths in features.parts:
            key = (kind, lengths, features.weighting)
            if key not in self._parts:
                own = _as_later(self._all(*key)[1], self.splits[split], self.task.options.get("min_df", 1))
                self._parts[key] = own, own
            parts.append(self._parts[key][1])
        return parts[0] if len(parts) == 1 else side_by_side(parts)


def _as_later(rows: Csr, split: tuple[Any, Any], min_df: int | float) -> Csr:
    """Return the held-out rows without the terms that the rows to learn from would not have; of length 1 again."""
    train, held_out = split
    apart = np.ones(rows.shape[0], bool)
    apart[train] = False
    later = rows.take(held_out)
    others = later if np.count_nonzero(apart) == len(held_out) else rows.take(np.flatnonzero(apart))
    documents = _documents(rows) - _documents(others)
    kept = (documents > 0) & Limits(min_df=min_df).kept(documents, documents, len(train))
    values = np.where(kept[later.indices], later.values, np.float32(0))
    squares = np.empty(later.shape[0])
    _native.row_norms(later.indptr, later.indices, values, squares)
    length = np.where(squares > 0, np.sqrt(squares), 1.0).astype(np.float32)
    values /= np.repeat(length, np.diff(later.indptr))
    return Csr(later.indptr, later.indices, values, rows.n_columns)


def _documents(rows: Csr) -> NDArray[np.int32]:
    """Return in how many rows each column is."""
    documents = np.zeros(rows.n_columns, np.int32)
    _native.document_frequency(rows.indices, documents)
    return documents
