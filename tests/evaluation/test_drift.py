"""New examples that differ are told from those that do not, and what a model is worth on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from lindy import TextClassifier
from lindy.data import samples
from lindy.evaluation.drift import _areas, _ranks, difference, label_shares


@pytest.fixture(scope="module")
def model() -> TextClassifier:
    return TextClassifier(learner="svm").fit_examples(samples.load("reviews-train"))


@given(st.lists(st.integers(0, 9), min_size=4, max_size=40), st.integers(0, 99))
def test_areas_are_those_of_scikit_learn(scores: list[int], seed: int) -> None:
    own = np.random.default_rng(seed).integers(0, 2, len(scores))
    own[:2] = 0, 1
    expected = roc_auc_score(own, scores)
    assert _areas(_ranks(np.array(scores, float)), own[None, :])[0] == pytest.approx(expected)


def test_halves_of_one_table_are_rarely_told_apart(model: TextClassifier) -> None:
    data = samples.load("reviews-train")
    p_values = []
    for seed in range(20):
        order = np.random.default_rng(seed).permutation(len(data.texts))
        sides = [model.as_input(data.texts).take(np.sort(own)) for own in (order[:150], order[150:])]
        p_values.append(difference(model, *sides, seed=seed).p_value)
    assert (np.array(p_values) < 0.05).sum() <= 4  # of 20, which chance exceeds once in 400 times
    assert np.mean(p_values) > 0.2


def test_other_texts_are_told_apart_by_new_words(model: TextClassifier) -> None:
    old = samples.load("reviews-train").texts.to_pylist()[:100]
    new = [f"{text} 非常 quux" for text in old]
    found = difference(model, model.as_input(old), model.as_input(new))
    assert found.p_value < 0.01
    assert found.auc > 0.95
    assert {"quux", "非常"} <= {own.feature for own in found.features}
    (quux,) = [own for own in found.features if own.feature == "quux"]
    assert (quux.old, quux.new) == (0.0, 1.0)
    assert quux.z > 5
    again = difference(model, model.as_input(old), model.as_input(new))
    assert again == found


def textbook_shares(p: Any, old: Any) -> Any:
    """EM for the shares of labels, as it is written down, towards one example of the training."""
    q = old
    for _ in range(1000):
        adjusted = p * q / old
        adjusted = adjusted / adjusted.sum(axis=1, keepdims=True)
        q = (adjusted.sum(axis=0) + old) / (len(p) + 1)
    return q, adjusted


@settings(max_examples=20)
@given(st.integers(0, 30), st.integers(2, 4))
def test_shares_are_the_textbooks(seed: int, K: int) -> None:
    rng = np.random.default_rng(seed)
    old = rng.dirichlet(np.full(K, 5.0))
    p = rng.dirichlet(np.full(K, 0.5), 40)
    found = label_shares(p, p.argmax(axis=1), old, (0.8, 100))
    q, adjusted = textbook_shares(p, old)
    assert np.abs(found.new - q).max() < 1e-3
    assert found.accuracy == pytest.approx(adjusted[np.arange(40), p.argmax(axis=1)].mean(), abs=1e-3)
    assert found.interval[0] < found.accuracy < found.interval[1]
    assert found.predicted.sum() == pytest.approx(1)


def test_a_shift_of_labels_is_corrected_and_the_accuracy_foreseen() -> None:
    rng, inside = np.random.default_rng(0), 0
    old, new = np.array([0.5, 0.5]), np.array([0.85, 0.15])
    for _ in range(25):
        y = (rng.random(400) < new[1]).astype(int)
        x = rng.normal(2.0 * y - 1, 1.2)
        p1 = 1 / (1 + np.exp(-2 * x / 1.2**2))
        p = np.stack([1 - p1, p1], axis=1)
        found = label_shares(p, p.argmax(axis=1), old, (0.8, 2000))
        true = (p.argmax(axis=1) == y).mean()
        inside += found.interval[0] <= true <= found.interval[1]
        assert abs(found.new[1] - new[1]) < abs(found.predicted[1] - new[1]) + 0.03
    assert inside >= 22
