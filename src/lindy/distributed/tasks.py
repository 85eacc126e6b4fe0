"""The tasks: everything that is done where a partition is.

Counts are whole numbers and sums are exact, so their totals are the same for any partitioning. Weights that are mixed
(``lindy.distributed.local_tasks``) are not.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.targets import OneLabel, Targets, as_lists, union_of_names
from lindy.core.weights import are_whole, total_weight, weighted_counts
from lindy.distributed.cocoa import dual_pass
from lindy.distributed.mixing import online_pass
from lindy.distributed.partitions import Part, frame_part, read_part
from lindy.distributed.smooth_tasks import (
    Rows,
    bias_terms,
    column_moments,
    dual_terms,
    loss_and_gradient,
    sizes,
)
from lindy.distributed.sums import Array, Sums, Totals, exact_sums
from lindy.errors import DataError, LabelTypeError
from lindy.estimators.base import Examples
from lindy.text.vocabulary.encoding import TermCounts

__all__ = [
    "bias_terms",
    "class_documents",
    "class_sizes",
    "column_moments",
    "dual_pass",
    "dual_terms",
    "frame_part",
    "held_out_scores",
    "labels_of",
    "loss_and_gradient",
    "name_of",
    "online_pass",
    "read_part",
    "rows_of",
    "sizes",
    "statistics_of",
    "stretched_lengths",
    "terms_of",
    "without_fold",
]


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """The sorted classes of some partitions with their numbers of rows, each as often as its weight says.

    ``name`` is a partition that has any; ``n_rows`` counts all rows, and ``several`` says whether one may have any
    number of labels.
    """

    name: str
    classes: NDArray[Any]
    counts: NDArray[Any]
    n_bytes: int
    n_rows: float = 0
    several: bool = False

    def merged(self, other: LabelCounts) -> LabelCounts:
        """Return the classes of both parts."""
        rest = self.n_bytes + other.n_bytes, self.n_rows + other.n_rows, self.several or other.several
        if not len(self.classes) or not len(other.classes):
            named = self if len(self.classes) else other
            return LabelCounts(named.name, named.classes, named.counts, *rest)
        try:
            classes = union_of_names(self.classes, other.classes)
        except (TypeError, ValueError) as error:
            raise LabelTypeError(
                f"{other.name} and {self.name}: {error}", "Give all partitions labels of one type."
            ) from error
        counts = np.zeros(len(classes), np.result_type(self.counts, other.counts))
        for part in (self, other):
            counts[np.searchsorted(classes, part.classes)] += part.counts
        return LabelCounts(min(self.name, other.name), classes, counts, *rest)

    def totals(self, n_columns: int) -> Totals:
        """Return what all partitions have, with so many columns."""
        return Totals(self.classes, self.counts, n_columns, self.n_rows if self.several else None)


def labels_of(part: Part) -> LabelCounts:
    """Return which labels a partition has, and how many bytes of text."""
    if part.labels is None:
        raise DataError(f"{part.name}: no labels", "Name the label column.")
    import pyarrow.compute as pc

    n_bytes = (
        pc.sum(pc.binary_length(part.texts)).as_py() or 0
    )  # of the texts alone: no partitioning changes it
    counts = part.labels.weighted_counts(part.weight)
    n_rows = total_weight(part.weight, len(part.texts))
    return LabelCounts(part.name, part.labels.names, counts, n_bytes, n_rows, part.labels.row_codes is None)


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """The terms of several vectorizers with their counts."""

    counts: tuple[TermCounts, ...]

    def merged(self, other: Vocabularies) -> Vocabularies:
        """Return the counts of both parts."""
        return Vocabularies(tuple(a.merged(b) for a, b in zip(self.counts, other.counts, strict=True)))


def terms_of(part: Part, vectorizers: Sequence[Any]) -> Vocabularies:
    """Count the terms of a partition for every vectorizer."""
    return Vocabularies(tuple(vectorizer.count_part(part.texts, part.weight) for vectorizer in vectorizers))


def rows_of(part: Part, vectorizer: Any, classes: NDArray[Any], several: bool = False) -> Rows:
    """Return the rows of a partition, columns ascending, and its class numbers, or lists of them."""
    if part.labels is None:
        raise DataError(f"{part.name}: no labels", "Name the label column.")
    if not len(part.texts):
        empty = Csr(
            np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), vectorizer.n_columns
        )
        return Rows(part.name, empty, empty_targets(classes, several=several))
    rows = vectorizer.transform_csr(part.texts).to_scipy()
    rows.sort_indices()
    X = Csr(rows.indptr.astype(np.int64), rows.indices.astype(np.int32), rows.data, vectorizer.n_columns)
    y = as_lists(part.labels) if several else part.labels
    return Rows(part.name, X, y.among(classes), part.weight)


def empty_targets(classes: NDArray[Any], *, several: bool) -> Targets:
    """Return the targets of no row."""
    none = OneLabel(classes, np.empty(0, np.int32))
    return as_lists(none) if several else none


def without_fold(rows: Rows, fold: int, n_folds: int) -> Rows:
    """Return the rows but those of one of some folds: which one a row is in is said by its features."""
    whole = rows.whole or rows
    held_out = _keys(whole.X) % np.uint64(n_folds) == fold
    kept = np.flatnonzero(~held_out)
    weight = None if whole.weight is None else whole.weight[kept]
    return Rows(rows.name, whole.X.take(kept), whole.y.take(kept), weight, whole, held_out)


def _keys(X: Csr) -> NDArray[np.uint64]:
    """Return 64 bits of every row, which do not depend on the order of its values."""
    bits = X.values.astype(np.float64).view(np.uint64)
    mixed = _mixed(_mixed(X.indices.astype(np.uint64)) + bits)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(mixed, dtype=np.uint64)])
    return _mixed(sums[X.indptr[1:]] - sums[X.indptr[:-1]])


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return SplitMix64's mixture of bits (Steele, Lea and Flood 2014)."""
    bits = bits + np.uint64(0x9E3779B97F4A7C15)
    bits = (bits ^ (bits >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    bits = (bits ^ (bits >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return bits ^ (bits >> np.uint64(31))


@dataclass(frozen=True, slots=True)
class HeldOutScores:
    """Scores of held-out rows, rows × columns of scores, with 64 bits, the targets and the weight of each row."""

    keys: NDArray[np.uint64]
    y: Targets
    weight: Array
    scores: Array

    def merged(self, other: HeldOutScores) -> HeldOutScores:
        """Return the scores of both parts."""
        return HeldOutScores(
            np.concatenate([self.keys, other.keys]),
            self.y.joined([other.y]),
            np.concatenate([self.weight, other.weight]),
            np.concatenate([self.scores, other.scores]),
        )


def held_out_scores(rows: Rows, learner: Any, known: NDArray[np.bool_]) -> HeldOutScores:
    """Return the scores that a fitted learner gives to the rows that are held out; unknown classes have the lowest."""
    assert rows.whole is not None
    assert rows.held_out is not None
    which = np.flatnonzero(rows.held_out)
    X, y = rows.whole.X.take(which), rows.whole.y.take(which)
    shape = (len(which), y.n_outputs)
    scores = (
        np.asarray(learner.decision_function(X), np.float64).reshape(shape) if len(which) else np.empty(shape)
    )
    if not known.all():
        scores[:, ~known] = scores[:, known].min(axis=1, keepdims=True)
    weight = np.ones(len(which)) if rows.whole.weight is None else rows.whole.weight[which]
    return HeldOutScores(_keys(X), y, weight, scores)


def class_sizes(rows: Rows) -> Counts:
    """Return how many rows each class has, each as often as its weight says; after several labels, how many all are."""
    y = rows.y.with_all_rows() if rows.y.row_codes is None else rows.y
    return Counts(y.weighted_counts(rows.weight))


@dataclass(frozen=True, slots=True)
class Pooled:
    """The sums of a counting model, and whether they are of whole numbers."""

    statistics: Any
    whole: bool

    def merged(self, other: Pooled) -> Pooled:
        """Return the statistics of both parts."""
        return Pooled(self.statistics.pooled(other.statistics), self.whole and other.whole)


def statistics_of(rows: Rows, learner: Any) -> Pooled:
    """Count for a learner that only counts."""
    whole = bool((rows.X.values == np.rint(rows.X.values)).all()) and are_whole(rows.weight)
    data, several = Examples(rows.X, rows.y, rows.weight), rows.y.row_codes is None
    if not len(rows.y):  # a row without a value that no class has seen adds nothing
        y = OneLabel(rows.y.names, np.zeros(1, np.int32))
        data = Examples(_one_empty_row(rows.X), as_lists(y) if several else y, np.zeros(1))
    return Pooled(learner.count_labels(data) if several else learner._measure(data), whole)


def _one_empty_row(X: Csr) -> Csr:
    return Csr(np.zeros(2, np.int64), X.indices[:0], X.values[:0], X.n_columns)


@dataclass(frozen=True, slots=True)
class Counts:
    """Numbers of rows per column and class, whole ones if all weights are."""

    counts: NDArray[Any]

    def merged(self, other: Counts) -> Counts:
        """Return the counts of both parts."""
        return Counts(self.counts + other.counts)


def class_documents(rows: Rows) -> Counts:
    """Return in how many rows of each class a column is not zero."""
    X, K = rows.X, len(rows.y.names)
    y = np.repeat(rows.y.codes.astype(np.int64), np.diff(X.indptr))
    stored = X.values != 0
    cells = (X.indices * np.int64(K) + y)[stored]
    weight = None if rows.weight is None else np.repeat(rows.weight, np.diff(X.indptr))[stored]
    counts = weighted_counts(cells, weight, X.n_columns * K)
    return Counts(counts.reshape(X.n_columns, K))


def stretched_lengths(rows: Rows, stretch: Array, shares: Sequence[float]) -> Sums:
    """Return Σ_i w_i·‖s_k ∘ x_i‖² of every output k exactly."""
    lengths = np.empty((len(rows.y), stretch.shape[1]))
    _native.scaled_norms(rows.X, stretch, 0.0, lengths, 1)
    return Sums(exact_sums(lengths * lengths * rows.times(shares)[:, None]))


def name_of(held: Any) -> str:
    """Return what a partition is called; asks that it is there."""
    return str(held.name)
