"""The variables of dual coordinate ascent: W, b and α of one problem, how they begin, and the proof of their gap.

The bias is met by the method of multipliers: b is kept apart from W, a constant feature of value √β couples the rows
only weakly, and after each pass b moves towards its equation,

    unpenalised:  Σ_i s_i·α_i = 0,   b ← b + β·Σ_i s_i·α_i
    penalised:    Σ_i s_i·α_i = b,   b ← (b + β·Σ_i s_i·α_i) / (1 + β)

An audit makes the unpenalised equation hold exactly, so that the certificate covers the bias too.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Float
from lindy.estimators.base import thread_count
from lindy.linear.problem import Certificate, Options, Problem, Solution, stride_of

Array = NDArray[np.float64]

SAMPLE = 1000
"""Rows from which the mean row is estimated."""

_BLOCK = 4096  # rows of W that are moved at once


class DualVariables:
    """W (columns × stride), b and α (rows × stride) in one precision, with the kernels that work on them."""

    def __init__(self, problem: Problem, options: Options) -> None:
        self.problem, self.tol = problem, options.tol
        self.threads = thread_count(options.n_jobs)
        weight = np.ones(problem.X.shape[0]) if problem.weight is None else problem.weight
        self.c: Array = weight / (problem.l2 * weight.sum())
        self.rows = np.flatnonzero(self.c > 0).astype(np.int32)
        self.diagonals = _squared_lengths(problem)
        self.q: Array = self.diagonals.max(axis=1)
        with np.errstate(over="ignore"):
            longest = self.q * self.c
        if not np.isfinite(longest.sum()):
            raise ValueError(
                f"the squared length of row {int(longest.argmax())} of X times its C is too large for float64: scale"
                " the columns of X to a similar size, or choose a smaller C"
            )
        self.gap, self.loss = np.zeros_like(self.c), np.zeros_like(self.c)
        self.free_bias = problem.bias and not problem.penalize_bias
        self.mean_square = self._mean_square()
        self.beta = self._coupling() if problem.bias else 0.0
        self.objective = 0.0  # of the last audit
        self.output_gaps: Array | None = None  # of the last audit, where every output has a loss of its own
        self._allocate(self._precision())
        self.resumed, self.proved = self._begin(options)

    def _precision(self) -> str:
        """float32 halves the traffic; its scores, of some 1e-7, are too rough for a small gap or a steep dual."""
        tight = self.tol < (1e-7 if self.problem.definition.smooth else 1e-5)
        steep = float((self.q * self.c).max(initial=0.0)) > 1e4
        return "float64" if tight or steep else "float32"

    def _allocate(self, dtype: str) -> None:
        problem, K = self.problem, self.problem.n_outputs
        stride = stride_of(K)
        self.W: Float = np.zeros((problem.X.n_columns, stride), dtype)
        self.b: Float = np.zeros(stride, dtype)
        self.dual: Float = np.zeros((problem.X.shape[0], stride), dtype)
        self.native = _native.dual_solver(
            problem.loss,
            problem.X,
            y=problem.y.codes,
            c=self.c,
            q=self.diagonals,
            cost=problem.definition.targets(len(problem.y.names), problem.cost, K),
            label_ends=problem.y.label_ends,
            w=self.W,
            b=self.b,
            dual=self.dual,
            gap=self.gap,
            loss_values=self.loss,
            scale=None if problem.scales is None else problem.scales.squares.astype(dtype, copy=False),
        )

    def _begin(self, options: Options) -> tuple[bool, bool]:
        """Begin where an earlier solution ended, or at W = 0 with the best bias for it.

        Returns whether there was an earlier one, and whether it may be the answer: the prices are its own.
        """
        problem, K, start = self.problem, self.problem.n_outputs, options.start
        if start is not None and "dual" in start.details:
            old = start.details["dual"]
            if old.shape == (len(self.c), K):  # the columns may be others: W follows from the dual
                new = problem.definition.dual_resume(old, start.details["C"], self.c)
                self.b[:K] = start.b
                if self._is_of_same_rows(start):
                    self.W[:, :K] = start.W
                    self.dual[:, :K] = new - old
                    self.native.add_differences()
                    self.dual[:, :K] = new
                else:
                    self.dual[:, :K] = new
                    self.native.add_differences()  # from W = 0
                return True, np.array_equal(start.details["C"], self.c)
        self.dual[:, :K] = problem.definition.dual_start(problem.y.codes, self.c, K)
        if problem.bias:
            shares = problem.y.weighted_counts(self.c) / self.c.sum()
            self.b[:K] = problem.definition.best_bias(shares, K)
        return False, False

    def _is_of_same_rows(self, start: Solution) -> bool:
        """Whether W of an earlier solution is that of its dual variables here: of margins, by the same scales."""
        X, y, key = start.details.get("rows", (None, None, None))
        if X is not self.problem.X or start.W.dtype != self.W.dtype or y != self.problem.y:
            return False
        own = None if self.problem.scales is None else self.problem.scales.key
        return key == own and not self.problem.joint

    def _coupling(self) -> float:
        """β = ‖x̄‖² + 2·(mean ‖x‖² + D) / n, about 1 / (how much Σ s_i·α_i moves with b).

        Where all n rows answer alike to a move of b, (n·‖x̄‖² + ‖x‖² + D)·α = 1 says by how much, D being the dual's
        own curvature 1/(C·ℓ″) (for a kink, where α goes from 0 to C within a unit of the margin, 1/C); twice, because
        the rows at a bound do not answer. Of many labels most are rare, and few of a rare label's rows answer, those
        that are alike to its own: ‖x̄‖² becomes the geometric mean of what two rows have in common and a row's length.
        """
        length = float(np.average(self.q, weights=self.c))
        definition = self.problem.definition
        curved = 1 / ((definition.curvature if definition.smooth else 1.0) * float(self.c.sum()))
        several = self.problem.y.label_ends is not None
        shared = (self.mean_square * length) ** 0.5 if several else self.mean_square
        return shared + 2 * (length / len(self.rows) + curved)

    def _mean_square(self) -> float:
        """Return ‖x̄‖², from some rows: what two rows have in common on average (and over outputs, with scales)."""
        X, scales = self.problem.X, self.problem.scales
        some = self.rows[:: max(len(self.rows) // SAMPLE, 1)]
        share = self.c[some] / self.c[some].sum()
        if (copies := X.from_files(some)) is not None:
            X, some = copies, np.arange(len(some), dtype=np.int32)
        return _native.mean_square(
            X,
            rows=some,
            share=share,
            squares=None if scales is None else scales.squares,
            n_outputs=self.problem.n_outputs,
        )

    @property
    def bias_step(self) -> float:
        """The constant feature's squared value: β, or its penalised counterpart."""
        return self.beta / (1 + self.beta) if self.problem.penalize_bias else self.beta

    def move_bias(self) -> None:
        """Move b towards its equation."""
        if self.free_bias:
            self.b += (self.beta * self.residual()).astype(self.b.dtype)
        elif self.problem.bias:
            self.b[:] = (self.b + self.beta * self.residual()) / (1 + self.beta)

    def residual(self) -> Array:
        """Return Σ_i of the rows' dual coefficients, per output."""
        residual = np.empty(len(self.b))
        self.native.residual(residual)
        return residual

    def bias_gaps(self) -> Array:
        """Return what a penalised bias that differs from its equation adds to the gap, per output."""
        if self.free_bias or not self.problem.bias:
            return np.zeros(len(self.b))
        return 0.5 * np.square(self.b - self.residual())

    def settle(self) -> Array:
        """Make the equation of a free bias hold; returns what that may add to the gap, per output."""
        return self._balance() if self.free_bias else np.zeros(len(self.b))

    def audit(self) -> Certificate:
        """Prove how far the present weights are from the optimum."""
        slack = self.settle()
        output_gap = np.zeros(len(self.b))
        gap, loss, norm = self.native.audit(self.threads, output_gap)
        if self.problem.bias and self.problem.penalize_bias:
            norm += float(np.square(self.b, dtype=np.float64).sum())
        self.objective = 0.5 * norm + loss
        l2, bias = self.problem.l2, self.bias_gaps()
        if not self.problem.joint:
            self.output_gaps = l2 * (output_gap + slack + bias)[: self.problem.n_outputs]
        return Certificate(l2 * self.objective, l2 * (gap + float(slack.sum()) + float(bias.sum())), self.tol)

    def _balance(self) -> Array:
        """Make Σ s_i·α_i = 0, up to rounding; returns what that may add to the gap, per output.

        b loses what the constant feature has added to it through the residual.
        """
        residual = self.residual()
        self.b -= (self.beta * residual).astype(self.b.dtype)
        mass = self.problem.y.weighted_counts(self.c)
        least = float(mass[mass > 0].min())
        self.native.repair(residual, (1e-17 if self.W.dtype == np.float64 else 1e-11) * least)
        # b can be so far from the best b: ½‖W‖² and no class's loss exceed the objective. What is left at the level
        # of rounding is weighed with the present bias instead of the worst.
        top = self.objective or float(self.c.sum())
        reach = np.sqrt(2 * top) * np.average(np.sqrt(self.q), weights=self.c)
        rounding = float(np.abs(residual).max()) <= 1e-12 * float(self.c.sum())
        farthest = float(np.abs(self.b).max()) if rounding else top / least
        return np.abs(residual) * (2 * float(1 + reach + farthest))

    def widen(self) -> None:
        """Go on in float64."""
        dual, b, K = self.dual, self.b, self.problem.n_outputs
        self._allocate("float64")
        self.dual[:], self.b[:] = dual, b
        if self.problem.joint:
            self.dual *= (self.c / np.maximum(self.dual[:, :K].sum(axis=1), np.finfo(float).tiny))[:, None]
        self.native.rebuild()

    def weights(self) -> tuple[Float, Float]:
        """Return W and b without padding, for which W is overwritten; of a joint loss a free bias has mean 0."""
        K = self.problem.n_outputs
        b: Any = self.b[:K].copy()
        if self.problem.joint and self.free_bias:
            b -= b.mean()
        return _without_padding(self.W, K), b


def _without_padding(W: Float, n_outputs: int) -> Float:
    """Return the first columns of W, moved together in its own memory."""
    if W.shape[1] == n_outputs:
        return W
    close = W.reshape(-1)[: len(W) * n_outputs].reshape(-1, n_outputs)
    for begin in range(
        0, len(W), _BLOCK
    ):  # rows only move towards the beginning, where nothing is needed any more
        close[begin : begin + _BLOCK] = W[begin : begin + _BLOCK, :n_outputs].copy()
    return close


def _squared_lengths(problem: Problem) -> Array:
    """Return ‖x_i‖², rows × 1; with scales ‖s_k ∘ x_i‖², rows × columns of W."""
    q = problem.X.norms().reshape(-1, 1) if problem.scales is None else problem.scales.lengths
    if not np.isfinite(q).all():
        row = int(np.flatnonzero(~np.isfinite(q).all(axis=1))[0])
        raise ValueError(f"the squared length of row {row} of X is too large for float64: scale the columns")
    return q
