"""Sets of labels that hold the right one as often as asked, against the textbook's order statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import TextClassifier
from lindy.core.targets import ManyLabels, OneLabel
from lindy.data import samples
from lindy.errors import LindyError
from lindy.evaluation.coverage import BINS, MOST_CELLS, CoverageTally, LabelSets, TrueProbabilities, edges
from lindy.evaluation.predictions import LabelLists, Predictions
from lindy.textclassifier import load


def textbook_threshold(losses: Any, p: Any, n: int, coverage: float) -> float:
    """Split conformal prediction as it is written down: the largest t at which few enough labels are missed."""
    allowed = [t for t in (0.0, *p) if (losses[p < t].sum() + 1) / (n + 1) <= 1 - coverage + 1e-12]
    return float(max(allowed, default=0.0))


def drawn(n: int, K: int, seed: int) -> tuple[Predictions, Any]:
    rng = np.random.default_rng(seed)
    p = rng.dirichlet(np.full(K, 0.3), n)
    y = np.array([rng.choice(K, p=row) for row in p], np.int32)
    return Predictions(p.argmax(axis=1), p, True), y


@given(st.integers(1, 300), st.integers(2, 6), st.sampled_from([0.5, 0.8, 0.9, 0.99]), st.integers(0, 50))
def test_thresholds_are_the_textbooks_rounded_down_to_a_bin(
    n: int, K: int, coverage: float, seed: int
) -> None:
    made, y = drawn(n, K, seed)
    counts = TrueProbabilities.of(OneLabel(np.arange(K), y), made)
    assert counts is not None
    p, one = made.values[np.arange(n), y], np.ones(n)

    def rounded(t: float) -> float:
        return float(edges(BINS)[edges(BINS) <= t][-1])

    (t, *same) = counts.thresholds(coverage, K).tolist()
    assert {t, *same} == {t}
    assert t == pytest.approx(rounded(textbook_threshold(one, p, n, coverage)), rel=1e-12)
    per_class = counts.thresholds(coverage, K, per_class=True)
    for k in range(K):
        own = p[y == k]
        expected = rounded(textbook_threshold(np.ones(len(own)), own, len(own), coverage))
        assert per_class[k] == pytest.approx(expected, rel=1e-12)


@given(st.integers(1, 60), st.integers(0, 30), st.sampled_from([0.6, 0.9]))
def test_of_several_labels_the_share_of_missed_ones_counts(n: int, seed: int, coverage: float) -> None:
    rng = np.random.default_rng(seed)
    p = rng.random((n, 4))
    own = [np.flatnonzero(rng.random(4) < p[i]).tolist() for i in range(n)]
    indptr = np.append(0, np.cumsum([len(row) for row in own]))
    codes = np.array([k for row in own for k in row], np.int32)
    truth = ManyLabels(np.arange(4), codes, indptr)
    counts = TrueProbabilities.of(truth, Predictions(p.argmax(axis=1), p, True))
    assert counts is not None
    rows = np.repeat(np.arange(n), np.diff(indptr))
    t = textbook_threshold(1 / np.diff(indptr)[rows], p[rows, codes], n, coverage)
    found = counts.thresholds(coverage, 4)[0]
    assert found <= t
    if t > 0:
        assert np.log(t / (1 - t)) - np.log(found / (1 - found)) < 64 / BINS + 1e-9


def test_new_texts_are_covered_as_often_as_asked() -> None:
    K, asked = 5, 0.9
    reached, sizes = [], []
    for seed in range(200):
        made, y = drawn(400, K, seed)
        half = Predictions(made.best[:200], made.values[:200], True)
        counts = TrueProbabilities.of(OneLabel(np.arange(K), y[:200]), half)
        assert counts is not None
        rest = Predictions(made.best[200:], made.values[200:], True)
        tally = CoverageTally(asked)
        tally.add(np.arange(200), y[200:], LabelSets(counts.thresholds(asked, K))(rest))
        reached.append(tally.to_dict()["reached"])
        sizes.append(tally.to_dict()["mean_size"])
    assert asked - 0.01 < np.mean(reached) < asked + 0.02
    assert 1 <= np.mean(sizes) < 3


@given(st.integers(1, 50), st.integers(0, 20))
def test_a_row_of_weight_2_is_two_rows(n: int, seed: int) -> None:
    made, y = drawn(n, 3, seed)
    weight = np.random.default_rng(seed).integers(0, 4, n).astype(np.float64)
    if not weight.any():
        return
    twice = np.repeat(np.arange(n), weight.astype(int))
    weighted = TrueProbabilities.of(OneLabel(np.arange(3), y), made, weight)
    again = Predictions(made.best[twice], made.values[twice], True)
    repeated = TrueProbabilities.of(OneLabel(np.arange(3), y[twice]), again)
    assert weighted is not None
    assert repeated is not None
    for per_class in (False, True):
        thresholds = (own.thresholds(0.8, 3, per_class=per_class) for own in (weighted, repeated))
        assert np.array_equal(*thresholds)


def test_sets_hold_the_best_label_first() -> None:
    p = np.array([[0.5, 0.3, 0.2], [0.1, 0.1, 0.8], [0.34, 0.33, 0.33]])
    made = LabelSets(np.array([0.25, 0.25, 0.25]))(Predictions(np.array([0, 2, 1]), p, True))
    assert isinstance(made.given, LabelLists)
    assert made.given.rows() == [[0, 1], [2], [0, 1, 2]]
    none = LabelSets(np.array([0.9, 0.9, 0.9]))(Predictions(np.array([0, 2, 1]), p, True))
    assert isinstance(none.given, LabelLists)
    assert none.given.rows() == [[0], [2], [1]]


def test_many_labels_stay_small_and_scores_have_none() -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3000, 40_000).astype(np.int32)
    p = rng.random((40_000, 1))
    many = Predictions(np.zeros(40_000, int), np.broadcast_to(p, (40_000, 3000)), True)
    counts = TrueProbabilities.of(OneLabel(np.arange(3000), y), many)
    assert counts is not None
    assert len(counts.cells) <= MOST_CELLS
    again = TrueProbabilities.from_state(*counts.to_state(), 3000)
    assert np.array_equal(again.missed, counts.missed)
    assert TrueProbabilities.of(OneLabel(np.arange(3000), y), Predictions(many.best, p, False)) is None


def test_a_model_keeps_them_and_a_set_holds_the_label(tmp_path: Path) -> None:
    data, test = samples.load("reviews-train"), samples.load("reviews-test")
    model = TextClassifier(calibration="sigmoid").fit_examples(data)
    model.save(tmp_path / "model.lindy")
    again = load(tmp_path / "model.lindy")
    small, large = (again.predict_set(test.texts, coverage) for coverage in (0.7, 0.99))
    assert small.tolist() == model.predict_set(test.texts, 0.7).tolist()
    assert all(set(a) <= set(b) and a[0] == b[0] for a, b in zip(small, large, strict=True))
    truth = test.labels.to_pylist()
    assert np.mean([label in own for label, own in zip(truth, large, strict=True)]) > 0.97
    each = again.predict_set(test.texts, 0.9, per_class=True)
    for label in again.classes_:
        held = [label in own for own, true in zip(each, truth, strict=True) if true == label]
        assert np.mean(held) > 0.85
    with pytest.raises(ValueError, match="between 0 and 1"):
        again.predict_set(test.texts, 1.0)


def test_a_model_without_them_says_so() -> None:
    data = samples.load("reviews-train")
    counting = TextClassifier(learner="naive-bayes").fit_examples(data)
    with pytest.raises(LindyError, match="no probabilities of examples that were held out"):
        counting.predict_set(data.texts[:2])
    calibrated = TextClassifier(learner="naive-bayes", calibration="sigmoid").fit_examples(data)
    assert calibrated.true_probabilities_ is not None
    calibrated.partial_fit(data.texts[:20], data.labels[:20])
    assert calibrated.true_probabilities_ is None


def state() -> tuple[dict[str, Any], dict[str, Any]]:
    arrays = {
        "missed_bins": np.array([3, 700], np.int32),
        "missed": np.array([1.0, 2.5]),
        "cells": np.array([[0, 3], [1, 700]], np.int32),
        "counts": np.array([1.0, 3.0]),
    }
    return {"examples": 4.0, "bins": 1024}, arrays


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("examples", 4), ("examples", 0.0), ("examples", float("nan")), ("examples", 2.0), ("bins", 7),
        ("bins", True), ("more", 1), ("missed", np.array([1.0])), ("missed", np.array([1.0, -1.0])),
        ("missed", np.array([1.0, np.inf])),
        ("missed", np.array([1, 2])), ("missed_bins", np.array([3, 3], np.int32)),
        ("missed_bins", np.array([3, 1024], np.int32)), ("missed_bins", np.array([-1, 3], np.int32)),
        ("cells", np.array([[0, 3], [2, 700]], np.int32)), ("cells", np.array([[1, 3], [0, 700]], np.int32)),
        ("cells", np.array([[0, 3]], np.int32)), ("cells", np.array([0, 3], np.int32)),
        ("cells", np.array([[0, 3], [1, 1024]], np.int32)), ("counts", np.array([0.0, 1.0])),
        ("counts", np.array([1.0, 3.0], np.float32)), ("other", np.zeros(2)),
    ],
)  # fmt: skip
def test_forged_counts_are_refused(name: str, value: Any) -> None:
    assert TrueProbabilities.from_state(*state(), 2).n == 4
    stored, arrays = state()
    (arrays if isinstance(value, np.ndarray) else stored)[name] = value
    with pytest.raises(ValueError, match="stored probabilities"):
        TrueProbabilities.from_state(stored, arrays, 2)


def test_a_model_that_was_calibrated_on_a_table_has_them() -> None:
    from lindy.updating import recalibrate

    data, more = samples.load("reviews-train"), samples.load("reviews-test")
    model = TextClassifier(learner="naive-bayes").fit_examples(data)
    recalibrate(model, more.texts, more.labels)
    assert model.true_probabilities_ is not None
    assert model.true_probabilities_.n == len(more.texts)
    assert model.predict_set(["good"], 0.99)[0]
