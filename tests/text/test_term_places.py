"""Where n-grams of characters are in a text, and what terms are called: the core against plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import _native
from lindy.text import CountVectorizer

CORPUS = ["so so good", "x é 很好 \ud800y", "a b", "good\u2003 ﬁne"]
WITHIN_WORDS = {
    lengths: CountVectorizer(analyzer="char_wb", ngram_range=lengths, lowercase=False).fit(CORPUS)
    for lengths in [(1, 1), (1, 3), (2, 5), (4, 5)]
}
OF_TEXTS = CountVectorizer(analyzer="char", ngram_range=(2, 3), lowercase=False).fit(CORPUS)
texts = st.text(st.sampled_from("so gdxaé很好\ud800\u2003\n"), max_size=14)


@given(text=texts, lengths=st.sampled_from([*WITHIN_WORDS]))
def test_every_ngram_within_words_is_found_in_its_place(text: str, lengths: tuple[int, int]) -> None:
    vectorizer = WITHIN_WORDS[lengths]
    padded, owner = "", []
    at = 0
    for word in text.split():
        at = text.index(word, at)
        padded += f" {word} "
        owner += [at, *range(at, at + len(word)), at + len(word) - 1]
        at += len(word)
    expected = [
        (vectorizer.vocabulary_[padded[i : i + n]], owner[i], owner[i + n - 1])
        for n in range(min(3, lengths[0]), lengths[1] + 1)
        for i in range(len(padded) - n + 1)
        if padded[i : i + n] in vectorizer.vocabulary_
    ]
    found = _native.ngram_places(vectorizer._native_index(), text)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


@given(text=texts)
def test_every_ngram_of_a_text_is_found_in_its_place(text: str) -> None:
    expected = [
        (OF_TEXTS.vocabulary_[text[i : i + n]], i, i + n - 1)
        for n in (2, 3)
        for i in range(len(text) - n + 1)
        if text[i : i + n] in OF_TEXTS.vocabulary_
    ]
    found = _native.ngram_places(OF_TEXTS._native_index(), text)
    assert list(zip(*(column.tolist() for column in found), strict=True)) == expected


def test_terms_of_words_have_no_places_among_characters() -> None:
    with pytest.raises(ValueError, match="n-grams of characters"):
        _native.ngram_places(CountVectorizer().fit(CORPUS)._native_index(), "good")


def test_terms_are_called_by_their_numbers() -> None:
    vectorizer = CountVectorizer(analyzer="char", ngram_range=(1, 2)).fit(CORPUS)
    every = vectorizer.get_feature_names_out()
    columns = np.array([3, 0, len(every) - 1, 3], np.int32)
    assert vectorizer.names_of(columns) == every[columns].tolist()
    assert vectorizer.names_of(columns[:0]) == []


@pytest.mark.parametrize(
    ("offsets", "number", "said"),
    [([0, 1, 2], 2, "no term"), ([0, 1, 2], -1, "no term"), ([0, 9], 0, "outside"), ([2, 1], 0, "outside")],
)
def test_terms_that_are_not_there_are_refused(offsets: list[int], number: int, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        _native.strings_at(np.frombuffer(b"ab", np.uint8), np.array(offsets), np.array([number]))
