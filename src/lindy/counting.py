"""Classifiers that only count: how much of each feature each class has seen.

Counts add up, so such a model can be updated batch by batch, grow new classes, and be merged with another one
that was fitted elsewhere: models of k parts, added, equal the model of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.base import Classifier, Examples, check_labels, check_weight, encode
from lindy.csr import Csr
from lindy.state import Arrays, Shape, check_arrays

STORED_PER_PASS = 1 << 24  # values per call of the kernel: it ends, and can be interrupted, within a second


def union_of_classes(first: NDArray[Any], second: ArrayLike) -> NDArray[Any]:
    """Return all labels of both, sorted; refuses to mix words and numbers."""
    second = np.asarray(second)
    if len(first) and len(second) and (first.dtype.kind in "OUS") != (second.dtype.kind in "OUS"):
        raise ValueError(
            f"labels must be of one kind; the model has {first.dtype}, the new ones {second.dtype}"
        )
    return np.union1d(first, second)


def class_counts(data: Examples, n_classes: int) -> Csr:
    """Return Σ weight_i·x_i over the rows of each class, features × classes, each row's classes ascending."""
    total: Csr | None = None
    for rows in _passes(data.X.indptr):
        begin, end = data.X.indptr[rows.start], data.X.indptr[rows.stop]
        part = Csr(
            *_native.class_counts(
                data.X.indptr[rows.start : rows.stop + 1] - begin,
                data.X.indices[begin:end],
                data.X.values[begin:end],
                data.X.n_columns,
                data.y[rows],
                None if data.weight is None else data.weight[rows],
                n_classes,
            ),
            n_classes,
        )
        total = part if total is None else added(total, part)
    assert total is not None
    return total


def _passes(indptr: NDArray[np.int64]) -> Iterator[slice]:
    begin, n_rows = 0, len(indptr) - 1
    while begin < n_rows:
        end = int(np.searchsorted(indptr, indptr[begin] + STORED_PER_PASS, side="right")) - 1
        end = min(max(end, begin + 1), n_rows)
        yield slice(begin, end)
        begin = end


def added(a: Csr, b: Csr) -> Csr:
    """Return the sum of two features × classes matrices."""
    return Csr(*_native.add_counts(*a.arrays, *b.arrays, a.n_columns), a.n_columns)


def over_classes(counts: Csr, classes: NDArray[Any], wanted: NDArray[Any]) -> Csr:
    """Return counts of ``classes`` as counts of ``wanted``, which contains them."""
    columns = np.searchsorted(wanted, classes).astype(np.int32)
    return Csr(counts.indptr, columns[counts.indices], counts.values, len(wanted))


class CountingClassifier(Classifier):
    """Fitting, updating, merging and storing of class-wise sums; learners turn them into scores.

    Attributes
    ----------
    counts_ : Csr, features × classes, the weighted sum of each feature over the rows of each class
    class_count_ : array (classes,), the weighted number of rows of each class
    """

    counts_: Csr
    class_count_: NDArray[np.float64]
    _state_arrays: ClassVar[dict[str, Shape]] = {
        "classes_per_feature": ("F",),
        "class": ("N",),
        "count": ("N",),
        "large_count": ("M",),
        "class_count": ("K",),
    }

    @property
    def feature_count_(self) -> NDArray[np.float64]:
        """The counts as a dense array (features, classes)."""
        return self.counts_.to_dense()

    def _estimate(self) -> None:
        """Turn the counts into what predictions need."""
        raise NotImplementedError

    def _counted(self, X: Csr) -> Csr:
        """Return what is counted of the rows; learners may look at presence only."""
        return X

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Count the features of each class, and estimate."""
        self._check_parameters()
        data = self._examples(X, y, sample_weight)
        self._set_counts(*self._count(data, len(self.classes_)))
        return self

    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Self:
        """Add rows to the counts, and estimate again.

        ``classes`` names labels that are yet to come; labels never announced are welcome too.
        """
        self._check_parameters()
        first = not self.__sklearn_is_fitted__()
        rows = self._rows(X, reset=first)
        labels = check_labels(y, rows.shape[0])
        weight = check_weight(sample_weight, rows.shape[0])
        known = labels[:0] if first else self.classes_
        wanted = union_of_classes(union_of_classes(known, labels), [] if classes is None else classes)
        counts, class_count = self._count(Examples(rows, encode(labels, wanted), weight), len(wanted))
        if not first:
            counts = added(over_classes(self.counts_, self.classes_, wanted), counts)
            class_count[np.searchsorted(wanted, self.classes_)] += self.class_count_
        self.classes_ = wanted
        self._set_counts(counts, class_count)
        return self

    def _count(self, data: Examples, n_classes: int) -> tuple[Csr, NDArray[np.float64]]:
        counts = class_counts(Examples(self._counted(data.X), data.y, data.weight), n_classes)
        if len(counts.values) and counts.values.min() < 0:
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__}: a feature's count in a class is below zero"
            )
        return counts, np.bincount(data.y, data.weight, n_classes).astype(np.float64)

    def _set_counts(self, counts: Csr, class_count: NDArray[np.float64]) -> None:
        self.counts_, self.class_count_ = counts, class_count
        self._estimate()

    def _like(self, classes: NDArray[Any], n_features: int) -> Self:
        model = type(self)(**self.get_params(deep=False))
        model.classes_, model.n_features_in_ = classes, n_features
        return model

    def __add__(self, other: Self) -> Self:
        """Return the model of both parts' rows; they must have the same parameters and features."""
        if type(other) is not type(self):
            return NotImplemented
        self._check_fitted()
        other._check_fitted()
        if repr(other) != repr(self):
            raise ValueError(f"only models with the same parameters can be added: {self!r}, {other!r}")
        if other.n_features_in_ != self.n_features_in_:
            raise ValueError(
                f"only models of the same features can be added: {self.n_features_in_} and"
                f" {other.n_features_in_}; bring both to one vocabulary with remapped() first"
            )
        both = self._like(union_of_classes(self.classes_, other.classes_), self.n_features_in_)
        class_count = np.zeros(len(both.classes_))
        for part in (self, other):
            class_count[np.searchsorted(both.classes_, part.classes_)] += part.class_count_
        first, second = (over_classes(part.counts_, part.classes_, both.classes_) for part in (self, other))
        both._set_counts(added(first, second), class_count)
        return both

    def remapped(self, columns: ArrayLike, n_features: int) -> Self:
        """Return the model over another vocabulary: feature j becomes ``columns[j]`` of ``n_features``."""
        self._check_fitted()
        target = np.asarray(columns)
        if target.shape != (self.n_features_in_,) or target.dtype.kind not in "iu":
            raise ValueError(f"columns must hold one number for each of the {self.n_features_in_} features")
        if target.min() < 0 or target.max() >= n_features:
            raise ValueError(f"columns must lie in 0..{n_features - 1}")
        lengths = np.zeros(n_features, np.int64)
        order = np.argsort(target, kind="stable")
        if (np.diff(target[order]) == 0).any():
            raise ValueError("columns must be different: two features cannot become one")
        lengths[target] = np.diff(self.counts_.indptr)
        moved = self.counts_.take(order)
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        model = self._like(self.classes_, n_features)
        model._set_counts(Csr(indptr, moved.indices, moved.values, moved.n_columns), self.class_count_)
        return model

    def _pack(self) -> Arrays:
        """Store counts as small as they go: whole numbers below 255 in a byte each, larger ones listed apart."""
        counts = self.counts_
        small, large = counts.values, counts.values[:0]
        if (small == np.trunc(small)).all():
            large = small[small >= 255]
            small = np.minimum(small, 255).astype(np.uint8)
        return {
            "classes_per_feature": narrowest(np.diff(counts.indptr)),
            "class": narrowest(counts.indices),
            "count": small,
            "large_count": large,
            "class_count": self.class_count_,
        }

    def _unpack(self, arrays: Arrays) -> None:
        K = len(self.classes_)
        axes = check_arrays(arrays, self._state_arrays, K)
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
        self.n_features_in_ = axes["F"]
        self._set_counts(Csr(indptr, indices, counts, K), class_count)


def narrowest(values: NDArray[np.integer[Any]]) -> NDArray[np.integer[Any]]:
    """Return non-negative integers in the smallest unsigned type that holds them."""
    return values.astype(np.min_scalar_type(int(values.max(initial=0))))
