"""Limited-memory BFGS (Nocedal 1980; Liu and Nocedal 1989).

    W ← W − t·H·∇P(W),   H ≈ (∇²P)⁻¹ from the last ``memory`` steps s and changes y of the gradient

H·∇P is the two-loop recursion; t is 1 unless Armijo's rule refuses it. One round is one product X·d and one product
Xᵀ·R: along a line the scores are linear, so no step length costs another pass. The bias is set to its best value
after every step. Stops on the relative duality gap (`lindy.linear.objective`).

The method keeps 2·``memory`` vectors of the size of W; ``memory`` (default 10) is taken from ``options.extra``. All
sums have a fixed order, which a driver over the installed BLAS would not give.
"""

from __future__ import annotations

from collections import deque
from typing import Protocol

import numpy as np

from lindy.linear.objective import Array, Objective
from lindy.linear.optimizers._watch import Line, Watch, line_minimum, move
from lindy.linear.problem import Options, Problem, Solution

SUFFICIENT = 1e-4  # of Armijo's rule


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise by L-BFGS."""
    objective = Objective(problem, options.n_jobs)
    watch = Watch(objective, options)
    x = objective.start(options.start)
    at = objective.buffers()
    value, gradient = objective.evaluate_best_bias(x, at)
    pairs: deque[tuple[Array, Array, float]] = deque(maxlen=int(options.extra.get("memory", 10)))
    n_iter = 0
    watch.record(value)
    while n_iter < options.max_iter and not watch.arrived(x, value, gradient):
        n_iter += 1
        direction = two_loops(objective, gradient, pairs)
        slope = objective.dot(gradient, direction)
        if not np.isfinite(slope) or slope >= 0:
            break
        line, start = Line.along(objective, direction, at), x.copy()
        new = move(objective, x, line, at, 1.0)
        if not new <= value + SUFFICIENT * slope:
            move(objective, x, line, at, -1.0)
            new = line_minimum(objective, x, line, at, slope)
        if not new < value:
            break
        value = objective.best_bias(x, at)
        before, gradient = gradient, objective.gradient(x, at)
        remember(objective, pairs, x - start, gradient - before)
        watch.record(value)
    return watch.solution(x, n_iter)


class Space(Protocol):
    """Where steps and gradients live: it knows their inner product."""

    def dot(self, a: Array, b: Array) -> float:
        """Return a·b."""


def remember(objective: Space, pairs: deque[tuple[Array, Array, float]], s: Array, y: Array) -> None:
    """Keep a step and the change of the gradient along it, if they show curvature."""
    curvature = objective.dot(s, y)
    if curvature > 0 and curvature**2 > 1e-28 * objective.dot(s, s) * objective.dot(y, y):
        pairs.append((s, y, 1.0 / curvature))


def two_loops(objective: Space, gradient: Array, pairs: deque[tuple[Array, Array, float]]) -> Array:
    """Return −H·∇P."""
    direction = -gradient
    shares = []
    for s, y, inverse in reversed(pairs):
        share = inverse * objective.dot(s, direction)
        direction -= share * y
        shares.append(share)
    if pairs:
        _, y, inverse = pairs[-1]
        direction *= 1.0 / (inverse * objective.dot(y, y))
    for (s, y, inverse), share in zip(pairs, reversed(shares), strict=True):
        direction += (share - inverse * objective.dot(y, direction)) * s
    return direction
