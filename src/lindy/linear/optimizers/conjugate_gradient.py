"""Nonlinear conjugate gradient (Polak and Ribière 1969, with restarts).

    d ← −g + max(0, g·(g − g′) / (g′·g′))·d,     W ← W + t·d,   t ≈ argmin_t P(W + t·d)

where g′ is the gradient of the round before. The line minimum is Newton's method on the scores, which needs no
pass over the data: one round is one product X·d and one product Xᵀ·R. The bias is set to its best value after
every step. Stops on the relative duality gap (`lindy.linear.objective`).
"""

from __future__ import annotations

import numpy as np

from lindy.linear.objective import Objective
from lindy.linear.optimizers._watch import Line, Watch, line_minimum
from lindy.linear.problem import Options, Problem, Solution


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise along conjugate directions."""
    objective = Objective(problem, options.n_jobs)
    watch = Watch(objective, options)
    x = objective.start(options.start)
    at = objective.buffers()
    value, gradient = objective.evaluate_best_bias(x, at)
    direction = -gradient
    n_iter = 0
    watch.record(value)
    while n_iter < options.max_iter and not watch.arrived(x, value, gradient):
        n_iter += 1
        slope = objective.dot(gradient, direction)
        if slope >= 0:
            direction = -gradient
            slope = -objective.dot(gradient, gradient)
        if not np.isfinite(slope):
            break
        if not line_minimum(objective, x, Line.along(objective, direction, at), at, slope) < value:
            break
        value = objective.best_bias(x, at)
        before, gradient = gradient, objective.gradient(x, at)
        beta = objective.dot(gradient, gradient - before) / objective.dot(before, before)
        direction = -gradient + max(0.0, beta) * direction
        watch.record(value)
    return watch.solution(x, n_iter)
