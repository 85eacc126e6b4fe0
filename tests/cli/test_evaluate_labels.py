"""``lindy evaluate`` for models that give any number of labels to a text."""

from __future__ import annotations

import json

import numpy as np
import pytest

from lindy.cli.commands.evaluate import report_labels
from lindy.cli.io.console import Notes
from lindy.cli.io.evaluation_tables import render_labels
from lindy.core.targets import as_lists
from lindy.evaluation import LabelEvaluation, Predictions, SeveralLabels, evaluate_labels


def evaluation() -> LabelEvaluation:
    p = np.array([[0.9, 0.1], [0.8, 0.7], [0.2, 0.9]])
    predictions = SeveralLabels([0.5, 0.6])(Predictions(p.argmax(axis=1), p, are_probabilities=True))
    truth = as_lists([["a", "new"], ["a", "b"], ["b"]])
    return evaluate_labels(truth, predictions, ["a", "b"], [0.5, 0.6])


def test_tables_of_averages_ranks_and_labels() -> None:
    lines = [line.split() for line in render_labels(evaluation()).splitlines()]
    assert ["micro", "mean", "1.0000", "0.8000", "0.8889"] in lines
    assert ["macro", "mean", "0.6667", "0.6667", "0.6667"] in lines
    assert ["precision", "1.0000", "0.4444", "0.2667"] in lines
    assert ["b", "0.6000", "1.0000", "1.0000", "1.0000", "2"] in lines
    assert ["new", "(unknown)", "0.0000", "0.0000", "0.0000", "1"] in lines


def test_labels_that_the_model_does_not_know_are_said(capsys: pytest.CaptureFixture[str]) -> None:
    report_labels(evaluation(), "f1:a", [], Notes(quiet=False), as_json=False)
    told = capsys.readouterr()
    assert told.out.startswith("trained for f1:a: 1.0000\nmicro F1  0.8889")
    assert "the model does not know 1 of the labels" in told.err
    assert "'new' (1)" in told.err


def test_json_has_the_record(capsys: pytest.CaptureFixture[str]) -> None:
    report_labels(evaluation(), "accuracy", ["training"], Notes(quiet=True), as_json=True)
    record = json.loads(capsys.readouterr().out)
    assert record["micro_f1"] == pytest.approx(8 / 9)
    assert record["used_for"] == ["training"]
    assert record["unknown_labels"] == {"new": 1}
    assert [own["threshold"] for own in record["labels"]] == [0.5, 0.6, None]


def test_many_labels_are_not_all_listed() -> None:
    names = [f"label-{k:03}" for k in range(80)]
    predictions = SeveralLabels(0.5)(Predictions(np.arange(80), np.eye(80), are_probabilities=True))
    told = render_labels(evaluate_labels(as_lists([{name} for name in names]), predictions, names))
    assert "and 30 rarer labels: --json has all" in told
    assert "label-049" in told
    assert "label-050" not in told
