"""The perceptron against its textbook twin, its theorem, and the lectures' examples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.linear.online_helpers import all_labels, seeds, visits, with_ones
from tests.strategies import Labelled, measurements, sparse_with_zeros

from lindy import Perceptron
from lindy.textbook import perceptron as textbook

data_sets = measurements(max_rows=14, max_columns=6, max_classes=7).filter(all_labels)


@settings(max_examples=120)
@given(data_sets, seeds, st.booleans(), st.booleans(), st.sampled_from([1.0, 0.25]))
def test_same_weights_as_the_textbook(
    data: Labelled, seed: int, shuffle: bool, bias: bool, eta: float
) -> None:
    X, y = data
    options = {
        "epochs": 4,
        "random_state": seed,
        "shuffle": shuffle,
        "fit_intercept": bias,
        "dtype": "float64",
    }
    averaged = Perceptron(eta0=eta, **options).fit(sparse_with_zeros(X), y)
    last = Perceptron(average=False, eta0=eta, **options).fit(X, y)
    order = visits(averaged, X, y)
    Z = with_ones(X) if bias else X
    K = int(y.max()) + 1
    if K == 2:
        w, mean, mistakes = textbook.binary_perceptron(Z, y, order, eta)
        w, mean = w[:, None], mean[:, None]
    else:
        w, mean, mistakes = textbook.averaged_perceptron(Z, y, K, order, eta)
    n = X.shape[1]
    np.testing.assert_allclose(last.W_, w[:n], atol=1e-9)
    np.testing.assert_allclose(averaged.W_, mean[:n], atol=1e-9)
    if bias:
        np.testing.assert_allclose(averaged.b_, mean[n], atol=1e-9)
    assert averaged.mistakes_ == last.mistakes_ == mistakes


AND = np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array([0, 0, 0, 1])


@pytest.mark.parametrize(
    ("average", "expected"), [("before", [1.825, 0.925, -2.675]), (True, [1.85, 0.9375, -2.7125])]
)
def test_algorithm_2_averages_over_all_rounds_of_separable_data(
    average: str | bool, expected: list[float]
) -> None:
    """The work ends after a clean pass, the average does not: the last weights are in it for every round left."""
    X, y = AND
    model = Perceptron(average=average, shuffle=False, epochs=20, dtype="float64").fit(X, y)
    assert model.n_iter_ < 20
    assert model.history_.mistakes[-1] == 0
    assert model.t_ == 80
    np.testing.assert_allclose([*model.W_[:, 0], *model.b_], expected, atol=1e-12)


def test_a_clean_pass_of_batches_and_weights_counts_as_often_as_it_would_be_made() -> None:
    """What is left is added at once, whatever an epoch counts: a callback that sees every epoch changes nothing."""
    X, y = AND
    for options in ({"batch_size": 2}, {"class_weight": {0: 2.5, 1: 0.5}}, {"average": "vote"}):
        same = {"epochs": 50, "shuffle": False, "dtype": "float64"} | options
        model = Perceptron(**same).fit(X, y)
        assert model.n_iter_ < 50
        longer = Perceptron(**same | {"epochs": model.n_iter_}).fit(X, y)
        first = model.n_iter_ / 50  # the share of the visits that were made
        last = Perceptron(**same | {"average": False}).fit(X, y) if "average" not in options else None
        if last is not None:
            np.testing.assert_allclose(model.W_, first * longer.W_ + (1 - first) * last.W_, atol=1e-12)
        assert model.t_ == pytest.approx(longer.t_ / first)


def test_independent_draws_without_a_mistake_prove_nothing() -> None:
    """They may have missed a row: all rounds are made."""
    X, y = AND
    model = Perceptron(shuffle="random", epochs=60).fit(X, y)
    assert model.n_iter_ == 60


@settings(max_examples=40)
@given(
    measurements(max_rows=14, max_columns=6, max_classes=4).filter(
        lambda d: all_labels(d) and d[1].max() > 1
    ),
    seeds,
)
def test_vote_is_the_textbook_vote(data: Labelled, seed: int) -> None:
    X, y = data
    K = int(y.max()) + 1
    model = Perceptron(average="vote", epochs=3, random_state=seed, dtype="float64").fit(X, y)
    order = visits(model, X, y)
    ballots = textbook.voted_perceptron(with_ones(X), y, K, order)
    expected = np.array([textbook.vote(ballots, x) for x in with_ones(X)]) / len(order)
    np.testing.assert_allclose(model.decision_function(X), expected, atol=1e-12)


def test_vote_of_two_classes_and_in_a_stream() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    y = np.where(X[:, 0] + X[:, 1] > 0.3, "yes", "no")
    whole = Perceptron(average="vote", epochs=1, shuffle=False).fit(X, y)
    stream = Perceptron(average="vote", epochs=1, shuffle=False)
    stream.partial_fit(X[:20], y[:20]).partial_fit(X[20:], y[20:])
    np.testing.assert_array_equal(whole.decision_function(X), stream.decision_function(X))
    w, balance = np.zeros(5), np.zeros(60)
    for x, label in zip(with_ones(X), y, strict=True):
        if (w @ x >= 0) != (label == "yes"):
            w = w + (1 if label == "yes" else -1) * x
        balance += np.where(with_ones(X) @ w >= 0, 1, -1)
    np.testing.assert_allclose(whole.decision_function(X), balance / 60)


def test_may_worked_example() -> None:
    """Scores 1.3, 1.8, −12; class 2 is predicted for an example of class 1; then 6.3, −3.2, −12."""
    theta = np.array([[0.3, -0.2, -4.0], [0.7, 2.2, -4.0], [0.8, 4.0, -4.0]])
    x = np.array([[2.0, 1.0, 0.0]])
    np.testing.assert_allclose(x @ theta, [[1.3, 1.8, -12.0]])
    model = Perceptron(average=False, start=theta, fit_intercept=False, dtype="float64")
    model.partial_fit(x, [1], classes=[1, 2, 3])
    np.testing.assert_allclose(model.W_, [[2.3, -2.2, -4.0], [1.7, 1.2, -4.0], [0.8, 4.0, -4.0]], atol=1e-12)
    np.testing.assert_allclose(model.decision_function(x), [[6.3, -3.2, -12.0]], atol=1e-12)
    assert model.predict(x) == [1]
    assert model.history_.mistakes == [1]


def test_amato_ties_and_zero_start() -> None:
    """Weights 0 score 0, which is class +1: a first example of class −1 is a mistake, one of class +1 is not."""
    model = Perceptron(average=False, shuffle=False, epochs=1, fit_intercept=False)
    model.partial_fit([[2.0, 1.0]], [1], classes=[-1, 1])
    assert model.mistakes_ == 0
    model.partial_fit([[2.0, 1.0]], [-1])
    np.testing.assert_array_equal(model.W_[:, 0], [-2.0, -1.0])


INPUTS = np.array([[a, b, c] for a in (0, 1) for b in (0, 1) for c in (0, 1)], float)


@pytest.mark.parametrize(
    ("name", "truth"),
    [
        ("and", INPUTS.all(axis=1)),
        ("or", INPUTS.any(axis=1)),
        ("not", INPUTS[:, 0] == 0),
        ("majority", INPUTS.sum(axis=1) >= 2),
    ],
)
@pytest.mark.parametrize("average", [False, True])
def test_logical_functions_are_learned(name: str, truth: np.ndarray, average: bool) -> None:
    model = Perceptron(average=average, epochs=200).fit(INPUTS, truth)
    assert model.history_.mistakes[-1] == 0, name
    if not average:
        assert model.score(INPUTS, truth) == 1


def test_xor_needs_the_conjunction() -> None:
    X = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], float)
    y = X[:, 0] != X[:, 1]
    alone = Perceptron(average=False, epochs=500).fit(X, y)
    assert min(alone.history_.mistakes) > 0
    assert alone.score(X, y) < 1
    with_both = np.column_stack((X, X[:, 0] * X[:, 1]))
    model = Perceptron(average=False, epochs=500).fit(with_both, y)
    assert model.score(with_both, y) == 1
    assert model.history_.mistakes[-1] == 0


@settings(max_examples=60)
@given(st.integers(2, 4), st.integers(2, 5), seeds, st.booleans())
def test_mistake_bound(K: int, n_features: int, seed: int, bias: bool) -> None:
    """McDonald's theorem: on separable data at most R²/γ² mistakes, for every separator and its γ."""
    rng = np.random.default_rng(seed + 10 * K + 100 * n_features)
    X = rng.normal(size=(40, n_features))
    U = rng.normal(size=(n_features, K))
    if K == 2:
        U[:, 0] = 0
    scores = np.sort(X @ U, axis=1)
    X = X[scores[:, -1] - scores[:, -2] > 0.3]  # a margin, so that the perceptron gets there
    y = (X @ U).argmax(axis=1)
    assume(len(np.unique(y)) == K)
    model = Perceptron(epochs=3000, fit_intercept=bias, random_state=seed, dtype="float64").fit(X, y)
    assert model.history_.mistakes[-1] == 0
    assert model.mistake_bound_ is not None
    assert model.mistakes_ == sum(model.history_.mistakes) <= model.mistake_bound_
    # the separator that made the data has a margin too, and its bound holds as well
    y_score = np.take_along_axis(X @ U, y[:, None], axis=1)[:, 0]
    rival = np.where(np.arange(K) == y[:, None], -np.inf, X @ U).max(axis=1)
    gamma = (y_score - rival).min() / np.linalg.norm(U)
    R2 = (np.square(X).sum(axis=1).max() + bias) * (1 if K == 2 else 2)
    assert model.mistakes_ <= R2 / gamma**2


def test_no_bound_without_a_separator_or_a_zero_start() -> None:
    X, y = np.array([[1.0], [1.0], [2.0]]), [0, 1, 1]
    assert Perceptron(epochs=5).fit(X, y).mistake_bound_ is None
    separable = Perceptron(epochs=50, start="random").fit([[1.0], [-1.0]], [0, 1])
    assert separable.margin_ is not None
    assert separable.mistake_bound_ is None


def test_batches_take_the_mean_step() -> None:
    X, y = np.array([[1.0, 0.0], [0.0, 2.0], [1.0, 1.0]]), np.array([0, 1, 0])
    model = Perceptron(
        average=False, batch_size=3, shuffle=False, epochs=1, fit_intercept=False, dtype="float64"
    )
    model.fit(X, y)  # all scores are 0, so rows 0 and 2 are taken for class 1 and are mistakes
    np.testing.assert_allclose(model.W_[:, 0], -(X[0] + X[2]) / 3)


def test_random_start_depends_on_the_seed_alone() -> None:
    X, y = np.eye(3), [0, 1, 2]
    one, same, other = (Perceptron(start="random", random_state=s).fit(X, y) for s in (1, 1, 2))
    np.testing.assert_array_equal(one.W_, same.W_)
    assert (one.W_ != other.W_).any()


def test_wrong_options_are_named() -> None:
    for options, message in [
        ({"average": "mean"}, "average must be True, False, 'before' or 'vote'"),
        ({"start": "ones"}, "start must be"),
        ({"epochs": 0}, "epochs must be a whole number of at least 1"),
        ({"eta0": 0.0}, "eta0 must be a finite number above 0"),
        ({"shuffle": "yes"}, "shuffle must be"),
        ({"average": "vote", "batch_size": 2}, "needs batch_size=1"),
        ({"dtype": "float16"}, "dtype must be one of"),
        ({"start": np.zeros((3, 3))}, "start must have the shape"),
        ({"start": {}}, "start must be an array of numbers"),
    ]:
        with pytest.raises(ValueError, match=message):
            Perceptron(**options).fit([[1.0], [2.0]], [0, 1])
