"""The smooth objectives as functions of one vector, with gradient, Hessian products and duality gap.

Problem, for scores S = XW + b and residuals R = ∂loss/∂S (weights divided by their sum):

    P(W, b) = Σ_i weight_i·ℓ(S_i, y_i) + l1·‖W‖₁ + ½·l2·‖W‖²

    ∇_W P = XᵀR + l2·W,     ∇_b P = Σ_i R_i,     ∇²P·V = Xᵀ(D·(XV)) + l2·V      (without the l1 term)

Dual, for any U (rows × outputs) in the domain of the conjugates:

    D(U) = −Σ_i weight_i·ℓ*(U_i / weight_i) − Σ_jk max(0, |(XᵀU)_jk| − l1)² / (2·l2)  ≤  min P

where the last sum is 0 or ∞ if l2 = 0. Scores that are given, S = XW + b + O, add Σ_i U_i·O_i to D. A bias that the
penalty does not reach adds the condition Σ_i U_i = 0, a penalised one counts as one more row of XᵀU. The residuals R
of any W are a point of the domain, so every primal method gets a proof for the price of one product XᵀR:

1. b is replaced by the best bias for this W (a K-dimensional Newton method on the scores, no pass over X). Now
   Σ_i R_i is 0 up to rounding.
2. What rounding left is removed exactly: for one-vs-rest losses the residuals of the heavier side (own class or
   the others) are scaled down, for softmax p_i is mixed with the share θ of a constant distribution that restores
   the class totals. Both stay in the domain. Classes without weight get probability 0.
3. With l1 > 0, U is also tried scaled by min(1, l1 / max|XᵀU|), which is feasible for l2 = 0; the better one counts.

For l1 = 0 and a penalised (or no) bias the gap of R is exactly ‖∇P‖² / (2·l2). Without any penalty there is no
finite bound: the gap is infinite, and the gradient norm, as a share of that at W = 0, is all that is reported.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.rows import Rows
from lindy.estimators.base import thread_count
from lindy.linear.problem import Certificate, Problem, Solution

Array = NDArray[np.float64]


def check_scale(problem: Problem) -> None:
    """Refuse rows whose squared length overflows: no gap could be proved for them."""
    squares = problem.X.norms()
    with np.errstate(over="ignore"):
        total = squares.sum()
    if not np.isfinite(total):
        row = int(np.argmax(squares))
        raise ValueError(f"the squared length of row {row} of X is too large for float64: scale the columns")


class Products:
    """XW and XᵀR for dense W and R of some columns, with threads; the order of the additions never changes."""

    def __init__(self, X: Rows, n_columns: int, n_jobs: int | None = None) -> None:
        self.shape, self.n_columns = X.shape, n_columns
        self.native = _native.products(X, n_outputs=n_columns, threads=thread_count(n_jobs))

    def times(self, W: Array) -> Array:
        """Return XW."""
        S = np.empty((self.shape[0], self.n_columns))
        self.native.scores(np.ascontiguousarray(W), S)
        return S

    def transposed_times(self, R: Array) -> Array:
        """Return XᵀR."""
        G = np.empty((self.shape[1], self.n_columns))
        self.native.transposed(np.ascontiguousarray(R), G)
        return G


@dataclass(slots=True)
class Evaluated:
    """The objective's parts at one (W, b): scores XW without the bias, residuals, curvatures, mean loss."""

    S: Array
    R: Array
    D: Array
    loss: float


class Objective:
    """P over the vector x = (W row by row, then b if there is a bias)."""

    def __init__(self, problem: Problem, n_jobs: int | None = None) -> None:
        self.problem = problem
        if "dual" not in problem.definition.capabilities:
            raise ValueError(f"the conjugate of loss={problem.loss!r} is not known; choose another loss")
        self.joint = problem.joint
        check_scale(problem)
        self.n_features = problem.X.n_columns
        self.n_outputs = problem.n_outputs
        self.n_rows = problem.X.shape[0]
        self.threads = thread_count(n_jobs)
        total = float(self.n_rows if problem.weight is None else problem.weight.sum())
        self.native = _native.objective(
            problem.X,
            y=problem.y.codes,
            weight=problem.weight,
            scale=1.0 / total,
            loss=problem.loss,
            n_outputs=self.n_outputs,
            threads=self.threads,
        )
        self.share = np.full(self.n_rows, 1.0 / total) if problem.weight is None else problem.weight / total
        self.n_weights = self.n_features * self.n_outputs
        self.free_bias = problem.bias and not problem.penalize_bias
        self.smooth_bias = self.free_bias or (problem.bias and problem.l1 == 0)
        self.size = self.n_weights + (self.n_outputs if problem.bias else 0)

    def start(self, solution: Solution | None) -> Array:
        """Return x of an earlier solution, or zeros."""
        x = np.zeros(self.size)
        if solution is not None:
            x[: self.n_weights] = np.asarray(solution.W, np.float64).ravel()
            if self.problem.bias:
                x[self.n_weights :] = solution.b
        return x

    def split(self, x: Array) -> tuple[Array, Array]:
        """Return views of W (features × outputs) and b; b is zeros if there is no bias."""
        W = x[: self.n_weights].reshape(self.n_features, self.n_outputs)
        return W, x[self.n_weights :] if self.problem.bias else np.zeros(self.n_outputs)

    def weights(self, x: Array) -> tuple[Array, Array]:
        """Return W and b of a solution; a bias of which only differences matter has mean 0."""
        W, b = self.split(x)
        return W, b - b.mean() if self.free_bias and self.joint else b.copy()

    def dot(self, a: Array, b: Array) -> float:
        """Return a·b with bits that depend neither on the BLAS nor on threads."""
        return float(_native.dot(a, b, self.threads))

    def penalised(self, x: Array) -> Array:
        """Return the part of x that the penalty reaches."""
        return x if self.problem.penalize_bias else x[: self.n_weights]

    def penalty(self, x: Array) -> float:
        """Return l1·‖x‖₁ + ½·l2·‖x‖² of the penalised part."""
        part = self.penalised(x)
        lasso = self.problem.l1 * float(np.abs(part).sum()) if self.problem.l1 else 0.0
        ridge = 0.5 * self.problem.l2 * self.dot(part, part) if self.problem.l2 else 0.0
        return lasso + ridge

    def buffers(self) -> Evaluated:
        """Return room for one evaluation."""
        S, R, D = (np.empty((self.n_rows, self.n_outputs)) for _ in range(3))
        return Evaluated(S, R, D, np.inf)

    def scores(self, W: Array) -> Array:
        """Return XW."""
        S = np.empty((self.n_rows, self.n_outputs))
        self.native.scores(np.ascontiguousarray(W), S)
        return S

    def place(self, x: Array, at: Evaluated) -> None:
        """Write the scores of x, without its bias, into ``at``."""
        self.native.scores(self.split(x)[0], at.S)
        if self.problem.offset is not None:
            at.S += self.problem.offset

    def evaluate(self, x: Array, at: Evaluated) -> tuple[float, Array]:
        """Return P and ∇P (of the smooth part) in one fused pass; ``at`` keeps what the rows said."""
        if self.problem.offset is not None:
            self.place(x, at)
            return self.value(x, at), self.gradient(x, at)
        W, b = self.split(x)
        gradient = np.empty(self.size)
        G = gradient[: self.n_weights].reshape(W.shape)
        at.loss = self.native.loss_and_gradient(W, b, at.S, at.R, at.D, G)
        return self._finish(x, at, gradient)

    def evaluate_best_bias(self, x: Array, at: Evaluated) -> tuple[float, Array]:
        """Return P and ∇P at the best bias for the W of x, which is written into x.

        As a function of W alone, min_b P(W, b) has the gradient ∇_W P at that b, and is better conditioned: the
        bias is a feature that every row has.
        """
        if not self.smooth_bias:
            return self.evaluate(x, at)
        self.place(x, at)
        value = self.best_bias(x, at)
        return value, self.gradient(x, at)

    @cached_property
    def gradient_at_zero(self) -> float:
        """‖∇P‖ at W = 0 and the best bias for it."""
        x, at = np.zeros(self.size), self.buffers()
        at.S[:] = 0.0
        self.best_bias(x, at)
        gradient = self.gradient(x, at)
        return float(np.sqrt(self.dot(gradient, gradient)))

    def gradient(self, x: Array, at: Evaluated) -> Array:
        """Return ∇P where ``at`` already holds the residuals of x."""
        gradient = np.empty(self.size)
        self.native.transposed(at.R, gradient[: self.n_weights].reshape(self.n_features, self.n_outputs))
        return self._finish(x, at, gradient)[1]

    def _finish(self, x: Array, at: Evaluated, gradient: Array) -> tuple[float, Array]:
        if self.problem.bias:
            self.native.sums(at.R, gradient[self.n_weights :])
        part = self.penalised(gradient)
        part += self.problem.l2 * self.penalised(x)
        return at.loss + self.penalty(x), gradient

    def value(self, x: Array, at: Evaluated) -> float:
        """Return P where ``at.S`` already holds XW; fills the residuals and curvatures of ``at``."""
        at.loss = self.native.loss(at.S, self.split(x)[1], at.R, at.D)
        return at.loss + self.penalty(x)

    def hessian_vector(self, v: Array, at: Evaluated) -> tuple[Array, Array]:
        """Return ∇²P·v at the point of ``at``, and XV (whose price was paid anyway)."""
        V, vb = self.split(v)
        scores = self.scores(V)
        return self._curved(v, scores + vb, at), scores

    def reduced_hessian_vector(self, v: Array, at: Evaluated) -> tuple[Array, Array]:
        """Return ∇²·v of min_b P as a function of W, and XV: the bias follows v (whose own bias part is ignored).

        A column and its shifted copy are the same to it, as they are to the optimum.
        """
        scores = self.scores(self.split(v)[0])
        out = self._curved(v, scores + self.following_bias(scores, at), at)
        out[self.n_weights :] = 0.0
        return out, scores

    def _curved(self, v: Array, U: Array, at: Evaluated) -> Array:
        """Return XᵀDU with ΣDU for the bias, and l2·v; U is overwritten."""
        self.native.curve(at.D, U)
        out = np.empty(self.size)
        self.native.transposed(U, out[: self.n_weights].reshape(self.n_features, self.n_outputs))
        if self.problem.bias:
            self.native.sums(U, out[self.n_weights :])
        part = self.penalised(out)
        part += self.problem.l2 * self.penalised(v)
        return out

    def following_bias(self, scores: Array, at: Evaluated) -> Array:
        """Return how the best bias moves, to first order, when the scores move: −(Σ D_i)⁻¹·Σ D_i·s_i."""
        if not self.smooth_bias:
            return np.zeros(self.n_outputs)
        U, g = scores.copy(), np.empty(self.n_outputs)
        self.native.curve(at.D, U)
        self.native.sums(U, g)
        step = self._bias_step(g, at)
        return step if np.isfinite(step).all() else np.zeros(self.n_outputs)

    def _bias_step(self, g: Array, at: Evaluated) -> Array:
        """Return −H⁻¹g for the Hessian H of P in the bias."""
        H = np.empty((self.n_outputs, self.n_outputs))
        self.native.bias_curvature(at.D, H)
        if self.problem.penalize_bias:
            H[np.diag_indices_from(H)] += self.problem.l2
        return newton_step(H, g, joint=self.joint)

    def best_bias(self, x: Array, at: Evaluated) -> float:
        """Replace the bias in x by the minimiser of P for its W (Newton, on the scores in ``at``); returns P.

        No bias, or one with an L1 penalty, stays as it is.
        """
        l2 = self.problem.l2 if self.problem.penalize_bias else 0.0
        b = self.split(x)[1]
        g = np.empty(self.n_outputs)
        value = self.value(x, at)
        for _ in range(50 if self.smooth_bias else 0):
            self.native.sums(at.R, g)
            g += l2 * b
            if np.abs(g).max() <= 1e-15:
                break
            step = np.clip(self._bias_step(g, at), -10.0, 10.0)
            old, size, new = b.copy(), 1.0, np.inf
            while not new < value and size > 1e-3:
                b[:] = old + size * step
                new = self.value(x, at)
                size *= 0.5
            if not new < value:
                b[:] = old
                return self.value(x, at)
            value = new
        return value

    def certify(self, x: Array, at: Evaluated, tol: float) -> Certificate:
        """Prove how far P(x) is from the minimum; improves the bias in x on the way.

        ``at.S`` holds XW. Afterwards ``at`` holds the (feasible) dual point in place of the residuals.
        """
        objective = self.best_bias(x, at)
        if self.problem.l1 == 0 and self.problem.l2 == 0:
            gradient = self.gradient(x, at)
            norm = float(np.sqrt(self.dot(gradient, gradient)))
            return Certificate(objective, np.inf, tol, norm, self.gradient_at_zero)
        z = self.dual_point(at)
        gap = self.duality_gap(x, at, z)
        if self.problem.l1 > 0:
            return Certificate(objective, gap, tol)
        part = self.penalised(z)
        part += self.problem.l2 * self.penalised(x)
        return Certificate(objective, gap, tol, float(np.sqrt(self.dot(z, z))))

    def dual_point(self, at: Evaluated) -> Array:
        """Turn the residuals in ``at`` into a feasible U; returns XᵀU, with ΣU for a penalised bias."""
        if self.free_bias:
            self._balance(at.R)
        z = np.zeros(self.size)
        self.native.transposed(at.R, z[: self.n_weights].reshape(self.n_features, self.n_outputs))
        if self.problem.bias and not self.free_bias:
            self.native.sums(at.R, z[self.n_weights :])
        return z

    def residuals(self, v: Array) -> Array:
        """Return U of a hinge's dual variables v, weights included: −s·v, or v less the share of the own class."""
        if self.joint:
            U = v.copy()
            rows = np.arange(self.n_rows)
            U[rows, self.problem.y.codes] = 0.0
            U[rows, self.problem.y.codes] = -U.sum(axis=1)
            return U
        return -v * np.column_stack([self.problem.y.signs(k) for k in range(self.n_outputs)])

    def duality_gap(self, x: Array, at: Evaluated, z: Array) -> float:
        """Return P(x) − D(U) for the loss and dual point in ``at``, with z = XᵀU."""
        return max(at.loss + self.penalty(x) - self.dual_value(at.R, z), 0.0)

    def dual_value(self, U: Array, z: Array) -> float:
        """Return the larger of D(U) and D(c·U), c scaling into |XᵀU| ≤ l1, for z = XᵀU."""
        l1, l2 = self.problem.l1, self.problem.l2
        excess = np.abs(z)
        largest = float(excess.max(initial=0.0))
        best = -np.inf
        if l2 > 0:
            if l1 > 0:
                excess -= l1
                np.maximum(excess, 0.0, out=excess)
            best = -self.native.conjugate(U) - self.dot(excess, excess) / (2 * l2)
            if self.problem.offset is not None:
                best += self.dot(U.ravel(), self.problem.offset.ravel())
        if l1 > 0:
            shrink = min(1.0, l1 / largest) if largest > 0 else 1.0
            best = max(best, -self.native.conjugate(U * shrink))
        return best

    def _balance(self, U: Array) -> None:
        """Make the columns of U sum to zero without leaving the domain of the conjugates."""
        if not self.joint:
            above, below = np.maximum(U, 0.0).sum(axis=0), -np.minimum(U, 0.0).sum(axis=0)
            smaller = np.minimum(above, below)
            up = np.divide(smaller, above, out=np.zeros_like(above), where=above > 0)
            down = np.divide(smaller, below, out=np.zeros_like(below), where=below > 0)
            U *= np.where(U > 0, up, down)
            return
        shares = self.problem.y.weighted_counts(self.share)
        rows = np.arange(self.n_rows)
        if not shares.all():
            p = U / np.where(self.share > 0, self.share, 1.0)[:, None]
            p[rows, self.problem.y.codes] += 1.0
            p[:, shares == 0] = 0.0
            p /= np.where(self.share > 0, p.sum(axis=1), 1.0)[:, None]
            p[rows, self.problem.y.codes] -= 1.0
            np.multiply(p, self.share[:, None], out=U)
        surplus = np.empty(self.n_outputs)
        self.native.sums(U, surplus)
        over = surplus > 0
        theta = float((surplus[over] / (shares[over] + surplus[over])).max(initial=0.0))
        U *= 1.0 - theta
        U += self.share[:, None] * (theta * shares - (1.0 - theta) * surplus)
        U[rows, self.problem.y.codes] -= theta * self.share


def newton_step(H: Array, g: Array, *, joint: bool) -> Array:
    """Return −H⁻¹g by Gaussian elimination (K is small; LAPACK's bits would depend on its build).

    The Hessian of a joint loss is singular along (1, …, 1), which changes no probability: that direction is filled in.
    """
    K = len(g)
    if not joint:
        step: Array = -g / np.maximum(
            np.diagonal(H), 1e-30
        )  # tiny losses have a tiny curvature, and no less a bias
        return step
    A = np.column_stack([H + 1.0 / K, -g])
    A[np.arange(K), np.arange(K)] += 1e-12
    for k in range(K):
        A[k] /= A[k, k]
        for j in range(K):
            if j != k:
                A[j] -= A[j, k] * A[k]
    return A[:, K]
