"""Dual problems over a kernel: solved until the duality gap proves the answer.

    primal   P = ½‖w‖² + Σ_k C_k·max(0, 1 − y_k·(f(x_k) + b))           f(x) = Σ_k β_k·κ(x_k, x)
    dual     D = Σ_k y_k·β_k − ½·βᵀKβ                                   0 ≤ y_k·β_k ≤ C_k,  Σ_k β_k = 0

Whatever β and b, P ≥ the optimum ≥ D. With s = y − Kβ, which the solver keeps, the losses are max(0, y_k·(s_k − b)).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.linear.problem import History
from lindy.progress import round_done

Array = NDArray[np.float64]

_STEPS_PER_PROOF = 2000
_LEAST_VIOLATION = 1e-14  # beyond it there is only rounding


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop, and what may be used: relative gap, rounds, bytes of kernel rows in a type, shrinking.

    A round is as many steps as there are examples.
    """

    tol: float
    max_iter: int
    cache_bytes: int
    dtype: str
    shrinking: bool


@dataclass(frozen=True, slots=True)
class DualSolution:
    """Coefficients (examples × outputs), biases, and the proof: both objectives differ by ``gap``."""

    coefficients: Array
    b: Array
    objective: float
    gap: float
    n_iter: int


def solve_hinge(
    source: _native.Kernel, y: Array, C: Array, limits: Limits, history: History, started: float
) -> DualSolution:
    """Solve one problem of two classes, y = ±1, by SMO.

    A violation eps of the optimality conditions bounds no gap by itself: so the steps stop at an eps, the gap is
    measured, and eps is lowered as far as the gap still has to fall.
    """
    kind = _native.Smo32 if limits.dtype == "float32" else _native.Smo64
    smo = kind(source, y, C, limits.cache_bytes, limits.shrinking)
    beta, s = np.empty(len(y)), np.empty(len(y))
    eps, steps, most = 0.1, 0, limits.max_iter * len(y)
    while True:
        done = smo.run(eps, most - steps)
        steps += done
        over = steps >= most or (done == 0 and smo.violation > eps)  # no step makes progress
        if smo.violation > eps and not over:
            continue
        smo.restore()
        if smo.violation > eps and not over:
            continue  # what had been left out has to move after all
        smo.read(beta, s)
        b, objective, gap = proof(y, s, beta, C)
        history.objective.append(objective)
        history.seconds.append(time.perf_counter() - started)
        round_done(steps, gap / max(abs(objective), np.finfo(float).tiny), limits.tol)
        if gap <= limits.tol * abs(objective) or over or eps < _LEAST_VIOLATION:
            return DualSolution(beta[:, None], np.array([b]), objective, max(gap, 0.0), steps)
        eps *= float(np.clip(0.7 * limits.tol * abs(objective) / gap, 0.1, 0.5))


def proof(y: Array, s: Array, beta: Array, C: Array) -> tuple[float, float, float]:
    """Return the best b, the primal objective with it, and how far it is above the dual one."""
    b = best_bias(y, s, C)
    half = 0.5 * float((beta * (y - s)).sum())
    primal = half + float((C * np.maximum(0.0, y * (s - b))).sum())
    dual = float((beta * y).sum()) - half
    gap = primal - dual
    # below zero beyond rounding: what was given is no kernel, and nothing is proved
    return b, primal, gap if gap > -1e-6 * abs(primal) else np.inf


def best_bias(y: Array, s: Array, C: Array) -> float:
    """Return the b that minimises Σ_k C_k·max(0, y_k·(s_k − b)); of several, the middle one.

    The slope between two s is what lies below of y = −1, minus what lies above of y = +1; it rises from left to right.
    """
    order = np.argsort(s, kind="stable")
    ordered, price = s[order], C[order]
    positive = y[order] > 0
    slope = np.cumsum(price) - price[positive].sum()  # after each point
    zero = 1e-12 * price.sum()
    low = int(np.searchsorted(slope, -zero))
    high = int(np.searchsorted(slope, zero, side="right"))
    last = len(s) - 1
    return 0.5 * float(ordered[min(low, last)] + ordered[min(high, last)])


def solve_crammer_singer(
    source: _native.Kernel, y: NDArray[np.int32], C: Array, cost: Array, limits: Limits, history: History
) -> DualSolution:
    """Solve the joint problem of all classes; it has no bias."""
    kind: Any = _native.CrammerSinger32 if limits.dtype == "float32" else _native.CrammerSinger64
    machine = kind(source, y, C, cost, limits.cache_bytes)
    started = time.perf_counter()
    z, R = np.empty((len(y), len(cost))), np.empty((len(y), len(cost)))
    own = C[:, None] * (y[:, None] == np.arange(len(cost)))
    steps, goal, most = 0, 0.0, limits.max_iter * len(y)
    while True:
        due, stuck = min(steps + _STEPS_PER_PROOF, most), False
        # a call ends when its time is over: that must not decide where the gap is measured
        while steps < due and machine.gap > goal and not stuck:
            done = machine.run(goal, due - steps)
            steps, stuck = steps + done, done == 0
        machine.read(z, R)
        coefficients = own - z
        scores = R - cost[:, y].T
        half = 0.5 * float((coefficients * scores).sum())
        losses = R.max(axis=1) - scores[np.arange(len(y)), y]
        objective, gap = half + float((C * losses).sum()), machine.gap
        history.objective.append(objective)
        history.seconds.append(time.perf_counter() - started)
        round_done(steps, gap / max(abs(objective), np.finfo(float).tiny), limits.tol)
        goal = 0.5 * limits.tol * abs(objective)
        if gap <= limits.tol * abs(objective) or stuck or steps >= most:
            return DualSolution(coefficients, np.zeros(len(cost)), objective, max(gap, 0.0), steps)
