"""Vectorizers that learn more are those of all texts; columns are found where they went."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.errors import UpdateError
from lindy.text import (
    Bm25Vectorizer,
    CountVectorizer,
    HashingVectorizer,
    LogCountRatioVectorizer,
    TfidfVectorizer,
    UnionVectorizer,
)
from lindy.text.vectorizer_registry import vectorizer_from_state
from lindy.text.vocabulary.encoding import Terms
from lindy.text.vocabulary.vocabulary_merge import documents_of_idf, find_terms, join_terms, term_hashes
from lindy.text.weighting.tfidf_transformer import smooth_idf

MADE: dict[str, Callable[[], Any]] = {
    "counts": lambda: CountVectorizer(ngram_range=(1, 2)),
    "binary": lambda: CountVectorizer(binary=True),
    "characters": lambda: CountVectorizer(analyzer="char_wb", ngram_range=(1, 3)),
    "tfidf": TfidfVectorizer,
    "narrow tfidf": lambda: TfidfVectorizer(sublinear_tf=True, dtype="float32"),
    "rough tfidf": lambda: TfidfVectorizer(smooth_idf=False, norm=None),
    "no idf": lambda: TfidfVectorizer(use_idf=False),
    "bm25": Bm25Vectorizer,
    "hashing": lambda: HashingVectorizer(n_features=64),
    "union": lambda: UnionVectorizer(
        vectorizers=[("w", TfidfVectorizer()), ("c", CountVectorizer(analyzer="char", ngram_range=(2, 2)))]
    ),
}
texts = st.lists(
    st.lists(st.sampled_from(["aa", "bb", "cc", "dd", "ee", "ff", "éé", "日本", ""]), max_size=6).map(
        " ".join
    ),
    min_size=1,
    max_size=8,
).filter(lambda own: any(text.strip() for text in own))


def state(vectorizer: Any) -> tuple[Any, dict[str, bytes]]:
    config, arrays = vectorizer.to_state()
    return config, {name: array.dtype.str.encode() + array.tobytes() for name, array in arrays.items()}


@pytest.mark.parametrize("name", list(MADE))
@given(first=texts, second=texts)
def test_parts_are_the_whole(name: str, first: list[str], second: list[str]) -> None:
    parts = [MADE[name]() for _ in range(3)]
    for vectorizer, own in zip(parts, (first, second, first + second), strict=True):
        vectorizer.fit_csr(own, order="seen")
    loaded = [vectorizer_from_state(*part.to_state()) for part in parts[:2]]
    n = len(first), len(second)
    for a, b in (parts[:2], loaded):
        for grown in (a.grown(second, n[0]), a.joined(b, n)):
            assert state(grown.vectorizer) == state(parts[2])
            old, new = a.get_feature_names_out(), grown.vectorizer.get_feature_names_out()
            assert new[grown.places[0]].tolist() == old.tolist()
            assert grown.n_new == len(new) - len(old)


@given(first=texts, second=texts)
def test_scaled_weights_score_as_before(first: list[str], second: list[str]) -> None:
    a = TfidfVectorizer(norm=None)
    X = a.fit_csr(first, order="seen")
    grown = a.grown(second, len(first))
    w = np.linspace(-1, 1, X.n_columns)
    moved = np.zeros(grown.vectorizer.n_columns)
    assert grown.factors[0] is not None
    moved[grown.places[0]] = w / grown.factors[0]
    Y = grown.vectorizer.transform_csr(first)
    np.testing.assert_allclose(Y.to_dense() @ moved, X.to_dense() @ w, rtol=1e-4, atol=1e-5)


def test_unknown_words_are_counted() -> None:
    vectorizer = CountVectorizer().fit(["aa bb"])
    assert vectorizer.grown(["aa cc cc", "dd"], 1).unknown == (3, 4)
    assert vectorizer.grown(["", "!"], 1).unknown == (0, 0)


@pytest.mark.parametrize(
    "options", [{"max_features": 2}, {"select": "count:2"}, {"vocabulary": ["aa", "bb"]}, {"oov": 2}], ids=str
)
def test_terms_that_were_chosen_stay(options: dict[str, Any]) -> None:
    vectorizer = CountVectorizer(**options)
    vectorizer.fit_csr(["aa bb", "aa bb"], order="seen")
    names = vectorizer.get_feature_names_out().tolist()
    for own in (vectorizer, vectorizer_from_state(*vectorizer.to_state())):
        grown = own.grown(["cc cc", "cc dd"], 2)
        assert grown.vectorizer.get_feature_names_out().tolist() == names
        assert grown.vectorizer.transform_csr(["aa"]).n_columns == len(names)


@pytest.mark.parametrize(
    ("options", "added"),
    [
        ({"min_df": 2}, {"cc"}),
        ({"min_count": 3}, {"cc", "dd"}),
        ({"min_df": 0.3}, {"cc"}),
        ({"max_df": 1}, {"dd", "ee"}),
    ],
    ids=[
        "min_df",
        "min_count",
        "a share as min_df",
        "max_df",
    ],  # not of sets, whose order differs between processes
)
def test_new_terms_keep_to_the_limits(options: dict[str, Any], added: set[str]) -> None:
    vectorizer = CountVectorizer(**options)
    vectorizer.fit_csr(
        ["aa aa aa bb", "bb aa", "bb bb"] if "max_df" not in options else ["aa", "bb", "gg"], order="seen"
    )
    known = set(vectorizer.vocabulary_)
    again = vectorizer_from_state(*vectorizer.to_state())
    grown = again.grown(["cc cc", "cc dd dd dd", "ee"], 3)
    assert set(grown.vectorizer.vocabulary_) - known == added


def test_document_frequencies_follow_from_idf() -> None:
    rng = np.random.default_rng(0)
    for n in (10, 1000, 1_000_000):
        for smooth in (True, False):
            df = np.append(rng.integers(1, n + 1, 2000), [1, n])
            for dtype in (np.float32, np.float64):
                idf = smooth_idf(df, n, smooth=smooth, dtype=dtype, log=np.log)
                np.testing.assert_array_equal(documents_of_idf(idf, n, smooth=smooth), df)


def test_what_needs_labels_is_refused() -> None:
    vectorizer = LogCountRatioVectorizer().fit(["aa bb", "cc"], [0, 1])
    with pytest.raises(UpdateError, match="all texts and labels at once"):
        vectorizer.grown(["aa"], 2)
    with pytest.raises(UpdateError, match="all texts and labels at once"):
        vectorizer.joined(vectorizer, (2, 2))


def test_terms_are_joined_in_order() -> None:
    first, second = Terms.from_strings(["b", "a"]), Terms.from_strings(["c", "a", "日本", "d"])
    terms, mine, theirs = join_terms(first, second, np.array([True, True, True, False]))
    assert terms.strings == ["b", "a", "c", "日本"]
    assert mine.tolist() == [0, 1]
    assert theirs.tolist() == [2, 1, 3, -1]
    assert join_terms(first, Terms.from_strings(["a"]))[0] is first


@given(known=st.lists(st.text(max_size=5), unique=True), wanted=st.lists(st.text(max_size=5), unique=True))
def test_terms_are_found_as_strings_are(known: list[str], wanted: list[str]) -> None:
    if not known:
        return
    numbers = {term: i for i, term in enumerate(known)}
    found = find_terms(Terms.from_strings(known), Terms.from_strings([*wanted, *known[::2]]))
    assert found.tolist() == [numbers.get(term, -1) for term in [*wanted, *known[::2]]]


def test_hashes_of_terms_are_the_sums_they_say() -> None:
    terms = Terms.from_strings(["", "a", "ab", "ba", "日本", "a" * 50])
    r = 0x9E3779B97F4A7C15
    expected = [
        sum((byte + 1) * pow(r, k, 1 << 64) for k, byte in enumerate(term.encode())) % (1 << 64)
        for term in terms.strings
    ]
    assert term_hashes(terms).tolist() == expected
    assert term_hashes(terms, 2).tolist() == expected


def test_terms_of_the_same_hash_are_told_apart() -> None:
    """Thue and Morse: words whose polynomials are equal modulo 2⁶⁴ for every odd factor."""
    a = "ab"
    for _ in range(10):
        a += a.translate(str.maketrans("ab", "ba"))
    b = a.translate(str.maketrans("ab", "ba"))
    hashes = term_hashes(Terms.from_strings([a, b]))
    assert hashes[0] == hashes[1]
    assert find_terms(Terms.from_strings([a]), Terms.from_strings([b, a])).tolist() == [-1, 0]
    assert find_terms(Terms.from_strings([a, b]), Terms.from_strings([b, a, "c"])).tolist() == [1, 0, -1]


@pytest.mark.parametrize(
    "limits",
    [
        [],
        {"min_df": "x"},
        {"min_df": 0},
        {"min_df": True},
        {"other": 1},
        {"select": "no:1"},
        {"fixed": 1},
        {"max_features": 0},
    ],
    ids=str,
)
def test_forged_limits_are_refused(limits: Any) -> None:
    config, arrays = CountVectorizer().fit(["aa bb"]).to_state()
    with pytest.raises(ValueError):  # noqa: PT011
        vectorizer_from_state(config | {"limits": limits}, arrays)
