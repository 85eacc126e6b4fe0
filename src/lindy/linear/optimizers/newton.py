"""Newton's method with exact steps along the line.

    s ≈ −(∇²P)⁻¹·∇P,        W ← W + t·s,    t = argmin_t P(W + t·s)

**The direction.** ∇²P = XᵀDX + l2 is factored (Cholesky) where that is cheap, as for tables of few columns, and s is
exact. An expensive factor is kept for later steps, whose equations conjugate gradient solves with it as preconditioner,
until the products with ∇²P have cost as much as another factor: that costs at most twice as much as the best plan.
Where not even one factor is affordable, the diagonal is the preconditioner. One-vs-rest losses have one matrix per
output. Softmax has one for all outputs, or, where that is too large, its diagonal blocks as preconditioner.

**The start.** Far from the optimum a step of the squared hinge mostly finds out which rows have a loss at all. Where
factors are expensive, a few passes of dual coordinate ascent find that out before; a pass costs about as much as a
gradient.

**The step.** The scores are linear along s, so that P(W + t·s) needs no pass over X: t is found by Newton's method in
one dimension, of each output its own if the outputs do not depend on each other. That makes the squared hinge, whose
curvatures jump, as safe as the log losses (Keerthi and DeCoste 2005).

Stops on the relative duality gap (`lindy.linear.objective`). Without a penalty there is none, and the minimiser may not
be unique or not be finite; there the method follows the path

    W_λ = argmin  mean loss + ½·λ·‖W‖²,        λ = λ₀, λ₀/10, λ₀/100, …   until   λ·‖W_λ‖ ≤ tol·‖∇P(0)‖

λ·‖W_λ‖ is the norm of the gradient without the penalty. W_λ is unique: rows given twice and rows of weight 2 lead to
the same model, and for separable classes its direction tends to that of the largest margin (Rosset, Zhu and Hastie
2004).
Where the weights have come to rest, λ shrinks on until there are no more digits to gain.

Lin, Weng and Keerthi 2008, Trust region Newton method for logistic regression; Nocedal and Wright 2006, chapter 7.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from lindy.linear.objective import Array, Evaluated, Objective
from lindy.linear.optimizers import dual
from lindy.linear.optimizers._watch import Watch
from lindy.linear.problem import Options, Problem, Solution

EXPECTED = 10  # products with ∇²P that conjugate gradient takes for a direction at the least
MOST_PRODUCTS = 100  # and those after which a direction counts as good enough
RESIDUAL = 0.1  # of the equation, up to which conjugate gradient solves it
START = 0.1  # share of the cost of a step's factors that passes of dual coordinate ascent may take before
REST = 0.01  # an output whose part of the gap is this share of the mean part waits for the others
FLAT = 0.1  # share of its first slope, at which P is at its minimum along a line
SMALL = 1e6  # operations that take no time worth counting
HOLD = 1e-12  # of a free bias in ∇²P, whose own curvature is about 1 or, of hinges, may vanish
NARROW = 1e-6  # relative length of an interval within which it makes no difference
MEMORY = 1 << 24  # the most entries of a factor: 128 MB
DIGITS = 1e-14  # share of P, or of 1, about the loss of W = 0, below which a change is rounding
SHORTER = 0.25  # of the gradient's square, with which a step without a visible decrease is still one
TINY = 1 << 12  # rows × weights up to which the last digits cost nothing
EXACT = 1e-10  # share of the gradient at which weights without a penalty have no more digits to gain
SMALLER = 0.1  # from one λ to the next
AT_REST = 0.1  # relative change of the weights from one λ to the next, up to which they have a finite limit


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise by Newton steps; a round is one step, or without a penalty one λ."""
    if problem.l2 == 0:
        return follow_path(problem, options)
    objective = Objective(problem, options.n_jobs)
    watch = Watch(objective, options)
    equations = Equations(objective)
    start = options.start
    passes = equations.first_passes()
    if start is None and passes > 1 and problem.definition.jumps:
        start = dual.solve(problem, replace(options, max_iter=passes))
    x = objective.start(start)
    tiny = objective.n_rows * objective.size <= TINY
    n_iter = descend(equations, x, never if tiny else watch.arrived, options.max_iter, watch.record)
    solution = watch.solution(x, n_iter)
    if watch.dual_point is not None and not objective.joint:
        solution.details["dual"] = np.abs(watch.dual_point) / problem.l2
        solution.details["C"] = objective.share / problem.l2
    return solution


def follow_path(problem: Problem, options: Options) -> Solution:
    """Minimise without a penalty."""
    objective = Objective(replace(problem, penalize_bias=False), options.n_jobs)
    watch = Watch(objective, options)
    x, n_iter, reached = objective.start(options.start), 0, False
    strength = at_zero = objective.gradient_at_zero
    if options.start is not None and watch.prove(x).reached:
        return watch.solution(x, 0)
    while n_iter < options.max_iter and strength > 0:
        n_iter += 1
        before, x = x, x.copy()
        with_penalty = Objective(replace(objective.problem, l2=strength), options.n_jobs)
        descend(Equations(with_penalty), x, never, options.max_iter)
        w, change = x[: objective.n_weights], (x - before)[: objective.n_weights]
        length = objective.dot(w, w) ** 0.5
        if not np.isfinite(x).all() or (reached and objective.dot(change, change) ** 0.5 > AT_REST * length):
            x = before
            break
        watch.record(objective.evaluate(x, objective.buffers())[0])
        reached = strength * length <= options.tol * at_zero
        if strength * length <= min(options.tol, EXACT) * at_zero:
            break
        strength *= SMALLER
    return watch.solution(x, n_iter)


def never(x: Array, value: float, gradient: Array) -> bool:  # noqa: ARG001
    """Go on as long as P decreases."""
    return False


def descend(
    equations: Equations,
    x: Array,
    arrived: Callable[[Array, float, Array], bool],
    max_iter: int,
    record: Callable[[float], None] | None = None,
) -> int:
    """Take Newton steps from x, which is moved, until arrived(x, P, ∇P) or P decreases no more; returns how many."""
    objective = equations.objective
    at = objective.buffers()
    if objective.joint:  # what all outputs have in common changes no loss: without it the penalty is least
        whole = x.reshape(-1, objective.n_outputs)
        whole -= whole.mean(axis=1, keepdims=True)
    objective.native.scores(objective.split(x)[0], at.S)
    value = objective.value(x, at)
    gradient = objective.gradient(x, at)
    n_iter = 0
    record = record or (lambda _: None)
    record(value)
    while n_iter < max_iter and not arrived(x, value, gradient):
        n_iter += 1
        step = equations.direction(gradient, at)
        if not np.isfinite(step).all():
            break
        before, length, old = value, objective.dot(gradient, gradient), x.copy()
        value = line_minimum(objective, x, step, gradient, at)
        if value > before:  # the slope turned at once and is flat since: back to where it is still negative
            x[:] = old
            objective.native.scores(objective.split(x)[0], at.S)
            value = line_minimum(objective, x, step, gradient, at, overshoot=False)
        gradient = objective.gradient(x, at)
        # when P has no more digits to tell better from worse, the gradient still has
        noise = DIGITS * max(before, 1.0)
        clear = value < before - noise
        closer = value <= before + noise and objective.dot(gradient, gradient) < SHORTER * length
        if not (clear or closer):
            if not value < before:
                x[:] = old
            break
        value = min(value, before)
        record(value)
    return n_iter


class Equations:
    """Solves ∇²P·s = −∇P at one point after the other; costs are counted in operations, or vectors of eight of them."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        problem, K = objective.problem, objective.n_outputs
        M = objective.n_features + problem.bias
        self.shape = (M, K)
        self.penalty = np.full(M, problem.l2)
        if objective.free_bias:
            self.penalty[-1] = HOLD
        self.form = objective.native.form_cost(problem.bias) if K * M * M <= MEMORY else np.inf
        self.product = 2.0 * len(problem.X.values) * (1 + K / 8) + objective.n_rows * K
        self.solution = K * M**2 / 8 if self.form < np.inf else 0.0
        blocks = K * (self.form + M**3 / 48) + EXPECTED * (self.product + self.solution)
        whole = K * (K + 1) / 2 * self.form + (M * K) ** 3 / 48
        self.whole = objective.joint and (M * K) ** 2 <= MEMORY and whole <= max(blocks, SMALL)
        self.exact = self.whole or not objective.joint
        self.rented = 0.0  # the cost of the products since the last factor
        self.factored = False
        self.diagonal = np.ones(self.shape)

    def first_passes(self) -> int:
        """Return how many passes of dual coordinate ascent cost START of the factors of all blocks."""
        M, K = self.shape
        return int(START * K * (self.form + M**3 / 48) / self.product) if self.form < np.inf else 0

    def direction(self, gradient: Array, at: Evaluated) -> Array:
        """Return s where ``at`` holds the curvatures; it is 0 for outputs that add next to nothing to the gap."""
        square = self.inner(gradient, gradient)
        rests = square <= REST * square.mean()
        if rests.any():
            gradient = np.where(rests, 0.0, gradient.reshape(self.shape)).ravel()
        if self.price(at.D) <= self.rented + EXPECTED * self.product:
            self.factor(at, rests)
            if self.exact:
                return -self.solve(gradient)
        elif not self.factored:
            self.objective.native.hessian_diagonal(at.D, self.diagonal)
            self.diagonal += self.penalty[:, None]
        return self.conjugate_gradient(gradient, at)

    def price(self, D: Array) -> float:
        """Return the cost of a factor: rows without curvature take no part in it, and equal blocks are made once."""
        M, K = self.shape
        if self.whole:
            return K * (K + 1) / 2 * self.form + (M * K) ** 3 / 48
        if not self.factored:  # at the start all rows have the same
            return self.form + M**3 / 48
        return np.count_nonzero(D) / len(D) * self.form + K * M**3 / 48

    def factor(self, at: Evaluated, rests: NDArray[np.bool_]) -> None:
        """Factor ∇²P, or its blocks; those that rest have no rows, which takes no time, where that is cheap."""
        cheap = self.price(at.D) <= EXPECTED * self.product
        D = np.where(rests, 0.0, at.D) if cheap and rests.any() else at.D
        self.objective.native.factor(D, self.penalty, self.whole)
        self.factored, self.rented = True, 0.0

    def solve(self, r: Array) -> Array:
        """Return r times the inverse of what was factored, or of the diagonal."""
        R = r.reshape(self.shape)
        z = np.divide(R, self.diagonal, out=np.zeros(self.shape), where=self.diagonal > 0)
        if self.factored:
            self.objective.native.factor_solve(R, z)
        if self.objective.joint:  # what all outputs have in common stays 0
            z -= z.mean(axis=1, keepdims=True)
        return z.ravel()

    def inner(self, a: Array, b: Array) -> Array:
        """Return a·b of every output, or of all together where they depend on each other."""
        products = a.reshape(self.shape) * b.reshape(self.shape)
        sums: Array = products.sum(axis=None if self.objective.joint else 0, keepdims=True)
        return sums

    def times(self, a: Array, t: Array) -> Array:
        """Return a with every output times its own number."""
        return (a.reshape(self.shape) * t).ravel()

    def hessian_times(self, v: Array, at: Evaluated) -> Array:
        """Return ∇²P·v."""
        self.rented += self.product + self.solution
        out, V = np.empty(self.shape), v.reshape(self.shape)
        self.objective.native.hessian_times(at.D, V, out)
        out += self.penalty[:, None] * V
        return out.ravel()

    def conjugate_gradient(self, gradient: Array, at: Evaluated) -> Array:
        """Return s by preconditioned conjugate gradient, all outputs at once."""
        step, r = np.zeros_like(gradient), -gradient
        p = z = self.solve(r)
        square = first = self.inner(r, z)
        for _ in range(MOST_PRODUCTS):
            q = self.hessian_times(p, at)
            bend = self.inner(p, q)
            t = np.divide(square, bend, out=np.zeros_like(square), where=(bend > 0) & (square > 0))
            step += self.times(p, t)
            r -= self.times(q, t)
            z = self.solve(r)
            new = self.inner(r, z)
            if not (new > RESIDUAL**2 * first).any():
                break
            p = z + self.times(p, np.divide(new, square, out=np.zeros_like(new), where=square > 0))
            square = new
        return step


def line_minimum(
    objective: Objective, x: Array, step: Array, gradient: Array, at: Evaluated, *, overshoot: bool = True
) -> float:
    """Move x and ``at`` to about the minimum of P along the step, per output if they are independent; returns P there.

    Without ``overshoot`` it ends before the minimum, where P is lower than at the start for sure.

    φ′(t) rises along the line: the minimum lies between the last t where it was negative and the last where it was
    positive, and Newton's steps that leave this interval are replaced by its middle.
    """
    shape = (-1, objective.n_outputs)
    axis = None if objective.joint else 0
    scores = objective.scores(objective.split(step)[0])
    along = scores + objective.split(step)[1]
    w, s = objective.penalised(x).reshape(shape), objective.penalised(step).reshape(shape)
    l2 = objective.problem.l2
    pull, bend = l2 * (w * s).sum(axis=axis), l2 * (s * s).sum(axis=axis)
    first = np.abs((gradient.reshape(shape) * step.reshape(shape)).sum(axis=axis))
    slope, curve = np.empty(objective.n_outputs), np.empty(objective.n_outputs)
    t, low, high = np.where(first > 0, 1.0, 0.0), np.zeros_like(first), np.full_like(first, np.inf)
    b = objective.split(x)[1]
    for _ in range(50):
        objective.native.line(at.S, b, along, np.full(objective.n_outputs, t), slope, curve)
        f = (slope[0] if objective.joint else slope) + pull + t * bend
        flat = ((np.abs(f) <= FLAT * first) & (overshoot | (f <= 0))) | (first == 0)
        if flat.all():
            break
        low, high = np.where(f <= 0, t, low), np.where(f > 0, t, high)
        c = (curve[0] if objective.joint else curve) + bend
        new = np.minimum(t - np.divide(f, c, out=np.full_like(t, -np.inf), where=c > 0), 4 * t)
        outside = ~((new > low) & (new < high))
        middle = np.where(np.isfinite(high), 0.5 * (low + high), 4 * t)
        t = np.where(flat, t, np.where(outside, middle, new))
        if (flat | (np.isfinite(high) & (high - low <= NARROW * high))).all():
            break
    x += (step.reshape(shape) * t).ravel()
    at.S += t * scores
    return objective.value(x, at)
