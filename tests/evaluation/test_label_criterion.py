"""The criterion of several labels: its figures are those of an evaluation, and its thresholds are kept if they help."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.core.targets import ManyLabels, OneLabel
from lindy.errors import DataError
from lindy.evaluation import Predictions, evaluate_labels
from lindy.evaluation.decisions import SeveralLabels
from lindy.evaluation.label_criterion import LabelCriterion, criterion_for
from lindy.evaluation.label_thresholds import CutCounts, example_thresholds, micro_thresholds
from lindy.evaluation.outcomes import Outcomes

METRICS = ["micro-f1", "macro-f1", "example-f1", "precision@1", "precision@3", "f1:b"]


def drawn(seed: int, n: int = 60, K: int = 4, signal: float = 1.0) -> tuple[np.ndarray, ManyLabels]:
    """Scores and labels that belong together, rare labels last; some rows have none."""
    rng = np.random.default_rng(seed)
    truth = (rng.random((n, K)) < np.linspace(0.5, 0.1, K)).astype(int)
    truth[0] = 1
    return signal * (2 * truth - 1) + rng.normal(size=(n, K)) - 0.5, ManyLabels.of_indicator(
        truth, "abcd"[:K]
    )


def by(rule: Any, scores: np.ndarray) -> Predictions:
    made: Predictions = rule(Predictions(scores.argmax(axis=1), scores, are_probabilities=False))
    return made


@pytest.mark.parametrize("metric", METRICS)
@given(seed=st.integers(0, 1000))
def test_gains_have_the_mean_and_error_of_the_evaluation(metric: str, seed: int) -> None:
    scores, y = drawn(seed)
    criterion = LabelCriterion.of_labels(metric, y)
    gains = criterion._gains_by(scores, SeveralLabels(0.0), y, None)
    figure = evaluate_labels(y, by(SeveralLabels(0.0), scores), y.names).figure(metric)
    assert gains.mean() == pytest.approx(figure)
    weight = np.where(np.arange(len(y)) % 3 == 0, 2.0, 1.0)
    twice = np.repeat(np.arange(len(y)), weight.astype(int))
    own = criterion._gains_by(scores, SeveralLabels(0.0), y, weight).mean()
    assert own == pytest.approx(
        criterion._gains_by(scores[twice], SeveralLabels(0.0), y.take(twice), None).mean()
    )


@pytest.mark.parametrize("metric", METRICS)
def test_thresholds_are_kept_only_where_they_are_better_on_other_rows(metric: str) -> None:
    more = 0.0
    for seed in range(5):
        (scores, y), (new, truth) = (drawn(own, n=400) for own in (seed, seed + 100))
        scores, new = scores - 0.5, new - 0.5
        criterion = LabelCriterion.of_labels(metric, y)
        rule = criterion.rule(scores, y)
        assert rule is not criterion.plain_rule  # a point too low, all of them
        own = metric if criterion.metric.top is None else "micro-f1"
        found, plain = (
            evaluate_labels(truth, by(it, new), truth.names).figure(own)
            for it in (rule, criterion.plain_rule)
        )
        more += found - plain
    assert more > 0.1
    scores, y = drawn(0, n=3)
    best = np.where(y.indicator() > 0, 1.0, -1.0)
    assert LabelCriterion.of_labels(metric, y).rule(best, y) is LabelCriterion.plain_rule.fget(None)  # type: ignore[attr-defined]


def test_thresholds_for_example_f1_make_it_larger_than_those_for_micro_f1() -> None:
    better = 0.0
    for seed in range(8):
        scores, y = drawn(seed, n=500, signal=0.6)
        counts = CutCounts.of(scores, y)
        example, micro = (
            evaluate_labels(y, by(SeveralLabels(cuts), scores), y.names).figure("example-f1")
            for cuts in (example_thresholds(counts, scores, y), micro_thresholds(counts))
        )
        assert example >= micro - 1e-9
        better += example - micro
    assert better > 0


def test_a_metric_belongs_to_its_kind_of_targets() -> None:
    scores, y = drawn(0)
    one = OneLabel.of(np.array([0, 1, 1]))
    assert criterion_for("accuracy", y).title == "micro F1"
    assert criterion_for("accuracy", one).is_accuracy
    with pytest.raises(DataError, match="for one label per text"):
        criterion_for("log-loss", y)
    with pytest.raises(DataError, match="for several labels per text"):
        criterion_for("example-f1", one)
    with pytest.raises(DataError, match=r"no label is called 'e'"):
        criterion_for("f1:e", y)
    with pytest.raises(DataError, match="one label per text"):
        criterion_for("micro-f1", y).calibrator(scores, y, "isotonic", weight=None, division=None)  # type: ignore[arg-type]


@pytest.mark.parametrize("are_probabilities", [True, False])
def test_outcomes_count_every_label_by_itself(are_probabilities: bool) -> None:
    scores, y = drawn(3)
    p = 1 / (1 + np.exp(-scores))
    made = SeveralLabels(0.4)(Predictions(p.argmax(axis=1), p, are_probabilities))
    outcomes = Outcomes.of(y, made)
    assert outcomes.several
    assert outcomes.n == len(y)
    assert outcomes.confusion() is None
    actual, called, right = outcomes.label_counts()
    figures = evaluate_labels(y, made, y.names)
    assert actual.tolist() == [own.support for own in figures.labels]
    assert called.tolist() == [own.called for own in figures.labels]
    assert 2 * right.sum() / (actual + called).sum() == pytest.approx(figures.figure("micro-f1"))
    hits, misses = outcomes.bins()
    assert hits.sum(axis=0).tolist() == right.tolist()
    assert (hits + misses).sum(axis=0).tolist() == called.tolist()
    again = Outcomes.from_state(*outcomes.to_state(), 4, several=True)
    assert again.cells.tolist() == outcomes.cells.tolist()
    assert again.n == outcomes.n
    for forged in ({"rows": 0}, {"rows": -1}, {"rows": 1.5}, {"more": 1}):
        state, arrays = outcomes.to_state()
        with pytest.raises(ValueError, match="stored outcomes"):
            Outcomes.from_state(state | forged, arrays, 4, several=True)
    with pytest.raises(ValueError, match="stored outcomes"):
        Outcomes.from_state(*outcomes.to_state(), 4)
