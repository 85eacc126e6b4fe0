"""``--coverage``: sets of labels from the command line."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from lindy.data import samples
from lindy.textclassifier import load
from tests.cli.conftest import Command


@pytest.fixture
def reviews(tmp_path: Path, lindy: Command) -> Path:
    model = tmp_path / "reviews.lindy"
    assert lindy("train", samples.path("reviews-train"), "-o", model, "--learner", "svm").code == 0
    return model


def test_sets_are_written_and_judged(reviews: Path, lindy: Command) -> None:
    test = samples.path("reviews-test")
    header, *rows = csv.reader(lindy("predict", reviews, test, "--coverage", "0.9", "-q").out.splitlines())
    assert header == ["label", "probability"]
    data = samples.load("reviews-test")
    sets = load(reviews).predict_set(data.texts, 0.9)
    assert [row[0] for row in rows] == ["|".join(own) for own in sets]
    told = lindy("predict", reviews, test, "--coverage", "0.9", "--coverage-per-class", "--json", "-q").out
    each = load(reviews).predict_set(data.texts, 0.9, per_class=True)
    assert [json.loads(line)["label"] for line in told.splitlines()] == [list(own) for own in each]
    found = json.loads(lindy("evaluate", reviews, test, "--coverage", "0.9", "--json").out)["coverage"]
    truth = data.labels.to_pylist()
    assert found["asked"] == 0.9
    assert found["reached"] == np.mean([label in own for label, own in zip(truth, sets, strict=True)])
    assert found["mean_size"] == np.mean([len(own) for own in sets])
    assert found["single"] == np.mean([len(own) == 1 for own in sets])
    assert found["interval"][0] < found["reached"] < found["interval"][1]
    last = lindy("evaluate", reviews, test, "--coverage", "0.9").out.splitlines()[-1]
    assert last.startswith(f"sets of labels for a coverage of 0.9: {found['reached']:.4f} (")


def test_several_labels_have_the_share_that_is_found(tmp_path: Path, lindy: Command) -> None:
    tickets, model = samples.path("tickets"), tmp_path / "tags.lindy"
    made = lindy(
        "train", tickets, "-o", model, "--label", "tags", "--text", "message", "--label-separator", ","
    )
    assert made.code == 0, made.err
    found = json.loads(lindy("evaluate", model, tickets, "--coverage", "0.95", "--json").out)["coverage"]
    assert found["reached"] > 0.93
    said = lindy("evaluate", model, tickets, "--coverage", "0.95").out
    assert f"sets of labels for a coverage of 0.95: {found['reached']:.4f} (" in said


def test_what_cannot_be_promised_is_said(reviews: Path, tmp_path: Path, lindy: Command) -> None:
    test = samples.path("reviews-test")
    counting = tmp_path / "counts.lindy"
    lindy("train", samples.path("reviews-train"), "-o", counting, "--learner", "naive-bayes")
    for words, said in (
        ((reviews, test, "--coverage", "1"), "only the set of all labels is sure"),
        ((reviews, test, "--coverage", "0"), "above 0"),
        ((reviews, test, "--coverage-per-class"), "no effect without --coverage"),
        ((reviews, test, "--coverage", "0.9", "--reject", "0.5"), "leave out --coverage or --reject"),
        ((counting, test, "--coverage", "0.9"), "--calibrate sigmoid"),
    ):
        outcome = lindy("predict", *words)
        assert outcome.code == 2
        assert said in outcome.err
