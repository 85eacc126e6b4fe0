"""Matrices of several large pages, which are written into the memory that counted texts give back."""

from __future__ import annotations

import numpy as np
import pytest

from lindy.text import CountVectorizer, TfidfVectorizer

LARGE_PAGE = 2 << 20


def _texts(n: int, words: int) -> list[str]:
    """Return texts of common and rare words, some of them long enough for a piece of their own."""
    rng = np.random.default_rng(0)
    ranks = np.minimum(rng.zipf(1.3, n * words) - 1, 50_000).reshape(n, words)
    texts = [" ".join(f"w{rank}" for rank in row) for row in ranks.tolist()]
    texts[n // 2] = " ".join(texts[: n // 20])
    return [*texts, "", "w1"]


@pytest.fixture(scope="module")
def texts() -> list[str]:
    return _texts(4000, 250)


@pytest.mark.parametrize("threads", [1, 2])
def test_rows_that_are_counted_are_those_that_are_found(texts: list[str], threads: int) -> None:
    vectorizer = TfidfVectorizer(ngram_range=(1, 2), n_jobs=threads)
    counted = vectorizer.fit_csr(texts, order="seen")
    assert counted.indices.nbytes > 2 * LARGE_PAGE  # else nothing is moved
    found = vectorizer.transform_csr(texts)
    np.testing.assert_array_equal(counted.indptr, found.indptr)
    np.testing.assert_array_equal(counted.indices, found.indices)
    np.testing.assert_array_equal(counted.values, found.values)


def test_two_matrices_at_a_time_do_not_share_their_memory(texts: list[str]) -> None:
    first = CountVectorizer(ngram_range=(1, 2)).fit_csr(texts)
    before = [array.copy() for array in first.arrays]
    second = CountVectorizer(ngram_range=(1, 3), n_jobs=2).fit_csr(texts[::-1])
    for array, copy in zip(first.arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    # what a matrix of pages from several places is given back as can be used again
    del first, second
    again = CountVectorizer(ngram_range=(1, 2)).fit_csr(texts)
    for array, copy in zip(again.arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)
