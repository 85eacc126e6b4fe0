"""Naive Bayes of thousands of classes: weights are a background and what the counts add to it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.bayes import MultinomialNaiveBayes
from lindy.bayes.inference import laplace
from lindy.core.csr import Csr, as_csr
from lindy.errors import DataError
from lindy.linear.background_weights import BackgroundWeights
from lindy.linear.sparse_weights import SharedWeights


@given(st.integers(0, 1000), st.floats(0.01, 10))
def test_they_are_the_weights_of_the_dense_table(seed: int, k: float) -> None:
    rng = np.random.default_rng(seed)
    n = rng.poisson(0.3, (12, 7)).astype(float)
    counts, total = as_csr(n), n.sum(axis=0)
    never = laplace(np.zeros(7), total, k, k * 12)
    sparse = BackgroundWeights.of_counts(counts, never, lambda own: np.log(own + k) - np.log(k))
    shared = SharedWeights.of_counts(counts, lambda own: laplace(own, total, k, k * 12))
    np.testing.assert_allclose(sparse.dense, shared.dense, atol=1e-12)
    X = as_csr(rng.poisson(0.5, (9, 12)).astype(np.float32))
    b = rng.normal(size=7)
    np.testing.assert_allclose(sparse.scores(X, b), shared.scores(X, b), atol=1e-9)
    features = np.array([3, 3, 0])
    np.testing.assert_allclose(sparse.of(features), shared.of(features), atol=1e-12)
    row = X.take(np.array([0]))
    np.testing.assert_allclose(sparse.contributions(row), shared.contributions(row), atol=1e-12)


def many_classes() -> tuple[Csr, np.ndarray]:
    """Return a row for each of 20,000 classes, with a word of its own and one that all have."""
    K = 20_000
    indices = np.column_stack([np.arange(1, K + 1), np.zeros(K)]).astype(np.int32).reshape(-1)
    values = np.tile(np.array([2.0, 1.0], np.float32), K)
    return Csr(np.arange(0, 2 * K + 1, 2), indices, values, K + 1), np.arange(K)


def test_ten_thousands_of_classes() -> None:
    X, y = many_classes()
    model = MultinomialNaiveBayes(alpha=0.5).fit(X, y)
    assert isinstance(model.shared_weights, BackgroundWeights)
    some = np.array([0, 7, 19_999])
    assert np.array_equal(model.predict(X.take(some)), some)
    found = model.joint_log_proba(X.take(some))
    whole = np.log(3 + 0.5 * 20_001)
    expected = -np.log(20_000) + 2 * (np.log(2.5) - whole) + np.log(1.5) - whole
    np.testing.assert_allclose(found[np.arange(3), some], expected)
    np.testing.assert_allclose(model.predict_proba(X.take(some)).sum(axis=1), 1)
    assert model.weight_sums() is None
    again = MultinomialNaiveBayes.from_state(*model.to_state(), model.classes_)
    assert again.joint_log_proba(X.take(some)).tobytes() == found.tobytes()


def test_what_has_no_background_is_refused_as_before() -> None:
    X, y = many_classes()
    for options in ({"alpha": 0.0}, {"interpolation": 0.9}, {"length": "poisson"}):
        with pytest.raises(DataError, match="more than"):
            MultinomialNaiveBayes(**options).fit(X, y)
