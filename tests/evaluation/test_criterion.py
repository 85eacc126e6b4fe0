"""Metrics: how they are written, that gains have their means, and that rules are the best ones on the rows given."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from lindy.errors import DataError
from lindy.estimators.base import best_class
from lindy.evaluation import evaluate
from lindy.evaluation.criterion import Criterion, Metric
from lindy.evaluation.decisions import ScoreRule, class_values

CLASSES = np.array(["ham", "spam"], object)
THREE = np.array(["a", "b", "c"], object)

binary = st.lists(st.tuples(st.integers(-8, 8), st.booleans()), min_size=4, max_size=40).filter(
    lambda rows: len({hit for _, hit in rows}) == 2
)


def split(rows: list[tuple[int, bool]]) -> tuple[Any, Any]:
    return np.array([[score / 4] for score, _ in rows]), np.array([int(hit) for _, hit in rows])


@pytest.mark.parametrize(
    "text",
    [
        "accuracy",
        "macro-f1",
        "log-loss",
        "f1:spam",
        "f1:a:b",
        "recall@precision:0.9",
        "recall@precision:1:x:y",
    ],
)
def test_a_metric_is_written_as_it_was_read(text: str) -> None:
    assert str(Metric.of(text)) == text


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("acuracy", "Did you mean 'accuracy'.*There are: accuracy, macro-f1, f1:LABEL"),
        ("accuracy:spam", "There are"),
        ("f1", "add its label"),
        ("f1:", "add its label"),
        ("recall@precision", "above 0 and up to 1"),
        ("recall@precision:1.5", "above 0 and up to 1"),
        ("recall@precision:often", "above 0 and up to 1"),
        ("", "There are"),
    ],
)
def test_bad_metrics_are_refused_with_the_choices(text: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        Metric.of(text)


def test_a_label_is_one_of_the_classes_and_the_rarer_of_two_by_default() -> None:
    counts = np.array([5, 2])
    assert Criterion.of("recall@precision:0.9", CLASSES, counts).label == "spam"
    assert Criterion.of("recall@precision:0.9", CLASSES, counts[::-1]).label == "ham"
    assert Criterion.of("recall@precision:0.9:ham", CLASSES, counts).target == 0
    assert Criterion.of("f1:1", np.array([0, 1]), counts).target == 1
    with pytest.raises(DataError, match="no class is called 'spma'") as unknown:
        Criterion.of("f1:spma", CLASSES, counts)
    assert unknown.value.hint == "Did you mean 'spam'? There are: ham, spam"
    with pytest.raises(DataError, match="which of 3 classes") as unnamed:
        Criterion.of("recall@precision:0.9", THREE, np.array([3, 1, 2]))
    assert unnamed.value.hint == "add a label, e.g. recall@precision:0.9:b"


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=30))
def test_the_mean_gain_is_the_figure(rows: list[tuple[int, int]]) -> None:
    y, answer = (np.array(column) for column in zip(*rows, strict=True))
    result = evaluate(y, answer)
    of = {c.label: c for c in result.classes}
    present = [c.f1 for c in result.classes if c.support]
    counts = np.ones(3)
    assert Criterion.of("accuracy", THREE, counts).gains_of(answer, y).mean() == pytest.approx(
        result.accuracy
    )
    assert Criterion.of("macro-f1", THREE, counts).gains_of(answer, y).mean() == pytest.approx(
        np.mean(present)
    )
    for k, label in enumerate(THREE):
        f1, recall = (of[k].f1, of[k].recall) if k in of else (0.0, 0.0)
        assert Criterion.of(f"f1:{label}", THREE, counts).gains_of(answer, y).mean() == pytest.approx(f1)
        at = Criterion.of(f"recall@precision:0.5:{label}", THREE, counts)
        assert at.gains_of(answer, y).mean() == pytest.approx(recall)


def cuts(scores: Any) -> list[Any]:
    """Return every answer that a threshold of two classes can give."""
    limits = [-100.0, *(np.unique(scores) + 0.1).tolist()]
    return [(scores[:, 0] > limit).astype(int) for limit in limits]


@given(binary)
def test_no_threshold_has_a_higher_f1(rows: list[tuple[int, bool]]) -> None:
    scores, y = split(rows)
    criterion = Criterion.of("f1:spam", CLASSES, np.ones(2))
    offsets = criterion._offsets(class_values(scores), y)
    reached = criterion.gains_of(ScoreRule(offsets)(scores), y).mean()
    assert reached == pytest.approx(max(criterion.gains_of(answer, y).mean() for answer in cuts(scores)))


@given(binary, st.floats(0.1, 1))
def test_no_precise_threshold_has_a_higher_recall(rows: list[tuple[int, bool]], wanted: float) -> None:
    scores, y = split(rows)
    criterion = Criterion.of(f"recall@precision:{wanted}:spam", CLASSES, np.ones(2))
    rule = criterion.rule(scores, y)
    assert rule is not None

    def figures(answer: Any) -> tuple[float, float]:
        called = answer == 1
        return float(y[called].mean()) if called.any() else 0.0, float(y[called].sum() / y.sum())

    precision, recall = figures(rule(scores))
    possible = [own for own in map(figures, cuts(scores)) if own[0] >= float(f"{wanted:g}")]
    if possible:
        assert precision >= float(f"{wanted:g}")
        assert recall == pytest.approx(max(own[1] for own in possible))
        assert criterion.gains(scores, y).mean() == pytest.approx(recall)
    else:
        assert criterion.gains(scores, y).mean() == 0


def noisy(n: int, shares: list[float], noise: float, seed: int = 0) -> tuple[Any, Any]:
    """Return scores that are a little higher for the true class, as log p of classes with these shares are."""
    rng = np.random.default_rng(seed)
    y = rng.choice(len(shares), size=n, p=shares)
    scores = rng.normal(size=(n, len(shares))) * noise + np.log(shares) + np.eye(len(shares))[y]
    return scores, y


def test_offsets_raise_macro_f1_on_other_rows_too() -> None:
    scores, y = noisy(4000, [0.85, 0.1, 0.05], 0.6)
    criterion = Criterion.of("macro-f1", THREE, np.ones(3))
    rule = criterion.rule(scores[:2000], y[:2000])
    assert rule is not None
    plain, ruled = (
        criterion.gains_of(answer, y[2000:]).mean()
        for answer in (best_class(scores[2000:]), rule(scores[2000:]))
    )
    assert ruled > plain + 0.1


def test_a_rule_that_only_follows_noise_is_not_kept() -> None:
    criterion = Criterion.of("macro-f1", THREE, np.ones(3))
    kept = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        y = np.arange(300) % 3
        scores = (
            np.eye(3)[y] + rng.normal(size=(300, 3)) * 0.4
        )  # classes alike: no offset is better than none
        rule = criterion.rule(scores, y)
        others = np.eye(3)[y] + np.random.default_rng(seed + 100).normal(size=(300, 3)) * 0.4
        kept += rule is not None
        if rule is not None:
            loss = (
                criterion.gains_of(best_class(others), y).mean() - criterion.gains_of(rule(others), y).mean()
            )
            assert loss < 0.03
    assert kept < 8


def test_equal_and_infinite_scores_are_no_obstacle() -> None:
    y = np.array([0, 1, 0, 1, 1, 0])
    for scores in (np.zeros((6, 1)), np.array([[np.inf], [-np.inf], [0], [1], [np.inf], [-np.inf]])):
        for text in ("f1:spam", "macro-f1", "recall@precision:0.9", "log-loss", "accuracy"):
            criterion = Criterion.of(text, CLASSES, np.ones(2))
            assert np.isfinite(criterion.gains(scores, y)).all()
            rule = criterion.rule(scores, y)
            assert rule is None or np.isfinite(rule.offsets).all()


def test_a_class_with_a_single_row_is_no_obstacle() -> None:
    scores, y = np.array([[1.0], [-1.0], [-2.0], [-1.5]]), np.array([1, 0, 0, 0])  # no fold can do without it
    for text in ("f1:spam", "macro-f1", "recall@precision:0.9", "log-loss"):
        criterion = Criterion.of(text, CLASSES, np.ones(2))
        assert np.isfinite(criterion.gains(scores, y)).all()
    absent = Criterion.of("f1:spam", CLASSES, np.ones(2)).gains(scores, np.zeros(4, int))
    assert absent.tolist() == [0, 0, 0, 0]


def test_class_weights_count_in_accuracy() -> None:
    y, answer = np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0])
    criterion = Criterion.of("accuracy", CLASSES, np.array([3, 1]), np.array([2 / 3, 2.0]))
    assert criterion.gains_of(answer, y).mean() == pytest.approx(0.5)


def test_log_loss_is_shown_as_it_is_and_less_is_better() -> None:
    scores, y = noisy(600, [0.5, 0.5], 0.3)
    sharp, blurred = (scores[:, 1:] - scores[:, :1] for scores in (scores, scores * 0))
    criterion = Criterion.of("log-loss", CLASSES, np.ones(2))
    better, worse = (criterion.gains(own, y) for own in (sharp, blurred))
    assert better.mean() > worse.mean()
    assert criterion.figure(worse) == pytest.approx(np.log(2), abs=0.02)
    assert criterion.constant(y) == pytest.approx(np.log(2), abs=0.01)


@pytest.mark.parametrize("stored", [[0.0], [0.0, float("nan")], [0, 1], "rule", {"a": 1.0}, [0.0, 1.0, 2.0]])
def test_a_stored_rule_is_checked(stored: Any) -> None:
    with pytest.raises(ValueError, match="one finite offset for each of 2 classes"):
        ScoreRule.from_state(stored, 2)
