"""Stochastic subgradient descent (LxMLS, Algorithm 6).

    ỹ = argmax_y' (o_y' + ρ(y', y));   W ← (1 − η_t·l2)·W;   W[·,y] += η_t·x,  W[·,ỹ] −= η_t·x

for the multiclass hinge; other losses by their own subgradient. η_t = η0/√t.
"""

from __future__ import annotations

from lindy.linear.optimizers.stochastic import solve_online
from lindy.linear.problem import Options, Problem, Solution


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise; see ``optimizers/stochastic.py`` for the options."""
    return solve_online(problem, options, "subgradient")
