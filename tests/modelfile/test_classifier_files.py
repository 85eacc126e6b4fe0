"""What a model file keeps of a text classifier beside its parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import lindy
from lindy.errors import ModelFileError
from lindy.modelfile import read_model, write_model

TEXTS = ["a fine warm book", "dull and long", "wonderful wise book", "empty dull pages"] * 5
LABELS = ["good", "bad"] * 10


@pytest.mark.parametrize("metric", ["accuracy", "f1:good"])
def test_the_metric_is_kept_where_it_is_not_accuracy(metric: str, tmp_path: Path) -> None:
    path = tmp_path / "model.lindy"
    lindy.TextClassifier(learner="maxent", metric=metric).fit(TEXTS, LABELS).save(path)
    assert read_model(path).header.get("metric", "accuracy") == metric
    assert ("metric" in read_model(path).header) == (metric != "accuracy")
    assert lindy.load(path).metric == metric


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
