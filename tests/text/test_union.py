"""Words and characters side by side."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.feature_extraction.text import CountVectorizer as Reference
from sklearn.pipeline import FeatureUnion
from text_strategies import corpora

from lindy.text import CountVectorizer, TfidfVectorizer, UnionVectorizer, vectorizer_from_state

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
