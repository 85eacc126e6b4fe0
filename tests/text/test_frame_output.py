"""``set_output``: rows of vectorizers as data frames."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.compose import ColumnTransformer
from sklearn.utils import get_tags

from lindy.errors import DataError
from lindy.features import (
    DictVectorizer,
    LexiconVectorizer,
    PatternVectorizer,
    TableVectorizer,
    TokenConjunctions,
)
from lindy.text import CountVectorizer, HashingVectorizer, TfidfVectorizer, UnionVectorizer

TEXTS = pd.Series(["a good book", "a bad film for $5"], index=[7, 9])
MAKERS = {
    "count": CountVectorizer,
    "tfidf": TfidfVectorizer,
    "hashing": lambda: HashingVectorizer(n_features=8),
    "union": lambda: UnionVectorizer(vectorizers=[("words", CountVectorizer()), ("more", TfidfVectorizer())]),
    "patterns": PatternVectorizer,
    "lexicon": lambda: LexiconVectorizer(lexicons={"good": ["good"]}),
    "pairs": TokenConjunctions,
}


@pytest.mark.parametrize("name", MAKERS)
def test_frames_have_the_names_the_index_and_the_values(name: str) -> None:
    plain = MAKERS[name]()
    rows = plain.fit_transform(TEXTS).toarray()
    vectorizer = MAKERS[name]().set_output(transform="pandas")
    for made in (
        vectorizer.fit_transform(TEXTS),
        vectorizer.transform(TEXTS),
        clone(vectorizer).fit_transform(TEXTS),
    ):
        assert isinstance(made, pd.DataFrame)
        assert made.index.tolist() == [7, 9]
        assert made.columns.tolist() == plain.get_feature_names_out().tolist()
        np.testing.assert_array_equal(made.to_numpy(), rows)
    made = MAKERS[name]().set_output(transform="polars").fit_transform(TEXTS)
    assert isinstance(made, pl.DataFrame)
    np.testing.assert_array_equal(made.to_numpy(), rows)
    back = vectorizer.set_output(transform="default").transform(TEXTS)
    np.testing.assert_array_equal(back.toarray(), rows)


def test_dictionaries_and_tables_too() -> None:
    made: Any = (
        DictVectorizer(sparse=False).set_output(transform="pandas").fit_transform([{"a": 1}, {"b": 2}])
    )
    assert made.to_dict("list") == {"a": [1, 0], "b": [0, 2]}
    table = pd.DataFrame({"price": [1.0, 3.0], "kind": ["x", "y"]}, index=["p", "q"])
    made = (
        TableVectorizer(numeric=["price"], category=["kind"])
        .set_output(transform="pandas")
        .fit_transform(table)
    )
    assert made.columns.tolist() == ["price", "kind=x", "kind=y"]
    assert made.index.tolist() == ["p", "q"]


def test_scikit_learn_can_ask_for_it() -> None:
    columns = ColumnTransformer([("t", CountVectorizer(), "text")]).set_output(transform="pandas")
    made = columns.fit_transform(pd.DataFrame({"text": TEXTS}))
    assert "t__good" in made.columns


def test_arguments() -> None:
    vectorizer = CountVectorizer()
    assert vectorizer.set_output(transform=None) is vectorizer
    assert vectorizer.set_output(transform="pandas").fit_transform(raw_documents=TEXTS).index.tolist() == [
        7,
        9,
    ]
    with pytest.raises(ValueError, match=r"one of .*'pandas', 'polars'"):
        vectorizer.set_output(transform="numpy")


def test_a_dense_frame_may_be_too_large() -> None:
    with pytest.raises(DataError, match="12,000 rows of 12,000 columns are too many"):
        CountVectorizer().set_output(transform="polars").fit_transform([f"w{i}" for i in range(12_000)])
    assert CountVectorizer().set_output(transform="pandas").fit_transform(TEXTS).shape == (2, 5)


@pytest.mark.parametrize("name", MAKERS)
def test_every_vectorizer_says_what_it_takes(name: str) -> None:
    tags = get_tags(MAKERS[name]())
    assert tags.input_tags.string
    assert not tags.input_tags.two_d_array
    assert tags.transformer_tags is not None
    assert get_tags(TableVectorizer(numeric=["price"])).input_tags.two_d_array
    assert not get_tags(PatternVectorizer()).requires_fit
