"""A dense Newton finish for problems with few columns, where coordinates are correlated and passes gain little.

The log losses and the squared hinge are smooth (enough): Newton's method on (W, b) itself. The hinges are not; they
get the method of multipliers on their dual variables, whose inner problem is smooth again:

    a ← clip(a + σ·(1 − m), 0, C)              hinge, with the margins m of argmin ½‖w‖² + Σ envelope(m; a, σ)
    z ← projection of z + σ·(o + ρ) on C·Δ     Crammer–Singer

with σ_i ∝ C_i growing where needed, so that a few rounds give full precision. An unpenalised bias gets a proximal
term around its last value, which vanishes as the rounds converge. (Rockafellar 1976, Augmented Lagrangians and
applications of the proximal point algorithm; Keerthi and DeCoste 2005 for the squared hinge.)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from lindy.linear.optimizers.dual_state import DualState
from lindy.linear.problem import Certificate

Array = NDArray[np.float64]
Pieces = Callable[[Array], tuple[float, Array, Array]]

LARGEST = 600  # unknowns of one Newton system
ROUNDS = 40
STEPS = 100  # of Newton's method in one round
FULL = 1e-14  # a relative gap at which there are no more digits to gain


def affordable(state: DualState) -> bool:
    """Whether the Newton systems are small enough to be formed and solved."""
    problem = state.problem
    unknowns = (problem.X.n_columns + 1) * (problem.n_outputs if state.joint else 1)
    return unknowns <= LARGEST and state.n * unknowns**2 <= 1 << 33


def free(state: DualState) -> bool:
    """Whether the problem is so small that the finish costs nothing worth counting."""
    return affordable(state) and state.n * (state.problem.X.n_columns + 1) ** 2 <= 1 << 18


def finish(state: DualState) -> Certificate:
    """Improve the state's dual variables to full precision; extreme data may leave them as they were."""
    with np.errstate(all="ignore"):
        return _finish(state)


def _finish(state: DualState) -> Certificate:
    problem = state.problem
    X = problem.X.to_dense().astype(np.float64)
    if problem.bias:
        X = np.hstack([X, np.ones((state.n, 1))])
    penalty = np.ones(X.shape[1])
    if state.free_bias:
        penalty[-1] = 1e-8 / max(state.weak_coupling, 1e-30)
    K = problem.n_outputs
    theta = np.vstack([state.W[:, :K], state.b[None, :K]])[: X.shape[1]].astype(np.float64)
    sigma = np.maximum(state.c, 1e-300)
    best, best_gap, failures = (state.dual.copy(), state.b.copy()), np.inf, 0
    for _ in range(ROUNDS):
        system = System(X, penalty, theta.copy() if state.free_bias else np.zeros_like(theta))
        theta = _joint(state, system, theta, sigma) if state.joint else _separate(state, system, theta, sigma)
        if problem.bias:
            state.b[:K] = theta[-1]
        state.native.rebuild()
        certificate = state.audit()
        if certificate.gap > 0.1 * best_gap:
            sigma = 4 * sigma
        failures = 0 if certificate.gap < best_gap else failures + 1
        if certificate.gap < best_gap:
            best, best_gap = (state.dual.copy(), state.b.copy()), certificate.gap
        if certificate.relative_gap <= FULL or failures == 4:
            break
    if not certificate.gap <= best_gap:  # also when it is not a number
        state.dual[:], state.b[:] = best
        state.native.rebuild()
        certificate = state.audit()
    return certificate


@dataclass(frozen=True, slots=True)
class System:
    """½ Σ_j penalty_j·(θ_j − center_j)² (center for the bias only) + Σ_i f_i(x_iᵀθ), minimised by Newton steps."""

    X: Array
    penalty: Array
    center: Array

    def minimise(self, theta: Array, pieces: Pieces) -> Array:
        """Return the minimiser, from θ (columns × outputs); pieces(scores) gives Σ f, ∇f and the Hessians of f."""
        center = np.zeros_like(theta)
        center[-1] = self.center[-1, : theta.shape[1]] if self.penalty[-1] != 1 else 0.0
        weight = self.penalty[:, None]
        scores = self.X @ theta
        loss, G, H = pieces(scores)
        value = loss + 0.5 * float((weight * (theta - center) ** 2).sum())
        stuck = 0
        for _ in range(STEPS):
            gradient = weight * (theta - center) + self.X.T @ G
            step = self._newton_step(gradient, H)
            if not np.isfinite(step).all():
                break
            promised = float((gradient * step).sum())
            along = self.X @ step
            pull = float((weight * (theta - center) * step).sum()), float((weight * step**2).sum())
            size = _line_minimum(pieces, scores, along, pull)
            candidate = theta - size * step
            loss, G, H = pieces(scores - size * along)
            new = loss + 0.5 * float((weight * (candidate - center) ** 2).sum())
            stuck += not new < value
            if stuck > 3 or not np.isfinite(new):
                break
            theta, scores = candidate, scores - size * along
            if promised <= 1e-22 * abs(value) or (new >= value and promised <= 1e-15 * abs(value)):
                break
            value = new
        return theta

    def _newton_step(self, gradient: Array, H: Array) -> Array:
        d, K = gradient.shape
        X = self.X
        hessian = np.empty((d, K, d, K))
        for k in range(K):
            for j in range(k + 1):
                hessian[:, k, :, j] = (X.T * H[:, k, j]) @ X
                hessian[:, j, :, k] = hessian[:, k, :, j]
            hessian[np.arange(d), k, np.arange(d), k] += self.penalty
        square = hessian.reshape(d * K, d * K)
        try:
            step = np.linalg.solve(square, gradient.ravel())
        except np.linalg.LinAlgError:
            step = np.linalg.lstsq(square, gradient.ravel(), rcond=None)[0]
        solved: Array = np.asarray(step, np.float64).reshape(d, K)
        return solved


def _line_minimum(pieces: Pieces, scores: Array, along: Array, pull: tuple[float, float]) -> float:
    """Return the share of a step, at most 1, with the least value; ``pull`` has the penalty's slope and curvature.

    The pieces are quadratic. A whole Newton step that meets no other piece is exact; one that does may be many times
    too long in the direction of a free bias, and shortened until the value falls it hardly moves in the others.
    """

    def rises(size: float) -> bool:
        return size * pull[1] - pull[0] - float((pieces(scores - size * along)[1] * along).sum()) > 0

    low, high = 0.0, 1.0
    if not rises(high):
        return high
    while high - low > 1e-6 * high and high > 1e-24:
        middle = 0.5 * (low + high)
        low, high = (low, middle) if rises(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class _Output:
    """The losses of one output: labels s = ±1, margins asked for, multipliers a and their σ (hinge only)."""

    loss: str
    s: Array
    margin: Array
    a: Array
    c: Array
    sigma: Array

    def terms(self, scores: Array) -> tuple[Array, float, Array]:
        """Return the dual variables that belong to the scores, Σ f and f″."""
        m = self.s * scores[:, 0]
        slack = self.margin - m
        if self.loss in ("hinge", "multiclass_hinge"):
            wish = self.a + self.sigma * slack
            u = np.clip(wish, 0, self.c)
            value = u * slack - (u - self.a) ** 2 / (2 * self.sigma)
            return u, float(value.sum()), self.sigma * ((wish > 0) & (wish < self.c))
        if self.loss == "squared_hinge":
            slack = np.maximum(0, slack)
            return 2 * self.c * slack, float(self.c @ slack**2), 2 * self.c * (slack > 0)
        p = np.exp(-np.logaddexp(0, m))
        return self.c * p, float(self.c @ np.logaddexp(0, -m)), self.c * p * (1 - p)

    def pieces(self, scores: Array) -> tuple[float, Array, Array]:
        """Return Σ f, ∇f and the Hessians of f, as Newton's method wants them."""
        u, value, h = self.terms(scores)
        return value, (-self.s * u)[:, None], h[:, None, None]


def _separate(state: DualState, system: System, theta: Array, sigma: Array) -> Array:
    """One round for every output on its own; sets the state's dual variables."""
    problem, y = state.problem, state.problem.y
    K = problem.n_outputs
    result = theta.copy()
    for k in range(K):
        s = np.where(y == (1 if K == 1 else k), 1.0, -1.0)
        margin = state.cost[y] if K == 1 else np.ones(len(y))
        output = _Output(problem.loss, s, margin, state.dual[:, k].astype(np.float64), state.c, sigma)
        own = System(system.X, system.penalty, system.center[:, k : k + 1])
        result[:, k : k + 1] = own.minimise(theta[:, k : k + 1], output.pieces)
        state.dual[:, k] = output.terms(system.X @ result[:, k : k + 1])[0]
    return result


def _joint(state: DualState, system: System, theta: Array, sigma: Array) -> Array:
    """One round for all outputs together; sets the state's dual variables."""
    problem, c = state.problem, state.c
    K = problem.n_outputs
    rows = np.arange(state.n)
    own = np.zeros((state.n, K))
    own[rows, problem.y] = c
    rho = state.cost.reshape(K, K)[:, problem.y].T
    dual = state.dual[:, :K].astype(np.float64)

    def softmax(S: Array) -> tuple[float, Array, Array]:
        top = S.max(axis=1, keepdims=True)
        P = np.exp(S - top)
        total = P.sum(axis=1, keepdims=True)
        P /= total
        state.dual[:, :K] = P
        value = float(c @ (top + np.log(total))[:, 0] - (own * S).sum())
        H = -c[:, None, None] * P[:, :, None] * P[:, None, :]
        H[:, np.arange(K), np.arange(K)] += c[:, None] * P
        return value, c[:, None] * P - own, H

    def multiclass_hinge(S: Array) -> tuple[float, Array, Array]:
        Z, support = project(dual + sigma[:, None] * (S + rho), c)
        state.dual[:, :K] = Z
        value = float((Z * (S + rho) - own * S - (Z - dual) ** 2 / (2 * sigma[:, None])).sum())
        share = sigma / np.maximum(support.sum(axis=1), 1)
        H = -share[:, None, None] * support[:, :, None] * support[:, None, :]
        H[:, np.arange(K), np.arange(K)] += sigma[:, None] * support
        return value, Z - own, H

    pieces = softmax if problem.loss == "log" else multiclass_hinge
    theta = system.minimise(theta, pieces)
    pieces(system.X @ theta)
    return theta


def project(V: Array, size: Array) -> tuple[Array, Array]:
    """Project every row on the simplex of its size; returns the points and 1 where they are positive."""
    ordered = -np.sort(-V, axis=1)
    sums = np.cumsum(ordered, axis=1) - size[:, None]
    counts = np.arange(1, V.shape[1] + 1)
    kept = np.maximum((ordered * counts > sums).sum(axis=1), 1)
    tau = sums[np.arange(len(V)), kept - 1] / kept
    return np.maximum(V - tau[:, None], 0), (tau[:, None] < V).astype(np.float64)
