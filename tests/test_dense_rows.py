"""Dense rows: an array is its own storage, and what is computed from it is what sparse rows give."""

from __future__ import annotations

import pickle
import tracemalloc

import numpy as np
import pytest
import scipy.optimize
from hypothesis import given
from hypothesis import strategies as st

import lindy
from lindy import _native, baselines, bayes
from lindy.core.csr import Csr, as_csr, nonzero_rows
from lindy.core.dense_rows import Dense
from lindy.textbook.objectives import losses


def table(
    n: int = 60, d: int = 9, classes: int = 3, dtype: type = np.float64
) -> tuple[np.ndarray, np.ndarray]:
    """Return values without zeros around a centre per class, and the classes."""
    rng = np.random.default_rng(n + d)
    y = rng.integers(classes, size=n)
    return (rng.normal(size=(classes, d))[y] + rng.normal(size=(n, d))).astype(dtype), y


def sparse(X: np.ndarray) -> Csr:
    """Return the same values as sparse rows."""
    return as_csr(nonzero_rows(X))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_an_array_is_not_copied(dtype: type) -> None:
    X, _ = table(dtype=dtype)
    rows = as_csr(X)
    assert isinstance(rows, Dense)
    assert np.shares_memory(rows.values, X)
    assert rows.to_dense().dtype == dtype
    assert np.shares_memory(next(rows.blocks(100))[1].values, X)


def test_a_fit_takes_next_to_no_memory_beside_the_array() -> None:
    X, y = table(2000, 256, 2, dtype=np.float32)
    for learner in (lindy.MaxEnt(n_jobs=1), lindy.SVM(n_jobs=1)):
        tracemalloc.start()
        learner.fit(X, y)
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        assert peak < 0.3 * X.nbytes  # a factor of its columns, and some numbers of every row


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("K", [1, 2, 3, 4, 7, 8, 12, 13, 30])
@pytest.mark.parametrize("n", [1, 3, 70])
def test_products_are_those_of_sparse_rows_to_the_last_bit(dtype: type, K: int, n: int) -> None:
    rng = np.random.default_rng(K)
    X, _ = table(n, 21, dtype=dtype)
    W, R, b = rng.normal(size=(21, K)), rng.normal(size=(n, K)), rng.normal(size=K)
    for threads in (1, 2):
        made = []
        for rows in (as_csr(X), sparse(X)):
            products, S, G = _native.products(rows, K, threads), np.empty((n, K)), np.empty((21, K))
            products.scores(W, S)
            products.transposed(R, G)
            made.append((S, G, rows.dot(W, b, threads), rows.norms(), rows.gradient(R, threads)))
        for dense, other in zip(*made, strict=True):
            np.testing.assert_array_equal(dense, other)
        np.testing.assert_allclose(made[0][0], X.astype(float) @ W, atol=1e-9)
        np.testing.assert_allclose(made[0][1], X.astype(float).T @ R, atol=1e-9)


LEARNERS = [
    *(lindy.MaxEnt(multiclass=name) for name in ("multinomial", "one-vs-rest")),
    *(lindy.MaxEnt(solver=name) for name in ("dual", "lbfgs", "sgd")),
    lindy.MaxEnt(penalty="l1"),
    *(lindy.SVM(loss=name) for name in ("hinge", "squared_hinge", "multiclass_hinge")),
    lindy.NaiveBayesSVM(),
    lindy.Perceptron(),
    lindy.Mira(),
    bayes.GaussianNaiveBayes(),
    baselines.LeastSquares(),
    lindy.KernelSVM(),
    lindy.KernelPerceptron(),
]


@pytest.mark.parametrize("learner", LEARNERS, ids=repr)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_learners_learn_what_they_learn_from_sparse_rows(learner: lindy.MaxEnt, dtype: type) -> None:
    X, y = table(dtype=dtype)
    X = np.abs(X)
    fits = [type(learner)(**learner.get_params()).fit(rows, y) for rows in (X, sparse(X))]
    for rows in (X, sparse(X)):
        dense, other = (fit.decision_function(rows) for fit in fits)
        np.testing.assert_array_equal(dense, other)


def test_the_optimum_is_that_of_somebody_elses_solver() -> None:
    X, y = table(80, 6)
    X[::9] = 0.0  # rows of zeros, as of texts without a known word, and a constant column
    X[:, 2] = 1.5
    model = lindy.MaxEnt(C=2.0, tol=1e-8, penalize_intercept=True).fit(X, y)
    ones, l2 = np.column_stack([X, np.ones(len(X))]), 1 / (2.0 * len(X))

    def objective(w: np.ndarray) -> float:
        W = w.reshape(7, 3)
        return float(losses(ones @ W, y, "softmax").mean() + 0.5 * l2 * (w**2).sum())

    best = scipy.optimize.minimize(objective, np.zeros(21), method="BFGS", options={"gtol": 1e-6}).fun
    assert isinstance(as_csr(X, zeros=True), Dense)
    assert model.certificate_ is not None
    assert model.certificate_.objective == pytest.approx(best, rel=1e-6)


@given(st.integers(0, 10))
def test_arrays_that_are_mostly_zeros_are_kept_sparse(zeros: int) -> None:
    X = np.ones((2, 5))
    X.reshape(-1)[:zeros] = 0
    rows = as_csr(X, zeros=True)
    assert isinstance(rows, Dense) == (zeros <= 5)
    assert isinstance(as_csr(X), Dense) == (zeros == 0)
    np.testing.assert_array_equal(rows.to_dense(), X)


def test_rows_and_columns_are_taken_out() -> None:
    X, _ = table(20, 5)
    rows, chosen = as_csr(X), np.array([3, 0, 3])
    np.testing.assert_array_equal(rows.take(chosen).to_dense(), X[chosen])
    np.testing.assert_array_equal(rows.keep_columns(np.array([4, 1])).to_dense(), X[:, [4, 1]])
    np.testing.assert_array_equal(np.vstack([part.to_dense() for _, part in rows.blocks(12)]), X)
    np.testing.assert_array_equal(rows.to_scipy().toarray(), X)
    received = pickle.loads(pickle.dumps(rows))
    assert isinstance(received, Dense)
    np.testing.assert_array_equal(received.to_dense(), X)


@pytest.mark.parametrize("view", [lambda X: X[::2], lambda X: X[:, ::2], np.asfortranarray])
def test_views_that_do_not_lie_side_by_side_are_copied(view) -> None:  # type: ignore[no-untyped-def]
    X = view(table()[0])
    np.testing.assert_array_equal(as_csr(X).to_dense(), X)


def test_an_array_that_is_read_only_is_learned_from() -> None:
    X, y = table()
    X.flags.writeable = False
    assert lindy.MaxEnt().fit(X, y).score(X, y) > 0.5


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_values_that_are_no_numbers_are_named_with_row_and_column(bad: float) -> None:
    X, y = table()
    X[7, 4] = bad
    with pytest.raises(ValueError, match=r"\(row 7, column 4\)"):
        lindy.MaxEnt().fit(X, y)


@pytest.mark.parametrize("dtype", [np.float16, np.int8, np.uint64, bool, object])
def test_other_types_are_learned_from_as_float64(dtype: type) -> None:
    X, _ = table()
    X = np.where(X > 0, 1, 2).astype(dtype) if dtype is not bool else X > -9
    rows = as_csr(X)
    assert rows.values.dtype == np.float64
    np.testing.assert_array_equal(rows.to_dense(), X.astype(float))


def test_values_that_are_too_large_are_named_with_their_row() -> None:
    X, y = table()
    X[5] = 1e300
    with pytest.raises(ValueError, match="length of row 5 of X is too large"):
        lindy.MaxEnt().fit(X, y)


def test_another_number_of_columns_is_refused() -> None:
    X, y = table()
    model = lindy.MaxEnt().fit(X, y)
    with pytest.raises(ValueError, match="X has 8 features, but MaxEnt is expecting 9"):
        model.predict(X[:, :8])


def test_zeros_of_an_array_are_no_documents_to_what_counts_them() -> None:
    X = np.array([[1.0, 2.0], [3.0, 0.0], [1.0, 1.0]])
    for made in (lindy.text.TfidfTransformer(), bayes.BernoulliNaiveBayes()):
        dense, other = (type(made)().fit(rows, [0, 1, 1]) for rows in (X, sparse(X)))
        own, theirs = (
            (fit.transform(X).toarray() if hasattr(fit, "transform") else fit.predict_proba(X))
            for fit in (dense, other)
        )
        np.testing.assert_array_equal(own, theirs)
