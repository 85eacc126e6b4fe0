"""The share of wrong labels: its definition, its optimum, and what it finds where the truth is known."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

from lindy.core.targets import OneLabel
from lindy.evaluation.audit.label_noise import (
    PRIOR_ROWS,
    LabelNoise,
    _Objective,
    fit_label_noise,
    worth_listing,
)
from lindy.evaluation.audit.table_audit import CLEAR, suspects


def drawn(
    n: int, K: int, rate: float, *, slope: float = 4.0, confused: bool = False, seed: int = 0
) -> tuple[Any, Any, Any]:
    """Scores, labels and which labels are wrong, drawn from the model that is fitted."""
    rng = np.random.default_rng(seed)
    s = rng.normal(size=(n, K)) + 2 * np.eye(K)[rng.integers(0, K, n)]
    p = np.exp(slope * (s - s.mean(axis=1, keepdims=True)))
    p /= p.sum(axis=1, keepdims=True)
    truth = (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1)
    wrong = rng.random(n) < rate
    other = (truth + (1 if confused else rng.integers(1, K, n))) % K
    y = np.where(wrong, other, truth)
    return (s[:, 1] - s[:, 0] if K == 2 else s), y, wrong


def softmax(z: Any) -> Any:
    e = np.exp(z - z.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def plain_loss(w: Any, x: Any, y: Any, labels: Any) -> float:
    """Minus the log posterior, as the docstring of the module has it."""
    n, K = x.shape
    rate = 1 / (1 + np.exp(-w[0]))
    a, c = (np.full(K, w[1]), np.zeros(K)) if len(w) == 2 else (w[1 : 1 + K], w[1 + K :])
    q = softmax(a * x + c)
    r = (1 - np.eye(K)) / (K - 1) if labels is None else labels
    p = (1 - rate) * q[np.arange(n), y] + rate * (q @ r)[np.arange(n), y]
    prior = np.log(rate) + (PRIOR_ROWS - 1) * np.log(1 - rate)
    return float(-np.log(p).sum() - prior + 0.5 * (w[1:] ** 2).sum() / 100)


@pytest.mark.parametrize("own", [False, True])
@pytest.mark.parametrize("uniform", [False, True])
def test_loss_and_gradient_are_those_of_the_definition(own: bool, uniform: bool) -> None:
    s, y, _ = drawn(60, 4, 0.1)
    rng = np.random.default_rng(1)
    labels = None
    if not uniform:
        labels = rng.random((4, 4)) * (1 - np.eye(4))
        labels /= labels.sum(axis=1, keepdims=True)
    w = np.append(-2.0, rng.normal(1, 0.5, 8 if own else 1))
    x = s - s.mean(axis=1, keepdims=True)
    value, newton = _Objective(x, y, labels)(w)
    assert value == pytest.approx(plain_loss(w, x, y, labels))
    assert newton is not None
    slopes = scipy.optimize.approx_fprime(w, lambda v: plain_loss(v, x, y, labels), 1e-6)
    np.testing.assert_allclose(newton()[0], slopes, rtol=1e-4, atol=1e-3)


@pytest.mark.parametrize("K", [2, 60])
def test_no_other_solver_finds_a_better_fit(K: int) -> None:
    s, y, _ = drawn(1500, K, 0.08)
    found = fit_label_noise(s, OneLabel(np.arange(K), y))
    assert found.labels is None
    x = np.stack([np.zeros(len(y)), s], axis=1) if K == 2 else s - s.mean(axis=1, keepdims=True)
    scale = np.sqrt((x**2).mean())
    w = np.concatenate([[np.log(found.rate / (1 - found.rate))], found.slope * scale, found.shift])
    if K == 60:  # one slope for all classes
        w = w[:2]
    loss = plain_loss(w, x / scale, y, None)
    for start in (0.02, 0.2):
        begin = np.zeros(len(w))
        begin[0], begin[1 : 1 + K] = np.log(start / (1 - start)), 2.0
        rival = scipy.optimize.minimize(plain_loss, begin, (x / scale, y, None))
        assert loss <= rival.fun + 1e-6 * abs(rival.fun)


@pytest.mark.parametrize("K", [2, 3, 10, 60])
@pytest.mark.parametrize("rate", [0.05, 0.2])
def test_the_share_of_wrong_labels_and_their_probabilities_come_true(K: int, rate: float) -> None:
    s, y, wrong = drawn(6000, K, rate)
    found = fit_label_noise(s, OneLabel(np.arange(K), y))
    assert found.rate == pytest.approx(wrong.mean(), abs=0.02)
    p = found.judge(s, y).wrong
    assert p.sum() == pytest.approx(wrong.sum(), rel=0.2)
    sure = p > 0.8
    assert sure.sum() > 50
    assert wrong[sure].mean() == pytest.approx(p[sure].mean(), abs=0.1)


def test_labels_that_are_confused_with_one_other_class_are_learned() -> None:
    s, y, wrong = drawn(6000, 6, 0.1, confused=True)
    found = fit_label_noise(s, OneLabel(np.arange(6), y))
    assert found.labels is not None
    np.testing.assert_array_equal(found.labels.argmax(axis=1), (np.arange(6) + 1) % 6)
    np.testing.assert_allclose(found.labels.sum(axis=1), 1)
    assert found.rate == pytest.approx(wrong.mean(), abs=0.02)
    s, y, _ = drawn(6000, 6, 0.1)
    assert fit_label_noise(s, OneLabel(np.arange(6), y)).labels is None, "any other class"


def test_probabilities_are_bayes_rule() -> None:
    labels = np.array([[0.0, 0.9, 0.1], [0.5, 0.0, 0.5], [0.2, 0.8, 0.0]])
    noise = LabelNoise(0.1, np.array([1.0, 2.0, 0.5]), np.array([0.1, 0.0, -0.3]), labels)
    s = np.array([[1.0, 0.0, -1.0], [0.0, 2.0, 1.0], [-1.0, 0.5, 0.5]])
    y = np.array([1, 0, 1])
    q = softmax((s - s.mean(axis=1, keepdims=True)) * noise.slope + noise.shift)
    joint = np.stack([q[i] * (0.9 * np.eye(3) + 0.1 * labels)[:, y[i]] for i in range(3)])
    classes = joint / joint.sum(axis=1, keepdims=True)  # of each row, given its scores and its label
    wrong, better, right = noise.judge(s, y)
    np.testing.assert_allclose(wrong, 1 - classes[np.arange(3), y])
    classes[np.arange(3), y] = 0
    np.testing.assert_array_equal(better, classes.argmax(axis=1))
    np.testing.assert_allclose(right, classes.max(axis=1))


@given(st.lists(st.floats(0.0, 1.0), max_size=30), st.floats(0.0, 5.0))
def test_a_list_is_as_long_as_makes_its_expected_f1_the_highest(wrong: list[float], others: float) -> None:
    p = np.sort(np.array(wrong))[::-1]
    total = float(p.sum()) + others
    n = worth_listing(p, total)
    if not len(p):
        assert n == 0
        return

    def expected(k: int) -> float:
        return float(2 * p[:k].sum() / (k + total))

    assert expected(n) == max(expected(k) for k in range(1, len(p) + 1))


@pytest.mark.parametrize("K", [2, 4])
def test_hard_classes_without_wrong_labels_have_no_long_list(K: int) -> None:
    """Many rows are predicted wrong, and all labels are right: thresholds on the probabilities list hundreds."""
    s, y, _ = drawn(3000, K, 0.0, slope=1.2)
    values = np.stack([-s, s], axis=1) if K == 2 else s
    assert 0.1 < (values.argmax(axis=1) != y).mean() < 0.6
    assert len(suspects(s, OneLabel(np.arange(K), y))[0]) <= 30


@pytest.mark.parametrize("K", [2, 5])
@pytest.mark.parametrize("n", [30, 300, 3000])
def test_nothing_is_said_about_scores_that_say_nothing(K: int, n: int) -> None:
    rng = np.random.default_rng(n)
    s = rng.normal(size=n if K == 2 else (n, K))
    rows, _ = suspects(s, OneLabel(np.arange(K), rng.integers(0, K, n)))
    assert len(rows) <= max(1, n // 100)


def test_the_most_probable_come_first_and_none_is_improbable() -> None:
    s, y, wrong = drawn(2000, 3, 0.05, slope=1.5)
    rows, found = suspects(s, OneLabel(np.arange(3), y))
    assert (np.diff(found.wrong) <= 0).all()
    assert (found.wrong >= CLEAR).all()
    assert (found.right <= found.wrong).all()
    assert (found.better != y[rows]).all()
    assert wrong[rows].mean() > 5 * wrong.mean()


def test_scores_that_separate_the_classes_give_finite_numbers() -> None:
    y = np.arange(60) % 2
    s = np.where(y == 1, 1.0, -1.0) * np.linspace(3, 0.2, 60)
    found = fit_label_noise(s, OneLabel(np.arange(2), y))
    assert np.isfinite(found.slope).all()
    assert found.judge(s, y).wrong.max() < CLEAR
    y[0] = 1 - y[0]
    rows, judged = suspects(s, OneLabel(np.arange(2), y))
    assert rows.tolist() == [0]
    assert judged.wrong[0] > 0.9
    alike = OneLabel(np.arange(2), np.arange(30) % 2)
    assert fit_label_noise(np.zeros(30), alike).rate == pytest.approx(1 / PRIOR_ROWS)
