"""Subword units: learned and applied as the textbook does, found by the core as by Python, saved, updated, merged."""

from __future__ import annotations

import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lindy
from lindy import _native
from lindy.errors import UpdateError
from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from lindy.text.analysis.byte_pairs import Merges
from lindy.text.vocabulary.encoding import encode_terms
from lindy.textbook import byte_pairs as textbook

TEXTS = [
    "unhappy happiness is happily happy",
    "the happy dog dogs dogged",
    "สวัสดีครับ ขอบคุณครับ สวัสดี",
    "Win $500 NOW!!! 🎉🎉 now İİ",
    "",
]
LETTERS = st.sampled_from("ab") | st.sampled_from("abcdeäไ🎉")
WORDS = st.text(LETTERS, min_size=1, max_size=24)
CORPORA = st.dictionaries(WORDS, st.integers(1, 4), min_size=1, max_size=12)


def learned(words: dict[str, int], n_merges: int) -> Merges:
    """Return the core's merges."""
    order = sorted(words)
    return Merges.learn(encode_terms(order), np.array([words[word] for word in order]), n_merges)


def pieces(merges: Merges, word: str) -> list[str]:
    """Return what the core cuts a word into."""
    ends = merges.native.cut(word.encode())
    begins = [0, *ends[:-1]]
    return [("##" if begin else "") + word[begin:end] for begin, end in zip(begins, ends, strict=True)]


@settings(max_examples=300)
@given(CORPORA, st.integers(0, 30), st.lists(WORDS, max_size=5))
def test_equals_the_textbook(words: dict[str, int], n_merges: int, new: list[str]) -> None:
    merges, expected = learned(words, n_merges), textbook.learn(words, n_merges)
    assert merges.pairs == expected
    for word in [*words, *new, "x" + "".join(new)]:
        assert pieces(merges, word) == textbook.encode(word, expected)


def test_the_worked_example_of_the_paper() -> None:
    words = {"low": 5, "lower": 2, "newest": 6, "widest": 3}
    merges = learned(words, 4)
    assert merges.pairs == [("##e", "##s"), ("##es", "##t"), ("##o", "##w"), ("l", "##ow")]
    assert pieces(merges, "lowest") == ["low", "##est"]


def test_a_pair_that_comes_back_is_merged_when_its_turn_comes() -> None:
    merges = Merges(*encode_terms(["##b", "##c", "a", "##b", "ab", "##c"]))
    assert pieces(merges, "abc") == textbook.encode("abc", merges.pairs) == ["a", "##bc"]


@pytest.mark.parametrize("n_merges", [0, 3, 20, 1000])
@pytest.mark.parametrize(
    "options", [{}, {"punctuation": True, "token_pattern": r"\w+"}, {"lowercase": False}]
)
@pytest.mark.parametrize("ngram_range", [(1, 1), (1, 3), (2, 2)])
def test_the_core_counts_what_python_cuts(
    n_merges: int, options: dict[str, Any], ngram_range: tuple[int, int]
) -> None:
    vectorizer = CountVectorizer(analyzer="bpe", n_merges=n_merges, ngram_range=ngram_range, **options)
    learned, found = vectorizer.fit_transform(TEXTS), vectorizer.transform(TEXTS)
    names, analyze = vectorizer.get_feature_names_out(), vectorizer.build_analyzer()
    assert (learned != found).nnz == 0
    for text, row in zip(TEXTS, learned.toarray(), strict=True):
        assert {name: n for name, n in zip(names, row, strict=True) if n} == Counter(analyze(text))


def test_merges_are_the_textbook_s_of_the_words_of_the_texts() -> None:
    vectorizer = CountVectorizer(analyzer="bpe", n_merges=40).fit(TEXTS[:3])
    words = Counter(word for text in TEXTS[:3] for word in text.split())  # runs of Thai are words here
    assert vectorizer.merges_ == textbook.learn(words, 40)
    assert not all("".join(pair).isascii() for pair in vectorizer.merges_)


def test_frequent_words_stay_whole_and_unknown_ones_share_their_pieces() -> None:
    vectorizer = CountVectorizer(analyzer="bpe", n_merges=15).fit(TEXTS[:2])
    known = vectorizer.transform(["happy"]).indices
    assert vectorizer.names_of(known) == ["happy"]
    assert vectorizer.transform(["doggily"]).nnz > 1
    assert vectorizer.transform(["爨"]).nnz == 0  # a character that no text had: not even BPE knows it


@pytest.mark.parametrize("n_jobs", [1, 2, 4])
def test_the_same_for_any_number_of_threads(n_jobs: int) -> None:
    texts = [f"{text} word{i} word{i % 7}" for i, text in enumerate(TEXTS * 400)]
    one = TfidfVectorizer(analyzer="bpe", n_merges=60, n_jobs=1).fit(texts)
    many = TfidfVectorizer(analyzer="bpe", n_merges=60, n_jobs=n_jobs).fit(texts)
    assert one.merges_ == many.merges_
    assert (one.transform(texts) != many.transform(texts)).nnz == 0


def test_saved_and_pickled() -> None:
    vectorizer = TfidfVectorizer(analyzer="bpe", n_merges=30, ngram_range=(1, 2)).fit(TEXTS)
    expected = vectorizer.transform_csr(TEXTS).to_scipy().toarray()
    for own in (
        TfidfVectorizer.from_state(*vectorizer.to_state()),
        pickle.loads(pickle.dumps(vectorizer)),
    ):
        assert own.merges_ == vectorizer.merges_
        np.testing.assert_array_equal(own.transform_csr(TEXTS).to_scipy().toarray(), expected)
    assert TfidfVectorizer.from_state(*vectorizer.to_state()).n_merges == 30


@pytest.mark.parametrize(
    "forge",
    [
        lambda a: a.pop("merges"),
        lambda a: a.update(merge_offsets=a["merge_offsets"][:-1]),
        lambda a: a.update(merges=np.zeros_like(a["merges"]) + 255),
        lambda a: a.update(merge_offsets=np.zeros(3, np.int64), merges=np.zeros(0, np.uint8)),
        lambda a: a.update(merges=a["merges"].astype(np.int8)),
    ],
)
def test_forged_merges_are_refused(forge: Any) -> None:
    config, arrays = CountVectorizer(analyzer="bpe", n_merges=30).fit(TEXTS).to_state()
    forge(arrays)
    with pytest.raises(ValueError, match=r"merge|terms"):
        CountVectorizer.from_state(config, arrays)


def test_further_texts_keep_the_merges() -> None:
    vectorizer = CountVectorizer(analyzer="bpe", n_merges=25).fit(TEXTS)
    grown = vectorizer.grown(["zebra happy zebra"], len(TEXTS)).vectorizer
    assert grown.merges_ == vectorizer.merges_
    assert {"z", "##b", "##r"} <= set(grown.vocabulary_)
    assert grown.transform(["happy"]).nnz == 1


def test_other_merges_cannot_be_joined() -> None:
    one, other = (CountVectorizer(analyzer="bpe", n_merges=n).fit(TEXTS) for n in (5, 9))
    with pytest.raises(UpdateError, match="other merges"):
        one.joined(other, (5, 5))
    same = CountVectorizer(analyzer="bpe", n_merges=5).fit(TEXTS)
    assert one.joined(same, (5, 5)).vectorizer.n_columns == one.n_columns


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"stop_words": ["the"]}, "stop_words are whole words"),
        ({"shapes": True}, "shapes needs"),
        ({"oov": 2}, "oov needs"),
        ({"token_pattern": r"[a-z]+"}, "token patterns"),
        ({"n_merges": -1}, "n_merges"),
        ({"preprocessor": str.upper}, "takes no callables"),
    ],
)
def test_what_does_not_go_with_subwords_is_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CountVectorizer(analyzer="bpe", **options).fit(TEXTS)


def test_hashes_learn_nothing_and_so_have_no_subwords() -> None:
    with pytest.raises(ValueError, match="'analyzer' parameter of HashingVectorizer"):
        HashingVectorizer(analyzer="bpe").fit(TEXTS)
    with pytest.raises(ValueError, match="cannot be learned in parts"):
        CountVectorizer(analyzer="bpe").partial_fit(TEXTS)


def test_a_word_of_a_megabyte_costs_what_its_length_does() -> None:
    long = "ab" * 500_000
    vectorizer = CountVectorizer(analyzer="bpe", n_merges=50).fit([long, "happy abba"])
    assert vectorizer.transform([long]).sum() >= 1
    assert _native.BytePairs(*vectorizer._merges.arrays).cut(b"ab" * 4)  # type: ignore[union-attr]


def test_a_classifier_with_subwords(tmp_path: Any) -> None:
    labels = ["a", "b", "a", "b", "a"] * 4
    model = lindy.TextClassifier(learner="svm", subwords=40, ngrams=(1, 2)).fit(TEXTS * 4, labels)
    assert model.recipe_.startswith("subwords 1-2, tf-idf")
    model.save(tmp_path / "m.lindy")
    loaded = lindy.load(tmp_path / "m.lindy")
    np.testing.assert_array_equal(model.predict_proba(TEXTS), loaded.predict_proba(TEXTS))
    searched = lindy.TextClassifier(subwords=40).fit(TEXTS * 4, labels)
    assert searched.recipe_.startswith("subwords 1-2 and characters")
    beside = lindy.TextClassifier(learner="svm", subwords=40, chars=(2, 3)).fit(TEXTS * 4, labels)
    assert beside.recipe_.startswith("subwords 1 and characters 2-3")


def test_rare_words_as_one_in_all_scripts(tmp_path: Any) -> None:
    texts = ["good good film ขอบคุณ", "good film bad", "rare words here good", "bad film unseen"]
    model = lindy.TextClassifier(learner="naive-bayes", oov=2).fit(texts, ["a", "b", "a", "b"])
    names = set(model.vectorizer_.get_feature_names_out())
    assert {"good", "film", "bad", "<OOV>", "ขอ"} <= names
    assert not {"rare", "words", "unseen"} & names
    row = model.vectorizer_.transform_csr(["never seen good ไม่"])
    counts = dict(zip(model.vectorizer_.names_of(row.indices), row.values.tolist(), strict=True))
    assert counts["<OOV>"] == 2
    weighted = lindy.TextClassifier(learner="svm", weighting="bm25", oov=2).fit(texts, ["a", "b", "a", "b"])
    weighted.save(tmp_path / "m.lindy")
    np.testing.assert_array_equal(
        lindy.load(tmp_path / "m.lindy").decision_function(texts), weighted.decision_function(texts)
    )
