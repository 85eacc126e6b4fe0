"""``lindy drift``: what it says, and how it exits."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from lindy.data import samples
from tests.cli.conftest import Command, Outcome


@pytest.fixture
def model(tmp_path: Path, lindy: Command) -> Path:
    path = tmp_path / "reviews.lindy"
    assert lindy("train", samples.path("reviews-train"), "-o", path, "--learner", "svm").code == 0
    return path


def table(path: Path, texts: list[str]) -> Path:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([["text"], *([text] for text in texts)])
    return path


def test_what_is_like_the_training_and_what_is_not(model: Path, tmp_path: Path, lindy: Command) -> None:
    old = samples.path("reviews-train")
    texts = samples.load("reviews-train").texts.to_pylist()
    same: Outcome = lindy("drift", model, table(tmp_path / "same.csv", texts[::2]), "--reference", old)
    assert same.code == 0, same.err
    assert same.out.startswith("no difference is seen (p = ")
    assert "expected accuracy  0." in same.out
    other = table(tmp_path / "other.csv", [f"quux {text} 非常" for text in texts[::2]])
    changed = lindy("drift", model, other, "--reference", old)
    assert changed.code == 3
    assert changed.out.startswith("the new texts look different (p = 0.00")
    assert "quux" in changed.out
    told = lindy("drift", model, other, "--reference", old, "--json", "--top", "3")
    assert told.code == 3
    found = json.loads(told.out)
    assert found["drift"] is True
    assert found["p_value"] < 0.01
    assert len(found["words"]) == 3
    assert set(found["label_shares"]) == {"negative", "positive"}
    assert found["expected_accuracy_interval"][0] <= found["expected_accuracy"]


def test_without_a_reference_only_labels_are_compared(model: Path, tmp_path: Path, lindy: Command) -> None:
    data = samples.load("reviews-train")
    labels = data.labels.to_pylist()
    positive = [
        text for text, label in zip(data.texts.to_pylist(), labels, strict=True) if label == "positive"
    ]
    told = lindy("drift", model, table(tmp_path / "new.csv", positive), "--json")
    found = json.loads(told.out)
    assert found["p_value"] is None
    shares = found["label_shares"]["positive"]
    assert shares["corrected"] > shares["training"] + 0.3


def test_what_cannot_be_compared_is_said(model: Path, tmp_path: Path, lindy: Command) -> None:
    few = table(tmp_path / "few.csv", ["good", "bad"])
    refused = lindy("drift", model, few, "--reference", samples.path("reviews-train"))
    assert refused.code == 1
    assert "few.csv: 2 texts are too few to compare" in refused.err
    counting = tmp_path / "counting.lindy"
    lindy("train", samples.path("reviews-train"), "-o", counting, "--learner", "naive-bayes")
    told = lindy("drift", counting, samples.path("reviews-test"), "--json")
    assert told.code == 0
    assert json.loads(told.out)["expected_accuracy"] is None
    assert "lindy calibrate" in told.err
