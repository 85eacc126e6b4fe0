"""Updates a model with its old weights as a Gaussian prior: the earlier rows are gone.

With W⁰, b⁰ from n⁰ earlier rows and C the price of losses, the further rows give

    min_W,b  C·Σ_i weight_i·loss(xᵢᵀW + b; y_i) + ½ Σ_j (1 + d_j)·‖W_j − W⁰_j‖² + ½ (1 + d_b)·‖b − b⁰‖²

    d_j = C·h·v_j·n⁰_j,      d_b = C·h·n⁰

The earlier rows have been replaced by the curvature of their losses at W⁰ along each column (a diagonal Laplace
approximation): n⁰_j is how many of them held column j, v_j the mean of x_ij² where it is held, and h the mean
curvature of the loss, both as the further rows have them. A column that is new has d_j = 0, the ordinary penalty,
around 0. A word that was in many rows keeps its weight, and so does one that no further row has: exactly.

If only the share k of the earlier rows still counts, their part of the above is k·½ d_j·‖W_j − (1 + 1/d_j)·W⁰_j‖²
beside the penalty ½‖W_j‖²: together ½ p_j·‖W_j − c_j‖² with p_j = 1 + k·d_j and c_j = W⁰_j·k·(1 + d_j) / p_j.

With D_j = √p_j·(W_j − c_j) this is the usual problem over the columns x_j / √p_j with a column of ones for the bias,
and scores that begin at those of c (``Problem.offset``); L-BFGS solves it, with the usual certificate.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.column_remap import UpdateBatch
from lindy.core.csr import Csr
from lindy.core.weights import class_weights, total_weight
from lindy.estimators.base import Examples, require_finite
from lindy.linear.losses import get_loss
from lindy.linear.objective import Objective
from lindy.linear.optimizers import lbfgs
from lindy.linear.problem import Options, Problem, Solution

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Earlier:
    """The weights of an earlier fit, and how many rows they came from.

    Attributes
    ----------
    W, b : weights (columns × outputs) and bias; without a bias, 0
    documents : array (columns,), how many of the rows held each column
    n_rows : how many rows there were
    kept : which share of them still counts
    further_weight : array (further rows,) or None, how many rows each further row is
    """

    W: Array
    b: Array
    documents: Array
    n_rows: float
    kept: float = 1.0
    further_weight: Array | None = None

    @classmethod
    def of(cls, W: Array, b: Array, further: UpdateBatch) -> Self:
        """Return the earlier rows of a model that is to learn from further ones, with its weights in their columns.

        Where it is not known how many of them held a column, it is taken to be the share that the further rows have.
        """
        move = further.move
        if move.documents is None:
            known = move.of_counts(np.ones(len(move.places)))
            held = _column_sums(further.X, None, further.row_weight)
            n = total_weight(further.row_weight, max(further.X.shape[0], 1))
            documents = known * held / n * further.n_before
        else:
            documents = move.of_counts(move.documents).astype(np.float64)
        return cls(W, b, documents, further.n_before, further.kept, further.row_weight)


def solve_from(problem: Problem, options: Options, earlier: Earlier) -> Solution:
    """Minimise the above; ``problem`` has the further rows and l2 = 1/(C·Σ weight)."""
    X, bias = problem.X, problem.bias
    plain = Objective(replace(problem, bias=False), options.n_jobs)
    d = data_curvature(plain, earlier)
    p = 1.0 + earlier.kept * d
    back = earlier.kept * (1.0 + d) / p
    W, b = earlier.W * back[:-1, None], earlier.b * back[-1]
    scale = 1.0 / np.sqrt(p)
    rows = _scaled(X, scale, with_ones=bias)
    offset = plain.scores(W) + b
    found = lbfgs.solve(
        replace(problem, X=rows, bias=False, penalize_bias=False, offset=offset), replace(options, start=None)
    )
    moved = np.asarray(found.W, np.float64) * scale[: rows.n_columns, None]
    return replace(found, W=W + moved[: X.n_columns], b=b + moved[X.n_columns] if bias else b)


def data_curvature(objective: Objective, earlier: Earlier) -> Array:
    """Return d_j of all columns, then d_b; ``objective`` is that of the further rows, without a bias."""
    problem = objective.problem
    total = float(objective.n_rows if problem.weight is None else problem.weight.sum())
    h = _mean_curvature(objective, objective.scores(earlier.W) + earlier.b)
    held = np.append(earlier.documents * _mean_squares(problem.X, earlier.further_weight), earlier.n_rows)
    return h / (problem.l2 * total) * held


def _mean_squares(X: Csr, weight: Array | None) -> Array:
    """Return the mean of x_ij² of each column where it is held; that of all columns for one that no row holds."""
    held = _column_sums(X, None, weight)
    squares = _column_sums(X, np.square(X.values, dtype=np.float64), weight)
    overall = float(squares.sum()) / max(float(held.sum()), 1.0)
    means: Array = np.divide(squares, held, out=np.full(X.n_columns, overall), where=held > 0)
    return means


def _column_sums(X: Csr, values: Array | None, weight: Array | None) -> Array:
    """Return the sums of each column's values (1 where none are given), each row as often as its weight says."""
    own = values
    if weight is not None:
        own = np.repeat(weight, np.diff(X.indptr)) * (1.0 if values is None else values)
    return np.bincount(X.indices, own, X.n_columns).astype(np.float64)


def _mean_curvature(objective: Objective, scores: Array) -> float:
    """Return the mean second derivative of the loss in an output, at these scores."""
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


def updated_from_weights(model: Any, further: UpdateBatch) -> Any:
    """Return a convex classifier after further rows, around its old weights."""
    made, classes = model._moved(further.move), further.y.names
    loss, joint = get_loss(model._loss()), model._outputs_compete()
    W = spread_outputs(made.W_, model.classes_, classes, joint=joint).astype(np.float64)
    b = spread_outputs(made.b_[None, :], model.classes_, classes, joint=joint)[0].astype(np.float64)
    made.classes_ = classes
    if len(classes) > len(model.classes_) and model.fit_intercept:
        new = ~np.isin(classes, model.classes_)
        n = further.y.weighted_counts(further.row_weight)
        n = n + np.where(new, 0, further.n_before / (~new).sum())
        b[new] = loss.best_bias(n / n.sum())[new]
    weight = class_weights(model.class_weight, further.y, further.weight)
    problem = made._problem(Examples(further.X, further.y, weight))
    n_before = further.n_before * further.kept
    if model.lam is not None:  # which is of all rows
        total = problem.X.shape[0] if weight is None else float(weight.sum())
        problem = replace(problem, l2=problem.l2 * (n_before + total) / total)
    found = solve_from(problem, made._options(None), Earlier.of(W, b, further))
    require_finite(made, found.W, found.b)
    made.W_, made.b_ = found.W.astype(model.W_.dtype), found.b.astype(model.b_.dtype)
    made.certificate_, made.history_, made.n_iter_ = found.certificate, found.history, found.n_iter
    made.solver_ = "lbfgs"
    return made
