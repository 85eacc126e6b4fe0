"""Dual coordinate ascent with a duality-gap certificate.

Problem, with C_i = weight_i / (l2·Σ weight):

    min_{W,b}  ½‖W‖² + Σ_i C_i·loss(xᵢᵀW + b; y_i)            (= objective / l2)

One pass solves for the dual variables of one row after the other, all outputs at once (the steps and the papers:
``native/linear/dual/``). An audit computes every row's term of the duality gap from the present weights; their sum
is the gap, and it alone decides when to stop. Audits are made when the terms met on the way promise success.

The bias. Both forms are met by the method of multipliers: b is kept apart from W, a constant feature of value √β
couples the rows only weakly, and after each pass b moves towards its equation,

    unpenalised:  Σ_i s_i·α_i = 0,   b ← b + β·Σ_i s_i·α_i
    penalised:    Σ_i s_i·α_i = b,   b ← (b + β·Σ_i s_i·α_i) / (1 + β)

An audit first makes the unpenalised equation hold exactly, so that the certificate covers the bias too.
Problems with few columns, whose rows are all alike to a coordinate method, are for `newton.py` and
`augmented_lagrangian.py`.
"""

from __future__ import annotations

import time

from lindy.linear.optimizers.dual_state import DualState
from lindy.linear.problem import History, Options, Problem, Solution


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise until the relative duality gap is at most ``options.tol``."""
    state = DualState(problem, options)
    history = History()
    begin = time.perf_counter()
    passes = 0
    while True:
        if passes or not state.resumed:
            passes += state.run(options.max_iter - passes)
        certificate = state.certify()
        history.objective.append(certificate.objective)
        history.seconds.append(time.perf_counter() - begin)
        if certificate.reached or passes >= options.max_iter:
            break
        state.readmit()
        state.promote_if_stalled()
        state.resumed = False
    W, b = state.weights()
    details = {"dual": state.dual_variables(), "C": state.c}
    return Solution(W, b, passes, history, certificate, details)
