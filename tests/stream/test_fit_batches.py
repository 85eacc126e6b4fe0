"""``TextClassifier.fit`` over batches: the model of all examples at once, from memory and from files."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import lindy.data.chunks.batch_input
from lindy import TextClassifier
from lindy.errors import DataError
from lindy.stream.workspace import Workspace

TEXTS = [
    f"{w} and {v} are {'fine' if (i * j) % 3 else 'poor'}"
    for i, w in enumerate("abcdefgh")
    for j, v in enumerate("uvwxyz")
]
LABELS = ["good" if "fine" in text else "bad" for text in TEXTS]
CUTS = [(0, 5), (5, 6), (6, 40), (40, len(TEXTS))]


def frames(make):
    return (make({"text": TEXTS[a:b], "label": LABELS[a:b]}) for a, b in CUTS)


FORMS = {
    "lists": lambda: ((TEXTS[a:b], LABELS[a:b]) for a, b in CUTS),
    "a list of tuples": lambda: [(TEXTS[a:b], np.array(LABELS[a:b])) for a, b in CUTS],
    "Arrow columns": lambda: ((pa.array(TEXTS[a:b]), pa.array(LABELS[a:b])) for a, b in CUTS),
    "record batches": lambda: frames(pa.RecordBatch.from_pydict),
    "Arrow tables": lambda: frames(pa.table),
    "pandas": lambda: frames(pd.DataFrame),
}


@pytest.fixture(params=[False, True], ids=["in memory", "in files"])
def in_files(request, monkeypatch):
    if request.param:
        monkeypatch.setattr(lindy.data.chunks.batch_input, "PER_BYTE", 10**9)
    return request.param


def saved(model, path):
    model.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("form", FORMS)
def test_batches_are_the_whole(form, in_files, tmp_path):
    model = TextClassifier(learner="svm", ngrams=(1, 2)).fit(FORMS[form]())
    whole = TextClassifier(learner="svm", ngrams=(1, 2)).fit(TEXTS, LABELS, source=model.columns_)
    assert saved(model, tmp_path / "a.lindy") == saved(whole, tmp_path / "b.lindy")


def test_polars_frames(in_files, tmp_path):
    polars = pytest.importorskip("polars")
    model = TextClassifier(learner="maxent").fit(frames(polars.DataFrame))
    whole = TextClassifier(learner="maxent").fit(TEXTS, LABELS, source={"text": "text", "label": "label"})
    assert saved(model, tmp_path / "a.lindy") == saved(whole, tmp_path / "b.lindy")


def test_weights_and_numbers_as_labels(in_files):
    weight = np.linspace(0.5, 2, len(TEXTS))
    numbers = [int(label == "good") for label in LABELS]
    batches = [(TEXTS[a:b], numbers[a:b], weight[a:b]) for a, b in CUTS]
    model = TextClassifier(learner="maxent").fit(batches)
    whole = TextClassifier(learner="maxent").fit(TEXTS, numbers, weight)
    assert model.classes_.tolist() == [0, 1]
    assert np.array_equal(model.decision_function(TEXTS), whole.decision_function(TEXTS))


def test_a_label_that_comes_late_is_a_class(in_files):
    model = TextClassifier(learner="naive-bayes").fit(
        [(["an apple", "some tea"], ["x", "y"]), (["two eggs"], ["late"])]
    )
    assert model.classes_.tolist() == ["late", "x", "y"]


def test_the_workspace_in_use_is_taken(tmp_path, monkeypatch):
    monkeypatch.setattr(lindy.data.chunks.batch_input, "PER_BYTE", 10**9)
    with Workspace(str(tmp_path / "own")) as workspace, workspace.in_use():
        TextClassifier(learner="svm").fit(FORMS["lists"]())
    assert (tmp_path / "own" / "001-texts" / "data").read_bytes() == "".join(TEXTS).encode()


@pytest.mark.parametrize(
    ("batches", "kind", "said"),
    [
        ([(["a"], ["x", "y"])], ValueError, "batch 0 has 1 texts but 2 labels"),
        ([(["a", "b"], ["x", "y"]), (["a", None], ["x", "y"])], DataError, "batch 1, document 1 is NoneType"),
        ([(["a", "b"], ["x", "y"]), "more"], TypeError, "batch 1 is str"),
        ([(["a"], ["x"], [1.0]), (["b"], ["y"])], ValueError, "batch 1: some batches have weights"),
        (
            [pd.DataFrame({"text": ["a b"], "label": ["x"]}), pd.DataFrame({"text": ["c"], "class": ["y"]})],
            DataError,
            "batch 1 has no column 'label'; there are: text, class",
        ),
        ([(pa.array(["a", None]), ["x", "y"])], DataError, "batch 0 has 1 missing documents"),
    ],
)
def test_wrong_batches_are_named(batches, kind, said):
    with pytest.raises(kind, match=said):
        TextClassifier(learner="svm").fit(batches)


def test_texts_without_labels_are_refused_as_ever():
    with pytest.raises(ValueError, match="requires y to be passed"):
        TextClassifier().fit(["a text", "another"])
