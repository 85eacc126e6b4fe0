"""Bags to rows: every feature a column, its value as it is; weighted where values are counts."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from lindy.errors import DataError
from lindy.features import BagVectorizer, DictVectorizer
from lindy.features.row_vectorizer import as_feature_rows
from lindy.text.vectorizer_registry import vectorizer_from_state
from lindy.text.weighting.weighting_registry import WEIGHTINGS, weighting_transformer

VALUES = st.floats(-(2.0**99), 2.0**99, width=32).filter(bool)
ROWS = st.lists(
    st.dictionaries(st.sampled_from(["b", "a", "c d", "é"]), VALUES, min_size=1), min_size=1, max_size=5
)
COUNTS = [{"fine": 2, "book": 1}, {"dull": 1, "book": 3}, {"fine": 1}]


@given(ROWS, ROWS)
def test_same_rows_as_those_of_dictionaries(
    rows: list[dict[str, float]], others: list[dict[str, float]]
) -> None:
    ours, theirs = BagVectorizer(), DictVectorizer()
    found = [ours.fit_csr(rows), ours.transform_csr(others)]
    expected = [theirs.fit_csr(rows), theirs.transform_csr(others)]
    for own, other in zip(found, expected, strict=True):
        assert own.values.dtype == np.float32
        assert np.array_equal(own.to_dense(), other.to_dense())
    assert ours.get_feature_names_out().tolist() == theirs.feature_names_


def test_strings_are_features_of_their_own() -> None:
    vectorizer = BagVectorizer().fit([{"colour": "red", "size": 2}, {"colour": "blue"}])
    assert vectorizer.feature_names_ == ["colour=blue", "colour=red", "size"]


def test_values_that_float32_cannot_hold() -> None:
    vectorizer = BagVectorizer()
    assert vectorizer.fit_csr([{"a": 16777217.0}]).values.tolist() == [16777217.0]
    assert vectorizer.transform_csr([{"a": 0.1}]).values.tolist() == [0.1]
    back = vectorizer_from_state(*vectorizer.to_state())
    assert back.transform_csr([{"a": 0.1}]).values.tolist() == [0.1]


@pytest.mark.parametrize("weighting", WEIGHTINGS)
def test_weighted_as_by_the_transformer_and_saved(weighting: str) -> None:
    vectorizer = BagVectorizer(weighting=weighting, min_df=2)
    y = [0, 1, 0]
    rows = vectorizer.fit_csr(COUNTS, y=y)
    assert vectorizer.feature_names_ == ["book", "fine"]
    plain = BagVectorizer(min_df=2).fit_csr(COUNTS)
    transformer = weighting_transformer(weighting)
    expected = plain if transformer is None else transformer.fit(plain, y).transform_csr(plain)
    assert np.array_equal(rows.to_dense(), expected.to_dense())
    for back in (vectorizer_from_state(*vectorizer.to_state()), pickle.loads(pickle.dumps(vectorizer))):
        assert back.get_params() == vectorizer.get_params()
        assert np.array_equal(back.transform_csr(COUNTS).to_dense(), rows.to_dense())


def test_limits() -> None:
    names = {
        (1, None): ["book", "dull", "fine"],
        (0.5, None): ["book", "fine"],
        (3, 1): None,
        (1, 2): ["book", "fine"],
    }
    for (min_df, most), expected in names.items():
        vectorizer = BagVectorizer(min_df=min_df, max_features=most)
        if expected is None:
            with pytest.raises(ValueError, match="no feature is in 3 examples"):
                vectorizer.fit(COUNTS)
        else:
            assert vectorizer.fit(COUNTS).feature_names_ == expected


@pytest.mark.parametrize("value", [-1, 0.5])
@pytest.mark.parametrize("weighting", ["tfidf", "bm25", "log-count-ratio"])
def test_only_counts_are_weighted(weighting: str, value: float) -> None:
    with pytest.raises(DataError, match=f"'a' of example 2 has the value {value:g}, which is not a count"):
        BagVectorizer(weighting=weighting).fit_csr([{"b": 1}, {"a": value}], y=[0, 1])
    fitted = BagVectorizer(weighting=weighting)
    fitted.fit_csr([{"b": 1}, {"a": 2}], y=[0, 1])
    with pytest.raises(DataError, match="not a count"):
        fitted.transform_csr([{"a": value}])


def test_unknown_features() -> None:
    vectorizer = BagVectorizer().fit(COUNTS)
    assert vectorizer.unknown([{"new": 1, "fine": 2}, {"newer": 1}]) == ["new", "newer"]
    assert vectorizer.transform_csr([{"new": 1}]).to_dense().tolist() == [[0, 0, 0]]


def test_columns_of_a_matrix_have_names_of_their_own() -> None:
    matrix = scipy.sparse.csr_matrix([[0, 2.5, 0], [1, 0, 0]])
    assert as_feature_rows(matrix).to_pylist() == [{"x1": 2.5}, {"x0": 1}]
    vectorizer = BagVectorizer()
    assert vectorizer.fit_csr(matrix).to_dense().tolist() == [[0, 2.5], [1, 0]]
    assert vectorizer.unknown([{"1": 2.5}]) == ["1"]


@pytest.mark.parametrize("wrong", [["a text"], [{"a": 1}, None], [1]])
def test_what_is_not_a_bag(wrong: list[Any]) -> None:
    with pytest.raises(DataError, match="expected a dictionary of features") as caught:
        BagVectorizer().fit(COUNTS).transform_csr(wrong)
    assert caught.value.hint


@pytest.mark.parametrize(
    "change",
    [
        lambda config, _: config.update(dtype="int8"),
        lambda config, _: config.update(weighting="other"),
        lambda config, _: config.pop("min_df"),
        lambda _, arrays: arrays.update(numbers=np.arange(7, dtype=np.int32)),
        lambda _, arrays: arrays.pop("terms"),
        lambda _, arrays: arrays.update({"weights.idf": arrays["weights.idf"][:1]}),
    ],
)
def test_unsound_states(change: Any) -> None:
    config, arrays = BagVectorizer(weighting="tfidf").fit(COUNTS).to_state()
    change(config, arrays)
    with pytest.raises((ValueError, KeyError)):
        vectorizer_from_state(config, arrays)
