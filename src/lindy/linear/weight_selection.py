"""Selecting features by the weights of a fitted model, and models of some features alone.

``weight_scores`` is the largest |weight| of each feature; ``best`` of the scores, and ``refit`` on what was kept. The
refitted model takes the full rows again: the weights of the features that were left out are zero. Scores that need no
model are in ``lindy.text.vocabulary.feature_selection``.
"""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.csr import as_csr
from lindy.linear.linear_model import LinearClassifier
from lindy.text.vocabulary.feature_selection import best, chi_square, information_gain

__all__ = ["best", "chi_square", "information_gain", "refit", "weight_scores"]

Array = NDArray[np.float64]
Model = TypeVar("Model", bound=LinearClassifier)


def weight_scores(model: LinearClassifier) -> Array:
    """Return the largest absolute weight of each feature over the outputs of a fitted model."""
    model._check_fitted()
    return np.asarray(np.abs(model.W_).max(axis=1), np.float64)


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
    fitted.fit(csr.keep_columns(chosen).to_scipy(), y, sample_weight)  # type: ignore[attr-defined]
    W = np.zeros((csr.n_columns, fitted.W_.shape[1]), fitted.W_.dtype)
    W[chosen] = fitted.W_
    fitted.W_, fitted.n_features_in_ = W, csr.n_columns
    fitted._sparsify_if_smaller()
    return fitted
