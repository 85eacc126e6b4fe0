"""The loop of all online learners: epochs, early stopping, history, callback, trace.

Stopping
--------
After ``epochs``; or after an epoch without a mistake (``until_separated``: the perceptron has then converged, and the
epochs that are left would only add its last weights to the average, which is done at once); or when the accuracy on a
held-out share has not risen for ``patience`` epochs, in which case the best weights are kept; or when the callback says
so.
"""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr, Float
from lindy.core.targets import OneLabel
from lindy.estimators.base import Examples, best_class, thread_count
from lindy.linear.optimizers.online_rows import Rows, split
from lindy.linear.optimizers.online_state import Rule, State
from lindy.linear.optimizers.training_schedule import Epoch, TrainingSchedule, generator, orders
from lindy.linear.problem import History
from lindy.progress import pass_done
from lindy.stream.checkpoints import Checkpoint, checkpoint

_DIVERGED = "The weights overflowed: take smaller steps (eta0, C), scale the features or use dtype='float64'"
_NO_LIMIT = np.iinfo(np.int64).max
_FEWER = 16  # times fewer rows per call, where they are copied from files
_WORK_PER_CALL = 8e7  # multiplications between two chances for Ctrl-C: some hundredths of a second


@dataclass(slots=True)
class Run:
    """The state, the rows in the order of the last epoch, and what draws the next one.

    ``best`` has the best accuracy on held-out rows, its epoch and its weights; ``separated`` says whether the last
    epoch made no mistake, where that ends the run.
    """

    state: State
    X: Csr
    rows: NDArray[np.int32]
    random: np.random.Generator
    outcome: Outcome
    best: tuple[float, int, Float, Float] | None = None
    separated: bool = False
    saved: Checkpoint = field(init=False)

    def is_over(self, patience: float) -> bool:
        """Whether further epochs are of no use."""
        waited = self.best is not None and self.outcome.n_iter - self.best[1] >= patience
        return self.separated or waited

    def resume(self) -> bool:
        """Go on from the checkpoint of a run that was interrupted; returns whether there is one."""
        state, outcome = self.state, self.outcome
        key = {"rows": len(self.rows), "features": state.n_features, "loss": state.rule.loss}
        self.saved = checkpoint("online", key)
        if (found := self.saved.load()) is None:
            return False
        facts, arrays = found
        if "U" in arrays and state.U is None:
            state.U = np.empty_like(arrays["U"])
        for name, array in state.arrays.items():
            if array is not None:
                array[...] = arrays[name]
        self.rows[...] = arrays["rows"]
        if "row sums" in arrays:
            state.row_sums = self.X, self.rows, arrays["row sums"]
        self.random.bit_generator.state = facts["random"]
        outcome.n_iter, outcome.updates = facts["epochs"], facts["updates"]
        outcome.history = History(**facts["history"])
        if facts["best"] is not None:
            self.best = (*facts["best"], arrays["best W"], arrays["best b"])
        self.separated = facts["separated"]
        return True

    def keep(self, *, is_last: bool) -> None:
        """Write a checkpoint if it is time for one, or at the end of a run that took so long.

        Runs that collect weights or changes on the way have none: these may be larger than the rows.
        """
        outcome, state = self.outcome, self.state
        is_wanted = self.saved.is_due or (is_last and self.saved.is_used)
        if not is_wanted or outcome.trace or outcome.log:
            return
        arrays = {name: array for name, array in state.arrays.items() if array is not None}
        arrays["rows"] = self.rows
        if state.row_sums is not None:
            arrays["row sums"] = state.row_sums[2]
        if self.best is not None:
            arrays |= {"best W": self.best[2], "best b": self.best[3]}
        facts = {
            "epochs": outcome.n_iter,
            "updates": outcome.updates,
            "history": asdict(outcome.history),
            "random": self.random.bit_generator.state,
            "separated": bool(self.separated),
            "best": None if self.best is None else self.best[:2],
        }
        self.saved.save(facts, arrays)


class DivergedError(ValueError):
    """The weights of an online learner overflowed."""


@dataclass(slots=True)
class Outcome:
    """The weights a run ended with, and what happened on the way.

    ``trace`` has the weights of the moment after every ``TrainingSchedule.trace`` updates, as (updates, W, b); ``log``
    every change of a perceptron; ``margin`` the smallest margin of an example, over ‖(W, b)‖, if an epoch passed
    without a mistake and so proved that the weights separate the classes.
    """

    W: Float
    b: Float
    n_iter: int = 0
    updates: int = 0
    history: History = field(default_factory=History)
    trace: list[tuple[int, Float, Float]] = field(default_factory=list)
    log: list[tuple[NDArray[Any], ...]] = field(default_factory=list)
    margin: float | None = None


def train(
    state: State,
    data: Rows,
    training: TrainingSchedule,
    *,
    keep: bool = False,
    watched: Examples | None = None,
) -> Outcome:
    """Run the epochs from where the state is; unless it is to be kept, its memory becomes the answer's.

    ``watched`` are the rows held out, if they are not to be drawn from the data.
    """
    rng = generator(training.seed)
    started = time.perf_counter()
    learn, held = split(data, 0.0 if watched is not None else training.held_out, rng)
    if len(held):
        weight = None if data.weight is None else data.weight[held]
        watched = Examples(data.X.take(held), OneLabel.of(data.y[held]), weight)
    outcome = Outcome(state.W, state.bias)
    n_rows = max(len(learn) + data.more, 1)
    averaged_from, last = training.averages_from(n_rows), training.epochs_for(n_rows)
    run = Run(state, data.X, learn, rng, outcome)
    if run.resume():
        started -= outcome.history.seconds[-1]
    left = () if run.is_over(training.patience) else orders(learn, training, rng, outcome.n_iter, last)
    for number, order in enumerate(left, start=outcome.n_iter + 1):
        if number == averaged_from:
            state.prepare_average(data.X, learn, once=last == 1 and not training.shuffle)
        begun = state.time
        mistakes, loss = _epoch(state, data, order, training, outcome)
        accuracy = None
        if watched is not None:
            candidate = state.weights()
            accuracy = _accuracy(candidate, watched, training.n_jobs)
        report = Epoch(
            number, loss + penalty(state), mistakes, accuracy, time.perf_counter() - started, state
        )
        _enter(outcome.history, report)
        pass_done(number, last)
        outcome.n_iter = number
        run.separated = training.is_separated(mistakes) and state.n_classes > 1
        if accuracy is not None and (run.best is None or accuracy > run.best[0]):
            run.best = (accuracy, number, *candidate)
        told_to_stop = training.callback is not None and training.callback(report) is True
        if run.separated and not told_to_stop:
            state.stay((last - number) * (state.time - begun))
        is_over = told_to_stop or run.is_over(training.patience)
        run.keep(is_last=is_over or number == last)
        if is_over:
            break
    if run.separated and data.label_ends is None:
        outcome.margin = margin(state, data, learn, training.n_jobs)
    if keep:
        state.collect()
    outcome.W, outcome.b = run.best[2:] if run.best is not None else state.weights(final=not keep)
    refuse_non_finite(outcome, state.rule)
    return outcome


def _enter(history: History, report: Epoch) -> None:
    history.objective.append(report.objective)
    history.mistakes.append(report.mistakes)
    history.seconds.append(report.seconds)
    if report.held_out is not None:
        history.held_out.append(report.held_out)


def _epoch(
    state: State, data: Rows, order: NDArray[np.int32], training: TrainingSchedule, outcome: Outcome
) -> tuple[int, float]:
    """Visit the rows in order; return the mistakes and the mean loss, each taken before the row's update."""
    if state.n_classes < 2:  # a stream may begin with a single class: nothing to tell apart yet
        return 0, 0.0
    mistakes, loss, weight = visit(state, data, order, training, outcome)
    return mistakes, loss / weight


def visit(
    state: State, data: Rows, order: NDArray[np.int32], training: TrainingSchedule, outcome: Outcome
) -> tuple[int, float, float]:
    """Visit the rows in order; return the mistakes, the loss of all, and what they weigh together."""
    rule = state.rule.native(state.n_classes)
    size = _rows_per_call(data.X, state)
    if data.X.from_files(order[:0]) is not None:  # of which a call has copies
        size = max(size // _FEWER // state.rule.batch, 1) * state.rule.batch
    mistakes, loss, weight, begin = 0, 0.0, 0.0, 0
    while begin < len(order):
        due = training.trace - outcome.updates % training.trace if training.trace else _NO_LIMIT
        visited = _Visited.of(data, order[begin : begin + size], state)
        report, log = _native.online_run(
            visited.X,
            y=visited.y,
            weight=visited.weight,
            sq_norm=visited.sq_norm,
            cost=state.rule.cost,
            n_classes=state.n_classes,
            rule=rule,
            **state.arrays,
            sums=visited.sums,
            order=visited.order,
            max_updates=due,
            keep_log=training.vote,
            label_ends=visited.label_ends,
        )
        visited.put_back(state)
        begin, mistakes = begin + report.consumed, mistakes + report.mistakes
        loss, weight = loss + report.loss, weight + report.weight
        outcome.updates += report.updates
        if training.trace and report.updates == due:
            outcome.trace.append((outcome.updates, *state.present()))
        if training.vote:
            outcome.log.append((visited.rows_of(log[0]), *log[1:]))
    refuse_infinite_loss(loss, state.rule)
    return mistakes, loss, weight


def refuse_infinite_loss(loss: float, rule: Rule) -> None:
    """Raise DivergedError unless the loss is a number."""
    if not np.isfinite(loss):
        raise DivergedError(_diverged(rule))


@dataclass(frozen=True, slots=True)
class _Visited:
    """The rows of a call of the kernel, in ``order``: as they are, or, of rows in files, copies of these alone."""

    X: Csr
    y: NDArray[np.int32]
    weight: NDArray[np.float64] | None
    sq_norm: NDArray[np.float64]
    sums: Any
    order: NDArray[np.int32]
    label_ends: NDArray[np.int64] | None
    copied: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, data: Rows, order: NDArray[np.int32], state: State) -> _Visited:
        sums = None if state.row_sums is None else state.row_sums[2]
        rows = data.X.from_files(order)
        if rows is None:
            return cls(data.X, data.y, data.weight, data.sq_norm, sums, order, data.label_ends)
        weight = None if data.weight is None else data.weight[order]
        own = None if sums is None else sums[order]
        places = np.arange(len(order), dtype=np.int32)
        y, ends = data.labels_of(order)
        return cls(rows, y, weight, data.sq_norm[order], own, places, ends, order)

    def put_back(self, state: State) -> None:
        """Give the sums that the kernel has changed back to their rows."""
        if self.copied is not None and state.row_sums is not None:
            state.row_sums[2][self.copied] = self.sums

    def rows_of(self, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return which rows of all the kernel's row numbers are."""
        return places if self.copied is None else self.copied[places].astype(np.int64)


def _rows_per_call(X: Csr, state: State) -> int:
    lanes = max(state.outputs.shape[1], 8)
    per_row = max(1.0, X.indptr[-1] / X.shape[0])
    batch = state.rule.batch
    return max(1, int(_WORK_PER_CALL / (lanes * per_row) / batch)) * batch


def penalty(state: State) -> float:
    """Return the penalty of the weights of this moment."""
    rule = state.rule
    if rule.l2 == 0 and rule.l1 == 0:
        return 0.0
    scale, squares = state.scale, state.squares
    followed = rule.step == "gradient" and rule.l1 == 0 and (rule.batch == 1 or rule.projection)
    if not followed:  # the kernel did not keep ‖W‖² up to date on its way
        state.settle()
        squares = np.square(state.raw, dtype=np.float64).sum(axis=0) if rule.l2 else squares
    absolute = float((np.abs(state.raw).sum(axis=0, dtype=np.float64) * scale).sum()) if rule.l1 else 0.0
    return 0.5 * rule.l2 * float((squares * np.square(scale)).sum()) + rule.l1 * absolute


def _accuracy(weights: tuple[Float, Float], held: Examples, n_jobs: int | None) -> float:
    scores = held.X.dot(*weights, thread_count(n_jobs))
    return float(np.average(best_class(scores) == held.y.codes, weights=held.weight))


def margin(state: State, data: Rows, rows: NDArray[np.int32], n_jobs: int | None) -> float:
    """Return min over the rows of (o_y − max_k≠y o_k) / ‖(W, b)‖ under the weights of this moment."""
    W, b = state.present()
    scores = data.X.dot(W, b, thread_count(n_jobs))[rows].astype(np.float64)
    y = data.y[rows]
    if state.n_classes == 2:
        margins = np.where(y == 1, 1, -1) * scores[:, 0]
    else:
        true = scores[np.arange(len(y)), y]
        scores[np.arange(len(y)), y] = -np.inf
        margins = true - scores.max(axis=1)
    norm = np.sqrt(np.square(W, dtype=np.float64).sum() + np.square(b, dtype=np.float64).sum())
    return float(margins.min() / max(norm, np.finfo(float).tiny))


def refuse_non_finite(outcome: Outcome, rule: Rule) -> None:
    """Raise DivergedError for weights that overflowed."""
    if _native.first_non_finite(outcome.W.ravel()) >= 0 or not np.isfinite(outcome.b).all():
        raise DivergedError(_diverged(rule))


def _diverged(rule: Rule) -> str:
    """Say what to do about weights that overflowed; Pegasos has no eta0, and float64 only overflows later."""
    if rule.schedule != "pegasos":
        return _DIVERGED
    remedy = "" if rule.projection else "solver_options={'projection': True}, "
    return (
        "The weights overflowed: the first steps of Pegasos, 1/(lam·t), are too long for this data; take"
        f" {remedy}a larger lam (a smaller C) or another solver, or scale the features"
    )
