"""Elementary functions and dense algebra against NumPy's, and the same bits at every level and number of threads."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.core import numerics
from tests.instruction_sets import printed_at_every_level

SIZES = st.integers(1, 40)


def matrix(rows: int, columns: int, seed: int) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal((rows, columns))


@pytest.mark.parametrize(
    ("ours", "theirs", "low", "high"),
    [
        (numerics.exp, np.exp, -700, 700),
        (numerics.log, np.log, 1e-300, 1e300),
        (numerics.log1p, np.log1p, -0.999, 1e6),
        (numerics.softplus, lambda x: np.logaddexp(0, x), -700, 700),
        (numerics.sigmoid, lambda x: 1 / (1 + np.exp(-x)), -700, 700),
    ],
)
def test_functions_agree_with_numpy_to_a_few_units_in_the_last_place(ours, theirs, low, high):
    rng = np.random.default_rng(0)
    x = np.concatenate([rng.uniform(low, high, 5000), rng.uniform(max(low, -1), 1, 5000)])
    x = x[x > 0] if ours is numerics.log else x
    np.testing.assert_allclose(ours(x), theirs(x), rtol=2e-15)


def test_cosine_agrees_with_numpy():
    x = np.concatenate([np.random.default_rng(0).uniform(-s, s, 5000) for s in (1e-3, 1, 10, 1e3, 1e6)])
    np.testing.assert_allclose(numerics.cos(x), np.cos(x), rtol=0, atol=3e-16)


def test_functions_at_the_ends_of_the_range():
    ends = np.array([-np.inf, -1000.0, 0.0, 1000.0, np.inf, np.nan])
    np.testing.assert_array_equal(numerics.exp(ends), [0, 0, 1, np.inf, np.inf, np.nan])
    x = np.array([-1.0, 0.0, 1.0, np.inf, np.nan])
    np.testing.assert_array_equal(numerics.log(x), [np.nan, -np.inf, 0, np.inf, np.nan])
    np.testing.assert_allclose(numerics.log([5e-324, 1e-310]), np.log([5e-324, 1e-310]), rtol=1e-15)
    np.testing.assert_allclose(numerics.log1p([1e-20, -1e-20]), [1e-20, -1e-20], rtol=1e-15)
    np.testing.assert_array_equal(numerics.log1p([-1.0, np.inf]), [-np.inf, np.inf])
    assert numerics.log_sum_exp([-np.inf, -np.inf]) == -np.inf
    np.testing.assert_allclose(numerics.log_sum_exp([[1000.0, 1000.0]]), 1000 + np.log(2))
    np.testing.assert_allclose(numerics.softmax([[0.0, np.log(3.0)]]), [[0.25, 0.75]])


@given(SIZES, SIZES, SIZES, st.integers(0, 99))
def test_products_are_sums_in_the_order_of_their_terms(n, k, m, seed):
    a, b = matrix(n, k, seed), matrix(k, m, seed + 1)
    expected = np.zeros((n, m))
    for t in range(k):
        expected += a[:, t : t + 1] * b[t]
    np.testing.assert_array_equal(numerics.matmul(a, b), expected)
    np.testing.assert_array_equal(numerics.matmul(a, b[:, 0]), expected[:, 0])
    np.testing.assert_array_equal(numerics.matmul(a[0], b), expected[0])


def test_large_products_do_not_depend_on_threads():
    a, b = matrix(130, 700, 0), matrix(700, 90, 1)
    np.testing.assert_array_equal(numerics.matmul(a, b, 1), numerics.matmul(a, b, 2))
    np.testing.assert_allclose(numerics.matmul(a, b), a @ b, atol=1e-11)
    np.testing.assert_allclose(numerics.dot(a, 2 * a), 2 * (a * a).sum())


@given(st.integers(1, 70), st.integers(1, 5), st.integers(0, 99))
def test_positive_definite_systems(n, m, seed):
    a = numerics.gram(matrix(n + 3, n, seed)) + 0.1 * np.eye(n)
    b = matrix(n, m, seed + 1)
    x = numerics.solve_positive(a, b)
    assert x is not None
    np.testing.assert_allclose(a @ x, b, atol=1e-9 * np.linalg.cond(a))
    np.testing.assert_array_equal(numerics.solve_positive(a, b[:, 0]), x[:, 0])


def test_what_is_not_positive_definite_has_no_solution():
    assert numerics.solve_positive([[1.0, 2.0], [2.0, 1.0]], [1.0, 1.0]) is None
    assert numerics.solve_positive([[0.0]], [1.0]) is None


@given(
    st.integers(1, 60), st.sampled_from(["full", "low rank", "diagonal", "zero", "equal"]), st.integers(0, 99)
)
def test_eigenvectors(n, kind, seed):
    b = matrix(n, n, seed)
    a = {
        "full": b + b.T,
        "low rank": b[:, :1] * b[:, 0],
        "diagonal": np.diag(b[0]),
        "zero": np.zeros((n, n)),
        "equal": np.ones((n, n)) + np.eye(n),
    }[kind]
    values, vectors = numerics.eigh(a)
    size = max(1.0, np.abs(a).max() * n)
    np.testing.assert_allclose(values, np.linalg.eigvalsh(a), atol=1e-13 * size)
    np.testing.assert_allclose(vectors.T @ vectors, np.eye(n), atol=1e-12)
    np.testing.assert_allclose((vectors * values) @ vectors.T, a, atol=1e-12 * size)


def test_the_shortest_solution_of_a_singular_system():
    a = numerics.gram(matrix(4, 9, 0))  # rank 4 of 9
    b = a @ matrix(9, 2, 1)
    expected = np.linalg.lstsq(a, b, rcond=1e-12)[0]
    np.testing.assert_allclose(numerics.shortest_solution(a, b), expected, atol=1e-10)
    np.testing.assert_allclose(numerics.shortest_solution(a, b[:, 0]), expected[:, 0], atol=1e-10)


def test_the_same_bits_at_every_instruction_set_level():
    printed = printed_at_every_level(
        """
import numpy as np
from lindy.core import numerics as n
rng = np.random.default_rng(0)
a, b = rng.standard_normal((50, 37)), rng.standard_normal((37, 21))
values, vectors = n.eigh(n.gram(a))
parts = [n.exp(a), n.log(np.abs(a)), n.cos(a), n.matmul(a, b), values, vectors]
parts.append(n.solve_positive(n.gram(a), b))
print(b"".join(np.ascontiguousarray(p).tobytes() for p in parts).hex())
"""
    )
    assert len(printed) == 1
