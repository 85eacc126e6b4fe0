"""The arrays of one fit by dual coordinate ascent, the passes over them, and the audit that proves the gap."""

from __future__ import annotations

import os

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.base import thread_count
from lindy.csr import Float
from lindy.linear.losses import get_loss
from lindy.linear.optimizers import dual_start
from lindy.linear.problem import Certificate, Options, Problem, Solution

def off(what: str) -> bool:
    return os.environ.get("LINDY_OFF") == what


ALIKE = 0.25
"""From which share of their squared length on two rows count as alike."""

SLOW = 0.3
"""What a pass must leave of the gap to count as slow."""

FEW = 0.4
"""The share of the rows up to which a pass over only these is worth it."""

CLOSE = 4.0
"""How many times the gap asked for is close to it."""


class DualState:
    """The arrays of one fit, and the native solver over them."""

    def __init__(self, problem: Problem, options: Options) -> None:
        self.problem, self.options = problem, options
        X, K = problem.X, problem.n_outputs
        self.n = n = X.shape[0]
        weight = np.ones(n) if problem.weight is None else problem.weight
        self.c = weight / (problem.l2 * weight.sum())
        self.rows = np.flatnonzero(self.c > 0).astype(np.int32)
        self.q = np.empty(n)
        _native.row_norms(*X.arrays, self.q)
        if not np.isfinite(self.q).all():
            row = int(np.flatnonzero(~np.isfinite(self.q))[0])
            raise ValueError(
                f"the squared length of row {row} of X is too large for float64: scale the columns"
            )
        self.stride = 1 if K == 1 else -(-K // 4) * 4
        self.cost = _cost(problem)
        self.gap, self.loss = np.zeros(n), np.empty(n)
        self.seed = options.seed
        self.threads = thread_count(options.n_jobs)
        self.free_bias = problem.bias and not problem.penalize_bias
        self.joint = get_loss(problem.loss).joint and K > 1
        self.entropic = problem.loss in ("log", "log_ovr")
        self.beta = self._beta()
        self.scale = 0.0  # the objective, as well as it is known
        self.met: list[float] = []  # sums of the gap terms met on the passes
        self.audited: list[tuple[float, float]] = []  # effort so far and the gap
        self.effort = 0.0  # visits so far, in passes over all rows
        self.partial = 0  # passes since the last one over all rows
        self.kinked = problem.loss in ("hinge", "multiclass_hinge")
        self.before: tuple[Float, Float, Float] | None = None  # W, b and dual before the last pass
        self.resumed = False
        self.fresh = False  # whether the sweep with which the smooth losses begin is still to come
        self.swept = False
        self.order, self.left, self.reach = (
            self.rows.copy(),
            len(self.rows),
            np.inf,
        )  # the rows of the next pass
        self.remaining = 1.0  # the share of the terms met that an audit still found
        self._allocate(self._precision())
        self._start()

    def _precision(self) -> Any:
        """float32 halves the traffic; float64 where it costs nothing, or where float32 cannot reach ``tol``."""
        if off("float32"):
            return np.float64
        if off("float64 where small"):
            return np.float32
        smooth = "gradient" in get_loss(self.problem.loss).offers
        small = (self.problem.X.n_columns + self.n) * self.stride < 1 << 16
        rough = float((self.q * self.c).max(initial=0.0)) > 1e4
        tight = self.options.tol < (1e-7 if smooth else 1e-5)
        return np.float64 if small or rough or tight else np.float32

    def _beta(self) -> float:
        """Return the coupling of the bias: weak for texts, and for rows that are alike as strong as their similarity.

        The similarity of two rows is ‖x̄‖²: below 0.2 of their squared length for texts, 0.4 for images. Where it is
        that large, a weak coupling would let the residual grow from pass to pass.
        """
        if not self.problem.bias:
            return 0.0
        if off("coupling by similarity"):
            return self.weak_coupling
        more = self.similarity - self.apart * self.typical_square if self.alike else 0.0
        return self.weak_coupling + more

    @cached_property
    def similarity(self) -> float:
        """The mean product of two rows, ‖x̄‖² for many, from about a thousand of them."""
        chosen = np.zeros(self.n)
        rows = self.rows[:: max(len(self.rows) // 1000, 1)]
        chosen[rows] = self.c[rows] / self.c[rows].sum()
        mean = np.zeros(self.problem.X.n_columns)
        _native.sum_rows(*self.problem.X.arrays, chosen, mean)
        same = np.square(chosen)
        return float((_native.dot(mean, mean, 1) - (same * self.q).sum()) / max(1 - same.sum(), 1e-9))

    @property
    def alike(self) -> bool:
        """Whether every row says much about every other."""
        return self.similarity > ALIKE * self.typical_square

    @property
    def typical_square(self) -> float:
        """The mean squared length of a row."""
        return float(np.average(self.q, weights=self.c))

    @property
    def weak_coupling(self) -> float:
        """β of rows as different as texts are: a little of their length, and what n rows need to move b at once."""
        diagonal = {"squared_hinge": 0.5, "log": 8.0, "log_ovr": 8.0}.get(
            self.problem.loss, 1.0
        ) / self.c.sum()
        return self.typical_square * (self.apart + 2 / len(self.rows)) + 2 * float(diagonal)

    @property
    def apart(self) -> float:
        """What texts are taken to have in common, as a share of their squared length."""
        return 0.06 if self.entropic else 0.03

    @property
    def bias_step(self) -> float:
        """The constant feature's squared value: β, or its penalised counterpart."""
        return self.beta / (1 + self.beta) if self.problem.penalize_bias else self.beta

    def _allocate(self, dtype: Any) -> None:
        problem = self.problem
        self.W: Float = np.zeros((problem.X.n_columns, self.stride), dtype)
        self.b: Float = np.zeros(self.stride, dtype)
        self.dual: Float = np.zeros((self.n, self.stride), dtype)
        self.native = _native.DualSolver.make(
            problem.loss, *problem.X.arrays, problem.y, self.c, self.q, self.cost, problem.n_outputs,
            self.W, self.b, self.dual, self.gap, self.loss,
        )  # fmt: skip

    def _start(self) -> None:
        """Begin at W = 0 with the best bias for it, or where an earlier solution ended."""
        problem, start = self.problem, self.options.start
        if problem.loss == "multiclass_hinge" and self.joint:
            self.dual[np.arange(self.n), problem.y] = self.c
        if problem.bias:
            self.b[: problem.n_outputs] = _first_bias(problem, self.c)
        if start is not None and start.details.get("dual") is not None:
            self._resume(start)
        self.fresh = not self.kinked and not self.resumed and not off("look-ahead")

    def _resume(self, start: Solution) -> None:
        dual = np.asarray(start.details["dual"])
        K = self.problem.n_outputs
        if dual.shape != (self.n, K) or start.W.shape != (self.problem.X.n_columns, K):
            return
        if self.problem.loss in ("hinge", "log_ovr") or (K == 1 and self.problem.loss != "squared_hinge"):
            dual = np.minimum(dual, self.c[:, None])
        elif self.problem.loss == "multiclass_hinge":
            dual = dual * (self.c / np.maximum(start.details["C"], 1e-300))[:, None]
        self.dual[:, :K] = dual
        self.b[:K] = start.b
        self.native.rebuild()
        self.resumed = True

    def run(self, limit: int) -> int:
        """Pass over the rows until the gap terms met promise success; returns the number of passes.

        Rows whose variables sit at a bound, with a margin further on the right side of it than margins still move,
        are left out until an audit finds a gap in them.
        """
        passes = 0
        if self.fresh:
            passes, self.fresh, self.swept = 1, False, True
            if dual_start.sweep(self) <= self.options.tol:
                return passes
        while passes < limit and self.left:
            if self.entropic and not off("row picking"):
                self._pick_rows()
            elif off("shrinking") or (self.entropic and off("row picking")):
                self.left = len(self.rows)
                self.order[:] = self.rows
            self.seed += 1
            self.effort += self.left / len(self.rows)
            met, self.left = self.native.run(self.order, self.left, self.seed, self.bias_step, self.reach)
            if not self.partial:  # the bias is moved when all rows have answered to its last move
                self.move_bias()
            passes += 1
            self.met.append(float(self.gap.sum()) if self.partial else met)
            promised = np.inf if self.partial else self._promised()
            if promised <= self.options.tol or passes >= 50:
                break
            self.reach = np.inf if off("shrinking") else self._reach(met)
            if self.kinked and not off("mean of two passes") and promised <= 3 * self.options.tol:
                self.before = (self.W.copy(), self.b.copy(), self.dual.copy())
        return max(passes, 1)

    def _reach(self, met: float) -> float:
        """How far margins may yet move: some times what they were off by on the last pass, which the terms tell."""
        term = met / float(self.c.sum())
        return 1.5 * term**0.5 if self.problem.loss == "squared_hinge" else 5 * term

    def _pick_rows(self) -> None:
        """Choose the rows of the next pass: where passes gain little, seven of eight are left to rows with a gap.

        A row's own term of the gap tells what a visit can gain; for large C a few rows have nearly all of it. Where
        rows are alike, every visit changes the terms of all others, and old ones tell nothing.
        """
        slow = len(self.met) > 1 and self.met[-1] > SLOW * self.met[-2] and not self.alike
        rows = self.rows
        self.partial = (self.partial + 1) % 8 if slow else 0
        if self.partial:
            chosen = rows[self.gap[rows] > 0.3 * self.gap.sum() / len(rows)]
            few = len(chosen) < FEW * len(rows)
            rows, self.partial = (chosen, self.partial) if few else (rows, 0)
        self.left = len(rows)
        self.order[: self.left] = rows

    def _promised(self) -> float:
        """Return the relative gap that the terms met let expect: as they shrink from pass to pass, so does it.

        Before the first audit the objective is about half of what the first pass met, unless a sample of the rows told
        it; each audit then tells how much of what was met is still there.
        """
        if self.swept and len(self.met) == 1 and not off("sampling"):
            return self.sampled()
        met = self.met[-1]
        ratio = 1.0
        if len(self.met) > 1 and self.met[-2] > 0:
            ratio = min(met / self.met[-2], 1.0)
        scale = self.scale or self.met[0] / 2
        share = 1.0 if self.before is None else 0.8  # what is usually left of the gap by taking the mean
        if self.entropic:
            share = 1.6  # rows are met after their neighbours have moved
        rows = share * met * min(ratio, self.remaining)
        return (rows + self._bias_gap()) / scale if scale > 0 else 0.0

    def sampled(self) -> float:
        """Estimate the relative gap, and the objective, from every sixteenth row."""
        gap, loss, norm = self.native.sample()
        self.scale = 0.5 * norm + loss
        return (gap + self._bias_gap()) / self.scale if self.scale > 0 else 0.0

    def _bias_gap(self) -> float:
        """Return what a penalised bias that differs from its equation adds to the gap."""
        if not self.problem.bias or self.free_bias:
            return 0.0
        return 0.5 * float(np.square(self.b - self.residual()).sum())

    def certify(self) -> Certificate:
        """Audit the mean of the last two passes for the hinges, whose primal values jump around the optimum.

        The gap is convex in (W, α), so the mean is no worse than the two together, and in the tail better than both.
        """
        if self.before is not None:
            for now, earlier in zip((self.W, self.b, self.dual), self.before, strict=True):
                now[:] = 0.5 * (now + earlier)
            self.before = None
        if (
            self.free_bias
        ):  # the audit makes the residual 0, and what it adds to b through the constant feature
            self.b -= (self.beta * self.residual()).astype(self.b.dtype)
        return self.audit()

    def readmit(self) -> None:
        """After an audit: take back the rows with a gap worth closing, and learn what met terms mean.

        Close to the end those rows alone are visited, unless the bias has the gap: a third of them have nearly all.
        """
        if off("readmission"):
            self.left = len(self.rows)
            self.order[:] = self.rows
            gap = self.audited[-1][1]
            self.remaining = gap / self.met[-1] if self.met and self.met[-1] > 0 else 1.0
            return
        gap = self.audited[-1][1]
        self.remaining = gap / self.met[-1] if self.met and self.met[-1] > 0 else 1.0
        wanted = self.options.tol * self.scale
        close = gap <= CLOSE * wanted and float(self.gap.sum()) > 0.7 * gap
        active = self.gap > (0.3 if close else 0.01) * wanted / max(len(self.rows), 1)
        if not close:
            active[self.order[: self.left]] = True
        rows = np.flatnonzero(active & (self.c > 0))
        self.left = len(rows)
        self.order[: self.left] = rows

    def move_bias(self) -> None:
        """Move b towards its equation."""
        if not self.problem.bias:
            return
        residual = self.residual()
        if self.free_bias:
            self.b += (self.beta * residual).astype(self.b.dtype)
        else:
            self.b[:] = (self.b + self.beta * residual) / (1 + self.beta)

    def residual(self) -> NDArray[np.float64]:
        """Return Σ_i of the rows' dual coefficients, per output."""
        residual = np.empty(self.stride)
        self.native.residual(residual)
        return residual

    def audit(self) -> Certificate:
        """Prove how far the present weights are from the optimum."""
        slack = 0.0
        if self.free_bias:
            residual = self.residual()
            mass = np.bincount(self.problem.y, self.c, self.problem.n_classes)
            rounding = 1e-17 if self.W.dtype == np.float64 else 1e-11
            self.native.repair(residual, rounding * float(mass[mass > 0].min()))
            slack = float(np.abs(residual).sum()) * self._bias_range(residual)
        gap, loss, norm = self.native.audit(self.threads)
        gap += slack
        if self.problem.bias and self.problem.penalize_bias:
            norm += float(np.vdot(self.b, self.b))
            gap += self._bias_gap()
        self.scale = 0.5 * norm + loss
        self.audited.append((self.effort, gap))
        l2 = self.problem.l2
        return Certificate(l2 * self.scale, l2 * gap, self.options.tol)

    def _bias_range(self, residual: NDArray[np.float64]) -> float:
        """How far b can be from the best b: ½‖W‖² and the classes' losses cannot exceed the objective.

        What is left at the level of rounding is weighed with the present bias instead of the worst.
        """
        top = self.scale or float(self.c.sum())
        reach = np.sqrt(2 * top) * np.average(np.sqrt(self.q), weights=self.c)
        if float(np.abs(residual).max()) <= 1e-12 * float(self.c.sum()):
            return 2 * float(1 + reach + np.abs(self.b).max())
        mass = np.bincount(self.problem.y, self.c, self.problem.n_classes)
        return 2 * float(1 + reach + top / max(float(mass[mass > 0].min()), 1e-300))

    def promote_if_stalled(self) -> None:
        """Go on in float64 when ten passes or more did not halve the gap."""
        if off("float64 promotion"):
            return
        gaps = [gap for effort, gap in self.audited if effort <= self.effort - 10]
        if self.W.dtype == np.float64 or not gaps or self.audited[-1][1] < 0.5 * gaps[-1]:
            return
        dual, b = self.dual, self.b
        self._allocate(np.float64)
        self.dual[:], self.b[:] = dual, b
        if self.problem.loss == "log" and self.problem.n_outputs > 1:
            self.dual /= self.dual.sum(axis=1, keepdims=True)
        self.native.rebuild()

    def weights(self) -> tuple[Float, Float]:
        """Return W and b without padding; a bias that only differences matter of has mean 0."""
        K = self.problem.n_outputs
        b = self.b[:K].copy()
        if self.joint and self.free_bias:
            b -= b.mean()
        return (self.W if self.stride == K else np.ascontiguousarray(self.W[:, :K])), b

    def dual_variables(self) -> Float:
        """Return the dual variables, rows × outputs."""
        return self.dual[:, : self.problem.n_outputs]


def _cost(problem: Problem) -> NDArray[np.float64]:
    """Return the margins that the kernels ask for: 1, or the costs ρ[predicted, true] of Crammer and Singer."""
    K = problem.n_classes
    if problem.loss != "multiclass_hinge":
        return np.ones(2) if problem.n_outputs == 1 else np.zeros(K * K)
    rho = 1.0 - np.eye(K) if problem.cost is None else problem.cost
    if K == 2:
        return np.array([rho[1, 0], rho[0, 1]], np.float64)
    return np.ascontiguousarray(rho, np.float64).ravel()


def _first_bias(problem: Problem, c: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the best bias of the empty model: what the classes' shares alone say."""
    share: NDArray[np.float64] = np.bincount(problem.y, c, problem.n_classes) / c.sum()
    share = np.clip(share, 1e-6, 1 - 1e-6)
    if problem.n_outputs == 1:
        share = share[1:]
    bias: NDArray[np.float64]
    if problem.loss == "log" and problem.n_outputs > 1:
        bias = np.log(share) - np.log(share).mean()
    elif problem.loss in ("log", "log_ovr"):
        bias = np.log(share) - np.log1p(-share)
    else:
        bias = 2 * share - 1
    return bias
