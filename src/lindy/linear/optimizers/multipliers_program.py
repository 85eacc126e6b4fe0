"""The hinges as a linear program, for problems that are small and that the method of multipliers finds hard.

    minimise  Σ_i c_i·ξ_i + l1·Σ_j (w⁺_j + w⁻_j)      subject to   ξ_i ≥ ρ_i − s_i·(x_iᵀw + b),   ξ, w⁺, w⁻ ≥ 0

with w = w⁺ − w⁻; for Crammer–Singer ξ_i ≥ ρ_ik + o_k − o_y for every other class k. The multipliers of the constraints
are the dual variables v. Solved by HiGHS (Huangfu and Hall 2018, Parallelizing the dual revised simplex method), which
SciPy has; the certificate is computed from its answer as from any other.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.linear.objective import Array
from lindy.linear.optimizers.hinges import Hinges
from lindy.linear.problem import Problem

LARGEST = 1 << 18  # stored values of the constraints up to which the simplex method ends soon


def affordable(problem: Problem) -> bool:
    """Whether the program is linear and small."""
    K = problem.n_outputs
    constraints = problem.X.shape[0] * (K - 1 if K > 1 else 1)
    stored = len(problem.X.values) * (2 * (K - 1) if K > 1 else 1) * (2 if problem.l1 else 1)
    return problem.l2 == 0 and stored + constraints <= LARGEST


def solve_program(problem: Problem, hinges: Hinges) -> tuple[Array, Array, Array] | None:
    """Return W, b and the dual variables of an optimal vertex, or None if HiGHS found none."""
    import scipy.sparse as sp
    from scipy.optimize import linprog

    K, n = problem.n_outputs, problem.X.shape[0]
    X: Any = problem.X.to_scipy().astype(np.float64)
    X = sp.hstack([X, sp.csr_matrix(np.ones((n, 1)))], "csr") if problem.bias else X
    d = X.shape[1]
    asked = np.tile(hinges.c[:, None] > 0, K)
    if K > 1:
        asked[hinges.rows, hinges.y] = False
    row, output = np.nonzero(asked)
    if K > 1:
        A = _placed(X, row, output, K) - _placed(X, row, hinges.y[row], K)
    else:
        A = sp.diags(-hinges.sign[row, 0]) @ X[row]
    slack = sp.csr_matrix((-np.ones(len(row)), (np.arange(len(row)), row)), (len(row), n))
    price = np.full(d, problem.l1)
    if problem.bias and not problem.penalize_bias:
        price[-1] = 0.0
    price = np.tile(price, K)
    lasso = problem.l1 > 0
    low = np.append(np.zeros(2 * d * K) if lasso else np.full(d * K, -np.inf), np.zeros(n))
    program: Any = sp.hstack([A, -A, slack] if lasso else [A, slack], "csr")
    bounds: Any = np.column_stack([low, np.full(len(low), np.inf)])
    found: Any = linprog(
        np.concatenate([price, price, hinges.c] if lasso else [price, hinges.c]),
        program,
        -hinges.rho[row, output],
        bounds=bounds,
        method="highs",
    )
    if found.status != 0:
        return None
    x = found.x[: d * K] - (found.x[d * K : 2 * d * K] if lasso else 0.0)
    theta = x.reshape(K, d).T
    W, b = (theta[:-1], theta[-1]) if problem.bias else (theta, np.zeros(K))
    v = np.zeros_like(hinges.rho)
    v[row, output] = -found.ineqlin.marginals
    if K > 1:
        v[hinges.rows, hinges.y] = hinges.c - v.sum(axis=1)
    return np.ascontiguousarray(W), b.copy(), hinges.nearest(v)


def _placed(X: Any, row: NDArray[np.int64], output: NDArray[Any], K: int) -> Any:
    """Return rows of X, each in the columns of its output."""
    import scipy.sparse as sp

    part = X[row]
    indices = part.indices + np.repeat(output, np.diff(part.indptr)) * X.shape[1]
    return sp.csr_matrix((part.data, indices, part.indptr), (len(row), K * X.shape[1]))
