"""Sketches against their textbook twin; near duplicates against all pairs; whose words learners see."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import _native
from lindy.core.csr import as_csr
from lindy.core.image_column import as_images
from lindy.evaluation.audit.duplicates import near_duplicates, near_rows
from lindy.textbook.minhash import jaccard, sketch

SETS = st.lists(st.sets(st.integers(0, 40), max_size=15), min_size=1, max_size=12)


def rows_of(sets: list[set[int]]) -> tuple[np.ndarray, np.ndarray]:
    indptr = np.cumsum([0, *map(len, sets)]).astype(np.int64)
    return indptr, np.array([member for members in sets for member in sorted(members)], np.int32)


@given(SETS, st.sampled_from([1, 4, 32]), st.integers(0, 2**63))
def test_sketches_are_the_textbooks(sets: list[set[int]], bins: int, seed: int) -> None:
    found = np.empty((len(sets), bins), np.uint32)
    for threads in (1, 2):
        _native.minhash(*rows_of(sets), seed, found, threads)
        for members, row in zip(sets, found, strict=True):
            np.testing.assert_array_equal(row, sketch(members, bins, seed))


@given(SETS)
def test_similarities_are_the_textbooks(sets: list[set[int]]) -> None:
    n = len(sets)
    first, second = (np.ascontiguousarray(a.ravel(), np.int64) for a in np.mgrid[:n, :n])
    found = np.empty(n * n)
    _native.jaccard(*rows_of(sets), first, second, found)
    expected = [jaccard(sets[a], sets[b]) for a, b in zip(first, second, strict=True)]
    np.testing.assert_allclose(found, expected)


def test_arrays_that_contradict_are_refused() -> None:
    indptr, indices = rows_of([{1, 2}, {3}])
    out = np.empty((2, 8), np.uint32)
    for bad_indptr, bad_out in (
        (indptr[:-1], out[:1]),
        (np.array([0, 3, 2], np.int64), out),
        (indptr, out[:1]),
        (indptr, np.empty((2, 6), np.uint32)),
        (np.zeros(0, np.int64), out),
    ):
        with pytest.raises(ValueError, match="must"):
            _native.minhash(bad_indptr, indices, 0, bad_out, 1)
    with pytest.raises(ValueError, match="name rows"):
        _native.jaccard(indptr, indices, np.array([0]), np.array([2]), np.empty(1))


def test_near_rows_are_those_of_all_pairs() -> None:
    rng = np.random.default_rng(0)
    base = rng.random((30, 200)) < 0.3
    X = np.vstack(
        [base, base ^ (rng.random(base.shape) < 0.02), rng.random((30, 200)) < 0.3, np.zeros((2, 200))]
    )
    later, earlier, J = near_rows(as_csr(X.astype(float)), 0.7)
    A = X.astype(int)
    both = A @ A.T
    every = both / np.maximum(A.sum(1)[:, None] + A.sum(1) - both, 1)
    expected = {i for i in range(len(X)) if (every[i, :i] >= 0.7).any()}
    assert set(later.tolist()) == expected
    np.testing.assert_allclose(J, every[later, earlier])
    assert (earlier < later).all()


def test_a_text_that_occurs_a_thousand_times_is_cheap() -> None:
    later, _earlier, J = near_duplicates(["the very same words again"] * 1000 + ["", "!"])
    assert later.tolist() == list(range(1, 1000))
    assert (J == 1).all()
    with pytest.raises(ValueError, match="similarity must"):
        near_duplicates(["a"], 0.0)


def test_label_errors_are_found_with_words_and_weights_of_other_rows_alone() -> None:
    from lindy.core.targets import OneLabel
    from lindy.evaluation.audit.table_audit import label_errors
    from lindy.linear import SVM
    from lindy.text import TfidfVectorizer

    texts = [f"{'warm' if i % 2 else 'dull'} book{i % 7} only{i}" for i in range(60)]
    labels = OneLabel(np.array(["bad", "good"]), np.arange(60, dtype=np.int32) % 2)
    seen: list[tuple[set[str], set[str]]] = []

    class Watched(TfidfVectorizer):
        def fit_csr(self, texts: Any, y: Any = None) -> Any:
            rows = super().fit_csr(texts, y=y)
            seen.append((set(texts), set(self.get_feature_names_out().tolist())))
            return rows

    vectorizer = Watched()
    vectorizer.fit_csr(texts)
    assert label_errors(SVM(), texts, labels, 0, vectorizer=vectorizer) == []
    assert len(seen) == 6
    for own, words in seen[1:]:
        assert len(own) == 48
        assert {word for word in words if word.startswith("only")} == {text.split()[2] for text in own}


def test_images_are_near_nothing() -> None:
    assert [len(found) for found in near_duplicates(as_images(np.ones((3, 4, 4))))] == [0, 0, 0]
