"""Data frames of pandas and polars in, predictions as a data frame out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from lindy import DataError, TextClassifier

FRAME = pd.DataFrame(
    {
        "title": ["wonderful", "wise", "dull", "empty"] * 10,
        "body": ["a warm book", "a wise book", "a long book", "a thin book"] * 10,
        "price": np.arange(40.0),
        "shop": ["north", "south"] * 20,
        "label": ["good", "good", "bad", "bad"] * 10,
    },
    index=[f"row {i}" for i in range(40)],
)
COLUMNS = {"text": ["title", "body"], "numeric": ["price"], "category": ["shop"]}


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME)], ids=["pandas", "polars"])
def test_frames_of_several_columns(frame: Any) -> None:
    model = TextClassifier(learner="svm", columns=COLUMNS).fit(frame, frame["label"])
    assert model.predict(frame).tolist() == FRAME["label"].tolist()
    predicted = model.predict(frame, as_frame=True)
    assert isinstance(predicted, pd.DataFrame)
    assert predicted["label"].tolist() == FRAME["label"].tolist()


@pytest.mark.parametrize("dtype", ["object", "string", "string[pyarrow]", "category"])
def test_series_of_every_dtype(dtype: str) -> None:
    texts, labels = FRAME["title"].astype(dtype), FRAME["label"].astype(dtype)
    assert TextClassifier(learner="svm").fit(texts, labels).predict(texts).tolist() == FRAME["label"].tolist()


@pytest.mark.parametrize("dtype", ["Int64", "int8", "boolean", "float64"])
def test_labels_that_are_numbers(dtype: str) -> None:
    labels = pd.Series((FRAME["label"] == "good").tolist()).astype(dtype)
    assert TextClassifier(learner="svm").fit(FRAME["title"], labels).predict(["wise"]).tolist() == [1]


@pytest.mark.parametrize(
    "missing",
    [
        pd.Series([None, *FRAME["label"][1:]]),
        pd.Series([np.nan, *FRAME["label"][1:]], dtype=object),
        pd.Series([None, *FRAME["label"][1:]], dtype="string"),
        pd.Series([None, *[1, 0, 1] * 13], dtype="Int64"),
        pl.Series([None, *FRAME["label"][1:]]),
    ],
)
def test_a_missing_label_is_named(missing: Any) -> None:
    with pytest.raises(ValueError, match="Input y contains NaN"):
        TextClassifier(learner="svm").fit(FRAME["title"], missing)


def test_a_missing_text_is_named() -> None:
    with pytest.raises(DataError, match="document 2 is null"):
        TextClassifier(learner="svm").fit(FRAME["title"].mask(FRAME.index == "row 2"), FRAME["label"])


def test_predictions_as_a_frame_keep_the_index() -> None:
    model = TextClassifier(learner="naive-bayes").fit(FRAME["title"], FRAME["label"])
    some = FRAME["title"].iloc[[7, 2, 30]]
    frame = model.predict(some, as_frame=True)
    assert frame.index.tolist() == ["row 7", "row 2", "row 30"]
    assert frame.columns.tolist() == ["label", "probability", "bad", "good"]
    assert frame["label"].tolist() == model.predict(some).tolist()
    np.testing.assert_array_equal(frame[["bad", "good"]], model.predict_proba(some))
    np.testing.assert_array_equal(frame["probability"], model.predict_proba(some).max(axis=1))
    assert model.predict(["wise"], as_frame=True).index.tolist() == [0]
    assert model.predict([], as_frame=True).empty


def test_several_labels_are_lists_in_a_frame() -> None:
    labels = [[own, "book"][: 1 + row % 2] for row, own in enumerate(FRAME["label"])]
    model = TextClassifier(learner="naive-bayes").fit(FRAME["title"], labels)
    for some in (FRAME["title"], FRAME["title"].iloc[:1], FRAME["title"].iloc[:0]):
        frame = model.predict(some, as_frame=True)
        assert frame.columns.tolist() == ["label", "probability", "bad", "book", "good"]
        assert frame["label"].dtype == object
        assert frame["label"].tolist() == [list(own) for own in model.predict(some)]
        assert frame.index.tolist() == some.index.tolist()


def test_a_frame_of_scores() -> None:
    model = TextClassifier(learner="svm", calibration="none").fit(FRAME["title"], FRAME["label"])
    frame = model.predict(FRAME["title"], as_frame=True)
    assert frame.columns.tolist() == ["label", "score", "bad", "good"]
    np.testing.assert_allclose(frame["good"], model.decision_function(FRAME["title"]))
    np.testing.assert_array_equal(frame["score"], frame[["bad", "good"]].max(axis=1))


def test_classes_that_are_called_like_the_other_columns() -> None:
    labels = FRAME["label"].map({"good": "label", "bad": "probability"})
    model = TextClassifier(learner="naive-bayes").fit(FRAME["title"], labels)
    columns = model.predict(FRAME["title"], as_frame=True).columns
    assert columns.tolist() == ["label", "probability", "predicted_label", "predicted_probability"]
