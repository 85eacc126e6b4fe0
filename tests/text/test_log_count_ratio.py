"""Log-count ratios against their textbook twin, and the one-vs-rest solver they are made for."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.preprocessing import normalize
from tests.strategies import Labelled, counts, sparse_with_zeros

from lindy.core.csr import Csr, as_csr
from lindy.text import LogCountRatio
from lindy.textbook import weighting as textbook

DTYPE = st.sampled_from([np.float32, np.float64])
ALPHA = st.sampled_from([0.01, 0.5, 1.0, 30.0])


def _tolerance(dtype: Any) -> dict[str, float]:
    return {"rtol": 1e-5, "atol": 1e-5} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-12}


def _expected(data: Labelled, alpha: float) -> Any:
    classes, y = np.unique(data[1], return_inverse=True)
    r = textbook.log_count_ratio(data[0], y, len(classes), alpha)
    return r if len(classes) > 2 else r[:, -1:]


@given(counts(), ALPHA, DTYPE)
def test_ratios_equal_the_textbook(data: Labelled, alpha: float, dtype: Any) -> None:
    for rows in (data[0].astype(dtype), sparse_with_zeros(data[0], dtype)):
        transformer = LogCountRatio(alpha=alpha).fit(rows, data[1])
        assert transformer.ratio_.dtype == dtype
        np.testing.assert_allclose(transformer.ratio_, _expected(data, alpha), **_tolerance(dtype))


@settings(max_examples=60)
@given(counts(), st.sampled_from(["l1", "l2", "max", None]), st.sampled_from([0.0, 1.0]), DTYPE)
def test_rows_are_scaled_and_normalised(data: Labelled, norm: Any, floor: float, dtype: Any) -> None:
    X = data[0].astype(dtype)
    transformer = LogCountRatio(norm=norm, floor=floor).fit(X, data[1])
    S = floor + np.abs(transformer.ratio_)
    np.testing.assert_array_equal(transformer.scales(), S)
    scales = [*S.T, S[:, 0]] if len(S.T) == 1 and len(transformer.classes_) == 2 else [*S.T]
    for k, scale in enumerate(scales):
        got = transformer.transform(X, class_index=k).toarray()
        np.testing.assert_allclose(got, textbook.normalised(data[0] * scale, norm), **_tolerance(dtype))
    strongest = textbook.normalised(data[0] * S.max(axis=1), norm)
    np.testing.assert_allclose(transformer.transform(X).toarray(), strongest, **_tolerance(dtype))


def test_words_that_say_nothing_weigh_exactly_the_floor() -> None:
    X = np.ones((6, 7))
    for labels in ([0, 1, 2, 0, 1, 2], [0] * 6, [0, 1, 1, 0, 0, 0]):
        transformer = LogCountRatio(alpha=0.3, floor=0.25).fit(X, labels)
        assert not transformer.ratio_.any()
        assert (transformer.scales() == 0.25).all()


@given(counts(), st.sampled_from([0.0, 1.0]), DTYPE, DTYPE)
def test_norms_are_those_of_the_scaled_rows(data: Labelled, floor: float, dtype: Any, fit_dtype: Any) -> None:
    transformer = LogCountRatio(floor=floor).fit(data[0].astype(fit_dtype), data[1])
    norms = transformer.norms(data[0].astype(dtype))
    S = floor + np.abs(transformer.ratio_.astype(np.float64))
    expected = np.sqrt(np.einsum("ij,jk->ik", data[0] ** 2, S**2))
    np.testing.assert_allclose(norms, expected, rtol=1e-12)


@given(counts(max_rows=8, max_classes=4))
def test_folding_the_scale_into_the_weights_gives_the_same_updates(data: Labelled) -> None:
    """Passive-aggressive passes over K scaled copies, and over X with v = s ∘ w and the norms, agree."""
    X, y = data[0], np.unique(data[1], return_inverse=True)[1]
    transformer = LogCountRatio().fit(X, data[1])
    S, squared_lengths = transformer.scales(), transformer.norms(X) ** 2
    V, W = np.zeros_like(S), np.zeros_like(S)
    last = len(transformer.classes_) - S.shape[1]
    for k in range(S.shape[1]):
        sign = np.where(y == last + k, 1.0, -1.0)
        scaled = transformer.transform(X, class_index=last + k).toarray()
        for i in range(len(X)):
            length = scaled[i] @ scaled[i]
            if length > 0:
                W[:, k] += max(0.0, 1 - sign[i] * (W[:, k] @ scaled[i])) / length * sign[i] * scaled[i]
                step = max(0.0, 1 - sign[i] * (V[:, k] @ X[i])) / squared_lengths[i, k] * sign[i]
                V[:, k] += step * S[:, k] ** 2 * X[i]
    np.testing.assert_allclose(V, S * W, rtol=1e-6, atol=1e-9)


def test_the_paper_s_formula_for_two_classes() -> None:
    X = np.array([[3.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 2.0, 1.0]])
    ratio = LogCountRatio(alpha=1.0).fit(X, ["good", "good", "bad"]).ratio_
    p, q = np.array([3.0, 2.0, 2.0]), np.array([1.0, 2.0, 2.0])
    np.testing.assert_allclose(ratio[:, 0], np.log((p / p.sum()) / (q / q.sum())), rtol=1e-14)


def test_both_classes_of_two_have_the_same_scale() -> None:
    transformer = LogCountRatio().fit(np.eye(2), ["a", "b"])
    np.testing.assert_array_equal(transformer.scale(0), transformer.scale(1))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_do_not_change_a_bit(dtype: Any) -> None:
    random = np.random.default_rng(0)
    X = scipy.sparse.random(3000, 9000, density=0.005, format="csr", rng=random, dtype=dtype)
    y = random.integers(0, 7, 3000)
    one, four = (LogCountRatio(norm="l2", n_jobs=n).fit(X, y) for n in (1, 4))
    np.testing.assert_array_equal(one.ratio_, four.ratio_)
    np.testing.assert_array_equal(one.norms(X), four.norms(X))
    np.testing.assert_array_equal(one.transform(X, class_index=3).data, four.transform(X, class_index=3).data)
    assert isinstance(one.transform_csr(as_csr(X), 3), Csr)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("norm", ["l1", "l2", "max", None])
def test_extremes_end_finite(norm: Any, dtype: Any) -> None:
    info = np.finfo(dtype)
    X = np.array([[info.max, info.max, 1], [info.smallest_subnormal, 0, 0], [0, 0, 0], [0, 1, 3]], dtype)
    for labels in ([0, 1, 0, 1], [0, 1, 2, 3], [0, 0, 0, 0]):
        transformer = LogCountRatio(norm=norm, alpha=1e-300).fit(X, labels)
        assert np.isfinite(transformer.ratio_).all()
        assert np.isfinite(transformer.norms(X)).all()
        for k in (None, *range(len(transformer.classes_))):
            assert np.isfinite(transformer.transform(X, class_index=k).data).all()


def test_normalised_rows_are_those_of_scikit_learn() -> None:
    random = np.random.default_rng(1)
    X = scipy.sparse.csr_matrix(scipy.sparse.random(50, 80, density=0.1, rng=random))
    transformer = LogCountRatio(norm="l2").fit(X, random.integers(0, 3, 50))
    scaled = X @ scipy.sparse.diags_array(transformer.scales()[:, 1])
    got = transformer.transform(X, class_index=1)
    np.testing.assert_allclose(got.toarray(), normalize(scaled).toarray(), rtol=1e-15)


def test_in_place() -> None:
    X = scipy.sparse.csr_matrix(np.array([[1.0, 2.0], [0.0, 1.0]]))
    transformer = LogCountRatio().fit(X, [0, 1])
    expected = transformer.transform(X, class_index=1)
    transformer.transform(X, copy=False, class_index=1)
    np.testing.assert_array_equal(X.toarray(), expected.toarray())


@given(counts(), DTYPE)
def test_state_round_trip(data: Labelled, dtype: Any) -> None:
    labels = np.array(["c", "a", "b", "d"])[data[1]]
    X = data[0].astype(dtype)
    transformer = LogCountRatio(alpha=0.3, norm="l1").fit(X, labels)
    params, arrays = transformer.to_state()
    again = LogCountRatio.from_state(json.loads(json.dumps(params)), arrays, transformer.classes_)
    assert again.get_params() == transformer.get_params()
    for k in range(len(transformer.classes_)):
        got, expected = (t.transform(X, class_index=k).toarray() for t in (again, transformer))
        np.testing.assert_array_equal(got, expected)
    numbered = LogCountRatio.from_state(params, arrays)
    np.testing.assert_array_equal(numbered.transform(X).toarray(), transformer.transform(X).toarray())


def test_a_damaged_state_is_refused() -> None:
    params, arrays = LogCountRatio().fit(np.eye(3), [0, 1, 2]).to_state()
    with pytest.raises(ValueError, match="3 columns for 4 classes"):
        LogCountRatio.from_state(params, arrays, ["a", "b", "c", "d"])
    with pytest.raises(ValueError, match="finite"):
        LogCountRatio.from_state(params, {"ratio": arrays["ratio"] * np.nan})
    with pytest.raises(ValueError, match="alpha"):
        LogCountRatio.from_state(params | {"alpha": 0.0}, arrays)


def test_wrong_arguments() -> None:
    X = np.eye(3)
    with pytest.raises(ValueError, match="alpha must be"):
        LogCountRatio(alpha=0).fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match="floor must be"):
        LogCountRatio(floor=-1).fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match="requires y"):
        LogCountRatio().fit(X)
    fitted = LogCountRatio().fit(X, [0, 1, 2])
    with pytest.raises(ValueError, match=r"class_index must lie in 0..2; got 3"):
        fitted.transform(X, class_index=3)
    with pytest.raises(ValueError, match="expecting 3 features"):
        fitted.norms(np.eye(4))


def test_clone_keeps_the_parameters() -> None:
    transformer = LogCountRatio(alpha=2.0, floor=0.0, norm="max", n_jobs=1)
    assert clone(transformer).get_params() == transformer.get_params()
