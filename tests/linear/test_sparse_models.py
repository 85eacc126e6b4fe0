"""Models with few weights: kept and saved as sparse matrices, predicting the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.linear.test_weight_selection import Ridge, counts

from lindy import SVM, MaxEnt


def few_weights(n_classes: int, features: int = 50, kept: int = 5) -> tuple[Any, Any]:
    rng = np.random.default_rng(n_classes)
    X = scipy.sparse.random(80, features, 0.3, format="csr", rng=rng)
    y = rng.integers(0, n_classes, 80)
    model = Ridge().fit(X, y)
    model.W_[rng.permutation(features)[kept:]] = 0.0
    return model, X


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_sparse_model_predicts_the_same(n_classes: int) -> None:
    model, X = few_weights(n_classes)
    W, scores = model.W_.copy(), model.decision_function(X)
    assert model.sparsify() is model
    assert scipy.sparse.issparse(model.coef_)
    np.testing.assert_array_equal(model.W_, W)
    np.testing.assert_allclose(model.decision_function(X), scores, atol=1e-14)
    np.testing.assert_array_equal(model.coef_.toarray(), W.T)
    np.testing.assert_array_equal(model.densify().W_, W)
    np.testing.assert_array_equal(model.decision_function(X), scores)


def test_a_model_that_would_grow_stays_dense_unless_asked() -> None:
    X, y = counts(n_classes=3)
    model = MaxEnt(penalty="elasticnet", l1_ratio=0.01, C=100.0).fit(X, y)
    assert np.count_nonzero(model.W_) > model.W_.size / 2
    assert "W" in model.to_state()[1]
    assert "W" not in model.sparsify().to_state()[1]
    assert scipy.sparse.issparse(model.coef_)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_a_sparse_model_comes_back_from_its_state(n_classes: int) -> None:
    model, X = few_weights(n_classes)
    parameters, arrays = model.sparsify().to_state()
    assert sum(array.nbytes for array in arrays.values()) < 50 * model.W_.shape[1] * 8
    again = Ridge.from_state(parameters, arrays, model.classes_)
    np.testing.assert_array_equal(again.decision_function(X), model.decision_function(X))
    assert again.to_state()[1].keys() == arrays.keys()
    assert again.n_features_in_ == 50


def test_a_model_without_any_weight() -> None:
    model, X = few_weights(3, kept=0)
    parameters, arrays = model.sparsify().to_state()
    again = Ridge.from_state(parameters, arrays, model.classes_)
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_malformed_states_are_refused_or_harmless(data: st.DataObject) -> None:
    model, X = few_weights(3)
    parameters, arrays = model.sparsify().to_state()
    arrays = {name: array.copy() for name, array in arrays.items()}
    name = data.draw(st.sampled_from(["W_features", "W_starts", "W_rows"]))
    at = data.draw(st.integers(0, len(arrays[name]) - 1))
    arrays[name][at] = data.draw(st.integers(-(2**31), 2**31 - 1) | st.integers(-2, 60))
    try:
        again = Ridge.from_state(parameters, arrays, model.classes_)
    except ValueError:
        return
    if again.n_features_in_ == X.shape[1]:
        assert np.isfinite(again.decision_function(X)).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("model", [MaxEnt(penalty="l1", C=0.1), SVM(penalty="elasticnet", C=0.01)], ids=repr)
def test_learners_with_an_l1_penalty_keep_their_weights_sparse(model: Any, n_classes: int) -> None:
    X, y = counts(n_classes=n_classes)
    wide = scipy.sparse.hstack([X, scipy.sparse.csr_matrix((len(y), 500))]).tocsr()
    fitted = type(model)(**model.get_params()).fit(wide, y)
    W = fitted.W_
    assert isinstance(fitted.coef_, np.ndarray)
    assert 0 < np.count_nonzero(W) < W.size / 10
    scores = np.atleast_2d(fitted.decision_function(wide).T).T
    np.testing.assert_allclose(scores, wide @ W + fitted.b_, atol=1e-12)
    parameters, arrays = fitted.to_state()
    assert "W" not in arrays
    assert sum(array.nbytes for array in arrays.values()) < W.nbytes / 2
    again = type(model).from_state(parameters, arrays, fitted.classes_)
    np.testing.assert_array_equal(again.decision_function(wide), fitted.decision_function(wide))
    np.testing.assert_array_equal(again.coef_, fitted.coef_)


def test_an_unfitted_model_has_no_weights() -> None:
    assert not hasattr(MaxEnt(), "W_")
    assert not hasattr(MaxEnt(), "coef_")
