"""Regularisation paths: the same problem for a grid of penalties, each fit begun where the last one ended.

From strong to weak, because the strong end is known: from ``largest_l1`` on, every L1 solution is W = 0. Neighbouring
solutions are close, so that a path costs a few times one fit.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from lindy.linear.objective import Array, Objective
from lindy.linear.optimizers import minimise
from lindy.linear.problem import Options, Problem, Solution


@dataclass(frozen=True, slots=True)
class PathPoint:
    """One solution of a path, with the penalties it belongs to; its certificate is in the solution."""

    l1: float
    l2: float
    solution: Solution

    @property
    def nonzero(self) -> int:
        """The number of weights that are not zero."""
        return int(np.count_nonzero(self.solution.W))


def slopes_at_zero(problem: Problem, n_jobs: int | None = None) -> Array:
    """Return ∂(mean loss)/∂W at W = 0 and the best bias (with the bias's own slope if it is penalised)."""
    objective = Objective(replace(problem, l1=1.0, l2=0.0), n_jobs)
    at = objective.buffers()
    at.S[:] = 0.0
    objective.best_bias(np.zeros(objective.size), at)
    z = objective.dual_point(at)
    return z if problem.penalize_bias else z[: objective.n_weights]


def largest_l1(problem: Problem, n_jobs: int | None = None) -> float:
    """Return the smallest l1 for which W = 0 is optimal: max |∂loss/∂W| at W = 0 (any l2)."""
    return float(np.abs(slopes_at_zero(problem, n_jobs)).max(initial=0.0))


def penalty_grid(
    problem: Problem, penalty: str, n_values: int = 20, ratio: float = 1e-3, n_jobs: int | None = None
) -> NDArray[np.float64]:
    """Return penalties from large to small, evenly spaced in the logarithm, over a factor ``ratio``.

    The largest is ``largest_l1`` for "l1"; for "l2" it is ‖∂loss/∂W‖ at W = 0, where about ‖W‖ = 1.
    """
    if n_values < 1 or not 0 < ratio <= 1:
        raise ValueError(f"n_values must be at least 1 and ratio in (0, 1]; got {n_values} and {ratio}")
    z = slopes_at_zero(problem, n_jobs)
    top = float(np.abs(z).max(initial=0.0)) if penalty == "l1" else float(np.sqrt((z**2).sum()))
    if top == 0:
        raise ValueError("the features say nothing about the classes: every penalty gives W = 0")
    return np.geomspace(top, ratio * top, n_values)


def regularization_path(
    problem: Problem,
    penalty: str,
    values: Iterable[float] | None = None,
    options: Options | None = None,
    solver: str = "auto",
) -> Iterator[PathPoint]:
    """Yield the solutions for l1 or l2 = each of ``values`` (default: ``penalty_grid``), from large to small.

    The other penalty stays as the problem has it. Every point is proved as a single fit would be.
    """
    if penalty not in ("l1", "l2"):
        raise ValueError(f"penalty must be 'l1' or 'l2'; got {penalty!r}")
    options = options or Options()
    grid = penalty_grid(problem, penalty, n_jobs=options.n_jobs) if values is None else values
    last = options.start
    for value in sorted((float(v) for v in grid), reverse=True):
        each = replace(problem, l1=value) if penalty == "l1" else replace(problem, l2=value)
        last = minimise(each, replace(options, start=last), solver)
        yield PathPoint(each.l1, each.l2, last)
