"""Counts of what a model said: everything follows from them, and a file that forges them is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy import TextClassifier
from lindy.data import samples
from lindy.evaluation import evaluate
from lindy.evaluation.outcomes import ANOTHER, MOST_CELLS, Outcomes
from lindy.textclassifier import load


def drawn(n: int, K: int, seed: int) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    return rng.integers(0, K, n), rng.integers(0, K, n), np.append(rng.random(n - 1), 1.0)


@given(st.integers(1, 200), st.integers(2, 6), st.integers(0, 100))
def test_everything_follows_from_the_counts(n: int, K: int, seed: int) -> None:
    y, answer, p = drawn(n, K, seed)
    outcomes = Outcomes.of_codes(y, answer, p, K)
    assert outcomes.n == n
    confusion = outcomes.confusion()
    assert confusion is not None
    assert confusion.tolist() == [[int(((y == i) & (answer == j)).sum()) for j in range(K)] for i in range(K)]
    assert outcomes.accuracy[0] == pytest.approx((y == answer).mean())
    right, wrong = outcomes.bins()
    for b in range(100):
        inside = (p * 100 >= b) & ((p * 100 < b + 1) | (b == 99))
        for k in range(K):
            of_label = inside & (answer == k)
            assert right[b, k] == (of_label & (y == k)).sum()
            assert wrong[b, k] == (of_label & (y != k)).sum()


def test_figures_are_those_of_an_evaluation() -> None:
    y, answer, p = drawn(500, 3, 0)
    made = Outcomes.of_codes(y, answer, p, 3).evaluation([0, 1, 2], resamples=50)
    expected = evaluate(y, answer, resamples=50)
    assert made is not None
    assert made.to_dict() == expected.to_dict()


def test_many_labels_stay_small() -> None:
    for K, n in ((300, 20_000), (5000, 50_000), (20_000, 60_000)):
        y, answer, p = drawn(n, K, 1)
        outcomes = Outcomes.of_codes(y, answer, p, K)
        assert len(outcomes.cells) <= MOST_CELLS
        assert outcomes.n == n
        assert outcomes.accuracy[0] == pytest.approx((y == answer).mean())
        right, wrong = outcomes.bins()
        assert right.sum() == (y == answer).sum()
        assert wrong.sum() == (y != answer).sum()
        again = Outcomes.from_state(*outcomes.to_state(), K)
        assert np.array_equal(again.cells, outcomes.cells)


def test_scores_and_unknown_labels() -> None:
    y, answer = np.array([0, 1, ANOTHER]), np.array([0, 0, 1])
    outcomes = Outcomes.of_codes(y, answer, None, 2)
    assert outcomes.n_bins == 0
    assert outcomes.accuracy[0] == pytest.approx(1 / 3)
    assert outcomes.confusion() is None
    assert outcomes.evaluation(["a", "b"]) is None


def test_a_model_keeps_its_outcomes(tmp_path: Path) -> None:
    data = samples.load("reviews-train")
    for learner, has_bins in (("auto", True), ("svm", True), ("naive-bayes", None)):
        model = TextClassifier(learner=learner).fit_examples(data)
        model.save(tmp_path / "model.lindy")
        again = load(tmp_path / "model.lindy").outcomes_
        if has_bins is None:
            assert model.outcomes_ is again is None  # it needs none held out
            continue
        assert model.outcomes_ is not None
        assert again is not None
        assert np.array_equal(again.cells, model.outcomes_.cells)
        assert again.n == len(data.texts)
        assert bool(again.n_bins) is has_bins
    texts = [text for text in data.texts.to_pylist() if len(text) > 30]
    held = (tmp_path / "model.lindy").read_bytes()
    assert not any(text.encode() in held for text in texts)


GOOD = np.array([[0, 0, 5, 3], [1, 0, 7, 1]], np.int32)


@pytest.mark.parametrize(
    ("stored", "arrays"),
    [
        (None, {"cells": GOOD}),
        ({"bins": 100}, {"cells": GOOD}),
        ({"bins": 100, "by_label": 1}, {"cells": GOOD}),
        ({"bins": 7, "by_label": True}, {"cells": GOOD}),
        ({"bins": 100, "by_label": True, "more": 1}, {"cells": GOOD}),
        ({"bins": 100, "by_label": True}, {}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD, "more": GOOD}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD.astype(np.int64)}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD[:, :3]}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD[0]}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD[:0]}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD[::-1].copy()}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD[[0, 0]]}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD * np.array([1, 1, 20, 1], np.int32)}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD * np.array([2, 1, 1, 1], np.int32)}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD * np.array([1, 1, 1, 0], np.int32)}),
        ({"bins": 100, "by_label": True}, {"cells": GOOD - np.array([0, 1, 0, 0], np.int32)}),
        ({"bins": 100, "by_label": False}, {"cells": GOOD}),
    ],
)
def test_forged_counts_are_refused(stored: Any, arrays: dict[str, Any]) -> None:
    assert Outcomes.from_state({"bins": 100, "by_label": True}, {"cells": GOOD}, 2).n == 4
    with pytest.raises(ValueError, match="stored outcomes"):
        Outcomes.from_state(stored, arrays, 2)
