"""Sparse matrices that break the rules of their own format, and some that are only odd."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

DENSE = np.array([[1, 0, 2, 0], [0, 3, 0, 0], [4, 0, 5, 6]], np.float64)
HUGE = 2**31 - 1


def having(**attributes: Any) -> Any:
    """Return a CSR matrix with these attributes set behind SciPy's back."""
    return breaking(sp.csr_matrix(DENSE), **attributes)


def breaking(X: Any, **attributes: Any) -> Any:
    """Return the matrix with these attributes set behind SciPy's back."""
    for name, value in attributes.items():
        setattr(X, name, value)
    return X


def int32(*numbers: int) -> Any:
    """Return an array of indices."""
    return np.array(numbers, np.int32)


def lists(*rows: Any) -> Any:
    """Return an array of lists."""
    array = np.empty(len(rows), object)
    array[:] = rows
    return array


def unaligned(array: Any) -> Any:
    """Return the array at an address that its type does not allow."""
    room = np.zeros(array.nbytes + 1, np.uint8)
    room[1:] = array.view(np.uint8)
    return room[1:].view(array.dtype)


INDPTR, INDICES, DATA = int32(0, 2, 3, 6), int32(0, 2, 1, 0, 2, 3), np.array([1.0, 2, 3, 4, 5, 6])
ROW = int32(0, 0, 1, 2, 2, 2)

MALFORMED_CSR = {
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
ODD_CSR = {
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
