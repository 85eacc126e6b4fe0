"""Tables: texts, numbers and categories side by side, in a vectorizer and in a classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lindy
from lindy import Perceptron, TextClassifier
from lindy.explain import inspect
from lindy.features import ConjunctionVectorizer, TableVectorizer
from lindy.features.inputs import RowText
from lindy.text import CountVectorizer, UnionVectorizer, vectorizer_from_state

COLUMNS: dict[str, list[str]] = {
    "text": ["subject", "body"],
    "numeric": ["price"],
    "category": ["sender"],
}
ROWS: list[dict[str, Any]] = [
    {"subject": "free money", "body": "click now", "price": 9.0, "sender": "eve", "label": "spam"},
    {"subject": "lunch", "body": "see you at noon", "price": None, "sender": "ann", "label": "ham"},
    {"subject": "", "body": "free prize now", "price": 8.0, "sender": "bob", "label": "spam"},
    {"subject": "report", "body": "the report", "price": 1.0, "sender": "bob", "label": "ham"},
] * 3
LABELS = [row["label"] for row in ROWS]


def words(**options: Any) -> TableVectorizer:
    return TableVectorizer(**COLUMNS, vectorizer=CountVectorizer(), **options)


def test_names_and_values() -> None:
    vectorizer = words()
    X = vectorizer.fit_transform(ROWS[:4]).toarray()
    names = vectorizer.get_feature_names_out().tolist()
    assert names[:4] == ["subject:free", "subject:lunch", "subject:money", "subject:report"]
    assert names[-5:] == ["price", "price missing", "sender=ann", "sender=bob", "sender=eve"]
    row = dict(zip(names, X[0].tolist(), strict=True))
    prices = np.array([9.0, 8.0, 1.0])
    assert row["price"] == pytest.approx((9 - prices.mean()) / prices.std())
    assert {name for name, value in row.items() if value == 1} >= {"subject:free", "body:click", "sender=eve"}
    assert X[1, names.index("price")] == 0
    assert X[1, names.index("price missing")] == 1
    assert sum(width for _, width in vectorizer.groups_) == X.shape[1]


@pytest.mark.parametrize(
    "table",
    [
        pa.Table.from_pylist(ROWS),
        pd.DataFrame(ROWS),
        pl.DataFrame(ROWS),
        {name: [row[name] for row in ROWS] for name in ROWS[0]},
        ROWS,
        pa.Table.from_pylist(
            [{**row, "price": "" if row["price"] is None else f" {row['price']} "} for row in ROWS]
        ),
        pd.DataFrame(ROWS).astype({"sender": "category"}),
    ],
    ids=["arrow", "pandas", "polars", "columns", "rows", "strings", "dictionary"],
)
def test_tables_of_every_kind(table: Any) -> None:
    expected = words().fit_transform(pa.Table.from_pylist(ROWS)).toarray()
    np.testing.assert_array_equal(words().fit_transform(table).toarray(), expected)


numbers = st.lists(
    st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False), st.integers(-5, 5).map(float)),
    min_size=1,
    max_size=8,
)


@given(numbers, numbers, st.sampled_from(["standard", "range"]))
def test_numbers_are_scaled_and_finite(fitted: list[Any], others: list[Any], scaling: str) -> None:
    vectorizer = TableVectorizer(numeric=["n"], scaling=scaling)
    X = vectorizer.fit_transform({"n": pa.array(fitted, pa.float64())}).toarray()
    Z = vectorizer.transform({"n": pa.array(others, pa.float64())}).toarray()
    present = np.array([value is not None for value in fitted])
    assert X.shape[1] == 2 - present.all()
    for found in (X[:, 0], Z[:, 0]):
        assert np.isfinite(found).all()
        low = 0 if scaling == "range" else -100
        assert ((low <= found) & (found <= 1 + 99 * (scaling == "standard"))).all()
    own = np.array([value for value in fitted if value is not None])
    if len(own) and np.abs(own).max() < 1e6 and np.ptp(own) > 1e-6 and scaling == "standard":
        np.testing.assert_allclose(X[present, 0], (own - own.mean()) / own.std(), rtol=1e-4, atol=1e-4)
    if len(own) and np.abs(own).max() < 1e6 and np.ptp(own) > 1e-6 and scaling == "range":
        np.testing.assert_allclose(X[present, 0], (own - own.min()) / np.ptp(own), rtol=1e-4, atol=1e-4)


def test_what_was_not_there_in_training() -> None:
    vectorizer = words().fit([row for row in ROWS if row["price"] is not None])
    names = vectorizer.get_feature_names_out().tolist()
    assert "price missing" not in names
    row = {"subject": None, "body": "unheard of", "price": None, "sender": "zoe"}
    assert not vectorizer.transform([row]).toarray().any()


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{**ROWS[0], "price": "cheap"}], "row 0: 'price' is 'cheap', expected a number"),
        ([{**ROWS[0], "price": float("inf")}], "row 0: 'price' is inf, expected a number"),
        ([{**ROWS[0], "price": [1]}], "'price' is list<item: int64>, expected numbers"),
        ([{**ROWS[0], "subject": {"a": 1}}], "'subject' is struct<a: int64>, expected texts"),
        ([{"subject": "x", "body": "y", "price": 1}], "there is no column 'sender'"),
        ([ROWS[0], {**ROWS[0], "price": "x"}], "the table cannot be read"),
        (["just a text"], "expected a table, got list"),
        (3.0, "not iterable|expected a table"),
    ],
)
def test_tables_that_cannot_be_used(rows: Any, message: str) -> None:
    vectorizer = words().fit(ROWS)
    with pytest.raises((lindy.DataError, TypeError), match=message):
        vectorizer.transform(rows)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, "at least one column"),
        ({"text": ["a"], "category": ["a"]}, "'a' is named twice"),
        ({"text": "body"}, "'text' parameter"),
        ({"numeric": ["n"], "scaling": "log"}, "'scaling' parameter"),
    ],
)
def test_parameters_that_cannot_be(options: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        TableVectorizer(**options).fit(ROWS)


def test_columns_are_text_numeric_or_category() -> None:
    with pytest.raises(ValueError, match="columns are text, numeric or category; got 'texts'"):
        TextClassifier(columns={"texts": ["subject"]}).fit(ROWS, LABELS)


def test_a_text_column_without_words() -> None:
    with pytest.raises(lindy.DataError, match="the text column 'subject': empty vocabulary"):
        words().fit([{**row, "subject": ""} for row in ROWS])


@pytest.mark.parametrize("learner", ["auto", "naive-bayes", "maxent", "nb-svm"])
@pytest.mark.parametrize(
    "columns", [COLUMNS, {"numeric": ["price"], "category": ["sender"]}, {"text": ["subject", "body"]}]
)
def test_classifiers_of_tables(learner: str, columns: Any, tmp_path: Any) -> None:
    frame = pd.DataFrame(ROWS * 3)
    model = TextClassifier(learner=learner, columns=columns).fit(frame, frame["label"])
    assert model.score(frame, frame["label"]) >= 0.75
    model.remember("training", frame, frame["label"])
    model.save(tmp_path / "m.lindy")
    loaded = lindy.load(tmp_path / "m.lindy")
    np.testing.assert_array_equal(loaded.decision_function(frame), model.decision_function(frame))
    assert loaded.predict(ROWS).tolist() == model.predict(ROWS).tolist()
    assert loaded.roles_of(frame, frame["label"]) == ["training"]
    assert loaded.roles_of(frame[1:], frame["label"][1:]) == []
    assert "numbers and categories" in model.recipe_ or "text" in columns


def test_numbers_decide_where_texts_do_not() -> None:
    rng = np.random.default_rng(0)
    prices = rng.normal(100, 20, 200)
    frame = pd.DataFrame({"body": ["the same words"] * 200, "price": prices})
    labels = np.where(prices > 100, "dear", "cheap")
    texts = TextClassifier(learner="svm").fit(frame["body"], labels)
    both = TextClassifier(learner="svm", columns={"text": ["body"], "numeric": ["price"]}).fit(frame, labels)
    assert texts.score(frame["body"], labels) < 0.7
    assert both.score(frame, labels) > 0.97


def test_explanations_of_rows() -> None:
    model = TextClassifier(learner="maxent", columns=COLUMNS).fit(ROWS, LABELS)
    row = {"subject": "free lunch", "body": "see you now", "price": 9, "sender": "bob"}
    explanation = model.explain(row)
    assert explanation.text == "subject: free lunch\nbody: see you now\n"
    features = {feature.name: feature for feature in explanation.features()}
    assert {"subject:free", "subject:lunch", "body:now", "price", "sender=bob"} <= set(features)
    for name, feature in features.items():
        column, _, term = name.partition(":")
        for begin, end in feature.spans:
            assert explanation.text[begin:end] == term
            assert explanation.text[:begin].rpartition("\n")[2].startswith(column)
    assert features["subject:free"].spans == ((9, 13),)
    assert features["price"].spans == ()
    assert explanation.summed_decision == pytest.approx(explanation.decision)
    marked = {segment.text for segment in explanation.segments() if segment.is_word}
    assert {"free", "lunch", "see", "you", "now"} <= marked
    with pytest.raises(TypeError, match="expected a Mapping, got str"):
        model.explain("free lunch")


def test_words_without_which_the_label_is_another() -> None:
    rows = [{"subject": word, "body": "x y z"} for word in ("free", "lunch")] * 4
    texts = {"text": ["subject", "body"]}
    words = CountVectorizer(token_pattern=r"\w+")
    model = TextClassifier(learner="maxent", columns=texts, vectorizer=words)
    model.fit(rows, ["spam", "ham"] * 4)
    flips = model.explain({"subject": "free free lunch", "body": "x"}).flips
    assert [(flip.word, flip.label) for flip in flips] == [("free", "ham")]


@given(
    st.dictionaries(st.sampled_from("abc"), st.one_of(st.none(), st.text(max_size=5)), min_size=1), st.data()
)
def test_rows_without_some_places(row: dict[str, Any], data: st.DataObject) -> None:
    shown = RowText.of(row, list(row))
    for name, (begin, end) in shown.places.items():
        assert shown.text[begin:end] == (row[name] or "")
    name = data.draw(st.sampled_from(sorted(row)))
    begin, end = shown.places[name]
    cut = shown.without(np.array([[begin, end]]))
    assert cut == {**{other: value or "" for other, value in row.items()}, name: ""}


def test_inspection_finds_numbers_categories_and_words() -> None:
    model = TextClassifier(learner="maxent", columns=COLUMNS).fit(ROWS, LABELS)
    for word, expected in (
        ("price", {"price"}),
        ("sender=bob", {"sender=bob"}),
        ("free", {"subject:free", "body:free"}),
        ("subject:free", {"subject:free"}),
        ("nonsense", set()),
    ):
        assert {feature.name for feature in inspect(model, feature=word).features} == expected
    assert inspect(model).columns == {"text": "subject, body", "numeric": "price", "category": "sender"}


def test_pairs_of_columns() -> None:
    rows = [{"a": a, "b": b} for a in "xy" for b in "xy"]
    labels = ["same" if row["a"] == row["b"] else "different" for row in rows]
    table = TableVectorizer(category=["a", "b"])
    own = ConjunctionVectorizer(vectorizer=table, pairs=[("a", "b")])
    X = own.fit_transform(rows)
    assert own.get_feature_names_out().tolist()[4:] == ["a=x-b=x", "a=x-b=y", "a=y-b=x", "a=y-b=y"]
    assert Perceptron(average=False).fit(X, labels).score(X, labels) == 1


def test_pairs_of_columns_in_a_model(tmp_path: Any) -> None:
    rows = pd.DataFrame({"a": ["x", "y"] * 8, "s": ["good", "good", "bad", "bad"] * 4})
    labels = ["1", "2", "2", "1"] * 4
    table = TableVectorizer(category=["a"], text=["s"])
    pairs = ConjunctionVectorizer(vectorizer=table, pairs=[("a", "s")])
    model = TextClassifier(learner="svm", vectorizer=pairs).fit(rows, labels)
    assert model.score(rows, labels) == 1
    model.save(tmp_path / "m.lindy")
    for own in (model, lindy.load(tmp_path / "m.lindy")):
        explanation = own.explain({"a": "y", "s": "bad"})
        assert explanation.label == "1"
        assert "a=y-s:bad" in explanation.names


def test_saved_and_read_again() -> None:
    union = UnionVectorizer(vectorizers=[("w", CountVectorizer()), ("c", CountVectorizer(analyzer="char"))])
    vectorizer = TableVectorizer(**COLUMNS, vectorizer=union, scaling="range").fit(ROWS)
    loaded = vectorizer_from_state(*vectorizer.to_state())
    assert loaded.columns == vectorizer.columns
    np.testing.assert_array_equal(loaded.transform(ROWS).toarray(), vectorizer.transform(ROWS).toarray())
    again = loaded.fit_transform(ROWS).toarray()
    np.testing.assert_array_equal(again, vectorizer.transform(ROWS).toarray())


@pytest.mark.parametrize(
    "change",
    [
        {"text": None},
        {"text": [{"name": "subject"}, {"name": "body"}]},
        {"text": [{"name": "subject", "config": {"kind": "table"}}]},
        {"numeric": [{"name": "price", "shift": float("nan"), "scale": 1.0, "missing": False}]},
        {"numeric": [{"name": "price", "shift": 0.0, "scale": 0.0, "missing": False}]},
        {"numeric": [{"name": "price", "shift": 0.0, "scale": 1.0, "missing": 2}]},
        {"numeric": [{"name": 7}]},
        {"category": ["sender", "sender"]},
        {"category": [3]},
        {"category": ["subject"]},
        {"scaling": "odd"},
    ],
)
def test_unsound_saved_tables(change: dict[str, Any]) -> None:
    config, arrays = words().fit(ROWS).to_state()
    with pytest.raises(ValueError, match=r"saved|column|scaling|array"):
        vectorizer_from_state(config | change, arrays)


def test_unsound_saved_categories() -> None:
    config, arrays = words().fit(ROWS).to_state()
    arrays["category0.terms"] = arrays["category0.terms"][::-1].copy()
    with pytest.raises(ValueError, match="sorted"):
        vectorizer_from_state(config, arrays)
