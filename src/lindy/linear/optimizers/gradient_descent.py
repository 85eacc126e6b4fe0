"""Batch gradient descent with Armijo's rule (LxMLS, Algorithm 4).

    W ← W − η·∇P(W),   η the first of η₀, η₀/2, η₀/4, … with   P(W − η·∇P) ≤ P(W) − c·η·‖∇P‖²

The scores are linear along the step, so that trying another η costs no pass over the data: one round is one
product X·∇P and one product Xᵀ·R. The next round begins with twice the step that was taken. The bias is set to its
best value after every step. Stops on the relative duality gap (`lindy.linear.objective`).
"""

from __future__ import annotations

from lindy.linear.objective import Objective
from lindy.linear.optimizers._watch import Line, Watch, move
from lindy.linear.problem import Options, Problem, Solution

SUFFICIENT = 1e-4  # c of Armijo's rule


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise by steepest descent."""
    objective = Objective(problem, options.n_jobs)
    watch = Watch(objective, options)
    x = objective.start(options.start)
    at = objective.buffers()
    value, gradient = objective.evaluate_best_bias(x, at)
    eta = 1.0
    n_iter = 0
    watch.record(value)
    while n_iter < options.max_iter and not watch.arrived(x, value, gradient):
        n_iter += 1
        square = objective.dot(gradient, gradient)
        line = Line.along(objective, -gradient, at)
        new = move(objective, x, line, at, eta)
        while not new <= value - SUFFICIENT * eta * square and eta * square > 1e-18 * value:
            new = move(objective, x, line, at, -0.5 * eta)
            eta *= 0.5
        if not new <= value:
            move(objective, x, line, at, -eta)
            break
        value, gradient = objective.best_bias(x, at), objective.gradient(x, at)
        watch.record(value)
        eta *= 2
    return watch.solution(x, n_iter)
