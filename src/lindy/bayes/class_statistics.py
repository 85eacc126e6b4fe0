"""Statistics that counting models add up over rows: numbers of rows and sums of features, for each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.estimators.base import Examples
from lindy.estimators.serialization import Shape

Array = NDArray[np.float64]
STORED_PER_PASS = 1 << 24  # values per call of the kernel: it ends, and can be interrupted, within a second


def class_counts(data: Examples) -> Csr:
    """Return Σ weight_i·x_i over the rows of each class, features × classes, each row's classes ascending."""
    total: Csr | None = None
    for rows, X in data.X.blocks(STORED_PER_PASS):
        part = Csr(
            *_native.class_counts(
                X,
                y=data.y.codes[rows],
                weight=None if data.weight is None else data.weight[rows],
                n_classes=len(data.y.names),
            ),
            len(data.y.names),
        )
        total = part if total is None else added(total, part)
    assert total is not None
    return total


def added(a: Csr, b: Csr) -> Csr:
    """Return the sum of two features × classes matrices."""
    return Csr(*_native.add_counts(a, b), a.n_columns)


def placed(values: Array, places: NDArray[np.intp], length: int, axis: int = -1) -> Array:
    """Return an array with a longer axis: entry i of the axis becomes entry ``places[i]``, the others are 0."""
    shape = list(values.shape)
    shape[axis] = length
    wide = np.zeros(shape)
    np.moveaxis(wide, axis, -1)[..., places] = np.moveaxis(values, axis, -1)
    return wide


def rows_per_class(data: Examples) -> Array:
    """Return the weighted number of rows of each class."""
    return data.y.weighted_counts(data.weight).astype(np.float64)


@dataclass(frozen=True)
class Statistics:
    """The sums of a model over rows: at least ``class_count``, the weighted number of rows of each class.

    ``axes`` says which axes of an array are classes ("K") and which are features ("F").
    """

    class_count: Array
    axes: ClassVar[dict[str, Shape]] = {"class_count": ("K",)}

    def pooled(self, other: Any) -> Any:
        """Return the statistics of two parts together."""
        return Statistics(self.class_count + other.class_count)

    def spread(self, places: NDArray[np.intp], n_classes: int) -> Any:
        """Return the same statistics over more classes: class c becomes ``places[c]``."""
        return self._placed("K", places, n_classes)

    def moved(self, places: NDArray[np.intp], n_features: int) -> Any:
        """Return the same statistics over more features, which were 0: feature j becomes ``places[j]``."""
        return self._placed("F", places, n_features)

    def scaled(self, share: float) -> Any:
        """Return the statistics of the same rows, each of which counts only this share."""
        return Statistics(self.class_count * share)

    def _placed(self, axis: str, places: NDArray[np.intp], length: int) -> Any:
        arrays = {name: getattr(self, name) for name in self.axes}
        for name, axes in self.axes.items():
            for number in (i for i, own in enumerate(axes) if own == axis):
                arrays[name] = placed(arrays[name], places, length, number)
        return replace(self, **arrays)


@dataclass(frozen=True)
class FeatureCounts(Statistics):
    """The weighted sum of each feature over the rows of each class, features × classes."""

    counts: Csr

    def spread(self, places: NDArray[np.intp], n_classes: int) -> FeatureCounts:
        """Return the counts over more classes."""
        counts = self.counts
        wide = Csr(counts.indptr, places.astype(np.int32)[counts.indices], counts.values, n_classes)
        return FeatureCounts(placed(self.class_count, places, n_classes), wide)

    def pooled(self, other: FeatureCounts) -> FeatureCounts:
        """Return the counts of two parts together."""
        return FeatureCounts(self.class_count + other.class_count, added(self.counts, other.counts))

    def scaled(self, share: float) -> FeatureCounts:
        """Return the counts of rows that count only this share; what is too small for a number is left out."""
        counts = self.counts
        small = Csr(counts.indptr, counts.indices, counts.values * share, counts.n_columns).without_zeros()
        return FeatureCounts(self.class_count * share, small)

    def moved(self, places: NDArray[np.intp], n_features: int) -> FeatureCounts:
        """Return the counts over more features."""
        lengths = np.zeros(n_features, np.int64)
        lengths[places] = np.diff(self.counts.indptr)
        moved = self.counts.take(np.argsort(places))
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        return FeatureCounts(self.class_count, Csr(indptr, moved.indices, moved.values, moved.n_columns))
