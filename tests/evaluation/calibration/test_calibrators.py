"""Calibrators: equal to scikit-learn's where it has them, optimal by definition, and safe to load."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.calibration import CalibratedClassifierCV
from sklearn.dummy import DummyClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.isotonic import IsotonicRegression

from lindy import TextClassifier, _native
from lindy.core.targets import OneLabel
from lindy.data import samples
from lindy.evaluation import calibration_error, fit_calibrator, reliability_curve
from lindy.evaluation.calibration.calibrators import METHODS, calibrator_from_state, log_losses, platt_targets
from lindy.evaluation.calibration.rising_curves import rising_curve
from lindy.textbook import calibration as textbook


def drawn(n: int, K: int, scale: float, seed: int = 0) -> tuple[Any, Any]:
    """Scores whose truth is drawn from softmax(scores / scale): the right temperature is ``scale``."""
    rng = np.random.default_rng(seed)
    s = rng.normal(0, scale, n) if K == 2 else rng.normal(0, scale, (n, K))
    logits = np.stack([np.zeros(n), s], axis=1) if K == 2 else s
    p = np.exp(logits / scale)
    p /= p.sum(axis=1, keepdims=True)
    return s, (rng.random(n)[:, None] > np.cumsum(p, axis=1)).sum(axis=1)


class Scores(DummyClassifier):
    """A fitted classifier for scikit-learn whose input is its decision."""

    def decision_function(self, X: Any) -> Any:
        return X[:, 0]


def test_sigmoid_of_two_classes_is_scikit_learns() -> None:
    s, y = drawn(300, 2, 3.0)
    theirs = CalibratedClassifierCV(FrozenEstimator(Scores().fit(s[:, None], y)), method="sigmoid")
    theirs.fit(s[:, None], y)
    ours = fit_calibrator(s, y, 2, "sigmoid")
    np.testing.assert_allclose(ours(s), theirs.predict_proba(s[:, None]), atol=2e-5)


PAIRS = st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=40).filter(
    lambda pairs: len({hit for _, hit in pairs}) == 2
)


@given(PAIRS)
def test_isotonic_is_scikit_learns_up_to_what_the_rows_can_tell(pairs: list[tuple[int, bool]]) -> None:
    """Each inner step lies within its standard error, in log odds, of scikit-learn's."""
    s, y = np.array([float(v) for v, _ in pairs]), np.array([int(hit) for _, hit in pairs])
    theirs = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(s, y).predict(s)
    ours = fit_calibrator(s, y, 2, "isotonic")(s)[:, 1]
    size = np.array([(theirs == p).sum() for p in theirs])
    inner = (theirs > 0) & (theirs < 1)
    error = 1 / np.sqrt((size * theirs * (1 - theirs))[inner])
    log_odds = [np.log(p[inner] / (1 - p[inner])) for p in (ours, theirs)]
    assert (np.abs(log_odds[0] - log_odds[1]) <= np.minimum(error, 1) + 1e-9).all()
    assert (ours[theirs == 0] < 0.5).all()
    assert (ours[theirs == 1] > 0.5).all()


@given(PAIRS)
def test_isotonic_probabilities_rise_with_the_score(pairs: list[tuple[int, bool]]) -> None:
    s, y = np.array([float(v) for v, _ in pairs]), np.array([int(hit) for _, hit in pairs])
    grid = np.linspace(s.min(), s.max(), 101)
    p = fit_calibrator(s, y, 2, "isotonic")(grid)[:, 1]
    assert (np.diff(p) > 0).all() or s.min() == s.max()


@given(PAIRS, st.sampled_from([(0.01, 0.99), (1e-5, 1 - 1e-3)]))
def test_isotonic_is_the_textbooks(pairs: list[tuple[int, bool]], limits: tuple[float, float]) -> None:
    s, hits = np.array([float(v) for v, _ in pairs]), np.array([hit for _, hit in pairs])
    knots, heights = rising_curve(s, hits, np.ones(len(s)), *limits)
    np.testing.assert_allclose(np.interp(s, knots, heights), textbook.rising(s, hits.astype(float), *limits))


@pytest.mark.parametrize("noise", [0.0, 0.003])
def test_isotonic_does_not_give_one_probability_to_many_texts_of_many_classes(noise: float) -> None:
    """As in language identification: 75 classes, nearly all rows right, some labels wrong."""
    rng, K, n = np.random.default_rng(0), 75, 6000
    y = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    s = rng.normal(size=(n, K))
    s[np.arange(n), y] += rng.gamma(3.0, 4.0, n)
    wrong = rng.random(n) < noise
    labels = np.where(wrong, rng.integers(0, K, n), y)
    p = fit_calibrator(s[: n // 2], labels[: n // 2], K, "isotonic")(s[n // 2 :]).max(axis=1)
    _, counts = np.unique(p, return_counts=True)
    assert counts.max() <= 0.01 * len(p)
    right = (s[n // 2 :].argmax(axis=1) == labels[n // 2 :]).mean()
    assert p.mean() == pytest.approx(right, abs=0.02)


@pytest.mark.parametrize("n", [50, 300, 3000])
@pytest.mark.parametrize("slope", [0.5, 1.0, 4.0])
def test_rising_steps_predict_no_worse_than_flat_ones(n: int, slope: float) -> None:
    """On fresh rows of the same kind, by log loss: the mean over some draws."""
    worse = []
    for seed in range(10):
        rng = np.random.default_rng(seed)
        s, t = rng.normal(0, 4, n), rng.normal(0, 4, 5000)
        y, truth = (rng.random(len(x)) < 0.01 + 0.98 / (1 + np.exp(-slope * x)) for x in (s, t))
        flat = IsotonicRegression(out_of_bounds="clip", y_min=0, y_max=1).fit(s, y).predict(t)
        flat = np.clip(flat, 1 / (n + 2), 1 - 1 / (n + 2))
        rising = fit_calibrator(s, y.astype(int), 2, "isotonic")(t)[:, 1]
        losses = [-np.log(np.where(truth, p, 1 - p)).mean() for p in (rising, flat)]
        worse.append(losses[0] - losses[1])
    assert np.mean(worse) <= 0


@pytest.mark.parametrize("K", [2, 3, 5])
@pytest.mark.parametrize("method", ["temperature", "vector"])
def test_the_likelihood_is_stationary(method: str, K: int) -> None:
    s, y = drawn(400, K, 2.0)
    calibrator = fit_calibrator(s, y, K, method)
    target = platt_targets(OneLabel(np.arange(K), y))

    def loss(factor: float, name: str, place: int) -> float:
        state = {key: array.copy() for key, array in calibrator.arrays.items()}
        state[name][place] = state[name][place] * factor + (factor - 1) * 0.1
        p = calibrator_from_state({"method": method}, state, K)(s)
        return float(-(target * np.log(p)).sum())

    for name, array in calibrator.arrays.items():
        for place in range(len(array)):
            if method == "vector" and K == 2 and place == 0:
                continue  # fixed at 0
            at = loss(1.0, name, place)
            assert loss(1.001, name, place) >= at - 1e-4
            assert loss(0.999, name, place) >= at - 1e-4


@pytest.mark.parametrize("K", [2, 4])
def test_temperature_finds_the_temperature_and_everything_is_calibrated(K: int) -> None:
    s, y = drawn(20_000, K, 4.0)
    t, truth = drawn(20_000, K, 4.0, seed=1)
    assert fit_calibrator(s, y, K, "temperature").arrays["temperature"][0] == pytest.approx(4.0, rel=0.05)
    for method in METHODS:
        # one sigmoid per class is not the form of a softmax: it comes near, not all the way
        bound = 0.02 if K == 2 or method in ("temperature", "vector") else 0.05
        assert calibration_error(fit_calibrator(s, y, K, method)(t), truth) < bound, method


@settings(deadline=None)
@given(st.sampled_from(METHODS), st.integers(2, 4), st.integers(0, 1000), st.sampled_from([1e-8, 1.0, 1e8]))
def test_probabilities_sum_to_one_whatever_the_scores(method: str, K: int, seed: int, unit: float) -> None:
    rng = np.random.default_rng(seed)
    n = 30
    s = rng.normal(size=n if K == 2 else (n, K)) * unit
    y = np.concatenate([np.arange(K), rng.integers(0, K, n - K)])
    s.flat[:3] = [-np.inf, np.inf, 0.0]
    p = fit_calibrator(s, y, K, method)(s)
    assert p.shape == (n, K)
    assert np.isfinite(p).all()
    assert (p >= 0).all()
    np.testing.assert_allclose(p.sum(axis=1), 1)


def test_scores_that_separate_the_classes_give_finite_numbers() -> None:
    s, y = np.repeat([-1.0, 1.0], 50), np.repeat([0, 1], 50)
    for method in METHODS:
        p = fit_calibrator(s, y, 2, method)(s)
        assert 0.5 < p[-1, 1] < 1, method


def test_multiclass_calibration_does_not_depend_on_what_is_added_to_a_row() -> None:
    s, y = drawn(200, 3, 1.0)
    shifted = s + np.random.default_rng(5).normal(0, 1000, (200, 1))
    for method in METHODS:
        np.testing.assert_allclose(
            fit_calibrator(s, y, 3, method)(s), fit_calibrator(shifted, y, 3, method)(shifted), atol=1e-6
        )


def test_weights_count_like_copies() -> None:
    s, y = drawn(60, 2, 1.0)
    weight = np.random.default_rng(0).integers(1, 4, 60)
    rows = np.repeat(np.arange(60), weight)
    for method in ("sigmoid", "temperature", "isotonic"):
        one = fit_calibrator(s, y, 2, method, weight=weight)(s)
        other = fit_calibrator(s[rows], y[rows], 2, method)(s)
        np.testing.assert_allclose(one, other, atol=0.02)  # Platt's targets and the limits see other counts


def test_auto_takes_what_fits() -> None:
    s, y = drawn(4000, 2, 2.0)
    stairs = np.sign(s) * np.abs(s) ** 5  # a rising function that no sigmoid undoes
    assert fit_calibrator(s, y, 2).method == "temperature"
    assert fit_calibrator(s + 3, y, 2).method == "sigmoid"
    assert fit_calibrator(stairs, y, 2).method == "isotonic"
    few = fit_calibrator(s[:12], y[:12], 2)
    assert few.method == "temperature"


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("K", [2, 3])
def test_a_state_gives_the_same_calibrator(method: str, K: int) -> None:
    s, y = drawn(100, K, 1.0)
    calibrator = fit_calibrator(s, y, K, method)
    params, arrays = calibrator.to_state()
    np.testing.assert_array_equal(calibrator_from_state(params, arrays, K)(s), calibrator(s))


@pytest.mark.parametrize(
    ("params", "arrays"),
    [
        ({"method": "magic"}, {}),
        ({}, {}),
        ({"method": "sigmoid"}, {"slope": [1.0], "shift": [0.0, 1.0]}),
        ({"method": "sigmoid"}, {"slope": [np.nan], "shift": [0.0]}),
        ({"method": "temperature"}, {"temperature": [0.0]}),
        ({"method": "temperature"}, {"temperature": [1e-200]}),
        ({"method": "vector"}, {"slope": [1e300, 1.0], "shift": [0.0, 0.0]}),
        ({"method": "vector"}, {"slope": [1.0], "shift": [0.0]}),
        ({"method": "isotonic"}, {"starts": [0, 2], "knots": [1.0, 0.0], "heights": [0.1, 0.9]}),
        ({"method": "isotonic"}, {"starts": [0, 9], "knots": [0.0, 1.0], "heights": [0.1, 0.9]}),
        ({"method": "isotonic"}, {"starts": [0, 2], "knots": [0.0, 1.0], "heights": [0.1, 1.9]}),
    ],
)
def test_a_state_that_is_no_calibrator_is_refused(params: Any, arrays: Any) -> None:
    with pytest.raises(ValueError, match=r"calibrat"):
        calibrator_from_state(params, arrays, 2)


def test_arguments_that_cannot_be_are_refused() -> None:
    with pytest.raises(ValueError, match="one column for two classes"):
        fit_calibrator(np.zeros((4, 3)), [0, 1, 0, 1], 2)
    with pytest.raises(ValueError, match="method must be"):
        fit_calibrator([0.0, 1.0], [0, 1], 2, "magic")
    with pytest.raises(ValueError, match="no rows"):
        fit_calibrator(np.zeros(0), [], 2)
    with pytest.raises(ValueError, match="positive weight"):
        fit_calibrator([0.0, 1.0], [0, 1], 2, weight=[1.0, 0.0])
    with pytest.raises(ValueError, match="scores must be numbers"):
        fit_calibrator([0.0, np.nan], [0, 1], 2)


def test_the_error_of_a_known_table() -> None:
    p = np.array([[0.9, 0.1]] * 10 + [[0.2, 0.8]] * 10)
    y = np.array([0] * 8 + [1] * 2 + [1] * 6 + [0] * 4)
    curve = reliability_curve(p, y)
    np.testing.assert_allclose(curve.confidence, [0.8, 0.9])
    np.testing.assert_allclose(curve.accuracy, [0.6, 0.8])
    assert curve.error == pytest.approx(0.5 * 0.2 + 0.5 * 0.1)
    assert calibration_error(p, np.array([0] * 9 + [1] + [1] * 8 + [0] * 2)) == pytest.approx(0)
    np.testing.assert_allclose(log_losses(p, y), -np.log(p[np.arange(20), y]))


@pytest.mark.parametrize("seed", range(5))
def test_equal_to_the_textbook(seed: int) -> None:
    s, y = drawn(80, 2, 1.5, seed)
    a, c = textbook.platt(s, y)
    ours = fit_calibrator(s, y, 2, "sigmoid")
    assert ours.arrays["slope"][0] == pytest.approx(a, rel=1e-6)
    assert ours.arrays["shift"][0] == pytest.approx(c, rel=1e-6, abs=1e-8)
    limit = 1 / 82
    expected = textbook.rising(s, y.astype(float), limit, 1 - limit)
    np.testing.assert_allclose(fit_calibrator(s, y, 2, "isotonic")(s)[:, 1], expected)
    S, labels = drawn(80, 3, 1.5, seed)
    found = fit_calibrator(S, labels, 3, "temperature")
    expected_T = textbook.temperature(S, platt_targets(OneLabel(np.arange(3), labels)))
    assert found.arrays["temperature"][0] == pytest.approx(expected_T, rel=1e-6)
    assert calibration_error(found(S), labels) == pytest.approx(textbook.calibration_error(found(S), labels))


def test_a_calibrated_model_is_the_same_at_any_number_of_threads(tmp_path: Path) -> None:
    data = samples.load("reviews-train")
    for jobs in (1, 2, 4):
        model = TextClassifier(learner="svm", calibration="best", n_jobs=jobs)
        model.fit(data.texts, data.labels).save(tmp_path / f"{jobs}.lindy")
    assert len({(tmp_path / f"{jobs}.lindy").read_bytes() for jobs in (1, 2, 4)}) == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("K", [2, 3, 12])
@pytest.mark.parametrize("method", METHODS)
def test_probabilities_are_those_of_the_textbook(method: str, K: int, dtype: Any) -> None:
    s, y = drawn(400, K, 2.0, seed=K)
    calibrator = fit_calibrator(s, y, K, method)
    new = drawn(300, K, 3.0, seed=1)[0].astype(dtype)
    new[:2] = [0.0, 0.0] if K == 2 else [np.zeros(K), np.arange(K) % 2]  # equal scores
    p, best = calibrator.probabilities_and_best(new)
    wide = new.astype(np.float64).reshape(len(new), -1)
    expected = textbook.probabilities(wide, method, **calibrator.arrays)
    np.testing.assert_allclose(p, expected, rtol=1e-12, atol=1e-300)
    tied = p == p.max(axis=1, keepdims=True)
    assert tied[np.arange(len(p)), best].all()
    if K == 2:
        assert (best == np.where(tied.all(axis=1), new >= 0, p.argmax(axis=1))).all()
    else:
        assert (best == p.argmax(axis=1)).all()
    for i in (0, 1, 299):
        alone = calibrator(new[i : i + 1])
        assert alone.tobytes() == p[i : i + 1].tobytes()
    assert np.array_equal(calibrator(np.asfortranarray(new)), p)


@pytest.mark.parametrize("K", [2, 4])
@pytest.mark.parametrize("method", METHODS)
def test_infinite_scores_have_probabilities_and_nan_has_none(method: str, K: int) -> None:
    s, y = drawn(200, K, 2.0)
    calibrator = fit_calibrator(s, y, K, method)
    for value in (np.inf, -np.inf, 1e300, -1e300):
        odd = s[:3].copy()
        odd.reshape(3, -1)[1, -1] = value
        p = calibrator(odd)
        assert np.isfinite(p).all()
        np.testing.assert_allclose(p.sum(axis=1), 1)
    odd.reshape(3, -1)[1, -1] = np.nan
    with pytest.raises(ValueError, match="scores must be numbers"):
        calibrator(odd)
    with pytest.raises(ValueError, match="scores must"):
        calibrator(np.zeros((3, K, 2)))


def test_the_core_refuses_numbers_that_make_no_calibrator() -> None:
    one, two, none = np.ones(1), np.ones(2), np.zeros(0)
    for method, n_scores, numbers in [
        ("platt", 1, (one, one, none)),
        ("sigmoid", 0, (none, none, none)),
        ("sigmoid", 3, (two, two, none)),
        ("sigmoid", 1, (one, two, none)),
        ("temperature", 1, (two, none, none)),
        ("vector", 1, (one, one, none)),
        ("isotonic", 1, (two, two, one)),
        ("isotonic", 1, (two, two, np.array([0.0, 3.0]))),
        ("isotonic", 1, (two, two, np.array([1.0, 1.0]))),
        ("isotonic", 1, (two, two, np.array([np.nan, 1.0]))),
    ]:
        with pytest.raises(ValueError, match="must"):
            _native.Calibration.make(method, n_scores, *numbers)
