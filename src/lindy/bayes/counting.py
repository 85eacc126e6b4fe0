"""Classifiers that only count: how much of each feature each class has seen.

Counts add up, so such a model can be updated batch by batch, grow new classes, and be merged with another one
that was fitted elsewhere: models of k parts, added, equal the model of the whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import fields
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.bayes.class_statistics import FeatureCounts, Statistics, rows_per_class
from lindy.bayes.label_counts import LabelCounts
from lindy.core.column_remap import ColumnRemap, UpdateBatch
from lindy.core.csr import Csr
from lindy.core.targets import union_of_names
from lindy.estimators.base import Classifier, Examples
from lindy.estimators.class_counts import class_counts
from lindy.estimators.output_weights import OutputWeights
from lindy.estimators.parameters import fitted, with_parameters
from lindy.estimators.serialization import Arrays, Shape
from lindy.linear.background_weights import BackgroundWeights
from lindy.linear.sparse_weights import SharedWeights

Array = NDArray[np.float64]


def same_parameters(a: Classifier, b: Classifier) -> bool:
    """Whether two models of one class have equal arguments; the number of threads does not matter."""
    ours, theirs = a.get_params(deep=False), b.get_params(deep=False)
    return all(name == "n_jobs" or _equal(value, theirs[name]) for name, value in ours.items())


def _equal(a: Any, b: Any) -> bool:
    return np.array_equal(a, b) if isinstance(a, np.ndarray) or isinstance(b, np.ndarray) else bool(a == b)


class AdditiveClassifier(Classifier):
    """Learning from statistics of the classes that add up: at once, batch by batch, or in parts that are merged.

    A fitted model has every field of its statistics as an attribute with an underscore behind the name.

    Attributes
    ----------
    class_count_ : array (classes,), the weighted number of rows of each class
    """

    class_count_: Array
    adds_up = True
    _kept: ClassVar[type[Statistics]] = Statistics
    """The class of its statistics."""

    @property
    def updates(self) -> str:
        """How it learns from further rows."""
        return "adds"

    def distribute(self, partitions: Any) -> None:
        """Add up the statistics of all partitions."""
        partitions.add_statistics(self)

    def _measure(self, data: Examples) -> Any:
        """Return the statistics of some rows."""
        return Statistics(rows_per_class(data))

    def _statistics(self) -> Any:
        """Return the statistics of all rows so far."""
        return self._kept(**{kept.name: getattr(self, f"{kept.name}_") for kept in fields(self._kept)})

    def _learn(self, statistics: Any) -> None:
        """Keep the statistics of all rows, and estimate what predictions need."""
        for kept in fields(statistics):
            setattr(self, f"{kept.name}_", getattr(statistics, kept.name))
        self._estimate()

    def _estimate(self) -> None:
        """Turn the statistics into what predictions need."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Learn from the rows and their labels."""
        data = self._examples(X, y, sample_weight)
        self._learn(self._measure(data))
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Learn from further rows; batches one by one equal one fit of all.

        ``classes`` names labels that are yet to come; labels that were not named are taken too.
        """
        first = not self.__sklearn_is_fitted__()
        rows = self._rows(X, reset=first)
        data = self._further(rows, y, sample_weight, None if first else self.classes_, classes)
        statistics = self._measure(data)
        if not first:
            statistics = self._over(data.y.names).pooled(statistics)
        self.classes_ = data.y.names
        self._learn(statistics)
        return self

    def __add__(self, other: Self) -> Self:
        """Return the model of both parts' rows; they must have the same parameters and features."""
        if type(other) is not type(self):
            return NotImplemented
        self._check_fitted()
        other._check_fitted()
        if not same_parameters(self, other):
            raise ValueError(f"only models with the same parameters can be added: {self!r}, {other!r}")
        ours, theirs = (getattr(part, "n_features_in_", None) for part in (self, other))
        if ours != theirs:
            raise ValueError(
                f"only models of the same features can be added: {ours} and {theirs}; bring both to one vocabulary"
                " with remapped() first"
            )
        wanted = union_of_names(self.classes_, other.classes_)
        both = self._like(wanted, ours)
        both._learn(self._over(wanted).pooled(other._over(wanted)))
        return both

    def updated(self, further: UpdateBatch) -> Self:
        """Return the model of the earlier rows, as far as they still count, and of further ones."""
        moved = self._moved(further.move)
        statistics = moved._over(further.y.names)
        if further.kept != 1.0:
            statistics = statistics.scaled(further.kept)
        made = moved._like(further.y.names, further.move.n_columns)
        made._learn(statistics.pooled(made._measure(Examples(further.X, further.y, further.weight))))
        return made

    def merged(self, others: Sequence[tuple[Self, ColumnRemap, int]], move: ColumnRemap, n_rows: int) -> Self:  # noqa: ARG002
        """Return the sum of all models, brought to the same columns."""
        both = self._moved(move)
        for other, place, _ in others:
            both = both + other._moved(place)
        return both

    def _moved(self, move: ColumnRemap) -> Self:
        """Return the model over other columns; itself if they are the same."""
        if move.in_place and move.n_columns == self.n_features_in_:
            return self
        return self.remapped(move.places, move.n_columns)

    def remapped(self, columns: ArrayLike, n_features: int) -> Self:
        """Return the model over another vocabulary: feature j becomes ``columns[j]`` of ``n_features``.

        Features that no column becomes were 0 in all rows.
        """
        self._check_fitted()
        target = np.asarray(columns)
        if target.shape != (self.n_features_in_,) or target.dtype.kind not in "iu":
            raise ValueError(f"columns must hold one number for each of the {self.n_features_in_} features")
        if target.min() < 0 or target.max() >= n_features:
            raise ValueError(f"columns must lie in 0..{n_features - 1}")
        if np.bincount(target).max() > 1:
            raise ValueError("columns must be different: two features cannot become one")
        model = self._like(self.classes_, n_features)
        model._learn(self._statistics().moved(target.astype(np.intp), n_features))
        return model

    def _over(self, classes: NDArray[Any]) -> Any:
        """Return the statistics over ``classes``, which contain those of the model."""
        return self._statistics().spread(np.searchsorted(classes, self.classes_), len(classes))

    def _like(self, classes: NDArray[Any], n_features: int | None) -> Self:
        model = type(self)(**self.get_params(deep=False))
        model.classes_ = classes
        if n_features is not None:
            model.n_features_in_ = n_features
        return model


class CountingClassifier(AdditiveClassifier):
    """Class-wise sums of the features; learners turn them into scores.

    Attributes
    ----------
    counts_ : Csr, features × classes, the weighted sum of each feature over the rows of each class
    class_count_ : array (classes,), the weighted number of rows of each class
    """

    counts_: Csr
    has_counts = True
    learns_labels = True
    _kept = FeatureCounts
    _state_arrays: ClassVar[dict[str, Shape]] = FeatureCounts.stored

    @property
    def feature_count_(self) -> NDArray[np.float64]:
        """The counts as a dense array (classes, features), as in scikit-learn."""
        return self.counts_.to_dense().T

    def _counted(self, X: Csr) -> Csr:
        """Return what is counted of the rows; learners may look at presence only."""
        return X

    def _measure(self, data: Examples) -> FeatureCounts:
        counts = class_counts(data._replace(X=self._counted(data.X)))
        if len(counts.values) and counts.values.min() < 0:
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__}: a feature's count in a class is below zero"
            )
        return FeatureCounts(rows_per_class(data), counts)

    def _pack(self) -> Arrays:
        return FeatureCounts(self.class_count_, self.counts_).pack()

    def _unpack(self, arrays: Arrays) -> None:
        counts = FeatureCounts.unpack(arrays, len(self.classes_))
        self.n_features_in_ = counts.counts.shape[0]
        self._learn(counts)

    @property
    def counts_labels(self) -> bool:
        """Whether it learns several labels per row from counts; subclasses have ``_label_weights`` then."""
        return type(self)._label_weights is not CountingClassifier._label_weights

    def count_labels(self, data: Examples) -> LabelCounts:
        """Count what the rows of each label have, and all rows."""
        return LabelCounts.of(data._replace(X=self.scored_rows(data.X)))

    def distribute_labels(self, partitions: Any) -> OutputWeights:
        """Add up what all partitions count of every label."""
        if not self.counts_labels:
            return super().distribute_labels(partitions)
        return self.label_weights(partitions.count(self))

    def label_weights(self, seen: LabelCounts) -> OutputWeights:
        """Return the weights of each of several labels against its absence."""
        return self._label_weights(seen)._replace(counts=seen)

    def _label_weights(self, seen: LabelCounts) -> OutputWeights:
        raise NotImplementedError

    def fit_labels(self, data: Examples, n_jobs: int | None = None) -> OutputWeights:
        """Return the weights of several labels, all from one count of the rows where that is possible."""
        if not self.counts_labels:
            return super().fit_labels(data, n_jobs)
        return self.label_weights(self.count_labels(data))


@with_parameters
class LinearCounting(CountingClassifier):
    """A counting model whose scores are X·W + b; features that were counted alike share a row of W.

    Attributes
    ----------
    W_ : array (features, classes)
    b_ : array (classes,)
    """

    n_jobs: int | None = None
    b_: Array = fitted()
    _weights: SharedWeights | BackgroundWeights = fitted()

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        tags.classifier_tags.poor_score = True
        return tags

    @property
    def W_(self) -> Array:  # noqa: N802
        """The weights, features × classes; made at the first request, scoring does without."""
        return self._weights.dense

    @property
    def shared_weights(self) -> SharedWeights | BackgroundWeights:
        """W as its different rows and the number of each feature's row, or as what differs from a background."""
        self._check_fitted()
        return self._weights

    def with_weights(self, W: Array) -> Self:
        """Return a copy that scores with other weights, (features, classes), perhaps of fewer features."""
        self._check_fitted()
        made = copy(self)
        made._weights, made.n_features_in_ = SharedWeights.of_rows(W), len(W)
        return made

    def _scores(self, X: Any) -> Array:
        """Return X·W + b, rows × classes."""
        self._check_fitted()
        rows = self._rows(X)
        self._check_scored(rows)
        return self._weights.scores(rows, self.b_, self.n_jobs)

    def _check_scored(self, rows: Csr) -> None:
        """Raise ValueError for rows that the model cannot score."""
