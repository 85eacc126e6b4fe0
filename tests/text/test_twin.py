"""The native analyser and the plain-Python one agree on a hundred thousand awkward strings."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from tests.text.text_strategies import AWKWARD

from lindy.text import CountVectorizer
from lindy.textbook import text_analysis as textbook


def strings(n: int, seed: int) -> list[str]:
    """Draw strings of letters, marks and awkward characters; every code point has its chance."""
    generator = random.Random(seed)
    alphabets = [AWKWARD, "aAbB ΣσςΑ.'\u0301\u00ad", "abcdefghij   ", "ﬁßİıǅ\u1e9eΐﬃ 12_"]

    def draw() -> str:
        alphabet = generator.choice(alphabets)
        drawn = generator.choices(alphabet, k=generator.randrange(12))
        if generator.random() < 0.5:
            drawn.insert(generator.randrange(len(drawn) + 1), chr(generator.randrange(0x110000)))
        return "".join(drawn)

    return [draw() for _ in range(n)]


def agree(texts: list[str], terms_of: Any, **params: Any) -> None:
    vectorizer = CountVectorizer(**params)
    rows = vectorizer.fit_csr(texts)
    names = vectorizer.get_feature_names_out()
    for i, text in enumerate(texts):
        begin, end = rows.indptr[i], rows.indptr[i + 1]
        ours = dict(zip(names[rows.indices[begin:end]], rows.values[begin:end].astype(int), strict=True))
        assert ours == Counter(terms_of(text)), repr(text)


@pytest.mark.parametrize(
    ("lower", "accents", "punctuation"),
    [(True, None, False), (False, None, True), (True, "unicode", False), (True, "ascii", True)],
)
def test_words(lower: bool, accents: str | None, punctuation: bool) -> None:
    agree(
        strings(15_000, seed=1),
        lambda text: textbook.word_ngrams(
            textbook.words(textbook.fold(text, lower, accents), 2, punctuation), 1, 2
        ),
        lowercase=lower,
        strip_accents=accents,
        punctuation=punctuation,
        ngram_range=(1, 2),
    )


@pytest.mark.parametrize("lower", [True, False])
def test_shapes(lower: bool) -> None:
    texts = strings(15_000, seed=3)

    def terms(text: str) -> list[str]:
        tokens = textbook.words(textbook.fold(text, lower), 2)
        return textbook.word_ngrams(tokens, 1, 2) + textbook.shapes(text)

    agree(texts, terms, lowercase=lower, ngram_range=(1, 2), shapes=True)


@pytest.mark.parametrize("lower", [False, True])
@pytest.mark.parametrize(
    ("analyzer", "ngrams"), [("char", textbook.char_ngrams), ("char_wb", textbook.char_wb_ngrams)]
)
def test_characters(lower: bool, analyzer: str, ngrams: Any) -> None:
    agree(
        strings(10_000, seed=2),
        lambda text: ngrams(textbook.fold(text, lower), 2, 4),
        analyzer=analyzer,
        lowercase=lower,
        ngram_range=(2, 4),
    )


def test_every_code_point() -> None:
    """Each of Unicode's 1,114,112 code points between letters, in lower case and as part of a word or not."""
    texts = [f"ab{chr(c)}cd" for c in range(0x110000)]
    rows = CountVectorizer().fit(["ab cd"]).transform_csr(texts)
    separates = np.diff(rows.indptr) == 2
    find_words = re.compile(r"\w\w+").findall
    expected = np.array([find_words(text.lower()) == ["ab", "cd"] for text in texts])
    assert np.flatnonzero(separates != expected).tolist() == []


def test_counting() -> None:
    texts = ["b a b", "a", ""]
    terms, rows = textbook.count([text.split() for text in texts])
    vectorizer = CountVectorizer(token_pattern=r"(?u)\b\w+\b")
    assert vectorizer.fit_transform(texts).toarray().tolist() == [
        [row.get(j, 0) for j in range(len(terms))] for row in rows
    ]
    assert vectorizer.get_feature_names_out().tolist() == terms
