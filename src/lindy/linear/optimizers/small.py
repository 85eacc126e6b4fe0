"""Small problems without a penalty: the end of the path of L2 penalties, to the last digits.

    W_λ = argmin  mean loss + ½·λ·‖W‖²,        λ = λ₀, λ₀/10, λ₀/100, …   until   λ·‖W_λ‖ ≤ tol·‖∇P(0)‖

λ·‖W_λ‖ is the norm of the gradient without the penalty, so this is the end that every solver without a penalty has.
But many weights meet it: the minimiser may not be unique (fewer rows than weights) or not finite (classes that can be
separated), and what an iterative method finds is then decided by its rounding errors. W_λ is unique, and Newton's
method with the whole Hessian finds it to rounding errors divided by λ: rows given twice and rows of weight 2 give the
same model. For separable classes its direction tends to that of the largest margin (Rosset, Zhu and Hastie 2004).
Where the weights have come to rest, λ shrinks on until there are no more digits to gain.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from lindy.linear.objective import Array, Objective
from lindy.linear.optimizers._watch import Watch
from lindy.linear.optimizers.dual_finish import System
from lindy.linear.optimizers.proximal_newton import EXACT
from lindy.linear.problem import Options, Problem, Solution

MOST_UNKNOWNS, MOST_WORK = 300, 1 << 20  # and the most rows × unknowns²: a Hessian costs no time then
FACTOR = 0.1  # from one λ to the next
AT_REST = 0.1  # relative change of the weights from one λ to the next, up to which they have a finite limit
HOLD, ROUNDS = 1e-10, 3  # of the bias, by a quadratic around its last value, which a few rounds make vanish


def is_small(problem: Problem, options: Options) -> bool:
    """Whether Hessians cost nothing worth counting; an earlier solution is a better start than the path."""
    unknowns = (problem.X.n_columns + 1) * problem.n_outputs
    tiny = unknowns <= MOST_UNKNOWNS and unknowns**2 * problem.X.shape[0] <= MOST_WORK
    return tiny and problem.l1 == problem.l2 == 0 and options.start is None


def follow_path(problem: Problem, options: Options) -> Solution:
    """Minimise without a penalty; a round is one λ."""
    objective = Objective(replace(problem, penalize_bias=False), options.n_jobs)
    watch = Watch(objective, options)
    x, reached, n_iter = np.zeros(objective.size), False, 0
    strength = at_zero = objective.gradient_at_zero
    while n_iter < options.max_iter and strength > 0:
        n_iter += 1
        before, x = x, minimiser(objective, x, strength)
        w, change = x[: objective.n_weights], (x - before)[: objective.n_weights]
        length = objective.dot(w, w) ** 0.5
        if not np.isfinite(x).all() or (reached and objective.dot(change, change) ** 0.5 > AT_REST * length):
            x = before
            break
        watch.record(objective.evaluate(x, objective.buffers())[0])
        reached = strength * length <= options.tol * at_zero
        if strength * length <= min(options.tol, EXACT) * at_zero:
            break
        strength *= FACTOR
    return watch.solution(x, n_iter)


def minimiser(objective: Objective, start: Array, strength: float) -> Array:
    """Return the x that minimises P + ½·strength·‖W‖², from a start."""
    problem, K = objective.problem, objective.n_outputs
    X = problem.X.to_dense().astype(np.float64)
    penalty = np.full(X.shape[1], strength)
    if problem.bias:
        X, penalty = np.hstack([X, np.ones((len(X), 1))]), np.append(penalty, HOLD)
    at, diagonal = objective.buffers(), np.arange(K)

    def pieces(S: Array) -> tuple[float, Array, Array]:
        value = objective.native.loss(np.ascontiguousarray(S), np.zeros(K), at.R, at.D)
        H = np.zeros((len(X), K, K))
        if objective.joint:
            H -= objective.share[:, None, None] * at.D[:, :, None] * at.D[:, None, :]
            H[:, diagonal, diagonal] += objective.share[:, None] * at.D
        else:
            H[:, diagonal, diagonal] = at.D
        return value, at.R.copy(), H

    theta = start.reshape(X.shape[1], K)
    with np.errstate(all="ignore"):
        for _ in range(ROUNDS if problem.bias else 1):
            center = theta if problem.bias else np.zeros_like(theta)
            theta = System(X, penalty, center).minimise(theta, pieces)
    return theta.ravel()
