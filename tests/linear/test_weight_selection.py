"""Feature selection against scikit-learn's scores, and refitted models."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import pytest
import scipy.sparse
from sklearn.feature_selection import chi2, mutual_info_classif

from lindy.linear.linear_model import LinearClassifier
from lindy.linear.optimizers import minimise
from lindy.linear.problem import Options, Problem
from lindy.linear.weight_selection import best, chi_square, information_gain, refit, weight_scores


class Ridge(LinearClassifier):
    """The smallest learner there is, to test what works for all."""

    def __init__(self, *, l2: float = 0.01) -> None:
        self.l2 = l2

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        data = self._examples(X, y, sample_weight)
        problem = Problem(data.X, data.y, "log", l2=self.l2, weight=data.weight)
        solution = minimise(problem, Options(tol=1e-8), "newton")
        self.W_, self.b_ = solution.W, solution.b
        return self


def counts(seed: int = 0, n_classes: int = 3) -> tuple[scipy.sparse.csr_matrix, np.ndarray]:
    rng = np.random.default_rng(seed)
    y = rng.integers(0, n_classes, 90)
    X = rng.poisson(0.4 + 0.8 * (np.arange(12)[None, :] % n_classes == y[:, None]))
    X[:, 7] = 0
    return scipy.sparse.csr_matrix(X.astype(float)), y


def test_chi_square_is_scikit_learns() -> None:
    X, y = counts()
    statistic, p = chi_square(X, y)
    with np.errstate(all="ignore"):
        expected, expected_p = chi2(X, y)
    np.testing.assert_allclose(statistic, expected, rtol=1e-12)
    np.testing.assert_allclose(p, expected_p, rtol=1e-10)
    assert np.isnan(statistic[7])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_information_gain_is_scikit_learns_mutual_information(n_classes: int) -> None:
    X, y = counts(1, n_classes)
    expected = mutual_info_classif((X > 0).astype(int), y, discrete_features=True)
    np.testing.assert_allclose(information_gain(X, y), expected, atol=1e-12)


def test_weights_count_rows_as_often_as_they_say() -> None:
    X, y = counts()
    times = np.random.default_rng(2).integers(0, 4, len(y))
    repeated = np.repeat(np.arange(len(y)), times)
    for score in (lambda *a: chi_square(*a)[0], information_gain):
        np.testing.assert_allclose(
            score(X, y, times.astype(float)), score(X[repeated], y[repeated]), rtol=1e-10
        )


def test_a_class_without_weight_is_not_there() -> None:
    X, y = counts()
    kept = np.flatnonzero(y != 1)
    weighted = chi_square(X, y, (y != 1).astype(float))
    for found, alone in zip(weighted, chi_square(X[kept], y[kept]), strict=True):
        np.testing.assert_allclose(found, alone)


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="non-negative"):
        chi_square(np.array([[1.0, -1.0], [0.0, 1.0]]), [0, 1])


def test_best_takes_the_highest_the_first_of_equals_and_never_nan() -> None:
    assert best([1.0, np.nan, 3.0, 3.0, 3.0], 3).tolist() == [2, 3, 4]
    assert best([1.0, 3.0, 3.0, 3.0], 2).tolist() == [1, 2]
    with pytest.raises(ValueError, match="between 1 and"):
        best([1.0], 2)


def test_columns_are_kept_in_order() -> None:
    X, _ = counts()
    from lindy.core.csr import as_csr

    kept = as_csr(X).keep_columns([0, 3, 11])
    np.testing.assert_array_equal(kept.to_dense(), X.toarray()[:, [0, 3, 11]])


@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_refitted_model_is_the_model_of_the_chosen_columns(n_classes: int) -> None:
    X, y = counts(3, n_classes)
    whole = Ridge().fit(X, y)
    chosen = best(weight_scores(whole), 4)
    again = refit(whole, X, y, chosen)
    small = Ridge().fit(X[:, chosen], y)
    np.testing.assert_allclose(again.decision_function(X), small.decision_function(X[:, chosen]), atol=1e-12)
    assert np.flatnonzero(np.abs(again.W_).sum(axis=1)).tolist() == chosen.tolist()
    assert again.n_features_in_ == X.shape[1]


def test_a_mask_is_a_choice_of_features_as_in_numpy() -> None:
    X, y = counts(3)
    by_number = refit(Ridge(), X, y, [1, 4, 11])
    mask = np.isin(np.arange(12), [1, 4, 11])
    for features in (mask, mask.tolist(), np.array([1, 4, 11], np.uint8), [1, 4, -1]):
        np.testing.assert_array_equal(refit(Ridge(), X, y, features).W_, by_number.W_)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        ([], "at least one feature"),
        (np.zeros(12, bool), "at least one feature"),
        (np.ones(5, bool), r"a mask of features must have the shape \(12,\); got \(5,\)"),
        ([1, 4, 1], r"different; repeated are \[1\]"),
        ([11, -1], r"different; repeated are \[11\]"),
        ([3, 12], "numbers below 12; got 3 to 12"),
        ([0.5], "whole numbers or a mask"),
        ([[1, 2]], "whole numbers or a mask"),
        (3, "whole numbers or a mask"),
    ],
)
def test_choices_of_features_that_cannot_be(features: Any, message: str) -> None:
    X, y = counts(3)
    with pytest.raises(ValueError, match=message):
        refit(Ridge(), X, y, features)
