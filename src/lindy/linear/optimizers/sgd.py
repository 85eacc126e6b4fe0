"""Stochastic gradient descent (LxMLS, Algorithm 5).

W ← (1 − η_t·l2)·W + η_t·x (e_y − P(· | x))ᵀ        for the log loss; other losses by their subgradient
"""

from __future__ import annotations

from lindy.linear.optimizers.stochastic import solve_online
from lindy.linear.problem import Options, Problem, Solution


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise; see ``optimizers/stochastic.py`` for the options."""
    return solve_online(problem, options, "sgd")
