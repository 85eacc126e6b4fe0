"""Feature selection: the penalty L0, by scores instead of search.

    chi_square          Σ_k (observed − expected)² / expected of a feature's total in each class
    information_gain    H(Y) − H(Y | word present?), in nats: the mutual information of presence and class
    weight_scores       the largest |weight| of a fitted linear model

then ``best`` of the scores, and ``refit`` on what was kept. The refitted model takes the full rows again: the weights
of the features that were left out are zero.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import numerics
from lindy.csr import Csr, as_csr, keep_columns
from lindy.labels import check_labels, check_weight
from lindy.linear.model import LinearClassifier

Array = NDArray[np.float64]
Model = TypeVar("Model", bound=LinearClassifier)


def _class_totals(X: Csr, values: NDArray[Any], codes: NDArray[np.intp], weight: Array) -> Array:
    """Return Σ_i weight_i·value_ij per class and feature, classes × features."""
    rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
    cells = codes[rows].astype(np.int64) * X.n_columns + X.indices
    K = int(codes.max()) + 1
    totals = np.bincount(cells, values * weight[rows], minlength=K * X.n_columns)
    return totals.astype(np.float64).reshape(K, X.n_columns)


def _data(X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> tuple[Csr, NDArray[np.intp], Array]:
    csr = as_csr(X)
    codes = np.unique(check_labels(y, csr.shape[0]), return_inverse=True)[1]
    weight = check_weight(sample_weight, csr.shape[0])
    return csr, codes, np.ones(csr.shape[0]) if weight is None else weight


def chi_square(X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> tuple[Array, Array]:
    """Return the χ² statistic of every feature against the class, and its p-value.

    Observed is the feature's total in each class, expected its whole total times the share of the class; values
    must not be negative. A feature that never occurs has no statistic (NaN), as in scikit-learn.
    """
    csr, codes, weight = _data(X, y, sample_weight)
    if (csr.values < 0).any():
        raise ValueError("Input X must be non-negative: χ² compares counts")
    observed = _class_totals(csr, csr.values.astype(np.float64), codes, weight)
    share = np.bincount(codes, weight) / weight.sum()
    expected = share[:, None] * observed.sum(axis=0)
    with np.errstate(invalid="ignore", divide="ignore"):
        statistic = ((observed - expected) ** 2 / expected).sum(axis=0)
    from scipy.special import chdtrc

    return statistic, chdtrc(len(share) - 1, statistic)


def information_gain(X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Array:
    """Return the mutual information of "the feature is not zero" and the class, in nats, for every feature."""
    csr, codes, weight = _data(X, y, sample_weight)
    total = weight.sum()
    present = _class_totals(csr, (csr.values != 0).astype(np.float64), codes, weight) / total
    share = np.bincount(codes, weight)[:, None] / total
    gain = np.zeros(csr.n_columns)
    for joint in (present, np.maximum(share - present, 0.0)):
        independent = share * joint.sum(axis=0)
        ratio = np.divide(joint, independent, out=np.ones_like(joint), where=(joint > 0) & (independent > 0))
        gain += (joint * numerics.log(ratio)).sum(axis=0)
    return np.maximum(gain, 0.0)


def weight_scores(model: LinearClassifier) -> Array:
    """Return the largest absolute weight of each feature over the outputs of a fitted model."""
    model._check_fitted()
    return np.asarray(np.abs(model.W_).max(axis=1), np.float64)


def best(scores: ArrayLike, k: int) -> NDArray[np.intp]:
    """Return the k features with the highest scores, in ascending order; NaN counts as lowest, ties go to the first."""
    values = np.nan_to_num(np.asarray(scores, np.float64), nan=-np.inf)
    if not 1 <= k <= len(values):
        raise ValueError(f"k must lie between 1 and the number of features, {len(values)}; got {k}")
    return np.sort(np.argsort(-values, kind="stable")[:k])


def _feature_numbers(features: ArrayLike, n_features: int) -> NDArray[np.intp]:
    """Return features as numbers; they are given as such, or as a mask with True for each that is meant."""
    given = np.asarray(features)
    if given.dtype == np.bool_ and given.shape != (n_features,):
        raise ValueError(f"a mask of features must have the shape ({n_features},); got {given.shape}")
    chosen = np.flatnonzero(given) if given.dtype == np.bool_ else given
    if chosen.size == 0:
        raise ValueError("features must name at least one feature; got none")
    if chosen.ndim != 1 or chosen.dtype.kind not in "iu":
        raise ValueError(f"features must be a list of whole numbers or a mask; got {features!r}")
    if chosen.min() < -n_features or chosen.max() >= n_features:
        raise ValueError(f"features must be numbers below {n_features}; got {chosen.min()} to {chosen.max()}")
    numbers: NDArray[np.intp] = chosen.astype(np.intp)
    numbers[numbers < 0] += n_features  # counted from the end, as in NumPy
    if len(numbers) > np.count_nonzero(times := np.bincount(numbers)):
        raise ValueError(
            f"features must be different; repeated are {np.flatnonzero(times > 1)[:10].tolist()}"
        )
    return numbers


def refit(
    model: Model, X: Any, y: ArrayLike, features: ArrayLike, sample_weight: ArrayLike | None = None
) -> Model:
    """Return a model with the same parameters, fitted on the given features (numbers or a mask) alone.

    It predicts from rows of the full width; the other features have the weight zero.
    """
    csr = as_csr(X)
    chosen = _feature_numbers(features, csr.n_columns)
    fitted = type(model)(**model.get_params(deep=False))
    fitted.fit(keep_columns(csr, chosen).to_scipy(), y, sample_weight)  # type: ignore[attr-defined]
    W = np.zeros((csr.n_columns, fitted.W_.shape[1]), fitted.W_.dtype)
    W[chosen] = fitted.W_
    fitted.W_, fitted.n_features_in_ = W, csr.n_columns
    fitted._sparsify_if_smaller()
    return fitted
