"""Proximal Newton with a working set, for L1 and elastic-net penalties.

    minimise  mean loss + l1·‖W‖₁ + ½·l2·‖W‖²        (log, one-vs-rest log, squared hinge; any number of outputs)

Three nested loops:

1. **Working set.** One pass Xᵀ·R gives every feature's slope z and, scaled into |z| ≤ l1, a dual point: the relative
   duality gap of the whole problem, on which the method stops. Zero weights with |z| > l1 violate optimality; the
   worst of them join the non-zero weights in the working set, at most doubling it. Its columns are copied out of X
   (a small part of it), everything else stays untouched.
2. **Proximal Newton** (Lee, Sun and Saunders 2014) on the working set: minimise the quadratic model of the loss plus
   the penalty, then step as far as Armijo's rule allows, until the duality gap of the working set is a fraction of
   the whole one.
3. **Coordinate descent** on the model (Yuan, Ho and Lin 2012) by soft thresholding, with Anderson's extrapolation. For
   independent outputs and small working sets the matrix XᵀDX is formed, and an epoch touches no rows; otherwise it
   runs over the columns, and for softmax keeps the full coupling between the classes. The bias is one more
   coordinate.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.linear.objective import Array, Evaluated, Objective
from lindy.linear.optimizers._watch import Watch
from lindy.linear.problem import Certificate, Options, Problem, Solution

FIRST_SET = 300  # pairs per output in the first working set
NEAR = 0.9  # columns with |z| above this share of l1 are copied too: they may be needed next
INNER_GAP = 0.3  # the working set is solved to this share of the whole gap
SMALL = 0.1  # or until a round promises this share of what the rounds before it gained
SUFFICIENT = 0.01  # share of the promised decrease that a step must bring (Armijo)
INNER_VIOLATION = 0.01  # a model with XᵀDX is solved until its violations have shrunk by this,
ROUGH_VIOLATION = 0.03  # one over columns by this,
AT_REST = 1e-10  # or until they are this small against l1
STALE = 0.3  # relative change of the curvatures after which XᵀDX is formed again
MODEL_EPOCHS, FIRST_EPOCHS = 50, 5  # the most epochs over columns, and those of the first working set
PATIENCE = 20  # rounds without a smaller gap after which rounding errors must be the reason
GRAM_LIMIT = 8e6  # entries of all XᵀDX together


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise with an L1 or elastic-net penalty; a round is one working set."""
    objective = Objective(problem, options.n_jobs)
    watch = Watch(objective, options)
    x = objective.start(options.start)
    at = objective.buffers()
    objective.native.scores(objective.split(x)[0], at.S)
    chosen: Chosen | None = None
    n_iter = epochs = stalled = 0
    least, bound = np.inf, -np.inf
    while True:
        value = objective.best_bias(x, at)
        watch.record(value)
        slopes = objective.dual_point(at)
        bound = max(
            bound, value - objective.gap(x, at, slopes)
        )  # the best dual value so far bounds the minimum
        gap = value - bound
        stalled, least = (0, gap) if gap < 0.9 * least else (stalled + 1, least)
        if gap <= options.tol * value or n_iter >= options.max_iter or stalled > PATIENCE:
            break
        n_iter += 1
        chosen = choose_pairs(objective, x, slopes, chosen)
        epochs += newton_rounds(objective, x, at, chosen, INNER_GAP * max(gap, options.tol * value))
    W, b = objective.split(x)
    details = {"epochs": epochs, "nonzero": int(np.count_nonzero(W))}
    return Solution(W, b.copy(), n_iter, watch.history, Certificate(value, gap, options.tol), details)


@dataclass(slots=True)
class Chosen:
    """The working set: pairs (feature, output), sorted by output, and the columns of their features."""

    flat: NDArray[np.int64]  # position of each pair in x
    column: NDArray[np.int32]
    output: NDArray[np.int32]
    features: NDArray[np.int64]  # of the columns
    columns: Any
    settled: bool  # not the first of a cold start, whose weights need not be exact
    grams: dict[int, tuple[Array, Array]] = field(default_factory=dict)  # per output: curvatures, XᵀDX

    def pairs(self, output: int) -> NDArray[np.intp]:
        """Return the numbers of the pairs of one output."""
        return np.flatnonzero(self.output == output)

    @property
    def gram_fits(self) -> bool:
        """Whether the matrices of the model, one per output, take little memory."""
        return float((np.bincount(self.output).astype(float) ** 2).sum()) <= GRAM_LIMIT


def choose_pairs(objective: Objective, x: Array, slopes: Array, last: Chosen | None) -> Chosen:
    """Take the non-zero weights and the zero ones that violate |z| ≤ l1 most, at most as many again.

    Columns and matrices of the last working set are kept if they contain what is needed.
    """
    K, l1 = objective.n_outputs, objective.problem.l1
    support = np.flatnonzero(x[: objective.n_weights])
    z = np.abs(slopes[: objective.n_weights])
    z[support] = 0.0
    room = max(FIRST_SET * K, len(support))
    flat = np.concatenate([support, _largest(z, l1, room)])
    flat = flat[np.lexsort((flat // K, flat % K))]
    needed, output = flat // K, (flat % K).astype(np.int32)
    if last is not None and np.isin(needed, last.features).all():
        column = np.searchsorted(last.features, needed).astype(np.int32)
        chosen = Chosen(flat, column, output, last.features, last.columns, settled=True)
        keep_grams(last, chosen)
        return chosen
    features = np.unique(np.concatenate([needed, _largest(z, NEAR * l1, room) // K]))
    column = np.searchsorted(features, needed).astype(np.int32)
    position = np.full(objective.n_features, -1, np.int32)
    position[features] = np.arange(len(features), dtype=np.int32)
    X = objective.problem.X
    kind = _native.WorkingSet32 if X.values.dtype == np.float32 else _native.WorkingSet64
    columns = kind(*X.arrays, position, len(features))
    return Chosen(flat, column, output, features, columns, settled=len(support) > 0)


def _largest(z: Array, above: float, room: int) -> NDArray[np.int64]:
    """Return the positions of at most ``room`` of the largest entries above a bound."""
    found = np.flatnonzero(z > above)
    if len(found) > room:
        found = found[np.argpartition(z[found], -room)[-room:]]
    return found


def keep_grams(last: Chosen, chosen: Chosen) -> None:
    """Cut the matrices of the new working set out of the old ones, where they are contained."""
    for k, (h, H) in last.grams.items():
        old, new = last.flat[last.pairs(k)], chosen.flat[chosen.pairs(k)]
        if np.isin(new, old).all():
            bias = np.arange(len(old), len(H))
            where = np.concatenate([np.searchsorted(old, new), bias])
            chosen.grams[k] = (h, H[np.ix_(where, where)])


@dataclass(slots=True)
class Model:
    """The quadratic model at one point: slopes and curvatures of pairs and bias, curvatures of the rows."""

    slope: Array
    curvature: Array
    slope_b: Array
    curvature_b: Array
    h: Array  # outputs × rows; for softmax the row's share times p
    p: Array | None  # probabilities, for softmax


def quadratic_model(objective: Objective, at: Evaluated, chosen: Chosen) -> Model:
    """Return the model around the point whose residuals and curvatures ``at`` holds."""
    u, d = np.ascontiguousarray(at.R.T), np.ascontiguousarray(at.D.T)
    p = d if objective.loss == "softmax" else None
    h = d if p is None else p * objective.share
    diagonal = h if p is None else h * (1.0 - p)
    slope, curvature = np.empty(len(chosen.flat)), np.empty(len(chosen.flat))
    chosen.columns.moments(chosen.column, chosen.output, u, diagonal, slope, curvature)
    return Model(slope, curvature, u.sum(axis=1), diagonal.sum(axis=1), h, p)


def newton_rounds(objective: Objective, x: Array, at: Evaluated, chosen: Chosen, enough: float) -> int:
    """Proximal Newton on the working set until its gap is ``enough``; returns the epochs of coordinate descent.

    ``at.S`` holds the scores of x, before and after.
    """
    problem = objective.problem
    w, b = x[chosen.flat], objective.split(x)[1].copy()
    value = start = _value(objective, at, w, b)
    epochs = 0
    for _ in range(50):
        model = quadratic_model(objective, at, chosen)
        largest = float(np.abs(model.slope).max(initial=0.0))
        shrink = min(1.0, problem.l1 / largest) if largest > 0 else 1.0
        gap = value + objective.native.conjugate(at.R * shrink)
        new_w, new_b = w.copy(), b.copy()
        epochs += minimise_model(objective, model, chosen, new_w, new_b)
        dw, db = new_w - w, new_b - b
        along = np.zeros_like(model.h)
        chosen.columns.scores(chosen.column, chosen.output, dw, along)
        along = np.ascontiguousarray(along.T)
        promised = (
            _penalty(problem, w, b)
            - _penalty(problem, new_w, new_b)
            + 0.5 * problem.l2 * objective.dot(dw, dw)
        )
        promised -= objective.dot(model.slope, dw) + objective.dot(model.slope_b, db)
        scores, size, new = at.S, 2.0, np.inf
        # when less is promised than P can resolve, a step is right as long as it does no visible harm
        slack = 2e-15 * value
        while not new <= value - SUFFICIENT * size * promised + slack and size > 1e-10:
            size *= 0.5
            at.S = scores + size * along
            new = _value(objective, at, w + size * dw, b + size * db)
        if not new <= value + slack:
            at.S = scores
            break
        w, b, value = w + size * dw, b + size * db, new
        if gap <= enough or promised <= SMALL * (start - value):
            break
    x[chosen.flat] = w
    if problem.bias:
        objective.split(x)[1][:] = b
    return epochs


def _penalty(problem: Problem, w: Array, b: Array) -> float:
    part = np.concatenate([w, b]) if problem.bias and problem.penalize_bias else w
    return problem.l1 * float(np.abs(part).sum()) + 0.5 * problem.l2 * float((part**2).sum())


def _value(objective: Objective, at: Evaluated, w: Array, b: Array) -> float:
    """P where only the pairs of the working set are non-zero; fills ``at`` from its scores."""
    at.loss = objective.native.loss(at.S, b, at.R, at.D)
    return at.loss + _penalty(objective.problem, w, b)


def minimise_model(objective: Objective, model: Model, chosen: Chosen, w: Array, b: Array) -> int:
    """Move w and b to about the minimum of model + penalty; returns the epochs."""
    problem = objective.problem
    if model.p is None and chosen.settled and chosen.gram_fits:
        return sum(minimise_output(objective, model, chosen, (w, b), k) for k in range(objective.n_outputs))
    target = max(ROUGH_VIOLATION * _violation(model.slope, problem.l1, problem.l2, w), AT_REST * problem.l1)
    epochs: int = chosen.columns.descend(
        chosen.column,
        chosen.output,
        w,
        model.slope,
        model.curvature,
        model.h,
        model.p,
        np.zeros_like(model.h),
        np.zeros(objective.n_rows),
        b if problem.bias else None,
        model.slope_b,
        model.curvature_b,
        problem.l1,
        problem.l2,
        problem.penalize_bias,
        target,
        MODEL_EPOCHS if chosen.settled else FIRST_EPOCHS,
    )
    return epochs


def minimise_output(
    objective: Objective, model: Model, chosen: Chosen, weights: tuple[Array, Array], k: int
) -> int:
    """Do the same for one output, with its matrix XᵀDX.

    The matrix is kept as long as the curvatures have changed little: the slopes are exact, so an old matrix costs
    a little speed of convergence and nothing else. The squared hinge is quadratic where its curvatures do not
    change, and Newton's method ends there in one step; so for it they must be the present ones.
    """
    problem, pairs, h = objective.problem, chosen.pairs(k), model.h[k]
    bias = int(problem.bias)
    old = chosen.grams.get(k)
    stale = 0.0 if objective.loss == "squared_hinge" else STALE
    if old is None or np.abs(h - old[0]).sum() > stale * old[0].sum():
        H = np.empty((len(pairs) + bias,) * 2)
        chosen.columns.gram(chosen.column[pairs], h, problem.bias, H)
        chosen.grams[k] = old = (h.copy(), H)
    z = np.concatenate([weights[0][pairs], weights[1][k : k + bias]])
    slope = np.concatenate([model.slope[pairs], model.slope_b[k : k + bias]])
    l1, l2 = np.full(len(z), problem.l1), np.full(len(z), problem.l2)
    if bias and not problem.penalize_bias:
        l1[-1] = l2[-1] = 0.0
    target = max(INNER_VIOLATION * _violation(slope, l1, l2, z), AT_REST * problem.l1)
    epochs = int(_native.descend_gram(old[1], slope, l1, l2, z, target, 500))
    weights[0][pairs] = z[: len(pairs)]
    if bias:
        weights[1][k] = z[-1]
    return epochs


def _violation(slope: Array, l1: Array | float, l2: Array | float, w: Array) -> float:
    """Return the sum of the distances of −slope − l2·w from the subgradients of l1·|w|."""
    g = slope + l2 * w
    at_zero = np.maximum(np.abs(g) - l1, 0.0)
    return float(np.where(w == 0, at_zero, np.abs(g + l1 * np.sign(w))).sum())
