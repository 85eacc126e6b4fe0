"""The loop of all online learners: epochs, order, early stopping, history, callback, trace.

Order
-----
With ``shuffle`` every epoch is a new permutation, drawn (PCG64) over the examples sorted by their *content*, and
examples that are equal in features and label are one example that is visited as often as it occurs, in a row. So
the answer depends on the data and the seed, not on the order of the rows, and a row of weight 3 is three rows.
Without ``shuffle`` the rows are visited as given. ``shuffle="random"`` draws every example independently (LxMLS,
Alg. 5 and 6).

Stopping
--------
After ``epochs``; or after an epoch without a mistake (``until_separated``: the perceptron has then converged); or
when the accuracy on a held-out share has not risen for ``patience`` epochs, in which case the best weights are
kept; or when the callback says so.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.base import Examples
from lindy.csr import Csr, Float
from lindy.errors import invalid_parameter
from lindy.linear.model import linear_scores
from lindy.linear.optimizers.online_run import Run
from lindy.linear.optimizers.online_state import Rule, State
from lindy.linear.problem import History
from lindy.parameters import check_real, check_whole
from lindy.progress import pass_done

_DIVERGED = "The weights overflowed: take smaller steps (eta0, C), scale the features or use dtype='float64'"
_NO_LIMIT = np.iinfo(np.int64).max
_MOST_ROWS = np.iinfo(np.int32).max
_FEWER = 16  # times fewer rows per call, where they are copied from files
_WORK_PER_CALL = 8e7  # multiplications between two chances for Ctrl-C: some hundredths of a second


class DivergedError(ValueError):
    """The weights of an online learner overflowed."""


@dataclass(frozen=True, slots=True)
class Epoch:
    """What a callback is told after each epoch; returning True stops the training."""

    number: int
    objective: float
    mistakes: int
    held_out: float | None
    seconds: float
    state: State


@dataclass(frozen=True, slots=True)
class Course:
    """How long to train, in which order, and what to watch; ``epochs`` None means enough, see ``epochs_for``."""

    epochs: int | None = 10
    shuffle: bool | str = True
    seed: Any = 0
    held_out: float = 0.0
    patience: int = 3
    until_separated: bool = False
    callback: Callable[[Epoch], bool | None] | None = None
    trace: int = 0
    vote: bool = False
    max_epochs: int | None = None
    n_jobs: int | None = None
    average_last: float = 1.0  # the share of the epochs whose steps are averaged, if any are

    def __post_init__(self) -> None:
        check_real("held_out", self.held_out)
        check_whole("patience", self.patience, 1)
        check_whole("trace", self.trace, 0)
        if self.epochs is not None:
            check_whole("epochs", self.epochs, 1)
        if not 0 < self.average_last <= 1:
            raise ValueError(
                f"average_last is a share of the epochs, above 0 and at most 1; got {self.average_last}"
            )
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be a function or None; got {self.callback!r}")
        if not isinstance(self.shuffle, bool | np.bool_ | int | str) or self.shuffle not in (
            True,
            False,
            "random",
        ):
            raise ValueError(f"shuffle must be True, False or 'random'; got {self.shuffle!r}")
        if not 0 <= self.held_out < 1:
            raise ValueError(f"held_out is a share of the rows, at least 0 and below 1; got {self.held_out}")

    def epochs_for(self, n_examples: int) -> int:
        """Return the number of epochs: by default 10, or on small data as many as make 10,000 visits."""
        epochs = self.epochs if self.epochs is not None else max(10, -(-10_000 // n_examples))
        return epochs if self.max_epochs is None else min(epochs, self.max_epochs)

    def averages_from(self, n_examples: int) -> int:
        """Return the epoch whose steps are the first in the average; half of five epochs are the last three."""
        epochs = self.epochs_for(n_examples)
        return int((1 - self.average_last) * epochs) + 1


def generator(seed: Any) -> np.random.Generator:
    """Return a generator for a seed, None (which is 0), a Generator or a RandomState."""
    if isinstance(seed, np.random.RandomState):
        seed = int(seed.randint(2**31))
    try:
        return np.random.default_rng(0 if seed is None else seed)
    except (TypeError, ValueError):
        raise invalid_parameter(
            "random_state must be a whole number of at least 0, None, a NumPy Generator or a RandomState;"
            f" got {seed!r}"
        ) from None


@dataclass(frozen=True, slots=True)
class Rows:
    """Examples ready to be visited: ``rows`` lists the distinct ones of positive weight; a run may reorder it."""

    X: Csr
    y: NDArray[np.int32]
    weight: NDArray[np.float64] | None
    sq_norm: NDArray[np.float64]
    rows: NDArray[np.int32]


def prepare(
    X: Csr, y: NDArray[np.int32], weight: NDArray[np.float64] | None, *, shuffle: bool | str, dtype: str
) -> Rows:
    """Measure the rows and, for a shuffled run, sort them by content and merge the equal ones."""
    if len(y) > _MOST_ROWS:
        raise ValueError(
            f"at most {_MOST_ROWS} rows at a time; got {len(y)}: use partial_fit, batch by batch"
        )
    keys, sq_norm = _native.row_keys(*X.arrays, y)
    _refuse_overflow(sq_norm, dtype)
    if not shuffle:
        given = np.arange(len(y)) if weight is None else np.flatnonzero(weight > 0)
        return Rows(X, y, weight, sq_norm, given.astype(np.int32))
    rows: NDArray[np.int32] = np.argsort(keys, kind="stable").astype(np.int32)
    if weight is not None:
        rows = rows[weight[rows] > 0]
    keys = keys[rows]
    doubtful = bool((keys[1:] == keys[:-1]).any())
    del keys
    if doubtful:
        repeats = np.zeros(len(rows), bool)
        _native.repeated_rows(*X.arrays, y, rows, repeats)
        if repeats.any():
            group = np.cumsum(~repeats) - 1
            total = np.bincount(group, None if weight is None else weight[rows])
            rows = rows[~repeats]
            weight = np.zeros(len(y))
            weight[rows] = total
    return Rows(X, y, weight, sq_norm, rows)


def _refuse_overflow(sq_norm: NDArray[np.float64], dtype: str) -> None:
    limit = 1e36 if dtype == "float32" else 1e300
    worst = int(np.argmax(sq_norm))
    if not sq_norm[worst] <= limit:
        remedy = "scale the features" + (" or use dtype='float64'" if dtype == "float32" else "")
        raise ValueError(
            f"Row {worst} is too long for {dtype} weights (its squared norm is {sq_norm[worst]:.3g}): {remedy}"
        )


@dataclass(slots=True)
class Outcome:
    """The weights a run ended with, and what happened on the way.

    ``trace`` has the weights of the moment after every ``Course.trace`` updates, as (updates, W, b); ``log`` every
    change of a perceptron; ``margin`` the smallest margin of an example, over ‖(W, b)‖, if an epoch passed without a
    mistake and so proved that the weights separate the classes.
    """

    W: Float
    b: Float
    n_iter: int = 0
    updates: int = 0
    history: History = field(default_factory=History)
    trace: list[tuple[int, Float, Float]] = field(default_factory=list)
    log: list[tuple[NDArray[Any], ...]] = field(default_factory=list)
    margin: float | None = None


def orders(
    rows: NDArray[np.int32], course: Course, rng: np.random.Generator, done: int = 0
) -> Iterator[NDArray[np.int32]]:
    """Yield the row numbers to visit, epoch by epoch, after those that are done; a permutation is made in place."""
    for _ in range(done, course.epochs_for(len(rows))):
        if course.shuffle == "random":
            yield rows[rng.integers(len(rows), size=len(rows))]
            continue
        if course.shuffle:
            rng.shuffle(rows)
        yield rows


def split(data: Rows, share: float, rng: np.random.Generator) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the rows to learn from and the rows held out, the same share of every class."""
    if share == 0:
        return data.rows, data.rows[:0]
    shuffled = data.rows[rng.permutation(len(data.rows))]
    by_class = shuffled[np.argsort(data.y[shuffled], kind="stable")]
    every = (np.arange(1, len(by_class) + 1) * share).astype(np.int64)
    taken = np.diff(every, prepend=0) > 0
    if not taken.any() or taken.all():
        raise ValueError(
            f"held_out={share} leaves no rows to hold out or to learn from: there are {len(taken)}"
        )
    chosen = np.zeros(len(data.y), bool)
    chosen[by_class[taken]] = True
    return data.rows[~chosen[data.rows]], data.rows[chosen[data.rows]]


def train(
    state: State, data: Rows, course: Course, *, keep: bool = False, watched: Examples | None = None
) -> Outcome:
    """Run the epochs from where the state is; unless it is to be kept, its memory becomes the answer's.

    ``watched`` are the rows held out, if they are not to be drawn from the data.
    """
    rng = generator(course.seed)
    started = time.perf_counter()
    learn, held = split(data, 0.0 if watched is not None else course.held_out, rng)
    if len(held):
        weight = None if data.weight is None else data.weight[held]
        watched = Examples(data.X.take(held), data.y[held], weight)
    outcome = Outcome(state.W, state.bias)
    averaged_from, last = course.averages_from(len(learn)), course.epochs_for(len(learn))
    run = Run(state, data.X, learn, rng, outcome)
    if run.resume():
        started -= outcome.history.seconds[-1]
    left = () if run.is_over(course.patience) else orders(learn, course, rng, outcome.n_iter)
    for number, order in enumerate(left, start=outcome.n_iter + 1):
        if number == averaged_from:
            state.prepare_average(data.X, learn)
        mistakes, loss = _epoch(state, data, order, course, outcome)
        accuracy = None
        if watched is not None:
            candidate = state.weights()
            accuracy = _accuracy(candidate, watched, course.n_jobs)
        report = Epoch(
            number, loss + _penalty(state), mistakes, accuracy, time.perf_counter() - started, state
        )
        _enter(outcome.history, report)
        pass_done(number, last)
        outcome.n_iter = number
        run.separated = course.until_separated and mistakes == 0 and state.n_classes > 1
        if accuracy is not None and (run.best is None or accuracy > run.best[0]):
            run.best = (accuracy, number, *candidate)
        told_to_stop = course.callback is not None and course.callback(report) is True
        is_over = told_to_stop or run.is_over(course.patience)
        run.keep(is_last=is_over or number == last)
        if is_over:
            break
    if run.separated:
        outcome.margin = margin(state, data, learn, course.n_jobs)
    if keep:
        state.collect()
    outcome.W, outcome.b = run.best[2:] if run.best is not None else state.weights(final=not keep)
    _refuse_non_finite(outcome, state.rule)
    return outcome


def _enter(history: History, report: Epoch) -> None:
    history.objective.append(report.objective)
    history.mistakes.append(report.mistakes)
    history.seconds.append(report.seconds)
    if report.held_out is not None:
        history.held_out.append(report.held_out)


def _epoch(
    state: State, data: Rows, order: NDArray[np.int32], course: Course, outcome: Outcome
) -> tuple[int, float]:
    """Visit the rows in order; return the mistakes and the mean loss, each taken before the row's update."""
    if state.n_classes < 2:  # a stream may begin with a single class: nothing to tell apart yet
        return 0, 0.0
    rule = state.rule.native(state.n_classes)
    size = _rows_per_call(data.X, state)
    if data.X.from_files(order[:0]) is not None:  # of which a call has copies
        size = max(size // _FEWER // state.rule.batch, 1) * state.rule.batch
    mistakes, loss, weight, begin = 0, 0.0, 0.0, 0
    while begin < len(order):
        due = course.trace - outcome.updates % course.trace if course.trace else _NO_LIMIT
        visited = _Visited.of(data, order[begin : begin + size], state)
        report, log = _native.online_run(
            *visited.X.arrays,
            n_columns=data.X.n_columns,
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
            keep_log=course.vote,
        )
        visited.put_back(state)
        begin, mistakes = begin + report.consumed, mistakes + report.mistakes
        loss, weight = loss + report.loss, weight + report.weight
        outcome.updates += report.updates
        if course.trace and report.updates == due:
            outcome.trace.append((outcome.updates, *state.present()))
        if course.vote:
            outcome.log.append((visited.rows_of(log[0]), *log[1:]))
    if not np.isfinite(loss):
        raise DivergedError(_diverged(state.rule))
    return mistakes, loss / weight


@dataclass(frozen=True, slots=True)
class _Visited:
    """The rows of a call of the kernel, in ``order``: as they are, or, of rows in files, copies of these alone."""

    X: Csr
    y: NDArray[np.int32]
    weight: NDArray[np.float64] | None
    sq_norm: NDArray[np.float64]
    sums: Any
    order: NDArray[np.int32]
    copied: NDArray[np.int32] | None = None

    @classmethod
    def of(cls, data: Rows, order: NDArray[np.int32], state: State) -> _Visited:
        sums = None if state.row_sums is None else state.row_sums[2]
        rows = data.X.from_files(order)
        if rows is None:
            return cls(data.X, data.y, data.weight, data.sq_norm, sums, order)
        weight = None if data.weight is None else data.weight[order]
        own = None if sums is None else sums[order]
        places = np.arange(len(order), dtype=np.int32)
        return cls(rows, data.y[order], weight, data.sq_norm[order], own, places, order)

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


def _penalty(state: State) -> float:
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
    scores = linear_scores(held.X, *weights, n_jobs)
    codes = scores[:, 0] >= 0 if scores.shape[1] == 1 else scores.argmax(axis=1)
    return float(np.average(codes == held.y, weights=held.weight))


def margin(state: State, data: Rows, rows: NDArray[np.int32], n_jobs: int | None) -> float:
    """Return min over the rows of (o_y − max_k≠y o_k) / ‖(W, b)‖ under the weights of this moment."""
    W, b = state.present()
    scores = linear_scores(data.X, W, b, n_jobs)[rows].astype(np.float64)
    y = data.y[rows]
    if state.n_classes == 2:
        margins = np.where(y == 1, 1, -1) * scores[:, 0]
    else:
        true = scores[np.arange(len(y)), y]
        scores[np.arange(len(y)), y] = -np.inf
        margins = true - scores.max(axis=1)
    norm = np.sqrt(np.square(W, dtype=np.float64).sum() + np.square(b, dtype=np.float64).sum())
    return float(margins.min() / max(norm, np.finfo(float).tiny))


def _refuse_non_finite(outcome: Outcome, rule: Rule) -> None:
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
