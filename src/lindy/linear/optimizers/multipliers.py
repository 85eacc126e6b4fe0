"""The method of multipliers: the hinges with an L1 or elastic-net penalty, or with none.

    minimise  mean loss + l1·‖W‖₁ + ½·l2·‖W‖²             (hinge, Crammer–Singer's hinge)

With L1 this is a linear program, with the elastic net a quadratic one: max_v of the dual variables v of the loss
(`optimizers/hinges.py`) turns it into a saddle. The proximal point algorithm on both of its sides repeats

    (W, b) ← argmin  Σ_i max_v [⟨v_i, slack_i⟩ − ‖v_i − a_i‖² / (2·σ·c_i)] + penalty + ½·μ·‖W − W_old‖²
    a      ← the v of that minimum: the projection of a + σ·c·slack on the box, or on the simplex

The inner problem is smooth but for the penalty: proximal Newton on a working set (`multipliers_newton.py`). Because the
losses are polyhedral, a few rounds with growing σ and shrinking μ end in an exact solution; nothing has to be smoothed
away at the end. After each round a, made to sum to zero for a free bias and scaled into |XᵀU| ≤ l1, is a feasible point
of the dual, and the best dual value so far bounds the minimum: that gap alone decides when to stop. What is left of it
is either the violation of |XᵀU| ≤ l1, which μ causes, or the distance of P from Σ ρ·v, which a larger σ closes.

Without a penalty XᵀU = 0 cannot be had by scaling, and the gap is reported as infinite; the fit ends when ‖XᵀU‖ is
smaller than at W = 0 by the factor ``tol`` and the loss is within that share of Σ ρ·v, or zero.

Rockafellar 1976, Augmented Lagrangians and applications of the proximal point algorithm in convex programming; Li, Sun
and Toh 2018, A highly efficient semismooth Newton augmented Lagrangian method for solving lasso problems.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from lindy import _native
from lindy.linear.objective import Array, Products, check_scale
from lindy.linear.optimizers.hinges import Hinges
from lindy.linear.optimizers.multipliers_newton import PRODUCTS, Inner, minimise_inner
from lindy.linear.optimizers.multipliers_program import affordable, solve_program
from lindy.linear.optimizers.proximal_newton import EXACT, TINY, solve_each_output
from lindy.linear.optimizers.working_set import Block
from lindy.linear.problem import Certificate, History, Options, Problem, Solution

GROWTH = 3.0  # σ grows and μ shrinks by this from round to round
FIRST, RESUMED, ENOUGH = (
    1.0,
    9.0,
    20.0,
)  # σ at first, after a warm start, and until it need not grow in any case
MU = 2.0  # μ at first, in units of l1 per weight of typical size
NEGLIGIBLE = 1e-3  # μ as a share of l2 that need not shrink further
FLOOR = 1e-13  # the least μ, as a share of the largest curvature
INNER = 0.3  # share of the relative gap up to which the inner problem may violate its conditions
MOST_PRODUCTS = 400  # of conjugate gradient for one model; they double while the inner problem stays unsolved
EASY = 6  # rounds after which a small linear program is handed to HiGHS, or after one whose inner problem was hard
PATIENCE, LAST_DIGITS = 30, 3  # rounds without a smaller gap: what is left must be rounding errors


def solve(problem: Problem, options: Options, block: Block | None = None) -> Solution:
    """Minimise until the relative duality gap is at most ``options.tol``; a round is one update of the multipliers.

    ``block`` holds columns of X that an earlier call has copied.
    """
    if problem.n_outputs > 1 and not problem.joint:
        return solve_each_output(problem, options, solve)
    if problem.l1 == problem.l2 == 0:
        problem = replace(problem, penalize_bias=False)
    began = time.perf_counter()
    rounds = Rounds(problem, options, Block(problem.X) if block is None else block)
    tol = min(options.tol, EXACT) if problem.X.shape[0] * rounds.inner.W.size <= TINY else options.tol
    history = History()
    n_iter = stalled = 0
    least, tried = np.inf, False
    while True:
        gap = rounds.audit()
        history.objective.append(rounds.best.value)
        history.seconds.append(time.perf_counter() - began)
        stalled, least = (0, gap) if gap < 0.9 * least else (stalled + 1, least)
        # the last digits are worth a few rounds more, if these are easy
        enough = PATIENCE if gap > options.tol else LAST_DIGITS if rounds.solved else 0
        if gap <= tol or n_iter >= options.max_iter or stalled > enough:
            break
        n_iter += 1
        hard = gap > options.tol and (n_iter > EASY or not rounds.solved or problem.l1 == 0)
        if hard and n_iter > 1 and not tried and affordable(problem):
            tried, stalled = True, 0
            rounds.take(solve_program(problem, rounds.hinges))
        else:
            rounds.advance(tol)
    best = rounds.best
    details = {
        "passes": rounds.inner.passes,
        "nonzero": int(np.count_nonzero(best.W)),
        "multipliers": rounds.inner.a,
    }
    b = best.b - best.b.mean() if rounds.inner.free_bias and rounds.hinges.joint else best.b
    return Solution(best.W, b, n_iter, history, rounds.certificate(options.tol), details)


@dataclass(slots=True)
class Primal:
    """The best weights so far."""

    W: Array
    b: Array
    value: float


class Rounds:
    """The rounds of the method, the best primal point and the best bound met on the way."""

    def __init__(self, problem: Problem, options: Options, block: Block) -> None:
        check_scale(problem)
        self.problem = problem
        self.hinges = Hinges(problem)
        self.products = Products(problem.X, problem.n_outputs, options.n_jobs)
        indptr, indices, values = problem.X.arrays
        squares = np.zeros(problem.X.n_columns)
        _native.sum_rows(indptr, indices, values**2, self.hinges.c, squares)
        self.curvature = float(squares.max(initial=0.0)) or 1.0
        self.inner = Inner(problem, self.hinges, self.products, block)
        self.inner.sigma = FIRST
        self.unit = problem.l1 or float(np.abs(self._slopes_at_zero()).max(initial=0.0)) or 1.0
        self.inner.mu = MU * self.unit * self.curvature**0.5
        self.best = Primal(self.inner.W.copy(), self.inner.b.copy(), np.inf)
        self.bound, self.relative, self.share = -np.inf, 1.0, np.inf
        self.violation = 0.0  # of |XᵀU| ≤ l1, relative to l1
        self.solved = True
        self.begun = False
        self._start(options.start)

    def _start(self, start: Solution | None) -> None:
        """Begin at an earlier solution; its multipliers too, if they are of these rows."""
        inner = self.inner
        if start is None or start.W.shape != inner.W.shape:
            return
        inner.W[:] = start.W
        if self.problem.bias:
            inner.b[:] = start.b
        known = start.details.get("multipliers")
        if known is not None and known.shape == inner.a.shape:
            inner.a = self.hinges.nearest(known)
            inner.sigma = RESUMED

    def _slopes_at_zero(self) -> Array:
        """Return XᵀU for W = 0 and the best bias for it."""
        U = self.hinges.envelope(np.zeros_like(self.hinges.rho), self.hinges.start(), FIRST).U
        return self.products.transposed_times(self.hinges.balanced(U) if self.inner.free_bias else U)

    def advance(self, tol: float) -> None:
        """One round: balance σ and μ, solve the inner problem, take its v as the multipliers."""
        inner, relative = self.inner, self.relative
        if self.begun and not self.solved and inner.products < MOST_PRODUCTS:
            inner.products *= 2
        elif self.begun:
            if self.violation > 0.2 * relative and self.solved:
                inner.mu = max(inner.mu / GROWTH, FLOOR * inner.sigma * self.curvature)
            if inner.sigma < ENOUGH or self.violation < 0.5 * relative:
                inner.sigma *= GROWTH
        self.begun = True
        if self.solved:
            inner.products = max(PRODUCTS, inner.products // 2)
        self.solved = minimise_inner(inner, INNER * max(min(relative, 1.0), tol) * self.unit)
        inner.a = inner.envelope().v

    def take(self, found: tuple[Array, Array, Array] | None) -> None:
        """Go on from an optimal vertex, if one was found."""
        if found is not None:
            self.inner.W, self.inner.b, self.inner.a = found

    def audit(self) -> float:
        """Prove how far the present weights are from the optimum; returns the relative gap (or what stands for it)."""
        hinges, inner = self.hinges, self.inner
        inner.S = self.products.times(inner.W)
        self._keep_better()
        U = hinges.residuals(inner.a)
        if inner.free_bias:
            U = hinges.balanced(U)
        z = self.products.transposed_times(U)
        if self.problem.bias and not inner.free_bias:
            z = np.vstack([z, U.sum(axis=0)])
        if self.problem.l1 == self.problem.l2 == 0:
            return self._without_bound(U, z)
        self.bound = max(self.bound, self._dual(U, z))
        self.relative = self.gap / max(self.best.value, np.finfo(float).tiny)
        return self.relative

    def _keep_better(self) -> None:
        """Keep the present weights if they are the best so far, with the best bias where it is known in closed form."""
        inner, b = self.inner, self.inner.b.copy()
        if inner.free_bias and not self.hinges.joint:
            b[0] = self.hinges.best_bias(inner.S)
        value = self.hinges.value(inner.S + b) + inner.penalty(inner.W, b)
        if value < self.best.value:
            self.best = Primal(inner.W.copy(), b, value)

    def _dual(self, U: Array, z: Array) -> float:
        """Return the larger of D(U) and D(U scaled into |XᵀU| ≤ l1); tells how far U violates that."""
        l1, l2 = self.problem.l1, self.problem.l2
        value = self.hinges.dual(U)
        largest = float(np.abs(z).max(initial=0.0))
        best = value * min(1.0, l1 / largest) if largest > 0 else value
        self.violation = max(largest / l1 - 1.0, 0.0) if l1 > 0 else 1.0
        if l2 > 0:
            excess = np.maximum(np.abs(z) - l1, 0.0)
            best = max(best, value - float((excess**2).sum()) / (2 * l2))
            self.violation = 1.0 if self.inner.mu > NEGLIGIBLE * l2 else 0.0
        return best

    def _without_bound(self, U: Array, z: Array) -> float:
        """Without a penalty: the larger of ‖XᵀU‖ as a share of that at W = 0 and of (loss − Σ ρ·v) / loss.

        Where the classes can be separated, longer weights have no loss at all, and U = 0 proves it.
        """
        inner = self.inner
        stretch = self.hinges.stretch(inner.S + inner.b)
        if stretch is not None and self.best.value > 0:
            self.best = Primal(stretch * inner.W, stretch * inner.b, 0.0)
        if self.best.value == 0.0:
            self.share = 0.0
            return 0.0
        slope = float(np.sqrt((z**2).sum())) / max(self.gradient_at_zero, np.finfo(float).tiny)
        last, self.relative = (
            self.relative,
            max(slope, abs(self.best.value - self.hinges.dual(U)) / self.best.value),
        )
        self.violation = self.relative * (
            0.4 if self.relative > 0.5 * last else 1.0
        )  # σ must grow too where it is slow
        self.share = min(self.share, self.relative)
        return self.share

    @property
    def gap(self) -> float:
        """The best value less the best bound."""
        return max(self.best.value - self.bound, 0.0)

    @property
    def gradient_at_zero(self) -> float:
        """‖XᵀU‖ at W = 0."""
        return float(np.sqrt((self._slopes_at_zero() ** 2).sum()))

    def certificate(self, tol: float) -> Certificate:
        """Return what was proved about the best weights."""
        if self.problem.l1 == self.problem.l2 == 0:
            at_zero = self.gradient_at_zero
            return Certificate(self.best.value, np.inf, tol, self.share * at_zero, at_zero)
        return Certificate(self.best.value, self.gap, tol)
