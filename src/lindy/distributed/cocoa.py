"""The SVM with hinge loss over partitions: block-coordinate dual steps, with a duality gap.

    P(W) = ½‖W‖² + Σ_i C_i·hinge_i(W),    D(α) = Σ_ik α_ik − ½‖W‖²,    W = Σ_i x_i·(s_i ∘ α_i)ᵀ

A round is one pass of dual coordinate ascent in every partition (``native/linear/dual/local_pass.hpp``), as if the
others stood still. All changes together are shortened, of every output k its own, by what is best for D along them,

    γ_k = clip((Σ_i Δα_ik − w_k·Δw_k) / ‖Δw_k‖², 0, 1)

which is never worse than their mean (γ = 1/partitions; Jaggi et al. 2014, CoCoA), and for texts, whose rows have
little in common, nearly their sum. Loss and dual variables of W come back with the next round, so that the gap P − D
of every W costs no round of its own. What is proved holds for all rows; the digits within the gap depend on the
partitions.

The bias is the weight of a column of ones, which the penalty reaches (``penalize_intercept=True``), or there is none.

The hinge is not smooth, and for such losses the number of rounds is bounded by a multiple of 1/ε only, not of log 1/ε
(Ma et al. 2015, Adding vs. averaging in distributed primal-dual optimization, theorem 8); the multiple grows with what
rows of different partitions have in common. Texts without a bias have little, and a gap of 1e-4 takes about a hundred
rounds; a column of ones is in every row, and the gap falls as 1/rounds: 3e-4 after a thousand. Squared hinge and MaxEnt
are smooth, and solved otherwise (``convex``).
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.distributed.engine import Engine
from lindy.distributed.smooth_tasks import Rows, Spec
from lindy.distributed.sums import Array, Totals, shares_of
from lindy.errors import DataError
from lindy.linear.losses import margins
from lindy.linear.objective import Products
from lindy.linear.problem import Certificate, History, Solution
from lindy.progress import round_done


def fit_hinge(engine: Engine, learner: Any, totals: Totals) -> None:
    """Fit an SVM with hinge loss to the rows that the engine holds."""
    learner._check_parameters()
    if learner.fit_intercept and not learner.penalize_intercept:
        raise DataError(
            "the SVM with hinge loss over partitions needs a bias that the penalty reaches",
            "take the learner's options `penalize_intercept=True` or `loss='squared_hinge'`",
        )
    learner.classes_, learner.n_features_in_ = totals.classes, totals.n_columns
    shares, total = shares_of(learner, totals)
    l2 = learner.l2_of(total)
    K = 1 if len(totals.classes) == 2 else len(totals.classes)
    spec, tol = Spec("hinge", K, shares), float(learner.tol)
    V = np.zeros((totals.n_columns + bool(learner.fit_intercept), K))
    alphas: list[Any] = [None] * engine.n_partitions
    history, began, seed = History(), time.perf_counter(), int(learner.random_state or 0)
    best: tuple[float, Any] | None = None
    n_iter = 0
    while True:
        changes: list[DualChange] = engine.run("dual_pass", spec, V, l2, seed + n_iter, each=alphas)
        square = float(np.square(V).sum())
        primal = 0.5 * square + sum(change.loss for change in changes)
        dual = sum(change.dual for change in changes) - 0.5 * square
        history.objective.append(l2 * primal)
        history.seconds.append(time.perf_counter() - began)
        if best is None or primal < best[0]:
            best = primal, V
        certificate = Certificate(l2 * best[0], l2 * max(best[0] - dual, 0.0), tol)
        round_done(n_iter, certificate.relative_gap, tol)
        if certificate.reached or n_iter >= learner.max_iter:
            break
        step = np.sum([change.change for change in changes], axis=0)
        gain = np.sum([change.added.sum(axis=0) for change in changes], axis=0) - (V * step).sum(axis=0)
        bend = np.square(step).sum(axis=0)
        gamma = np.clip(np.divide(gain, bend, out=np.ones(K), where=bend > 0), 0.0, 1.0)
        V = V + gamma * step
        alphas = [change.before + gamma * change.added for change in changes]
        n_iter += 1
    W = best[1]
    b = W[-1] if learner.fit_intercept else np.zeros(K)
    learner.solver_ = "cocoa"
    solution = Solution(W[: totals.n_columns], b, n_iter, history, certificate)
    learner._keep(solution, None)
    learner._report(solution, stacklevel=3)


@dataclass(frozen=True, slots=True)
class DualChange:
    """The change of W (a bias is its last row) and of the dual variables by a pass; these and the loss before it."""

    change: Array
    added: Array
    before: Array
    loss: float

    @property
    def dual(self) -> float:
        """The sum of the dual variables before the pass."""
        return float(self.before.sum())


def dual_pass(rows: Rows, spec: Spec, V: Array, l2: float, seed: int, before: Array | None) -> DualChange:
    """Visit all rows of a partition once."""
    n = len(rows.y)
    C = rows.times(spec.shares) / l2
    before = np.zeros((n, spec.n_outputs)) if before is None else before
    alpha, moved = before.copy(), V.copy()
    order: NDArray[np.int32] = np.random.default_rng(seed).permutation(n).astype(np.int32)
    _native.local_pass(rows.X, rows.y.codes, C, order, alpha, moved)
    return DualChange(moved - V, alpha - before, before, hinge_loss(rows, spec, V, C))


def hinge_loss(rows: Rows, spec: Spec, V: Array, C: Array) -> float:
    """Return Σ_i C_i·Σ_k max(0, 1 − s_ik·o_ik)."""
    if not len(rows.y):
        return 0.0
    W = np.ascontiguousarray(V[: rows.X.n_columns])
    scores = Products(rows.X, spec.n_outputs, 1).times(W)
    if len(V) > len(W):
        scores += V[-1]
    losses = spec.definition.of_margins(margins(scores, rows.y.codes), np.ones(1))
    return float((C[:, None] * losses).sum())
