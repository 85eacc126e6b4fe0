"""Matrices that break the rules of their own format: ValueError, never a crash, in fit and in predict."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from lindy import MultinomialNaiveBayes, _native
from lindy.csr import Csr, as_csr

DENSE = np.array([[1, 0, 2, 0], [0, 3, 0, 0], [4, 0, 5, 6]], np.float64)
Y = ["a", "b", "a"]


def having(**attributes):
    """Return a CSR matrix with these attributes set behind SciPy's back."""
    X = sp.csr_matrix(DENSE)
    for name, value in attributes.items():
        setattr(X, name, value)
    return X


def int32(*numbers):
    return np.array(numbers, np.int32)


INDPTR, INDICES, DATA = int32(0, 2, 3, 6), int32(0, 2, 1, 0, 2, 3), np.array([1.0, 2, 3, 4, 5, 6])
ROW = int32(0, 0, 1, 2, 2, 2)
HUGE = 2**31 - 1

MALFORMED = {
    "column beyond the last": having(indices=int32(0, 2, 1, 0, 2, 4)),
    "column far beyond the last": having(indices=int32(0, 2, 1, 0, 2, HUGE)),
    "negative column": having(indices=int32(0, 2, -1, 0, 2, 3)),
    "most negative column": having(indices=int32(0, 2, -HUGE - 1, 0, 2, 3)),
    "column that wraps to a sound one in 32 bits": having(indices=np.array([0, 2, 1, 0, 2, 2**32 + 3])),
    "column beyond int64": having(indices=np.array([0, 2, 1, 0, 2, 2**64 - 1], np.uint64)),
    "indices are floats": having(indices=INDICES.astype(float)),
    "indices are booleans": having(indices=INDICES.astype(bool)),
    "indices are objects": having(indices=INDICES.astype(object)),
    "indices are strings": having(indices=INDICES.astype(str)),
    "indices in two dimensions": having(indices=INDICES.reshape(2, 3)),
    "indices missing": having(indices=None),
    "indices too short": having(indices=INDICES[:-1]),
    "indices too long": having(indices=int32(0, 2, 1, 0, 2, 3, 3)),
    "indices empty": having(indices=int32()),
    "indptr decreases": having(indptr=int32(0, 3, 2, 6)),
    "indptr goes far and comes back": having(indptr=int32(0, HUGE, 3, 6)),
    "indptr ends beyond the values": having(indptr=int32(0, 2, 3, 7)),
    "indptr ends far beyond the values": having(indptr=np.array([0, 2, 3, 2**62])),
    "indptr does not start at 0": having(indptr=int32(1, 2, 3, 6)),
    "indptr starts below 0": having(indptr=int32(-1, 2, 3, 6)),
    "indptr ends below 0": having(indptr=int32(0, 2, 3, -6)),
    "indptr all negative": having(indptr=int32(-4, -3, -2, -1)),
    "indptr beyond int64": having(indptr=np.array([0, 2, 3, 2**64 - 1], np.uint64)),
    "indptr too short": having(indptr=INDPTR[:-1]),
    "indptr too long": having(indptr=int32(0, 2, 3, 6, 6)),
    "indptr empty": having(indptr=int32()),
    "indptr is floats": having(indptr=INDPTR.astype(float)),
    "indptr is NaN": having(indptr=np.full(4, np.nan)),
    "indptr is objects": having(indptr=INDPTR.astype(object)),
    "indptr in two dimensions": having(indptr=INDPTR.reshape(2, 2)),
    "indptr is one number": having(indptr=np.int32(6)),
    "indptr missing": having(indptr=None),
    "data too short": having(data=np.ones(5)),
    "data too long": having(data=np.ones(7)),
    "data empty": having(data=np.ones(0)),
    "data in two dimensions": having(data=np.ones((6, 1))),
    "data is one number": having(data=np.float64(1)),
    "data is objects": having(data=np.array([1.0, 2, None, 4, 5, 6], object)),
    "data is strings": having(data=np.array(list("123456"))),
    "data is bytes": having(data=np.array([b"1"] * 6)),
    "data is complex": having(data=np.ones(6, complex)),
    "data is dates": having(data=np.zeros(6, "M8[s]")),
    "data is records": having(data=np.zeros(6, [("a", "f8")])),
    "data missing": having(data=None),
    "fewer columns than the indices say": having(_shape=(3, 3)),
    "no columns": having(_shape=(3, 0)),
    "negative columns": having(_shape=(3, -4)),
    "more rows than indptr says": having(_shape=(4, 4)),
    "fewer rows than indptr says": having(_shape=(2, 4)),
    "negative rows": having(_shape=(-3, 4)),
    "rows that are floats": having(_shape=(3.0, 4.0)),
    "one dimension": having(_shape=(3,)),
    "three dimensions": having(_shape=(3, 4, 1)),
    "columns beyond int32": having(_shape=(3, 2**31)),
}


@pytest.fixture(scope="module")
def fitted():
    return MultinomialNaiveBayes().fit(sp.csr_matrix(DENSE), Y)


@pytest.mark.parametrize("X", MALFORMED.values(), ids=MALFORMED.keys())
def test_malformed_csr_is_refused(fitted, X):
    for use in (as_csr, lambda X: MultinomialNaiveBayes().fit(X, Y), fitted.predict, fitted.predict_proba):
        with pytest.raises(ValueError) as caught:  # noqa: PT011
            use(X)
        assert str(caught.value)


def breaking(X, **attributes):
    for name, value in attributes.items():
        setattr(X, name, value)
    return X


def lists(*rows):
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


OTHER_FORMATS = {
    "CSC row beyond the last": breaking(sp.csc_matrix(DENSE), indices=int32(0, 2, 1, 0, 2, 3)),
    "CSC negative row": breaking(sp.csc_matrix(DENSE), indices=int32(0, 2, 1, 0, 2, -1)),
    "CSC far row": breaking(sp.csc_matrix(DENSE), indices=int32(0, 2, 1, 0, 2, HUGE)),
    "CSC indptr decreases": breaking(sp.csc_matrix(DENSE), indptr=int32(0, 3, 2, 5, 6)),
    "CSC indptr beyond the values": breaking(sp.csc_matrix(DENSE), indptr=int32(0, 2, 3, 5, HUGE)),
    "CSC indptr too short": breaking(sp.csc_matrix(DENSE), indptr=int32(0, 2, 6)),
    "CSC data too short": breaking(sp.csc_matrix(DENSE), data=np.ones(2)),
    "CSC of another shape": breaking(sp.csc_matrix(DENSE), _shape=(4, 3)),
    "COO row beyond the last": breaking(sp.coo_matrix(DENSE), row=int32(0, 0, 1, 2, 2, 3)),
    "COO far row": breaking(sp.coo_matrix(DENSE), row=int32(0, 0, 1, 2, 2, HUGE)),
    "COO negative column": breaking(sp.coo_matrix(DENSE), col=int32(0, 2, -1, 0, 2, 3)),
    "COO column that wraps": breaking(
        sp.coo_matrix(DENSE), coords=(ROW, np.array([0, 2, 1, 0, 2, 2**32 + 3]))
    ),
    "COO columns are floats": breaking(sp.coo_matrix(DENSE), coords=(ROW, np.zeros(6))),
    "COO data too short": breaking(sp.coo_matrix(DENSE), data=np.ones(2)),
    "COO rows too short": breaking(sp.coo_matrix(DENSE), row=int32(0, 0)),
    "BSR column beyond the last": breaking(sp.bsr_matrix(DENSE), indices=int32(0, 2, 1, 0, 2, HUGE)),
    "BSR indptr decreases": breaking(sp.bsr_matrix(DENSE), indptr=int32(0, 3, 2, 6)),
    "BSR indptr too short": breaking(sp.bsr_matrix(DENSE), indptr=int32(0, 3)),
    "BSR indptr beyond the values": breaking(sp.bsr_matrix(DENSE), indptr=int32(0, 2, 3, HUGE)),
    "BSR data in two dimensions": breaking(sp.bsr_matrix(DENSE), data=np.ones((6, 1))),
    "DIA data of fewer offsets": breaking(sp.dia_matrix(DENSE), data=np.ones((1, 4))),
    "DIA data in one dimension": breaking(sp.dia_matrix(DENSE), data=np.ones(4)),
    "LIL column beyond the last": breaking(sp.lil_matrix(DENSE), rows=lists([0, 2], [1], [0, 2, HUGE])),
    "LIL more values than columns": breaking(sp.lil_matrix(DENSE), data=lists([1, 2], [3] * 99, [4, 5, 6])),
    "LIL too few rows": breaking(sp.lil_matrix(DENSE), rows=lists([0, 2], [1])),
    "LIL too many rows": breaking(
        sp.lil_matrix(DENSE), rows=lists(*[[1]] * 9999), data=lists(*[[1.0]] * 9999)
    ),
    "DIA offsets missing": breaking(sp.dia_matrix(DENSE), offsets=None),
    "DIA offsets are floats": breaking(sp.dia_matrix(DENSE), offsets=sp.dia_matrix(DENSE).offsets + 0.5),
    "DIA of another shape": breaking(sp.dia_matrix(DENSE), _shape=(3, -4)),
    "LIL rows missing": breaking(sp.lil_matrix(DENSE), rows=None),
}


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


def unaligned(array):
    room = np.zeros(array.nbytes + 1, np.uint8)
    room[1:] = array.view(np.uint8)
    return room[1:].view(array.dtype)


ODD = {
    "big-endian": having(indptr=INDPTR.astype(">i4"), indices=INDICES.astype(">i8"), data=DATA.astype(">f8")),
    "strided": having(indices=np.repeat(INDICES, 2)[::2], data=np.repeat(DATA, 3)[::3]),
    "unaligned": having(
        indptr=unaligned(INDPTR.astype(np.int64)), indices=unaligned(INDICES), data=unaligned(DATA)
    ),
    "lists": having(indptr=INDPTR.tolist(), indices=INDICES.tolist(), data=DATA.tolist()),
    "small unsigned": having(indptr=INDPTR.astype(np.uint8), indices=INDICES.astype(np.uint16)),
    "room behind the last row": having(indices=np.append(INDICES, 99), data=np.append(DATA, np.nan)),
    "columns in another order": having(
        indices=int32(2, 0, 1, 3, 2, 0), data=np.array([2.0, 1, 3, 6, 5, 4]), has_sorted_indices=True
    ),
    "columns twice, denied by the flag": having(
        indptr=int32(0, 3, 4, 7),
        indices=int32(2, 0, 2, 1, 0, 2, 3),
        data=np.array([0.5, 1, 1.5, 3, 4, 5, 6]),
        has_canonical_format=True,
    ),
}


@pytest.mark.parametrize("X", ODD.values(), ids=ODD.keys())
def test_odd_but_sound_matrices_are_taken_unchanged(X):
    before = [np.array(part) for part in (X.indptr, X.indices, X.data)]
    csr = as_csr(X)
    np.testing.assert_array_equal(csr.to_dense(), DENSE)
    assert all(part.flags.aligned and part.flags.c_contiguous for part in csr.arrays)
    assert len(csr.indices) == len(csr.values) == csr.indptr[-1]
    for part, old in zip((X.indptr, X.indices, X.data), before, strict=True):
        np.testing.assert_array_equal(part, old)


def test_a_sound_csr_matrix_is_not_copied():
    X = sp.csr_matrix(DENSE)
    csr = as_csr(X)
    assert np.shares_memory(csr.values, X.data)
    assert np.shares_memory(csr.indices, X.indices)


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
