"""TfidfTransformer against scikit-learn (to the last bit), its textbook twin, and what it promises."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.feature_extraction.text import TfidfTransformer as Theirs
from sklearn.preprocessing import normalize
from tests.strategies import Labelled, counts, sparse_with_zeros

from lindy.core.csr import Csr, as_csr
from lindy.text import TfidfTransformer
from lindy.textbook import weighting as textbook

OPTIONS = st.fixed_dictionaries(
    {
        "norm": st.sampled_from(["l1", "l2", None]),
        "use_idf": st.booleans(),
        "smooth_idf": st.booleans(),
        "sublinear_tf": st.booleans(),
    }
)
DTYPE = st.sampled_from([np.float32, np.float64, np.int64])


def _random_counts(seed: int, *, whole: bool = True, shape: tuple[int, int] = (300, 500)) -> Any:
    random = np.random.default_rng(seed)
    X = scipy.sparse.random(*shape, density=0.05, format="csr", rng=random)
    X.data = 1 + np.floor(random.exponential(3, X.nnz)) if whole else random.exponential(3, X.nnz)
    return scipy.sparse.csr_matrix(X)


def _assert_same(ours: Any, theirs: Any) -> None:
    assert type(ours) is type(theirs)
    assert ours.dtype == theirs.dtype
    np.testing.assert_array_equal(ours.indptr, theirs.indptr)
    np.testing.assert_array_equal(ours.indices, theirs.indices)
    np.testing.assert_array_equal(ours.data, theirs.data)


@given(counts(), OPTIONS, DTYPE, DTYPE)
def test_equals_scikit_learn(data: Labelled, options: dict[str, Any], dtype: Any, fit_dtype: Any) -> None:
    X = scipy.sparse.csr_matrix(data[0])
    with np.errstate(divide="ignore"):
        theirs = Theirs(**options).fit(X.astype(fit_dtype))
        ours = TfidfTransformer(**options).fit(X.astype(fit_dtype))
    assert hasattr(ours, "idf_") == hasattr(theirs, "idf_")
    if options["use_idf"]:
        np.testing.assert_array_equal(ours.idf_, theirs.idf_)
        assert ours.idf_.dtype == theirs.idf_.dtype
    _assert_same(ours.transform(X.astype(dtype)), theirs.transform(X.astype(dtype)))


@pytest.mark.parametrize("whole", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@settings(max_examples=25)
@given(options=OPTIONS, seed=st.integers(0, 1000))
def test_equals_scikit_learn_on_long_rows(
    whole: bool, dtype: Any, options: dict[str, Any], seed: int
) -> None:
    X = _random_counts(seed, whole=whole).astype(dtype)
    with np.errstate(divide="ignore"):
        _assert_same(TfidfTransformer(**options).fit_transform(X), Theirs(**options).fit_transform(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_norm_max_equals_scikit_learn(dtype: Any) -> None:
    X = _random_counts(1).astype(dtype)
    ours = TfidfTransformer(norm="max").fit_transform(X)
    _assert_same(ours, normalize(Theirs(norm=None).fit_transform(X), norm="max"))


@given(counts(), OPTIONS, st.sampled_from(["l1", "l2", "max", None]), st.sampled_from([1e-6, 1e-12]))
def test_equals_the_textbook(data: Labelled, options: dict[str, Any], norm: str | None, rtol: float) -> None:
    X = data[0]
    dtype = np.float32 if rtol == 1e-6 else np.float64
    tf = textbook.sublinear(X) if options["sublinear_tf"] else X
    if options["use_idf"]:
        tf = tf * textbook.idf(X, options["smooth_idf"])
    with np.errstate(divide="ignore"):
        ours = TfidfTransformer(**options | {"norm": norm}).fit_transform(X.astype(dtype))
    np.testing.assert_allclose(ours.toarray(), textbook.normalised(tf, norm), rtol=rtol)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_threads_do_not_change_a_bit(norm: Any, dtype: Any) -> None:
    X = _random_counts(2, shape=(2000, 300)).astype(dtype)
    one, four = (TfidfTransformer(norm=norm, sublinear_tf=True, n_jobs=n).fit_transform(X) for n in (1, 4))
    _assert_same(one, four)


@given(counts(), OPTIONS, st.integers(1, 4))
def test_parts_fitted_one_by_one_equal_one_fit(data: Labelled, options: dict[str, Any], k: int) -> None:
    X = scipy.sparse.csr_matrix(data[0])
    parts = TfidfTransformer(**options)
    with np.errstate(divide="ignore"):
        whole = TfidfTransformer(**options).fit(X)
        for part in np.array_split(np.arange(X.shape[0]), min(k, X.shape[0])):
            parts.partial_fit(X[part])
    _assert_same(parts.transform(X), whole.transform(X))


def test_copy_false_writes_into_the_matrix_and_copy_true_leaves_it() -> None:
    X = _random_counts(3)
    before = X.copy()
    transformer = TfidfTransformer().fit(X)
    weighted = transformer.transform(X)
    _assert_same(X, before)
    assert not np.shares_memory(weighted.indices, X.indices)
    in_place = transformer.transform(X, copy=False)
    assert np.shares_memory(in_place.data, X.data)
    _assert_same(X, weighted)
    _assert_same(in_place, weighted)


def test_csr_rows_share_their_indices() -> None:
    rows = as_csr(_random_counts(4))
    transformer = TfidfTransformer().fit(rows)
    weighted = transformer.transform_csr(rows)
    assert isinstance(weighted, Csr)
    assert weighted.indices is rows.indices
    _assert_same(weighted.to_scipy(), transformer.transform(rows.to_scipy()))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("norm", ["l1", "l2", "max"])
def test_rows_beyond_the_range_of_squares_are_normalised(norm: Any, dtype: Any) -> None:
    tiny, huge = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    X = np.array([[huge, huge, huge], [tiny, tiny, 0], [0, 0, 0], [huge, tiny, 1]], dtype)
    got = TfidfTransformer(norm=norm, use_idf=False).fit_transform(X).toarray()
    size = {
        "l1": lambda x: np.abs(x).sum(1),
        "l2": lambda x: np.linalg.norm(x, axis=1),
        "max": lambda x: x.max(1),
    }
    np.testing.assert_allclose(size[norm](got.astype(np.float64)), [1, 1, 0, 1], rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("norm", ["l1", "l2", "max", None])
@pytest.mark.parametrize("sublinear_tf", [True, False])
def test_extremes_end_finite(norm: Any, dtype: Any, sublinear_tf: bool) -> None:
    info = np.finfo(dtype)
    X = np.array(
        [[info.max, 0, 1], [info.smallest_subnormal, 0, info.tiny], [0, 0, 0], [0, 1, info.max]], dtype
    )
    for rows in (X, X[:1], sparse_with_zeros(X, dtype)):
        got = TfidfTransformer(norm=norm, sublinear_tf=sublinear_tf).fit_transform(rows)
        assert np.isfinite(got.data).all()


def test_a_word_that_no_document_held_weighs_nothing_without_smoothing() -> None:
    with pytest.warns(RuntimeWarning, match="divide by zero"):
        transformer = TfidfTransformer(smooth_idf=False).fit(np.array([[1.0, 0.0], [2.0, 0.0]]))
    np.testing.assert_array_equal(transformer.transform(np.array([[1.0, 3.0]])).toarray(), [[1, 0]])
    assert np.isinf(transformer.idf_[1])
    params, arrays = transformer.to_state()
    again = TfidfTransformer.from_state(params, arrays)
    np.testing.assert_array_equal(again.transform(np.array([[1.0, 3.0]])).toarray(), [[1, 0]])


@given(counts(), OPTIONS, st.sampled_from([np.float32, np.float64]))
def test_state_round_trip(data: Labelled, options: dict[str, Any], dtype: Any) -> None:
    X = scipy.sparse.csr_matrix(data[0].astype(dtype))
    with np.errstate(divide="ignore"):
        transformer = TfidfTransformer(**options).fit(X)
    params, arrays = transformer.to_state()
    again = TfidfTransformer.from_state(json.loads(json.dumps(params)), arrays)
    assert again.get_params() == transformer.get_params()
    _assert_same(again.transform(X), transformer.transform(X))
    with np.errstate(divide="ignore"):
        _assert_same(again.partial_fit(X).transform(X), transformer.partial_fit(X).transform(X))


@pytest.mark.parametrize(
    "damage",
    [
        lambda params, arrays: arrays.pop("idf"),
        lambda params, arrays: arrays.update(idf=arrays["idf"][:-1]),
        lambda params, arrays: arrays.update(idf=arrays["idf"] * np.nan),
        lambda params, arrays: arrays.update(other=arrays["idf"]),
        lambda params, arrays: arrays.update(idf=np.ones(len(arrays["idf"]), np.int64)),
        lambda params, arrays: arrays.update(n_documents=np.zeros(1, np.int64)),
        lambda params, arrays: arrays.update(document_frequency=-arrays["document_frequency"]),
        lambda params, arrays: params.update(norm="l3"),
        lambda params, arrays: params.update(norm=["l2"]),
        lambda params, arrays: params.update(use_idf="yes"),
        lambda params, arrays: params.update(unknown=1),
    ],
)
def test_a_damaged_state_is_refused(damage: Any) -> None:
    params, arrays = TfidfTransformer().fit(_random_counts(5)).to_state()
    damage(params, arrays)
    with pytest.raises(ValueError, match=r"array|norm|use_idf|parameter"):
        TfidfTransformer.from_state(params, arrays)


def test_wrong_arguments() -> None:
    X = _random_counts(6)
    with pytest.raises(ValueError, match="norm must be"):
        TfidfTransformer(norm="l3").fit(X)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="use_idf must be"):
        TfidfTransformer(use_idf=1).fit(X)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="not negative"):
        TfidfTransformer(sublinear_tf=True).fit_transform(-X)
    with pytest.raises(ValueError, match="expecting 500 features"):
        TfidfTransformer().fit(X).transform(X[:, :3])
    with pytest.raises(ValueError, match="not fitted"):
        TfidfTransformer().transform(X)


def test_clone_keeps_the_parameters() -> None:
    transformer = TfidfTransformer(norm="max", use_idf=False, n_jobs=2)
    assert clone(transformer).get_params() == transformer.get_params()


def test_names_of_columns() -> None:
    transformer = TfidfTransformer().fit(np.ones((2, 2)))
    assert transformer.get_feature_names_out().tolist() == ["x0", "x1"]
    assert transformer.get_feature_names_out(["a", "b"]).tolist() == ["a", "b"]
    with pytest.raises(ValueError, match="length equal to number of features"):
        transformer.get_feature_names_out(["a"])
