"""Statistics that counting models add up over rows: numbers of rows and sums of features, for each class."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.estimators.base import Examples
from lindy.estimators.class_counts import added
from lindy.estimators.serialization import Arrays, Shape, check_arrays, narrowest

Array = NDArray[np.float64]


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
    stored: ClassVar[dict[str, Shape]] = {
        "classes_per_feature": ("F",),
        "class": ("N",),
        "count": ("N",),
        "large_count": ("M",),
        "class_count": ("K",),
    }
    """The arrays of a model file."""

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

    def pack(self) -> Arrays:
        """Store counts as small as they go: whole numbers below 255 in a byte each, larger ones listed apart."""
        counts = self.counts
        small, large = counts.values, counts.values[:0]
        if (small == np.trunc(small)).all():
            large = small[small >= 255]
            small = np.minimum(small, 255).astype(np.uint8)
        return {
            "classes_per_feature": narrowest(np.diff(counts.indptr)),
            "class": narrowest(counts.indices),
            "count": small,
            "large_count": large,
            "class_count": self.class_count,
        }

    @classmethod
    def unpack(cls, arrays: Arrays, K: int) -> FeatureCounts:
        """Return the counts of K classes that were packed; raises ValueError for anything else."""
        axes = check_arrays(arrays, cls.stored, K)
        lengths, indices, values = arrays["classes_per_feature"], arrays["class"], arrays["count"]
        if lengths.dtype.kind not in "iu" or indices.dtype.kind not in "iu" or not axes["F"]:
            raise ValueError("classes and their number must be integers, for at least one feature")
        if lengths.min() < 0 or lengths.max() > K or int(lengths.sum(dtype=np.int64)) != axes["N"]:
            raise ValueError("a stored feature cannot have more classes than there are")
        if axes["N"] and (indices.min() < 0 or indices.max() >= K):
            raise ValueError(f"stored classes must lie in 0..{K - 1}")
        indptr = np.concatenate([[0], np.cumsum(lengths, dtype=np.int64)])
        indices = indices.astype(np.int32)
        ascending = np.ones(axes["N"], bool)
        ascending[1:] = indices[1:] > indices[:-1]
        ascending[indptr[:-1][lengths > 0]] = True
        if not ascending.all():
            raise ValueError("the classes of a stored feature must be ascending")
        counts = values.astype(np.float64)
        listed = counts == 255 if values.dtype == np.uint8 else np.zeros(axes["N"], bool)
        if np.count_nonzero(listed) != axes["M"]:
            raise ValueError("every large count must be marked by a 255")
        counts[listed] = arrays["large_count"]
        class_count = arrays["class_count"].astype(np.float64)
        if (counts <= 0).any() or (class_count < 0).any() or not class_count.any():
            raise ValueError("stored counts must be positive, and some class must have been seen")
        return cls(class_count, Csr(indptr, indices, counts, K))
