"""Pictures of several labels show what was measured."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from lindy import plots
from lindy.core.targets import ManyLabels


def test_threshold_curve_is_that_of_the_definitions() -> None:
    draw = np.random.default_rng(0)
    p = np.round(draw.random(200), 2)
    has = draw.random(200) < p
    ax = plots.threshold_curve(has, p, 0.4, label="bread")
    lines = {line.get_label(): line.get_xydata() for line in ax.lines}
    for cut, shown in lines["precision"]:
        assert shown == pytest.approx(has[p >= cut].mean())
    for cut, shown in lines["recall"]:
        assert shown == pytest.approx((has & (p >= cut)).sum() / has.sum())
    for cut, shown in lines["F1"]:
        assert shown == pytest.approx(2 * (has & (p >= cut)).sum() / ((p >= cut).sum() + has.sum()))
    assert ax.get_title(loc="left") == "bread"


def test_cooccurrence_has_the_shares_of_a_labels_texts() -> None:
    truth = ManyLabels.of_lists([["a", "b"], ["a"], ["a", "b", "c"], ["b"], []])
    ax = plots.label_cooccurrence(truth)
    shown = np.asarray(ax.images[0].get_array())
    assert shown[0, 1] == pytest.approx(2 / 3)  # of the texts with a, those with b
    assert shown[2, 0] == 1.0
    assert np.ma.getmaskarray(ax.images[0].get_array()).diagonal().all() or np.isnan(shown.diagonal()).all()


def test_f1_by_frequency_has_a_point_for_each_label() -> None:
    ax = plots.f1_by_frequency([1, 10, 100], [0.0, 0.5, 0.9], ["a", "b", "c"])
    assert np.asarray(ax.collections[0].get_offsets()).tolist() == [[1, 0.0], [10, 0.5], [100, 0.9]]
    assert {text.get_text() for text in ax.texts} == {"a", "b", "c"}
