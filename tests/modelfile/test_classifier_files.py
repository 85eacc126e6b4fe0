"""What a model file keeps of a text classifier beside its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lindy
from lindy.errors import ModelFileError
from lindy.evaluation.decisions import ScoreRule
from lindy.evaluation.predictions import Predictions
from lindy.modelfile import read_model, text_classifiers, write_model

TEXTS = ["a fine warm book", "dull and long", "wonderful wise book", "empty dull pages"] * 5
LABELS = ["good", "bad"] * 10


@pytest.mark.parametrize("metric", ["accuracy", "f1:good"])
def test_the_metric_is_kept_where_it_is_not_accuracy(metric: str, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner="maxent", metric=metric).fit(TEXTS, LABELS).save(path)
    assert read_model(path).header.get("metric", "accuracy") == metric
    assert ("metric" in read_model(path).header) == (metric != "accuracy")
    assert lindy.load(path).metric == metric


@pytest.mark.parametrize(
    "learner", [lindy.Mira(C=np.inf), lindy.SVM(loss="hinge", C=np.inf)], ids=["MIRA", "SVM"]
)
def test_an_infinite_option_comes_back(learner: Any, tmp_path: Path) -> None:
    """JSON has no infinity; no cap and the hard margin do."""
    path = tmp_path / "model.lindy"
    model = lindy.TextClassifier(learner=learner).fit(TEXTS, LABELS)
    model.save(path)
    again = lindy.load(path)
    assert np.isinf(again.learner_.C)
    assert "C=inf" in again.recipe_
    np.testing.assert_array_equal(again.decision_function(TEXTS), model.decision_function(TEXTS))


def test_what_it_is_made_of_and_why_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    model = lindy.TextClassifier(fast=True).fit(TEXTS, LABELS)
    model.save(path)
    assert lindy.load(path).why_ == model.why_
    file = read_model(path)
    assert file.header["recipe"] == model.recipe_
    write_model(path, file.header | {"recipe": "made by hand"}, dict(file.arrays))
    assert lindy.load(path).recipe_ == "made by hand"
    write_model(path, file.header | {"recipe": ""}, dict(file.arrays))
    assert lindy.load(path).recipe_ == model.recipe_, "without one, its parts say what they are"


@pytest.mark.parametrize(
    ("weight", "fine"),
    [
        ("balanced", True),
        ([["good", 2.0], ["bad", 0.0]], True),
        ([["good", -1.0], ["bad", 1.0]], False),
        ([["good", "2"], ["bad", 1.0]], False),
        ([["good", 2], ["bad", 1.0]], False),
        ("other", False),
    ],
)
def test_weights_of_classes_are_numbers_from_0_on(weight: Any, fine: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner="maxent", class_weight="balanced").fit(TEXTS, LABELS).save(path)
    file = read_model(path)
    assert file.header["class_weight"] == "balanced"
    write_model(path, file.header | {"class_weight": weight}, dict(file.arrays))
    if fine:
        assert lindy.load(path).class_weight == (weight if isinstance(weight, str) else dict(weight))
    else:
        with pytest.raises(ModelFileError):
            lindy.load(path)


@pytest.mark.parametrize(
    ("counts", "fine"),
    [([0, 20], True), ([-1, 21], False), ([20], False), ([10, 5, 5], False), ("ab", False)],
)
def test_class_counts_are_whole_numbers_from_0_on(counts: Any, fine: bool, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner="maxent").fit(TEXTS, LABELS).save(path)
    file = read_model(path)
    write_model(path, file.header | {"class_counts": counts}, dict(file.arrays))
    if fine:
        assert lindy.load(path).class_counts_.tolist() == counts
    else:
        with pytest.raises(ModelFileError):
            lindy.load(path)


def test_all_parts_of_a_loaded_model_use_so_many_threads(tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner="maxent").fit(TEXTS, LABELS).save(path)
    model = lindy.load(path, n_jobs=1)
    assert (model.n_jobs, model.vectorizer_.n_jobs, model.learner_.n_jobs) == (1, 1, 1)


@pytest.mark.parametrize(("column", "refused"), [(0, True), (63, True), (64, False)])
def test_scores_of_the_first_columns_are_tried_out(column: int, refused: bool) -> None:
    texts = [" ".join(f"word{i}" for i in range(start, 100, 2)) for start in (0, 1)]
    model = lindy.TextClassifier(learner="maxent").fit(texts, ["even", "odd"])
    model.learner_.W_[column] = np.nan
    if refused:
        with pytest.raises(ValueError, match="score"):
            text_classifiers._try_out(model)
    else:
        text_classifiers._try_out(model)  # what all columns cost is not paid: their numbers have been checked


@pytest.mark.parametrize(("total", "fine"), [(1 + 5e-7, True), (1 + 5e-6, False), (1.5, False), (0.0, False)])
def test_probabilities_that_are_tried_out_sum_to_1(
    total: float, fine: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = lindy.TextClassifier(learner="maxent").fit(TEXTS, LABELS)
    shares = np.full((2, 2), total / 2)
    monkeypatch.setattr(
        text_classifiers,
        "predictions_of",
        lambda *_: Predictions(np.zeros(2, int), shares, are_probabilities=True),
    )
    if fine:
        text_classifiers._try_out(model)
    else:
        with pytest.raises(ValueError, match="its probabilities do not sum to 1"):
            text_classifiers._try_out(model)


def test_weights_of_classes_that_are_numbers_come_back(tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    given = {0: 2.0, 1: 0.5}
    lindy.TextClassifier(learner="maxent", class_weight=given).fit(TEXTS, [0, 1] * 10).save(path)
    again = lindy.load(path)
    assert again.class_weight == given
    assert again.learner == "maxent"


def test_the_rule_of_a_metric_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    model = lindy.TextClassifier(learner="maxent", metric="f1:good").fit(TEXTS, LABELS)
    model.rule_ = ScoreRule(np.array([0.0, 5.0]))
    model.save(path)
    again = lindy.load(path)
    assert again.rule_ is not None
    assert again.rule_.offsets.tolist() == [0.0, 5.0]
    assert again.predict(TEXTS).tolist() == model.predict(TEXTS).tolist()


def test_a_learner_of_texts_beside_a_vectorizer_of_columns_is_refused(tmp_path: Path) -> None:
    texts, columns = tmp_path / "texts.lindy", tmp_path / "columns.lindy"
    lindy.TextClassifier(learner=lindy.KernelSVM(kernel="spectrum")).fit(TEXTS, LABELS).save(texts)
    lindy.TextClassifier(learner="maxent").fit(TEXTS, LABELS).save(columns)
    assert lindy.load(texts).predict(TEXTS).tolist() == LABELS
    own, other = read_model(texts), read_model(columns)
    arrays = {name: array for name, array in own.arrays.items() if not name.startswith("vectorizer.")}
    arrays |= {name: array for name, array in other.arrays.items() if name.startswith("vectorizer.")}
    write_model(texts, own.header | {"vectorizer": other.header["vectorizer"]}, arrays)
    with pytest.raises(ModelFileError, match="leave out the vectorizer"):
        lindy.load(texts)


def test_weights_whose_sums_are_no_numbers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner="maxent").fit(TEXTS, LABELS).save(path)
    file = read_model(path)
    huge = np.full_like(file.arrays["learner.W"], np.finfo(file.arrays["learner.W"].dtype).max)
    write_model(path, file.header, dict(file.arrays) | {"learner.W": huge})
    with pytest.raises(ModelFileError, match="score"):
        lindy.load(path)


def test_a_learner_of_other_columns_than_its_vectorizer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner="maxent").fit(TEXTS, LABELS).save(path)
    file = read_model(path)
    fewer = np.array(file.arrays["learner.W"][:-1])
    write_model(path, file.header, dict(file.arrays) | {"learner.W": fewer})
    with pytest.raises(ModelFileError, match=r"the learner has .* features, the vectorizer"):
        lindy.load(path)
