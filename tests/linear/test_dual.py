"""Dual coordinate ascent: the optimum, its certificate, and the conditions that define it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_digits
from tests.instruction_sets import printed_at_every_level
from tests.linear.cone_oracle import optimum
from tests.linear.smooth_problems import BIASES, random_problem
from tests.strategies import measurements, sparse_with_zeros

from lindy import MaxEnt, _native
from lindy.core.csr import as_csr
from lindy.core.targets import OneLabel
from lindy.linear.losses import LOSSES as ALL_LOSSES
from lindy.linear.losses import loss_values
from lindy.linear.optimizers.dual import solve
from lindy.linear.problem import Options, Problem, Scales, Solution

LOSSES = [name for name, loss in ALL_LOSSES.items() if "dual" in loss.capabilities]


def objective(problem: Problem, solution: Solution) -> float:
    W, b = solution.W.astype(float), solution.b.astype(float)
    losses = loss_values(problem.loss, problem.X.dot(W, b), problem.y.codes, problem.cost)
    penalised = W if not problem.penalize_bias else np.vstack([W, b])
    return float(np.average(losses, weights=problem.weight) + 0.5 * problem.l2 * np.square(penalised).sum())


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("n_classes", [2, 3, 6])
@pytest.mark.parametrize("loss", LOSSES)
def test_agrees_with_a_cone_solver_to_1e_8(loss: str, n_classes: int, bias: dict[str, Any]) -> None:
    problem = random_problem(loss, n_classes, rows=40, columns=8, density=0.4, weighted=True, l2=0.05, **bias)
    solution = solve(problem, Options(tol=1e-9, max_iter=20_000))
    assert solution.certificate is not None
    assert solution.certificate.reached
    best = optimum(problem)
    assert solution.certificate.objective == pytest.approx(best, rel=1e-8)
    assert objective(problem, solution) == pytest.approx(solution.certificate.objective, rel=1e-12)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("loss", LOSSES)
def test_never_ends_above_all_weights_zero(loss: str, n_classes: int, bias: dict[str, Any]) -> None:
    """Counts in the millions: W overshoots with every step, and a bound of passes is not enough."""
    rng = np.random.default_rng(0)
    X = as_csr(rng.poisson(1.0, (300, 30)) * 1e6)
    y = rng.integers(0, n_classes, 300).astype(np.int32)
    problem = Problem(X, OneLabel(np.arange(n_classes), y), loss, l2=1 / 300, **bias)
    solution = solve(problem, Options(max_iter=200))
    nothing = np.zeros((300, problem.n_outputs))
    zero = float(loss_values(loss, nothing, y, None).mean())
    found = solution.certificate
    assert found is not None
    assert found.objective <= zero * (1 + 1e-9)
    assert objective(problem, solution) == pytest.approx(found.objective, rel=1e-9)
    assert found.objective - found.gap <= zero


DIGEST = """
import hashlib
from tests.linear.smooth_problems import random_problem
from lindy.linear.losses import LOSSES
from lindy.linear.optimizers.dual import solve
from lindy.linear.problem import Options
digest = hashlib.sha256()
for tol in (1e-4, 1e-8):  # float32 and float64
    for loss in [name for name, loss in LOSSES.items() if "dual" in loss.capabilities]:
        for n_classes in (2, 4, 5, 21, 37):
            problem = random_problem(loss, n_classes, rows=150, columns=900, density=0.03, l2=0.003)
            solution = solve(problem, Options(tol=tol, max_iter=30, n_jobs=2))
            digest.update(solution.W.tobytes() + solution.b.tobytes())
            digest.update(solution.details["dual"].tobytes() + repr(solution.certificate).encode())
print(digest.hexdigest())
"""


def test_instruction_sets_do_not_change_a_bit_of_the_model() -> None:
    assert len(printed_at_every_level(DIGEST, beside=__file__)) == 1


def test_a_free_bias_settles_where_rows_are_alike() -> None:
    """Images: every row has much of the mean row, so a bias that is coupled too weakly swings from pass to pass."""
    digits = load_digits()
    images = np.kron((digits.data > 7).reshape(-1, 8, 8), np.ones((1, 2, 2))).reshape(len(digits.data), -1)
    X, y = np.repeat(images, 4, axis=0), np.repeat(digits.target, 4)
    X = np.where(np.random.default_rng(0).random(X.shape) < 0.03, 1 - X, X).astype(np.float32)
    model = MaxEnt(solver="dual", C=0.05, tol=1e-6, max_iter=39).fit(X, y)
    assert model.certificate_ is not None
    assert model.certificate_.reached


@given(measurements(), st.integers(0, 5), st.sampled_from([np.float32, np.float64]))
def test_the_squared_length_of_a_mean_row(data: Any, n_outputs: int, dtype: Any) -> None:
    X = as_csr(sparse_with_zeros(data[0], dtype))
    draw = np.random.default_rng(n_outputs)
    rows = draw.integers(0, X.shape[0], 4).astype(np.int32)
    share = draw.dirichlet(np.ones(4))
    scales = draw.random((X.n_columns, n_outputs)).astype(dtype) if n_outputs else None
    mean = share @ data[0].astype(dtype)[rows].astype(float)
    expected = np.square(mean if scales is None else scales.T * mean).sum() / max(n_outputs, 1)
    padded = None if scales is None else np.pad(np.square(scales), ((0, 0), (0, 2)))
    found = _native.mean_square(X, rows=rows, share=share, squares=padded, n_outputs=max(n_outputs, 1))
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


def test_another_strength_begins_with_the_weights_of_the_same_scales() -> None:
    problem = random_problem("squared_hinge", n_classes=3)
    values = np.random.default_rng(0).uniform(0.5, 2, (problem.X.n_columns, 3)).astype(problem.X.values.dtype)
    lengths = np.sqrt(np.square(problem.X.to_scipy().toarray()) @ np.square(values.astype(float)))
    scales = Scales.of(values.copy(), lengths.copy())
    options = Options(tol=1e-8)
    before = solve(replace(problem, scales=scales), options)
    weaker = replace(problem, l2=problem.l2 / 4)
    same = solve(replace(weaker, scales=scales), replace(options, start=before))
    rebuilt = solve(replace(weaker, scales=Scales.of(values.copy(), lengths)), replace(options, start=before))
    alone = solve(replace(weaker, scales=scales), options)
    proofs = [found.certificate for found in (same, rebuilt, alone)]
    assert all(proof is not None and proof.reached for proof in proofs)
    # ½·l2·‖ΔW / values‖² is at most the gap of each
    reach = 2 * values.max() * np.sqrt(2 * max(proof.gap for proof in proofs if proof) / weaker.l2)
    for found in (same, rebuilt):
        np.testing.assert_allclose(found.W, alone.W, rtol=0, atol=reach)
