"""Matrices that break the rules of their own format: ValueError, never a crash, in fit and in predict."""

from __future__ import annotations

import pickle
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from tests.hostile.malformed import DENSE, HUGE, MALFORMED_CSR, ODD_CSR, OTHER_FORMATS, int32, unaligned

from lindy import MultinomialNaiveBayes, _native
from lindy.core.csr import Csr, as_csr

Y = ["a", "b", "a"]


@pytest.fixture(scope="module")
def fitted():
    return MultinomialNaiveBayes().fit(sp.csr_matrix(DENSE), Y)


@pytest.mark.parametrize("X", MALFORMED_CSR.values(), ids=MALFORMED_CSR.keys())
def test_malformed_csr_is_refused(fitted, X):
    for use in (as_csr, lambda X: MultinomialNaiveBayes().fit(X, Y), fitted.predict, fitted.predict_proba):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            use(X)
        assert str(caught.value)


@pytest.mark.parametrize("X", OTHER_FORMATS.values(), ids=OTHER_FORMATS.keys())
def test_malformed_matrices_of_other_formats_are_refused(fitted, X):
    for use in (as_csr, lambda X: MultinomialNaiveBayes().fit(X, Y), fitted.predict):
        with pytest.raises(ValueError):  # noqa: PT011
            use(X)


FORMATS = [
    sp.csr_matrix,
    sp.csc_matrix,
    sp.coo_matrix,
    sp.bsr_matrix,
    sp.dia_matrix,
    sp.lil_matrix,
    sp.dok_matrix,
]
FORMATS += [sp.csr_array, sp.csc_array, sp.coo_array, sp.bsr_array, sp.dia_array, sp.lil_array, sp.dok_array]


@pytest.mark.parametrize("make", FORMATS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int8, np.uint64, bool])
def test_sound_matrices_of_every_format_are_taken(make, dtype):
    csr = as_csr(make(DENSE.astype(dtype)))
    assert csr.values.dtype == (np.float32 if dtype is np.float32 else np.float64)
    np.testing.assert_array_equal(csr.to_dense(), DENSE.astype(dtype))


def test_diagonals_outside_the_matrix_and_given_twice_are_taken():
    """SciPy's own conversion writes outside its arrays for offsets that were changed like this."""
    X = sp.dia_matrix((np.arange(1.0, 17).reshape(4, 4), [0, 1, 2, 3]), shape=(3, 4))
    X.offsets = np.array([0, 1, 1, 2**31 - 1])
    expected = np.array([[1.0, 6 + 10, 0, 0], [0, 2, 7 + 11, 0], [0, 0, 3, 8 + 12]])
    np.testing.assert_array_equal(as_csr(X).to_dense(), expected)


@pytest.mark.parametrize("X", ODD_CSR.values(), ids=ODD_CSR.keys())
def test_odd_but_sound_matrices_are_taken_unchanged(X):
    before = [np.array(part) for part in (X.indptr, X.indices, X.data)]
    csr = as_csr(X)
    np.testing.assert_array_equal(csr.to_dense(), DENSE)
    assert all(part.flags.aligned and part.flags.c_contiguous for part in csr.arrays)
    assert len(csr.indices) == len(csr.values) == csr.indptr[-1]
    for part, old in zip((X.indptr, X.indices, X.data), before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_a_sound_csr_matrix_is_not_copied(monkeypatch: pytest.MonkeyPatch):
    X = sp.csr_matrix(DENSE)
    for threads in (
        1,
        2,
    ):  # that of the test, and as if there were another one, which could change the indices
        monkeypatch.setattr(sys, "_current_frames", lambda threads=threads: dict.fromkeys(range(threads)))
        csr = as_csr(X)
        assert np.shares_memory(csr.values, X.data)
        assert np.shares_memory(csr.indices, X.indices) == (threads == 1)


def test_very_many_columns_cost_nothing():
    X = sp.csr_matrix((np.ones(3), (int32(0, 0, 1), int32(HUGE - 1, 5, 7))), shape=(2, HUGE))
    X.indices = X.indices[::-1].copy()  # not in order, so that duplicates are looked for
    assert as_csr(X).shape == (2, HUGE)


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("n_columns", [9, 5_000_000])  # counted with a byte per column, and by sorting
@pytest.mark.parametrize("row", [None, 0, 1, 253, 254, 255, 256, 511, 699])
def test_a_column_named_twice_is_found_in_any_row(row, n_columns, ordered):
    rng = np.random.default_rng(row)
    rows = [rng.permutation(9)[: rng.integers(8)] for _ in range(700)]
    if row is not None:
        rows[row] = np.array([3, 1, 8, 1, 0])
    rows = [np.sort(columns) if ordered else columns for columns in rows]
    indptr = np.cumsum([0, *map(len, rows)])
    indices = np.concatenate(rows).astype(np.int32)
    assert _native.check_csr(indptr, indices, n_columns) == (-1, row is not None)
    assert _native.check_csr(indptr, indices, 8)[0] == next(i for i, r in enumerate(rows) if 8 in r)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("value", "word"), [(np.nan, "NaN"), (np.inf, "infinity"), (-np.inf, "infinity")])
@pytest.mark.parametrize("make", [np.asarray, *FORMATS])
def test_nan_and_infinity_are_refused_with_row_and_column(fitted, make, value, word, dtype):
    X = DENSE.astype(dtype)
    X[2, 3] = value
    for use in (as_csr, lambda X: MultinomialNaiveBayes().fit(X, Y), fitted.predict):
        with pytest.raises(ValueError, match=rf"{word}.*\(row 2, column 3\)"):
            use(make(X))


@pytest.mark.parametrize("value", [1e300, 1e-300, 5e-324])
@pytest.mark.parametrize("alpha", [1.0, 1e-300, 0.0])
def test_numbers_at_the_ends_of_float64_give_probabilities(value, alpha):
    X = np.array([[1, 0, value], [0, value, 1], [value, value, value], [0, 0, 0]])
    model = MultinomialNaiveBayes(alpha=alpha).fit(X, [0, 1, 0, 1])
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)


def test_sums_and_casts_that_overflow_are_refused_with_row_and_column():
    twice = sp.csr_matrix((np.array([1e308, 1e308]), int32(1, 1), int32(0, 0, 2)), shape=(2, 3))
    with pytest.raises(ValueError, match=r"infinity.*\(row 1, column 1\)"):
        as_csr(twice)
    wide = np.array([[1, np.longdouble("1e4000")]], np.longdouble)
    with pytest.raises(ValueError, match=r"infinity.*\(row 0, column 1\)"):
        as_csr(wide)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csc_matrix, sp.coo_matrix, sp.bsr_matrix, sp.dia_matrix])
def test_random_damage_is_refused_or_harmless(make):
    """Whatever is taken can be counted and scored: no crash, and no value from outside the arrays."""
    rng = np.random.default_rng(8)
    refused = 0
    for _ in range(400):
        X = make(DENSE)
        part = rng.choice(
            [name for name in ("indptr", "indices", "row", "col", "offsets") if hasattr(X, name)]
        )
        numbers = np.array(getattr(X, part))
        numbers[rng.integers(len(numbers))] = rng.choice([-1, 0, 1, 2, 3, 4, 5, 6, 7, HUGE, -HUGE])
        setattr(X, part, numbers)
        try:
            model = MultinomialNaiveBayes().fit(X, Y)
        except ValueError:
            refused += 1
            continue
        assert set(np.unique(as_csr(X).values)) <= set(range(22))
        assert np.isfinite(model.predict_proba(X)).all()
    assert refused > 0 or make is sp.dia_matrix


SOUND = {"indptr": np.array([0, 1, 2]), "indices": int32(0, 1), "values": np.ones(2), "n_columns": 2}


@pytest.mark.parametrize(
    "change",
    [
        {"indptr": np.array([0, 1, 2], np.int32)},
        {"indptr": np.array([0, 5, 2])},
        {"indptr": np.array([1, 1, 2])},
        {"indptr": np.zeros(0, np.int64)},
        {"indptr": [0, 1, 2]},
        {"indices": int32(0, 2)},
        {"indices": int32(-1, 1)},
        {"indices": int32(0, 0, 1, 1)[::2]},
        {"indices": int32(0, 1, 1)},
        {"values": np.ones(2, np.int64)},
        {"values": np.array([1, np.nan])},
        {"values": np.ones((1, 2))},
        {"values": unaligned(np.ones(2))},
        {"n_columns": -1},
        {"n_columns": 2**31},
        {"n_columns": 2.0},
    ],
    ids=str,
)
def test_a_csr_put_together_by_hand_is_checked(fitted, change):
    for method in (fitted.predict, fitted.predict_proba, lambda X: MultinomialNaiveBayes().fit(X, [0, 1])):
        with pytest.raises(ValueError, match=r"Csr|NaN"):
            method(Csr(**(SOUND | change)))


def test_a_csr_is_checked_once(fitted):
    X = Csr(**SOUND)
    assert as_csr(X) is X
    assert X.checked
    assert as_csr(np.eye(2)).checked
    assert X.take(np.array([1])).checked


@pytest.mark.parametrize("weight", [unaligned(np.ones(6)), np.ones(12)[::2], np.ones(6, ">f8"), [1] * 6, 1])
def test_weights_of_any_layout_are_taken(weight):
    X, y = np.eye(6), [0, 1, 2, 0, 1, 2]
    expected = MultinomialNaiveBayes().fit(X, y).W_
    np.testing.assert_array_equal(MultinomialNaiveBayes().fit(X, y, weight).W_, expected)


def test_rows_that_come_in_a_message_lie_where_kernels_can_read_them():
    """Dask makes arrays views of a message, at any address."""
    sent, rows = [], as_csr(sp.csr_matrix(DENSE))
    packed = pickle.dumps(rows, protocol=5, buffer_callback=sent.append)
    assert len(sent) == 3
    views = [unaligned(np.frombuffer(buffer, np.uint8)) for buffer in sent]
    received = pickle.loads(packed, buffers=views)
    assert all(array.flags.aligned for array in received.arrays)
    assert (received.to_scipy() != rows.to_scipy()).nnz == 0
    assert received.checked == rows.checked


def test_a_partition_that_comes_in_a_message_lies_where_kernels_can_read_it():
    from lindy.core.targets import OneLabel
    from lindy.distributed.smooth_tasks import Rows

    sent: list[pickle.PickleBuffer] = []
    part = Rows("part", as_csr(sp.csr_matrix(DENSE)), OneLabel.of([0, 1, 0]))
    packed = pickle.dumps(part, protocol=5, buffer_callback=sent.append)
    views = [unaligned(np.frombuffer(buffer, np.uint8)) for buffer in sent]
    received = pickle.loads(packed, buffers=views)
    assert all(array.flags.aligned for array in (*received.X.arrays, received.y.codes))
    assert received.y.codes.tolist() == [0, 1, 0]


def test_arguments_that_are_sent_to_workers_are_not_views_of_a_message():
    from lindy.distributed.partition_workers import message_of

    message = message_of("run", "sizes", (np.arange(3.0), "x"))
    shifted = memoryview(b"." + message)[1:]  # at an odd address
    weights, word = pickle.loads(shifted)[-1]
    assert weights.tolist() == [0, 1, 2]
    assert weights.flags.aligned
    assert not np.shares_memory(weights, np.frombuffer(shifted, np.uint8))
    assert word == "x"
