"""Conjunctions: the products of pairs of columns and of neighbouring words, and what they make separable."""

from __future__ import annotations

import pickle
from itertools import combinations, product
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.strategies import measurements, sparse_with_zeros

import lindy
from lindy import Perceptron
from lindy.features import (
    Conjunctions,
    ConjunctionVectorizer,
    FunctionVectorizer,
    TokenConjunctions,
    contains,
    word_count,
)
from lindy.text import CountVectorizer, HashingVectorizer, UnionVectorizer, vectorizer_from_state
from lindy.textbook.feature_maps import conjunctions, hashed_conjunctions, word_pairs

JOHANSSON = ["very good", "very bad", "not good", "not bad"]
SENTIMENT = ["Positive", "Negative", "Negative", "Positive"]


def learns(X: Any, y: Any) -> bool:
    """Whether the perceptron, which ends when it makes no more mistakes, separates the classes."""
    return Perceptron(average=False).fit(X, y).score(X, y) == 1.0


@given(measurements(max_columns=6), st.sampled_from([np.float32, np.float64]), st.integers(1, 3))
def test_all_pairs_as_in_the_textbook(data: Any, dtype: Any, min_df: int) -> None:
    X = data[0].astype(dtype)
    for given_rows in (X, scipy.sparse.csr_array(X), sparse_with_zeros(X, dtype)):
        own = Conjunctions(min_df=min_df)
        Z = own.fit_transform(given_rows)
        pairs = [
            pair
            for pair in combinations(range(X.shape[1]), 2)
            if (X[:, pair].prod(axis=1) != 0).sum() >= min_df
            or ((X[:, pair] != 0).all(axis=1)).sum() >= min_df
        ]
        assert [tuple(pair) for pair in own.pairs_.tolist()] == pairs
        assert Z.dtype == dtype
        np.testing.assert_array_equal(Z.toarray(), np.hstack([X, conjunctions(X, pairs)]))


@given(measurements(max_columns=6), st.integers(1, 9))
def test_hashed_pairs_as_in_the_textbook(data: Any, n_features: int) -> None:
    X = data[0]
    Z = Conjunctions(n_features=n_features, keep=False).fit_transform(X)
    expected = hashed_conjunctions(X, list(combinations(range(X.shape[1]), 2)), n_features)
    np.testing.assert_allclose(Z.toarray(), expected, rtol=1e-12, atol=1e-9)
    assert Z.has_canonical_format


@given(measurements(max_columns=7), st.data())
@settings(max_examples=60)
def test_pairs_of_groups(data: Any, draw: st.DataObject) -> None:
    X = data[0]
    n = X.shape[1]
    cut = draw.draw(st.integers(0, n))
    order = draw.draw(st.permutations(range(n)))
    a, b = sorted(order[:cut]), sorted(order[cut:])
    own = Conjunctions(pairs=[(b, a), (a, a)], keep=False).fit(X)
    wanted = {*product(b, a), *combinations(a, 2)}
    occurring = sorted(pair for pair in wanted if (X[:, pair] != 0).all(axis=1).any())
    assert [tuple(pair) for pair in own.pairs_.tolist()] == occurring
    np.testing.assert_array_equal(own.transform(X).toarray(), conjunctions(X, occurring))


def test_many_rows_and_threads_give_the_same() -> None:
    rng = np.random.default_rng(0)
    X = scipy.sparse.random_array((2000, 300), density=0.05, rng=rng, format="csr")
    one, two = (Conjunctions(n_jobs=n, keep=False).fit(X) for n in (1, 2))
    np.testing.assert_array_equal(one.pairs_, two.pairs_)
    Z = one.transform(X)
    assert (two.transform(X) != Z).nnz == 0
    rows = rng.integers(0, 2000, 5)
    expected = conjunctions(X[rows].toarray(), one.pairs_.tolist())
    np.testing.assert_array_equal(Z[rows].toarray(), expected)
    hashed = [Conjunctions(n_jobs=n, keep=False, n_features=1000).fit_transform(X).toarray() for n in (1, 2)]
    np.testing.assert_array_equal(*hashed)


def test_batches_are_put_together() -> None:
    """Forty rows of 600 columns have 7 million pairs, more than one call of the core makes."""
    X = np.random.default_rng(0).integers(1, 5, (40, 600)).astype(np.float32)
    pairs = Conjunctions(keep=False).fit(X)
    whole = pairs.transform_csr(X)
    assert len(whole.indices) == 40 * 600 * 599 // 2
    for row in (0, 22, 39):
        np.testing.assert_array_equal(
            whole.take(np.array([row])).values, pairs.transform_csr(X[[row]]).values
        )


def test_xor_becomes_separable() -> None:
    X, y = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float), [0, 1, 1, 0]
    assert not learns(X, y)
    assert learns(Conjunctions().fit_transform(X), y)
    assert learns(Conjunctions(n_features=8).fit_transform(X), y)


def test_names() -> None:
    frame = pd.DataFrame([[1, 2, 3]], columns=["very", "good", "x"])
    own = Conjunctions(pairs=[(["very"], ["good"])]).fit(frame)
    assert own.get_feature_names_out().tolist() == ["very", "good", "x", "very-good"]
    assert Conjunctions(keep=False).fit(frame.to_numpy()).get_feature_names_out().tolist() == [
        "x0-x1",
        "x0-x2",
        "x1-x2",
    ]
    assert Conjunctions(keep=False, n_features=2).fit(frame).get_feature_names_out().tolist() == ["#0", "#1"]


def test_pairs_that_were_not_there_are_ignored_and_pickles_work() -> None:
    own = Conjunctions().fit([[1, 1, 0], [0, 0, 1]])
    assert own.pairs_.tolist() == [[0, 1]]
    copy = pickle.loads(pickle.dumps(own))
    assert copy.transform([[2, 3, 5]]).toarray().tolist() == [[2, 3, 5, 6]]


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ("some", "must be a str among"),
        ([(0, 1, 2)], "two groups"),
        ([([0], [5])], "names the column 5"),
        ([(["x"], [1])], "names the column 'x'"),
        ([([0, 1], [1])], "column 1 is in two different groups"),
        ([([0], [1]), ([1], [0])], "twice"),
    ],
)
def test_groups_that_cannot_be(pairs: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Conjunctions(pairs=pairs).fit(np.ones((2, 3)))


def test_too_many_pairs_of_one_row() -> None:
    with pytest.raises(lindy.DataError, match=r"row 1 has 20,000 features, which make 199,990,000 pairs"):
        Conjunctions().fit(np.vstack([np.zeros(20_000), np.ones(20_000)]))


@pytest.mark.parametrize(
    "vectorizer",
    [
        TokenConjunctions(window=1),
        TokenConjunctions(templates=[(0, 1)]),
        TokenConjunctions(n_features=64),
        ConjunctionVectorizer(vectorizer=CountVectorizer()),
        ConjunctionVectorizer(vectorizer=CountVectorizer(), n_features=64),
        ConjunctionVectorizer(vectorizer=HashingVectorizer(n_features=512, norm=None)),
    ],
    ids=repr,
)
def test_not_good_and_not_bad_become_separable(vectorizer: Any, tmp_path: Any) -> None:
    assert not learns(CountVectorizer().fit_transform(JOHANSSON), SENTIMENT)
    assert learns(vectorizer.fit_transform(JOHANSSON), SENTIMENT)
    model = lindy.TextClassifier(learner=Perceptron(average=False), vectorizer=vectorizer, calibration="none")
    model.fit(JOHANSSON, SENTIMENT)
    assert model.explain("not bad").label == "Positive"
    model.save(tmp_path / "m.lindy")
    loaded = lindy.load(tmp_path / "m.lindy")
    assert loaded.predict(JOHANSSON).tolist() == SENTIMENT
    np.testing.assert_array_equal(loaded.decision_function(["bad not"]), model.decision_function(["bad not"]))


texts = st.lists(st.text(alphabet="ab ;ÄB", max_size=12), min_size=1, max_size=5)


@given(texts, texts, st.integers(1, 4), st.integers(1, 2), st.booleans(), st.booleans())
def test_word_pairs_as_in_the_textbook(
    fitted: list[str], others: list[str], window: int, min_df: int, binary: bool, punctuation: bool
) -> None:
    pattern = r"\w+"
    words = CountVectorizer(token_pattern=pattern, punctuation=punctuation).build_analyzer()
    expected = CountVectorizer(
        analyzer=lambda text: word_pairs(words(text), window), min_df=min_df, binary=binary, dtype=np.float32
    )
    own = TokenConjunctions(
        window=window, min_df=min_df, binary=binary, token_pattern=pattern, punctuation=punctuation
    )
    try:
        X = expected.fit_transform(fitted)
    except ValueError:
        with pytest.raises(lindy.DataError, match="no tuple of words"):
            own.fit(fitted)
        return
    Z = own.fit_transform(fitted)
    names = own.get_feature_names_out().tolist()
    order = [expected.vocabulary_[name] for name in names]
    assert sorted(order) == list(range(X.shape[1]))
    np.testing.assert_array_equal(Z.toarray(), X.toarray()[:, order])
    np.testing.assert_array_equal(
        own.transform(others).toarray(), expected.transform(others).toarray()[:, order]
    )
    loaded = vectorizer_from_state(*own.to_state())
    np.testing.assert_array_equal(loaded.transform(others).toarray(), own.transform(others).toarray())


def test_hashed_tuples_are_those_of_the_hashing_vectorizer() -> None:
    found = ["not very good", "very good, not very bad"]
    words = CountVectorizer().build_analyzer()
    expected = HashingVectorizer(analyzer=lambda text: word_pairs(words(text), 2), n_features=50, norm=None)
    own = TokenConjunctions(window=2, n_features=50).transform(found)
    np.testing.assert_array_equal(own.toarray(), expected.transform(found).toarray())


def test_templates_and_their_names() -> None:
    own = TokenConjunctions(templates=[(0, 1), (0, 2), (0, 1, 3)], stop_words=["at"])
    own.fit(["not very good at all"])
    assert own.get_feature_names_out().tolist() == [
        "good-all",
        "not-very",
        "very-good",
        "not-_-good",
        "very-_-all",
        "not-very-_-all",
    ]
    assert own.transform(["not very", "so not very bad all"]).toarray().tolist() == [
        [0, 1, 0, 0, 0, 0],
        [0, 1, 0, 0, 1, 1],
    ]


@pytest.mark.parametrize("n_features", [None, 64])
def test_words_and_their_tuples_together(n_features: int | None) -> None:
    parts = [("", TokenConjunctions(window=1, n_features=n_features)), ("", CountVectorizer())]
    union = UnionVectorizer(vectorizers=parts)
    X = union.fit_transform(JOHANSSON)
    assert learns(X, SENTIMENT)
    np.testing.assert_array_equal(union.transform(JOHANSSON).toarray(), X.toarray())
    assert union.get_feature_names_out().tolist()[-4:] == ["bad", "good", "not", "very"]
    loaded = vectorizer_from_state(*union.to_state())
    np.testing.assert_array_equal(loaded.transform(JOHANSSON).toarray(), X.toarray())


@pytest.mark.parametrize(
    "templates",
    [[], [(1, 2)], [(0,)], [(0, 0)], [(0, 2, 1)], [(0, 1), (0, 1)], [(0, 5000)], [3], [("a", "b")]],
)
def test_templates_that_cannot_be(templates: Any) -> None:
    with pytest.raises(ValueError, match="template"):
        TokenConjunctions(templates=templates).fit(["a few words"])


def test_groups_of_a_union() -> None:
    union = UnionVectorizer(
        vectorizers=[
            ("word", CountVectorizer()),
            ("is", FunctionVectorizer(functions=[word_count(), contains("not")])),
        ]
    )
    own = ConjunctionVectorizer(vectorizer=union, pairs=[("is", "word")])
    own.fit(["good", "not good"])
    assert own.get_feature_names_out().tolist() == [
        "word__good",
        "word__not",
        "is__word_count",
        "is__contains(not)",
        "is__word_count-word__good",
        "is__word_count-word__not",
        "is__contains(not)-word__good",
        "is__contains(not)-word__not",
    ]
    assert own.transform(["not good good"]).toarray().tolist() == [[2, 1, 3, 1, 6, 3, 2, 1]]
    loaded = vectorizer_from_state(*own.to_state())
    assert loaded.transform(["not good good"]).toarray().tolist() == [[2, 1, 3, 1, 6, 3, 2, 1]]
    with pytest.raises(
        ValueError, match="names the group 'words'; the vectorizer's groups are: 'word', 'is'"
    ):
        ConjunctionVectorizer(vectorizer=union, pairs=[("is", "words")]).fit(["good"])


def _changed(state: tuple[dict[str, Any], dict[str, Any]], **changes: Any) -> Any:
    config, arrays = state
    own = {name: value for name, value in changes.items() if name in config}
    return vectorizer_from_state(config | own, arrays | {n: v for n, v in changes.items() if n not in config})


@pytest.mark.parametrize(
    "changes",
    [
        {"members0": np.array([[0, 99]], np.int32)},
        {"members0": np.array([[0, -1]], np.int32)},
        {"members0": np.array([[0, 1], [0, 1]], np.int32)},
        {"members0": np.array([[0.0, 1.0]])},
        {"members0": np.array([[0, 1, 1]], np.int32)},
        {"window": 0},
        {"templates": [[1]]},
        {"n_features": -1},
        {"token_pattern": "(a+)+"},
        {"binary": 3},
    ],
)
def test_unsound_saved_tuples(changes: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"saved|template|parameter"):
        _changed(TokenConjunctions(window=1).fit(["a few words"]).to_state(), **changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"pairs": None},
        {"pairs": [["a"]]},
        {"pairs": [["a", "b"]]},
        {"vectorizer": {"kind": "conjunctions"}},
        {"vectorizer": 1},
        {"n_features": 0},
    ],
)
def test_unsound_saved_conjunctions(changes: dict[str, Any]) -> None:
    state = ConjunctionVectorizer(vectorizer=CountVectorizer()).fit(["not bad"]).to_state()
    with pytest.raises(ValueError, match=r"conjunctions|pair|parameter"):
        _changed(state, **changes)


@pytest.mark.parametrize("pairs", [[[0, 9]], [[0, 1], [0, 1]], [[-1, 0]]])
def test_unsound_saved_pairs(pairs: Any) -> None:
    config, arrays = ConjunctionVectorizer(vectorizer=CountVectorizer()).fit(["not bad"]).to_state()
    with pytest.raises(ValueError, match=r"pair"):
        vectorizer_from_state(config, arrays | {"pairs": np.array(pairs, np.int32)})
