"""Categorical naive Bayes (McDonald): feature i has one of F_i values.

    P(f_i = v | y) = (n_yiv + k) / (n_y + k·F_i)
    log P(x, y) = log P(y) + Σ_i log P(f_i = x_i | y)

Values are numbered from 0; fractions are cut off. A value never seen in training is one that was seen 0 times.

A column of the rows is a feature, but for the columns of one category of a table (``Csr.groups``): these are the F_i
values of one feature, of which a row has one. A row that has none of them has a value that was never seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.bayes.class_statistics import Statistics, placed, rows_per_class
from lindy.bayes.counting import AdditiveClassifier
from lindy.bayes.inference import (
    Array,
    GenerativeClassifier,
    Inference,
    Log,
    Prior,
    check_prior,
    infer,
    log_prior,
)
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.numerics import log
from lindy.errors import invalid_parameter
from lindy.estimators.base import Examples
from lindy.estimators.learners import InputKind, LearnerSpec
from lindy.estimators.parameters import NOT_NEGATIVE, as_numbers, fitted, short_repr, with_parameters
from lindy.estimators.serialization import Arrays, check_arrays

MOST_CELLS = 1 << 27  # of all tables together: a gigabyte


@dataclass(frozen=True)
class ValueCounts(Statistics):
    """How often each value of column i was seen with each class: arrays (F_i, classes).

    ``groups`` says which columns are the values of one feature, as ``Csr.groups`` does.
    """

    value_count: list[Array]
    groups: NDArray[np.int32] | None = None

    def spread(self, places: NDArray[np.intp], n_classes: int) -> ValueCounts:
        """Return the counts over more classes."""
        counts = [placed(n, places, n_classes) for n in self.value_count]
        return ValueCounts(placed(self.class_count, places, n_classes), counts, self.groups)

    def scaled(self, share: float) -> ValueCounts:
        """Return the counts of rows that count only this share."""
        return ValueCounts(self.class_count * share, [n * share for n in self.value_count], self.groups)

    def pooled(self, other: ValueCounts) -> ValueCounts:
        """Return the counts of two parts together; one of them may have seen more values of a feature."""
        counts = [_sum(n, m) for n, m in zip(self.value_count, other.value_count, strict=True)]
        groups = [own for own in (self.groups, other.groups) if own is not None]
        together = None if not groups else np.maximum(groups[0], groups[-1])
        return ValueCounts(self.class_count + other.class_count, counts, together)

    def moved(self, places: NDArray[np.intp], n_features: int) -> ValueCounts:
        """Return the counts over more features, whose value was always 0."""
        counts: list[Array] = [self.class_count[None, :]] * n_features
        for n, place in zip(self.value_count, places, strict=True):
            counts[place] = n
        groups = None
        if self.groups is not None:
            groups = np.full(n_features, -1, np.int32)
            groups[places] = self.groups
        return ValueCounts(self.class_count, counts, groups)


@with_parameters
class CategoricalNaiveBayes(AdditiveClassifier, GenerativeClassifier):
    """Naive Bayes over features with a few values each, numbered from 0.

    Parameters
    ----------
    alpha : float
        How many times every value of a feature is taken to have been seen with every class; 0 is maximum likelihood.
    n_values : int, array (features,) or None
        F_i, how many values each feature can have; None counts up to the largest one seen.
    class_prior : None, "uniform", array (classes,) or dict from label to probability
        P(y): the classes' shares in the data (None), all the same, or given.

    Attributes
    ----------
    value_count_ : list of arrays (F_i, classes), how often each value of column i was seen with each class
    groups_ : array (columns,) or None, which columns are the values of one category of a table
    class_count_ : array (classes,)
    """

    has_odds = True
    spec: ClassVar = LearnerSpec(
        "categorical-naive-bayes",
        "categorical naive Bayes",
        input_kind=InputKind.CATEGORIES,
        strengths={"alpha": (0.001, 10.0)},
        dense=True,
        not_sums="its score is a product over all columns, not a sum over those that a text has",
    )

    value_count_: list[Array] = fitted()
    groups_: NDArray[np.int32] | None = fitted()
    _kept: ClassVar = ValueCounts

    alpha: Annotated[float, NOT_NEGATIVE] = 1.0
    n_values: Annotated[int | ArrayLike | None, check_n_values] = None
    class_prior: Annotated[Prior, check_prior] = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.categorical = True
        tags.input_tags.positive_only = True
        return tags

    def _values(self, X: Csr) -> NDArray[np.int64]:
        dense = np.trunc(X.to_dense())
        if (dense < 0).any():
            raise ValueError(
                f"Negative values in data passed to {type(self).__name__}: values are numbered from 0"
            )
        return np.minimum(dense, 2.0**31).astype(np.int64)

    def _measure(self, data: Examples) -> ValueCounts:
        values, K = self._values(data.X), len(data.y.names)
        for columns in _grouped(data.X.groups):
            _refuse_several(values[:, columns])
        most = values.max(axis=0) + 1
        if self.n_values is not None:
            given = np.asarray(self.n_values, np.int64)
            if given.shape not in ((), most.shape):
                raise invalid_parameter(
                    f"n_values must be one number or one for each of {len(most)} features;"
                    f" got {short_repr(self.n_values)}"
                )
            given = np.broadcast_to(given, most.shape)
            if (most > given).any():
                raise ValueError(f"feature {int((most > given).argmax())} has a value of n_values or more")
            most = given
        if int(most.sum()) * K > MOST_CELLS:
            raise ValueError(
                f"the values of {type(self).__name__} are small whole numbers from 0; feature {int(most.argmax())} has"
                f" {int(most.max()) - 1}"
            )
        counts = [
            np.bincount(column * K + data.y.codes, data.weight, F * K).astype(np.float64).reshape(F, K)
            for column, F in zip(values.T, most.tolist(), strict=True)
        ]
        return ValueCounts(rows_per_class(data), counts, data.X.groups)

    def _estimate(self) -> None:
        class_count, counts = self.class_count_, self.value_count_
        self.log_prior_ = log_prior(self.class_prior, self.classes_, class_count)
        self._groups = _grouped(self.groups_)
        alone = np.ones(len(counts), bool)
        for columns in self._groups:
            alone[columns] = False
        self._alone = np.flatnonzero(alone)
        nothing = np.zeros(len(class_count))
        features = [counts[i] for i in self._alone.tolist()]
        for columns in self._groups:  # a column's values are 0 and 1
            own = [counts[i][1] if len(counts[i]) > 1 else nothing for i in columns.tolist()]
            features.append(np.array(own))
        self._tables = []  # log P(f_i = v | y), with one more row for values never seen
        for n in features:
            whole = class_count + self.alpha * len(n)
            more = np.vstack([n, nothing]) + self.alpha
            self._tables.append(log(more / np.where(whole > 0, whole, 1.0)))

    def _features(self, X: Csr) -> NDArray[np.int64]:
        """Return the value of every feature, rows × features; beyond its largest where it was never seen."""
        values = self._values(X)
        codes = []
        for columns in self._groups:
            own = values[:, columns] > 0
            codes.append(np.where(own.any(axis=1), own.argmax(axis=1), len(columns)))
        return np.column_stack([values[:, self._alone], *codes])

    @property
    def value_proba_(self) -> list[Array]:
        """P(f_i = v | y) for every feature: a list of arrays (F_i, classes); categories of a table come last."""
        return [numerics.exp(table[:-1]) for table in self._tables]

    @property
    def feature_proba_(self) -> Array:
        """P(x_i ≠ 0 | y) of every column, columns × classes."""
        self._check_fitted()
        found = np.empty((len(self.value_count_), len(self.classes_)))
        for i, table in zip(self._alone.tolist(), self._tables, strict=False):
            found[i] = 1 - numerics.exp(table[0])
        for columns, table in zip(self._groups, self._tables[len(self._alone) :], strict=True):
            found[columns] = numerics.exp(table[:-1])
        return found.clip(0.0, 1.0)

    def _place(self, column: int) -> tuple[int, int]:
        """Return the feature that a column is or is a value of, and which value; −1 for a feature of its own."""
        for g, columns in enumerate(self._groups):
            if (at := int(np.searchsorted(columns, column))) < len(columns) and columns[at] == column:
                return len(self._alone) + g, at
        return int(np.searchsorted(self._alone, column)), -1

    def _joint_addends(self, row: Csr) -> tuple[Log, Log]:
        """Each stored value adds log P(f_i = x_i | y) − log P(f_i = 0 | y); the rest is the score of a row of zeros.

        In such a row, the values of categories were never seen.
        """
        values = self._values(row)[0]
        zeros = np.array([table[0 if i < len(self._alone) else -1] for i, table in enumerate(self._tables)])
        impossible = np.isneginf(zeros)
        zeros[impossible] = (
            0.0  # a value that is impossible at 0 counts where it is not 0, so that nothing is ∞ − ∞
        )
        added = np.zeros((len(row.indices), len(self.classes_)))
        for k, column in enumerate(row.indices.tolist()):
            if not values[column]:
                continue
            feature, value = self._place(column)
            table = self._tables[feature]
            found = min(values[column], len(table) - 1) if value < 0 else value
            added[k] = table[found] - zeros[feature]
            impossible[feature] = False
        bias = np.where(impossible.any(axis=0), -np.inf, self.log_prior_ + zeros.sum(axis=0))
        return added, bias

    def joint_log_proba(self, X: Any) -> Log:
        """Return log P(x, y), rows × classes."""
        self._check_fitted()
        features = self._features(self._rows(X))
        joint: Log = np.tile(self.log_prior_, (len(features), 1))
        for column, table in zip(features.T, self._tables, strict=True):
            joint += table[np.minimum(column, len(table) - 1)]
        return joint

    def posterior(self, observed: Mapping[int, int]) -> Inference:
        """Return joint, evidence and posterior when only some features were looked at: column → value."""
        self._check_fitted()
        tables = []
        for column, v in observed.items():
            feature, value = self._place(column)
            table = self._tables[feature]
            p = numerics.exp(table[min(v, len(table) - 1) if value < 0 else value])
            tables.append(1.0 - p if value >= 0 and not v else p)
        return infer(numerics.exp(self.log_prior_), tables)

    def _pack(self) -> Arrays:
        groups = {} if self.groups_ is None else {"groups": self.groups_}
        return groups | {
            "values_per_feature": np.array([len(n) for n in self.value_count_]),
            "value_count": np.vstack(self.value_count_),
            "class_count": self.class_count_,
        }

    def _unpack(self, arrays: Arrays) -> None:
        arrays = dict(arrays)
        groups = arrays.pop("groups", None)
        shapes = {"values_per_feature": ("F",), "value_count": ("N", "K"), "class_count": ("K",)}
        axes = check_arrays(arrays, shapes, len(self.classes_))
        lengths = arrays["values_per_feature"]
        if not axes["F"] or lengths.dtype.kind not in "iu" or lengths.min() < 1 or lengths.sum() != axes["N"]:
            raise ValueError(
                "values_per_feature must say how many of the value counts belong to each feature"
            )
        counts, class_count = (arrays[name].astype(np.float64) for name in ("value_count", "class_count"))
        if (counts < 0).any() or (class_count < 0).any() or not class_count.any():
            raise ValueError("stored counts must not be negative, and some class must have been seen")
        if groups is not None and (
            groups.shape != lengths.shape or groups.dtype != np.int32 or groups.min() < -1
        ):
            raise ValueError("groups must hold a whole number from −1 on for each column")
        self.n_features_in_ = axes["F"]
        self._learn(ValueCounts(class_count, np.split(counts, np.cumsum(lengths)[:-1]), groups))


def _sum(a: Array, b: Array) -> Array:
    """Return a + b, of which one may have more values (rows)."""
    longer, shorter = (a, b) if len(a) >= len(b) else (b, a)
    total = longer.copy()
    total[: len(shorter)] += shorter
    return total


def _grouped(groups: NDArray[np.int32] | None) -> list[NDArray[np.intp]]:
    """Return the columns of each group, in the order of their numbers."""
    if groups is None:
        return []
    return [np.flatnonzero(groups == g) for g in np.unique(groups[groups >= 0]).tolist()]


def _refuse_several(values: NDArray[np.int64]) -> None:
    """Refuse rows (rows × columns of one category) with several values of the category."""
    wrong = (values > 1).any(axis=1) | (np.count_nonzero(values, axis=1) > 1)
    if wrong.any():
        raise ValueError(
            f"row {int(wrong.argmax())} has several values of one category, expected at most one"
        )


def check_n_values(name: str, value: Any) -> None:
    """Raise ParameterError unless a value is a number of categories, or an array of such."""
    given = as_numbers(name, value)
    if not ((given >= 1) & (given <= MOST_CELLS) & (given == np.trunc(given))).all():
        raise invalid_parameter(
            f"{name} must be whole numbers from 1 to {MOST_CELLS}; got {short_repr(value)}"
        )
