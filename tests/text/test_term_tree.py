"""Terms as a tree of words: built as the textbook builds it, read back, and refused where it contradicts itself."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.hostile.tree_forgery import FORGERIES, TREE
from tests.text.text_strategies import corpora

from lindy.text import CountVectorizer, TfidfVectorizer
from lindy.text.vectorizer_registry import vectorizer_from_state
from lindy.textbook import term_tree as textbook

words = st.text("abé", max_size=2)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)


def state_of(terms: list[str], max_n: int = 4) -> tuple[dict[str, Any], dict[str, Any]]:
    vectorizer = CountVectorizer(vocabulary=terms, ngram_range=(1, max_n), token_pattern=r"(?u)\b\w+\b")
    return vectorizer.fit(["a"]).to_state()


def assert_saved_alike(counted: CountVectorizer, written: CountVectorizer) -> dict[str, Any]:
    """Save terms that were counted and the same by their text; return what is saved beside the arrays."""
    written.get_feature_names_out()  # from now on it has the text of the terms, and no counts
    (config, arrays), (same_config, same_arrays) = counted.to_state(), written.to_state()
    assert config == same_config
    assert arrays.keys() == same_arrays.keys()
    assert all(arrays[name].tobytes() == same_arrays[name].tobytes() for name in arrays)
    return config


def as_textbook(arrays: dict[str, Any]) -> textbook.Tree:
    data, ends = arrays["words"].tobytes(), arrays["word_offsets"]
    own = [data[i:j].decode() for i, j in itertools.pairwise(ends)]
    slots = [(int(word), int(column)) for word, column in arrays["phrases"]]
    return textbook.Tree(own, arrays["word_columns"].tolist(), arrays["starts"].tolist(), slots)


@settings(deadline=None, max_examples=200)
@given(terms=st.lists(phrases, min_size=1, max_size=30, unique=True))
def test_the_tree_is_that_of_the_textbook(terms: list[str]) -> None:
    config, arrays = state_of(terms)
    if not any(" " in term for term in terms):
        assert set(arrays) == {"terms", "offsets"}
        return
    assert set(arrays) == set(TREE)
    assert config["multiplier"] == textbook.MULTIPLIER
    assert as_textbook(arrays) == textbook.tree(terms)
    assert textbook.terms(as_textbook(arrays)) == terms


@settings(deadline=None, max_examples=100)
@given(
    corpora(),
    st.sampled_from([(1, 1), (1, 2), (2, 2), (2, 4)]),
    st.integers(1, 2),
    st.sampled_from([1.0, 2]),
    st.sampled_from(["alphabet", "seen", "frequency"]),
)
def test_counted_terms_are_saved_as_their_text_is(
    texts: list[str], lengths: tuple[int, int], min_df: int, max_df: float, order: str
) -> None:
    # with max_df, pairs may have words that are no terms
    counted, written = (CountVectorizer(ngram_range=lengths, min_df=min_df, max_df=max_df) for _ in range(2))
    try:
        counted.fit_csr(texts, order=order)
    except ValueError:  # no terms
        return
    written.fit_csr(texts, order=order)
    assert_saved_alike(counted, written)
    rows = [vectorizer.transform_csr(texts).to_scipy() for vectorizer in (counted, written)]
    assert (rows[0] != rows[1]).nnz == 0


@settings(deadline=None, max_examples=100)
@given(
    terms=st.lists(phrases.filter(bool), min_size=1, max_size=30, unique=True),
    texts=st.lists(st.lists(st.sampled_from(["a", "b", "é", "ab", "c"])).map(" ".join), max_size=5),
)
def test_what_is_read_back_counts_and_is_saved_as_before(terms: list[str], texts: list[str]) -> None:
    config, arrays = state_of(terms)
    loaded = vectorizer_from_state(config, arrays)
    plain = CountVectorizer(vocabulary=terms, ngram_range=(1, 4), token_pattern=r"(?u)\b\w+\b")
    assert (loaded.transform_csr(texts).to_scipy() != plain.transform_csr(texts).to_scipy()).nnz == 0
    again, same = loaded.to_state()
    assert again == config
    assert all(same[name].tobytes() == arrays[name].tobytes() for name in arrays)
    assert loaded.get_feature_names_out().tolist() == terms
    assert loaded.names_of(np.arange(len(terms))[::-1]) == terms[::-1]


def test_a_large_family_is_found_in() -> None:
    numbers = [f"w{i}" for i in range(3000)]
    terms = [
        *numbers,
        *(f"the {word}" for word in numbers[::2]),
        *(f"the w4 {word}" for word in numbers[::7]),
    ]
    config, arrays = state_of(terms, max_n=3)
    loaded = vectorizer_from_state(config, arrays)
    rows = loaded.transform_csr([f"the {word}" for word in numbers] + [f"the w4 {word}" for word in numbers])
    found = [set(loaded.names_of(row)) for row in np.split(rows.indices, rows.indptr[1:-1])]
    for i, word in enumerate(numbers):
        assert found[i] == {word} | ({f"the {word}"} if i % 2 == 0 else set())
        longest = {f"the w4 {word}"} if i % 7 == 0 else set()
        assert found[3000 + i] == {word, "w4", "the w4"} | longest
    assert textbook.terms(as_textbook(arrays)) == terms


def colliding(n: int, size: int) -> NDArray[np.intp]:
    """Return as many of n words as fill a family of some size, with all homes in its first two slots."""
    homes = (np.arange(n, dtype=np.uint64) * textbook.MULTIPLIER % 2**32) * np.uint64(size) >> np.uint64(32)
    chosen = np.flatnonzero(homes < 2)[: size * 2 // 3]
    assert len(chosen) == size * 2 // 3
    return chosen


def test_words_chosen_to_collide_get_another_multiplier() -> None:
    n, size = 140_000, 600
    chosen = colliding(n, size)
    terms = [*(f"w{i}" for i in range(n)), *(f"w0 w{i}" for i in chosen)]
    config, arrays = state_of(terms, max_n=2)
    assert len(arrays["phrases"]) == size
    assert config["multiplier"] == textbook.MULTIPLIER**2 % 2**32
    rows = vectorizer_from_state(config, arrays).transform_csr([*terms[n:], "w0 w1"])
    ends = rows.indices[rows.indptr[1:] - 1]
    assert ends.tolist() == [*range(n, len(terms)), 1]


def test_counted_words_that_collide_get_another_multiplier() -> None:
    n = 140_000
    texts = [*(f"w{i}" for i in range(n)), *(f"w0 w{i}" for i in colliding(n, 600))]
    counted, written = (CountVectorizer(ngram_range=(1, 2)) for _ in range(2))
    counted.fit_csr(texts, order="seen")
    written.fit_csr(texts, order="seen")
    assert assert_saved_alike(counted, written)["multiplier"] == textbook.MULTIPLIER**2 % 2**32


def test_terms_longer_than_the_file_allows_stay_a_list() -> None:
    long = "x" * 100_000
    terms = [long, *(f"{long} a{i}" for i in range(500))]
    assert set(state_of(terms, max_n=2)[1]) == {"terms", "offsets"}


@pytest.mark.parametrize("forge", FORGERIES.values(), ids=FORGERIES.keys())
def test_unsound_trees_are_a_value_error(forge: Any) -> None:
    texts = ["aa bb cc dd", "bb aa cc", "aa dd cc aa cc", "dd dd aa bb aa"]
    config, arrays = TfidfVectorizer(ngram_range=(1, 3)).fit(texts).to_state()
    assert set(TREE) < set(arrays)
    vectorizer_from_state(config, arrays)
    arrays.pop("idf")
    config["kind"] = "count"
    vectorizer_from_state(config, arrays)
    forge(config, arrays)
    with pytest.raises(ValueError, match=r"."):
        vectorizer_from_state(config, arrays)
