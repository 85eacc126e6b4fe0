"""The augmented Lagrangian method with Newton steps, for the hinges on tables of few columns.

    minimise  mean hinge + ½·l2·‖W‖²               (hinge, one-vs-rest; Crammer and Singer's hinge)

A hinge is max_v ⟨v, slack⟩ over its dual variables: v in [0, 1] with slack = ρ − s·o, or v on the simplex with
slack = ρ + o. The method repeats, with σ growing where the gap shrinks by less than a factor of ten,

    (W, b) ← argmin  Σ_i share_i·max_v [⟨v_i, slack_i⟩ − ‖v_i − a_i‖² / (2σ)] + ½·l2·‖W‖²
    a      ← the v of that minimum: the projection of a + σ·slack on the interval, or on the simplex

The inner problem is smooth, with curvature only in the rows whose v moves, mostly few: Newton's method with a factored
Hessian takes a few steps (`newton.py`). After each round a, made to sum to zero for a free bias, is a feasible point of
the dual; the best weights and the best bound so far are the certificate.

Rockafellar 1976, Augmented Lagrangians and applications of the proximal point algorithm in convex programming; Yan and
Li 2020, An efficient augmented Lagrangian method for support vector machine; Li, Sun and Toh 2018 (SsNAL).
"""

from __future__ import annotations

import time

import numpy as np

from lindy.linear.objective import Array, Objective
from lindy.linear.optimizers.newton import DIGITS, TINY, Equations, descend
from lindy.linear.problem import Certificate, History, Options, Problem, Solution, hinge_margins
from lindy.progress import round_done

FIRST = 0.5  # σ at first: at W = 0, where every slack is 1, all v are then in the middle of their interval
GROWTH, ENOUGH = 4.0, 0.1  # σ grows by this where a round leaves more than this share of the gap
INNER = 0.1  # share of the gap up to which weights and multipliers may disagree
STEPS = 100  # of Newton's method in one round
EXACT = (
    1e-13  # the relative gap asked for where the last digits cost nothing (`newton.TINY`): ten times DIGITS
)
PATIENCE = 4  # rounds without a smaller gap after which rounding errors must be the reason


def solve(problem: Problem, options: Options) -> Solution:
    """Minimise until the relative duality gap is at most ``options.tol``; a round is one update of the multipliers."""
    rounds = Rounds(problem, options)
    tiny = rounds.a.size * problem.X.n_columns <= TINY
    tol = min(options.tol, EXACT) if tiny else options.tol
    history, began = History(), time.perf_counter()
    n_iter = failures = 0
    while True:
        before = rounds.duality_gap
        rounds.audit()
        history.objective.append(rounds.value)
        history.seconds.append(time.perf_counter() - began)
        round_done(n_iter, float(rounds.duality_gap / max(abs(rounds.value), np.finfo(float).tiny)), tol)
        failures = 0 if rounds.duality_gap < before else failures + 1
        if rounds.certificate(tol).reached or n_iter >= options.max_iter or failures > PATIENCE:
            break
        n_iter += 1
        if not rounds.duality_gap <= ENOUGH * before:
            rounds.sigma *= GROWTH if n_iter > 1 else 1.0
        rounds.advance(tol)
    rounds.take_weights_of_dual(options.tol)
    objective = rounds.objective
    W, b = objective.weights(rounds.best)
    C = objective.share / problem.l2
    details = {"dual": rounds.variables(rounds.point) * C[:, None], "C": C}
    return Solution(W.copy(), b, n_iter, history, rounds.certificate(options.tol), details)


class Rounds:
    """The multipliers, the present and the best weights, and the best bound met on the way."""

    def __init__(self, problem: Problem, options: Options) -> None:
        self.problem = problem
        self.objective = Objective(problem, options.n_jobs)
        self.margin = hinge_margins(problem)
        n, K = self.objective.n_rows, self.objective.n_outputs
        self.rows = np.arange(n)
        self.a = np.zeros((n, K))
        if self.objective.joint:
            self.a[self.rows, problem.y.codes] = 1.0
        self.sigma = FIRST
        self.x = self.objective.start(options.start)
        self._start(options.start)
        self.best, self.value, self.bound = self.x.copy(), np.inf, -np.inf
        self.point, self.z = np.zeros_like(self.a), np.zeros_like(self.x)  # U of the best bound, and XᵀU

    def _start(self, start: Solution | None) -> None:
        """Begin with the multipliers of an earlier solution of the same rows."""
        known = {} if start is None else start.details
        if "dual" in known and known["dual"].shape == self.a.shape:
            C = known["C"][:, None]
            self.a = np.divide(known["dual"], C, out=np.zeros_like(self.a), where=C > 0)
            np.clip(self.a, 0.0, 1.0, out=self.a)

    @property
    def duality_gap(self) -> float:
        """The best value less the best bound."""
        return max(self.value - self.bound, 0.0)

    def certificate(self, tol: float) -> Certificate:
        """Return what was proved about the best weights."""
        return Certificate(self.value, self.duality_gap, tol)

    def advance(self, tol: float) -> None:
        """Minimise around the present multipliers, from the present weights.

        ∇ = l2·(W + XᵀU / l2) says how far the weights are from those of the multipliers; the hinges, which have kinks,
        differ by that distance, the inner problem only by its square.
        """
        objective = self.objective
        enough = (INNER * max(self.duality_gap, tol * self.value)) ** 2 / self.value

        def arrived(x: Array, value: float, gradient: Array) -> bool:  # noqa: ARG001
            w, g = gradient[: objective.n_weights], gradient[objective.n_weights :]
            off = objective.dot(w, w) / (2 * self.problem.l2) + objective.dot(g, g)
            return off <= enough

        objective.native.set_multipliers(self.a, self.margin, self.sigma)
        descend(Equations(objective), self.x, arrived, STEPS)
        at = objective.buffers()
        objective.native.scores(objective.split(self.x)[0], at.S)
        objective.value(self.x, at)
        self.a = self.variables(at.R)

    def variables(self, U: Array) -> Array:
        """Return the dual variables v of residuals."""
        share = self.objective.share[:, None]
        v: Array = np.divide(U, share, out=np.zeros_like(U), where=share > 0)
        if not self.objective.joint:
            v = np.minimum(np.abs(v), 1.0)
        else:
            v[self.rows, self.problem.y.codes] += 1.0
            v = np.maximum(v, 0.0)
        return v

    def audit(self) -> None:
        """Keep the present weights and the bound of the multipliers where they are better than those so far."""
        objective, at = self.objective, self.objective.buffers()
        objective.native.set_multipliers(self.a, self.margin, self.sigma)
        W, b = objective.split(self.x)
        objective.native.scores(W, at.S)
        value = objective.native.hinge(at.S, b) + objective.penalty(self.x)
        noise = DIGITS * value  # among values that only rounding tells apart, the last one is nearest
        if value <= self.value + noise:
            self.best, self.value = self.x.copy(), value
        at.R = objective.residuals(self.a * objective.share[:, None])
        z = objective.dual_point(at)
        bound = objective.dual_value(at.R, z)
        if bound >= self.bound - noise:
            self.bound, self.point, self.z = bound, at.R, z

    def take_weights_of_dual(self, tol: float) -> None:
        """Take W = −XᵀU / l2 of the best bound if that is proved too: then the dual variables make the weights."""
        objective, x = self.objective, self.best.copy()
        part = objective.penalised(x)
        part[:] = objective.penalised(self.z) / -self.problem.l2
        W, b = objective.split(x)
        value = objective.native.hinge(objective.scores(W), b) + objective.penalty(x)
        if Certificate(value, value - self.bound, tol).reached:
            self.best, self.value = x, value
