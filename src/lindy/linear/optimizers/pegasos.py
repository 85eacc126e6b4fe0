"""Pegasos (Shalev-Shwartz, Singer, Srebro and Cotter, 2011).

    η_t = 1/(l2·t);   W ← (1 − 1/t)·W + η_t·(mean over a batch of x gᵀ);   optionally W ← min(1, r/‖W‖)·W

g is the hinge's (one-vs-rest), or that of any other loss here. The weights are kept as a scale times a matrix, so
that the factor 1 − 1/t costs nothing and a step O(nonzeros).
"""

from __future__ import annotations

from lindy.linear.optimizers.stochastic import solve_online
from lindy.linear.problem import Options, Problem, Solution


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise; see ``optimizers/stochastic.py`` for the options."""
    return solve_online(problem, options, "pegasos")
