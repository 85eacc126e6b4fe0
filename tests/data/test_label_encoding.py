"""Labels as they come: of NumPy, pandas, polars and Arrow, of one type or of several that are one kind."""

from __future__ import annotations

import datetime
import enum
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from lindy import TextClassifier, load
from lindy.data.columns.label_encoding import encode_labels
from lindy.errors import LabelTypeError

WORDS = ["spam", "ham", "ham"] * 2
CODES = [1, 0, 0] * 2
TEXTS = ["win a prize", "see you", "lunch at noon"] * 2


class Kind(enum.StrEnum):
    SPAM = "spam"
    HAM = "ham"


@pytest.mark.parametrize(
    "labels",
    [
        list(np.array(WORDS)),
        [np.str_("spam"), "ham", Kind.HAM] * 2,
        np.array([np.str_("spam"), "ham", "ham"] * 2, object),
        np.array(WORDS, np.dtypes.StringDType()),
        [Kind(word) for word in WORDS],
        pd.Series(WORDS, dtype="category"),
        pd.Categorical(WORDS, categories=["spam", "ham", "unused"]),
        pd.Series(WORDS, dtype="string[pyarrow]"),
        pd.Series(WORDS, dtype=pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string()))),
        pl.Series(WORDS, dtype=pl.Categorical),
        pl.Series(WORDS, dtype=pl.Enum(["spam", "ham"])),
        pa.array(WORDS).dictionary_encode(),
        pa.chunked_array([pa.array(WORDS[:2]).dictionary_encode(), pa.array(WORDS[2:]).dictionary_encode()]),
    ],
    ids=lambda labels: f"{type(labels).__module__}.{type(labels).__name__}",
)
def test_words_of_every_type_are_plain_strings(labels: Any, tmp_path: Path) -> None:
    found = encode_labels(labels)
    assert found.classes.tolist() == ["ham", "spam"]
    assert {type(label) for label in found.classes} == {str}
    assert found.codes.tolist() == CODES
    model = TextClassifier(learner="naive-bayes").fit(TEXTS, labels)
    model.save(tmp_path / "m.lindy")
    assert load(tmp_path / "m.lindy").predict(["a prize"]).tolist() == ["spam"]


@pytest.mark.parametrize(
    "labels",
    [
        [np.int32(1), np.int64(0), 0] * 2,
        [np.uint8(1), np.int16(0), np.int64(0)] * 2,
        np.array([np.int32(1), 0, np.int64(0)] * 2, object),
        [1.0, 0, np.float32(0)] * 2,
        [True, 0, np.False_] * 2,
        pd.Series(CODES, dtype="Int64"),
        pd.Series(CODES, dtype="category"),
        pd.Series(CODES, dtype="int64[pyarrow]"),
        pa.array(CODES).dictionary_encode(),
        pl.Series(CODES),
    ],
    ids=lambda labels: f"{type(labels).__module__}.{type(labels).__name__}",
)
def test_whole_numbers_of_several_types_are_of_one(labels: Any, tmp_path: Path) -> None:
    found = encode_labels(labels)
    assert found.classes.dtype.kind in "iu"
    assert found.classes.tolist() == [0, 1]
    assert found.codes.tolist() == CODES
    model = TextClassifier(learner="naive-bayes").fit(TEXTS, labels)
    model.partial_fit(TEXTS, np.array([1, 2, 0] * 2))
    assert model.classes_.dtype.kind in "iu"
    model.save(tmp_path / "m.lindy")
    assert load(tmp_path / "m.lindy").classes_.tolist() == [0, 1, 2]


@pytest.mark.parametrize(
    ("labels", "named"),
    [
        ([b"spam", b"ham"], "bytes"),
        (np.array([b"spam", b"ham"]), "S4"),
        ([datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)], "date"),
        (np.array(["2024-01-01", "2024-01-02"], "datetime64[D]"), "datetime64"),
        ([Decimal(1), Decimal(0)], "Decimal"),
    ],
)
def test_what_no_model_file_can_keep_is_refused_before_the_fit(labels: Any, named: str) -> None:
    with pytest.raises(LabelTypeError, match=f"strings, whole numbers or booleans; got .*{named}") as caught:
        TextClassifier(learner="naive-bayes").fit(["win a prize", "see you"], labels)
    assert "[str(label) for label in y]" in str(caught.value.hint)


@pytest.mark.parametrize("learner", ["naive-bayes", "perceptron", "svm"])
def test_whole_numbers_stay_whole_when_more_is_learned(learner: str) -> None:
    model = TextClassifier(learner=learner).fit(TEXTS, CODES)
    model.partial_fit(TEXTS, CODES)
    assert model.classes_.dtype.kind == "i"
    assert model.predict(["win a prize"]).tolist() == [1]


@pytest.mark.parametrize(
    "texts",
    [
        ["win", None],
        pd.Series(["win", None]),
        pd.Series(["win", np.nan], dtype=object),
        pa.array(["win", None]),
    ],
    ids=["list", "pandas", "NaN", "Arrow"],
)
def test_a_missing_text_hints_at_fillna(texts: Any) -> None:
    with pytest.raises(ValueError, match="document 1") as caught:
        TextClassifier(learner="naive-bayes").fit(texts, ["spam", "ham"])
    assert 'fillna("")' in caught.value.hint  # type: ignore[attr-defined]
