"""Moves that learn from one partition, to be mixed or added up: passes of online learners and of dual ascent.

What comes out depends on which rows are together.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.weights import total_weight
from lindy.distributed.smooth_tasks import Rows, Spec
from lindy.distributed.sums import Array
from lindy.estimators.base import Examples
from lindy.linear.losses import margins
from lindy.linear.objective import Products
from lindy.linear.optimizers.online_epochs import train
from lindy.linear.optimizers.online_state import State


@dataclass(frozen=True, slots=True)
class Mixture:
    """Sums over partitions of their rows times weights: those after the pass, and the mean of those during it."""

    n_rows: float
    mistakes: int
    last: Array
    mean: Array

    def merged(self, other: Mixture) -> Mixture:
        """Return the sums of both parts."""
        return Mixture(
            self.n_rows + other.n_rows,
            self.mistakes + other.mistakes,
            self.last + other.last,
            self.mean + other.mean,
        )


def online_pass(rows: Rows, learner: Any, W: Array, b: Array, epoch: int) -> Mixture:
    """Learn from the rows of a partition once, from given weights (`lindy.distributed.mixing`)."""
    both = np.vstack([W, b])
    n = total_weight(rows.weight, len(rows.y))
    if n == 0:
        return Mixture(0, 0, 0 * both, 0 * both)
    data = Examples(rows.X, rows.y, rows.weight)
    rule = learner._rule_of(data)
    seed = (learner.random_state or 0) * 1_000_003 + epoch
    training = replace(
        learner._training_schedule(), epochs=1, held_out=0.0, seed=seed, callback=None, trace=0, vote=False
    )
    state = State(rule, rows.X.n_columns, len(learner.classes_))
    state.start(W.astype(rule.dtype), b, 0.0 if rule.average else float(epoch * n))
    outcome = train(state, learner._prepared(data, training, rule), training, keep=True)
    last, mean = (np.vstack(pair).astype(np.float64) for pair in (state.present(), state.weights()))
    return Mixture(n, sum(outcome.history.mistakes), n * last, n * mean)


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
    """Visit all rows of a partition once (`lindy.distributed.cocoa`)."""
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
