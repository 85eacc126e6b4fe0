"""MIRA against its textbook twin and against a general quadratic solver."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.linear.online_helpers import all_labels, seeds, visits, with_ones
from tests.oracles import linear_constraints
from tests.strategies import Labelled, measurements

from lindy import Mira
from lindy.textbook import mira as textbook

data_sets = measurements(max_rows=12, max_columns=6, max_classes=6).filter(all_labels)
caps = st.sampled_from([1.0, 0.05, np.inf])
variants = st.sampled_from(["PA", "PA-I", "PA-II"])
constraint_sets = st.sampled_from(["predicted", "max-loss", "all"])


@settings(max_examples=150)
@given(data_sets, seeds, variants, constraint_sets, caps, st.booleans())
def test_same_weights_as_the_textbook(
    data: Labelled, seed: int, variant: str, constraints: str, C: float, costly: bool
) -> None:
    compare(*data, seed, C, costly, {"variant": variant, "constraints": constraints})


@settings(max_examples=100)
@given(st.integers(2, 7), st.integers(1, 8), st.integers(0, 10_000), variants, caps, st.booleans())
def test_k_best_is_that_of_the_textbook(
    K: int, k: int, seed: int, variant: str, C: float, costly: bool
) -> None:
    """Real numbers: which of two tied labels is among the best would hang on the last bit."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(12, 4)), np.append(np.arange(K), rng.integers(0, K, 12 - K))
    compare(X, y, seed, C, costly, {"variant": variant, "constraints": "k-best", "k": k})


def compare(X: Any, y: Any, seed: int, C: float, costly: bool, how: dict[str, Any]) -> None:
    """Compare a model with the textbook's, which visits the same rows."""
    K = int(y.max()) + 1
    rho = 1.0 - np.eye(K)
    if costly:
        rho *= np.random.default_rng(seed).uniform(0, 3, (K, K))
    model = Mira(C=C, cost=rho, epochs=3, random_state=seed, dtype="float64", **how).fit(X, y)
    order = visits(model, X, y)
    if K == 2:
        _, mean = textbook.binary_mira(with_ones(X), y, rho, order, C, **how)
        mean = mean[:, None]
    else:
        _, mean = textbook.mira(with_ones(X), y, rho, order, C, **how)
    np.testing.assert_allclose(model.W_, mean[:-1], atol=1e-7, rtol=1e-7)
    np.testing.assert_allclose(model.b_, mean[-1], atol=1e-7, rtol=1e-7)


def smallest_change(W: Any, x: Any, y: int, rho: Any, *, C: float, variant: str) -> Any:
    """Solve min ½‖V − W‖² + C·ξ (PA-II: C·ξ²) s.t. xᵀV_y ≥ xᵀV_k + ρ(k,y) − ξ for all k ≠ y, by interior points."""
    F, K = W.shape
    size = F * K + 1
    quadratic = np.ones(size)
    quadratic[-1] = 2 * C if variant == "PA-II" else 0.0
    linear = np.append(-W.ravel(), C if variant == "PA-I" else 0.0)
    rows, bounds = [], []
    for k in range(K):
        if k == y:
            continue
        row = np.zeros((F, K))
        row[:, y] -= x
        row[:, k] += x
        rows.append(np.append(row.ravel(), 0.0 if variant == "PA" else -1.0))
        bounds.append(-rho[k, y])
    rows.append(np.append(np.zeros(F * K), -1.0))
    bounds.append(0.0)
    x, _ = linear_constraints(scipy.sparse.diags(quadratic), linear, np.array(rows), bounds)
    return x[:-1].reshape(F, K)


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
@pytest.mark.parametrize("C", [0.02, 1.0])
@pytest.mark.parametrize("seed", range(6))
def test_all_constraints_solve_the_quadratic_problem(variant: str, C: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    K, F = 5, 4
    rho = rng.uniform(0.5, 2, (K, K)) * (1 - np.eye(K))
    model = Mira(
        C=C, variant=variant, constraints="all", cost=rho, average=False, fit_intercept=False, dtype="float64"
    )
    labels = np.arange(K)
    for _ in range(4):
        x, y = rng.normal(size=(1, F)), int(rng.integers(K))
        before = model.W_.copy() if hasattr(model, "W_") else np.zeros((F, K))
        model.partial_fit(x, [y], classes=labels)
        np.testing.assert_allclose(
            model.W_,
            smallest_change(before, x[0], y, rho, C=C, variant=variant),
            atol=1e-6,
            err_msg=f"{variant} {C}",
        )


def test_a_capped_step_is_amatos() -> None:
    """τ = min(C, ((w_y' − w_y)·f + 1) / 2f·f)."""
    x = np.array([[3.0, 4.0]])
    for C, tau in [(10.0, 1 / 50), (0.001, 0.001)]:
        model = Mira(C=C, average=False, fit_intercept=False, dtype="float64")
        model.partial_fit(x, ["b"], classes=["a", "b", "c"])  # a tie, so "a" is predicted
        np.testing.assert_allclose(model.W_, np.outer(x[0], [-tau, tau, 0]), atol=1e-15)


def test_the_cap_of_two_classes_is_amatos() -> None:
    """f = (1, 2), w = 0: both vectors move by τ = min(C, 1/10)·f, so that the right one leads by 2τ·f·f."""
    x = np.array([[1.0, 2.0]])
    for C, lead in [(0.05, 0.5), (0.1, 1.0), (np.inf, 1.0)]:
        model = Mira(C=C, average=False, fit_intercept=False, dtype="float64")
        model.partial_fit(x, [1], classes=[0, 1])
        np.testing.assert_allclose(model.decision_function(x), [lead], atol=1e-12)


@pytest.mark.parametrize("variant", ["PA", "PA-I", "PA-II"])
@pytest.mark.parametrize("constraints", ["max-loss", "all"])
def test_two_classes_are_two_weight_vectors(variant: str, constraints: str) -> None:
    """The one column is the difference of the two vectors that the form for many classes learns."""
    rng = np.random.default_rng(4)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 2, 40)
    how = {"variant": variant, "constraints": constraints, "epochs": 2, "shuffle": False, "dtype": "float64"}
    two = Mira(C=0.1, **how).fit(X, y)
    order = np.tile(np.arange(40), 2)
    same = {"variant": variant, "constraints": constraints}
    _, mean = textbook.mira(with_ones(X), y, 1 - np.eye(2), order, 0.1, **same)
    np.testing.assert_allclose(np.append(two.W_[:, 0], two.b_), mean[:, 1] - mean[:, 0], atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_k_best_lies_between_predicted_and_all(n_classes: int) -> None:
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(80, 4)), rng.integers(0, n_classes, 80)

    def weights(**options: Any) -> Any:
        return Mira(C=0.3, dtype="float64", **options).fit(X, y).W_

    np.testing.assert_allclose(
        weights(constraints="k-best", k=1), weights(constraints="predicted"), atol=1e-12
    )
    np.testing.assert_allclose(
        weights(constraints="k-best", k=n_classes), weights(constraints="all"), atol=1e-12
    )
    if n_classes > 3:
        some = weights(constraints="k-best", k=3)
        assert np.abs(some - weights(constraints="all")).max() > 1e-3
        assert np.abs(some - weights(constraints="predicted")).max() > 1e-3


@pytest.mark.parametrize("K", [2, 3])
def test_lam_is_the_inverse_of_the_cap(K: int) -> None:
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(30, 3)), rng.integers(0, K, 30)
    np.testing.assert_array_equal(Mira(lam=4.0).fit(X, y).W_, Mira(C=0.25).fit(X, y).W_)


def test_pa_corrects_every_example_it_just_met() -> None:
    rng = np.random.default_rng(2)
    model = Mira(variant="PA", constraints="all", average=False, dtype="float64")
    for _ in range(30):
        x, y = rng.normal(size=(1, 5)), int(rng.integers(4))
        model.partial_fit(x, [y], classes=range(4))
        scores = model.decision_function(x)[0]
        assert scores[y] >= np.delete(scores, y).max() + 1 - 1e-9


def test_costs_by_name() -> None:
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(40, 3)), rng.integers(0, 4, 40)
    distance = np.abs(np.subtract.outer(np.arange(4), np.arange(4)))
    np.testing.assert_array_equal(Mira(cost="distance").fit(X, y).W_, Mira(cost=distance).fit(X, y).W_)
    np.testing.assert_array_equal(Mira(cost="zero-one").fit(X, y).W_, Mira().fit(X, y).W_)


def test_wrong_options_are_named() -> None:
    for options, message in [
        ({"variant": "PA-III"}, "variant must be one of"),
        ({"constraints": "some"}, "constraints must be one of"),
        ({"C": 0.0}, "C must be positive"),
        ({"C": np.nan}, "C must be positive"),
        ({"k": 0}, "k must be a whole number"),
        ({"lam": -1.0}, "lam must be a finite number above 0"),
        ({"cost": "quadratic"}, "cost must be"),
        ({"cost": object()}, "cost must be an array of numbers"),
        ({"average": "after"}, "average must be True, False or 'before'"),
        ({"cost": np.ones((2, 2))}, "0 on the diagonal"),
        ({"cost": np.zeros((3, 3))}, "classes × classes"),
    ]:
        with pytest.raises(ValueError, match=message):
            Mira(**options).fit([[1.0], [2.0]], [0, 1])
