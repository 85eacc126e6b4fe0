"""Feature selection: the penalty L0, by scores instead of search.

    chi2                Σ_k (observed − expected)² / expected of a feature's total in each class
    information-gain    H(Y) − H(Y | feature present?), in nats: the mutual information of presence and class
    count               the sum of a feature's values: of counts, how often it occurs
    df                  in how many rows the feature is

then the ``k`` features with the highest scores. The scores of the first two need labels.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core import numerics
from lindy.core.csr import Csr, as_csr
from lindy.core.targets import Targets
from lindy.core.weights import check_weight
from lindy.errors import DataError, did_you_mean, invalid_parameter
from lindy.estimators.base import Examples
from lindy.estimators.estimator import Estimator, labels_missing
from lindy.estimators.parameters import check_whole, fitted, short_repr, with_parameters
from lindy.text.frame_output import FrameOutput
from lindy.text.vectorizer import COUNTED, transformer_tags
from lindy.text.weighting.row_weights import column_totals
from lindy.text.weighting.transformer import incoming_names

Array = NDArray[np.float64]


def chi_square(X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return the χ² statistic of every feature against the class, and its p-value.

    Observed is the feature's total in each class, expected its whole total times the share of the class; values
    must not be negative. A feature that never occurs has no statistic (NaN), as in scikit-learn.
    """
    data = _Data.of(X, y, sample_weight)
    statistic = data.chi_square()
    from scipy.special import chdtrc

    return statistic, chdtrc(len(data.share) - 1, statistic)


def information_gain(X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Array:
    """Return the mutual information of "the feature is not zero" and the class, in nats, for every feature."""
    return _Data.of(X, y, sample_weight).information_gain()


def best(scores: ArrayLike, k: int) -> NDArray[np.intp]:
    """Return the k features with the highest scores, in ascending order; NaN counts as lowest, ties go to the first."""
    values = np.asarray(scores, np.float64)
    if not 1 <= k <= len(values):
        raise ValueError(f"k must lie between 1 and the number of features, {len(values)}; got {k}")
    return np.sort(ranked(values)[:k])


def ranked(scores: Array) -> NDArray[np.intp]:
    """Return all features, the one with the highest score first; NaN counts as lowest, ties go to the first."""
    return np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")


@dataclass(frozen=True, slots=True)
class _Data:
    """Rows, the number of each row's class, its weight, and the share of each class in all weights."""

    X: Csr
    codes: NDArray[np.int32]
    weight: Array
    share: Array

    @classmethod
    def of(cls, X: Any, y: ArrayLike | Targets, sample_weight: ArrayLike | None = None) -> _Data:
        csr, targets, given = Examples.of(as_csr(X), y, sample_weight)
        weight = np.ones(csr.shape[0]) if given is None else given
        return cls(csr, targets.codes, weight, targets.weighted_counts(weight) / weight.sum())

    def _totals(self, values: NDArray[Any]) -> Iterator[Array]:
        """Yield Σ_i weight_i·value_ij of every feature, class by class."""
        X = Csr(self.X.indptr, self.X.indices, values, self.X.n_columns, checked=True)
        for number in range(len(self.share)):
            rows = np.flatnonzero(self.codes == number)
            own = X.take(rows)
            weight = np.repeat(self.weight[rows], np.diff(own.indptr))
            yield _column_sums(own.indices, own.values * weight, X.n_columns)

    def chi_square(self) -> Array:
        values = self.X.values.astype(np.float64, copy=False)
        if (values < 0).any():
            raise ValueError(
                "Negative values in data: input X must be non-negative, because χ² compares counts"
            )
        totals = sum(self._totals(values), np.zeros(self.X.n_columns))
        statistic = np.zeros(self.X.n_columns)
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            for share, observed in zip(self.share, self._totals(values), strict=True):
                expected = share * totals
                statistic += (observed - expected) ** 2 / expected
        if np.isinf(statistic).any():
            raise ValueError(
                "the χ² of a column is too large for float64: divide the weights, or the values of X"
            )
        return statistic

    def information_gain(self) -> Array:
        presence = (self.X.values != 0).astype(np.float64)
        whole = self.weight.sum()
        present = sum(self._totals(presence), np.zeros(self.X.n_columns)) / whole
        gain = np.zeros(self.X.n_columns)
        for share, total in zip(self.share, self._totals(presence), strict=True):
            here = total / whole
            for joint, alone in ((here, present), (np.maximum(share - here, 0.0), 1.0 - present)):
                independent = share * alone
                known = (joint > 0) & (independent > 0)
                ratio = np.divide(joint, independent, out=np.ones_like(joint), where=known)
                gain += joint * numerics.log(ratio)
        return np.maximum(gain, 0.0)


def _column_sums(columns: NDArray[np.int32], values: NDArray[Any], n_columns: int) -> Array:
    return np.asarray(np.bincount(columns, values, n_columns), np.float64)


def _rows_with(X: Csr, weight: Array | None) -> Array:
    stored = Csr(X.indptr, X.indices, (X.values != 0).astype(np.float64), X.n_columns, checked=True)
    return column_totals(stored, weight)


_BY_LABELS: dict[str, Callable[[_Data], Array]] = {
    "chi2": _Data.chi_square,
    "information-gain": _Data.information_gain,
}
_BY_ROWS: dict[str, Callable[[Csr, Array | None], Array]] = {"count": column_totals, "df": _rows_with}
METHODS = {"chi2": "χ²", "information-gain": "information gain", "count": "count", "df": "document frequency"}
"""The names of the scores, and how people say them."""


@dataclass(frozen=True, slots=True)
class Selection:
    """A method and how many features to keep at most."""

    method: str
    k: int

    def __post_init__(self) -> None:
        if self.method not in METHODS:
            guess = did_you_mean(str(self.method), METHODS)
            raise invalid_parameter(
                f"features are selected by one of {list(METHODS)};"
                f" got the method {short_repr(self.method)}. {guess}".rstrip()
            )
        check_whole("k, the number of features to keep,", self.k, 1)

    @classmethod
    def of(cls, said: Any) -> Selection:
        """Return what a text such as ``chi2:10000`` asks for."""
        method, colon, number = said.partition(":") if isinstance(said, str) else ("", "", "")
        if not colon or not number.strip().isdecimal():
            raise invalid_parameter(
                "select must be a method and how many features to keep, such as 'chi2:10000' (methods:"
                f" {', '.join(METHODS)}); got {said!r}"
            )
        return cls(method.strip(), int(number))

    def __str__(self) -> str:
        return f"at most {self.k:,} features of a kind, by {METHODS[self.method]}"

    @property
    def uses_labels(self) -> bool:
        """Whether the scores depend on labels."""
        return self.method in _BY_LABELS

    def scores(self, X: Csr, y: Any = None, weight: Array | None = None) -> Array:
        """Return the score of every column; a row counts as often as its weight says."""
        if self.method in _BY_ROWS:
            return _BY_ROWS[self.method](X, weight)
        if y is None:
            raise ValueError(
                f"{METHODS[self.method]} compares the classes: give the labels as y, or select by 'count' or 'df'"
            )
        data = _Data.of(X, y, weight)
        if len(data.share) < 2:
            raise DataError(
                f"there is only one class, so {METHODS[self.method]} cannot tell one feature from another",
                "give examples of at least two classes, or select by count or df",
            )
        return _BY_LABELS[self.method](data)

    def columns(self, X: Csr, y: Any = None, weight: Array | None = None) -> NDArray[np.intp]:
        """Return the columns with the highest scores in their order; all of them if there are not more than ``k``."""
        return best(self.scores(X, y, weight), min(self.k, X.n_columns))


@with_parameters
class SelectFeatures(FrameOutput, Estimator):
    """Keep the columns with the highest scores, in scikit-learn's pipelines and alone.

    In front of a text classifier, ``select="chi2:10000"`` of the vectorizers and of ``TextClassifier`` does the same
    before words are weighted.

    Parameters
    ----------
    method : {"chi2", "information-gain", "count", "df"}
        χ² of the classes' totals (values must not be negative), the mutual information of a feature's presence and
        the class, the sum of its values, or in how many rows it is not 0.
    k : int
        How many columns to keep at most.

    Attributes
    ----------
    scores_ : array (features,)
        The score of each column; NaN for χ² of a column that is always 0.
    columns_ : array (at most k,)
        The columns that are kept, in ascending order; equal scores favour the first.

    Examples
    --------
    >>> from lindy import SelectFeatures
    >>> X, y = [[3, 1, 0], [2, 0, 1], [0, 1, 1], [0, 1, 0]], ["a", "a", "b", "b"]
    >>> SelectFeatures(method="chi2", k=1).fit(X, y).columns_
    array([0])
    """

    _wanted = COUNTED
    method: str = "chi2"
    k: int = 10_000
    scores_: Array = fitted()
    columns_: NDArray[np.intp] = fitted()

    def __sklearn_tags__(self) -> Any:
        tags = transformer_tags(preserves_dtype=("float64", "float32"), sparse=True)
        tags.target_tags.required = self.method in _BY_LABELS
        tags.input_tags.positive_only = self.method == "chi2"
        return tags

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Self:
        """Score the columns and choose the best; a row of weight 2 is two rows, and one of weight 0 is none."""
        selection = Selection(self.method, self.k)
        if y is None and selection.uses_labels:
            raise labels_missing(self)
        rows = self._rows(X, reset=True)
        weight = check_weight(sample_weight, rows.shape[0])
        self.scores_ = selection.scores(rows, y, weight)
        self.columns_ = best(self.scores_, min(self.k, rows.n_columns))
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Choose the best columns and return X with only these."""
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """Return X with only the columns that were chosen, as a SciPy CSR matrix."""
        return self.transform_csr(X).to_scipy()

    def transform_csr(self, X: Any) -> Csr:
        """Return the rows with only the columns that were chosen."""
        self._check_fitted()
        return self._rows(X).keep_columns(self.columns_)

    def get_support(self, indices: bool = False) -> NDArray[Any]:
        """Return which columns are kept: a mask, or their numbers."""
        self._check_fitted()
        if indices:
            return self.columns_
        mask = np.zeros(self.n_features_in_, bool)
        mask[self.columns_] = True
        return mask

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the columns that are kept."""
        names: NDArray[Any] = incoming_names(self, input_features)[self.columns_]
        return names
