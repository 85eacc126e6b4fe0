"""Texts to BM25: the counts of CountVectorizer through Bm25Transformer."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from tests.text.text_strategies import corpora

from lindy.text import Bm25Transformer, Bm25Vectorizer, CountVectorizer, vectorizer_from_state

TEXTS = ["the cat sat", "a dog", "", "the dog sat on the cat"]


@settings(max_examples=40, deadline=None)
@given(corpora())
def test_it_is_counts_and_then_weights(texts: list[str]) -> None:
    texts = [*texts, "some words"]
    counts = CountVectorizer(ngram_range=(1, 2), punctuation=True, dtype=np.float32)
    weights = Bm25Transformer(norm="l2", k1=2.0)
    expected = weights.fit_transform(counts.fit_transform(texts)).toarray()
    vectorizer = Bm25Vectorizer(ngram_range=(1, 2), punctuation=True, k1=2.0)
    np.testing.assert_array_equal(vectorizer.fit_transform(texts).toarray(), expected)
    later = ["some other words, words", *texts[:2]]
    np.testing.assert_array_equal(
        vectorizer.transform(later).toarray(), weights.transform(counts.transform(later)).toarray()
    )


def test_state() -> None:
    vectorizer = Bm25Vectorizer(ngram_range=(1, 2), b=0.3, idf="smooth").fit(TEXTS)
    again = vectorizer_from_state(*vectorizer.to_state())
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), vectorizer.transform(TEXTS).toarray())
    assert (again.b, again.idf) == (0.3, "smooth")


@pytest.mark.parametrize(
    "damage",
    [
        {"weights": None},
        {"weights": {"k1": -1}},
        {"weights": {"nonsense": 1}},
        {"oov": "2"},
        {"binary": True},
    ],
)
def test_unsound_state(damage: dict[str, Any]) -> None:
    config, arrays = Bm25Vectorizer().fit(TEXTS).to_state()
    with pytest.raises(ValueError, match=r"."):
        vectorizer_from_state(config | damage, arrays)
    with pytest.raises(ValueError, match=r"."):
        vectorizer_from_state(config, arrays | {"bm25.idf": np.ones(1)})


def test_it_does_not_pretend_to_learn_in_parts() -> None:
    with pytest.raises(NotImplementedError, match="all texts at once"):
        Bm25Vectorizer().partial_fit(TEXTS)
