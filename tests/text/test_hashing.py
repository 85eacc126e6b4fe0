"""HashingVectorizer against scikit-learn's, to the last bit; keyed hashing and reading columns back."""

from __future__ import annotations

import random
import string
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import HashingVectorizer as Reference
from tests.instruction_sets import printed_at_every_level
from tests.text.text_strategies import corpora

from lindy.text import CountVectorizer, HashingVectorizer, vectorizer_from_state

PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "analyzer": st.sampled_from(["word", "char", "char_wb", str.split]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3)]),
        "n_features": st.sampled_from([1, 2, 7, 100, 2**20, 2**31 - 1]),
        "binary": st.booleans(),
        "norm": st.sampled_from(["l1", "l2", None]),
        "alternate_sign": st.booleans(),
        "dtype": st.sampled_from([np.float32, np.float64, np.int64]),
        "stop_words": st.sampled_from([None, "english"]),
        "lowercase": st.booleans(),
    },
)


def same(ours: Any, theirs: Any) -> None:
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


@pytest.mark.filterwarnings("ignore:The parameter")
@settings(max_examples=200, deadline=None)
@given(corpora(), PARAMS)
def test_rows_are_scikit_learns(texts: list[str], params: dict[str, Any]) -> None:
    try:
        expected = Reference(**params).transform(texts)
    except UnicodeEncodeError:
        with pytest.raises(UnicodeEncodeError):
            HashingVectorizer(**params).transform(texts)
        return
    for threads in (1, 2):
        same(HashingVectorizer(**params, n_jobs=threads).transform(texts), expected)


@given(
    st.lists(st.text(st.sampled_from("abXY_09 .,-\n"), max_size=300), min_size=1, max_size=4),
    st.sampled_from([r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"(?u)\b\w\w\w\w+\b"]),
    st.sampled_from([(1, 1), (1, 2), (1, 3), (2, 2)]),
    st.sampled_from(["", "é"]),
)
def test_words_of_ascii_and_of_nearly_ascii(
    texts: list[str], pattern: str, ngrams: tuple[int, int], end: str
) -> None:
    texts = [text + end for text in texts]
    params: dict[str, Any] = {"token_pattern": pattern, "ngram_range": ngrams, "n_features": 1 << 16}
    same(HashingVectorizer(**params, n_jobs=1).transform(texts), Reference(**params).transform(texts))


def test_words_of_all_lengths() -> None:
    texts = [" ".join("ab"[i % 2] * ((i * step) % 150 + 2) for i in range(90)) for step in range(1, 40)]
    for n_features in (1 << 20, 1000):
        params = {"ngram_range": (1, 3), "n_features": n_features, "norm": None}
        expected, rows = (kind(**params).transform(texts) for kind in (Reference, HashingVectorizer))
        assert (expected != rows).nnz == 0
        assert np.array_equal(expected.indices, rows.indices)


def test_every_instruction_set_hashes_alike() -> None:
    script = """
import hashlib
from lindy.text import HashingVectorizer
texts = [" ".join("x" * (i % 70 + 2) + str(i * step) for i in range(50)) for step in range(300)]
rows = HashingVectorizer(ngram_range=(1, 2), n_jobs=2).transform_csr(texts)
print(hashlib.sha256(b"".join(a.tobytes() for a in (rows.indptr, rows.indices, rows.values))).hexdigest())
"""
    assert len(printed_at_every_level(script)) == 1


def test_recorded_terms_read_columns_back() -> None:
    texts = ["the cat sat", "the dog sat", "a cat and a dog"]
    vectorizer = HashingVectorizer(ngram_range=(1, 2), n_features=8, record=True, key=5).fit(texts[:2])
    vectorizer.partial_fit(texts[2:])
    names = CountVectorizer(ngram_range=(1, 2)).fit(texts).get_feature_names_out()
    recorded = [term for column in range(8) for term in vectorizer.terms_of(column)]
    assert sorted(recorded) == sorted(names)
    assert all(len(terms) > 1 for terms in vectorizer.collisions_.values())
    everything = HashingVectorizer(ngram_range=(1, 3), n_features=8, key=5, token_pattern=r"(?u)\b\w+\b")
    for name in names:
        columns = [column for column in range(8) if name in vectorizer.terms_of(column)]
        assert set(columns) <= set(everything.transform([name]).indices.tolist())


def test_keys_change_the_columns_and_are_kept() -> None:
    texts = ["some words of a text", "and others"]
    rows = [HashingVectorizer(key=key).transform(texts) for key in (None, 1, 2)]
    assert not np.array_equal(rows[0].indices, rows[1].indices)
    assert not np.array_equal(rows[1].indices, rows[2].indices)
    again = vectorizer_from_state(*HashingVectorizer(key=2).to_state())
    np.testing.assert_array_equal(again.transform(texts).indices, rows[2].indices)


def test_colliding_words_do_not_collide_under_a_key() -> None:
    generator = random.Random(0)
    reference = HashingVectorizer(n_features=16, alternate_sign=False, norm=None)
    words: list[str] = []
    while len(words) < 200:  # words that an attacker has chosen for one column of the unkeyed hash
        drawn = ["".join(generator.choices(string.ascii_lowercase, k=8)) for _ in range(1000)]
        columns = reference.transform(drawn).indices
        words += [word for word, column in zip(drawn, columns, strict=True) if column == 3]
    keyed = HashingVectorizer(n_features=16, alternate_sign=False, norm=None, key=7).transform(
        [" ".join(words)]
    )
    assert keyed.data.max() < 0.25 * len(words)


def test_a_million_similar_words_are_counted_without_a_hang() -> None:
    """Words that agree in all but a few bits spread over the dictionary; in one place, they would take hours."""
    similar = [f"{'a' * 8}{i:07d}" for i in range(1_000_000)]
    rows = CountVectorizer().fit_transform([" ".join(similar)])
    assert rows.shape == (1, 1_000_000)
    assert rows.sum() == 1_000_000


@pytest.mark.parametrize(
    "damage",
    [
        {"n_features": 0},
        {"n_features": 2.5},
        {"n_features": 2**40},
        {"norm": "l3"},
        {"key": -1},
        {"binary": 1},
    ],
)
def test_unsound_state(damage: dict[str, Any]) -> None:
    config, arrays = HashingVectorizer().to_state()
    with pytest.raises(ValueError, match=r"."):
        vectorizer_from_state(config | damage, arrays)


def test_empty_input() -> None:
    with pytest.raises(ValueError, match="empty sequence"):
        HashingVectorizer().transform([])
