"""BM25 against its textbook twin, and what it promises."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from tests.strategies import Labelled, counts, sparse_with_zeros

from lindy.text import Bm25Transformer
from lindy.textbook import weighting as textbook

IDF = st.sampled_from(["lucene", "robertson", "smooth", None])
NORM = st.sampled_from(["l1", "l2", "max", None])
OPTIONS = st.fixed_dictionaries(
    {
        "k1": st.one_of(st.just(0.0), st.floats(0, 10)),
        "b": st.sampled_from([0.0, 0.3, 0.75, 1.0]),
        "idf": IDF,
        "norm": NORM,
    }
)


def _textbook(X: Any, fitted_on: Any, options: dict[str, Any]) -> Any:
    df, average = textbook.document_frequency(fitted_on), fitted_on.sum(axis=1).mean() or 1.0
    own = {name: options[name] for name in ("k1", "b", "idf")}
    return textbook.normalised(
        textbook.bm25(X, df=df, n=len(fitted_on), average=average, **own), options["norm"]
    )


@settings(max_examples=60)
@given(counts(), counts(), OPTIONS, st.sampled_from([np.float32, np.float64]))
def test_equals_the_textbook(data: Labelled, other: Labelled, options: dict[str, Any], dtype: Any) -> None:
    X, new = data[0], np.resize(other[0], (3, data[0].shape[1]))
    transformer = Bm25Transformer(**options).fit(X.astype(dtype))
    rtol = 1e-5 if dtype == np.float32 else 1e-11
    for rows in (X, new):
        expected = _textbook(rows, X, options)
        for form in (rows.astype(dtype), sparse_with_zeros(rows, dtype)):
            got = transformer.transform(form)
            assert got.dtype == dtype
            np.testing.assert_allclose(got.toarray(), expected, rtol=rtol, atol=rtol)


def test_the_worked_formula() -> None:
    X = np.array([[2.0, 1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 4.0]])
    weight = Bm25Transformer(k1=1.2, b=0.75, idf="robertson").fit_transform(X).toarray()
    average = 8 / 3
    for row, column, length, df in [(0, 0, 3, 1), (0, 1, 3, 2), (1, 1, 1, 2), (2, 2, 4, 1)]:
        tf, idf = X[row, column], np.log((3 - df + 0.5) / (df + 0.5))
        expected = idf * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / average))
        assert weight[row, column] == pytest.approx(expected, rel=1e-14)


def test_repetition_saturates_and_length_discounts() -> None:
    transformer = Bm25Transformer(k1=1.2, b=0.75).fit(np.ones((4, 3)))
    rows = np.array([[1.0, 0, 0], [2, 0, 0], [1000, 0, 0], [1, 9, 9]])
    weight = transformer.transform(rows).toarray()[:, 0] / transformer.idf_[0]
    assert weight[3] < weight[0] < weight[1] < 2.2
    np.testing.assert_allclose(
        Bm25Transformer(k1=0, idf=None).fit(rows).transform(rows).toarray(), (rows > 0).astype(float)
    )


@given(counts(), OPTIONS, st.integers(1, 4))
def test_parts_fitted_one_by_one_equal_one_fit(data: Labelled, options: dict[str, Any], k: int) -> None:
    X = scipy.sparse.csr_matrix(data[0])
    whole, parts = Bm25Transformer(**options).fit(X), Bm25Transformer(**options)
    for part in np.array_split(np.arange(X.shape[0]), min(k, X.shape[0])):
        parts.partial_fit(X[part])
    np.testing.assert_array_equal(parts.transform(X).data, whole.transform(X).data)
    assert parts.average_length_ == whole.average_length_


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("norm", ["l1", "l2", "max", None])
@pytest.mark.parametrize("k1", [0.0, 1.2, 1e300])
@pytest.mark.parametrize("b", [0.0, 1.0])
def test_extremes_end_finite(norm: Any, dtype: Any, k1: float, b: float) -> None:
    info = np.finfo(dtype)
    X = np.array([[info.max, info.max, 1], [info.smallest_subnormal, 0, 0], [0, 0, 0], [0, 1, 3]], dtype)
    for rows in (X, X[:1], X[1:2], X[2:3], sparse_with_zeros(X, dtype)):
        got = Bm25Transformer(norm=norm, k1=k1, b=b).fit(rows).transform(X)
        assert np.isfinite(got.data).all()


def test_threads_do_not_change_a_bit() -> None:
    X = scipy.sparse.random(2000, 300, density=0.05, format="csr", rng=np.random.default_rng(0))
    one, four = (Bm25Transformer(norm="l2", n_jobs=n).fit_transform(X) for n in (1, 4))
    np.testing.assert_array_equal(one.data, four.data)


@given(counts(), OPTIONS)
def test_state_round_trip(data: Labelled, options: dict[str, Any]) -> None:
    transformer = Bm25Transformer(**options).fit(data[0])
    params, arrays = transformer.to_state()
    again = Bm25Transformer.from_state(json.loads(json.dumps(params)), arrays)
    assert again.get_params() == transformer.get_params()
    for _ in range(2):
        got, expected = again.transform(data[0]), transformer.transform(data[0])
        np.testing.assert_array_equal(got.toarray(), expected.toarray())
        again.partial_fit(data[0])
        transformer.partial_fit(data[0])


@pytest.mark.parametrize(
    "damage",
    [
        lambda params, arrays: params.update(k1="much"),
        lambda params, arrays: params.update(b=2.0),
        lambda params, arrays: arrays.update(total_length=np.full(1, np.inf)),
        lambda params, arrays: arrays.update(n_documents=np.ones(1)),
        lambda params, arrays: arrays.pop("total_length"),
    ],
)
def test_a_damaged_state_is_refused(damage: Any) -> None:
    params, arrays = Bm25Transformer().fit(np.ones((2, 2))).to_state()
    damage(params, arrays)
    with pytest.raises(ValueError, match=r"array|parameters|b must"):
        Bm25Transformer.from_state(params, arrays)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"k1": -1}, "k1 must be"),
        ({"k1": np.inf}, "k1 must be"),
        ({"b": 1.5}, "b must lie"),
        ({"b": np.nan}, "b must lie"),
        ({"idf": "bm25"}, "idf must be"),
        ({"norm": "l3"}, "norm must be"),
    ],
)
def test_wrong_arguments(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bm25Transformer(**options).fit(np.ones((2, 2)))


def test_negative_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="Negative values"):
        Bm25Transformer().fit(-np.ones((2, 2)))
    with pytest.raises(ValueError, match="Negative values"):
        Bm25Transformer().fit(np.ones((2, 2))).transform(-np.ones((2, 2)))


def test_clone_keeps_the_parameters() -> None:
    transformer = Bm25Transformer(k1=2, b=0.1, idf=None, norm="l2", n_jobs=2)
    assert clone(transformer).get_params() == transformer.get_params()
