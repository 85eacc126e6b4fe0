"""The algorithms as the lectures print them, with one weight vector per class and plain loops, against ours.

f(x, y) is x in the block of class y, so that w·f(x, y) = w_y·x. Two classes are two vectors here, and their difference
w₁ − w₀ is our one column.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from lindy import SVM, MaxEnt, Mira, Perceptron

Array = NDArray[np.float64]
ORDERED: dict[str, Any] = {"shuffle": False, "dtype": "float64"}
ROUNDS = 4
CLASSES = pytest.mark.parametrize("K", [2, 3])
LAMBDAS = pytest.mark.parametrize("lam", [0.05, 1.0, 20.0])


def examples(K: int) -> tuple[Array, NDArray[np.int64]]:
    """Return overlapping classes, of which no score is ever exactly tied after the first example."""
    rng = np.random.default_rng(K)
    y = rng.integers(K, size=40)
    y[:K] = np.arange(K)
    y[0] = 0 if K == 2 else 1  # where all scores are 0 our two classes answer 1 and our three 0: a mistake
    return rng.normal(size=(K, 5))[y] + rng.normal(size=(40, 5)), y


def predicted(w: Array, x: Array) -> int:
    """Return argmax_y w·f(x, y); a tie goes to the class to which ours goes, on which the lectures are silent."""
    scores = w @ x
    best = np.flatnonzero(scores == scores.max())
    return int(best[-1] if len(w) == 2 else best[0])


def ours(w: Array) -> Array:
    """Return the lecture's vectors in the form of ``W_``."""
    return (w[1] - w[0])[:, None] if len(w) == 2 else w.T


def online(
    X: Array, y: NDArray[np.int64], K: int, step: Callable[[Array, Array, int], Array]
) -> tuple[Array, ...]:
    """Return 1/t·Σ w^i before the steps (the lectures' output), the same after them, and the last w."""
    w = np.zeros((K, X.shape[1]))
    before, after, t = np.zeros_like(w), np.zeros_like(w), 0
    for _ in range(ROUNDS):
        for m in range(len(X)):
            t = t + 1
            before += w
            w = w + step(w, X[m], int(y[m]))
            after += w
    return before / t, after / t, w


def difference(K: int, x: Array, up: int, down: int) -> Array:
    """Return f(x, up) − f(x, down)."""
    f = np.zeros((K, len(x)))
    f[up] += x
    f[down] -= x
    return f


@CLASSES
def test_algorithm_2(K: int) -> None:
    X, y = examples(K)

    def step(w: Array, x: Array, true: int) -> Array:
        return difference(K, x, true, predicted(w, x))

    before, after, last = online(X, y, K, step)
    scale = 0.5 if K == 2 else 1.0  # w₁ and w₀ move by x each, our column by x: the same decisions
    for average, w in (("before", before), (True, after), (False, last)):
        model = Perceptron(average=average, epochs=ROUNDS, fit_intercept=False, **ORDERED).fit(X, y)
        np.testing.assert_allclose(model.W_, scale * ours(w), atol=1e-12, err_msg=str(average))


@CLASSES
@LAMBDAS
@pytest.mark.parametrize("variant", ["PA-I", "PA-II"])
def test_algorithm_3(K: int, lam: float, variant: str) -> None:
    X, y = examples(K)

    def step(w: Array, x: Array, true: int) -> Array:
        y_hat = predicted(w, x)
        if y_hat == true:
            return np.zeros_like(w)
        f = difference(K, x, true, y_hat)
        loss = w[y_hat] @ x - w[true] @ x + 1
        eta = min(1 / lam, loss / (f * f).sum()) if variant == "PA-I" else loss / ((f * f).sum() + lam / 2)
        return eta * f

    before, after, last = online(X, y, K, step)
    options = ORDERED | {
        "constraints": "predicted",
        "variant": variant,
        "epochs": ROUNDS,
        "fit_intercept": False,
    }
    for average, w in (("before", before), (True, after), (False, last)):
        model = Mira(lam=lam, average=average, **options).fit(X, y)
        np.testing.assert_allclose(model.W_, ours(w), atol=1e-12, err_msg=str(average))


def expected_minus_observed(w: Array, x: Array, true: int) -> Array:
    p = np.exp(w @ x - (w @ x).max())
    return np.outer(p / p.sum() - np.eye(len(w))[true], x)


def cost_augmented_minus_observed(w: Array, x: Array, true: int) -> Array:
    augmented = w @ x + (np.arange(len(w)) != true)
    return difference(len(w), x, int(augmented.argmax()) if augmented.max() > augmented[true] else true, true)


@CLASSES
@LAMBDAS
def test_algorithm_4(K: int, lam: float) -> None:
    """F_λ(w) = mean loss + λ/2·‖w‖² over both vectors, by gradient descent with a step that suits its curvature."""
    X, y = examples(K)
    w = np.zeros((K, X.shape[1]))
    eta = 1 / (lam + 0.5 * np.linalg.norm(X, 2) ** 2 / len(X))
    for _ in range(20_000):
        g = sum(expected_minus_observed(w, X[m], y[m]) for m in range(len(X))) / len(X) + lam * w
        if np.abs(g).max() < 1e-9:
            break
        w -= eta * g
    for solver in ("auto", "lbfgs", "dual"):
        model = MaxEnt(lam=lam, solver=solver, fit_intercept=False, tol=1e-10).fit(X, y)
        np.testing.assert_allclose(model.W_, ours(w), atol=1e-4, err_msg=solver)


@CLASSES
@pytest.mark.parametrize("lam", [0.1, 0.5])
@pytest.mark.parametrize("schedule", ["power", "pegasos"])
@pytest.mark.parametrize("learner", ["MaxEnt", "SVM"])
def test_algorithms_5_and_6(K: int, lam: float, schedule: str, learner: str) -> None:
    X, y = examples(K)
    gradient = expected_minus_observed if learner == "MaxEnt" else cost_augmented_minus_observed
    w, t, eta0 = np.zeros((K, X.shape[1])), 0, 0.2
    for _ in range(ROUNDS):
        for m in range(len(X)):
            t = t + 1
            eta = eta0 / np.sqrt(t) if schedule == "power" else 1 / (lam * t)
            w = (1 - lam * eta) * w - eta * gradient(w, X[m], y[m])
    options: dict[str, Any] = ORDERED | {"schedule": schedule, "epochs": ROUNDS}
    if schedule == "power":  # the difference of two vectors moves twice as far as each of them
        options["eta0"] = 2 * eta0 if K == 2 else eta0
    same: dict[str, Any] = {"lam": lam, "fit_intercept": False, "solver_options": options}
    model: Any = MaxEnt(solver="sgd", **same)
    if learner == "SVM":
        model = SVM(loss="multiclass_hinge", solver="subgradient", **same)
    np.testing.assert_allclose(model.fit(X, y).W_, ours(w), rtol=1e-9, atol=1e-9)


@CLASSES
@LAMBDAS
def test_primal_svm(K: int, lam: float) -> None:
    """No vectors near the certified optimum have a lower mean hinge loss + λ/2·‖w‖² (Eq. 1.35, with the mean)."""
    X, y = examples(K)

    def objective(w: Array) -> float:
        losses = [(w @ x + (np.arange(K) != k)).max() - w[k] @ x for x, k in zip(X, y, strict=True)]
        return float(np.mean(losses) + lam / 2 * (w * w).sum())

    model = SVM(loss="multiclass_hinge", lam=lam, fit_intercept=False, tol=1e-9).fit(X, y)
    w = np.vstack([-model.W_.T / 2, model.W_.T / 2]) if K == 2 else model.W_.T.astype(np.float64)
    assert objective(w) == pytest.approx(model.certificate_.objective, rel=1e-6)
    assert objective(w) == pytest.approx(model.objective(X, y), rel=1e-6)
    rng = np.random.default_rng(0)
    for size in (1e-3, 1e-2, 0.1, 1.0):
        for _ in range(50):
            other = w + size * rng.normal(size=w.shape)
            assert objective(other) > objective(w) * (1 - 1e-7)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_one_vector_for_two_classes(loss: str) -> None:
    """Johansson's SVM and logistic regression have one w for two classes; there lam = 1/(C·n) as for many."""
    X, y = examples(2)
    lam = 0.3
    same = {"fit_intercept": False, "tol": 1e-9}
    for model in (SVM(loss=loss, **same), MaxEnt(multiclass="one-vs-rest", **same)):
        by_lam = model.set_params(lam=lam).fit(X, y).W_
        by_C = model.set_params(lam=None, C=1 / (lam * len(y))).fit(X, y).W_
        np.testing.assert_allclose(by_lam, by_C, atol=1e-6)


@pytest.mark.parametrize(("K", "times"), [(2, 2.0), (3, 1.0)])
@pytest.mark.parametrize("learner", [MaxEnt(), SVM(loss="multiclass_hinge")], ids=["MaxEnt", "SVM"])
def test_lam_from_the_price_of_the_losses(learner: Any, K: int, times: float) -> None:
    X, y = examples(K)
    learner.set_params(tol=1e-9)
    by_C = learner.set_params(C=0.7, lam=None).fit(X, y).W_
    by_lam = learner.set_params(lam=times / (0.7 * len(y))).fit(X, y).W_
    np.testing.assert_allclose(by_lam, by_C, atol=1e-5)


@CLASSES
def test_an_l1_penalty_of_two_vectors_is_that_of_their_difference(K: int) -> None:
    X, y = examples(K)
    model = MaxEnt(penalty="l1", lam=0.05, tol=1e-8).fit(X, y)
    same = MaxEnt(penalty="l1", C=1 / (0.05 * len(y)), tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.W_, same.W_, atol=1e-5)


def test_a_third_class_changes_no_penalty() -> None:
    """A stream's one column w becomes the two blocks ∓w/2, of the same λ: its step takes (1 − η·λ) of each."""
    X, y = examples(2)
    lam, eta = 0.5, 0.01
    options = ORDERED | {"schedule": "constant", "eta0": eta}
    model = MaxEnt(lam=lam, solver="sgd", fit_intercept=False, solver_options=options).partial_fit(X, y)
    w, nothing = model.W_.copy(), np.zeros((1, 5))  # an empty row moves the weights by their penalty alone
    np.testing.assert_allclose(model.partial_fit(nothing, [0]).W_, (1 - eta * lam / 2) * w, rtol=1e-12)
    w = model.W_.copy()
    blocks = np.hstack([-w / 2, w / 2, np.zeros_like(w)])
    np.testing.assert_allclose(model.partial_fit(nothing, [2]).W_, (1 - eta * lam) * blocks, rtol=1e-12)
