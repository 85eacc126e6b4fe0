"""Thresholds and probabilities of several labels: best where there are many examples, borrowed where there are few."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import f1_score

from lindy import _native
from lindy.core.targets import ManyLabels
from lindy.evaluation.calibration.label_calibration import LabelSigmoids
from lindy.evaluation.label_thresholds import Borrowing, CutCounts, macro_thresholds, micro_thresholds
from lindy.textbook.ranking import counts_between_cuts

VALUES = st.sampled_from([-np.inf, -2.0, -0.5, 0.0, 0.25, 1.0, 3.0, 1e300, np.inf, np.nan])


def scored(seed: int, n: int = 2000, K: int = 4) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    scores = rng.normal(size=(n, K))
    shares = rng.normal(size=K)
    labels = (rng.random((n, K)) < 1 / (1 + np.exp(-(2 * scores - 2 + shares)))).astype(int)
    labels[:2] = 1
    return scores, labels


@given(st.integers(0, 200))
def test_counts_are_those_of_the_definition(seed: int) -> None:
    scores, labels = scored(seed, n=50)
    counts = CutCounts.of(scores, ManyLabels.of_indicator(labels))
    for j in (0, len(counts.cuts) // 2, len(counts.cuts) - 1):
        called = scores >= counts.cuts[j]
        assert np.array_equal(counts.called[:, j], called.sum(axis=0))
        assert np.array_equal(counts.right[:, j], (called & (labels == 1)).sum(axis=0))
    assert np.array_equal(counts.actual[:, 0], labels.sum(axis=0))
    assert np.array_equal(counts.below, (scores < counts.cuts[0]).sum(axis=0))


def test_frequent_labels_get_nearly_their_own_best_cut() -> None:
    scores, labels = scored(1, n=20_000)
    counts = CutCounts.of(scores, ManyLabels.of_indicator(labels))
    cuts = macro_thresholds(counts)
    for k in range(labels.shape[1]):
        tried = [f1_score(labels[:, k], scores[:, k] >= cut) for cut in np.linspace(-2, 3, 200)]
        assert f1_score(labels[:, k], scores[:, k] >= cuts[k]) >= max(tried) - 0.005


def test_micro_thresholds_are_better_than_any_common_one() -> None:
    scores, labels = scored(2, n=20_000)
    counts = CutCounts.of(scores, ManyLabels.of_indicator(labels))
    reached = f1_score(labels, scores >= micro_thresholds(counts), average="micro")
    common = max(f1_score(labels, scores >= cut, average="micro") for cut in np.linspace(-2, 3, 100))
    assert reached >= common - 1e-3
    assert abs(counts.micro_f1(micro_thresholds(counts)) - reached) < 1e-9


def test_a_rare_label_takes_the_cut_of_others_like_it() -> None:
    scores, labels = scored(3, n=4000, K=20)
    rare = labels.copy()
    kept = np.flatnonzero(rare[:, 0])[:3]
    rare[:, 0] = 0
    rare[kept, 0] = 1
    scores = scores.copy()
    scores[kept, 0] = 3.0  # by chance far above: their own best cut would be there
    cuts = macro_thresholds(CutCounts.of(scores, ManyLabels.of_indicator(rare)))
    assert cuts[0] < 2.5


def test_probabilities_come_true() -> None:
    scores, labels = scored(4, n=40_000)
    p = LabelSigmoids.of(CutCounts.of(scores, ManyLabels.of_indicator(labels)))(scores)
    for low in (0.1, 0.3, 0.5, 0.7):
        inside = (p >= low) & (p < low + 0.1)
        assert abs(p[inside].mean() - labels[inside].mean()) < 0.03


def test_no_label_at_all_and_one_row() -> None:
    counts = CutCounts.of(np.zeros((3, 2)), ManyLabels.of_indicator(np.zeros((3, 2), int)))
    assert np.isfinite(macro_thresholds(counts)).all()
    assert np.isfinite(micro_thresholds(counts)).all()
    assert np.isfinite(LabelSigmoids.of(counts)(np.zeros((1, 2)))).all()


@given(
    arrays(np.float64, st.tuples(st.integers(0, 6), st.integers(1, 4)), elements=VALUES),
    st.lists(VALUES.filter(lambda cut: not np.isnan(cut)), min_size=1, max_size=9, unique=True),
)
def test_scores_between_cuts_are_counted_as_in_the_textbook(scores: np.ndarray, cuts: list[float]) -> None:
    ascending = np.sort(np.array(cuts))
    counts = np.zeros((scores.shape[1], len(cuts)), np.int64)
    _native.score_counts(scores, ascending, counts)
    assert np.array_equal(counts, counts_between_cuts(scores, ascending))
    _native.score_counts(scores, ascending, counts)
    assert np.array_equal(counts, 2 * counts_between_cuts(scores, ascending))


def test_counts_of_other_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="labels by cuts"):
        _native.score_counts(np.zeros((2, 3)), np.zeros(2), np.zeros((2, 3), np.int64))
    with pytest.raises(ValueError, match="a cut"):
        _native.score_counts(np.zeros((2, 3)), np.zeros(0), np.zeros((3, 0), np.int64))


@given(
    st.lists(st.integers(0, 6) | st.just(10**6), min_size=1, max_size=12),
    st.booleans(),
    st.integers(0, 9),
)
def test_what_is_borrowed_is_the_mean_of_the_other_labels(
    counts: list[int], by_rows: bool, seed: int
) -> None:
    n = np.array(counts, float)
    values = np.random.default_rng(seed).normal(size=(len(n), 3))
    weight = n if by_rows else np.ones(len(n))
    shares = np.exp(-0.5 * np.subtract.outer(np.log(np.maximum(n, 1)), np.log(np.maximum(n, 1))) ** 2)
    shares *= np.where(n > 0, weight, 0)
    np.fill_diagonal(shares, 0)
    total = shares.sum(axis=1, keepdims=True)
    means = np.divide(shares @ values, total, out=np.zeros_like(values), where=total > 0)
    np.testing.assert_allclose(Borrowing(n, weight)(values), means, rtol=1e-9, atol=1e-12)


def test_thresholds_of_thousands_of_labels_take_no_memory_of_their_square() -> None:
    K, cuts = 6000, 20
    rng = np.random.default_rng(0)
    actual = rng.integers(1, 40, (K, 1)).astype(float)
    called = np.sort(rng.integers(0, 60, (K, cuts)), axis=1)[:, ::-1].astype(float)
    counts = CutCounts(
        np.arange(cuts, dtype=float), called, np.minimum(called, actual) / 2, actual, np.zeros(K)
    )
    tracemalloc.start()
    try:
        macro_thresholds(counts)
        micro_thresholds(counts)
        assert tracemalloc.get_traced_memory()[1] < 8 * K * K / 4
    finally:
        tracemalloc.stop()
