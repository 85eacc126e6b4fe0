"""The hinges with an L1 penalty, or with none, as a linear program.

    minimise  Σ_i share_i·ξ_i + l1·Σ_j (w⁺_j + w⁻_j)     subject to   ξ_i ≥ ρ_i − s_i·(x_iᵀw + b),    ξ, w⁺, w⁻ ≥ 0

with w = w⁺ − w⁻; for Crammer and Singer's hinge ξ_i ≥ ρ_ik + o_k − o_y for every other class k. One-vs-rest hinges are
one program per output. HiGHS, which SciPy has, finds an optimal vertex by the simplex method; its multipliers of the
constraints are the dual variables v of the loss. Made to sum to zero for a free bias and scaled into |XᵀU| ≤ l1, they
are a feasible point of the dual, whose value is the bound of the certificate. Without a penalty no scaling makes XᵀU
zero: the gap is reported as infinite, and what counts is the larger of ‖XᵀU‖, as a share of that at W = 0, and of the
relative distance of the loss from Σ ρ·v.

Larger programs are refused: the simplex method takes too long for them.

Bradley and Mangasarian 1998, Feature selection via concave minimization and support vector machines; Huangfu and Hall
2018, Parallelizing the dual revised simplex method.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.linear.objective import Array, Objective
from lindy.linear.problem import Certificate, History, Options, Problem, Solution, hinge_margins

LARGEST = (
    1 << 18
)  # stored values of the constraints up to which the simplex method ends within about a minute
FEASIBLE = 1e-10  # by how much a constraint may be violated: HiGHS takes no smaller tolerance
STRETCH = 1e-6  # rounding errors of HiGHS, by which separating weights may be too short


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise exactly; ``n_iter`` counts the simplex method's iterations."""
    check_size(problem)
    if problem.l1 == 0:
        problem = replace(problem, penalize_bias=False)
    began = time.perf_counter()
    K = problem.n_outputs
    if not problem.joint and K > 1:
        parts = [vertex(replace(problem, y=problem.y.one_vs_rest(k))) for k in range(K)]
        W, b, v = (np.hstack([part[q] for part in parts]) for q in range(3))
        n_iter = sum(part[3] for part in parts)
    else:
        W, b, v, n_iter = vertex(problem)
    objective = Objective(problem, options.n_jobs)
    x = np.concatenate([W.ravel(), b]) if problem.bias else W.ravel()
    certificate = certify(objective, x, v, options.tol)
    W, b = objective.weights(x)
    history = History([certificate.objective], seconds=[time.perf_counter() - began])
    return Solution(W, b, n_iter, history, certificate, {"nonzero": int(np.count_nonzero(W))})


def check_size(problem: Problem) -> None:
    """Refuse a program that the simplex method would not solve soon."""
    K = problem.n_outputs if problem.joint else 1
    stored = (len(problem.X.values) + problem.X.shape[0]) * (2 * (K - 1) if K > 1 else 1)
    if stored > LARGEST:
        raise ValueError(
            f"loss={problem.loss!r} with penalty={'l1' if problem.l1 else 'none'!r} is a linear program, here with"
            f" {stored:,} values; more than {LARGEST:,} take too long. Use loss='squared_hinge', penalty='l2', or"
            " solver='sgd', which proves nothing about its answer"
        )


def vertex(problem: Problem) -> tuple[Array, Array, Array, int]:
    """Return W, b and the dual variables (rows × outputs) of an optimal vertex, and the iterations."""
    import scipy.sparse as sp
    from scipy.optimize import linprog

    K, n = problem.n_outputs, problem.X.shape[0]
    X: Any = problem.X.to_scipy().astype(np.float64)
    X = sp.hstack([X, sp.csr_matrix(np.ones((n, 1)))], "csr") if problem.bias else X
    d = X.shape[1]
    share = np.full(n, 1.0 / n) if problem.weight is None else problem.weight / problem.weight.sum()
    rows, output, A, asked = constraints(problem, X, share)
    slack = sp.csr_matrix((-np.ones(len(rows)), (np.arange(len(rows)), rows)), (len(rows), n))
    price = np.full(d, problem.l1)
    if problem.bias and not problem.penalize_bias:
        price[-1] = 0.0
    price = np.tile(price, K)
    lasso = problem.l1 > 0
    low = np.append(np.zeros(2 * d * K) if lasso else np.full(d * K, -np.inf), np.zeros(n))
    bounds: Any = np.column_stack([low, np.full(len(low), np.inf)])
    found: Any = linprog(
        np.concatenate([price, price, share] if lasso else [price, share]),
        sp.hstack([A, -A, slack] if lasso else [A, slack], "csr"),
        -asked,
        bounds=bounds,
        method="highs-ds",
        options={"primal_feasibility_tolerance": FEASIBLE, "dual_feasibility_tolerance": FEASIBLE},
    )
    if found.x is None:
        raise ValueError(f"HiGHS did not solve the linear program ({found.message}): scale the columns of X")
    theta = found.x[: d * K] - (found.x[d * K : 2 * d * K] if lasso else 0.0)
    theta = theta.reshape(K, d).T
    W, b = (theta[:-1], theta[-1]) if problem.bias else (theta, np.zeros(K))
    v = np.zeros((n, K))
    v[rows, output] = np.maximum(-found.ineqlin.marginals, 0.0)
    return np.ascontiguousarray(W), b.copy(), v, int(found.nit)


def constraints(
    problem: Problem, X: Any, share: Array
) -> tuple[NDArray[np.int64], NDArray[np.int64], Any, Array]:
    """Return row, output, A and ρ of the constraints ξ ≥ ρ + A·θ; θ holds one output after the other."""
    import scipy.sparse as sp

    margin, y, K = hinge_margins(problem), problem.y.codes, problem.n_outputs
    if K == 1:
        rows = np.flatnonzero(share > 0)
        A = sp.diags(np.where(y[rows] == 1, -1.0, 1.0)) @ X[rows]
        return rows, np.zeros_like(rows), A, np.ones(len(rows)) if margin is None else margin[y[rows]]
    assert margin is not None
    wanted = np.tile(share[:, None] > 0, K)
    wanted[np.arange(len(y)), y] = False
    rows, output = np.nonzero(wanted)
    A = _placed(X, rows, output, K) - _placed(X, rows, y[rows], K)
    return rows, output, A, margin.reshape(K, K)[output, y[rows]]


def _placed(X: Any, rows: NDArray[np.int64], output: NDArray[Any], K: int) -> Any:
    """Return rows of X, each in the columns of its output."""
    import scipy.sparse as sp

    part = X[rows]
    indices = part.indices + np.repeat(output, np.diff(part.indptr)) * X.shape[1]
    return sp.csr_matrix((part.data, indices, part.indptr), (len(rows), K * X.shape[1]))


def certify(objective: Objective, x: Array, v: Array, tol: float) -> Certificate:
    """Prove how far x is from the optimum by the dual variables v; weights that separate are stretched to no loss."""
    problem, K = objective.problem, objective.n_outputs
    at, rows = objective.buffers(), np.arange(objective.n_rows)
    start = np.zeros((objective.n_rows, K))
    if objective.joint:
        start[rows, problem.y.codes] = 1.0
    objective.native.set_multipliers(start, hinge_margins(problem), 1.0)
    objective.native.scores(objective.split(x)[0], at.S)
    value = objective.native.hinge(at.S, objective.split(x)[1]) + objective.penalty(x)
    at.R = objective.residuals(v)
    z = objective.dual_point(at)
    if problem.l1 > 0:
        return Certificate(value, max(value - objective.dual_value(at.R, z), 0.0), tol)
    distance = abs(value + objective.native.conjugate(at.R)) / max(value, np.finfo(float).tiny)
    stretched = (1 + STRETCH) * x
    if objective.native.hinge((1 + STRETCH) * at.S, objective.split(stretched)[1]) == 0.0:
        x[:], value, distance = stretched, 0.0, 0.0
        z = np.zeros_like(z)
    objective.native.loss(np.zeros_like(at.S), np.zeros(K), at.R, at.D)
    at_zero = objective.dot(zero := objective.dual_point(at), zero) ** 0.5
    share = max(objective.dot(z, z) ** 0.5 / max(at_zero, np.finfo(float).tiny), distance)
    return Certificate(value, np.inf, tol, share * at_zero, at_zero)
