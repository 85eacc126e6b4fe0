"""The steps that the stochastic solvers derive from the data: any fit with the defaults ends below W = 0."""

from __future__ import annotations

import re
import warnings
from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import SGDClassifier
from tests.hostile.tables import KINDS, labels_of, rows_of

from lindy import SVM, MaxEnt
from lindy.data import samples
from lindy.errors import ConvergenceWarning
from lindy.text import CountVectorizer, TfidfVectorizer

STOCHASTIC: dict[str, Any] = {
    "MaxEnt, sgd": MaxEnt(solver="sgd"),
    "MaxEnt, one-vs-rest": MaxEnt(solver="sgd", multiclass="one-vs-rest"),
    "SVM, sgd": SVM(solver="sgd"),
    "SVM, hinge": SVM(loss="hinge", solver="sgd"),
    "SVM, subgradient": SVM(loss="multiclass_hinge", solver="subgradient"),
}


MAY_BE_FAR = pytest.mark.filterwarnings("ignore:.*above the optimum:lindy.errors.ConvergenceWarning")


@MAY_BE_FAR
@settings(max_examples=40, deadline=None)
@given(
    st.sampled_from(KINDS),
    st.sampled_from(list(STOCHASTIC)),
    st.sampled_from([2, 2, 4]),
    st.sampled_from([0.0, 0.5, 1.0]),
    st.sampled_from([1e-6, 1e-4, 1e-2, 1.0, 10.0]),
    st.integers(0, 9),
)
def test_no_default_fit_ends_above_the_objective_of_no_weights(
    kind: str, name: str, K: int, signal: float, lam: float, seed: int
) -> None:
    rng = np.random.default_rng(seed)
    X = rows_of(kind, rng, 200)
    y = labels_of(X, K, signal, rng)
    model = STOCHASTIC[name].set_params(lam=lam).fit(X, y)
    reached = model.objective(X, y)
    model.W_, model.b_ = np.zeros_like(model.W_), np.zeros_like(model.b_)
    assert reached <= model.objective(X, y) * (1 + 1e-6)


@MAY_BE_FAR
@pytest.mark.parametrize("kind", ["counts", "tf-idf", "scaled"])
@pytest.mark.parametrize("lam", [0.01, 1.0])
@pytest.mark.parametrize("name", list(STOCHASTIC))
def test_near_the_optimum(kind: str, lam: float, name: str) -> None:
    """More than nine tenths of the way from W = 0 to the optimum, in 20 passes over 500 rows."""
    rng = np.random.default_rng(1)
    X = rows_of(kind, rng, 500)
    y = labels_of(X, 3, 0.7, rng)
    model = STOCHASTIC[name].set_params(lam=lam).fit(X, y)
    reached = model.objective(X, y)
    exact = type(model)(**model.get_params()).set_params(solver="auto", tol=1e-2).fit(X, y)
    model.W_, model.b_ = np.zeros_like(model.W_), np.zeros_like(model.b_)
    zero, best = model.objective(X, y), exact.objective(X, y)
    assert reached - best <= 0.1 * (zero - best)


@pytest.fixture(scope="module")
def reviews() -> tuple[Any, Any, Any, Any, Any]:
    train, test = samples.load("reviews-train"), samples.load("reviews-test")
    counts, tfidf = CountVectorizer(), TfidfVectorizer()
    return (
        counts.fit_transform(train.texts),
        tfidf.fit_transform(train.texts),
        np.array(train.labels.to_pylist()),
        counts.transform(test.texts),
        np.array(test.labels.to_pylist()),
    )


def test_exercises_1_6_and_1_7_as_printed(reviews: tuple[Any, Any, Any, Any, Any]) -> None:
    counts, tfidf, y, *_ = reviews
    for X in (counts, tfidf):
        by_sgd, by_lbfgs = MaxEnt(lam=1.0, solver="sgd").fit(X, y), MaxEnt(lam=1.0, solver="lbfgs").fit(X, y)
        assert by_lbfgs.objective(X, y) <= by_sgd.objective(X, y) * (1 + 1e-4)
        assert by_sgd.objective(X, y) <= by_lbfgs.objective(X, y) * 1.01
        steps = SVM(loss="multiclass_hinge", lam=1.0, solver="subgradient").fit(X, y)
        assert steps.objective(X, y) <= SVM(loss="multiclass_hinge", lam=1.0).fit(X, y).objective(X, y) * 1.01


@pytest.mark.parametrize("lam", [1e-4, 1e-2])
def test_no_worse_than_scikit_learns_steps(reviews: tuple[Any, Any, Any, Any, Any], lam: float) -> None:
    """The same objective after the same ten passes, on counts and on tf-idf."""
    counts, tfidf, y, *_ = reviews
    for X in (counts, tfidf):
        for ours, loss in (
            (SVM(loss="hinge", lam=lam, solver="sgd"), "hinge"),
            (MaxEnt(multiclass="one-vs-rest", lam=lam, solver="sgd"), "log_loss"),
        ):
            ours.set_params(solver_options={"epochs": 10}).fit(X, y)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                theirs = SGDClassifier(loss=loss, alpha=lam, max_iter=10, tol=None, random_state=0).fit(X, y)
            reached = ours.objective(X, y)
            ours.W_, ours.b_ = theirs.coef_.T.copy(), theirs.intercept_.copy()
            assert reached <= ours.objective(X, y) * 1.02


@pytest.mark.parametrize(
    "learner", [MaxEnt(), SVM(), SVM(loss="hinge")], ids=["log", "squared hinge", "hinge"]
)
def test_a_default_fit_is_near_the_optimum_or_says_how_far_it_is(
    reviews: tuple[Any, Any, Any, Any, Any], learner: Any
) -> None:
    counts, tfidf, y, *_ = reviews
    told = 0
    for X in (counts, tfidf):
        for lam in (1.0, 0.1, 0.01, 1e-3, 1e-4):
            learner.set_params(lam=lam, solver="auto")
            best = learner.fit(X, y).objective(X, y)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                learner.set_params(solver="sgd").fit(X, y)
            above = learner.objective(X, y) / best - 1
            if not caught:
                assert above <= 0.05
                continue
            told += 1
            assert issubclass(caught[0].category, ConvergenceWarning)
            said = re.search(r"up to (\d+)% above the optimum.*Take solver='auto'", str(caught[0].message))
            assert said is not None
            assert above - 0.005 <= int(said[1]) / 100 <= 1.1 * above + 0.05
    assert 0 < told < 10


def test_who_gives_steps_or_epochs_is_not_told(reviews: tuple[Any, Any, Any, Any, Any]) -> None:
    counts, _, y, *_ = reviews
    for options in ({"epochs": 2}, {"eta0": 1e-3}, {"callback": lambda _epoch: True}):
        MaxEnt(lam=1e-4, solver="sgd", solver_options=options).fit(counts, y)


def test_one_long_row_does_not_shorten_the_steps(reviews: tuple[Any, Any, Any, Any, Any]) -> None:
    """Forty texts in one: a row far longer than the others, by which the first steps are measured."""
    counts, _, y, *_ = reviews
    X, labels = scipy.sparse.vstack([counts, counts[:40].sum(axis=0)], format="csr"), np.append(y, y[0])
    model = MaxEnt(lam=0.1, solver="sgd").fit(X, labels)
    assert model.objective(X, labels) <= 1.02 * MaxEnt(lam=0.1).fit(X, labels).objective(X, labels)


@MAY_BE_FAR
def test_ordinary_counts_are_not_refused() -> None:
    rng = np.random.default_rng(0)
    X = rows_of("counts", rng, 300)
    y = labels_of(X, 2, 1.0, rng)
    for model in STOCHASTIC.values():
        assert model.set_params(lam=None, C=1.0).fit(X, y).score(X, y) > 0.8


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        ({"solver": "sgd", "solver_options": {"eta0": 1.0}}, "Leave out eta0 and schedule"),
        (
            {"solver": "sgd", "solver_options": {"eta0": 1.0, "schedule": "constant"}},
            "or take a smaller eta0",
        ),
        ({"solver": "subgradient", "solver_options": {"eta0": 3.0}}, "or scale the features"),
        ({"solver": "pegasos"}, "Take solver='sgd' without a schedule"),
    ],
)
def test_steps_that_diverge_end_in_a_warning(options: dict[str, Any], remedy: str) -> None:
    rng = np.random.default_rng(0)
    X = rows_of("counts", rng, 100)
    y = labels_of(X, 2, 0.0, rng)
    with pytest.warns(ConvergenceWarning, match=f"above the 1 of all weights 0.*{remedy}"):
        SVM(loss="hinge", lam=1e-4, **options).fit(X, y)


def test_steps_do_not_depend_on_the_order_nor_on_how_rows_are_repeated() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(40, 5)) * 7
    y = labels_of(X, 3, 0.5, rng)
    times = rng.integers(1, 4, 40)
    model = MaxEnt(lam=0.1, solver="sgd")
    weighted = model.fit(X, y, sample_weight=times).W_.copy()
    order = rng.permutation(times.sum())
    repeated = model.fit(np.repeat(X, times, axis=0)[order], np.repeat(y, times)[order]).W_
    np.testing.assert_array_equal(weighted, repeated)


@pytest.mark.parametrize("solver", ["sgd", "subgradient"])
def test_streams_of_counts_stay_stable(solver: str) -> None:
    rng = np.random.default_rng(0)
    X = rows_of("counts", rng, 2000)
    y = labels_of(X, 2, 1.0, rng)
    model = SVM(loss="hinge", lam=1e-4, solver=solver)
    for begin in range(0, 1900, 100):
        model.partial_fit(X[begin : begin + 100], y[begin : begin + 100], classes=[0, 1])
    assert model.score(X[1900:], y[1900:]) > 0.8


@pytest.mark.parametrize("X", [np.zeros((6, 3)), scipy.sparse.csr_matrix((6, 3))])
def test_empty_rows_teach_only_the_bias(X: Any) -> None:
    for model in STOCHASTIC.values():
        fitted = model.set_params(lam=0.1).fit(X, [0, 0, 0, 0, 1, 1])
        assert not fitted.W_.any()
        assert (fitted.predict(X) == 0).all()
