"""Gaussian naive Bayes: in each class, each feature is normally distributed (LxMLS 1.2.1).

    P(x_j | y) = N(μ_yj, σ²_yj)
    log P(x, y) = log P(y) − ½ Σ_j [ log 2πσ²_yj + (x_j − μ_yj)² / σ²_yj ]

With one variance for all classes the terms x_j² are the same for every y, and the classifier is linear:

    W_jy = μ_yj / σ²_j,     b_y = log P(y) − ½ Σ_j μ²_yj / σ²_j

With a variance per class it is quadratic.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from lindy.bayes.class_statistics import Statistics, rows_per_class
from lindy.bayes.counting import AdditiveClassifier
from lindy.bayes.inference import Array, GenerativeClassifier, Log, Prior, check_prior, log_prior
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.errors import invalid_parameter
from lindy.estimators.base import Examples
from lindy.estimators.learners import LearnerSpec
from lindy.estimators.parameters import fitted, must, with_parameters
from lindy.estimators.serialization import Arrays, Shape

ROWS_AT_A_TIME = 4096


@dataclass(frozen=True)
class Moments(Statistics):
    """Means and sums of squared deviations from them, features × classes."""

    mean: Array
    squares: Array
    axes: ClassVar = Statistics.axes | {"mean": ("F", "K"), "squares": ("F", "K")}

    def scaled(self, share: float) -> Moments:
        """Return the moments of rows that count only this share."""
        return Moments(self.class_count * share, self.mean, self.squares * share)

    def pooled(self, other: Moments) -> Moments:
        """Return the moments of both parts: deviations add up, and so does that of the means (Chan et al.)."""
        n = self.class_count + other.class_count
        share = other.class_count / np.where(n > 0, n, 1.0)
        apart = other.mean - self.mean
        squares = self.squares + other.squares + apart**2 * (self.class_count * share)
        return Moments(n, self.mean + apart * share, squares)


@with_parameters
class GaussianNaiveBayes(AdditiveClassifier, GenerativeClassifier):
    """Gaussian naive Bayes with a variance per class, one for all classes, or a given one.

    Parameters
    ----------
    variance : "per-class", "shared", float or array (features,)
        Estimated for every class, estimated once for all classes, or given (LxMLS uses 1).
    var_smoothing : float
        This share of the largest variance of all features is added to every estimated variance.
    class_prior : None, "uniform", array (classes,) or dict from label to probability
        P(y): the classes' shares in the data (None), all the same, or given.

    Attributes
    ----------
    mean_, squares_ : arrays (features, classes), the means and the sums of squared deviations from them
    variance_ : array (features, classes), what the scores use
    class_count_ : array (classes,)
    W_, b_ : the linear form, unless the variance is per class
    """

    spec: ClassVar = LearnerSpec(
        "gaussian-naive-bayes",
        "Gaussian naive Bayes",
        dense=True,
        not_sums="its score is a density over all columns, not a sum over those that a text has",
    )

    _kept: ClassVar = Moments
    mean_: Array = fitted()
    squares_: Array = fitted()
    _state_arrays: ClassVar[dict[str, Shape]] = {
        "mean": ("F", "K"),
        "squares": ("F", "K"),
        "class_count": ("K",),
    }

    variance: Annotated[str | float | ArrayLike, check_variance] = "per-class"
    var_smoothing: Annotated[float, must("be a finite number ≥ 0", lambda value: 0 <= value < np.inf)] = 1e-9
    class_prior: Annotated[Prior, check_prior] = None

    def _measure(self, data: Examples) -> Moments:
        return _moments(data)

    def _estimate(self) -> None:
        n = self.class_count_
        self.log_prior_ = log_prior(self.class_prior, self.classes_, n)
        if not isinstance(self.variance, str):
            given = np.asarray(self.variance, np.float64)
            if given.ndim > 1 or (given.ndim == 1 and len(given) != self.n_features_in_):
                raise ValueError(
                    f"variance must be one number or one for each of {self.n_features_in_} features"
                )
            self.variance_ = np.broadcast_to(given.reshape(-1, 1), self.mean_.shape).copy()
        else:
            within = self.squares_ / np.where(n > 0, n, 1.0)
            if self.variance == "shared":
                within = np.tile(self.squares_.sum(axis=1, keepdims=True) / n.sum(), (1, len(n)))
            centre = numerics.matmul(self.mean_, n) / n.sum()
            with np.errstate(over="ignore", invalid="ignore"):  # refused below, with its reason
                between = numerics.matmul((self.mean_ - centre[:, None]) ** 2, n)
                overall = (self.squares_.sum(axis=1) + between) / n.sum()
            largest = overall.max()
            self.variance_ = within + self.var_smoothing * (largest if largest > 0 else 1.0)
            self.variance_ = np.maximum(self.variance_, np.finfo(float).tiny)
        if not (np.isfinite(self.variance_).all() and np.isfinite(self.mean_).all()):
            raise ValueError(
                "the values of X are too large for their variance to be a number; scale the columns"
            )

    @property
    def W_(self) -> Log:  # noqa: N802
        """μ / σ², features × classes; only where the variance is the same for all classes."""
        self._check_linear()
        return self.mean_ / self.variance_

    @property
    def b_(self) -> Log:
        """Log P(y) − ½ Σ_j μ²/σ²; only where the variance is the same for all classes."""
        self._check_linear()
        bias: Log = self.log_prior_ - 0.5 * (self.mean_**2 / self.variance_).sum(axis=0)
        return bias

    @property
    def separation_(self) -> Array:
        """By how many standard deviations a class's mean lies above that of the others, features × classes."""
        self._check_fitted()
        K = len(self.classes_)
        others = (self.mean_.sum(axis=1, keepdims=True) - self.mean_) / max(K - 1, 1)
        spread = np.sqrt(self.variance_.mean(axis=1, keepdims=True))
        apart: Array = (self.mean_ - others) / spread
        return apart

    def _check_linear(self) -> None:
        self._check_fitted()
        if isinstance(self.variance, str) and self.variance == "per-class":
            raise AttributeError("with a variance per class the classifier is quadratic and has no W_ and b_")

    def _joint_addends(self, row: Csr) -> tuple[Log, Log]:
        """Each stored value adds log N(x_j) − log N(0); the rest is the score of a row of zeros."""
        x = row.values.astype(np.float64)[:, None]
        mean, variance = self.mean_[row.indices], self.variance_[row.indices]
        at_zero = numerics.log(2 * np.pi * self.variance_) + self.mean_**2 / self.variance_
        return x * (mean - 0.5 * x) / variance, self.log_prior_ - 0.5 * at_zero.sum(axis=0)

    def joint_log_proba(self, X: Any) -> Log:
        """Return log P(x, y), a density, rows × classes."""
        self._check_fitted()
        rows = self._rows(X)
        norm = numerics.log(2 * np.pi * self.variance_).sum(axis=0)
        joint: Log = np.empty((rows.shape[0], len(self.classes_)))
        for begin in range(0, rows.shape[0], ROWS_AT_A_TIME):
            block = rows.take(np.arange(begin, min(begin + ROWS_AT_A_TIME, rows.shape[0]))).to_dense()
            for c in range(len(self.classes_)):
                with np.errstate(over="ignore"):
                    distance = ((block - self.mean_[:, c]) ** 2 / self.variance_[:, c]).sum(axis=1)
                joint[begin : begin + len(block), c] = self.log_prior_[c] - 0.5 * (norm[c] + distance)
        return joint

    def _unpack(self, arrays: Arrays) -> None:
        super()._unpack(arrays)
        if (self.squares_ < 0).any() or (self.class_count_ < 0).any() or not self.class_count_.any():
            raise ValueError(
                "stored squares and counts must not be negative, and some class must have been seen"
            )
        self._estimate()


def _moments(data: Examples) -> Moments:
    """Return means and sums of squared deviations (features × classes), and the weight of each class.

    Two passes over the stored values, then the zeros at once: Σ (x − μ)² = Σ_stored (x − μ)² + n_zero·μ².
    """
    X, F, K = data.X, data.X.n_columns, len(data.y.names)
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    weight = np.ones(X.shape[0]) if data.weight is None else data.weight
    n = rows_per_class(data)
    cell = X.indices.astype(np.int64) * K + data.y.codes[rows]
    w, x = weight[rows], X.values.astype(np.float64)

    def total(values: Array) -> Array:
        return np.bincount(cell, values, F * K).astype(np.float64).reshape(F, K)

    with np.errstate(over="ignore", invalid="ignore"):
        mean = total(w * x) / np.where(n > 0, n, 1.0)
        squares = total(w * (x - mean.reshape(-1)[cell]) ** 2) + np.maximum(n - total(w), 0.0) * mean**2
    return Moments(n, mean, squares)


def check_variance(name: str, value: Any) -> None:
    """Refuse an unknown word for the variance, and variances that are none."""
    if isinstance(value, str):
        if value not in ("per-class", "shared"):
            raise invalid_parameter(f"{name} must be 'per-class', 'shared' or given; got {value!r}")
    elif not ((given := np.asarray(value, np.float64)) > 0).all() or np.isinf(given).any():
        raise invalid_parameter(f"a given {name} must be finite and greater than 0; got {value!r}")
