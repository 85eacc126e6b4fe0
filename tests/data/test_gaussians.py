"""Toy data: the points come from the Gaussians, and the optimum is optimal."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lindy
from lindy.data import toy_gaussians


def test_points_have_the_means_variances_and_shares_asked_for() -> None:
    toy = toy_gaussians(
        40_000,
        means=[(-1, -1), (1, 2), (5, 0)],
        variances=[1, 0.5, 2],
        priors=[0.5, 0.3, 0.2],
        random_state=4,
    )
    assert len(toy.X_train) == len(toy.X_test) == 20_000
    for X, y in ((toy.X_train, toy.y_train), (toy.X_test, toy.y_test)):
        np.testing.assert_allclose(np.bincount(y) / len(y), [0.5, 0.3, 0.2], atol=1e-4)
        for c, (mean, variance) in enumerate(zip([(-1, -1), (1, 2), (5, 0)], [1, 0.5, 2], strict=True)):
            np.testing.assert_allclose(X[y == c].mean(axis=0), mean, atol=0.1)
            np.testing.assert_allclose(X[y == c].var(axis=0), variance, rtol=0.1)
    assert not np.isin(toy.X_test, toy.X_train).any()


def test_no_learner_beats_the_optimum() -> None:
    toy = toy_gaussians(20_000, random_state=2)
    best = np.mean(toy.source.predict(toy.X_test) == toy.y_test)
    np.testing.assert_allclose(best, 0.9214, atol=0.01)  # Φ(√2), the mass on the right side of x + y = 0
    for kind in (lindy.GaussianNaiveBayes, lindy.SVM, lindy.MaxEnt):
        assert kind().fit(toy.X_train, toy.y_train).score(toy.X_test, toy.y_test) < best + 0.003


def test_the_same_seed_gives_the_same_points() -> None:
    np.testing.assert_array_equal(
        toy_gaussians(random_state=1).X_train, toy_gaussians(random_state=1).X_train
    )
    assert (toy_gaussians(random_state=1).X_train != toy_gaussians(random_state=2).X_train).any()


@pytest.mark.parametrize(
    "wrong",
    [{"n": 1}, {"means": [(0, 0)]}, {"means": [(0, 0, 0), (1, 1, 1)]}, {"variances": 0}, {"test_share": 1.0}],
)
def test_what_cannot_be_drawn_is_refused(wrong: dict) -> None:
    with pytest.raises(ValueError, match="must be"):
        toy_gaussians(**wrong)


@pytest.mark.parametrize("variance", [0.25, 0.5, 1.0, 4.0])
def test_the_best_accuracy_is_that_of_the_normal_distribution(variance: float) -> None:
    """The means are √2 from the line between them: Φ(√2/σ)."""
    exact = 0.5 * (1 + math.erf(math.sqrt(2 / variance) / math.sqrt(2)))
    assert toy_gaussians(variances=variance).source.best_accuracy() == pytest.approx(exact, abs=1e-5)


def test_the_accuracy_of_a_line_is_exact() -> None:
    class Line:
        def predict(self, X: np.ndarray) -> np.ndarray:
            return (X @ [2.0, 1.0] > 0.5).astype(int)

    source = toy_gaussians(priors=(0.8, 0.2), variances=(1.0, 2.0)).source
    below, above = ((0.5 + 3) / math.sqrt(5), (3 - 0.5) / math.sqrt(5) / math.sqrt(2))
    exact = sum(p * 0.5 * (1 + math.erf(z / math.sqrt(2))) for p, z in ((0.8, below), (0.2, above)))
    assert source.accuracy(Line()) == pytest.approx(exact, abs=2e-4)
    assert source.accuracy(Line()) < source.best_accuracy()
