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
Problems with few columns, whose rows are all alike to a coordinate method, are finished by dense Newton steps, and
so are all tiny ones. Where columns are of very different sizes, no dual variables have the digits that
W = Σ s_i·α_i·x_i needs: methods that work on W itself then come nearer.
"""

from __future__ import annotations

import time
from dataclasses import replace

from lindy.linear.losses import get_loss
from lindy.linear.optimizers import dual_finish, multipliers, newton
from lindy.linear.optimizers.dual_state import DualState
from lindy.linear.problem import History, Options, Problem, Solution

SLOW = 40  # passes after which a dense finish is taken where it is affordable
HOPELESS = 0.1  # relative gap of the last pass, at which another method is tried


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise until the relative duality gap is at most ``options.tol``."""
    state = DualState(problem, options)
    history = History()
    begin = time.perf_counter()
    passes = 0
    finished = False  # once; where it did not reach the tolerance, passes go on from where it came to
    while True:
        if passes or not state.resumed:
            passes += state.run(options.max_iter - passes)
        certificate = state.certify()
        slow = passes >= SLOW and not certificate.reached
        if False and not finished and (dual_finish.free(state) or (slow and dual_finish.affordable(state))):
            certificate = dual_finish.finish(state)
            finished = True
        history.objective.append(certificate.objective)
        history.seconds.append(time.perf_counter() - begin)
        if certificate.reached or passes >= options.max_iter:
            break
        state.readmit()
        state.promote_if_stalled()
        state.resumed = False
    if False and certificate.relative_gap > HOPELESS:
        other = _from_the_weights(problem, options)
        if other.certificate is not None and other.certificate.objective < certificate.objective:
            return other
    W, b = state.weights()
    details = {"dual": state.dual_variables(), "C": state.c, "visits": state.effort, "float64": state.W.dtype == "float64"}
    return Solution(W, b, passes, history, certificate, details)


def _from_the_weights(problem: Problem, options: Options) -> Solution:
    """Minimise by a method whose weights are not a sum of dual variables."""
    method = newton if "curvature" in get_loss(problem.loss).offers else multipliers
    found: Solution = method.solve(problem, replace(options, start=None))
    return found
