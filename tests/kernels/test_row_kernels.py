"""Kernels of rows: their values, their feature maps, compositions of them, and their matrices."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from lindy.kernels import (
    RBF,
    Cosine,
    Intersection,
    Linear,
    Polynomial,
    check_kernel,
    gram,
    gram_blocks,
)
from lindy.kernels.kernel import kernel_from_dict
from lindy.textbook import kernels as textbook

ROWS = hnp.arrays(
    np.float64,
    st.tuples(st.integers(1, 8), st.just(5)),
    elements=st.sampled_from([0.0, 0.0, 1.0, 0.5, 2.0, 0.25]),
)
TWINS = [
    (Linear(), lambda x, z: float(x @ z)),
    (Polynomial(), textbook.polynomial),
    (Polynomial(3, 0.5, 2.0), lambda x, z: textbook.polynomial(x, z, 3, 0.5, 2.0)),
    (RBF(0.7), lambda x, z: textbook.rbf(x, z, 0.7)),
    (Cosine(), textbook.cosine),
    (Intersection(), textbook.intersection),
]


@pytest.mark.parametrize(("kernel", "twin"), TWINS, ids=[repr(kernel) for kernel, _ in TWINS])
@settings(max_examples=25)
@given(X=ROWS, Z=ROWS)
def test_values_are_those_of_the_textbook(kernel, twin, X, Z):
    expected = [[twin(x, z) for z in Z] for x in X]
    np.testing.assert_allclose(kernel(X, Z), expected, rtol=1e-12, atol=1e-14)
    sparse = kernel(scipy.sparse.csr_matrix(X.astype(np.float32)), Z)
    np.testing.assert_allclose(sparse, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("kernel", [kernel for kernel, _ in TWINS], ids=repr)
@settings(max_examples=15)
@given(
    X=hnp.arrays(np.float64, st.tuples(st.integers(2, 20), st.just(4)), elements=st.floats(0, 3, width=32))
)
def test_matrices_are_symmetric_to_the_bit_and_semidefinite(kernel, X):
    K = kernel(X)
    np.testing.assert_array_equal(K, K.T)
    assert check_kernel(kernel, X).is_kernel


@settings(max_examples=30)
@given(
    X=hnp.arrays(np.float64, (4, 3), elements=st.floats(-4, 4, width=32)),
    y=st.lists(st.integers(0, 2), min_size=4, max_size=4),
)
def test_degree_two_is_the_product_of_the_explicit_features(X, y):
    phi = np.array([textbook.squares_and_products(x) for x in X])
    np.testing.assert_allclose(Polynomial(degree=2)(X), phi @ phi.T, rtol=1e-9, atol=1e-9)
    # and over pairs (x, y): block features have the block form of the kernel
    F = np.array([textbook.block_features(p, c, 3) for p, c in zip(phi, y, strict=True)])
    K = Polynomial(degree=2)(X)
    pairs = [[textbook.pair_kernel(K[i, j], y[i], y[j]) for j in range(4)] for i in range(4)]
    np.testing.assert_allclose(F @ F.T, pairs, rtol=1e-9, atol=1e-9)


def test_ones_are_counted_as_bits_with_the_same_values():
    rng = np.random.default_rng(0)
    X = (rng.random((60, 90)) < 0.3).astype(np.float64)
    halves = Linear()(X / 2) * 4  # no ones: not by bits
    np.testing.assert_array_equal(Linear()(X), X @ X.T)
    np.testing.assert_array_equal(halves, X @ X.T)


def test_sums_products_multiples_and_normalisation():
    X = np.random.default_rng(1).normal(size=(30, 4))
    a, b = RBF(0.5), Polynomial(2)
    A, B = a(X), b(X)
    np.testing.assert_allclose((a + b)(X), A + B)
    np.testing.assert_allclose((a * b)(X), A * B)
    np.testing.assert_allclose((3 * b)(X), 3 * B)
    length = np.sqrt(np.diag(B))
    np.testing.assert_allclose(b.normalized()(X), B / np.outer(length, length), rtol=1e-14)
    nested = (2 * (a + b) * a).normalized()
    assert check_kernel(nested, X).is_kernel
    assert pickle.loads(pickle.dumps(nested)) == nested
    assert kernel_from_dict(json.loads(json.dumps(nested.to_dict()))) == nested


def test_the_normalised_kernel_of_an_empty_row_is_zero():
    K = Linear().normalized()([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(K, [[0, 0], [0, 1]], rtol=1e-15)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_blocks_and_threads_give_the_same_bits(dtype):
    X = scipy.sparse.random(300, 50, 0.2, random_state=0, format="csr", dtype=dtype)
    Z = scipy.sparse.random(77, 50, 0.2, random_state=1, format="csr", dtype=dtype)
    kernel = RBF(0.3) + Intersection()
    whole = gram(kernel, X, Z, n_jobs=1)
    for n_jobs in (2, 4):
        np.testing.assert_array_equal(whole, gram(kernel, X, Z, n_jobs=n_jobs))
    for rows in (1, 7, 300):
        parts = list(gram_blocks(kernel, X, Z, rows=rows))
        assert [first for first, _ in parts] == list(range(0, 300, rows))
        np.testing.assert_array_equal(whole, np.vstack([block for _, block in parts]))
    np.testing.assert_array_equal(gram(kernel, X, Z, dtype="float32"), whole.astype(np.float32))


def test_what_is_no_kernel_says_so():
    distance = -np.abs(np.subtract.outer(np.arange(4.0), np.arange(4.0)))
    report = check_kernel(distance)
    assert report.symmetric
    assert not report.semidefinite
    assert "not positive semi-definite" in str(report)
    crooked = check_kernel([[1.0, 0.5], [0.0, 1.0]])
    assert not crooked.symmetric
    assert "not symmetric (differs by 0.5)" in str(crooked)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Polynomial(degree=0), "degree must be a whole number from 1 to 100; got 0"),
        (lambda: RBF(gamma=0), "gamma must be a finite number above 0; got 0"),
        (lambda: RBF(gamma=float("nan")), "gamma must be a finite number"),
        (lambda: -1 * RBF(), "factor must be a finite number above 0"),
        (lambda: Intersection()([[-1.0]]), "not negative"),
        (lambda: check_kernel(np.ones((2, 3))), "square"),
        (lambda: kernel_from_dict({"name": "sum", "first": 1, "second": 2}), "made of kernels"),
        (lambda: kernel_from_dict({"name": "rbf", "sigma": 2}), "not a kernel"),
        (lambda: kernel_from_dict({"name": "nothing"}), "not a kernel"),
    ],
)
def test_mistakes_are_named(make, message):
    with pytest.raises(ValueError, match=message):
        make()
