"""min_count: terms by how often they occur in all texts together, as the textbook counts them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from lindy import TextClassifier
from lindy.features import BagVectorizer
from lindy.text import Bm25Vectorizer, CountVectorizer, TfidfVectorizer
from lindy.textbook import text_analysis as textbook

TEXTS = ["good good book", "bad bad bad book", "a good read", "", "bad book"]


@given(
    texts=st.lists(st.text("ab c", max_size=30), min_size=1, max_size=12),
    min_count=st.integers(1, 6),
    min_df=st.integers(1, 3),
    longest=st.integers(1, 3),
    analyzer=st.sampled_from(["word", "char_wb"]),
    order=st.sampled_from(["alphabet", "seen", "frequency"]),
    threads=st.sampled_from([1, 3]),
)
@settings(max_examples=60)
def test_terms_and_rows_are_the_textbooks(
    texts: list[str], min_count: int, min_df: int, longest: int, analyzer: str, order: str, threads: int
) -> None:
    cut = {
        "word": lambda text: textbook.word_ngrams(textbook.words(text), 1, longest),
        "char_wb": lambda text: textbook.char_wb_ngrams(text, 1, longest),
    }[analyzer]
    cuts = [cut(text) for text in texts]
    terms, rows = textbook.count(cuts, min_count)
    kept = [j for j in range(len(terms)) if sum(j in row for row in rows) >= min_df]
    vectorizer = CountVectorizer(
        min_count=min_count, min_df=min_df, ngram_range=(1, longest), analyzer=analyzer, n_jobs=threads
    )
    if not kept:
        with pytest.raises(ValueError, match=r"no terms remain|empty vocabulary|max_df corresponds"):
            vectorizer.fit(texts)
        return
    counted = vectorizer.fit_csr(texts, order=order).to_dense()
    names = vectorizer.get_feature_names_out().tolist()
    assert sorted(names) == [terms[j] for j in kept]
    expected = [[row.get(terms.index(name), 0) for name in names] for row in rows]
    np.testing.assert_array_equal(counted, np.array(expected, float))


def test_many_texts_in_several_pieces_and_threads() -> None:
    rng = np.random.default_rng(3)
    words = np.array([f"w{i}" for i in range(3000)])
    texts = [" ".join(rng.choice(words, 60)) for _ in range(2000)]
    plain = CountVectorizer(ngram_range=(1, 2)).fit(texts)
    totals = np.asarray(plain.transform(texts).sum(axis=0)).ravel()
    for least in (3, 40):
        expected = plain.get_feature_names_out()[totals >= least].tolist()
        for threads in (1, 4):
            vectorizer = CountVectorizer(min_count=least, ngram_range=(1, 2), n_jobs=threads).fit(texts)
            assert vectorizer.get_feature_names_out().tolist() == expected


def test_in_parts_with_callables_and_binary_it_means_the_same() -> None:
    whole = CountVectorizer(min_count=3).fit(TEXTS)
    assert list(whole.vocabulary_) == ["bad", "book", "good"]
    parts = CountVectorizer(min_count=3).partial_fit(TEXTS[:2]).partial_fit(TEXTS[2:])
    assert parts.vocabulary_ == whole.vocabulary_
    own = CountVectorizer(min_count=3, tokenizer=str.split, token_pattern=None).fit(TEXTS)
    assert own.vocabulary_ == whole.vocabulary_
    binary = CountVectorizer(min_count=3, binary=True).fit(TEXTS)
    assert list(binary.vocabulary_) == ["book"]  # every text counts once
    for kind in (TfidfVectorizer, Bm25Vectorizer):
        assert list(kind(min_count=3).fit(TEXTS).vocabulary_) == list(whole.vocabulary_)


def test_bags_sum_their_counts() -> None:
    features = [{"good": 2, "book": 1}, {"bad": 3, "book": 1}, {"good": 1}]
    assert BagVectorizer(min_count=3).fit(features).feature_names_ == ["bad", "good"]
    with pytest.raises(
        ValueError, match=r"'good' of example 1 has the value 0.5, which is not a count: min_count"
    ):
        BagVectorizer(min_count=2).fit([{"good": 0.5}])
    with pytest.raises(ValueError, match="no feature is in 1 examples and occurs 9 times"):
        BagVectorizer(min_count=9).fit(features)


def test_a_classifier_leaves_rare_words_out(tmp_path: Any) -> None:
    texts, labels = ["good good book", "bad bad book"] * 20 + ["secretword good"], ["+", "-"] * 20 + ["+"]
    for learner in ("auto", "svm"):
        model = TextClassifier(min_count=2, learner=learner).fit(texts, labels)
        model.save(tmp_path / "m.lindy")
        assert b"secretword" not in (tmp_path / "m.lindy").read_bytes()


@pytest.mark.parametrize("wrong", [0, -1, 1.5, "2", None, True])
def test_other_values_are_refused(wrong: Any) -> None:
    with pytest.raises(ValueError, match="'min_count' parameter of CountVectorizer must be an int"):
        CountVectorizer(min_count=wrong).fit(TEXTS)


def test_nothing_left_names_the_option() -> None:
    with pytest.raises(ValueError, match="lower min_df or min_count"):
        CountVectorizer(min_count=100).fit(TEXTS)
