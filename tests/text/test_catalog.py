"""Terms that are counted part by part, against the textbook: numbers, rows and document frequencies."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lindy import _native
from lindy.text import CountVectorizer
from lindy.textbook.catalog import Catalog

WORDS = st.text("abé日 ", max_size=30) | st.sampled_from(
    ["a" * 11, "a" * 12, "b" * 40, "b" * 300, "one two one"]
)
PARTS = st.lists(st.lists(WORDS, min_size=1, max_size=6), min_size=1, max_size=4)


def numbered(catalog, vectorizer, texts, threads):
    counter = vectorizer._counter(vectorizer._native_options())
    for batch in vectorizer.text_batches(texts):
        counter.add(batch, threads)
    indptr, terms, counts = catalog.add(counter, threads)
    return [
        list(zip(terms[a:b].tolist(), counts[a:b].tolist(), strict=True))
        for a, b in zip(indptr[:-1].tolist(), indptr[1:].tolist(), strict=True)
    ]


@given(
    PARTS,
    st.sampled_from([(1, 1), (1, 2), (2, 3)]),
    st.sampled_from(["word", "char", "char_wb"]),
    st.sampled_from([1, 2]),
)
def test_parts_are_numbered_as_in_the_textbook(parts, ngrams, analyzer, threads):
    vectorizer = CountVectorizer(ngram_range=ngrams, analyzer=analyzer, token_pattern=r"(?u)\b\w+\b")
    analyze = vectorizer.build_analyzer()
    native, textbook = _native.TermCatalog(), Catalog()
    for texts in parts:
        assert numbered(native, vectorizer, texts, threads) == textbook.add([analyze(text) for text in texts])
    assert _native.strings(*native.terms()) == list(textbook.numbers)
    assert native.documents().tolist() == textbook.documents
    again = _native.TermCatalog()
    again.add_terms(*native.terms(), native.documents())
    assert _native.strings(*again.terms()) == list(textbook.numbers)
    assert np.array_equal(again.documents(), native.documents())
    middle = len(native) // 2
    assert _native.strings(*native.terms(middle)) == list(textbook.numbers)[middle:]
