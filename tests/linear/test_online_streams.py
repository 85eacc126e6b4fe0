"""Online learners of streams: batches, classes and features that come later, batches that fail."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from tests.linear.online_models import LEARNERS, LEARNERS_OF_STREAMS, blobs, copy_of, one_pass

from lindy import SVM, MaxEnt, Mira, Perceptron


@pytest.mark.parametrize("model", LEARNERS_OF_STREAMS, ids=repr)
def test_a_stream_equals_one_pass(model: Any) -> None:
    X, y = blobs()
    whole = one_pass(model).fit(X, y).densify()
    stream = one_pass(model)
    for begin in range(0, 200, 50):
        stream.partial_fit(X[begin : begin + 50], y[begin : begin + 50], classes=[0, 1, 2])
    np.testing.assert_array_equal(whole.W_, stream.W_)
    np.testing.assert_array_equal(whole.b_, stream.b_)
    assert whole.t_ == stream.t_ == 200
    np.testing.assert_array_equal(
        pickle.loads(pickle.dumps(stream)).partial_fit(X, y).W_, stream.partial_fit(X, y).W_
    )


@pytest.mark.parametrize("model", LEARNERS_OF_STREAMS, ids=repr)
def test_new_features_equal_features_known_from_the_start(model: Any) -> None:
    X, y = blobs()
    X[:100, 3:] = 0
    wide = one_pass(model).fit(X, y).densify()
    stream = one_pass(model).partial_fit(X[:100, :3], y[:100], classes=[0, 1, 2])
    assert stream.n_features_in_ == 3
    stream.partial_fit(X[100:], y[100:])
    assert stream.n_features_in_ == 6
    np.testing.assert_array_equal(wide.W_, stream.W_)


@pytest.mark.parametrize("model", LEARNERS_OF_STREAMS, ids=repr)
@pytest.mark.parametrize("known", [1, 2, 3])
def test_new_classes_mid_stream(model: Any, known: int) -> None:
    X, y = blobs(K=5)
    labels = np.array(["m", "k", "z", "a", "q"])[y]  # new classes sort between the old ones
    early = y < known
    stream = one_pass(model).partial_fit(X[early], labels[early])
    assert stream.classes_.tolist() == sorted(["m", "k", "z"][:known])
    assert set(stream.predict(X)) <= set(stream.classes_)
    stream.partial_fit(X[early], labels[early], classes=["a", "q"])
    assert {"a", "q"} <= set(stream.classes_)
    for _ in range(5):
        stream.partial_fit(X, labels)
    assert stream.classes_.tolist() == ["a", "k", "m", "q", "z"]
    assert stream.W_.shape == (6, 5)
    assert stream.score(X, labels) > 0.8


@pytest.mark.parametrize("model", LEARNERS, ids=repr)
def test_classes_that_appear_equal_classes_announced(model: Any) -> None:
    """Nothing was learned against a class before it appeared; from three classes on the rest is the same."""
    X, y = blobs(K=4)
    X[y == 3] += 100
    early = y < 3
    announced = copy_of(model, shuffle=False).partial_fit(X[early], y[early], classes=range(3))
    appeared = pickle.loads(pickle.dumps(announced)).partial_fit(X[~early], y[~early])
    announced.partial_fit(X[early][:1], y[early][:1], classes=[3], sample_weight=[1e-300])
    announced.partial_fit(X[~early], y[~early])
    np.testing.assert_allclose(appeared.W_, announced.W_, atol=1e-6)


def test_growing_from_two_classes_keeps_the_margins() -> None:
    X, y = blobs(K=2)
    stream = Mira(average=False, dtype="float64").partial_fit(X, y)
    margin = stream.decision_function(X)
    stream.partial_fit(np.zeros((1, 6)), [0], classes=[0, 1, 2], sample_weight=[1e-12])
    scores = stream.decision_function(X)
    np.testing.assert_allclose(scores[:, 1] - scores[:, 0], margin, atol=1e-9)


def test_narrower_rows_and_other_names_are_refused() -> None:
    pd = pytest.importorskip("pandas")
    X, y = blobs()
    with pytest.raises(ValueError, match="X has 5 features, but Perceptron is expecting 6"):
        Perceptron().partial_fit(X, y).partial_fit(X[:, :5], y)
    names = list("abcdef")
    stream = Perceptron().partial_fit(pd.DataFrame(X[:, :4], columns=names[:4]), y)
    stream.partial_fit(pd.DataFrame(X, columns=names), y)
    assert stream.feature_names_in_.tolist() == names
    with pytest.raises(ValueError, match="New columns must follow the known ones"):
        stream.partial_fit(pd.DataFrame(np.hstack((X, X[:, :1])), columns=["x", *names]), y)


def test_an_interrupted_batch_leaves_the_model_as_it_was() -> None:
    X, y = blobs()

    def interrupt(epoch: Any) -> None:
        raise KeyboardInterrupt

    stream = Perceptron().partial_fit(X, y)
    before = stream.decision_function(X)
    with pytest.raises(KeyboardInterrupt):
        stream.set_params(callback=interrupt).partial_fit(np.hstack((X, X)), y)
    np.testing.assert_array_equal(stream.decision_function(X), before)
    stream.set_params(callback=None).partial_fit(np.hstack((X, X)), y)
    assert stream.W_.shape == (12, 3)


def test_streams_of_the_convex_learners() -> None:
    X, y = blobs(n=400)
    assert not hasattr(SVM(), "partial_fit")
    with pytest.raises(AttributeError, match="partial_fit needs one of the solvers"):
        SVM(solver="dual").partial_fit  # noqa: B018
    with pytest.raises(ValueError, match="needs the penalty as lam, not C"):
        MaxEnt(solver="sgd").partial_fit(X, y)
    model = SVM(loss="hinge", lam=1e-3, solver="pegasos", solver_options={"epochs": 5}).fit(X, y)
    assert model.t_ == 2000
    accuracy = model.score(X, y)
    params, arrays = model.to_state()
    loaded = SVM.from_state(params, arrays, model.classes_)
    assert loaded.t_ == 2000
    model.partial_fit(X[:10], y[:10])  # steps of 1/(λt) go on from t = 2000: little changes
    assert model.t_ == 2010
    assert model.certificate_ is None
    assert model.solver_ == "pegasos"
    assert model.score(X, y) > accuracy - 0.1
    np.testing.assert_array_equal(loaded.partial_fit(X[:10], y[:10]).W_, model.W_)
    dual = SVM(loss="hinge", lam=1e-3).fit(X, y).set_params(solver="sgd")
    assert hasattr(dual, "support_")
    assert not hasattr(dual.partial_fit(X, y), "support_")
    traced = MaxEnt(lam=1e-3, solver="sgd", solver_options={"epochs": 1, "trace": 100, "callback": print})
    assert len(traced.fit(X, y).trace_) == 4
    assert "callback" not in traced.to_state()[0]["solver_options"]


def test_a_stream_after_fit_counts_the_fit_in_the_average() -> None:
    X, y = blobs(noise=3.0)
    fitted = Perceptron(epochs=10, dtype="float64").fit(X, y)
    W, t = fitted.W_.copy(), fitted.t_
    fitted.partial_fit(X[:1], y[:1])
    assert fitted.t_ == t + 1
    np.testing.assert_allclose(fitted.W_, W, atol=np.abs(X).max() / t * 2)
