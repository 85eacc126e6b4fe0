"""The inner problem of the method of multipliers: proximal Newton on a working set.

    minimise  F(W, b) = Σ_i envelope_i(S_i; a_i, σ) + l1·‖W‖₁ + ½·l2·‖W‖² + ½·μ·‖W − W_old‖²,     S = XW + b

As in `proximal_newton.py`, the weights that are not zero and the zero ones whose slope exceeds l1 are the working set,
and the quadratic model of the envelopes is minimised over it: coordinate descent finds zeros and signs, then conjugate
gradient, or where the weights are few or close to their end a Cholesky factor, moves the others together. The term in μ
is an L2 penalty of l2 + μ and a linear term −μ·W_old·W; it bounds the model where rows have no curvature.

**Secants.** A row whose v was projected to a bound has no curvature, though its multiplier lies inside: the steps that
Newton's method takes from there are far too long. In the first steps of a round the curvature of a row is therefore
(v − a) / slack, the slope of the line from here to slack = 0, which is σ·c where nothing was projected.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.linear.objective import Array, Products
from lindy.linear.optimizers.hinges import Hinges, Smoothed
from lindy.linear.optimizers.proximal_newton import Model, descend, minimise_model
from lindy.linear.optimizers.working_set import Block, WorkingSet, choose_pairs
from lindy.linear.problem import Problem

SUFFICIENT = 1e-4  # share of the decrease that the slope promises, for a whole step (Armijo)
FLAT, NARROW = (
    0.1,
    0.1,
)  # a step ends where F's slope is that share of its first, or its end known to that share
EXPANSIONS = 10  # the most working sets of one round
STEPS, ROUGH_STEPS = 30, 2  # the most Newton steps on one working set, and on one that must grow
SECANTS = 3  # of these steps with secants instead of curvatures
PRODUCTS = 48  # of conjugate gradient, the most for one model
# so many weights are always moved by a Cholesky factor, or more once slopes are off by the share CLOSE of l1
FEW, MANY, CLOSE = 300, 1500, 0.01
SOLVES = 5  # with other signs, for one model


class Inner:
    """The present point, the multipliers, σ and μ; also what the kernels of proximal Newton ask of an objective."""

    loss = (
        "squared_hinge"  # to those kernels: its curvatures jump, so that a matrix must have the present ones
    )

    def __init__(self, problem: Problem, hinges: Hinges, products: Products, block: Block) -> None:
        self.whole = self.problem = problem
        self.hinges, self.products_of, self.block = hinges, products, block
        self.n_rows, self.n_outputs = hinges.rho.shape
        self.n_weights = problem.X.n_columns * self.n_outputs
        self.free_bias = problem.bias and not problem.penalize_bias
        self.hit_bias = problem.bias and problem.penalize_bias
        self.W = np.zeros((problem.X.n_columns, self.n_outputs))
        self.b = np.zeros(self.n_outputs)
        self.S = np.zeros((self.n_rows, self.n_outputs))  # XW
        self.a = hinges.start()
        self.sigma, self.mu = 1.0, 0.0
        self.old, self.old_b = self.W, self.b
        self.products = PRODUCTS
        self.passes = 0

    @cached_property
    def rows(self) -> Any:
        """X as a SciPy matrix."""
        return self.whole.X.to_scipy().astype(np.float64)

    def dot(self, a: Array, b: Array) -> float:
        """Return a·b with bits that do not depend on the BLAS."""
        return float(_native.dot(a, b, 1))

    def envelope(self) -> Smoothed:
        """Return the envelope at the present point."""
        return self.hinges.envelope(self.S + self.b, self.a, self.sigma)

    def penalty(self, W: Array, b: Array) -> float:
        """Return l1·‖W‖₁ + ½·l2·‖W‖², with b where it is penalised."""
        part = np.append(W, b) if self.hit_bias else W.ravel()
        return self.whole.l1 * float(np.abs(part).sum()) + 0.5 * self.whole.l2 * self.dot(part, part)

    def proximal_penalty(self, w: Array, b: Array, flat: NDArray[np.int64]) -> float:
        """Return the penalty of the pairs with their term in μ, up to a constant."""
        value = self.penalty(w, b) + self.mu * (0.5 * self.dot(w, w) - self.dot(w, self.old.ravel()[flat]))
        if self.hit_bias:
            value += self.mu * (0.5 * self.dot(b, b) - self.dot(b, self.old_b))
        return value


def minimise_inner(inner: Inner, target: float) -> bool:
    """Minimise F until no slope is off by more than ``target``; tells whether that was reached."""
    l1 = inner.whole.l1
    inner.old, inner.old_b = inner.W.copy(), inner.b.copy()
    solved = False
    for expansion in range(EXPANSIONS):
        slopes = inner.products_of.transposed_times(inner.envelope().U) + inner.mu * (inner.W - inner.old)
        outside = np.abs(slopes[inner.W == 0]).max(initial=0.0)
        if expansion and outside <= l1 + target:
            return solved
        inner.problem = inner.whole
        chosen = choose_pairs(inner, inner.W.ravel(), slopes.ravel(), inner.block)
        chosen.products = inner.products
        solved = newton_steps(inner, chosen, target)
    return False


def newton_steps(inner: Inner, chosen: WorkingSet, target: float) -> bool:
    """Proximal Newton on the working set until its slopes are right to ``target``; tells whether they are."""
    problem = inner.problem = replace(inner.whole, l2=inner.whole.l2 + inner.mu)
    flat = chosen.flat
    w, b = inner.W.ravel()[flat], inner.b.copy()
    near = inner.envelope()
    value = near.value + inner.proximal_penalty(w, b, flat)
    for step in range(ROUGH_STEPS if chosen.growing else STEPS):
        if step < SECANTS and near.p is None:
            near.h = secants(inner, near, b)
        model = quadratic_model(inner, near, chosen)
        off = violations(model.slope + problem.l2 * w, w, problem.l1).max(initial=0.0)
        off_b = np.abs(model.slope_b).max() if inner.free_bias else 0.0
        if inner.hit_bias:
            off_b = violations(model.slope_b + problem.l2 * b, b, problem.l1).max()
        if step and max(off, off_b) <= target:
            break
        new_w, new_b = w.copy(), b.copy()
        minimise(inner, model, near, chosen, (new_w, new_b), exact=off <= CLOSE * (problem.l1 or target))
        dw, db = new_w - w, new_b - b
        along = np.zeros_like(model.h)
        chosen.block.columns.scores(chosen.column, chosen.output, dw, along)
        along = np.ascontiguousarray(along.T)
        size, near = step_length(inner, chosen, value, (w, b), (dw, db), along)
        new = near.value + inner.proximal_penalty(w + size * dw, b + size * db, flat)
        # where F cannot resolve the decrease any more, a step is right as long as it does no visible harm
        if not new <= value + 2e-15 * abs(value):
            break
        inner.S = inner.S + size * along
        w, b, value = w + size * dw, b + size * db, new
    inner.W.ravel()[flat] = w
    inner.b = b
    return bool(max(off, off_b) <= target)


def step_length(
    inner: Inner,
    chosen: WorkingSet,
    value: float,
    point: tuple[Array, Array],
    step: tuple[Array, Array],
    along: Array,
) -> tuple[float, Smoothed]:
    """Return 1 if the whole step lowers F enough, else about the minimum of F on the way; and the envelope there.

    Only a whole step makes weights zero. F is convex and its slope along the way cheap: the zero of the slope is
    enclosed by secants.
    """
    (w, b), (dw, db) = point, step
    problem, way = inner.problem, (along + db).ravel()
    old = inner.old.ravel()[chosen.flat]

    def at(t: float) -> tuple[float, Smoothed]:
        near = inner.hinges.envelope(inner.S + t * along + (b + t * db), inner.a, inner.sigma)
        slope = inner.dot(near.U.ravel(), way) + _slope(w + t * dw, dw, problem, inner.mu * old)
        if inner.hit_bias:
            slope += _slope(b + t * db, db, problem, inner.mu * inner.old_b)
        return slope, near

    first = at(0.0)[0]
    high_slope, near = at(1.0)
    whole = near.value + inner.proximal_penalty(w + dw, b + db, chosen.flat)
    if whole <= value + SUFFICIENT * first or high_slope <= 0:
        return 1.0, near
    low, low_slope, high = 0.0, first, 1.0
    # F is smaller wherever its slope is still negative, however steeply it rises behind
    while high > 1e-12 and not (low > 0 and (high - low <= NARROW * high or low_slope >= FLAT * first)):
        secant = low + (high - low) * low_slope / min(low_slope - high_slope, -1e-300)
        inside = 0.1 * (high - low)
        t = min(max(secant, low + inside), high - inside)
        slope, trial = at(t)
        if slope <= 0:
            low, low_slope, near = t, slope, trial
        else:
            high, high_slope = t, slope
    return low, near


def _slope(w: Array, dw: Array, problem: Problem, linear: Array) -> float:
    """Return the derivative of l1·|w| + ½·l2·w² − linear·w along dw."""
    sign = np.where(w != 0, np.sign(w), np.sign(dw))
    return float((dw * (problem.l1 * sign + problem.l2 * w - linear)).sum())


def secants(inner: Inner, near: Smoothed, b: Array) -> Array:
    """Return (v − a) / slack of the rows, for one output."""
    slack = inner.hinges.slack(inner.S + b)
    most = inner.sigma * inner.hinges.c[:, None]
    h = np.divide(near.v - inner.a, slack, out=near.h.copy(), where=np.abs(slack) > 1e-9)
    clipped: Array = np.clip(h, 0.0, most)
    return clipped


def violations(g: Array, w: Array, l1: float) -> Array:
    """Return the distances of −g from the subgradients of l1·|w|."""
    at_zero = np.maximum(np.abs(g) - l1, 0.0)
    off: Array = np.where(w == 0, at_zero, np.abs(g + l1 * np.sign(w)))
    return off


def quadratic_model(inner: Inner, near: Smoothed, chosen: WorkingSet) -> Model:
    """Return the model of F without its L1 and L2 penalties, whose weight is l2 + μ."""
    u, h = np.ascontiguousarray(near.U.T), np.ascontiguousarray(near.h.T)
    p = None if near.p is None else np.ascontiguousarray(near.p.T)
    diagonal = h if p is None else h * (1.0 - p)
    slope, curvature = np.empty(len(chosen.flat)), np.empty(len(chosen.flat))
    chosen.block.columns.moments(chosen.column, chosen.output, u, diagonal, slope, curvature)
    slope -= inner.mu * inner.old.ravel()[chosen.flat]
    slope_b = u.sum(axis=1)
    if inner.hit_bias:
        slope_b -= inner.mu * inner.old_b
    return Model(slope, curvature, slope_b, diagonal.sum(axis=1), h, p, inner.problem.l2)


def minimise(
    inner: Inner,
    model: Model,
    near: Smoothed,
    chosen: WorkingSet,
    point: tuple[Array, Array],
    *,
    exact: bool,
) -> None:
    """Move w and b to about the minimum of model + penalty, or with Cholesky factors to the minimum itself."""
    w, b = point
    n_free = np.count_nonzero(w)
    if chosen.growing or n_free > MANY or not (exact or n_free <= FEW):
        inner.passes += minimise_model(inner, model, chosen, w, b)
        return
    start = w.copy(), b.copy()
    if inner.whole.l1 > 0:
        inner.passes += descend(inner, model, chosen, point, 0.0, 0)  # zeros and signs
    live = np.flatnonzero((start[0] != 0) | (w != 0)) if inner.whole.l1 > 0 else np.arange(len(w))
    if len(live) or inner.whole.bias:
        factor_steps(inner, model, near, chosen, live, start, point)


def factor_steps(
    inner: Inner,
    model: Model,
    near: Smoothed,
    chosen: WorkingSet,
    live: NDArray[np.int64],
    start: tuple[Array, Array],
    point: tuple[Array, Array],
) -> None:
    """Newton's steps on the model of the live pairs, which ends when no sign changes.

    With the signs held the model is a quadratic; the step to its minimum is gone as far as the model itself, with |w|
    instead of the signs, goes down.
    """
    from scipy.linalg import LinAlgError, cho_factor, cho_solve

    problem, m = inner.problem, len(live)
    H = curvature_matrix(inner, near, chosen, live)
    bias = problem.bias
    origin, z = (np.append(w[live], b) if bias else w[live] for w, b in (start, point))
    slope = np.append(model.slope[live], model.slope_b) if bias else model.slope[live]
    reached = np.append(np.ones(m), np.full(len(H) - m, float(inner.hit_bias)))
    l1, l2 = problem.l1 * reached, problem.l2 * reached
    damping = np.where(l2 > 0, l2, inner.mu)
    for _ in range(SOLVES):
        free = np.flatnonzero((z != 0) | (l1 == 0))
        g = slope + H @ (z - origin) + l2 * z
        A = H[np.ix_(free, free)]
        A[np.diag_indices_from(A)] += damping[free]
        d = np.zeros_like(z)
        try:
            factor = cho_factor(A, lower=True, overwrite_a=True)
            d[free] = -cho_solve(factor, (g + l1 * np.sign(z))[free])
        except (
            LinAlgError,
            ValueError,
        ):  # not positive definite, or not finite: what coordinate descent found stands
            break
        bend = inner.dot(d, H @ d) + inner.dot(l2 * d, d)
        t = line_minimum(z, d, l1, inner.dot(g, d), bend)
        moved = z + t * d
        moved[(l1 > 0) & (np.abs(moved) <= 1e-12 * np.abs(t * d))] = 0.0
        kept = t == 1.0 and bool((np.sign(moved) == np.sign(z))[l1 > 0].all())
        z = moved
        if kept:
            break
    point[0][live] = z[:m]
    if bias:
        point[1][:] = z[m:]


def line_minimum(z: Array, d: Array, l1: Array, slope: float, bend: float) -> float:
    """Return the t in [0, 1] that minimises slope·t + ½·bend·t² + Σ l1·|z + t·d|.

    The slope grows along the line, by 2·l1·|d| at each zero of z + t·d: the minimum is where it changes its sign.
    """
    moving = (d != 0) & (l1 > 0)
    with np.errstate(over="ignore"):  # a zero that is infinitely far away is never reached
        zeros = np.divide(-z, d, out=np.full_like(z, np.inf), where=moving)
    slope += float((l1 * d * np.where(z != 0, np.sign(z), np.sign(d))).sum())
    inside = np.flatnonzero((zeros > 0) & (zeros < 1))
    for j in inside[np.argsort(zeros[inside], kind="stable")]:
        if slope + bend * zeros[j] >= 0:
            break
        slope += 2 * float(l1[j]) * abs(float(d[j]))
        if slope + bend * zeros[j] >= 0:
            return float(zeros[j])
    return min(max(-slope / bend, 0.0), 1.0) if bend > 0 else 1.0


def curvature_matrix(inner: Inner, near: Smoothed, chosen: WorkingSet, live: NDArray[np.int64]) -> Array:
    """Return the curvature of the envelopes in the live pairs, then in the bias.

    One output: XᵀDX. Crammer–Singer: per class the same, less Σ_i σ_i·q_i·q_iᵀ / |M_i| with q_i the row repeated for
    the classes in M_i.
    """
    bias, m, K = inner.whole.bias, len(live), inner.n_outputs
    if near.p is None:
        H = np.empty((m + bias,) * 2)
        chosen.block.columns.gram(chosen.column[live], np.ascontiguousarray(near.h[:, 0]), bias, 0, H)
        return H
    feature, output = chosen.flat[live] // K, chosen.flat[live] % K
    moves = near.h > 0
    shared = np.flatnonzero(moves.sum(axis=1) > 1)
    X = inner.rows[shared]
    H = np.zeros((m + K * bias,) * 2)
    Q = np.zeros((len(shared), len(H)))
    for k in range(K):
        mine = np.flatnonzero(output == k)
        where = np.append(mine, m + k) if bias else mine
        part = X[:, feature[mine]].toarray()
        part = np.hstack([part, np.ones((len(shared), 1))]) if bias else part
        part *= np.sqrt(near.h[shared, k])[:, None]
        H[np.ix_(where, where)] = part.T @ part
        Q[:, where] = part / np.sqrt(moves[shared].sum(axis=1))[:, None]
    difference: Array = H - Q.T @ Q
    return difference
