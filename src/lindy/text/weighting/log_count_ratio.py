"""Log-count ratios: columns weighed by what they say about the classes (Wang & Manning 2012).

Of the n documents, c_jk of class k hold the word j. Smoothed by α,

    p_jk = α + c_jk                     the word with the class,
    q_jk = α + Σ_k' c_jk' − c_jk        the word without it,
    r_jk = log(p_jk / Σ_j p_jk) − log(q_jk / Σ_j q_jk)

is the weight that naive Bayes over binary counts gives the word for class k against the rest. The columns are
scaled by

    s_jk = floor + |r_jk|

so that the penalty of a linear model is small where a word is telling and large where it is not. floor = 0 is the
paper's scaling (the sign of r makes no difference to a linear model); the larger the floor, the less it matters.

How a one-vs-rest solver uses the scales without K copies of the data
----------------------------------------------------------------------
The problem of class k over the scaled rows x̃_i = s_k ∘ x_i has weights w_k. Keep v_k = s_k ∘ w_k instead:

    scores     w_k · x̃_i = v_k · x_i                          rows as they are
    an update  w_k += a·x̃_i   becomes   v_jk += a·s²_jk·x_ij
    lengths    ‖x̃_i‖² = Σ_j s²_jk·x²_ij                       ``norms(X)**2``, rows × classes, once

so that one pass over a row of X serves all classes, and v is the answer: an ordinary linear model over X. To keep the
meaning of C, divide s_k by √mean_i ‖x̃_i‖². With rows normalised after scaling, x̃_i = s_k ∘ x_i / ‖s_k ∘ x_i‖,
scores and updates are divided by ``norms(X)[i, k]`` and the length is 1; predictions then need the norms too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.csr import Csr, Float
from lindy.core.targets import ManyLabels
from lindy.core.weights import are_whole
from lindy.estimators.base import Examples, thread_count
from lindy.estimators.class_counts import class_counts
from lindy.estimators.parameters import fitted, must, with_parameters
from lindy.estimators.serialization import Shape, check_classes
from lindy.text.weighting.row_weights import column_totals
from lindy.text.weighting.transformer import NORM, Norm, RowTransformer
from lindy.text.weighting.weighted import WeightedVectorizer

COLUMNS_AT_A_TIME = 4096
_MOST_COUNTED = 1 << 24
"""Rows up to which counts in float32 are exact, and a table of the logarithms of all counts is small."""


def log_count_ratio(data: Examples, alpha: float, threads: int) -> Float:
    """Return r, columns × outputs (one for two classes), of the type of X."""
    X, y, weight = data
    if isinstance(y, ManyLabels):
        return _ratio_of_labels(data, y, alpha)
    K = len(y.names)
    ratio = np.empty((X.n_columns, y.n_outputs), X.values.dtype)
    if weight is None:
        _native.log_count_ratio(X, y=y.codes, n_classes=K, alpha=alpha, out=ratio, threads=threads)
        return ratio
    counts = np.empty((X.n_columns, K))
    stored = Csr(X.indptr, X.indices, (X.values != 0).astype(X.values.dtype), X.n_columns, checked=True)
    for k in range(K):
        own = np.flatnonzero(y.codes == k)
        counts[:, k] = column_totals(stored.take(own), weight[own])
    if are_whole(weight) and weight.sum() < _MOST_COUNTED:  # the same bits as of rows that are repeated
        sums = counts.sum(axis=0).astype(np.int64)
        narrow = counts.astype(X.values.dtype)
        _native.log_count_ratio_of_counts(narrow, sums, int(weight.sum()), alpha, ratio, threads)
        return ratio
    ratio[:] = ratio_of_counts(counts, alpha)
    return ratio


def _ratio_of_labels(data: Examples, y: ManyLabels, alpha: float) -> Float:
    """Return r of each label against its absence, from one count of how many rows with it have a column."""
    present = data.X.without_zeros()
    ones = Csr(present.indptr, present.indices, np.ones_like(present.values), present.n_columns)
    counts = class_counts(Examples(ones, y.with_all_rows(), data.weight))
    sums = np.bincount(counts.indices, counts.values, counts.n_columns) + alpha * data.X.n_columns
    with_label, without = sums[:-1], np.maximum(sums[-1] - sums[:-1] + alpha * data.X.n_columns, alpha)
    ratio = np.empty((data.X.n_columns, len(with_label)), data.X.values.dtype)
    for begin in range(0, len(ratio), COLUMNS_AT_A_TIME):
        part = np.arange(begin, min(begin + COLUMNS_AT_A_TIME, len(ratio)))
        count = counts.take(part).to_dense()
        p = alpha + count[:, :-1]
        q = np.maximum(alpha + count[:, -1:] - count[:, :-1], alpha)  # which enormous weights swallow
        ratio[part] = numerics.log((p / with_label) / (q / without))
    return ratio


def ratio_of_counts(count: NDArray[np.float64], alpha: float) -> NDArray[np.float64]:
    """Return r, columns × outputs, of how many rows of each class have a column, or of their weight."""
    p = alpha + count
    q = np.maximum(alpha + count.sum(axis=1, keepdims=True) - count, alpha)  # which enormous weights swallow
    r = numerics.log((p / p.sum(axis=0)) / (q / q.sum(axis=0)))
    return r[:, 1:] if count.shape[1] == 2 else r


@with_parameters
class LogCountRatio(RowTransformer):
    """Rows scaled by the log-count ratios of their columns.

    Parameters
    ----------
    alpha : float
        How many documents of every class, and of the rest, are taken to have held every word.
    floor : float
        What is added to ``|r|``: the weight of a word that says nothing.
    norm : "l1", "l2", "max" or None
        What every row is divided by after the scaling.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    ratio_ : array (features, classes), or (features, 1) for two classes: r of the second against the first
        In float32 for float32 rows, otherwise in float64.
    classes_ : sorted labels
    """

    uses_labels: ClassVar[bool] = True
    ratio_: Float = fitted()
    classes_: NDArray[Any] = fitted()

    alpha: Annotated[float, must("be a finite number above 0", lambda value: 0 < value < np.inf)] = 0.5
    floor: Annotated[float, must("be a finite number ≥ 0", lambda value: 0 <= value < np.inf)] = 1.0
    norm: Annotated[Norm | None, NORM] = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:
        """Count in how many rows of each class a column is not zero, and take the ratios.

        A row of weight 2 is two rows, and one of weight 0 is none.
        """
        if y is None:
            raise ValueError("LogCountRatio requires y to be passed, but the target y is None")
        data = Examples.of(self._rows(X, reset=True), y, sample_weight)
        self.classes_ = data.y.names
        self.ratio_ = log_count_ratio(data, self.alpha, thread_count(self.n_jobs))
        return self

    def transform(self, X: Any, copy: bool = True, *, class_index: int | None = None) -> Any:
        """Return the scaled rows as a SciPy CSR matrix.

        Parameters
        ----------
        X : sparse matrix or array, rows × features
        copy : bool
            False writes over the values of X, if X is a CSR matrix of float32 or float64.
        class_index : int or None
            The class whose scale s_k the rows get, for its problem against the rest. None: the largest s_jk of
            all classes, so that one matrix serves a learner of all classes.
        """
        return self._transformed(X, lambda rows, out: self._scale(rows, out, class_index), copy=copy)

    def transform_csr(self, X: Any, class_index: int | None = None) -> Csr:
        """Return the scaled rows; they share the indices of X."""
        return self._weighted(self._checked(X), lambda rows, out: self._scale(rows, out, class_index))

    def norms(self, X: Any) -> NDArray[np.float64]:
        """Return ‖s_k ∘ x_i‖₂, rows × columns of ``ratio_``: all classes in one pass over the rows."""
        rows = self._checked(X)
        out = np.empty((rows.shape[0], self.ratio_.shape[1]))
        _native.scaled_norms(
            rows, ratios=self.ratio_, floor=self.floor, out=out, threads=thread_count(self.n_jobs)
        )
        return out

    def scales(self) -> Float:
        """Return ``s = floor + |r|``, shaped and typed like ``ratio_``."""
        self._check_fitted()
        s = np.abs(self.ratio_)
        s += self.floor
        return s

    def scale(self, class_index: int | None = None) -> Float:
        """Return the weight of each column: s_k, or the largest of all classes for None."""
        self._check_fitted()
        K = len(self.classes_)
        if class_index is not None and not 0 <= class_index < K:
            raise ValueError(f"class_index must lie in 0..{K - 1}; got {class_index}")
        two = self.ratio_.shape[1] == 1
        ratio = self.ratio_ if class_index is None else self.ratio_[:, [0 if two else class_index]]
        s: Float = np.abs(ratio).max(axis=1)
        s += self.floor
        return s

    def _scale(self, X: Csr, out: Float, class_index: int | None) -> None:
        X.scale_columns(self.scale(class_index), self.norm, out, threads=thread_count(self.n_jobs))

    def _shapes(self) -> dict[str, Shape]:
        return {"ratio": ("F", "columns")}

    @classmethod
    def from_state(
        cls, params: Mapping[str, Any], arrays: Mapping[str, Any], classes: ArrayLike | None = None
    ) -> Self:
        """Return the transformer whose ``to_state`` this was; without ``classes`` they are numbered."""
        made = super().from_state(params, arrays)
        columns = made.ratio_.shape[1]
        made.classes_ = check_classes(np.arange(max(columns, 2)) if classes is None else classes)
        if columns != (len(made.classes_) if len(made.classes_) > 2 else 1):
            raise ValueError(f"array ratio has {columns} columns for {len(made.classes_)} classes")
        return made


@with_parameters
class LogCountRatioVectorizer(WeightedVectorizer):
    r"""Convert texts to a float32 matrix of counts scaled by log-count ratios, every row scaled to length 1.

    It learns from labels: ``fit(texts, y)``. One matrix serves all classes: a term has the largest scale of them.

    Parameters
    ----------
    alpha, floor, norm
        Those of :class:`LogCountRatio`.
    strip_accents, lowercase, stop_words, token_pattern, ngram_range, analyzer, max_df, min_df, max_features
        Those of :class:`CountVectorizer`, and so are ``min_count``, ``select``, ``punctuation`` and ``n_jobs``.
    """

    kind = "log-count-ratio"
    _transformer = LogCountRatio
    alpha: float = 0.5
    floor: float = 1.0
    norm: Norm | None = "l2"
