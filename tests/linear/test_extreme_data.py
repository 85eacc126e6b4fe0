"""Data that breaks careless optimisers: every fit ends, with a finite model or an error that says why."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

from lindy import SVM, MaxEnt
from lindy.errors import ConvergenceWarning

MODELS = [
    SVM(max_iter=100),
    SVM(loss="hinge", max_iter=100),
    SVM(loss="multiclass_hinge", max_iter=100),
    MaxEnt(max_iter=100),
    MaxEnt(multiclass="one-vs-rest", max_iter=100),
    MaxEnt(penalty="l1", max_iter=100),
    MaxEnt(penalty="elasticnet", multiclass="one-vs-rest", max_iter=100),
    MaxEnt(penalty=None, max_iter=100),
    SVM(penalty="l1", max_iter=100),
    SVM(penalty="elasticnet", penalize_intercept=True, max_iter=100),
    SVM(penalty=None, max_iter=100),
    MaxEnt(solver="lbfgs", max_iter=100),
    MaxEnt(solver="newton", max_iter=100),
    SVM(solver="conjugate-gradient", max_iter=100),
    MaxEnt(solver="gradient-descent", max_iter=100),
]


def cases() -> dict[str, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 4))
    return {
        "plain": X,
        "huge column": np.column_stack([X, 1e200 * X[:, 0]]),
        "large column": np.column_stack([X, 1e60 * X[:, 0]]),
        "denormal column": np.column_stack([X, 1e-310 * X[:, 0]]),
        "only denormals": 1e-310 * X,
        "duplicate columns": np.column_stack([X, X, X]),
        "constant columns": np.column_stack([X, np.ones(30), np.full(30, 1e6)]),
        "duplicate rows": np.vstack([X[:3]] * 10),
        "zero rows": np.vstack([X[:15], np.zeros((15, 4))]),
        "all zero": np.zeros((30, 4)),
    }


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", cases())
@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_every_fit_ends(model: SVM | MaxEnt, name: str, n_classes: int) -> None:
    X = cases()[name]
    y = np.arange(len(X)) % n_classes
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        try:
            model.fit(X, y)
        except ValueError as error:
            assert "scale" in str(error), error  # noqa: PT017
        else:
            assert np.isfinite(model.W_).all()
            assert np.isfinite(model.b_).all()
            assert np.isfinite(model.certificate_.gap) == (model.penalty is not None)
            assert set(model.predict(X)) <= set(range(n_classes))


@pytest.mark.parametrize("model", [m for m in MODELS if m.penalty in ("l2", None)], ids=repr)
def test_one_row_per_class(model: SVM | MaxEnt) -> None:
    model.fit([[1.0, 0.0], [0.0, 1.0]], ["a", "b"])
    assert list(model.predict([[1.0, 0.0], [0.0, 1.0]])) == ["a", "b"]


def years_and_incomes() -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng
    X = np.column_stack([rng(2).integers(1950, 2020, 300), rng(3).uniform(1e4, 2e5, 300)])
    return X, (X[:, 1] + 3e4 * rng(4).normal(size=300) > 1e5).astype(int)


def share_of_the_majority(y: np.ndarray) -> float:
    """Return the score of the best model that does not look at X."""
    return float(np.bincount(y).max() / len(y))


@pytest.mark.parametrize(
    "model",
    [
        SVM(),
        MaxEnt(),
        MaxEnt(penalty="l1"),
        SVM(penalty="l1"),
        SVM(loss="hinge"),
        SVM(loss="multiclass_hinge"),
    ],
    ids=repr,
)
def test_columns_of_different_sizes_are_solved(model: SVM | MaxEnt) -> None:
    X, y = years_and_incomes()
    assert model.fit(X, y).certificate_.reached
    assert model.score(X, y) > share_of_the_majority(y)


@pytest.mark.parametrize("scale", [1e4, 1e6])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_one_large_column_among_others_is_no_obstacle(n_classes: int, scale: float) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 5))
    y = np.digitize(X[:, 0], np.linspace(-0.5, 0.5, n_classes - 1))
    X[:, 2] *= scale
    assert MaxEnt().fit(X, y).certificate_.reached


@pytest.mark.parametrize("loss", ["squared_hinge", "hinge", "multiclass_hinge"])
@pytest.mark.parametrize("scale", [1e3, 1e6])
def test_one_column_a_million_times_the_other_is_proved_too(loss: str, scale: float) -> None:
    """The same model as of scaled columns is not asked for: the penalty is another. Its certificate is."""
    X, y = years_and_incomes()
    X[:, 1] *= scale
    model = SVM(loss=loss).fit(X, y)
    assert model.certificate_.reached
    assert model.certificate_.objective < SVM(loss=loss).fit(np.zeros_like(X), y).certificate_.objective / 2
