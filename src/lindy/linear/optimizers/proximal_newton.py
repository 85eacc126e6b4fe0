"""Proximal Newton with a working set, for L1 and elastic-net penalties.

    minimise  mean loss + l1·‖W‖₁ + ½·l2·‖W‖²        (log, one-vs-rest log, squared hinge; any number of outputs)

One-vs-rest losses are one binary problem per output, each solved on its own. Three nested loops:

1. **Working set.** One pass Xᵀ·R gives every feature's slope z and, scaled into |z| ≤ l1, a dual point: the relative
   duality gap of the whole problem, on which the method stops. Zero weights with |z| > l1 violate optimality; the
   worst of them join the non-zero weights in the working set, at most doubling it. Its columns are copied out of X
   when they are first needed (a small part of it), everything else stays untouched. As long as the set must grow, two
   rounds of coordinate descent alone are enough.
2. **Proximal Newton** (Lee, Sun and Saunders 2014) on the working set: minimise the quadratic model of the loss plus
   the penalty, then step as far as Armijo's rule allows, until the duality gap of the working set is a fraction of
   the whole one.
3. **The model** is minimised by a few epochs of coordinate descent with soft thresholding (Yuan, Ho and Lin 2012),
   which find the zeros and the signs, then by conjugate gradient over the weights that are not zero
   (``native/linear/primal/descent.hpp``), longer where the gap shrinks slowly. For one output, once the weights that
   may move are few and settled, the matrix XᵀDX of these is formed instead, and coordinate descent with Anderson's
   extrapolation touches no rows. Softmax keeps the full coupling between the classes. The bias is one more coordinate.

The duality gap is far stricter than the distance to the optimum: a largest violation of δ·l1 costs a gap of about
δ·l1·‖W‖₁, while the distance shrinks with δ². So most of the work is the last digits of the working set's weights.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Float
from lindy.linear.objective import Array, Evaluated, Objective
from lindy.linear.optimizers._watch import Watch
from lindy.linear.optimizers.working_set import Block, WorkingSet, choose_pairs
from lindy.linear.problem import Certificate, History, Options, Problem, Solution
from lindy.progress import round_done

INNER_GAP = 0.1  # the working set is solved to this share of the whole gap
SMALL = 0.1  # or until a round promises this share of what the rounds before it gained
SUFFICIENT = 0.01  # share of the promised decrease that a step must bring (Armijo)
VIOLATION = 0.03  # a model is solved until its violations have shrunk by this,
AT_REST = 1e-13  # or until they are this small against l1
# XᵀDX is formed of the pairs that are not zero or whose |z| is above this share of l1, once these are not many more
AWAKE, SETTLED = 0.95, 1.3
EPOCHS = 6  # of coordinate descent over columns,
# then so many products of conjugate gradient, twice as many after a round that left the gap above the share SLOW
PRODUCTS, MOST_PRODUCTS, SLOW = 24, 48, 0.5
ROUNDS, ROUGH_ROUNDS = 50, 2  # the most Newton steps on one working set, and on one that must grow
TINY, EXACT = (
    1 << 16,
    1e-12,
)  # rows × weights up to which the last digits cost nothing, and the gap asked for then
LEAST_HOLD, MOST_HOLD = 1e-6, 10.0  # shares of the largest curvature
PATIENCE = 20  # rounds without a smaller gap after which rounding errors must be the reason


def solve(problem: Problem, options: Options, block: Block | None = None) -> Solution:
    """Minimise with an L1 or elastic-net penalty; a round is one working set.

    ``block`` holds columns of X that an earlier call has copied.
    """
    if problem.n_outputs > 1 and not problem.joint:
        return solve_each_output(problem, options)
    objective = Objective(problem, options.n_jobs)
    watch = Watch(objective, options)
    x = objective.start(options.start)
    at = objective.buffers()
    if options.start is None:
        at.S[:] = 0
    else:
        objective.native.scores(objective.split(x)[0], at.S)
    block = Block(problem.X) if block is None else block
    chosen, products, last, hold = None, PRODUCTS, np.inf, Hold()
    n_iter = passes = stalled = 0
    tol = min(options.tol, EXACT) if objective.size * objective.n_rows <= TINY else options.tol
    least, bound = np.inf, -np.inf
    while True:
        value = objective.best_bias(x, at)
        watch.record(value)
        slopes = objective.dual_point(at)
        # the best dual value so far bounds the minimum
        bound = max(bound, value - objective.duality_gap(x, at, slopes))
        gap = value - bound
        round_done(n_iter, float(gap / value) if value > 0 else 0.0, tol)
        stalled, least = (0, gap) if gap < 0.9 * least else (stalled + 1, least)
        enough = PATIENCE if gap > options.tol * value else 2
        if gap <= tol * value or n_iter >= options.max_iter or stalled > enough:
            break
        n_iter += 1
        if chosen is not None and not chosen.growing and gap > SLOW * last:
            products = min(2 * products, MOST_PRODUCTS)
        last = gap
        chosen = choose_pairs(objective, x, slopes, block)
        chosen.products = products
        passes += newton_rounds(objective, x, at, chosen, INNER_GAP * max(gap, tol * value), hold)
    W, b = objective.weights(x)
    details = {"passes": passes, "nonzero": int(np.count_nonzero(W))}
    return Solution(W, b, n_iter, watch.history, Certificate(value, gap, options.tol), details)


def solve_each_output(problem: Problem, options: Options) -> Solution:
    """Solve one binary problem per output: the outputs of one-vs-rest losses share nothing but columns of X."""
    parts = []
    block = Block(problem.X)
    for k in range(problem.n_outputs):
        block = block if block.next_output() else Block(problem.X)
        start = options.start
        if start is not None:
            start = replace(start, W=start.W[:, k : k + 1], b=start.b[k : k + 1])
        own = replace(problem, y=problem.y.one_vs_rest(k))
        parts.append(solve(own, replace(options, start=start), block))
    proofs = [part.certificate for part in parts if part.certificate is not None]
    certificate = Certificate(
        sum(proof.objective for proof in proofs),
        sum(proof.gap for proof in proofs),
        options.tol,
    )
    details = {name: sum(part.details[name] for part in parts) for name in ("passes", "nonzero")}
    return Solution(
        np.hstack([part.W for part in parts]),
        np.concatenate([part.b for part in parts]),
        max(part.n_iter for part in parts),
        _sum_of([part.history for part in parts]),
        certificate,
        details,
    )


def _sum_of(histories: list[History]) -> History:
    """Return the history of the whole: outputs that are done keep their last objective."""
    rounds = max(len(history.objective) for history in histories)
    objective = np.zeros(rounds)
    seconds = np.zeros(rounds)
    for history in histories:
        missing = (0, rounds - len(history.objective))
        objective += np.pad(history.objective, missing, "edge")
        seconds += np.pad(history.seconds, missing, "edge")
    return History(objective.tolist(), seconds=seconds.tolist())


@dataclass(slots=True)
class Model:
    """The quadratic model at one point: slopes and curvatures of pairs and bias, curvatures of the rows."""

    slope: Array
    curvature: Array
    slope_b: Array
    curvature_b: Array
    h: Array  # outputs × rows; for softmax the row's share times p
    p: Array | None  # probabilities, for softmax
    l2: float  # of its penalty: the problem's, and what holds the weights where they are


def curvatures(objective: Objective, at: Evaluated, b: Array) -> Array:
    """Return the curvatures of the rows, those of wrongly classified rows of the logistic loss raised.

    There m = s·o < 0, the second derivative vanishes where the derivative does not, and Newton's steps are far too
    long. The parabola that touches the loss at m and lies above it everywhere has the curvature (σ(|m|) − ½) / |m|
    (Jaakkola and Jordan 2000).
    """
    if objective.joint or objective.problem.definition.jumps:
        return at.D
    away = np.abs(at.S + b)
    excess = np.abs(at.R) - 0.5 * objective.share[:, None]
    return np.divide(excess, away, out=at.D.copy(), where=(excess > 0) & (away > 1e-3))


def quadratic_model(objective: Objective, at: Evaluated, b: Array, chosen: WorkingSet) -> Model:
    """Return the model around the point whose scores, residuals and curvatures ``at`` holds."""
    u, d = np.ascontiguousarray(at.R.T), np.ascontiguousarray(curvatures(objective, at, b).T)
    p = d if objective.joint else None
    h = d if p is None else p * objective.share
    diagonal = h if p is None else h * (1.0 - p)
    slope, curvature = np.empty(len(chosen.flat)), np.empty(len(chosen.flat))
    chosen.block.columns.moments(chosen.column, chosen.output, u, diagonal, slope, curvature)
    return Model(slope, curvature, u.sum(axis=1), diagonal.sum(axis=1), h, p, objective.problem.l2)


@dataclass(slots=True)
class Hold:
    """Damping in models of the squared hinge: ½·μ·‖Δ‖², μ a share of the largest curvature.

    Its curvatures jump to zero where a row's margin is reached, and the model does not see that they come back: without
    a hold the weights of such rows fall to zero at once, or do not move at all.
    """

    share: float = LEAST_HOLD

    def on(self, model: Model, problem: Problem, w: Array, b: Array) -> Model:
        """Return the model with the hold."""
        mu = self.share * float(model.curvature.max(initial=0.0)) or self.share
        slope_b = model.slope_b - mu * b if problem.penalize_bias else model.slope_b
        return replace(model, slope=model.slope - mu * w, slope_b=slope_b, l2=model.l2 + mu)

    def adapt(self, size: float) -> None:
        """Hold less after a whole step, and more after one that had to be shortened much."""
        if size >= 1:
            self.share = max(self.share / 4, LEAST_HOLD)
        elif size <= 0.25:
            self.share = min(self.share * 8, MOST_HOLD)


def newton_rounds(
    objective: Objective, x: Array, at: Evaluated, chosen: WorkingSet, enough: float, hold: Hold
) -> int:
    """Proximal Newton on the working set until its gap is ``enough``; returns the passes over its columns.

    ``at.S`` holds the scores of x, before and after.
    """
    problem = objective.problem
    w, b = x[chosen.flat], objective.split(x)[1].copy()
    value = start = _value(objective, at, w, b)
    passes = 0
    for rounds in range(ROUGH_ROUNDS if chosen.growing else ROUNDS):
        model = quadratic_model(objective, at, b, chosen)
        if rounds and value + _conjugate(objective, at, model) <= enough:
            break
        new_w, new_b = w.copy(), b.copy()
        held = hold.on(model, problem, w, b) if objective.problem.definition.jumps else model
        passes += minimise_model(objective, held, chosen, new_w, new_b)
        dw, db = new_w - w, new_b - b
        along = np.zeros_like(model.h)
        chosen.block.columns.scores(chosen.column, chosen.output, dw, along)
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
        hold.adapt(size)
        if not new <= value + slack:
            at.S = scores
            break
        w, b, value = w + size * dw, b + size * db, new
        if promised <= SMALL * (start - value):
            break
    x[chosen.flat] = w
    if problem.bias:
        objective.split(x)[1][:] = b
    return passes


def _conjugate(objective: Objective, at: Evaluated, model: Model) -> float:
    """Return −D of the residuals, scaled into |z| ≤ l1 on the working set."""
    largest = float(np.abs(model.slope).max(initial=0.0))
    shrink = min(1.0, objective.problem.l1 / largest) if largest > 0 else 1.0
    return float(objective.native.conjugate(at.R * shrink))


def _penalty(problem: Problem, w: Array, b: Array) -> float:
    part = np.concatenate([w, b]) if problem.bias and problem.penalize_bias else w
    return problem.l1 * float(np.abs(part).sum()) + 0.5 * problem.l2 * float((part**2).sum())


def _value(objective: Objective, at: Evaluated, w: Array, b: Array) -> float:
    """P where only the pairs of the working set are non-zero; fills ``at`` from its scores."""
    at.loss = objective.native.loss(at.S, b, at.R, at.D)
    return at.loss + _penalty(objective.problem, w, b)


def minimise_model(objective: Objective, model: Model, chosen: WorkingSet, w: Array, b: Array) -> int:
    """Move w and b to about the minimum of model + penalty; returns the passes."""
    problem = objective.problem
    if model.p is None and not chosen.growing:
        live = np.flatnonzero((w != 0) | (np.abs(model.slope) > AWAKE * problem.l1))
        settled = len(live) <= SETTLED * np.count_nonzero(w)
        if settled and chosen.block.gram_pays(chosen.column[live]):
            return minimise_with_matrix(objective, model, chosen, live, w, b)
    target = max(VIOLATION * _violation(model.slope, problem.l1, model.l2, w), AT_REST * problem.l1)
    return descend(objective, model, chosen, (w, b), target, 0 if chosen.growing else chosen.products)


def descend(
    objective: Objective,
    model: Model,
    chosen: WorkingSet,
    point: tuple[Array, Array],
    target: float,
    products: int,
) -> int:
    """Move w and b by epochs over the columns until violations sum to ``target``, then by conjugate gradient.

    Returns the number of epochs and products.
    """
    (w, b), problem = point, objective.problem
    passes: int = chosen.block.columns.descend(
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
        model.l2,
        problem.penalize_bias,
        target,
        EPOCHS,
        products,
    )
    return passes


def minimise_with_matrix(
    objective: Objective, model: Model, chosen: WorkingSet, live: NDArray[np.int64], whole: Array, b: Array
) -> int:
    """Do the same for a single output, with the matrix XᵀDX of the live pairs; the others stay zero.

    The squared hinge is quadratic where its curvatures do not change, and Newton's method ends there in one step; so
    for it they must be the present ones. A bias without an L1 penalty is eliminated: with β its own entry of the
    matrix and h its others, the best bias answers Δ with −(slope_b + h·Δ)/β, and XᵀDX loses h·hᵀ/β.
    """
    problem = objective.problem
    exact = objective.problem.definition.jumps
    H = chosen.block.gram(chosen.column[live], model.h[0], bias=problem.bias, exact=exact)
    w, slope = whole[live], model.slope[live]
    if not problem.bias:
        whole[live], epochs = _descend(problem.l1, model.l2, H, slope, w)
        return epochs
    slope_b = float(model.slope_b[0])
    if problem.penalize_bias and problem.l1 > 0:
        z, epochs = _descend(problem.l1, model.l2, H, np.append(slope, slope_b), np.append(w, b))
        whole[live], b[0] = z[:-1], z[-1]
        return epochs
    h, beta = H[-1, :-1], float(H[-1, -1])
    if not beta > 0:
        h, beta = np.zeros_like(h), np.inf
    A = H[:-1, :-1] - np.multiply.outer(h, h / H.dtype.type(beta))
    z, epochs = _descend(problem.l1, model.l2, A, slope - h * (slope_b / beta), w)
    b[0] -= (slope_b + objective.dot(h, z - w)) / beta
    whole[live] = z
    return epochs


def _descend(l1: float, l2: float, H: Float, slope: Array, start: Array) -> tuple[Array, int]:
    """Return about the minimum of slope·Δ + ½·ΔᵀHΔ + the penalty of start + Δ, and the epochs."""
    z = start.copy()
    target = max(VIOLATION * _violation(slope, l1, l2, z), AT_REST * l1)
    both = np.full(len(z), l1), np.full(len(z), l2)
    return z, int(_native.descend_gram(np.ascontiguousarray(H), slope, *both, z, target, 500))


def _violation(slope: Array, l1: float, l2: float, w: Array) -> float:
    """Return the sum of the distances of −slope − l2·w from the subgradients of l1·|w|."""
    g = slope + l2 * w
    at_zero = np.maximum(np.abs(g) - l1, 0.0)
    return float(np.where(w == 0, at_zero, np.abs(g + l1 * np.sign(w))).sum())
