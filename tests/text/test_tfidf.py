"""TfidfVectorizer against scikit-learn's, to the last bit."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.feature_extraction.text import TfidfVectorizer as Reference
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import MultinomialNB
from sklearn.pipeline import make_pipeline
from tests.text.text_strategies import corpora

from lindy.text import CountVectorizer, TfidfVectorizer, UnionVectorizer, vectorizer_from_state
from lindy.text.weighting.transformer import tf_idf

TEXTS = [
    "The cat sat on the mat, the other cat did not.",
    "A dog! The dog sat; and sat on the cat_1.",
    "",
    "İstanbul ΑΣ ΑΣΑ straße Café the the the",
]

PARAMS = st.fixed_dictionaries(
    {},
    optional={
        "analyzer": st.sampled_from(["word", "char", "char_wb"]),
        "ngram_range": st.sampled_from([(1, 1), (1, 2), (2, 3)]),
        "min_df": st.sampled_from([1, 2]),
        "max_features": st.sampled_from([None, 5]),
        "binary": st.booleans(),
        "norm": st.sampled_from(["l1", "l2", None]),
        "use_idf": st.booleans(),
        "smooth_idf": st.booleans(),
        "sublinear_tf": st.booleans(),
        "dtype": st.sampled_from([np.float32, np.float64]),
        "strip_accents": st.sampled_from([None, "unicode", "ascii"]),
        "lowercase": st.booleans(),
    },
)


def same(ours: Any, theirs: Any) -> None:
    assert ours.shape == theirs.shape
    assert ours.dtype == theirs.dtype
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


@settings(max_examples=200, deadline=None)
@given(corpora(), PARAMS)
def test_weights_are_scikit_learns(texts: list[str], params: dict[str, Any]) -> None:
    theirs, ours = Reference(**params), TfidfVectorizer(**params)
    try:
        expected = theirs.fit_transform(texts)
    except ValueError:
        with pytest.raises(ValueError, match=r"."):
            ours.fit(texts)
        return
    same(ours.fit_transform(texts), expected)
    if params.get("use_idf", True):
        np.testing.assert_array_equal(ours.idf_, theirs.idf_)
        assert ours.idf_.dtype == theirs.idf_.dtype
    new = texts[::-1]
    same(ours.transform(new), theirs.transform(new))
    assert [row.tolist() for row in ours.inverse_transform(expected)] == [
        row.tolist() for row in theirs.inverse_transform(expected)
    ]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("times", [4096, 4097])  # the last one with a table of logarithms, and one more
def test_a_word_that_a_text_repeats_thousands_of_times(times: int, dtype: type) -> None:
    texts = ["more " * times + "text", "some more text", "text"]
    params: dict[str, Any] = {"sublinear_tf": True, "ngram_range": (1, 2), "dtype": dtype}
    ours, theirs = TfidfVectorizer(**params).fit_transform(texts), Reference(**params).fit_transform(texts)
    for name in ("indptr", "indices", "data"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))


@pytest.mark.parametrize("times", [4096, 4097, 6001, 6002])
def test_a_text_with_as_many_repetitions_as_there_are_terms(times: int) -> None:
    others = " ".join(f"x{i}" for i in range(6000))  # and the word itself: 6001 terms
    texts = ["often " * times + others, "often often x1"]
    ours, theirs = TfidfVectorizer(sublinear_tf=True), Reference(sublinear_tf=True)
    np.testing.assert_array_equal(ours.fit_transform(texts).toarray(), theirs.fit_transform(texts).toarray())
    written, found = ours.fit_csr(texts), ours.transform_csr(texts)
    np.testing.assert_array_equal(written.to_dense(), found.to_dense())


@settings(max_examples=100, deadline=None)
@given(corpora(), PARAMS, st.sampled_from(["alphabet", "seen", "frequency"]))
def test_rows_weighed_as_they_are_written_equal_weighed_counts(
    texts: list[str], params: dict[str, Any], order: str
) -> None:
    counting = {
        k: v
        for k, v in params.items()
        if k in ("analyzer", "ngram_range", "min_df", "max_features", "binary")
    }
    weighing = {k: v for k, v in params.items() if k in ("norm", "use_idf", "smooth_idf", "sublinear_tf")}
    try:
        counts = CountVectorizer(**counting).fit_csr(texts, order=order)
    except ValueError:  # no terms
        return
    vectorizer = TfidfVectorizer(**counting, **weighing)
    rows = vectorizer.fit_csr(texts, order=order)
    scale = vectorizer.idf_ if vectorizer.use_idf else None
    tf_idf(counts, scale, vectorizer.norm, counts.values, sublinear=vectorizer.sublinear_tf)
    for ours, theirs in zip(rows.arrays, counts.arrays, strict=True):
        np.testing.assert_array_equal(ours, theirs)


def test_any_dtype_but_floats_becomes_float64() -> None:
    with pytest.warns(UserWarning, match="'dtype' should be used"):
        ours = TfidfVectorizer(dtype=np.int32).fit_transform(TEXTS)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        same(ours, Reference(dtype=np.int32).fit_transform(TEXTS))


def test_idf_can_be_transferred() -> None:
    fitted = TfidfVectorizer().fit(TEXTS)
    copy = TfidfVectorizer(vocabulary=fitted.vocabulary_)
    copy.idf_ = fitted.idf_
    same(copy.transform(TEXTS), fitted.transform(TEXTS))
    with pytest.raises(ValueError, match="idf length = 2 must be equal to vocabulary size"):
        copy.idf_ = fitted.idf_[:2]
    with pytest.raises(ValueError, match="cannot be set"):
        TfidfVectorizer(use_idf=False).idf_ = fitted.idf_


def test_unfitted() -> None:
    with pytest.raises(AttributeError, match="not fitted"):
        _ = TfidfVectorizer().idf_
    with pytest.raises(ValueError, match="The TF-IDF vectorizer is not fitted"):
        TfidfVectorizer(vocabulary=["the"]).transform(TEXTS)


@settings(max_examples=100, deadline=None)
@given(
    st.lists(corpora(4), min_size=1, max_size=4),
    st.sampled_from(["word", "char_wb", str.split]),
    st.sampled_from([1, 2, 0.3]),
    st.sampled_from([None, 4]),
)
def test_parts_equal_the_whole(
    parts: list[list[str]], analyzer: Any, min_df: float, max_features: int | None
) -> None:
    params = {"analyzer": analyzer, "min_df": min_df, "max_features": max_features}
    whole = TfidfVectorizer(**params)
    try:
        whole.fit([text for part in parts for text in part])
    except ValueError:
        return
    grown = TfidfVectorizer(**params)
    for part in parts:
        grown.partial_fit(part)
    assert grown.vocabulary_ == whole.vocabulary_
    np.testing.assert_array_equal(grown.idf_, whole.idf_)
    same(grown.transform(parts[0]), whole.transform(parts[0]))


def test_partial_fit_does_not_continue_a_fit() -> None:
    with pytest.raises(ValueError, match="use partial_fit from the start"):
        TfidfVectorizer().fit(TEXTS).partial_fit(TEXTS)


def test_partial_fit_with_given_terms_counts_documents() -> None:
    whole = TfidfVectorizer(vocabulary=["cat", "dog", "the"]).fit(TEXTS)
    grown = TfidfVectorizer(vocabulary=["cat", "dog", "the"]).partial_fit(TEXTS[:1]).partial_fit(TEXTS[1:])
    np.testing.assert_array_equal(grown.idf_, whole.idf_)


@pytest.mark.parametrize(
    "params", [{}, {"use_idf": False, "norm": None}, {"sublinear_tf": True, "norm": "max"}]
)
def test_state_and_pickle(params: dict[str, Any]) -> None:
    fitted = TfidfVectorizer(ngram_range=(1, 2), dtype=np.float32, **params).fit(TEXTS)
    expected = fitted.transform_csr(TEXTS)
    for again in (vectorizer_from_state(*fitted.to_state()), pickle.loads(pickle.dumps(fitted))):
        np.testing.assert_array_equal(again.transform_csr(TEXTS).values, expected.values)
    config, arrays = fitted.to_state()
    arrays.pop("idf", None)
    if fitted.use_idf:
        with pytest.raises(ValueError, match="idf must be one number per term"):
            vectorizer_from_state(config, arrays)


def test_in_a_pipeline_and_grid_search() -> None:
    search = GridSearchCV(
        make_pipeline(TfidfVectorizer(), MultinomialNB()),
        {"tfidfvectorizer__ngram_range": [(1, 1), (1, 2)]},
        cv=2,
    )
    search.fit(["good book", "bad book", "good film", "bad film"] * 3, [1, 0, 1, 0] * 3)
    assert search.best_score_ == 1
    assert search.predict(["good"]).tolist() == [1]


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"dtype": np.float32},
        {"smooth_idf": False, "norm": "l1"},
        {"sublinear_tf": True},
        {"use_idf": False},
        {"token_pattern": r"\S+"},
        {"vocabulary": ["w1", "w2", "w3"]},
    ],
    ids=str,
)
def test_narrow_rows_do_not_depend_on_how_it_was_fitted(params: dict[str, Any]) -> None:
    texts = [" ".join(f"w{(i * k) % 97}" for k in range(1, 30)) for i in range(50)]
    together = TfidfVectorizer(**params)
    expected = together.fit_csr(texts)
    assert expected.values.dtype == np.float32
    apart = TfidfVectorizer(**params).fit(texts)
    for vectorizer in (together, apart, TfidfVectorizer(**params).partial_fit(texts)):
        np.testing.assert_array_equal(vectorizer.transform_csr(texts).to_dense(), expected.to_dense())
    one, two = (UnionVectorizer(vectorizers=[("a", TfidfVectorizer(**params))]) for _ in range(2))
    assert (one.fit(texts).transform(texts) != two.fit_transform(texts)).nnz == 0
