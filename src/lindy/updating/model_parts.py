"""The parts of a model (vectorizer, learner, classes) before and after further rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.column_remap import ColumnRemap, UpdateBatch
from lindy.core.targets import Targets, union_of_names
from lindy.core.weights import total_weight
from lindy.errors import UpdateError
from lindy.text.vectorizer import weight_option
from lindy.text.vocabulary.vocabulary_merge import Grown, unchanged

Array = NDArray[np.float64]
_LOG_2 = 0.6931471805599453


@dataclass(frozen=True, slots=True)
class Rows:
    """Further examples: what the vectorizer takes, their labels, how much each counts, and what is forgotten.

    ``half_life`` is after how many rows a row counts half; None forgets nothing.
    """

    texts: Any
    labels: Targets
    weight: Array | None = None
    half_life: float | None = None

    def __len__(self) -> int:
        return len(self.labels)

    def part(self, begin: int, end: int) -> Rows:
        """Return some of the examples, which are next to each other."""
        labels = self.labels.take(np.arange(begin, end))
        weight = None if self.weight is None else self.weight[begin:end]
        return Rows(self.texts[begin:end], labels, weight, self.half_life)

    @property
    def kept(self) -> float:
        """Which share of earlier rows still counts after these."""
        return 1.0 if self.half_life is None else float(halved(np.array([len(self)]), self.half_life)[0])

    @property
    def counted(self) -> Array | None:
        """How much each row counts at the end: the last one fully, one that is a half-life older half."""
        if self.half_life is None:
            return self.weight
        age = np.arange(len(self) - 1, -1, -1)
        aged = halved(age, self.half_life)
        return aged if self.weight is None else self.weight * aged


def halved(age: NDArray[Any], half_life: float) -> Array:
    """Return ½^(age / half_life), with the same bits on every machine."""
    return numerics.exp(-_LOG_2 * (age / half_life))


@dataclass(frozen=True, slots=True)
class Parts:
    """A fitted vectorizer and learner, the classes, and how many rows, and of each class, have been seen.

    Each row counts as often as its weight says.
    """

    vectorizer: Any
    learner: Any
    classes: NDArray[Any]
    counts: NDArray[Any]
    n_rows: int | float

    @classmethod
    def of(cls, model: Any) -> Self:
        """Return the parts of a fitted ``TextClassifier``."""
        counts = model.class_counts_
        return cls(model.vectorizer_, model.learner_, model.classes_, counts, rows_of(model))

    @property
    def refusal(self) -> str:
        """Why these parts cannot learn more; empty if they can."""
        learner = self.learner
        return learner.fixed and f"{learner.class_name} cannot learn from further rows: {learner.fixed}"

    def after(self, rows: Rows, announced: Any = None, class_weight: Any = None) -> tuple[Parts, Grown]:
        """Return the parts after further rows, and what became of the columns; these stay as they are."""
        if reason := self.refusal:
            raise UpdateError(reason)
        classes = union_of_names(self.classes, rows.labels.names)
        classes = union_of_names(classes, [] if announced is None else announced)
        grown = unchanged(self.vectorizer)
        if self.learner.input_kind.learns_columns:
            grown = self.vectorizer.grown(rows.texts, self.n_rows, **weight_option(rows.weight))
        X = grown.vectorizer.transform_csr(rows.texts)
        new = rows.labels.weighted_counts(rows.weight)
        counts = np.zeros(len(classes), np.result_type(self.counts, new))
        counts[np.searchsorted(classes, self.classes)] = self.counts
        np.add.at(counts, np.searchsorted(classes, rows.labels.names), new)
        further = UpdateBatch(
            X,
            rows.labels.among(classes),
            _weighed(rows, classes, counts, class_weight),
            ColumnRemap(grown.places[0], grown.vectorizer.n_columns, grown.factors[0], grown.documents),
            self.n_rows,
            rows.kept,
            rows.weight,
        )
        one = rows.labels.label_ends is None  # where the sum of the counts is exact
        n_rows = counts.sum().item() if one else self.n_rows + total_weight(rows.weight, len(rows))
        return Parts(grown.vectorizer, self.learner.updated(further), classes, counts, n_rows), grown


def refuse_small(model: Any) -> None:
    """Raise UpdateError for a model that was made small: it has neither all features nor exact weights."""
    if getattr(model, "small_", None) is not None:
        raise UpdateError(
            "the model is a small one, of rounded weights and a part of the features, and cannot learn more",
            "update or merge the models that small ones are made of, then shrink the result again",
        )


def rows_of(model: Any) -> int | float:
    """Return how many rows a model has learned from, each as often as its weight says."""
    n: int | float = model.n_examples if model.several_labels else model.class_counts_.sum().item()
    return n


def _weighed(rows: Rows, classes: NDArray[Any], counts: NDArray[Any], class_weight: Any) -> Array | None:
    """Return the weights of rows times those of their classes; "balanced" goes by all rows so far."""
    weight = rows.counted
    if class_weight is None:
        return weight
    places = np.searchsorted(classes, rows.labels.names)
    if class_weight == "balanced":
        per_class = counts.sum() / (len(classes) * np.where(counts > 0, counts, 1))
    else:
        per_class = np.array([float(class_weight.get(label, 1.0)) for label in classes.tolist()])
    own: Array = per_class[places][rows.labels.codes]
    return own if weight is None else own * weight
