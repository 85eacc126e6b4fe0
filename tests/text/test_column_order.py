"""Columns by first appearance and by document frequency: the same numbers as in the order of the alphabet."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.text.text_strategies import corpora

from lindy.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
    UnionVectorizer,
    vectorizer_from_state,
)

PARAMETERS: list[dict[str, Any]] = [
    {},
    {"ngram_range": (1, 3)},
    {"ngram_range": (2, 2), "stop_words": ["the"]},
    {"ngram_range": (1, 2), "min_df": 2},
    {"ngram_range": (1, 2), "max_df": 0.5, "max_features": 4, "binary": True},
    {"analyzer": "char_wb", "ngram_range": (1, 3)},
]


def expected_names(vectorizer: CountVectorizer, texts: list[str], kept: set[str], order: str) -> list[str]:
    """The kept terms in the order that the definition says."""
    analyze = vectorizer.build_analyzer()
    documents: dict[str, int] = {}  # in the order of first appearance
    for text in texts:
        for term in dict.fromkeys(analyze(text)):
            documents[term] = documents.get(term, 0) + 1
    if order == "frequency":
        documents = dict(sorted(documents.items(), key=lambda item: -item[1]))
    return [term for term in documents if term in kept]


@settings(max_examples=60, deadline=None)
@given(corpora(), st.sampled_from(PARAMETERS), st.sampled_from(["seen", "frequency"]))
def test_columns(texts: list[str], params: dict[str, Any], order: str) -> None:
    usual = CountVectorizer(**params)
    try:
        expected = usual.fit_csr(texts)
    except ValueError as error:
        with pytest.raises(ValueError, match=str(error)):
            CountVectorizer(**params).fit_csr(texts, order=order)
        return
    ours = CountVectorizer(**params)
    rows = ours.fit_csr(texts, order=order)
    names = ours.get_feature_names_out().tolist()
    assert names == expected_names(usual, texts, set(names), order)
    if "max_features" not in params:  # which of equally frequent terms stay depends on the order
        columns = [usual.vocabulary_[name] for name in names]
        np.testing.assert_array_equal(rows.to_dense(), expected.to_dense()[:, columns])
    np.testing.assert_array_equal(ours.transform_csr(texts).to_dense(), rows.to_dense())
    saved = vectorizer_from_state(*ours.to_state())
    assert saved.get_feature_names_out().tolist() == names


@settings(max_examples=60, deadline=None)
@given(corpora(), st.sampled_from(PARAMETERS), st.sampled_from(["alphabet", "seen", "frequency"]))
def test_rows_have_their_terms_by_first_appearance(
    texts: list[str], params: dict[str, Any], order: str
) -> None:
    vectorizer = CountVectorizer(**params)
    try:
        rows = vectorizer.fit_csr(texts, order=order)
    except ValueError:  # no terms
        return
    names = vectorizer.get_feature_names_out().tolist()
    seen = expected_names(vectorizer, texts, set(names), "seen")
    rank = np.array([seen.index(name) for name in names])
    for begin, end in itertools.pairwise(rows.indptr):
        assert (np.diff(rank[rows.indices[begin:end]]) > 0).all()


@pytest.mark.parametrize("order", ["seen", "frequency"])
@pytest.mark.parametrize("analyzer", ["word", "char_wb"])
def test_threads_change_nothing(order: str, analyzer: str) -> None:
    generator = np.random.default_rng(3)
    words = [f"w{i}" for i in range(5000)]
    texts = [" ".join(generator.choice(words, 400)) for _ in range(1500)]  # several pieces, several megabytes
    results = []
    for n_jobs in (1, 2, 3):
        vectorizer = TfidfVectorizer(analyzer=analyzer, ngram_range=(1, 2), min_df=2, n_jobs=n_jobs)
        rows = vectorizer.fit_csr(texts, order=order)
        results.append([*rows.arrays, *vectorizer.to_state()[1].values()])
    for other in results[1:]:
        for ours, theirs in zip(results[0], other, strict=True):
            np.testing.assert_array_equal(ours, theirs)


def test_unions_and_hashes() -> None:
    texts = ["b a a", "b c"]
    union = UnionVectorizer(
        vectorizers=[("word", CountVectorizer(token_pattern=r"(?u)\b\w+\b")), ("hash", HashingVectorizer())]
    )
    rows = union.fit_csr(texts, order="frequency")
    assert union.vectorizers[0][1].get_feature_names_out().tolist() == ["b", "a", "c"]
    np.testing.assert_array_equal(union.transform_csr(texts).to_dense(), rows.to_dense())


def test_unknown_order() -> None:
    with pytest.raises(ValueError, match="alphabet, seen or frequency"):
        CountVectorizer().fit_csr(["some text"], order="length")
