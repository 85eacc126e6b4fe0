"""What fits of the same rows share: counts by class, rows without some columns, solutions without a proof."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy import TextClassifier, _native
from lindy.core.csr import Csr, nonzero_rows, side_by_side
from lindy.data import read_examples, samples
from lindy.linear import SVM, NaiveBayesSVM
from lindy.text import TfidfVectorizer
from lindy.text.weighting.bm25 import Bm25Vectorizer
from lindy.textbook.weighting import log_count_ratio, without_columns

SEEDS = st.integers(0, 2**32 - 1)


def rows_of(seed: int, dtype: Any = np.float32) -> tuple[np.ndarray[Any, Any], np.random.Generator]:
    rng = np.random.default_rng(seed)
    shape = rng.integers(1, 20), rng.integers(2, 15)
    return (rng.random(shape) * (rng.random(shape) < 0.4)).astype(dtype), rng


@settings(deadline=None)
@given(SEEDS, st.sampled_from([np.float32, np.float64]))
def test_rows_without_columns_equal_the_textbook(seed: int, dtype: Any) -> None:
    X, rng = rows_of(seed, dtype)
    csr, kept = nonzero_rows(X), rng.random(X.shape[1]) < 0.7
    ends = np.array(sorted({int(rng.integers(0, X.shape[1])), X.shape[1]}), np.int64)
    which = rng.integers(0, X.shape[0], rng.integers(0, 10))
    room = int(np.diff(csr.indptr)[which].sum()) + 1
    indptr, indices, values = (
        np.empty(len(which) + 1, np.int64),
        np.empty(room, np.int32),
        np.empty(room, dtype),
    )
    _native.take_kept_columns(csr, which.astype(np.int64), kept.view(np.uint8), ends, indptr, indices, values)
    found = Csr(indptr, indices[: indptr[-1]], values[: indptr[-1]], X.shape[1]).to_dense()
    wanted = without_columns(X.astype(float), kept, ends.tolist())[which]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


@pytest.mark.parametrize("wrong", ["room", "rows", "ends"])
def test_arrays_that_do_not_fit_are_refused(wrong: str) -> None:
    csr = nonzero_rows(np.ones((2, 3), np.float32))
    rows = np.array([0, 2 if wrong == "rows" else 1], np.int64)
    ends = np.array([2 if wrong == "ends" else 3], np.int64)
    room = 6 if wrong == "room" else 7
    with pytest.raises(ValueError, match=r"room|rows|end"):
        _native.take_kept_columns(
            csr,
            rows,
            np.ones(3, np.uint8),
            ends,
            np.empty(3, np.int64),
            np.empty(room, np.int32),
            np.empty(room, np.float32),
        )


@settings(deadline=None)
@given(SEEDS, st.integers(2, 6))
def test_log_count_ratios_are_those_of_the_rows_that_count(seed: int, n_classes: int) -> None:
    X, rng = rows_of(seed)
    csr, y = nonzero_rows(X), rng.integers(0, n_classes, len(X)).astype(np.int32)
    which = rng.random(len(X)) < 0.6
    ratio = np.empty((X.shape[1], n_classes), np.float32)
    counted = np.where(which, y, -1).astype(np.int32)
    _native.log_count_ratio(csr, counted, n_classes, 0.5, ratio, 1)
    np.testing.assert_allclose(
        ratio, log_count_ratio(X[which], y[which], n_classes, 0.5), rtol=1e-5, atol=1e-6
    )


def test_counts_that_no_rows_have_are_refused() -> None:
    counts, sums = np.full((2, 2), 3, np.float32), np.full(2, 6)
    with pytest.raises(ValueError, match="between 0 and the number of rows"):
        _native.log_count_ratio_of_counts(counts, sums, 5, 0.5, np.empty((2, 2), np.float32), 1)


@pytest.fixture(scope="module")
def texts() -> tuple[list[str], np.ndarray[Any, Any]]:
    examples = read_examples(samples.path("reviews-train"))
    return examples.texts.to_pylist()[:400], np.array(examples.labels.to_pylist()[:400])


@pytest.mark.parametrize("kind", [TfidfVectorizer, Bm25Vectorizer])
@pytest.mark.parametrize("threads", [1, 2])
def test_rows_written_beside_others_are_those_of_both(kind: Any, threads: int, texts: Any) -> None:
    words = TfidfVectorizer(n_jobs=threads).fit_csr(texts[0], order="seen")
    options = {"analyzer": "char_wb", "ngram_range": (1, 3), "n_jobs": threads}
    apart = side_by_side([words, kind(**options).fit_csr(texts[0], order="seen")])
    together = kind(**options).fit_csr(texts[0], order="seen", beside=words)
    assert together.n_columns == apart.n_columns
    for found, wanted in zip(together.arrays, apart.arrays, strict=True):
        np.testing.assert_array_equal(found, wanted)


@pytest.mark.parametrize("kind", [SVM, NaiveBayesSVM])
def test_a_fit_without_a_proof_is_as_near_as_it_was_asked_to_be(kind: Any, texts: Any) -> None:
    X = TfidfVectorizer().fit_csr(texts[0])
    weight = (np.arange(len(texts[1])) % 5 > 0).astype(float)
    exact = kind(tol=1e-8).fit(X, texts[1], weight)
    first = kind(tol=1e-3).fit_from(None, X, texts[1])
    rough = kind(tol=5e-3).fit_from(first, X, texts[1], weight, prove=False)
    assert rough.certificate_ is None
    # with other labels nothing that was found out about the rows holds
    other = kind(tol=1e-8).fit_from(first, X, texts[1][::-1], weight)
    alone = kind(tol=1e-8).fit(X, texts[1][::-1], weight)
    np.testing.assert_allclose(other.W_, alone.W_, rtol=1e-2, atol=1e-4)
    assert first.certificate_.reached
    best = exact.objective(X, texts[1], weight)
    assert rough.objective(X, texts[1], weight) <= best * (1 + 1e-2)


@pytest.mark.parametrize("other", [SVM, NaiveBayesSVM])
@pytest.mark.parametrize("kind", [SVM, NaiveBayesSVM])
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_model_of_other_columns_is_a_beginning(kind: Any, other: Any, n_classes: int) -> None:
    """Some solvers are for few columns and some for many: what one of them leaves, the other must be able to take."""
    rng = np.random.default_rng(5)
    y = rng.integers(n_classes, size=90)
    many = (rng.random((90, 1500)) < 0.05) + (rng.random((90, 1500)) < 0.1) * (
        np.arange(1500) % 3 == y[:, None]
    )
    few = many[:, :20].astype(float)
    for X, before in ((few, many.astype(float)), (many.astype(float), few)):
        found = kind(tol=1e-8).fit_from(other(tol=1e-3).fit_from(None, before, y), X, y)
        alone = kind(tol=1e-8).fit(X, y)
        np.testing.assert_allclose(found.W_, alone.W_, rtol=1e-3, atol=1e-4)


def test_a_small_table_is_searched_thoroughly() -> None:
    """Its words are fewer than its rows, and its characters are not."""
    words = ["good fine warm", "bad dull poor"]
    texts = [f"{words[k % 2]} word{k % 7} {words[k % 2 ^ (k % 5 == 0)]}" for k in range(60)]
    model = TextClassifier(thorough=True).fit(texts, ["good" if k % 2 == 0 else "bad" for k in range(60)])
    assert model.score(texts, ["good" if k % 2 == 0 else "bad" for k in range(60)]) > 0.9
