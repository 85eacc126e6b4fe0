"""What probabilities tell, against scikit-learn's figures; intervals against their definition."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as theirs

from lindy import _native
from lindy.evaluation import bootstrap, calibration_error, evaluate
from lindy.evaluation.metrics.intervals import resampled_blocks
from lindy.evaluation.metrics.ranking import StreamingProbabilityMetrics
from lindy.evaluation.metrics.roc_external import Ranking
from lindy.textbook import ranking as textbook


@st.composite
def predictions(draw: st.DrawFn) -> tuple[Any, Any]:
    """Probabilities with many ties, and a truth in which every class occurs."""
    K, n = draw(st.integers(2, 4)), draw(st.integers(6, 30))
    cells = draw(st.lists(st.integers(1, 4), min_size=n * K, max_size=n * K))
    p = np.array(cells, float).reshape(n, K)
    y = np.array([*range(K), *draw(st.lists(st.integers(0, K - 1), min_size=n - K, max_size=n - K))])
    return p / p.sum(axis=1, keepdims=True), y


@settings(deadline=None)
@given(predictions())
def test_equal_to_scikit_learn(case: tuple[Any, Any]) -> None:
    p, y = case
    K = p.shape[1]
    found = evaluate(y, p.argmax(axis=1), p, np.arange(K))
    ours = found.probabilities
    assert ours is not None
    assert ours.log_loss == pytest.approx(theirs.log_loss(y, p))
    scores = p[:, 1] if K == 2 else p
    assert ours.brier == pytest.approx(theirs.brier_score_loss(y, scores))
    assert ours.roc_auc == pytest.approx(theirs.roc_auc_score(y, scores, multi_class="ovr"))
    hits = y if K == 2 else np.eye(K)[y]
    assert ours.pr_auc == pytest.approx(theirs.average_precision_score(hits, scores))
    for k, share in ours.top_k.items():
        assert share == pytest.approx(theirs.top_k_accuracy_score(y, scores, k=k))
    assert found.mcc == pytest.approx(theirs.matthews_corrcoef(y, p.argmax(axis=1)))
    for average in ("micro", "macro", "weighted"):
        expected = theirs.precision_recall_fscore_support(
            y, p.argmax(axis=1), average=average, zero_division=0
        )
        assert list(found.averages[average].values()) == pytest.approx(expected[:3])


def test_a_label_that_the_model_does_not_know_has_probability_zero() -> None:
    p = np.array([[0.9, 0.1], [0.2, 0.8], [0.5, 0.5]])
    found = evaluate(["a", "b", "new"], ["a", "b", "a"], p, ["a", "b"]).probabilities
    assert found is not None
    assert found.log_loss == pytest.approx(-np.mean(np.log([0.9, 0.8, np.finfo(float).eps])))
    assert found.brier == pytest.approx(np.mean([0.01, 0.04, (0.25 + 0.25 + 1) / 2]))


def test_one_class_in_the_truth_has_no_areas() -> None:
    found = evaluate(["a", "a"], ["a", "b"], [[0.9, 0.1], [0.4, 0.6]], ["a", "b"], resamples=20)
    assert found.probabilities is not None
    assert found.probabilities.roc_auc is None
    assert set(found.probabilities.intervals) == {"log_loss", "brier", "calibration_error"}
    assert found.to_dict()["pr_auc"] is None


def test_intervals_hold_the_figure_and_shrink_with_the_rows() -> None:
    rng = np.random.default_rng(0)
    widths = []
    for n in (100, 1600):
        p = rng.dirichlet([1, 1, 1], n)
        y = (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1)
        found = evaluate(y, p.argmax(axis=1), p, [0, 1, 2], resamples=300)
        assert found.probabilities is not None
        figures = {f"macro_{k}": v for k, v in found.averages["macro"].items()} | {"mcc": found.mcc}
        for name, value in figures.items():
            low, high = found.intervals[name]
            assert low < value < high
        for name in ("log_loss", "brier", "roc_auc", "pr_auc"):
            low, high = found.probabilities.intervals[name]
            assert low < getattr(found.probabilities, name) < high
        low, high = found.probabilities.intervals["calibration_error"]
        assert 0 <= low < found.probabilities.reliability.error < high
        for entry in found.classes:
            assert entry.f1_interval is not None
            assert entry.f1_interval[0] < entry.f1 < entry.f1_interval[1]
        low, high = found.intervals["mcc"]
        widths.append(high - low)
    assert widths[0] / widths[1] == pytest.approx(4, rel=0.3)


def test_a_row_that_counts_twice_is_the_row_twice() -> None:
    rng = np.random.default_rng(1)
    p = rng.dirichlet([1, 1], 50)
    y = rng.integers(0, 2, 50)
    times = rng.multinomial(50, np.full(50, 1 / 50)).astype(np.int32)
    tally = StreamingProbabilityMetrics(2, resamples=1)
    tally.add(p, y)
    means, errors = tally._weighted(times[None])
    twice = np.repeat(p, times, axis=0), np.repeat(y, times)
    assert errors == pytest.approx(calibration_error(*twice))
    assert means["log_loss"] == pytest.approx(theirs.log_loss(twice[1], twice[0]))


def test_the_bootstrap_of_a_mean_is_its_standard_error() -> None:
    values = np.random.default_rng(0).normal(size=400)
    low, high = bootstrap(lambda w: float(np.average(values, weights=w)), 400, 1000)
    assert (high - low) / 2 == pytest.approx(1.96 * values.std() / 20, rel=0.1)
    assert (low, high) == bootstrap(lambda w: float(np.average(values, weights=w)), 400, 1000)


def test_probabilities_of_the_wrong_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="probabilities must be 2 rows of 2"):
        evaluate(["a", "b"], ["a", "b"], [[0.5, 0.5]], ["a", "b"])


@given(
    scores=st.lists(st.integers(0, 6), min_size=1, max_size=60),
    seed=st.integers(0, 2**32 - 1),
    resamples=st.integers(0, 5),
)
def test_native_areas_of_resamples_are_those_of_the_textbook(
    scores: list[int], seed: int, resamples: int
) -> None:
    rng = np.random.default_rng(seed)
    values, hits = np.array(scores, float), rng.random(len(scores)) < 0.4
    ranking = Ranking(values, hits)
    counts = rng.integers(0, 3, (resamples, len(scores)), np.int32)
    found = ranking.resampled(counts)
    assert found.shape == (resamples, 2)
    for weight, (roc, pr) in zip(counts.astype(float), found.tolist(), strict=True):
        np.testing.assert_allclose(roc, textbook.roc_area(values, hits, weight), rtol=1e-12, equal_nan=True)
        np.testing.assert_allclose(
            pr, textbook.average_precision(values, hits, weight), rtol=1e-12, equal_nan=True
        )


@pytest.mark.parametrize(
    ("order", "marks", "counts", "areas"),
    [
        ([0, 3], [1, 2], (4, 2), (4, 2)),
        ([0, -1], [1, 2], (4, 2), (4, 2)),
        ([0, 1], [1], (4, 2), (4, 2)),
        ([0, 1], [1, 2], (4, 3), (4, 2)),
        ([0, 1], [1, 2], (4, 2), (3, 2)),
        ([0, 1], [1, 2], (4, 2), (4, 1)),
    ],
)
def test_native_areas_refuse_what_does_not_fit(order: list, marks: list, counts: tuple, areas: tuple) -> None:
    with pytest.raises(ValueError, match="must"):
        _native.ranking_areas(
            np.array(order, np.int32),
            np.array(marks, np.uint8),
            np.ones(counts, np.int32),
            np.empty(areas),
            1,
        )


def test_intervals_do_not_depend_on_the_size_of_blocks() -> None:
    blocks = list(resampled_blocks(50_001, 100, 7))
    assert [len(block) for block in blocks] == [39, 39, 22]
    rng = np.random.default_rng(7)
    expected = [np.bincount(rng.integers(0, 50_001, 50_001), minlength=50_001) for _ in range(100)]
    assert np.array_equal(np.concatenate(blocks), expected)
    smaller = list(resampled_blocks(50_001, 100, 7, at_once=10_007))
    assert np.array_equal(np.concatenate(smaller), expected)


@given(
    scores=st.lists(st.one_of(st.integers(0, 3), st.floats(-1, 1)), min_size=1, max_size=80),
    seed=st.integers(0, 2**32 - 1),
    at_once=st.integers(1, 20),
    block=st.integers(1, 30),
)
def test_a_ranking_by_ranges_of_scores_is_that_of_all_rows_at_once(
    scores: list[float], seed: int, at_once: int, block: int
) -> None:
    rng = np.random.default_rng(seed)
    values, hits = np.array(scores, float), rng.random(len(scores)) < 0.4
    counts = rng.integers(0, 3, (3, len(scores)), np.int32)
    counts[0] = 1
    whole = Ranking(values, hits)
    ranges = Ranking(values, hits, at_once=at_once, block=block)
    assert ranges.areas == whole.areas
    assert np.array_equal(ranges.resampled(counts), whole.resampled(counts), equal_nan=True)
    both = [whole.areas.roc, whole.areas.precision_recall]
    assert np.array_equal(whole.resampled(counts)[0], both, equal_nan=True)


@pytest.mark.parametrize("K", [2, 5])
def test_figures_do_not_depend_on_how_the_rows_are_cut(K: int) -> None:
    rng = np.random.default_rng(3)
    n = 2_000
    p = rng.dirichlet(np.ones(K), n)
    y = np.where(rng.random(n) < 0.05, -1, (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1))
    found = []
    for size in (n, 700, 1):
        tally = StreamingProbabilityMetrics(K, resamples=20)
        for start in range(0, n, size):
            tally.add(p[start : start + size], y[start : start + size])
        found.append(tally.metrics().to_dict())
    assert found[0] == found[1] == found[2]
