"""Targets: labels as they come, of NumPy, pandas, polars and Arrow, one or several per row; a plain twin with sets."""

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
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from lindy import SVM, TextClassifier, load
from lindy.core.targets import ManyLabels, OneLabel, Targets, as_targets
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
    found = as_targets(labels)
    assert found.names.tolist() == ["ham", "spam"]
    assert {type(label) for label in found.names} == {str}
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
    found = as_targets(labels)
    assert found.names.dtype.kind in "iu"
    assert found.names.tolist() == [0, 1]
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


LISTS = [["b", "a"], [], ["c"], ["a", "a"], ["a", "b", "c"]]
INDICATOR = np.array([[1, 1, 0], [0, 0, 0], [0, 0, 1], [1, 0, 0], [1, 1, 1]])
SETS = [{"a", "b"}, set(), {"c"}, {"a"}, {"a", "b", "c"}]


@pytest.mark.parametrize(
    "labels",
    [
        LISTS,
        SETS,
        [frozenset(own) for own in SETS],
        [tuple(own) or None for own in LISTS],
        pd.Series(LISTS),
        pd.Series(LISTS, dtype=pd.ArrowDtype(pa.list_(pa.string()))),
        pl.Series(LISTS),
        pa.array(LISTS),
        pa.chunked_array([pa.array(LISTS[:1]), pa.array([*LISTS[1:3]], pa.list_(pa.string())), LISTS[3:]]),
        pa.array([["x"], ["b", "a"], None, *LISTS[2:]], pa.large_list(pa.string())).slice(1),
        pd.DataFrame(INDICATOR, columns=list("abc")).astype(bool),
        pd.DataFrame(INDICATOR[:, ::-1], columns=list("cba")),
        pl.DataFrame(INDICATOR, schema=list("abc")),
        pa.table({"a": INDICATOR[:, 0] == 1, "b": INDICATOR[:, 1] == 1, "c": INDICATOR[:, 2] == 1}),
    ],
    ids=lambda labels: f"{type(labels).__module__}.{type(labels).__name__}",
)
def test_several_labels_in_every_form(labels: Any) -> None:
    found = as_targets(labels, 5, several=True)
    assert isinstance(found, ManyLabels)
    assert found.names.tolist() == ["a", "b", "c"]
    assert [set(own) for own in found.labels] == SETS


@pytest.mark.parametrize(
    "form", [np.array, sp.csr_array, sp.coo_matrix, lambda Y: Y.astype(bool), np.float32]
)
def test_an_indicator_matrix_has_its_columns_as_names(form: Any) -> None:
    found = as_targets(form(INDICATOR), several=True)
    assert found.names.tolist() == [0, 1, 2]
    assert found.codes.tolist() == np.nonzero(INDICATOR)[1].tolist()


def test_labels_that_are_joined_by_a_separator() -> None:
    found = as_targets(["b| a", "", "c", "a|a|", "a|b|c"], separator="|", several=True)
    assert [set(own) for own in found.labels] == SETS
    assert found == as_targets(pa.array(["a|b", "", "c", "a", "c|b|a"]), separator="|", several=True)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (np.array([[1, 2], [0, 1]]), "only 0 and 1; got 2 in row 0"),
        (np.array([["a", "b"], ["a", "c"]]), "1d array, got an array of shape"),
        (pd.DataFrame({"a": ["yes", "no"], "b": ["no", "no"]}), "1d array"),
        (pd.DataFrame([[0, 1], [1, 0]], columns=["a", "a"]), "same name"),
        ([[0, 1], [1, 0]], "give an array, or sets"),
        ([["a"], "b"], "some rows have lists of labels, others str"),
        ([["a", None], []], "NaN or None"),
        ([["a", ""], []], "empty"),
        ([["a", 1], ["b"]], "one type|strings, whole numbers"),
        (SETS[:3], "inconsistent numbers of samples"),
    ],
)
def test_several_labels_that_make_no_sense(labels: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        as_targets(labels, 2, several=True)


@pytest.mark.parametrize(
    "labels", [LISTS, SETS, INDICATOR, sp.csr_array(INDICATOR)], ids=lambda labels: type(labels).__name__
)
def test_learners_of_one_label_refuse_several(labels: Any) -> None:
    with pytest.raises(LabelTypeError, match=r"several labels per row .* 1d array"):
        SVM().fit(np.eye(5), labels)


def test_labels_among_known_names() -> None:
    known = np.array(["a", "b", "c", "d"], object)
    for labels in (LISTS, as_targets(LISTS, several=True)):
        found = as_targets(labels, names=known, several=True)
        assert found.names is known
        assert [set(own) for own in found.labels] == SETS
    assert as_targets(["b", "d"], names=known).codes.tolist() == [1, 3]
    for labels in (["a", "x"], [["a"], ["a", "x"]]):
        with pytest.raises(ValueError, match=r"not among the classes: .'x'"):
            as_targets(labels, names=known, several=True)


def test_class_numbers_are_their_own_labels() -> None:
    found = OneLabel.of([2, 0, 2])
    assert found.names.tolist() == [0, 1, 2]
    assert found.counts.tolist() == [1, 0, 2]
    assert found.seen().names.tolist() == [0, 2]
    assert found.seen().codes.tolist() == [1, 0, 1]
    assert OneLabel.of(found) is found
    assert found != OneLabel.of([2, 0, 1])


@given(st.data())
def test_targets_are_their_plain_twin_with_sets(data: st.DataObject) -> None:
    K = data.draw(st.integers(1, 5))
    one = data.draw(st.booleans())
    label = st.integers(0, K - 1)
    rows = data.draw(st.lists(st.frozensets(label, min_size=one, max_size=1 if one else K), max_size=12))
    names = np.array([f"label {k}" for k in range(K)], object)
    targets: Targets
    if one:
        targets = OneLabel(names, np.array([k for (k,) in rows], np.int32))
    else:
        pairs = np.array([(row, k) for row, own in enumerate(rows) for k in own], np.int64).reshape(-1, 2)
        targets = ManyLabels.of_pairs(names, pairs[:, 0], pairs[:, 1], len(rows))
    _is_twin(targets, rows, K)
    order = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), max_size=8)) if rows else [], np.int64)
    _is_twin(targets.take(order), [rows[i] for i in order], K)
    seen = sorted(set().union(*rows))
    assert targets.seen().names.tolist() == [f"label {k}" for k in seen]
    assert list(targets.seen().labels) == list(targets.labels)
    assert targets.seen().among(names) == targets


def _is_twin(targets: Targets, rows: list[frozenset[int]], K: int) -> None:
    assert len(targets) == len(rows)
    assert targets == targets.take(np.arange(len(rows)))
    counts = [sum(k in own for own in rows) for k in range(K)]
    assert targets.counts.tolist() == counts
    weight = np.arange(1.0, len(rows) + 1)
    weighed = [sum(w for own, w in zip(rows, weight, strict=True) if k in own) for k in range(K)]
    assert targets.weighted_counts(weight).tolist() == weighed
    assert targets.weighted_counts(None).tolist() == counts
    single = isinstance(targets, OneLabel)
    assert targets.n_outputs == (1 if single and K == 2 else K)
    for k in range(targets.n_outputs):
        positive = 1 if targets.n_outputs < K else k
        signs = [1.0 if positive in own else -1.0 for own in rows]
        assert targets.signs(k).tolist() == signs
        assert targets.one_vs_rest(k).signs(0).tolist() == signs
    pairs = {(row, k) for row, own in enumerate(rows) for k in own or {K}}
    assert sorted(zip(*(own.tolist() for own in targets.strata), strict=True)) == sorted(pairs)
    labels = [(label,) for label in targets.labels] if single else targets.labels
    assert labels == [tuple(f"label {k}" for k in sorted(own)) for own in rows]
