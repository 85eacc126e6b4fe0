"""Held-out scores from one matrix of all texts: a fold's rows are held out by giving them no weight.

Texts are counted and weighted once, for all folds and all recipes, and for the model of all texts that follows; and a
learner begins where it ended without another fold. Which terms exist is learned without the fold: in its rows, terms
of no other text are left out before they are given length 1. Only how rare a term is (its inverse document frequency)
is that of all texts; labels have no part in it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr, side_by_side
from lindy.estimators.learners import learner_class
from lindy.evaluation.crossfit import ROUGH, as_later, documents, weight_of_some
from lindy.linear.convex import ConvexClassifier
from lindy.text.vectorizer import Vectorizer, weight_option
from lindy.text.vocabulary import terms
from lindy.text.weighting.weighting_registry import SEARCHED
from lindy.tuning.held_out import HeldOut, Scores, Task, class_scores, in_paths, new_learner
from lindy.tuning.recipe import Features, Recipe, part_vectorizer

Part = tuple[str, tuple[int, int], str]

LARGE = 64_000_000
"""Bytes of weights from which on none are kept to begin from: they follow from the dual variables."""


class SharedRows(HeldOut):
    """A ``HeldOut`` that shares rows and solutions among folds where it can, and does as that one elsewhere.

    Parameters
    ----------
    features : list of Features
        Those that will be asked for: terms that only one of them has are written beside its others at once.
    """

    def __init__(
        self, task: Task, splits: Sequence[Any], *, tol: float = ROUGH, features: Iterable[Features] = ()
    ) -> None:
        super().__init__(task, splits, tol=tol)
        self._planned = set(features)
        self._made: dict[Part, tuple[Vectorizer, Csr]] = {}
        self._fitted: dict[Features, tuple[Vectorizer, Csr]] = {}
        self._documents: dict[Features, NDArray[Any]] = {}
        self._later: dict[Features, Csr] = {}
        self._solved: dict[tuple[str, int], tuple[Recipe, ConvexClassifier]] = {}
        self._learner = ""

    def shares(self, features: Features, learner: str) -> bool:
        """Whether rows are shared: weights of plain texts, for a learner whose rows may have no weight."""
        task, options = self.task, self.task.options
        plain = (
            task.y.row_codes is not None and task.columns is None and not task.extra and task.inputs.has_words
        )
        # with groups or times, texts of others or later ones must not say how rare a term is
        plain = plain and task.division.is_free and features.weighting in SEARCHED
        plain = plain and options.get("select") is None and options.get("min_count", 1) == 1
        return plain and issubclass(learner_class(learner), ConvexClassifier)

    def fitted(self, features: Features) -> tuple[Vectorizer, Csr]:
        """Return the vectorizer of all texts and their rows."""
        if features not in self._fitted:
            *first, last = [(kind, lengths, features.weighting) for kind, lengths in features.parts]
            made = [self._all(part) for part in first]
            alone = [own for own in self._planned if last[:2] in own.parts and own.weighting == last[2]]
            if first and last not in self._made and alone == [features]:
                rows = made[0][1] if len(made) == 1 else side_by_side([rows for _, rows in made])
                vectorizer, rows = self._learned(last, beside=rows)
                made.append((vectorizer, rows))
            else:
                made.append(self._all(last))
                rows = made[0][1] if len(made) == 1 else side_by_side([rows for _, rows in made])
            parts = [(part[0], own) for part, (own, _) in zip([*first, last], made, strict=True)]
            self._fitted[features] = terms.side_by_side(parts), rows
        return self._fitted[features]

    def solved(self, recipe: Recipe, split: int = -1) -> ConvexClassifier | None:
        """Return the model to begin from: of the same features and learner, without the same fold, of the same C.

        Of all that are as near the last, and else any: which rows are hard is alike.
        """
        nearest, found = (False, False, False), None
        for (_, number), (own, model) in self._solved.items():
            same = (own.features, own.learner) == (recipe.features, recipe.learner)
            near = same, same and number == split, same and own.params == recipe.params
            if near >= nearest:
                nearest, found = near, model
        return found

    def keep_only(self, *recipes: Recipe) -> None:
        """Forget the rows and solutions of other recipes."""
        features = {recipe.features for recipe in recipes}
        kinds = {(*part, own.weighting) for own in features for part in own.parts}
        self._planned &= features
        self._made = {part: made for part, made in self._made.items() if part in kinds}
        for kept in (self._fitted, self._documents, self._later):
            for other in kept.keys() - features:
                del kept[other]
        self._solved = {key: found for key, found in self._solved.items() if found[0] in recipes}

    def _all(self, part: Part) -> tuple[Vectorizer, Csr]:
        if part not in self._made:
            self._made[part] = self._learned(part)
        return self._made[part]

    def _learned(self, part: Part, **beside: Any) -> tuple[Vectorizer, Csr]:
        """Return a vectorizer of one kind of terms of all texts, and their rows, beside others if these are given."""
        vectorizer = part_vectorizer(*part, self.task.n_jobs, **self.task.options)
        given = beside | weight_option(self.task.row_weight)
        return vectorizer, vectorizer.fit_csr(self.task.inputs.values, order="seen", **given)

    def scores(
        self, features: Features, learner: str, grid: Sequence[Mapping[str, Any]], split: int
    ) -> Iterator[tuple[Mapping[str, Any], Scores]]:
        """Yield every point of a grid of options with the scores of the held-out rows, as ``HeldOut`` does."""
        if not self.shares(features, learner):
            yield from super().scores(features, learner, grid, split)
            return
        train, _ = self.splits[split]
        _, rows = self.fitted(features)
        self._check_memory(features, learner, rows)
        if learner != self._learner:
            rows.found.clear()  # what the other learner has found out about them
            self._learner = learner
        weight = weight_of_some(train, len(self.task.y), self.task.sample_weight)
        test = self._held_out_rows(features, split)
        for path in in_paths(grid):
            for params in sorted(path, key=lambda params: float(params.get("C", 1.0))):
                model = new_learner(learner, params, self.task.n_jobs, self.task.y)
                model.set_params(tol=max(model.tol, self.tol))
                recipe = Recipe(features, learner, params)
                model.fit_from(self.solved(recipe, split), rows, self.task.y, weight, prove=False)
                scores = class_scores(model, test, len(self.task.y.names))
                if model.W_.nbytes > LARGE:
                    model.drop_weights()
                self._solved[repr(recipe), split] = recipe, model
                yield params, scores

    def _held_out_rows(self, features: Features, split: int) -> Csr:
        """Return the rows of a fold's texts as the others' terms make them; those of the latest split are kept."""
        if split != self._fold:
            self._fold, self._parts, self._later = split, {}, {}
        if features not in self._later:
            vectorizer, rows = self.fitted(features)
            ends = np.cumsum([part.n_columns for _, part in vectorizer.parts], dtype=np.int64)
            if features not in self._documents:
                everyone = np.ones(rows.shape[0], bool)
                self._documents[features] = documents(rows, everyone, self.task.row_weight)
            min_df = self.task.options.get("min_df", 1)
            self._later[features] = as_later(
                rows, ends, self._documents[features], self.splits[split], min_df, self.task.row_weight
            )
        return self._later[features]
