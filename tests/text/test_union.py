"""Words and characters side by side."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as Reference
from sklearn.pipeline import FeatureUnion
from text_strategies import corpora

from lindy.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
    UnionVectorizer,
    vectorizer_from_state,
)
from lindy.text.union import side_by_side

TEXTS = ["the cat sat", "a dog", "", "the dog sat on the cat"]


def words_and_characters(kind: Any = CountVectorizer) -> list[tuple[str, Any]]:
    return [("word", kind(ngram_range=(1, 2))), ("char", kind(analyzer="char_wb", ngram_range=(2, 3)))]


@settings(max_examples=50, deadline=None)
@given(corpora())
def test_equals_scikit_learns_union(texts: list[str]) -> None:
    texts = [*texts, "some words"]
    union = UnionVectorizer(vectorizers=words_and_characters())
    reference = FeatureUnion(words_and_characters(Reference))
    expected = reference.fit_transform(texts).toarray()
    np.testing.assert_array_equal(union.fit_transform(text for text in texts).toarray(), expected)
    np.testing.assert_array_equal(union.transform(texts).toarray(), reference.transform(texts).toarray())
    assert union.get_feature_names_out().tolist() == reference.get_feature_names_out().tolist()


def test_state_and_parts() -> None:
    union = UnionVectorizer(vectorizers=words_and_characters(TfidfVectorizer)).fit(TEXTS)
    again = vectorizer_from_state(*union.to_state())
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), union.transform(TEXTS).toarray())
    grown = UnionVectorizer(vectorizers=words_and_characters(TfidfVectorizer))
    grown.partial_fit(TEXTS[:1]).partial_fit(TEXTS[1:])
    np.testing.assert_array_equal(grown.transform(TEXTS).toarray(), union.transform(TEXTS).toarray())


class Once:
    """Texts that can be read one time only, and say how often they were."""

    def __init__(self, texts: list[str]) -> None:
        self.texts, self.readings = texts, 0

    def __iter__(self) -> Iterator[str]:
        self.readings += 1
        return iter(self.texts)


FAMILIES = {
    "tf-idf": words_and_characters(TfidfVectorizer),
    "counts and hashes": [("count", CountVectorizer(min_df=2)), ("hash", HashingVectorizer(n_features=16))],
    "a given vocabulary": [
        ("given", TfidfVectorizer(vocabulary=["cat", "dog"])),
        ("char", CountVectorizer(analyzer="char")),
    ],
}


@pytest.mark.parametrize("vectorizers", FAMILIES.values(), ids=FAMILIES.keys())
def test_one_reading_gives_the_matrix_of_two(vectorizers: list[tuple[str, Any]]) -> None:
    apart = [clone(vectorizer) for _, vectorizer in vectorizers]
    union = UnionVectorizer(vectorizers=[(name, clone(vectorizer)) for name, vectorizer in vectorizers])
    texts = Once(TEXTS)
    rows, expected = union.fit_csr(texts), side_by_side([vectorizer.fit_csr(TEXTS) for vectorizer in apart])
    assert texts.readings == 1
    for ours, theirs in zip(rows.arrays, expected.arrays, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    rows = union.transform_csr(texts)
    assert texts.readings == 2
    expected = side_by_side([vectorizer.transform_csr(TEXTS) for vectorizer in apart])
    np.testing.assert_array_equal(rows.to_dense(), expected.to_dense())
    union.fit(texts)
    assert texts.readings == 3
    expected = side_by_side([vectorizer.fit(TEXTS).transform_csr(TEXTS) for vectorizer in apart])
    np.testing.assert_array_equal(union.transform_csr(iter(TEXTS)).to_dense(), expected.to_dense())


def test_vectorizers_that_need_another_reading_get_it() -> None:
    vectorizers: list[tuple[str, Any]] = [
        ("word", CountVectorizer()),
        ("own", CountVectorizer(tokenizer=str.split, token_pattern=None)),
        ("rare", CountVectorizer(oov=2)),
        ("other bytes", CountVectorizer(encoding="latin-1")),
        ("recorded", HashingVectorizer(n_features=8, record=True)),
    ]
    union = UnionVectorizer(vectorizers=vectorizers)
    expected = side_by_side([clone(vectorizer).fit_csr(TEXTS) for _, vectorizer in vectorizers])
    np.testing.assert_array_equal(union.fit_csr(iter(TEXTS)).to_dense(), expected.to_dense())
    np.testing.assert_array_equal(union.transform_csr(iter(TEXTS)).to_dense(), expected.to_dense())
    assert any(vectorizers[-1][1].terms_of(column) for column in range(8))
    with pytest.raises(ValueError, match="string object received"):
        union.fit("one text")


@pytest.mark.parametrize(
    "damage",
    [
        {"parts": []},
        {"parts": "ab"},
        {"parts": [1]},
        {"parts": [{"name": "word"}]},
        {"parts": [{"name": "word", "config": {"kind": "union", "parts": []}}]},
        {"parts": [{"name": "word", "config": {"kind": "count"}}]},
    ],
)
def test_unsound_state(damage: dict[str, Any]) -> None:
    config, arrays = UnionVectorizer(vectorizers=words_and_characters()).fit(TEXTS).to_state()
    with pytest.raises(ValueError, match=r"."):
        vectorizer_from_state(config | damage, arrays)
