"""Perceptron, MIRA and Pegasos over partitions by iterative parameter mixing.

    in every epoch   each partition makes one pass from the same W;   W ← Σ_p n_p·W_p / Σ_p n_p

Mixed after every epoch, the perceptron still separates what can be separated (McDonald, Hall and Mann 2010, Distributed
training strategies for the structured perceptron, theorem 3). Averaged learners return the mean over the epochs of the
mixed means. The answer depends on which rows share a partition (not on the workers): one partition is one machine, many
small ones learn more slowly. Mann et al. 2009 and Zinkevich et al. 2010 mix once, at the end: that is ``epochs=1``.
"""

from __future__ import annotations

import copy
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from lindy.core.weights import total_weight
from lindy.distributed.engine import Engine, merged, opened
from lindy.distributed.smooth_tasks import Rows
from lindy.distributed.sums import Array, Totals, class_weights_of, shares_of
from lindy.errors import DataError
from lindy.estimators.base import Examples
from lindy.linear.convex import ConvexClassifier
from lindy.linear.losses import get_loss
from lindy.linear.optimizers.online_epochs import train
from lindy.linear.optimizers.online_state import State
from lindy.linear.problem import History
from lindy.progress import pass_done


def fit_mixed(engine: Engine, learner: Any, totals: Totals) -> None:
    """Fit an online learner to the rows that the engine holds."""
    learner._check_parameters()
    learner.classes_, learner.n_features_in_ = totals.classes, totals.n_columns
    if getattr(learner, "average", None) == "vote" or getattr(learner, "held_out", 0.0):
        raise DataError(
            f"{type(learner).__name__} over partitions neither votes nor holds rows out",
            "leave average and held_out",
        )
    worker = copy.copy(learner)
    if learner.class_weight is not None:  # "balanced" is about all rows, not those of a partition
        weights = class_weights_of(learner, totals).tolist()
        worker.set_params(class_weight=dict(zip(totals.classes.tolist(), weights, strict=True)))
    if isinstance(learner, ConvexClassifier):  # C counts on the weight of all rows
        l2 = learner.l2_of(shares_of(learner, totals)[1])
        worker.set_params(lam=l2 / get_loss(learner._loss()).l2_of(1.0, len(totals.classes)))
    n, K = totals.counts.sum().item(), len(totals.classes)
    training = learner._training_schedule()
    epochs = training.epochs_for(max(round(n), 1))
    both = np.zeros((totals.n_columns + 1, 1 if K == 2 else K))
    sums, history, began = np.zeros_like(both), History(), time.perf_counter()
    for epoch in range(epochs):
        # in the order of the partitions, so that neither workers nor their speed change anything
        mixed: Mixture = opened(merged(engine.run("online_pass", worker, both[:-1], both[-1], epoch)))
        both = mixed.last / mixed.n_rows
        sums += mixed.mean / mixed.n_rows
        history.mistakes.append(mixed.mistakes)
        history.seconds.append(time.perf_counter() - began)
        pass_done(epoch + 1, epochs)
        if training.is_separated(mixed.mistakes):
            sums += (epochs - epoch - 1) * both  # what the epochs that are left would add
            break
    answer = sums / epochs if worker_averages(worker, totals) else both
    learner.W_, learner.b_ = answer[:-1].astype(np.float32), answer[-1].astype(np.float32)
    learner.n_iter_, learner.history_, learner.t_ = len(history.mistakes), history, float(n * epochs)
    learner.mistakes_ = sum(history.mistakes)
    if isinstance(learner, ConvexClassifier):
        learner.solver_, learner.certificate_ = learner.solver, None


def worker_averages(worker: Any, totals: Totals) -> bool:
    """Whether a learner returns a mean of its weights."""
    from lindy.core.csr import Csr
    from lindy.core.targets import OneLabel

    empty = Csr(np.zeros(2, np.int64), np.empty(0, np.int32), np.empty(0, np.float32), totals.n_columns)
    return bool(
        worker._rule_of(Examples(empty, OneLabel(totals.classes, np.zeros(1, np.int32)), None)).average
    )


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
    """Learn from the rows of a partition once, from given weights."""
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
