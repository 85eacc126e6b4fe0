"""Trust-region Newton (Lin, Weng and Keerthi 2008: "Trust region Newton method for logistic regression").

    s ≈ argmin  q(s) = g·s + ½·s·∇²P·s   within   ‖s‖ ≤ Δ          conjugate gradient, ended early (Steihaug 1983)
    W ← W + s  if P decreased by at least a small share of what q promised;  Δ grows or shrinks with that share

A conjugate-gradient step is one product with the Hessian, i.e. one X·v and one Xᵀ·u; the scores of s come out of
these for free, so that P(W + s) costs no pass. P is taken as a function of W alone, min_b P(W, b): the bias follows
every step, so that shifted columns do no harm. The squared hinge has its generalised Hessian, whose curvatures jump:
where q promised too much, s is followed to the minimum on the way instead of being shortened (Keerthi and DeCoste
2005). Stops on the relative duality gap (`lindy.linear.objective`).
"""

from __future__ import annotations

import numpy as np

from lindy.linear.objective import Array, Evaluated, Objective
from lindy.linear.optimizers._watch import Line, Watch, line_minimum
from lindy.linear.problem import Options, Problem, Solution

POOR = 0.25  # share of the promised decrease below which q is not to be trusted as far as s


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise by Newton steps within a trust region; a round is one step tried."""
    objective = Objective(problem, options.n_jobs)
    watch = Watch(objective, options)
    x = objective.start(options.start)
    at, trial = objective.buffers(), objective.buffers()
    value, gradient = objective.evaluate_best_bias(x, at)
    radius = np.inf
    n_iter = n_products = 0
    watch.record(value)
    while n_iter < options.max_iter and not watch.arrived(x, value, gradient):
        n_iter += 1
        step, scores, promised, products = truncated_step(objective, gradient, at, radius)
        n_products += products
        length = objective.dot(step[: objective.n_weights], step[: objective.n_weights]) ** 0.5
        candidate = x + step
        np.add(at.S, scores, out=trial.S)
        new = objective.value(candidate, trial)
        share = (value - new) / promised if promised > 0 and np.isfinite(new) else -1.0
        if share < POOR and objective.problem.definition.jumps:
            candidate = x.copy()
            np.copyto(trial.S, at.S)
            objective.value(candidate, trial)
            slope = objective.dot(gradient, step)
            new = line_minimum(objective, candidate, Line(step, scores), trial, slope)
            share = 0.5 if new < value else share
        radius = new_radius(share, length, radius)
        if share > 1e-4:
            x = candidate
            at, trial = trial, at
            value = objective.best_bias(x, at)
            gradient = objective.gradient(x, at)
        elif promised <= 1e-15 * value or length == 0:
            break
        watch.record(value)
    solution = watch.solution(x, n_iter)
    solution.details["hessian_products"] = n_products
    return solution


def truncated_step(
    objective: Objective, gradient: Array, at: Evaluated, radius: float
) -> tuple[Array, Array, float, int]:
    """Return s, its scores, the decrease −q(s) that it promises, and the number of Hessian products.

    Ends when the residual of the Newton equation is a tenth of the gradient, or at the edge of the region.
    """
    step = np.zeros_like(gradient)
    scores = np.zeros_like(at.S)
    residual = -gradient
    residual[objective.n_weights :] = 0.0  # the bias follows
    direction = residual.copy()
    square = first = objective.dot(residual, residual)
    products = 0
    while square > 0.01 * first and products < 100:
        product, along = objective.reduced_hessian_vector(direction, at)
        products += 1
        curvature = objective.dot(direction, product)
        inside = curvature > 1e-16 * objective.dot(direction, direction)
        t = square / curvature if inside else np.inf
        edge = _to_edge(objective, step, direction, radius)
        cut = t >= edge
        t = min(t, edge) if np.isfinite(min(t, edge)) else 1.0
        step += t * direction
        scores += t * along
        residual -= t * product
        if cut or not inside:
            break
        new = objective.dot(residual, residual)
        direction *= new / square
        direction += residual
        square = new
    promised = 0.5 * (objective.dot(step, residual) - objective.dot(step, gradient))
    if objective.problem.bias:
        step[objective.n_weights :] = objective.following_bias(scores, at)
    return step, scores, promised, products


def _to_edge(objective: Objective, step: Array, direction: Array, radius: float) -> float:
    """Return t ≥ 0 with ‖step + t·direction‖ = radius."""
    if not np.isfinite(radius):
        return np.inf
    a = objective.dot(direction, direction)
    b = objective.dot(step, direction)
    c = radius * radius - objective.dot(step, step)
    root = max(b * b + a * c, 0.0) ** 0.5
    return float(c / (b + root) if b > 0 else (root - b) / a)


def new_radius(share: float, length: float, radius: float) -> float:
    """Shrink the region to where q can be trusted, or let it grow."""
    if share < POOR:
        return 0.25 * min(length, radius)
    if share > 0.75:
        return max(radius if np.isfinite(radius) else 0.0, 4.0 * length)
    return radius
