"""Old weights as a prior: the definition minimised by SciPy, and what must not move."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.losses import LOSSES, loss_values
from lindy.linear.objective import Objective
from lindy.linear.prior import Earlier, data_curvature, solve_from, spread_outputs
from lindy.linear.problem import Options, Problem

SMOOTH = [name for name, loss in LOSSES.items() if loss.smooth and "dual" in loss.capabilities]


def problem_of(loss: str, n_classes: int, seed: int = 0, *, bias: bool = True) -> tuple[Problem, Earlier]:
    """Return random further rows, and earlier weights over columns of which the last three are new."""
    rng = np.random.default_rng(seed)
    X = as_csr(scipy.sparse.random(30, 12, 0.4, "csr", dtype=np.float64, random_state=seed))
    y = rng.integers(0, n_classes, 30).astype(np.int32)
    outputs = 1 if n_classes == 2 else n_classes
    W = rng.normal(0, 1, (12, outputs))
    W[9:] = 0
    documents = np.append(rng.integers(1, 50, 9), [0, 0, 0]).astype(float)
    weight = rng.integers(1, 4, 30).astype(float)
    b = rng.normal(0, 1, outputs) if bias else np.zeros(outputs)
    problem = Problem(
        X, OneLabel(np.arange(n_classes), y), loss, l2=1 / (2.0 * weight.sum()), weight=weight, bias=bias
    )
    return problem, Earlier(W, b, documents, 60.0)


@pytest.mark.parametrize("kept", [1.0, 0.3])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", SMOOTH)
def test_the_answer_is_the_minimum_of_the_definition(
    loss: str, n_classes: int, bias: bool, kept: float
) -> None:
    problem, earlier = problem_of(loss, n_classes, bias=bias)
    earlier = replace(earlier, kept=kept)
    assert problem.weight is not None
    price = 1 / (problem.l2 * problem.weight.sum())
    d = data_curvature(Objective(replace(problem, bias=False)), earlier)
    p = 1 + kept * d
    centre = np.vstack([earlier.W, earlier.b]) * (kept * (1 + d) / p)[:, None]
    X = problem.X.to_dense()

    def definition(flat: np.ndarray) -> float:
        weights = flat.reshape(centre.shape)
        b = weights[-1] if bias else np.zeros(centre.shape[1])
        losses = loss_values(loss, X @ weights[:-1] + b, problem.y.codes)
        far = (p[:, None] * np.square(weights - centre))[: len(p) if bias else -1].sum()
        return float(price * (problem.weight * losses).sum() + 0.5 * far)

    found = solve_from(problem, Options(tol=1e-9), earlier)
    ours = definition(np.vstack([found.W, found.b]).ravel())
    best = scipy.optimize.minimize(
        definition,
        np.zeros(centre.size),
        method="L-BFGS-B",
        options={"maxiter": 5000, "ftol": 1e-14, "gtol": 1e-9},
    )
    assert found.certificate is not None
    assert found.certificate.reached
    scale = problem.weight.sum() * price  # the certificate is of the mean
    assert ours == pytest.approx(found.certificate.objective * scale, rel=1e-6)
    assert ours <= best.fun + 1e-6 * abs(best.fun)
    assert best.fun >= ours - found.certificate.gap * scale - 1e-9 * abs(ours)


@pytest.mark.parametrize("loss", SMOOTH)
def test_the_curvature_is_that_of_the_losses(loss: str) -> None:
    problem, earlier = problem_of(loss, 2)
    assert problem.weight is not None
    d = data_curvature(Objective(replace(problem, bias=False)), earlier)
    scores, step = problem.X.to_dense() @ earlier.W + earlier.b, 1e-4
    mean = [
        np.average(loss_values(loss, scores + s, problem.y.codes), weights=problem.weight)
        for s in (-step, 0, step)
    ]
    h = (mean[0] - 2 * mean[1] + mean[2]) / step**2
    assert d[-1] == pytest.approx(2.0 * h * earlier.n_rows, rel=1e-2)
    held = problem.X.to_dense()[:, 0]
    square = np.square(held[held != 0]).mean()
    assert d[0] == pytest.approx(2.0 * h * square * earlier.documents[0], rel=1e-2)
    assert (d[9:-1] == 0).all()


def test_a_column_that_no_further_row_holds_stays() -> None:
    problem, earlier = problem_of("log", 3)
    dense = problem.X.to_dense()
    dense[:, 4] = 0
    found = solve_from(replace(problem, X=as_csr(dense)), Options(), earlier)
    np.testing.assert_array_equal(found.W[4], earlier.W[4])


def test_two_classes_become_three() -> None:
    w = np.array([[2.0], [-1.0]])
    known, classes = np.array(["a", "c"]), np.array(["a", "b", "c"])
    np.testing.assert_array_equal(spread_outputs(w, known, classes, joint=True), [[-1, 0, 1], [0.5, 0, -0.5]])
    np.testing.assert_array_equal(spread_outputs(w, known, classes, joint=False), [[-2, 0, 2], [1, 0, -1]])
    wide = np.array([[1.0, 2.0, 3.0]])
    np.testing.assert_array_equal(
        spread_outputs(wide, classes, np.array(["a", "aa", "b", "c"]), joint=True), [[1, 0, 2, 3]]
    )
