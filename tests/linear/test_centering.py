"""Columns far from zero: the same problem, the same optimum, an end in every case."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from tests.linear.smooth_problems import random_problem

from lindy import SVM, MaxEnt
from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.centering import centred
from lindy.linear.optimizers import minimise
from lindy.linear.problem import Options

MODELS = (
    MaxEnt(),
    MaxEnt(penalty="l1"),
    MaxEnt(penalty=None),
    SVM(),
    SVM(penalty="l1"),
    SVM(loss="hinge"),
    SVM(loss="hinge", penalty="l1"),
    SVM(loss="multiclass_hinge", penalty="l1"),
)


def shifted(dtype: Any = np.float64) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 10))
    y = (X @ rng.normal(size=(10, 3)) + rng.normal(size=(300, 3))).argmax(axis=1)
    return (X + 1000).astype(dtype), y


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("model", MODELS, ids=repr)
@pytest.mark.filterwarnings("error")
def test_every_fit_of_shifted_columns_is_proved(model: SVM | MaxEnt, dtype: Any) -> None:
    X, y = shifted(dtype)
    model.fit(X, y)
    assert model.certificate_.reached
    assert model.objective(X, y) == pytest.approx(model.certificate_.objective, rel=1e-6)


@pytest.mark.parametrize(
    "model", [MaxEnt(), SVM(), SVM(loss="hinge"), SVM(loss="hinge", penalty="l1")], ids=repr
)
@pytest.mark.filterwarnings("error")
def test_a_large_constant_among_texts_is_no_harder(model: SVM | MaxEnt) -> None:
    rng = np.random.default_rng(0)
    texts = sp.random(400, 600, 0.02, format="csr", rng=rng)
    y = (texts @ rng.normal(size=600) > 0).astype(int)
    X = sp.csr_matrix(sp.hstack([texts, np.full((400, 1), 1000.0)]))
    with_constant, without = (type(model)(**model.get_params()).fit(M, y) for M in (X, texts))
    assert with_constant.certificate_.objective == pytest.approx(without.certificate_.objective, rel=2e-4)
    assert with_constant.W_[-1] == 0
    np.testing.assert_array_equal(with_constant.predict(X), without.predict(texts))


def test_only_full_columns_with_a_free_bias_are_moved() -> None:
    problem = random_problem("log", 2, columns=4, density=1.0)
    X = problem.X.to_dense() + np.array([100.0, 0.0, -50.0, 3.0])
    X[:, 3] = 7.0
    far = replace(problem, X=as_csr(X))
    near = centred(far)
    assert near is not None
    np.testing.assert_array_equal(near.shift != 0, [True, False, True, True])
    np.testing.assert_allclose(near.problem.X.to_dense(), X - near.shift)
    assert centred(problem) is None
    assert centred(replace(far, penalize_bias=True)) is None
    assert centred(replace(far, bias=False)) is None
    X[0, :] = 0.0
    assert centred(replace(problem, X=as_csr(sp.csr_matrix(X)))) is None


def test_a_warm_start_is_moved_along() -> None:
    X, y = shifted()
    model = SVM(tol=1e-6, warm_start=True).fit(X, y)
    first, objective = model.n_iter_, model.certificate_.objective
    assert model.fit(X, y).n_iter_ <= first
    assert model.certificate_.objective == pytest.approx(objective, rel=2e-6)
    problem = replace(random_problem("log", 3, columns=10), X=as_csr(X), y=OneLabel.of(y), l1=0.01)
    cold = minimise(problem, Options(tol=1e-8))
    warm = minimise(problem, Options(tol=1e-8, start=cold))
    assert warm.n_iter <= 1
    np.testing.assert_allclose(warm.W, cold.W, atol=1e-5)
