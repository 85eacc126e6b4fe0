"""Weights of classes: what "balanced" counts, what a dict may name."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.oracles import logistic_regression, radius

from lindy import SVM, KernelSVM, MaxEnt, Mira, NaiveBayesSVM, Perceptron


def weighted_data(seed: int = 0) -> tuple[Any, Any, Any]:
    """Three classes of different size, and whole weights that make them differ otherwise."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], [50, 20, 10])
    X = np.abs(rng.normal(size=(len(y), 6))) + np.eye(3, 6)[y]
    return X, y, rng.integers(0, 4, len(y)) + 2 * (y == 1)


def same_weights(ours: MaxEnt, theirs: Any, total: float) -> None:
    """C = 1 makes the penalty l2 = 1/Σ weights."""
    atol = 1e-6 + radius(ours.certificate_.gap, 1 / total)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=atol)


def test_balanced_counts_weights_as_scikit_learn_does() -> None:
    X, y, weight = weighted_data()
    ours = MaxEnt(class_weight="balanced", tol=1e-12).fit(X, y, weight)
    theirs = logistic_regression(X, y, weight, class_weight="balanced")
    same_weights(ours, theirs, weight.sum())


@pytest.mark.parametrize(
    "model",
    [
        MaxEnt(tol=1e-10),
        SVM(tol=1e-10),
        NaiveBayesSVM(tol=1e-10),
        KernelSVM(kernel="rbf", tol=1e-8),
        Perceptron(epochs=3),
        Mira(epochs=3),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_weight_of_k_is_k_copies_when_balanced(model: Any) -> None:
    X, y, weight = weighted_data()
    model.set_params(class_weight="balanced")
    weighted = model.fit(X, y, weight).decision_function(X)
    copied = model.fit(np.repeat(X, weight, axis=0), np.repeat(y, weight)).decision_function(X)
    np.testing.assert_allclose(weighted, copied, rtol=1e-3, atol=1e-3)


@pytest.mark.parametrize("model", [MaxEnt(), SVM(), Perceptron(), KernelSVM()])
@pytest.mark.parametrize("value", [-1, np.nan, np.inf, "2", None])
def test_weights_of_classes_that_cannot_be(model: Any, value: Any) -> None:
    X, y, _ = weighted_data()
    with pytest.raises(ValueError, match="class_weight must give finite numbers of at least 0; got"):
        model.set_params(class_weight={0: value}).fit(X, y)


def test_weights_of_classes_that_are_no_dict() -> None:
    X, y, _ = weighted_data()
    with pytest.raises(ValueError, match="class_weight must be 'balanced', a dict or None; got"):
        MaxEnt(class_weight=[1.0, 2.0]).fit(X, y)  # type: ignore[arg-type]


def test_unknown_labels_are_refused_where_scikit_learn_refuses_them() -> None:
    X, y, _ = weighted_data()
    with pytest.raises(ValueError, match=r"labels that no example has: \[7\]; there are \[0, 1, 2\]"):
        MaxEnt(class_weight={7: 2.0}).fit(X, y)
    for weights in ({0: 2.0}, {0: 2.0, 1: 1.0, 2: 1.0, 7: 3.0}):
        ours = MaxEnt(class_weight=weights, tol=1e-12).fit(X, y)
        theirs = logistic_regression(X, y, class_weight=weights)
        same_weights(ours, theirs, sum(weights.get(label, 1.0) for label in y.tolist()))
