"""Decisions from probabilities: costs, rejection, thresholds for a precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.evaluation.decisions import (
    Decision,
    SeveralLabels,
    accepted,
    cheapest,
    cost_matrix,
    named_numbers,
    precision_thresholds,
)
from lindy.evaluation.predictions import REJECTED, Predictions


def test_costs_move_the_decision_where_theory_says() -> None:
    # calling ham spam costs 9 times as much as the other way round: spam must be surer than 0.9
    cost = cost_matrix({("ham", "spam"): 9.0}, ["ham", "spam"])
    assert cost.tolist() == [[0, 1], [9, 0]]
    p = np.array([[0.2, 0.8], [0.11, 0.89], [0.09, 0.91]])
    assert cheapest(p, cost).tolist() == [0, 0, 1]
    assert cheapest(p, cost_matrix({}, ["ham", "spam"])).tolist() == p.argmax(axis=1).tolist()


def test_rejection_per_class() -> None:
    p = np.array([[0.7, 0.3], [0.6, 0.4], [0.2, 0.8]])
    assert accepted(p, p.argmax(axis=1), 0.65).tolist() == [0, REJECTED, 1]
    assert accepted(p, p.argmax(axis=1), [0.5, 0.9]).tolist() == [0, 0, REJECTED]


@given(
    st.lists(st.tuples(st.integers(0, 20), st.integers(0, 1)), min_size=1, max_size=40),
    st.floats(0.05, 1),
)
def test_thresholds_are_the_lowest_with_that_precision(rows: list[tuple[int, int]], target: float) -> None:
    p1 = np.array([v / 20 for v, _ in rows])
    p, y = np.stack([1 - p1, p1], axis=1), np.array([label for _, label in rows])
    chosen = p.argmax(axis=1)

    def precision(k: int, limit: float) -> float:
        called = (chosen == k) & (p[:, k] >= limit)
        return float((y[called] == k).mean()) if called.any() else 1.0

    for k, limit in enumerate(precision_thresholds(p, y, target)):
        assert precision(k, limit) >= target
        lower = p[(chosen == k) & (p[:, k] < limit), k]
        assert all(precision(k, value) < target for value in lower)


def test_names_that_are_no_classes_are_refused() -> None:
    assert named_numbers({"b": 0.9}, ["a", "b"], 0.5).tolist() == [0.5, 0.9]
    for call in (
        lambda: named_numbers({"c": 1}, ["a", "b"], 0),
        lambda: cost_matrix({("a", "c"): 1}, ["a", "b"]),
    ):
        with pytest.raises(ValueError, match="no class is called 'c'"):
            call()
    with pytest.raises(ValueError, match="cost must be a 2 × 2"):
        cheapest([[0.5, 0.5]], [[1.0]])
    with pytest.raises(ValueError, match="target precision"):
        precision_thresholds([[0.5, 0.5]], [0], 1.5)


def test_of_several_labels_those_stay_that_are_sure_enough() -> None:
    p = np.array([[0.7, 0.2, 0.6], [0.1, 0.4, 0.3], [0.9, 0.8, 0.95]])
    several = SeveralLabels(0.25)(Predictions(p.argmax(axis=1), p, are_probabilities=True))
    assert Decision()(several) is several
    assert Decision(thresholds=[0.8, 0.0, 0.5])(several).chosen.rows() == [[2], [1], [2, 0, 1]]
    with pytest.raises(ValueError, match="costs are for one label per text"):
        Decision(cost=1 - np.eye(3))(several)
