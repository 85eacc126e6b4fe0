"""The shapes of words as terms: in every vectorizer, on every path, and in saved ones."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer, vectorizer_from_state
from lindy.text.analysis.analyzer import shape

TEXTS = ["Call NOW 0800 123!", "McDonald met_him in mp3 or Übung 日本 now", "x" * 40 + "aB" * 20]


def test_shapes_of_words() -> None:
    words = [
        "Word",
        "WORD",
        "word",
        "McDonald",
        "1984",
        "mp3",
        "B2B",
        "snake_case",
        "ǅungla",
        "日本",
        "aB" * 20,
    ]
    shapes = [
        "<Xx>",
        "<X>",
        "<x>",
        "<XxXx>",
        "<9>",
        "<x9>",
        "<X9X>",
        "<x_x>",
        "<Xx>",
        "<a>",
        "<xXxXxXxXxXxX>",
    ]
    assert [shape(word) for word in words] == shapes


def test_shapes_are_terms_beside_the_words() -> None:
    vectorizer = CountVectorizer(shapes=True, ngram_range=(1, 2)).fit(TEXTS[:1])
    assert vectorizer.vocabulary_.keys() == {
        *("call", "now", "0800", "123", "call now", "now 0800", "0800 123"),
        *("<Xx>", "<X>", "<9>"),
    }
    found = vectorizer.transform(["Hello WORLD and 7 99"]).toarray()[0]
    assert {t: found[j] for t, j in vectorizer.vocabulary_.items() if found[j]} == {
        "<Xx>": 1,
        "<X>": 1,
        "<9>": 1,
    }


def test_stop_words_keep_their_shapes_and_single_shapes_can_be_stopped() -> None:
    vectorizer = CountVectorizer(shapes=True, stop_words=["now", "<9>"]).fit(TEXTS[:1])
    assert set(vectorizer.vocabulary_) == {"call", "0800", "123", "<Xx>", "<X>"}


@pytest.mark.parametrize("kind", [CountVectorizer, TfidfVectorizer, HashingVectorizer])
@pytest.mark.parametrize("punctuation", [False, True])
def test_the_native_and_the_python_path_agree(kind: Any, punctuation: bool) -> None:
    params = {"shapes": True, "punctuation": punctuation, "ngram_range": (1, 2)}
    native = kind(**params)
    python = kind(**params, token_pattern=r"(?:\b\w\w+\b)")  # a pattern that the core does not know
    np.testing.assert_allclose(
        native.fit_transform(TEXTS).toarray(), python.fit_transform(TEXTS).toarray(), rtol=1e-14
    )
    np.testing.assert_allclose(
        native.transform(TEXTS).toarray(), python.transform(TEXTS).toarray(), rtol=1e-14
    )
    if kind is not HashingVectorizer:
        assert native.vocabulary_ == python.vocabulary_


def test_saved_vectorizers_keep_their_shapes() -> None:
    for vectorizer in (CountVectorizer(shapes=True).fit(TEXTS), HashingVectorizer(shapes=True, key=3)):
        config, arrays = vectorizer.to_state()
        again = vectorizer_from_state(json.loads(json.dumps(config)), arrays)
        np.testing.assert_array_equal(
            again.transform_csr(TEXTS).to_dense(), vectorizer.transform_csr(TEXTS).to_dense()
        )
        with pytest.raises(ValueError, match="invalid parameters"):
            vectorizer_from_state(config | {"shapes": "yes"}, arrays)


@pytest.mark.parametrize("params", [{"analyzer": "char"}, {"ngram_range": (2, 2)}])
def test_shapes_need_words(params: dict[str, Any]) -> None:
    for kind in (CountVectorizer, HashingVectorizer):
        with pytest.raises(ValueError, match="shapes needs"):
            kind(shapes=True, **params).fit(TEXTS)
    with pytest.raises(ValueError, match="shapes"):
        CountVectorizer(shapes=1).fit(TEXTS)
