"""Held-out scores of recipes: texts counted once, weighted anew for every fold, learners warm-started along a path.

What a fold's rows look like is learned without the fold, exactly as if its texts came later: terms that only they
hold do not exist, document frequencies and average lengths are those of the other folds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr, side_by_side
from lindy.core.inputs import Inputs, as_inputs
from lindy.core.rows import Rows
from lindy.core.targets import Targets
from lindy.core.weights import total_weight
from lindy.data.splits.split_policy import FREE, Split, SplitPolicy
from lindy.errors import DataError
from lindy.estimators.base import Classifier
from lindy.estimators.learners import learner_class, make_learner, set_threads
from lindy.evaluation.criterion import ACCURACY, Criterion
from lindy.evaluation.crossfit import fit_arguments, scores_of_all
from lindy.linear.convex import ConvexClassifier
from lindy.linear.one_vs_rest import learner_for
from lindy.sanitize import size
from lindy.stream import current
from lindy.stream.memory import left_to_take
from lindy.text.vectorizer import weight_option
from lindy.text.vocabulary.feature_selection import Selection
from lindy.text.vocabulary.term_limits import Limits
from lindy.text.weighting.row_weights import column_totals, document_frequency
from lindy.text.weighting.weighting_registry import weighting_transformer
from lindy.tuning.recipe import Features, Recipe, are_vectors, part_vectorizer

Codes = NDArray[np.int32]
Scores = NDArray[np.float64]

_OTHERS = ("numeric", "category")
SEARCHED = 12
"""Bytes per weight that a search takes, whose learners come one after the other."""

PER_SCORE = 50
"""Bytes per example and class: dual variables, lengths of rows, scores of held-out examples and their probabilities."""

PER_COUNTED_SCORE = 25
"""The same of a learner that only counts."""

_FEWEST = 1000  # features that are worth a proposal


@dataclass(frozen=True, slots=True)
class Task:
    """The data that recipes learn: texts and their classes, and what all recipes have in common.

    Attributes
    ----------
    inputs, y : Inputs, and targets whose names are class numbers
    options : dict
        Options of every vectorizer (min_df, min_count, max_features, select).
    extra : list of vectorizers
        Whose features stand beside those of every recipe.
    columns : dict or None
        Of records, what their columns are: "text", "numeric" and "category".
    scaling : str
        How numbers are scaled, as ``TextClassifier`` has it.
    sample_weight : array (texts,) or None
        How much each text counts when recipes learn, the weight of its class included.
    row_weight : array (texts,) or None
        How many texts each text is, above 0, where texts are counted: words, document frequencies, figures.
    n_jobs : int or None
        Threads; None means all cores.
    criterion : Criterion
        By which recipes are compared.
    division : SplitPolicy
        How texts may be divided into those to learn from and those held out; ``division.splits(y, k)`` does so.
    """

    inputs: Inputs
    y: Targets
    options: Mapping[str, Any] = field(default_factory=dict)
    extra: Sequence[Any] = ()
    columns: Mapping[str, Sequence[str]] | None = None
    scaling: str = "auto"
    sample_weight: NDArray[np.float64] | None = None
    row_weight: NDArray[np.float64] | None = None
    n_jobs: int | None = None
    criterion: Criterion = ACCURACY
    division: SplitPolicy = FREE

    def take(self, rows: NDArray[np.int64]) -> Task:
        """Return the task of some texts."""
        if len(rows) == len(self.y):
            return self
        weight = None if self.sample_weight is None else self.sample_weight[rows]
        return replace(
            self,
            inputs=self.inputs.take(rows),
            y=self.y.take(rows),
            sample_weight=weight,
            row_weight=self.row_weight_of(rows),
            division=self.division.take(rows),
        )

    def row_weight_of(self, rows: NDArray[np.int64]) -> NDArray[np.float64] | None:
        """Return how many texts some of the texts are; None for one each."""
        return None if self.row_weight is None else self.row_weight[rows]


class HeldOut:
    """A task, and parts of its texts to hold out.

    Parameters
    ----------
    task : Task
    splits : list of (rows to learn from, rows held out)
    tol : float
        The relative gap to which learners are fitted at least: at 1e-2 rounding chose among close ones.
    """

    def __init__(self, task: Task, splits: Sequence[Split], *, tol: float = 1e-3) -> None:
        self.task, self.splits, self.tol = task, list(splits), tol
        columns, values = task.columns or {}, task.inputs.values
        named = {"": values} if task.columns is None else {n: values[n] for n in columns.get("text", [])}
        self.texts = {name: as_inputs(column) for name, column in named.items()}
        self.others = {role: columns[role] for role in _OTHERS if columns.get(role)}
        self._counts: dict[tuple[str, str, tuple[int, int]], Csr] = {}
        self._parts: dict[tuple[Any, ...], tuple[Csr, Csr]] = {}
        self._whole: dict[tuple[str, int], Csr] = {}
        self._fold = -1
        self._begun: set[Features] = set()

    def truth(self, split: int) -> Targets:
        """Return the targets of a split's held-out rows."""
        return self.task.y.take(self.splits[split][1])

    def keep_only(self, *recipes: Recipe) -> None:
        """Forget what is kept for other recipes, of which nothing will be asked any more."""

    def _check_memory(self, features: Features, learner: str, rows: Rows) -> None:
        """Refuse features whose weights would take more memory than there is, before the first fit with them."""
        if features not in self._begun:
            self._begun.add(features)
            check_memory(
                make_learner(learner), rows.shape, len(self.task.y.names), self.task.options, searched=True
            )

    def rows(self, features: Features, split: int, scaling: str = "standard") -> tuple[Csr, Csr]:
        """Return the rows to learn from and those held out; the parts of the latest split are kept."""
        if split != self._fold:
            self._fold, self._parts = split, {}
        parts = [
            self._part(name, kind, lengths, features.weighting, split)
            for name in self.texts
            for kind, lengths in features.parts
        ]
        parts += [
            self._extra(name, i, split, features.vectors if are_vectors(own) else 1.0)
            for name in self.texts
            for i, own in enumerate(self.task.extra)
            if features.vectors or not are_vectors(own)
        ]
        if self.others:
            parts.append(self._numbers_and_categories(split, scaling))
        if len(parts) == 1:
            return parts[0]
        return side_by_side([train for train, _ in parts]), side_by_side([test for _, test in parts])

    def _numbers_and_categories(self, split: int, scaling: str) -> tuple[Csr, Csr]:
        if (scaling,) not in self._parts:
            from lindy.features import TableVectorizer

            vectorizer = TableVectorizer(**self.others, scaling=scaling)
            train, test = (self.task.inputs.take(rows).values for rows in self.splits[split])
            given = weight_option(self.task.row_weight_of(self.splits[split][0]))
            self._parts[scaling,] = vectorizer.fit_csr(train, **given), vectorizer.transform_csr(test)
        return self._parts[scaling,]

    def _extra(self, name: str, number: int, split: int, factor: float) -> tuple[Csr, Csr]:
        """Return the rows of a further vectorizer times a factor; one that learns nothing reads all texts once."""
        vectorizer, texts = self.task.extra[number], self.texts[name]
        train, test = self.splits[split]
        if not vectorizer.learns:
            if (name, number) not in self._whole:
                self._whole[name, number] = vectorizer.fit_csr(texts.values)
            whole = self._whole[name, number]
            whole = whole if factor == 1 else whole.with_values(whole.values * np.float32(factor))
            return whole.take(train), whole.take(test)
        if (name, number) not in self._parts:
            own = vectorizer.fresh()
            given = weight_option(self.task.row_weight_of(train))
            y = self.task.y.take(train).row_codes
            rows = own.fit_csr(texts.take(train).values, y=y, **given)
            self._parts[name, number] = rows, own.transform_csr(texts.take(test).values)
        return self._parts[name, number]

    def _part(
        self, name: str, kind: str, lengths: tuple[int, int], weighting: str, split: int
    ) -> tuple[Csr, Csr]:
        key = (name, kind, lengths, weighting)
        if key not in self._parts:
            counts = self._counted(name, kind, lengths)
            train, test = (counts.take(rows) for rows in self.splits[split])
            own = self.splits[split][0]
            y, weight = self.task.y.take(own).row_codes, self.task.row_weight_of(own)
            seen = self._features(train, y, weight)
            train, test = train.keep_columns(seen), test.keep_columns(seen)
            transformer = weighting_transformer(weighting, self.task.n_jobs)
            if transformer is not None:
                transformer.fit(train, y, weight)
                train, test = transformer.transform_csr(train), transformer.transform_csr(test)
            self._parts[key] = train, test
        return self._parts[key]

    def _features(self, train: Csr, y: Codes | None, weight: NDArray[np.float64] | None) -> NDArray[np.int64]:
        """Return the columns that the rows to learn from would have on their own."""
        options = self.task.options
        documents = document_frequency(train, weight)
        limits = Limits(min_df=options.get("min_df", 1), min_count=options.get("min_count", 1))
        # values that are no counts, as of feature rows, are asked for nothing
        totals = documents if limits.min_count == 1 else column_totals(train, weight)
        n = total_weight(weight, train.shape[0])
        seen = np.flatnonzero((documents > 0) & limits.kept(documents, totals, n))
        if (select := options.get("select")) is None:
            return seen
        return seen[Selection.of(select).columns(train.keep_columns(seen), y, weight)]

    def _counted(self, name: str, kind: str, lengths: tuple[int, int]) -> Csr:
        key = (name, kind, lengths)
        if key not in self._counts:
            options = {key: value for key, value in self.task.options.items() if key != "select"}
            vectorizer = part_vectorizer(kind, lengths, "counts", self.task.n_jobs, **options)
            given = weight_option(self.task.row_weight)
            self._counts[key] = vectorizer.fit_csr(self.texts[name].values, order="seen", **given)
        return self._counts[key]

    def scores(
        self, features: Features, learner: str, grid: Sequence[Mapping[str, Any]], split: int
    ) -> Iterator[tuple[Mapping[str, Any], Scores]]:
        """Yield every point of a grid of options with the scores of the held-out rows, rows × classes or × 1.

        Points that differ in C alone are one path, each begun where the one before ended; they come in ascending C.
        """
        task, own = self.task, self.splits[split][0]
        train, test = self.rows(features, split, learner_class(learner).spec.input_kind.scaling(task.scaling))
        self._check_memory(features, learner, train)
        weight = None if task.sample_weight is None else task.sample_weight[own]
        division, y = task.division.take(own), task.y.take(own)
        for path in in_paths(grid):
            first = new_learner(learner, path[0], task.n_jobs, y)
            if isinstance(first, ConvexClassifier) and "C" in path[0]:
                path.sort(key=lambda params: float(params["C"]))
                first.set_params(tol=max(first.tol, self.tol))
                given = fit_arguments(first, y, weight, division)
                models = first.path(train, y, [params["C"] for params in path], **given)
            else:
                fresh = (new_learner(learner, params, task.n_jobs, y).rough(self.tol) for params in path)
                models = (model.fit(train, y, **fit_arguments(model, y, weight, division)) for model in fresh)
            for params, model in zip(path, models, strict=True):
                yield params, class_scores(model, test, len(task.y.names))


def class_scores(model: Any, rows: Rows, n_classes: int | None = None) -> Scores:
    """Return rows × classes, or one column of the second class against the first; the highest is the prediction.

    With ``n_classes`` there are so many columns, though the model, of class numbers, may not have seen all of them.
    """
    scores = np.asarray(model.decision_function(rows), np.float64)
    scores = scores if n_classes is None else scores_of_all(scores, model.classes_, n_classes)
    return scores[:, None] if scores.ndim == 1 else scores


def in_paths(grid: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Return the points of a grid in groups that differ in C alone."""
    paths: dict[str, list[Mapping[str, Any]]] = {}
    for params in grid:
        others = sorted((key, repr(value)) for key, value in params.items() if key != "C")
        paths.setdefault(repr(others), []).append(params)
    return list(paths.values())


def new_learner(name: str, params: Mapping[str, Any], n_jobs: int | None, y: Targets) -> Any:
    """Return an unfitted learner of such targets."""
    learner: Any = make_learner(name, **params)
    set_threads(learner, n_jobs)
    return learner_for(y, learner, n_jobs)


def check_memory(
    learner: Classifier,
    shape: tuple[int, int],
    n_classes: int,
    given: Mapping[str, Any],
    *,
    searched: bool = False,
    at_once: int | None = None,
) -> None:
    """Raise DataError if a fit would take more memory than may be taken (``lindy.stream.memory.allowed``).

    Parameters
    ----------
    shape : (rows, columns)
    given : dict
        The options ``min_df``, ``max_features`` and ``learner`` as they were asked for, so that none is proposed again.
    searched : bool
        Whether it is one of several fits, whose weights are kept.
    at_once : int or None
        Of several labels per row: how many are solved for together.
    """
    n_rows, n_columns = shape
    n_outputs = 1 if n_classes == 2 and at_once is None else n_classes
    per_weight = learner.weight_bytes
    if searched and per_weight:
        per_weight = max(per_weight, SEARCHED)
    scores = (PER_SCORE if per_weight else PER_COUNTED_SCORE) * n_rows * min(n_outputs, at_once or n_outputs)
    in_files = current() is not None
    if at_once is not None and not in_files:  # held-out scores and dual variables of all labels
        scores += 12 * n_rows * n_outputs
    needed, room = scores + per_weight * n_columns * n_outputs, left_to_take()
    if needed <= room.memory:
        return
    fewer = (room.memory - scores) // max(per_weight * n_outputs, 1)
    raise DataError(
        f"{n_classes:,} classes of {n_columns:,} features, learned from {n_rows:,} examples, would take about"
        f" {size(needed)} of memory, and {size(room.memory)} more {room.said}",
        _remedy(given, fewer),
    )


def _remedy(given: Mapping[str, Any], fewer: int) -> str:
    """Return what to do, among that what was not done yet; ``fewer`` features would have room."""
    ways = []
    if given.get("max_features") is None and fewer >= _FEWEST:
        most = int(float(f"{fewer * 0.9:.1e}"))
        ways.append(f"keep the most frequent features (`max_features={most}`)")
    if given.get("min_df", 1) == 1:
        ways.append("leave out words of a single text (`min_df=2`)")
    if given.get("learner", "auto") == "auto":
        ways.append("take a learner that counts (`learner='naive-bayes'`)")
    return ", or ".join([*ways, "give rare labels a common one"])
