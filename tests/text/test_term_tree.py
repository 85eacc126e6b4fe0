"""Terms as a tree of words: built as the textbook builds it, read back, and refused where it contradicts itself."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from text_strategies import corpora

from lindy.text import CountVectorizer, TfidfVectorizer
from lindy.text.kinds import vectorizer_from_state
from lindy.textbook import term_tree as textbook

NONE = textbook.NONE
TREE = ("words", "word_offsets", "word_columns", "starts", "phrases")
words = st.text("abé", max_size=2)
phrases = st.lists(words, min_size=1, max_size=4).map(" ".join)


def state_of(terms: list[str], max_n: int = 4) -> tuple[dict[str, Any], dict[str, Any]]:
    vectorizer = CountVectorizer(vocabulary=terms, ngram_range=(1, max_n), token_pattern=r"(?u)\b\w+\b")
    return vectorizer.fit(["a"]).to_state()


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
    st.sampled_from(["alphabet", "seen", "frequency"]),
)
def test_counted_terms_are_saved_as_their_text_is(
    texts: list[str], lengths: tuple[int, int], min_df: int, order: str
) -> None:
    counted, written = (CountVectorizer(ngram_range=lengths, min_df=min_df) for _ in range(2))
    try:
        counted.fit_csr(texts, order=order)
    except ValueError:  # no terms
        return
    written.fit_csr(texts, order=order)
    written.get_feature_names_out()  # from now on it has the text of the terms, and no counts
    (config, arrays), (same_config, same_arrays) = counted.to_state(), written.to_state()
    assert config == same_config
    assert arrays.keys() == same_arrays.keys()
    assert all(arrays[name].tobytes() == same_arrays[name].tobytes() for name in arrays)
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


def test_terms_longer_than_the_file_allows_stay_a_list() -> None:
    long = "x" * 100_000
    terms = [long, *(f"{long} a{i}" for i in range(500))]
    assert set(state_of(terms, max_n=2)[1]) == {"terms", "offsets"}


def changed(arrays: dict[str, Any], name: str, position: Any, value: Any) -> None:
    arrays[name] = arrays[name].copy()
    arrays[name][position] = value


def first_slot(arrays: dict[str, Any]) -> int:
    return int(np.flatnonzero(arrays["phrases"][:, 0] != NONE)[0])


def empty_slot(arrays: dict[str, Any]) -> int:
    return int(np.flatnonzero(arrays["phrases"][:, 0] == NONE)[0])


def swap_slots(arrays: dict[str, Any]) -> None:
    """Exchange the two children of a node, which are in one order only."""
    slots, starts = arrays["phrases"].copy(), arrays["starts"]
    sizes = np.diff(starts.astype(np.int64))
    begin = int(starts[np.flatnonzero(sizes >= 3)[0]])
    family = slots[begin : begin + 3]
    slots[begin : begin + 3] = np.roll(family, 1, axis=0)
    arrays["phrases"] = slots


def cycle(arrays: dict[str, Any]) -> None:
    """Let a node be its own child."""
    n = len(arrays["word_offsets"]) - 1
    arrays["starts"] = np.array([0] * (n + 1) + [1], np.uint32)
    arrays["phrases"] = np.array([[0, len(arrays["word_columns"])]], np.uint32)


def full_family(arrays: dict[str, Any]) -> None:
    """Leave no empty slot where a search could end."""
    n = len(arrays["word_offsets"]) - 1
    column = len(arrays["word_columns"])
    arrays["starts"] = np.array([0] + [n] * n, np.uint32)
    arrays["phrases"] = np.array([[i, column + i] for i in range(n)], np.uint32)


def far_from_home(arrays: dict[str, Any]) -> None:
    """Put words in a row that all belong to its beginning, as many as no search goes on for."""
    n, size = 20_000, 1000
    homes = np.array([textbook.home(word, size) for word in range(n)])
    chosen = np.flatnonzero(homes < 30)[:400]
    names = [f"v{i}".encode() for i in range(n)]
    arrays["words"] = np.frombuffer(b"".join(names), np.uint8)
    arrays["word_offsets"] = np.cumsum([0, *map(len, names)])
    arrays["word_columns"] = np.zeros(0, np.uint32)
    order = sorted(chosen.tolist(), key=lambda word: (homes[word], word))
    slots = np.full((size, 2), NONE, np.uint32)
    slots[: len(order)] = [[word, i] for i, word in enumerate(order)]
    arrays["starts"] = np.array([0, size], np.uint32)
    arrays["phrases"] = slots


def long_words(arrays: dict[str, Any]) -> None:
    """Let a small file claim a text of gigabytes."""
    n = 2000
    names = [b"x" * 200_000, *(b"y%d" % i for i in range(n))]
    made = textbook.family({1 + i: i for i in range(n)})
    arrays["words"] = np.frombuffer(b"".join(names), np.uint8)
    arrays["word_offsets"] = np.cumsum([0, *map(len, names)])
    arrays["word_columns"] = np.zeros(0, np.uint32)
    arrays["starts"] = np.array([0, len(made)], np.uint32)
    arrays["phrases"] = np.array(made, np.uint32)


FORGERIES: dict[str, Any] = {
    "no multiplier": lambda c, a: c.pop("multiplier"),
    "another multiplier": lambda c, a: c.update(multiplier=12345),
    "a multiplier that is none": lambda c, a: c.update(multiplier="2654435761"),
    "a large multiplier": lambda c, a: c.update(multiplier=2**32),
    **{f"no {name}": lambda c, a, name=name: a.pop(name) for name in TREE},
    **{f"{name} of floats": lambda c, a, name=name: a.update({name: a[name].astype(float)}) for name in TREE},
    **{f"no {name} in it": lambda c, a, name=name: a.update({name: a[name][:0]}) for name in TREE},
    **{f"a shorter {name}": lambda c, a, name=name: a.update({name: a[name][:-1]}) for name in TREE},
    "slots of three": lambda c, a: a.update(phrases=np.repeat(a["phrases"][:, :1], 3, axis=1)),
    "flat slots": lambda c, a: a.update(phrases=a["phrases"].reshape(-1)),
    "characters": lambda c, a: c.update(analyzer="char"),
    "unknown words": lambda c, a: c.update(oov=2),
    "starts that go back": lambda c, a: changed(a, "starts", 1, a["starts"][-1]),
    "starts outside": lambda c, a: changed(a, "starts", -1, NONE),
    "starts that begin late": lambda c, a: changed(a, "starts", 0, 1),
    "a word outside": lambda c, a: changed(a, "phrases", (first_slot(a), 0), len(a["word_offsets"]) - 1),
    "a word far outside": lambda c, a: changed(a, "phrases", (first_slot(a), 0), NONE - 1),
    "a word that is gone": lambda c, a: changed(a, "phrases", first_slot(a), [NONE, NONE]),
    "a column twice": lambda c, a: changed(a, "phrases", (first_slot(a), 1), a["word_columns"][0]),
    "a column outside": lambda c, a: changed(a, "phrases", (first_slot(a), 1), 10**6),
    "a column of nothing": lambda c, a: changed(a, "phrases", (empty_slot(a), 1), 0),
    "a word in an empty slot": lambda c, a: changed(a, "phrases", (empty_slot(a), 0), 0),
    "a column of two words": lambda c, a: changed(a, "word_columns", 1, a["word_columns"][0]),
    "a column of a word outside": lambda c, a: changed(a, "word_columns", 0, 2**31),
    "more columns than words": lambda c, a: a.update(word_columns=np.arange(99, dtype=np.uint32)),
    "another order": lambda c, a: swap_slots(a),
    "its own child": lambda c, a: cycle(a),
    "a family without an end": lambda c, a: full_family(a),
    "far from home": lambda c, a: far_from_home(a),
    "gigabytes of text": lambda c, a: long_words(a),
    "a word twice": lambda c, a: changed(a, "words", slice(0, 2), a["words"][2:4]),
    "a word with a space": lambda c, a: changed(a, "words", 0, ord(" ")),
    "a word that is no UTF-8": lambda c, a: changed(a, "words", 0, 255),
    "word offsets that go back": lambda c, a: changed(a, "word_offsets", 1, 2**62),
}


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
