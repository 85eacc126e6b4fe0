"""What all online learners share: order, weights, streams, early stopping, history, callback, trace, hostile rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.instruction_sets import printed_at_every_level
from tests.linear.online_helpers import all_labels, seeds
from tests.linear.online_models import LEARNERS, LEARNERS_OF_STREAMS, blobs, copy_of, one_pass
from tests.strategies import Labelled, measurements

from lindy import Mira, Perceptron
from lindy.core.csr import as_csr
from lindy.linear.optimizers.online_rows import prepare, split


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_order_of_rows_does_not_matter(model: Any) -> None:
    X, y = blobs()
    X[50:60], y[50:60] = X[0], y[0]  # with repeated rows
    mixed = np.random.default_rng(1).permutation(len(y))
    one, other = copy_of(model).fit(X, y), copy_of(model).fit(X[mixed], y[mixed])
    np.testing.assert_array_equal(one.W_, other.W_)
    np.testing.assert_array_equal(one.b_, other.b_)
    in_order = copy_of(model, shuffle=False).fit(X, y)
    assert (in_order.W_ != copy_of(model, shuffle=False).fit(X[mixed], y[mixed]).W_).any()


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
@settings(max_examples=25)
@given(measurements(max_rows=10, max_columns=4, max_classes=4).filter(all_labels), seeds)
def test_a_weight_of_n_is_n_rows(model: Any, data: Labelled, seed: int) -> None:
    X, y = data
    n = np.random.default_rng(seed).integers(0, 4, len(y))
    n[np.unique(y, return_index=True)[1]] += 1
    weighted = copy_of(model, random_state=seed).fit(X, y, sample_weight=n)
    repeated = copy_of(model, random_state=seed).fit(np.repeat(X, n, axis=0), np.repeat(y, n))
    np.testing.assert_array_equal(weighted.W_, repeated.W_)
    assert weighted.history_.mistakes == repeated.history_.mistakes


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_same_bits_for_formats_precisions_and_threads(model: Any) -> None:
    X, y = blobs()
    X = X.astype(np.float32)
    dense = copy_of(model, n_jobs=1).fit(X, y)
    for other in (scipy.sparse.csr_array(X), scipy.sparse.csc_matrix(X), X.astype(np.float64), X.tolist()):
        np.testing.assert_array_equal(dense.W_, copy_of(model, n_jobs=2).fit(other, y).W_)


_BITS = """
import hashlib, numpy as np
from lindy import SVM, MaxEnt, Mira, Perceptron
rng = np.random.default_rng(0)
X = rng.normal(size=(300, 40)) * (rng.random((300, 40)) < 0.3)
wide = np.hstack((X, np.zeros((300, 3000))))  # averages are kept as factors of rows
h = hashlib.sha256()
for K in (2, 3, 5, 20, 37):
    y = (X @ rng.normal(size=(40, K))).argmax(axis=1)
    for model in (
        Perceptron(epochs=3), Perceptron(epochs=3, dtype="float64"), Mira(epochs=3, constraints="all"),
        SVM(loss="hinge", lam=1e-3, solver="pegasos", solver_options={"projection": True, "average": True}),
        SVM(loss="squared_hinge", lam=1e-3, solver="sgd", solver_options={"eta0": 0.1, "batch_size": 4}),
        SVM(loss="multiclass_hinge", lam=1e-3, solver="subgradient"),
        MaxEnt(lam=1e-3, solver="sgd", solver_options={"power": 0.3}),
        MaxEnt(lam=1e-3, multiclass="one-vs-rest", solver="sgd",
               solver_options={"schedule": "adagrad", "average": True}),
        MaxEnt(lam=1e-3, penalty="elasticnet", solver="sgd"),
    ):
        for data in (X, X.astype(np.float32), wide):
            model.fit(data, y)
            h.update(np.ascontiguousarray(model.densify().W_).tobytes() + model.b_.tobytes())
print(h.hexdigest())
"""


def test_same_bits_at_every_instruction_set() -> None:
    assert len(printed_at_every_level(_BITS)) == 1


@pytest.mark.parametrize("model", [Perceptron(epochs=3), Mira(epochs=3, constraints="max-loss")], ids=repr)
@pytest.mark.parametrize("K", [2, 3, 21])
def test_averages_of_many_features_are_those_of_few(model: Any, K: int) -> None:
    """With more features than rows the average is kept as one factor per row, otherwise as a second matrix."""
    X, y = blobs(K=K, noise=3.0)
    wide = np.hstack((X, np.zeros((len(X), 1000))))
    few, many = copy_of(model, dtype="float64").fit(X, y), copy_of(model, dtype="float64").fit(wide, y)
    np.testing.assert_allclose(many.W_[:6], few.W_, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(many.b_, few.b_)
    assert not many.W_[6:].any()
    mixed = np.random.default_rng(1).permutation(len(y))
    np.testing.assert_array_equal(
        copy_of(model).fit(wide, y).W_, copy_of(model).fit(wide[mixed], y[mixed]).W_
    )
    stream = one_pass(model, dtype="float64")
    for rows in np.array_split(np.arange(len(y)), 3):
        stream.partial_fit(wide[rows], y[rows], classes=range(K))
    whole = one_pass(model, dtype="float64").fit(wide, y)
    np.testing.assert_allclose(stream.W_, whole.W_, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_warm_start_goes_on_from_the_weights(model: Any) -> None:
    X, y = blobs()
    fitted = copy_of(model, epochs=2).fit(X, y)
    W = fitted.W_.copy()
    again = fitted.set_params(warm_start=True, epochs=1).fit(X, y)
    fresh = copy_of(model, epochs=1).fit(X, y)
    assert (again.W_ != fresh.W_).any()
    assert again.history_.mistakes[0] <= fresh.history_.mistakes[0]
    assert W.shape == again.W_.shape
    with pytest.raises(ValueError, match="warm_start needs the features and classes"):
        again.fit(X[:, :3], y)


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_early_stopping_keeps_the_best_weights(model: Any) -> None:
    X, y = blobs(n=400, noise=4.0)
    kept: list[tuple[float, Any, Any]] = []

    def watch(epoch: Any) -> None:
        kept.append((epoch.held_out, *epoch.state.weights()))

    stopped = copy_of(model, epochs=60, held_out=0.25, patience=4, callback=watch).fit(X, y)
    accuracies = stopped.history_.held_out
    best = int(np.argmax(accuracies))
    assert len(accuracies) == stopped.n_iter_ == best + 1 + 4
    np.testing.assert_array_equal(stopped.W_, kept[best][1])
    np.testing.assert_array_equal(stopped.b_, kept[best][2])


def test_held_out_rows_are_a_share_of_every_class() -> None:
    X, y = blobs(n=300)
    data = prepare(as_csr(X), y.astype(np.int32), None, shuffle=True, dtype="float32")
    learn, held = split(data, 0.2, np.random.default_rng(0))
    assert sorted([*learn, *held]) == list(range(300))
    counts, taken = np.bincount(y), np.bincount(y[held])
    assert (np.abs(taken - 0.2 * counts) <= 1).all()
    model = Perceptron(held_out=0.2, epochs=1, dtype="float64").fit(X, y)
    rng = np.random.default_rng(0)
    learn, held = split(data, 0.2, rng)
    assert model.t_ == len(learn)
    assert model.history_.held_out == [np.mean(model.predict(X[held]) == y[held])]
    with pytest.raises(ValueError, match="leaves no rows to hold out"):
        Perceptron(held_out=0.01).fit(X[:20], y[:20])


def test_history_callback_and_stop() -> None:
    X, y = blobs(noise=4.0)
    seen = []
    model = Mira(epochs=9, callback=lambda epoch: seen.append(epoch) or epoch.number == 3).fit(X, y)
    assert model.n_iter_ == 3
    assert [epoch.number for epoch in seen] == [1, 2, 3]
    assert model.history_.mistakes == [epoch.mistakes for epoch in seen]
    assert model.history_.objective == [epoch.objective for epoch in seen]
    assert model.history_.seconds == sorted(model.history_.seconds)
    assert model.history_.held_out == []


def test_trace_has_the_weights_every_k_updates() -> None:
    X, y = blobs(noise=4.0)
    every = Perceptron(average=False, epochs=2, trace=1, dtype="float64").fit(X, y)
    fifth = Perceptron(average=False, epochs=2, trace=5, dtype="float64").fit(X, y)
    assert [updates for updates, _, _ in every.trace_] == list(range(1, every.mistakes_ + 1))
    assert len(fifth.trace_) == every.mistakes_ // 5
    for updates, W, b in fifth.trace_:
        np.testing.assert_array_equal(W, every.trace_[updates - 1][1])
        np.testing.assert_array_equal(b, every.trace_[updates - 1][2])
    np.testing.assert_array_equal(every.trace_[-1][1], every.W_)


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_empty_rows_move_only_the_bias(model: Any) -> None:
    X, y = blobs()
    X[::3] = 0
    assert np.isfinite(copy_of(model).fit(X, y).W_).all()
    without_bias = copy_of(model, fit_intercept=False, average=False)
    filled = np.flatnonzero(X.any(axis=1))
    one = copy_of(without_bias, shuffle=False).fit(X, y)
    np.testing.assert_array_equal(one.W_, copy_of(without_bias, shuffle=False).fit(X[filled], y[filled]).W_)


@pytest.mark.parametrize("model", LEARNERS_OF_STREAMS, ids=repr)
@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf, 1e200])
def test_bad_rows_are_refused_and_the_model_stays(model: Any, bad: float) -> None:
    X, y = blobs()
    stream = copy_of(model).partial_fit(X, y)
    before, scores = stream.W_.copy(), stream.decision_function(X)
    poisoned = np.hstack((X, X))  # with new features and a new class, none of which must stay
    poisoned[7, 2] = bad
    with pytest.raises(ValueError, match=r"row 7, column 2|Row 7 is too long"):
        stream.partial_fit(poisoned, np.where(y == 1, 5, y))
    np.testing.assert_array_equal(stream.W_, before)
    np.testing.assert_array_equal(stream.decision_function(X), scores)
    assert stream.classes_.tolist() == [0, 1, 2]
    stream.partial_fit(X, y)
    assert np.isfinite(stream.W_).all()


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
@pytest.mark.parametrize("size", [1e-300, 1e-40, 1e-20, 1e15])
def test_tiny_and_huge_values_give_a_finite_model(model: Any, size: float) -> None:
    X, y = blobs()
    for options in ({}, {"fit_intercept": False}, {"dtype": "float64"}):
        fitted = copy_of(model, **options).fit(X * size, y)
        assert np.isfinite(fitted.W_).all()
        assert np.isfinite(fitted.decision_function(X * size)).all()


def test_float32_averages_stay_true_in_long_runs() -> None:
    X, y = blobs(n=300, noise=4.0)
    X = X.astype(np.float32)
    # in the order of this seed no prediction hangs on a rounding, so both make the same changes
    single, double = (
        Perceptron(epochs=300, dtype=kind, random_state=1).fit(X, y) for kind in ("float32", "float64")
    )
    assert single.history_.mistakes == double.history_.mistakes
    np.testing.assert_allclose(single.W_, double.W_, rtol=1e-3, atol=1e-4 * np.abs(double.W_).max())


@pytest.mark.parametrize("model", [*LEARNERS, Perceptron(average="vote", epochs=3)], ids=repr)
@pytest.mark.parametrize("K", [2, 3])
def test_state_of_a_model_file(model: Any, K: int) -> None:
    X, y = blobs(K=K)
    fitted = copy_of(model, callback=lambda epoch: None).fit(X, y)
    params, arrays = fitted.to_state()
    again = type(model).from_state(params, arrays, fitted.classes_)
    np.testing.assert_array_equal(fitted.decision_function(X), again.decision_function(X))
    assert again.t_ == fitted.t_
    for name, array in arrays.items():
        with pytest.raises(ValueError, match=r"expected the arrays|array t must"):
            type(model).from_state(params, {k: v for k, v in arrays.items() if k != name}, fitted.classes_)
        if name != "W":  # whose length is the number of features
            with pytest.raises(ValueError, match=r"array|stored"):
                type(model).from_state(params, arrays | {name: array[:-1].copy()}, fitted.classes_)


@settings(max_examples=20)
@given(st.floats(0.05, 7), seeds)
def test_a_fractional_weight_is_visited_in_equal_parts(c: float, seed: int) -> None:
    """⌈c⌉ visits of c/⌈c⌉ each, until the perceptron is right."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(1, 3))
    model = Perceptron(average=False, fit_intercept=False, start=rng.normal(size=(3, 4)), dtype="float64")
    W = np.array(model.start)
    model.partial_fit(x, [1], classes=range(4), sample_weight=[c])
    visits = int(np.ceil(c))
    for _ in range(visits):
        guess = int((x[0] @ W).argmax())
        W[:, 1] += c / visits * x[0]
        W[:, guess] -= c / visits * x[0]
    np.testing.assert_allclose(model.W_, W, atol=1e-12)
