"""MaxEnt and the SVM with squared hinge over partitions: L-BFGS on summed gradients, with a proof over all rows.

    x ← x − t·H·∇P(x),     H from the last ten steps (`lindy.linear.optimizers.lbfgs`), t = 1, or shorter by Armijo's

A round is one pass over the rows of every partition. The search stops when ‖∇_W P‖² / (2·l2), which is the gap up to
what the bias adds, is within the tolerance, and the duality gap over all rows proves it. All numbers that steer it are
sums without rounding errors that depend on the partitions (`lindy.distributed.sums`), so it takes the same way, and
ends with the same bits, for any number of them.

It begins at W = 0. Agarwal et al. 2014 (A reliable effective terascale linear learning system) begin with the mean of
online passes over the partitions, which saves some rounds, but depends on the partitions.
"""

from __future__ import annotations

import time
from collections import deque
from typing import Protocol

import numpy as np

from lindy.distributed.cluster_objective import SMOOTH, Penalty, SummedObjective
from lindy.distributed.engine import Engine
from lindy.distributed.smooth_tasks import Spec
from lindy.distributed.sums import Array, Totals, shares_of
from lindy.errors import DataError
from lindy.linear.convex import ConvexClassifier
from lindy.linear.losses import get_loss
from lindy.linear.naive_bayes_svm import NaiveBayesSVM
from lindy.linear.optimizers.lbfgs import SUFFICIENT, remember, two_loops
from lindy.linear.problem import History, Solution
from lindy.progress import round_done
from lindy.text.weighting.log_count_ratio import ratio_of_counts

MEMORY = 10
SHORTEST = 2.0**-40  # of a step


class Journal(Protocol):
    """Keeps the weights of the last round."""

    def start(self, mark: str, size: int) -> Array | None:
        """Return the weights of an interrupted run of the same problem, which the mark tells."""

    def keep(self, x: Array) -> None:
        """Keep the weights of a round."""


def fit_convex(
    engine: Engine, learner: ConvexClassifier, totals: Totals, journal: Journal | None = None
) -> None:
    """Fit a MaxEnt or SVM to the rows that the engine holds."""
    learner._check_parameters()
    learner.classes_, learner.n_features_in_ = totals.classes, totals.n_columns
    spec, penalty = problem_of(learner, totals)
    objective = SummedObjective(engine, spec, penalty, totals.n_columns, _stretch(engine, learner, totals))
    x = None if journal is None else journal.start(_mark(learner, totals), objective.size)
    if x is None:
        W = np.zeros(objective.shape)
        x = objective.joined(W, objective.first_bias(totals.counts.astype(np.float64)))
    solution = minimise(objective, x, learner, totals.counts.astype(np.float64), journal)
    learner.solver_ = "lbfgs"
    learner._keep(solution, None)  # type: ignore[arg-type]  # it would want the rows only for dual variables
    learner._report(solution, stacklevel=3)


def _mark(learner: ConvexClassifier, totals: Totals) -> str:
    """Return what a problem is recognised by: its parameters, the classes with their numbers of rows, the columns."""
    given = learner.get_params(deep=False)
    own = {
        name: value
        for name, value in given.items()
        if name not in ("tol", "max_iter", "n_jobs", "warm_start")
    }
    rows = f" {totals.n_rows}" if totals.several else ""
    counted = f"{totals.classes.tolist()} {totals.counts.tolist()} {totals.n_columns}{rows}"
    return f"{type(learner).__name__} {own} {counted}"


def problem_of(learner: ConvexClassifier, totals: Totals) -> tuple[Spec, Penalty]:
    """Return the loss with the rows' shares, and the penalty; ValueError for what cannot be solved in partitions."""
    loss = get_loss(learner._loss()).per_output if totals.several else learner._loss()
    if loss not in SMOOTH:
        raise DataError(
            f"{type(learner).__name__} with the loss {learner._loss()!r} cannot be fitted exactly over partitions",
            f"choose one of the losses {', '.join(SMOOTH)}",
        )
    if learner.penalty != "l2" or learner.lam == 0:
        raise DataError(
            f"{type(learner).__name__} over partitions needs the penalty 'l2'; got {learner.penalty!r}",
            "leave the penalty as it is, or train on one machine",
        )
    shares, total = shares_of(learner, totals)
    l2 = learner.l2_of(total)
    return Spec(loss, totals.n_outputs, shares), Penalty(
        l2, bool(learner.fit_intercept), bool(learner.fit_intercept and learner.penalize_intercept)
    )


def _stretch(engine: Engine, learner: ConvexClassifier, totals: Totals) -> Array | None:
    """Return the scales of the columns of a naive Bayes SVM, columns × outputs; None for other learners."""
    if not isinstance(learner, NaiveBayesSVM):
        return None
    counts = engine.total("class_documents").counts
    scale = learner.floor + np.abs(ratio_of_counts(counts.astype(np.float64), learner.alpha))
    squares = engine.total("stretched_lengths", scale, shares_of(learner, totals)[0]).values
    z = np.sqrt(squares)
    z[~(np.isfinite(z) & (z > 0))] = 1.0
    stretch: Array = scale / z
    return stretch


def minimise(
    objective: SummedObjective, x: Array, learner: ConvexClassifier, counts: Array, journal: Journal | None
) -> Solution:
    """Minimise by L-BFGS from x until the gap is proved, or P decreases no more."""
    tol, l2, began = float(learner.tol), objective.penalty.l2, time.perf_counter()
    history, certificate = History(), None
    pairs: deque[tuple[Array, Array, float]] = deque(maxlen=MEMORY)
    value, gradient, square = objective.evaluate(x)
    n_iter = 0
    while True:
        history.objective.append(value)
        history.seconds.append(time.perf_counter() - began)
        round_done(n_iter, float(square / (2 * l2 * value)) if value > 0 else 0.0, tol)
        certificate = None
        if square <= 2 * l2 * tol * value:
            W, b, certificate = objective.certify(x, value, tol, counts)
            if certificate.reached:
                break
        if n_iter >= learner.max_iter:
            break
        moved = _step(objective, x, value, gradient, pairs)
        if moved is None:
            break
        x, value, gradient, square = moved
        n_iter += 1
        if journal is not None:
            journal.keep(x)
    if certificate is None:
        W, b, certificate = objective.certify(x, value, tol, counts)
    if objective.spec.joint and not objective.penalty.penalize_bias:
        b = b - b.mean()
    return Solution(W * objective.stretch, b, n_iter, history, certificate)


def _step(
    objective: SummedObjective,
    x: Array,
    value: float,
    gradient: Array,
    pairs: deque[tuple[Array, Array, float]],
) -> tuple[Array, float, Array, float] | None:
    """Return x after one step with P, ∇P and ‖∇_W P‖² there; None if no step decreases P."""
    direction = two_loops(objective, gradient, pairs)
    slope = objective.dot(gradient, direction)
    if not np.isfinite(slope) or slope >= 0:
        return None
    t = 1.0 if pairs else min(1.0, 1.0 / objective.dot(gradient, gradient) ** 0.5)
    while t >= SHORTEST:
        new = x + t * direction
        new_value, new_gradient, square = objective.evaluate(new)
        if new_value <= value + SUFFICIENT * t * slope and new_value < value:
            remember(objective, pairs, new - x, new_gradient - gradient)
            return new, new_value, new_gradient, square
        bend = 2 * (new_value - value - t * slope) / (t * t)
        wanted = -slope / bend if bend > 0 else 0.5 * t
        t = min(max(wanted, 0.1 * t), 0.5 * t)
    return None
