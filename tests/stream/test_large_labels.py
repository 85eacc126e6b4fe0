"""Tables of several labels per text that are larger than memory: the same models, byte for byte."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from tests.stream.stream_helpers import shrink, trained
from tests.test_several_labels import recipes

import lindy.cli.io.large
import lindy.evaluation.crossfit
import lindy.evaluation.label_thresholds
from lindy import TextClassifier, load


@pytest.mark.parametrize("learner", ["svm", "maxent", "nb-svm", "naive-bayes", "perceptron", "auto"])
def test_the_model_is_the_same(learner: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts, labels = recipes(400)
    with (tmp_path / "t.csv").open("w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["labels", "text"])
        writer.writerows(["|".join(own), text] for own, text in zip(labels, texts, strict=True))
    args = [tmp_path / "t.csv", "--learner", learner]
    whole = trained(tmp_path / "whole.lindy", *args)
    monkeypatch.setattr(lindy.cli.io.large, "PER_BYTE", 10**9)
    monkeypatch.setattr(lindy.evaluation.crossfit, "AT_ONCE", 7)
    monkeypatch.setattr(lindy.evaluation.label_thresholds, "AT_ONCE", 30)
    shrink(monkeypatch, 2000)
    assert trained(tmp_path / "parts.lindy", *args) == whole
    assert load(tmp_path / "parts.lindy").several_labels


def test_batches_are_one_table(tmp_path: Path) -> None:
    texts, labels = recipes(200)
    batches = [(texts[i : i + 37], labels[i : i + 37]) for i in range(0, 200, 37)]
    for name, model in {
        "whole": TextClassifier(learner="svm").fit(texts, labels),
        "parts": TextClassifier(learner="svm").fit(iter(batches)),
    }.items():
        model.save(tmp_path / name)
    assert (tmp_path / "parts").read_bytes() == (tmp_path / "whole").read_bytes()
