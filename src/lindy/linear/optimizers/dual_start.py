"""Where dual ascent begins with the smooth losses: one sweep that takes the weights of the rows seen for those of all.

After k of n rows, n/k·W is what W will be when the others have added their parts, give or take the noise of k rows. So
the first sweep starts from W = 0 and solves for the dual variables of each row from scores that look ahead,

    o_i = b + f_k·x_iᵀW + the row's own part,     f_k = (n + m) / (k + m),     m = √n + s·Σ_i C_i·‖x_i‖²

with s = 0.1 for the log losses and 0.4 for the squared hinge, which is an epoch of stochastic gradient descent with
steps C·f_k that keeps the coefficients it meets. m holds back where rows are few or one step moves much. The sweep
costs no more than a pass. For the log losses it leaves about a thirtieth of the gap that a pass from W = 0 does, mostly
in the rows seen first; for the squared hinge two thirds.

Shalev-Shwartz and Zhang, Stochastic dual coordinate ascent methods for regularized loss minimization, 2013, begin in
such a way too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from lindy.linear.optimizers.dual_state import DualState

NEAR = 4.0
"""Up to how many times the tolerance the rows seen first are enough to close the gap."""

FIRST, LEFT = 8, 0.5
"""One of how many rows count as seen first, and about what is left of the gap when they are visited again."""

LEAST = 0.015
"""The relative gap that a sweep leaves at the least, in units of the mean C·‖x‖²: a sample is not needed to see it."""


def sweep(state: DualState) -> float:
    """Begin at W = 0 and visit every row; returns the relative gap that a sample of the rows promises.

    None is taken where one sweep cannot close it: with the squared hinge, and far from the tolerance.
    """
    if state.joint:  # p = e_y, or α = 0: the row's part of W is 0
        state.dual.ravel()[np.arange(0, state.dual.size, state.stride) + state.problem.y] = 1
    back = 0.1 if state.entropic else 0.4
    moved = float((state.c * state.q).sum())
    before = len(state.rows) ** 0.5 + back * moved
    state.native.sweep(state.order, state.seed, state.bias_step, before)
    state.effort += 1
    far = LEAST * moved / len(state.rows) > 2 * NEAR * state.options.tol
    from lindy.linear.optimizers.dual_state import off

    promised = state.sampled() if state.entropic and not far and not off("sampling") else np.inf
    if state.options.tol < promised <= NEAR * state.options.tol:
        state.native.run(state.order, len(state.order) // FIRST, state.seed + 1, state.bias_step, np.inf)
        state.effort += 1 / FIRST
        promised = LEFT * promised if promised <= state.options.tol / LEFT**0.5 else state.sampled()
    if not state.free_bias:  # where b may be anything, what is left of its equation is noise: left to a pass
        state.move_bias()
    return promised
