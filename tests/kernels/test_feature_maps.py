"""Feature maps that approximate a kernel: how near they come, and that linear learners can use them."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse

from lindy import SVM
from lindy.errors import DataError
from lindy.kernels import (
    RBF,
    Nystroem,
    Polynomial,
    RandomFourier,
    Spectrum,
    TensorSketch,
)

X = np.random.default_rng(0).normal(size=(60, 5)) / 2


@pytest.mark.parametrize(
    ("make", "kernel"),
    [
        (lambda D: RandomFourier(gamma=0.4, n_components=D), RBF(0.4)),
        (lambda D: TensorSketch(degree=2, n_components=D), Polynomial(2)),
        (lambda D: TensorSketch(degree=3, gamma=0.5, coef0=2.0, n_components=D), Polynomial(3, 0.5, 2.0)),
    ],
    ids=["fourier", "sketch 2", "sketch 3"],
)
def test_more_features_are_nearer_to_the_kernel(make, kernel):
    K = kernel(X)

    def error(D):
        phi = make(D).fit(X).transform(X)
        return np.sqrt(np.mean((phi @ phi.T - K) ** 2)) / np.sqrt(np.mean(K**2))

    assert error(4096) < 0.08
    assert error(4096) < error(64) / 3  # as 1/√D: an eighth


def test_random_features_are_right_on_average():
    K = Polynomial(2)(X[:4])
    sketches = [TensorSketch(n_components=32, random_state=s).fit_transform(X[:4]) for s in range(500)]
    products = np.array([phi @ phi.T for phi in sketches])
    error = products.std(axis=0) / np.sqrt(len(products))
    assert (np.abs(products.mean(axis=0) - K) < 4 * error).all()


def test_nystroem_of_all_examples_is_the_kernel_itself():
    K = RBF(0.3)(X)
    phi = Nystroem(kernel=RBF(0.3), n_components=100).fit_transform(X)
    assert phi.shape == (60, 60)
    np.testing.assert_allclose(phi @ phi.T, K, atol=1e-6)
    few = Nystroem(kernel="rbf", gamma=0.3, n_components=30).fit(X)
    T = np.random.default_rng(1).normal(size=(20, 5)) / 2
    np.testing.assert_allclose(few.transform(X) @ few.transform(T).T, RBF(0.3)(X, T), atol=0.1)


def test_nystroem_takes_texts():
    texts = ["abcab", "bcabc", "xyz", "xyzzy", ""]
    kernel = Spectrum(2).normalized()
    phi = Nystroem(kernel=kernel, n_components=5).fit_transform(texts)
    np.testing.assert_allclose(phi @ phi.T, kernel(texts), atol=1e-8)


@pytest.mark.parametrize("make", [RandomFourier, Nystroem, TensorSketch])
def test_the_seed_decides_and_sparse_rows_are_the_same(make):
    again = [make(n_components=30, random_state=s).fit_transform(X) for s in (1, 1, 2)]
    np.testing.assert_array_equal(again[0], again[1])
    assert not np.allclose(again[0], again[2])
    sparse = make(n_components=30, random_state=1).fit_transform(scipy.sparse.csr_matrix(X))
    np.testing.assert_array_equal(again[0], sparse)


@pytest.mark.parametrize(
    "features", [RandomFourier(n_components=200), Nystroem(n_components=60), TensorSketch(n_components=200)]
)
def test_a_linear_learner_behind_the_map_solves_rings(features):
    rng = np.random.default_rng(0)
    points = rng.normal(size=(400, 2))
    points *= (np.where(np.arange(400) % 2, 1.0, 2.5) / np.linalg.norm(points, axis=1))[:, None]
    y = np.arange(400) % 2
    phi = features.fit_transform(points)
    assert SVM(C=10.0).fit(phi[:200], y[:200]).score(features.transform(points[200:]), y[200:]) > 0.97


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (RandomFourier(gamma=0.0), "gamma must be"),
        (RandomFourier(n_components=0), "n_components must be"),
        (Nystroem(kernel="no"), "kernel must be one of"),
        (TensorSketch(coef0=-1.0), "coef0 must not be negative"),
    ],
)
def test_mistakes_are_named(features, message):
    with pytest.raises(ValueError, match=message):
        features.fit(X)


MAPS = [
    lambda: RandomFourier(n_components=16),
    lambda: Nystroem(kernel=Polynomial(3), n_components=16),
    lambda: TensorSketch(degree=3, coef0=2.0, n_components=16),
    lambda: TensorSketch(degree=3, coef0=0.0, n_components=16),
]


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("make", MAPS, ids=["fourier", "nystroem", "sketch", "sketch without constant"])
def test_rows_of_zeros_have_finite_features(make, sparse):
    zeros = np.zeros((3, 5))
    phi = make().fit_transform(scipy.sparse.csr_matrix(zeros) if sparse else zeros)
    assert phi.dtype == np.float64
    assert np.isfinite(phi).all()
    if isinstance(make(), TensorSketch):
        np.testing.assert_allclose(phi @ phi.T, np.full((3, 3), make().coef0 ** 3), atol=1e-12)


@pytest.mark.parametrize("make", MAPS, ids=["fourier", "nystroem", "sketch", "sketch without constant"])
def test_features_that_would_not_be_finite_are_an_error_with_the_row(make):
    features = make().fit(X)
    with pytest.raises(DataError, match="features of row 1 are too large"):
        features.transform(np.array([[1.0] * 5, [1e200, -1e200, 1e308, 1e308, 1e308]]))
