"""Words and characters side by side."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from sklearn.base import clone
from sklearn.feature_extraction.text import CountVectorizer as Reference
from sklearn.feature_extraction.text import HashingVectorizer as HashingReference
from sklearn.feature_extraction.text import TfidfVectorizer as TfidfReference
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import FeatureUnion, Pipeline
from sklearn.utils.estimator_checks import estimator_checks_generator
from tests.text.text_strategies import corpora

from lindy.core.csr import side_by_side
from lindy.text import (
    CountVectorizer,
    HashingVectorizer,
    TfidfVectorizer,
    UnionVectorizer,
    vectorizer_from_state,
)

TEXTS = ["the cat sat", "a dog", "", "the dog sat on the cat"]


def words_and_characters(kind: Any = CountVectorizer) -> list[tuple[str, Any]]:
    return [("word", kind(ngram_range=(1, 2))), ("char", kind(analyzer="char_wb", ngram_range=(2, 3)))]


@settings(max_examples=50, deadline=None)
@given(corpora())
def test_equals_scikit_learns_union(texts: list[str]) -> None:
    texts = [*texts, "some words"]
    union = UnionVectorizer(vectorizers=words_and_characters())
    reference = FeatureUnion(words_and_characters(Reference))
    expected = reference.fit_transform(texts).toarray()
    np.testing.assert_array_equal(union.fit_transform(text for text in texts).toarray(), expected)
    np.testing.assert_array_equal(union.transform(texts).toarray(), reference.transform(texts).toarray())
    assert union.get_feature_names_out().tolist() == reference.get_feature_names_out().tolist()


def test_state_and_parts() -> None:
    union = UnionVectorizer(vectorizers=words_and_characters(TfidfVectorizer)).fit(TEXTS)
    again = vectorizer_from_state(*union.to_state())
    np.testing.assert_array_equal(again.transform(TEXTS).toarray(), union.transform(TEXTS).toarray())
    grown = UnionVectorizer(vectorizers=words_and_characters(TfidfVectorizer))
    grown.partial_fit(TEXTS[:1]).partial_fit(TEXTS[1:])
    np.testing.assert_array_equal(grown.transform(TEXTS).toarray(), union.transform(TEXTS).toarray())


def test_parameters_of_the_parts() -> None:
    union = UnionVectorizer(vectorizers=[*words_and_characters(), ("", CountVectorizer())])
    params = union.get_params()
    assert params["word"] is union.vectorizers[0][1]
    assert params["char__ngram_range"] == (2, 3)
    assert "" not in params
    assert set(union.get_params(deep=False)) == {"vectorizers"}
    union.set_params(word__min_df=2, char=HashingVectorizer(n_features=8), char__n_features=4)
    assert union.vectorizers[0][1].min_df == 2
    assert union.vectorizers[1][1].n_features == 4
    assert clone(union).get_params()["word__min_df"] == 2
    for nonsense in ("nonsense", "nonsense__min_df", "word__nonsense"):
        with pytest.raises(ValueError, match="Invalid parameter 'nonsense"):
            union.set_params(**{nonsense: 1})


def test_grid_search_over_a_part() -> None:
    pipeline = Pipeline([("v", UnionVectorizer(vectorizers=words_and_characters())), ("m", MultinomialNB())])
    search = GridSearchCV(pipeline, {"v__word__min_df": [1, 2]}, cv=2).fit(TEXTS * 2, [0, 1, 0, 1] * 2)
    assert search.best_estimator_["v"].get_params()["word__min_df"] in (1, 2)


@pytest.mark.parametrize(
    ("vectorizers", "kind", "message"),
    [
        ([], ValueError, "vectorizers is empty"),
        (None, TypeError, r"must be a list of \(name, vectorizer\)"),
        ([CountVectorizer()], TypeError, r"must be a list of \(name, vectorizer\)"),
        ([("word", CountVectorizer)], TypeError, "a name and a vectorizer with fit and transform"),
        ([("word", str.split)], TypeError, "a name and a vectorizer with fit and transform"),
        ([(1, CountVectorizer())], TypeError, "a name and a vectorizer with fit and transform"),
    ],
)
def test_parts_that_cannot_be(vectorizers: Any, kind: type[Exception], message: str) -> None:
    for method in ("fit", "fit_transform", "fit_csr", "partial_fit"):
        with pytest.raises(kind, match=message):
            getattr(UnionVectorizer(vectorizers=vectorizers), method)(TEXTS)
    assert UnionVectorizer(vectorizers=vectorizers).get_params(deep=False) == {"vectorizers": vectorizers}


def test_vectorizers_of_scikit_learn_are_parts() -> None:
    union = UnionVectorizer(
        vectorizers=[
            ("ours", CountVectorizer()),
            ("tf", TfidfReference()),
            ("hash", HashingReference(n_features=8)),
        ]
    )
    assert not union.__sklearn_is_fitted__()
    rows = union.fit_transform(iter(TEXTS))
    assert union.__sklearn_is_fitted__()
    expected = [Reference(), TfidfReference(), HashingReference(n_features=8)]
    np.testing.assert_array_equal(
        rows.toarray(), np.hstack([v.fit_transform(TEXTS).toarray().astype(np.float32) for v in expected])
    )
    np.testing.assert_array_equal(union.transform(TEXTS).toarray(), rows.toarray())
    assert rows.dtype == np.float32
    assert union.get_feature_names_out()[[0, -1]].tolist() == ["ours__cat", "hash__#7"]
    assert [width for _, width in union.groups_] == [5, 5, 8]
    with pytest.raises(ValueError, match="part 'tf' is not a vectorizer of lindy"):
        union.to_state()
    with pytest.raises(TypeError, match="TfidfVectorizer has no partial_fit"):
        union.partial_fit(TEXTS)


def test_hashed_columns_are_called_by_their_number() -> None:
    union = UnionVectorizer(vectorizers=[("w", CountVectorizer()), ("h", HashingVectorizer(n_features=2))])
    assert union.fit(["so so"]).get_feature_names_out().tolist() == ["w__so", "h__#0", "h__#1"]


def _checks() -> list[Any]:
    union = UnionVectorizer(vectorizers=words_and_characters())
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*does not inherit from `sklearn.base.BaseEstimator`")
        warnings.filterwarnings(
            "ignore", message="Can't test estimator"
        )  # beyond its tags, as it takes texts
        return [
            pytest.param(estimator, check, id=getattr(check, "func", check).__name__)
            for estimator, check in estimator_checks_generator(union, legacy=True)
        ]


def test_the_tags_let_scikit_learn_begin() -> None:
    tags = UnionVectorizer(vectorizers=words_and_characters()).__sklearn_tags__()
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert len(_checks()) > 0


@pytest.mark.parametrize(("estimator", "check"), _checks())
def test_scikit_learn_check(estimator: Any, check: Any) -> None:
    check(estimator)


class Once:
    """Texts that can be read one time only, and say how often they were."""

    def __init__(self, texts: list[str]) -> None:
        self.texts, self.readings = texts, 0

    def __iter__(self) -> Iterator[str]:
        self.readings += 1
        return iter(self.texts)


FAMILIES = {
    "tf-idf": words_and_characters(TfidfVectorizer),
    "counts and hashes": [("count", CountVectorizer(min_df=2)), ("hash", HashingVectorizer(n_features=16))],
    "a given vocabulary": [
        ("given", TfidfVectorizer(vocabulary=["cat", "dog"])),
        ("char", CountVectorizer(analyzer="char")),
    ],
}


@pytest.mark.parametrize("vectorizers", FAMILIES.values(), ids=FAMILIES.keys())
def test_one_reading_gives_the_matrix_of_two(vectorizers: list[tuple[str, Any]]) -> None:
    apart = [clone(vectorizer) for _, vectorizer in vectorizers]
    union = UnionVectorizer(vectorizers=[(name, clone(vectorizer)) for name, vectorizer in vectorizers])
    texts = Once(TEXTS)
    rows, expected = union.fit_csr(texts), side_by_side([vectorizer.fit_csr(TEXTS) for vectorizer in apart])
    assert texts.readings == 1
    for ours, theirs in zip(rows.arrays, expected.arrays, strict=True):
        np.testing.assert_array_equal(ours, theirs)
    rows = union.transform_csr(texts)
    assert texts.readings == 2
    expected = side_by_side([vectorizer.transform_csr(TEXTS) for vectorizer in apart])
    np.testing.assert_array_equal(rows.to_dense(), expected.to_dense())
    union.fit(texts)
    assert texts.readings == 3
    expected = side_by_side([vectorizer.fit(TEXTS).transform_csr(TEXTS) for vectorizer in apart])
    np.testing.assert_array_equal(union.transform_csr(iter(TEXTS)).to_dense(), expected.to_dense())


def test_vectorizers_that_need_another_reading_get_it() -> None:
    vectorizers: list[tuple[str, Any]] = [
        ("word", CountVectorizer()),
        ("own", CountVectorizer(tokenizer=str.split, token_pattern=None)),
        ("rare", CountVectorizer(oov=2)),
        ("other bytes", CountVectorizer(encoding="latin-1")),
        ("recorded", HashingVectorizer(n_features=8, record=True)),
    ]
    union = UnionVectorizer(vectorizers=vectorizers)
    expected = side_by_side([clone(vectorizer).fit_csr(TEXTS) for _, vectorizer in vectorizers])
    np.testing.assert_array_equal(union.fit_csr(iter(TEXTS)).to_dense(), expected.to_dense())
    np.testing.assert_array_equal(union.transform_csr(iter(TEXTS)).to_dense(), expected.to_dense())
    assert any(vectorizers[-1][1].terms_of(column) for column in range(8))
    with pytest.raises(ValueError, match="string object received"):
        union.fit("one text")


@pytest.mark.parametrize(
    "damage",
    [
        {"parts": []},
        {"parts": "ab"},
        {"parts": [1]},
        {"parts": [{"name": "word"}]},
        {"parts": [{"name": "word", "config": {"kind": "union", "parts": []}}]},
        {"parts": [{"name": "word", "config": {"kind": "count"}}]},
    ],
)
def test_unsound_state(damage: dict[str, Any]) -> None:
    config, arrays = UnionVectorizer(vectorizers=words_and_characters()).fit(TEXTS).to_state()
    with pytest.raises(ValueError, match=r"."):
        vectorizer_from_state(config | damage, arrays)
