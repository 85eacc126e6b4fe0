"""Inputs: every kind takes, joins, cuts and marks its examples as a list of them would."""

import numpy as np
import pyarrow as pa
import pytest

from lindy.core.column import text_column
from lindy.core.csr import Csr
from lindy.core.feature_rows import FeatureRows
from lindy.core.image_column import ImageColumn, as_images
from lindy.core.inputs import Inputs, Records, Texts, as_inputs
from lindy.data.columns.fingerprints import fingerprint
from lindy.features import BagVectorizer, DictVectorizer, TableVectorizer
from lindy.features.inputs import KINDS
from lindy.features.inputs import as_inputs as inputs_of
from lindy.features.row_vectorizer import as_feature_rows
from lindy.images import PixelFeatures
from lindy.text import CountVectorizer
from lindy.tuning.input_recipes import recipes_for

DICTS = [{"fine": 2.0, "book": 1.0}, {"dull": 0.5}, {"book": 3.0, "fine": 1.0}]
KIND = {
    "list": lambda: Texts(["fine book", "dull", "", "été"]),
    "column": lambda: Texts(text_column([b"fine", b"dull book", "été".encode()])),
    "arrow": lambda: Texts(pa.chunked_array([["fine"], ["dull", "book"]])),
    "records": lambda: Records(pa.table({"text": ["fine", "dull", "ok"], "price": [1.5, None, 3.0]})),
    "features": lambda: as_feature_rows(DICTS),
    "images": lambda: as_images(np.arange(36).reshape(4, 3, 3)),
}


@pytest.fixture(params=KIND)
def inputs(request: pytest.FixtureRequest) -> Inputs:
    return KIND[request.param]()


def listed(values: object) -> list[object]:
    return [repr(value) for value in (values.to_pylist() if hasattr(values, "to_pylist") else values)]


def test_some_are_those_of_a_list(inputs: Inputs) -> None:
    all_of_them = listed(inputs.values)
    some = inputs.take(np.array([2, 0]))
    assert type(some) is type(inputs)
    assert listed(some.values) == [all_of_them[2], all_of_them[0]]


@pytest.mark.parametrize("kind", [kind for kind in KIND if kind != "list"])
def test_columns_are_joined(kind: str) -> None:
    one = KIND[kind]()
    both = type(one).joined([one, one])
    assert listed(both.values) == 2 * listed(one.values)
    assert fingerprint(both) == fingerprint(one.take(np.tile(np.arange(len(one)), 2)))


def test_chunks_are_all_of_them_in_order(inputs: Inputs) -> None:
    for rows in (1, 2, 100):
        chunks = list(inputs.chunks(rows))
        assert [value for chunk in chunks for value in listed(chunk)] == listed(inputs.values)
        assert [len(chunk) for chunk in chunks[:-1]] == [rows] * (len(chunks) - 1)
    assert [len(chunk) for chunk in inputs.take(np.zeros(0, np.int64)).chunks()] == [0]


def test_a_fingerprint_tells_examples_apart_and_not_their_form(inputs: Inputs) -> None:
    assert fingerprint(inputs) == fingerprint(inputs.values)
    assert fingerprint(inputs) != fingerprint(inputs.take(np.arange(len(inputs) - 1)))
    assert as_inputs(inputs.values).n_bytes == inputs.n_bytes > 0


def test_what_is_written_is_a_string_for_each(inputs: Inputs) -> None:
    written = listed(inputs.written)
    assert len(written) == len(inputs) == len(set(written))
    assert inputs.has_words == (inputs.kind in ("texts", "records"))


def test_equal_examples_are_comparable() -> None:
    rows = Csr(np.array([0, 2, 4]), np.array([0, 1, 1, 0], np.int32), np.array([1.0, 2.0, 2.0, 1.0]), 2)
    order = FeatureRows(rows, ["a", "b"])
    assert len(set(order.written.to_pylist())) == 2
    assert len(set(order.comparable.arrow.to_pylist())) == 1


def test_near_duplicates_of_images_have_nothing_in_common() -> None:
    rows = KIND["images"]().token_sets(lambda _: pytest.fail("images have no words"))
    assert isinstance(rows, Csr)
    assert rows.to_dense().sum(axis=0).max() == 1


def test_a_lazy_iterable_becomes_a_list() -> None:
    assert Texts(text for text in ["a", "b"]).values == ["a", "b"]
    assert sorted(Texts({"a", "b"}).values) == ["a", "b"]


def test_features_are_numbered_as_if_only_the_rest_had_been_given() -> None:
    every = as_feature_rows(DICTS)
    rest = every.only(np.array([1, 2]), DICTS, as_feature_rows)
    assert isinstance(rest, FeatureRows)
    assert rest.names == as_feature_rows(DICTS[1:]).names == ["dull", "book", "fine"]
    assert every.only(np.array([1]), every, as_feature_rows).names == ["dull"]


def test_a_vectorizer_says_what_it_takes_and_a_model_converts_once() -> None:
    images = np.zeros((2, 3, 3))
    table = TableVectorizer(text=["text"])
    for vectorizer, X, made in (
        (CountVectorizer(), ["a"], Texts),
        (DictVectorizer(), DICTS, Texts),
        (BagVectorizer(), DICTS, FeatureRows),
        (PixelFeatures(), images, ImageColumn),
        (table, [{"text": "a"}], Records),
        (None, ["a"], Texts),
        (None, DICTS, FeatureRows),
        (None, images, ImageColumn),
    ):
        inputs = inputs_of(X, vectorizer, None if vectorizer is None else vectorizer.columns)
        assert type(inputs) is made
        assert type(inputs_of(inputs, vectorizer, getattr(vectorizer, "columns", None))) is made


def test_every_kind_has_recipes(inputs: Inputs) -> None:
    assert inputs.kind in KINDS
    assert recipes_for(inputs).inputs is inputs
