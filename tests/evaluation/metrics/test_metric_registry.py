"""Entries of the metrics' registry are read everywhere."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from lindy.errors import DataError
from lindy.evaluation import evaluate
from lindy.evaluation.criterion import Criterion, Metric
from lindy.evaluation.metrics.metric_registry import CHOICES, REPORTED, SEVERAL_CHOICES, recall
from lindy.evaluation.offsets import macro_offsets
from lindy.report.page import _overall


def test_every_form_can_be_asked_for() -> None:
    for form in (*CHOICES, *SEVERAL_CHOICES):
        asked = form.replace("LABEL", "spam").replace(":P", ":0.9")
        assert str(Metric.of(asked)) == asked


def test_metrics_of_several_labels_are_refused_for_one_and_the_other_way_round() -> None:
    with pytest.raises(DataError, match="micro-f1 is for several labels per text, and these have one"):
        Criterion.of("micro-f1", np.array(["a", "b"]), np.array([3, 4]))
    with pytest.raises(
        DataError, match="log-loss is for one label per text, and these have several"
    ) as caught:
        Metric.of("log-loss").check(several=True)
    assert "example-f1, precision@1" in caught.value.hint
    assert Metric.of("f1:spam").check(several=True) == Metric.of("f1:spam").check(several=False)


def test_evaluations_have_every_reported_metric() -> None:
    found = evaluate(["a", "b", "a", "c"], ["a", "b", "b", "c"], resamples=20)
    shown = {name for name, *_ in _overall(found)}
    for name, spec in REPORTED.items():
        assert found.to_dict()[name] == found.figures[name]
        assert name in found.intervals
        assert spec.meaning in shown


def test_offsets_raise_the_mean_of_any_ratio() -> None:
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], [90, 10])
    values = np.column_stack([np.zeros(100), rng.normal(size=100) + 1.5 * y - 2.0])

    def mean_recall(answer: Any) -> Any:
        return np.mean([(answer[y == k] == k).mean() for k in (0, 1)])

    moved = values + macro_offsets(values, y, recall)
    assert mean_recall(moved.argmax(axis=1)) > mean_recall(values.argmax(axis=1)) + 0.1
