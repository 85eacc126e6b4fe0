"""Figures of several labels per row, against scikit-learn's and the textbook's; intervals against the bootstrap."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from lindy.core.targets import ManyLabels
from lindy.evaluation import LabelEvaluation, SeveralLabels, StreamingLabelMetrics, evaluate_labels, wilson
from lindy.evaluation.metrics.label_metrics import label_gains, places_of
from lindy.evaluation.metrics.metric_registry import SEVERAL_CHOICES, TOP
from lindy.evaluation.predictions import Predictions
from lindy.textbook import ranking as textbook

Case = tuple[Any, Any, Any]


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """True labels, values with many ties, and which labels are given, all rows × labels; rows without any included."""
    n, K = draw(st.integers(1, 12)), draw(st.integers(1, 7))

    def cells(values: st.SearchStrategy[int]) -> Any:
        return np.array(draw(st.lists(values, min_size=n * K, max_size=n * K))).reshape(n, K)

    truth, values = cells(st.integers(0, 1)), cells(st.integers(0, 5)) / 5
    return truth, values, values >= 0.6


def judged(truth: Any, values: Any, threshold: Any = 0.6) -> LabelEvaluation:
    return evaluate_labels(*case_of(truth, values, threshold), np.arange(truth.shape[1]))


def case_of(truth: Any, values: Any, threshold: Any = 0.6) -> tuple[ManyLabels, Predictions]:
    predictions = Predictions(values.argmax(axis=1), values, are_probabilities=True)
    return ManyLabels.of_indicator(truth), SeveralLabels(threshold)(predictions)


@settings(deadline=None)
@given(cases())
def test_lists_equal_to_scikit_learn(case: Case) -> None:
    truth, values, called = case
    found = judged(truth, values).figures
    # scikit-learn would take the matrix of a single label for one label per row
    wide, given_to = (np.column_stack([own, np.zeros(len(own), int)]) for own in (truth, called.astype(int)))
    present = np.flatnonzero(truth.any(axis=0)).tolist()
    expected = {"micro": range(truth.shape[1]), "macro": present}
    for average, labels in expected.items():
        figures = (
            theirs.precision_recall_fscore_support(
                wide, given_to, average=average, labels=list(labels), zero_division=0
            )[:3]
            if len(labels)
            else (0.0, 0.0, 0.0)
        )
        ours = [found[f"{average}_{name}"] for name in ("precision", "recall", "f1")]
        assert ours == pytest.approx(figures)
    is_empty = ~truth.any(axis=1) & ~called.any(axis=1)
    samples = theirs.precision_recall_fscore_support(wide, given_to, average="samples", zero_division=0)[:3]
    ours = [found[f"example_{name}"] for name in ("precision", "recall", "f1")]
    assert ours == pytest.approx([figure + is_empty.mean() for figure in samples])
    assert found["subset_accuracy"] == pytest.approx(theirs.accuracy_score(wide, given_to))
    if truth.shape[1] > 1:
        assert found["hamming_loss"] == pytest.approx(theirs.hamming_loss(truth, called))


@settings(deadline=None)
@given(cases())
def test_rankings_equal_to_the_textbook_and_to_scikit_learn(case: Case) -> None:
    truth, values, _ = case
    found, hits = judged(truth, values).figures, truth > 0
    rows = list(zip(values, hits, strict=True))
    labelled = [(row, own) for row, own in rows if own.any()]

    def mean(of_row: Callable[..., float]) -> float:
        return float(np.mean([of_row(*row) for row in labelled])) if labelled else 0.0

    for k in TOP:
        assert found[f"precision_at_{k}"] == pytest.approx(mean(partial(textbook.precision_at, k)))
        assert found[f"ndcg_at_{k}"] == pytest.approx(mean(partial(textbook.ndcg_at, k)))
    assert found["r_precision"] == pytest.approx(
        mean(lambda row, own: textbook.precision_at(own.sum(), row, own))
    )
    lrap = found["label_ranking_average_precision"]
    assert lrap == pytest.approx(np.mean([textbook.label_ranking_average_precision(*row) for row in rows]))
    if truth.shape[1] > 1:
        assert lrap == pytest.approx(theirs.label_ranking_average_precision_score(truth, values))
    if truth.shape[1] > 1 and labelled:
        apart = values - np.arange(truth.shape[1]) * 1e-6  # ties in the order of the labels
        own = hits.any(axis=1)
        for k in TOP:
            assert found[f"ndcg_at_{k}"] == pytest.approx(theirs.ndcg_score(truth[own], apart[own], k=k))


@settings(deadline=None)
@given(cases(), st.data())
def test_the_same_whatever_the_parts(case: Case, data: st.DataObject) -> None:
    truth, values, _ = case
    targets, predictions = case_of(truth, values)
    cut = data.draw(st.integers(0, len(truth)))
    metrics = StreamingLabelMetrics(range(truth.shape[1]))
    for rows in (np.arange(cut), np.arange(cut, len(truth))):
        own = Predictions(predictions.best[rows], values[rows], are_probabilities=True)
        metrics.add(targets.take(rows), SeveralLabels(0.6)(own))
    assert metrics.evaluation() == judged(truth, values)


def test_labels_that_the_model_does_not_know() -> None:
    values = np.array([[0.9, 0.1], [0.8, 0.7], [0.2, 0.9]])
    predictions = SeveralLabels(0.5)(Predictions(values.argmax(axis=1), values, are_probabilities=True))
    truth = ManyLabels.of_lists([["a", "new"], ["a", "b"], ["new"]])
    found = evaluate_labels(truth, predictions, ["a", "b"], [0.5, 0.25])
    assert found.unknown == {"new": 2}
    assert [own.label for own in found.labels] == ["a", "b", "new"]
    assert [own.known for own in found.labels] == [True, True, False]
    assert [own.threshold for own in found.labels] == [0.5, 0.25, None]
    assert [(own.support, own.called) for own in found.labels] == [(2, 2), (1, 2), (2, 0)]
    assert found.figure("macro-f1") == pytest.approx((1 + 2 / 3 + 0) / 3)
    assert found.figure("micro-f1") == pytest.approx(2 * 3 / (4 + 5))
    assert found.figure("precision@1") == pytest.approx(2 / 3)
    assert found.figure("f1:b") == pytest.approx(2 / 3)
    assert found.figures["hamming_loss"] == pytest.approx(3 / 9)
    assert found.figures["r_precision"] == pytest.approx((1 / 2 + 1 + 0) / 3)


def test_every_metric_that_can_be_asked_for_is_a_figure() -> None:
    found = judged(np.eye(2, dtype=int), np.eye(2))
    for form in SEVERAL_CHOICES:
        assert found.figure(form.replace("LABEL", "1")) == pytest.approx(
            1 / int(form[-1]) if form.startswith("precision@") else 1.0
        )


def test_rows_without_labels() -> None:
    found = judged(np.zeros((2, 3), int), np.array([[0.1, 0.2, 0.3], [0.9, 0.1, 0.1]])).figures
    assert found["example_f1"] == found["subset_accuracy"] == 0.5
    assert found["precision_at_1"] == found["ndcg_at_3"] == found["r_precision"] == found["macro_f1"] == 0.0
    assert found["label_ranking_average_precision"] == 1.0


def test_rows_without_labels_do_not_count_in_what_is_first() -> None:
    truth, values = np.array([[1, 0], [0, 0], [1, 1]]), np.array([[0.9, 0.1], [0.8, 0.7], [0.2, 0.9]])
    found = judged(truth, values)
    assert (found.examples, found.labelled) == (3, 2)
    assert found.to_dict()["labelled_examples"] == 2
    for name in ("precision_at_1", "ndcg_at_1", "r_precision"):
        assert found.figures[name] == 1.0
        assert found.intervals[name] == wilson(1.0, 2)
    assert found.figures["precision_at_3"] == pytest.approx((1 / 3 + 2 / 3) / 2)


def test_intervals_agree_with_the_bootstrap() -> None:
    rng = np.random.default_rng(3)
    truth = (rng.random((400, 6)) < [0.5, 0.3, 0.2, 0.2, 0.1, 0.1]).astype(int)
    values = np.clip(0.3 * truth + rng.random((400, 6)) * 0.7, 0, 1)
    found = judged(truth, values)
    drawn = [judged(truth[rows], values[rows]) for rows in rng.integers(0, 400, (300, 400))]
    for name, (low, high) in found.intervals.items():
        spread = np.std([own.figures[name] for own in drawn])
        assert (high - low) / 2 / 1.96 == pytest.approx(spread, rel=0.2), name
        assert low <= found.figures[name] <= high
    for k, own in enumerate(found.labels):
        low, high = own.f1_interval
        spread = np.std([other.labels[k].f1 for other in drawn])
        assert (high - low) / 2 / 1.96 == pytest.approx(spread, rel=0.2)


@settings(deadline=None)
@given(cases())
def test_gains_of_rows_have_the_figure_as_their_mean(case: Case) -> None:
    truth, values, _ = case
    found = judged(truth, values)
    for form in SEVERAL_CHOICES:
        asked = form.replace("LABEL", "0")
        gains = label_gains(asked, *case_of(truth, values), np.arange(truth.shape[1]))
        assert len(gains) == len(truth)
        assert gains.mean() == pytest.approx(found.figure(asked))


def test_few_rows_prove_little_even_if_all_are_right() -> None:
    truth = np.array([[1, 0], [1, 1], [0, 1]])
    found = judged(truth, truth.astype(float))
    for name in ("micro_f1", "macro_f1", "subset_accuracy"):
        assert found.figures[name] == 1.0
        assert found.intervals[name] == wilson(1.0, 3)


def test_places_are_found_some_rows_at_a_time() -> None:
    rng = np.random.default_rng(0)
    values = rng.integers(0, 300, (1500, 1000)) / 300
    rows, codes = rng.integers(0, 1500, 4000), rng.integers(0, 1000, 4000)
    places, lasts = places_of(values, rows, codes)
    order = np.argsort(-values, axis=1, kind="stable")
    assert (order[rows, places - 1] == codes).all()
    assert (lasts == (values[rows] >= values[rows, codes][:, None]).sum(axis=1)).all()


def test_the_record_is_plain_and_complete() -> None:
    truth = np.array([[1, 0], [1, 1]])
    record = json.loads(json.dumps(judged(truth, truth * 0.9).to_dict()))
    for name in ("micro_f1", "macro_f1", "example_f1", "precision_at_1", "precision_at_3", "precision_at_5"):
        assert record[name] == pytest.approx(1.0) if "_at_" not in name else record[name] > 0
    names = {"ndcg_at_1", "r_precision", "subset_accuracy", "hamming_loss", "label_ranking_average_precision"}
    assert names | {"examples", "unknown_labels", "labels", "intervals"} <= set(record)
    assert set(record["intervals"]) == {name for name in record if isinstance(record[name], float)}
    assert [own["label"] for own in record["labels"]] == ["0", "1"]
    assert "micro f1" in judged(truth, truth * 0.9)._repr_html_()


def test_what_cannot_be_judged() -> None:
    truth, values = np.array([[1, 0]]), np.array([[0.9, 0.1]])
    targets, predictions = case_of(truth, values)
    with pytest.raises(TypeError, match="one label per row"):
        evaluate_labels(targets, Predictions(np.array([0]), values, are_probabilities=True), [0, 1])
    with pytest.raises(ValueError, match="2 rows of true labels"):
        evaluate_labels(targets.take(np.array([0, 0])), predictions, [0, 1])
    with pytest.raises(ValueError, match="nothing to evaluate"):
        StreamingLabelMetrics([0, 1]).evaluation()
