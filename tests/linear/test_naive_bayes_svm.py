"""The naive Bayes SVM is the SVM over columns scaled by log-count ratios, class by class."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from tests.strategies import counts, sparse_with_zeros

from lindy.linear import SVM, NaiveBayesSVM
from lindy.textbook.weighting import log_count_ratio


def scaled(X: Any, y: Any, k: int, K: int, alpha: float, floor: float) -> tuple[Any, Any]:
    """Return the rows of class k's problem and the scale of their columns, in plain NumPy."""
    s = floor + np.abs(log_count_ratio(X, y, K, alpha)[:, k])
    length = np.sqrt(np.mean(((X * s) ** 2).sum(axis=1)))
    s = s / (length or 1.0)
    return X * s, s


@settings(max_examples=40, deadline=None)
@given(counts(max_classes=3))
def test_every_class_solves_the_svm_of_its_scaled_rows(data: Any) -> None:
    X, y = data
    y = np.unique(y, return_inverse=True)[1]
    K = int(y.max()) + 1
    assume(K > 1)
    model = NaiveBayesSVM(alpha=0.7, floor=0.5, tol=1e-9).fit(X, y)
    outputs = [1] if K == 2 else list(range(K))
    for column, k in enumerate(outputs):
        rows, s = scaled(X, y, k, K, 0.7, 0.5)
        twin = SVM(tol=1e-9).fit(rows, (y == k).astype(int))
        np.testing.assert_allclose(model.W_[:, column], twin.W_[:, 0] * s, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(model.b_[column], twin.b_[0], rtol=1e-3, atol=1e-4)
    np.testing.assert_allclose(model.certificate_.objective, model.objective(X, y), rtol=1e-5, atol=1e-7)


@settings(max_examples=20, deadline=None)
@given(counts(max_classes=3))
def test_weights_of_two_are_two_rows(data: Any) -> None:
    X, y = data
    assume(len(np.unique(y)) > 1)
    weighted = NaiveBayesSVM(tol=1e-9).fit(X, y, np.full(len(y), 2.0))
    twice = NaiveBayesSVM(tol=1e-9).fit(np.vstack([X, X]), np.concatenate([y, y]))
    np.testing.assert_allclose(weighted.W_, twice.W_, rtol=1e-3, atol=1e-4)


def small() -> tuple[Any, Any]:
    rng = np.random.default_rng(3)
    return rng.poisson(0.4, (60, 30)).astype(float), rng.integers(0, 4, 60)


def test_threads_and_stored_zeros_change_nothing() -> None:
    X, y = small()
    one, two = (NaiveBayesSVM(n_jobs=n).fit(X, y) for n in (1, 2))
    np.testing.assert_array_equal(one.W_, two.W_)
    np.testing.assert_allclose(NaiveBayesSVM().fit(sparse_with_zeros(X), y).W_, one.W_, rtol=1e-4, atol=1e-5)


def test_a_path_equals_separate_fits() -> None:
    X, y = small()
    for model in NaiveBayesSVM(tol=1e-8).path(X, y, [0.1, 1.0, 10.0]):
        alone = NaiveBayesSVM(tol=1e-8, C=model.C).fit(X, y)
        np.testing.assert_allclose(model.W_, alone.W_, rtol=1e-3, atol=1e-4)


@settings(max_examples=20, deadline=None)
@given(counts(max_classes=4))
def test_rows_without_weight_are_rows_that_are_not_there(data: Any) -> None:
    X, y = data
    weight = (np.arange(len(y)) % 3 > 0).astype(float)
    kept = weight > 0
    assume(len(np.unique(y[kept])) == len(np.unique(y)) > 1)
    without = NaiveBayesSVM(tol=1e-9).fit(X[kept], y[kept])
    everything = NaiveBayesSVM(tol=1e-9).fit_from(None, X, y)
    for model in (
        NaiveBayesSVM(tol=1e-9).fit(X, y, weight),
        NaiveBayesSVM(tol=1e-9).fit_from(everything, X, y, weight),
    ):
        np.testing.assert_allclose(model.W_, without.W_, rtol=1e-3, atol=1e-4)
        np.testing.assert_allclose(model.b_, without.b_, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("params", [{"alpha": 0.0}, {"floor": -1.0}, {"C": 0.0}, {"alpha": np.inf}])
def test_senseless_parameters(params: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(params))):
        NaiveBayesSVM(**params).fit([[1.0], [2.0]], [0, 1])
