"""Going on from weights whose rows are gone: the old weights are where the penalty is 0.

With W⁰, b⁰ from n⁰ earlier rows and C the price of losses, the further rows give

    min_W,b  C·Σ_i weight_i·loss(xᵢᵀW + b; y_i) + ½ Σ_j p_j·‖W_j − W⁰_j‖² + ½ p_b·‖b − b⁰‖²

    p_j = 1 + C·h·v_j·n⁰_j,      p_b = 1 + C·h·n⁰

The earlier rows have been replaced by the curvature of their losses at W⁰ along each column (a diagonal Laplace
approximation): n⁰_j is how many of them held column j, v_j the mean of x_ij² where it is held, and h the mean
curvature of the loss, both as the further rows have them. A column that is new has p_j = 1, the ordinary penalty,
around 0. A word that was in many rows keeps its weight, and so does one that no further row has: exactly.

With D_j = √p_j·(W_j − W⁰_j) this is the usual problem over the columns x_j / √p_j with a column of ones for the bias,
and scores that begin at xᵢᵀW⁰ + b⁰ (``Problem.offset``); L-BFGS solves it, with the usual certificate.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.csr import Csr
from lindy.linear.objective import Objective
from lindy.linear.optimizers import lbfgs
from lindy.linear.problem import Options, Problem, Solution

Array = NDArray[np.float64]


def solve_from(
    problem: Problem, options: Options, W: Array, b: Array, documents: Array, n_before: float
) -> Solution:
    """Minimise the above, from old weights (columns × outputs) and a bias of as many outputs.

    ``problem`` has the further rows and l2 = 1/(C·Σ weight); ``documents`` are n⁰_j and ``n_before`` n⁰, which may be
    fractions where rows are forgotten. Without a bias, ``b`` is 0 and stays so.
    """
    X, bias = problem.X, problem.bias
    total = float(X.shape[0] if problem.weight is None else problem.weight.sum())
    price = 1.0 / (problem.l2 * total)
    offset = Objective(replace(problem, bias=False), options.n_jobs).scores(W) + b
    held = np.bincount(X.indices, minlength=X.n_columns)
    squares = np.bincount(X.indices, np.square(X.values, dtype=np.float64), X.n_columns)
    strength = price * _mean_curvature(problem, offset, options)
    p = 1.0 + strength * documents * squares / np.maximum(held, 1)
    p_b = 1.0 + strength * n_before
    scale = 1.0 / np.sqrt(np.append(p, p_b))
    rows = _scaled(X, scale, with_ones=bias)
    own = replace(problem, X=rows, bias=False, penalize_bias=False, offset=offset)
    found = lbfgs.solve(own, replace(options, start=None))
    moved = np.asarray(found.W, np.float64) * scale[: rows.n_columns, None]
    new = W + moved[: X.n_columns]
    return replace(found, W=new, b=b + moved[X.n_columns] if bias else b)


def _mean_curvature(problem: Problem, scores: Array, options: Options) -> float:
    """Return the mean second derivative of the loss in an output, at these scores."""
    objective = Objective(replace(problem, bias=False), options.n_jobs)
    at = objective.buffers()
    at.S[:] = scores
    objective.value(np.zeros(objective.size), at)
    H = np.empty((objective.n_outputs, objective.n_outputs))
    objective.native.bias_curvature(at.D, H)
    return float(np.diagonal(H).mean())


def _scaled(X: Csr, scale: Array, *, with_ones: bool) -> Csr:
    """Return the rows with scaled columns, and a scaled column of ones behind them."""
    values = (X.values * scale[X.indices]).astype(X.values.dtype)
    if not with_ones:
        return Csr(X.indptr, X.indices, values, X.n_columns)
    n = X.shape[0]
    indptr = X.indptr + np.arange(n + 1)
    ends = indptr[1:] - 1
    inner = np.ones(len(values) + n, bool)
    inner[ends] = False
    indices = np.full(len(inner), X.n_columns, np.int32)
    longer = np.full(len(inner), scale[X.n_columns], values.dtype)
    indices[inner], longer[inner] = X.indices, values
    return Csr(indptr, indices, longer, X.n_columns + 1)


def spread_outputs(
    values: NDArray[Any], known: NDArray[Any], classes: NDArray[Any], *, joint: bool
) -> NDArray[Any]:
    """Return weights (columns × outputs) of the known classes over more of them; those of new classes are 0.

    One output w of two classes becomes ∓w/2 where outputs compete, and ∓w where each is its own problem.
    """
    if len(classes) == len(known):
        return values
    places = np.searchsorted(classes, known)
    wide = np.zeros((len(values), len(classes)), values.dtype)
    if len(known) > 2:
        wide[:, places] = values
    else:
        half = values[:, 0] * (0.5 if joint else 1.0)
        wide[:, places[0]], wide[:, places[1]] = -half, half
    return wide
