"""Hypothesis strategies that several rooms share: small data sets with everything that can go wrong in them."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse
from hypothesis import strategies as st
from numpy.typing import NDArray

Labelled = tuple[NDArray[np.float64], NDArray[np.int64]]


@st.composite
def counts(draw: st.DrawFn, *, max_rows: int = 12, max_columns: int = 8, max_classes: int = 4) -> Labelled:
    """Word counts with a label for each row: empty rows, unseen words and single classes included."""
    rows, columns = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    K = draw(st.integers(1, max_classes))
    cell = st.sampled_from([0, 0, 0, 1, 1, 2, 7])
    X = draw(st.lists(cell, min_size=rows * columns, max_size=rows * columns))
    y = draw(st.lists(st.integers(0, K - 1), min_size=rows, max_size=rows))
    return np.array(X, float).reshape(rows, columns), np.array(y)


@st.composite
def measurements(
    draw: st.DrawFn, *, max_rows: int = 12, max_columns: int = 5, max_classes: int = 3
) -> Labelled:
    """Real numbers of both signs with a label for each row; zeros are frequent."""
    rows, columns = draw(st.integers(1, max_rows)), draw(st.integers(1, max_columns))
    K = draw(st.integers(1, max_classes))
    cell = st.one_of(st.just(0.0), st.floats(-10, 10, allow_subnormal=False).map(lambda v: round(v, 3)))
    X = draw(st.lists(cell, min_size=rows * columns, max_size=rows * columns))
    y = draw(st.lists(st.integers(0, K - 1), min_size=rows, max_size=rows))
    return np.array(X, float).reshape(rows, columns), np.array(y)


def sparse_with_zeros(X: NDArray[np.float64], dtype: Any = np.float64) -> scipy.sparse.csr_array:
    """All cells as stored values, zeros too, with the columns of each row backwards: legal, and unusual."""
    rows, columns = X.shape
    indices = np.tile(np.arange(columns)[::-1], rows).astype(np.int32)
    indptr = np.arange(0, rows * columns + 1, columns)
    return scipy.sparse.csr_array((X[:, ::-1].ravel().astype(dtype), indices, indptr), shape=X.shape)
