"""The metrics against scikit-learn's, and against their definitions on the edge."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, confusion_matrix, precision_recall_fscore_support

from lindy.evaluation import evaluate
from lindy.evaluation.metrics.intervals import resampled_counts, wilson

LABELS = st.sampled_from(["ham", "spam", "other", "ünknown"])


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40))
def test_equal_to_scikit_learn(pairs: list[tuple[str, str]]) -> None:
    truth, predicted = (list(column) for column in zip(*pairs, strict=True))
    result = evaluate(truth, predicted)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = precision_recall_fscore_support(truth, predicted, zero_division=0)
        matrix = confusion_matrix(truth, predicted)
    assert result.accuracy == pytest.approx(accuracy_score(truth, predicted))
    assert (result.confusion == matrix).all()
    found = [[c.precision, c.recall, c.f1, c.support] for c in result.classes]
    np.testing.assert_allclose(np.array(found).T, np.array(expected), atol=1e-12)
    assert result.macro_f1 == pytest.approx(np.mean(expected[2]))


def test_wilson_interval_is_where_the_score_test_turns() -> None:
    low, high = wilson(0.8, 50)
    for p in (low, high):
        assert abs(0.8 - p) / np.sqrt(p * (1 - p) / 50) == pytest.approx(1.959963984540054)
    assert wilson(1.0, 10)[1] == pytest.approx(1.0)
    assert wilson(0.0, 10)[0] == pytest.approx(0.0)


def test_nothing_to_evaluate_is_an_error() -> None:
    with pytest.raises(ValueError, match="no examples"):
        evaluate([], [])
    with pytest.raises(ValueError, match="equally long"):
        evaluate(["a"], ["a", "b"])


@given(st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=30), st.integers(0, 9))
def test_counts_of_rows_drawn_again_are_those_of_their_matrices(
    pairs: list[tuple[str, str]], seed: int
) -> None:
    confusion = evaluate(*zip(*pairs, strict=True)).confusion
    n, K = int(confusion.sum()), len(confusion)
    drawn = np.random.default_rng(seed).multinomial(n, confusion[confusion > 0] / n, 5)
    matrices = np.zeros((5, K, K))
    matrices[:, confusion > 0] = drawn
    right, called, support = resampled_counts(confusion, 5, seed)
    np.testing.assert_array_equal(right, matrices.diagonal(axis1=1, axis2=2))
    np.testing.assert_array_equal(called, matrices.sum(axis=1))
    np.testing.assert_array_equal(support, matrices.sum(axis=2))
