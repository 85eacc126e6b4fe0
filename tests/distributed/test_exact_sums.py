"""Sums have the same bits in any order and grouping, and are those of the textbook."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import _native
from lindy.core.csr import Csr
from lindy.distributed.sums import Sums, exact_sums, exponent_for, fixed_sums
from lindy.textbook import exact_sums as textbook

NUMBERS = st.lists(st.floats(allow_nan=False, allow_infinity=False), max_size=40)


@given(NUMBERS)
def test_exact_sums_are_those_of_whole_numbers(values: list[float]) -> None:
    total = textbook.exact_sum(values)
    limbs = exact_sums(np.array(values, float))
    assert limbs.tolist() == [textbook.limbs_of(total).tolist()]
    if abs(total) <= Fraction(np.finfo(float).max) * textbook.UNIT:
        assert Sums(limbs).values[0] == math.fsum(values)


@given(NUMBERS, st.integers(0, 40), st.integers(0, 40), st.randoms(use_true_random=False))
def test_exact_sums_do_not_depend_on_order_or_grouping(values, first, second, random) -> None:
    whole = exact_sums(np.array(values, float))
    random.shuffle(values)
    cuts = sorted((first, second))
    parts = [values[: cuts[0]], values[cuts[0] : cuts[1]], values[cuts[1] :]]
    sums = [Sums(exact_sums(np.array(part, float))) for part in parts]
    one, other = sums[0].merged(sums[1]).merged(sums[2]), sums[2].merged(sums[0].merged(sums[1]))
    assert one.limbs.tolist() == other.limbs.tolist()
    total = sum(limb << (32 * k) for k, limb in enumerate(one.limbs[0].tolist()))
    assert textbook.limbs_of(total).tolist() == whole[0].tolist()


def test_only_finite_numbers_have_an_exact_sum() -> None:
    with pytest.raises(ValueError, match="only finite numbers"):
        exact_sums(np.array([1.0, np.inf]))


def dense_rows(X: np.ndarray) -> Csr:
    n, m = X.shape
    return Csr(np.arange(n + 1) * m, np.tile(np.arange(m, dtype=np.int32), n), X.ravel(), m)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_outputs", [1, 3])
def test_fixed_sums_are_the_textbooks_and_near_the_product(dtype, n_outputs) -> None:
    rng = np.random.default_rng(0)
    X = (rng.normal(size=(200, 7)) * (rng.random((200, 7)) < 0.5)).astype(dtype)
    R = rng.normal(size=(200, n_outputs)) * 10.0 ** rng.integers(-12, 3, (200, 1))
    R[::5] = 0.0
    exponent = exponent_for(float((np.abs(X).max() * np.abs(R)).sum(axis=0).max()))
    sums = fixed_sums(dense_rows(X), R, exponent)
    assert (sums == textbook.fixed_sum(X.astype(float), R, exponent)).all()
    order = rng.permutation(200)
    parts = [fixed_sums(dense_rows(X[rows]), R[rows], exponent) for rows in np.array_split(order, 6)]
    assert (np.sum(parts, axis=0) == sums).all()
    exact = [
        [
            sum(Fraction(float(x)) * Fraction(r) for x, r in zip(X[:, j], R[:, k], strict=True))
            for k in range(n_outputs)
        ]
        for j in range(7)
    ]
    found = Sums(exact_sums(R), sums).gradient(exponent)
    rounding = 2.0**-53 * np.abs(X).T.astype(float) @ np.abs(R)
    assert (np.abs(found - np.array(exact, float)) <= 200 * 2.0**-exponent + 2 * rounding).all()


def test_an_addend_beyond_the_bound_is_refused() -> None:
    X, sums = dense_rows(np.ones((1, 1))), np.zeros((1, 1), np.int64)
    with pytest.raises(OverflowError, match="exceeds the bound"):
        _native.sum_fixed(X, np.array([[2.0]]), 62, sums)
    with pytest.raises(OverflowError, match="exceeds the bound"):
        _native.sum_fixed(X, np.array([[math.nan]]), 10, sums)
    assert exponent_for(1.0) == 60
    with pytest.raises(ValueError, match="too large"):
        exponent_for(math.inf)


@pytest.mark.parametrize("loss", ["log", "log_ovr", "squared_hinge"])
@pytest.mark.parametrize("n_outputs", [1, 4])
def test_row_losses_and_conjugates_add_up_to_the_mean(loss, n_outputs) -> None:
    rng = np.random.default_rng(1)
    X, y = dense_rows(rng.normal(size=(70, 3))), rng.integers(0, max(2, n_outputs), 70).astype(np.int32)
    native = _native.objective(
        X, y=y, weight=rng.random(70), scale=0.1, loss=loss, n_outputs=n_outputs, threads=1
    )
    S, b = rng.normal(size=(70, n_outputs)), rng.normal(size=n_outputs)
    R, D, R2, D2 = (np.empty((70, n_outputs)) for _ in range(4))
    rows = np.empty(70)
    mean = native.loss(S, b, R, D)
    native.row_losses(S, b, R2, D2, rows)
    assert (R == R2).all()
    assert (D == D2).all()
    assert mean == pytest.approx(rows.sum(), rel=1e-14)
    conjugates = np.empty(70)
    native.row_conjugates(R, conjugates)
    assert native.conjugate(R) == pytest.approx(conjugates.sum(), rel=1e-13)
