"""The perceptron in its dual form: plain, averaged and voted, with any kernel.

    α_{y,t} = 0;   ŷ = argmax_{y'} Σ_{t,y} α_{y,t}·[κ((x_t, y_t), (x, y')) − κ((x_t, y), (x, y'))];
    if ŷ ≠ y_t:  α_{ŷ,t} += 1                                                               (McDonald)

Kernels over pairs have the block form κ((x, y), (z, y')) = [y = y']·κ(x, z), so that α says all there is
to know: the score of class y' is Σ_t c_{t,y'}·κ(x_t, x) with c_{t,y'} = Σ_y α_{y,t}·([y' = y_t] − [y' = y]). Two
classes have one column, the score of the second, and a score of exactly 0 counts for it, as in ``Perceptron``.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.estimators.base import thread_count
from lindy.estimators.learners import LearnerSpec
from lindy.estimators.parameters import fitted, listed, whole, with_parameters
from lindy.estimators.serialization import Arrays
from lindy.kernels.kernel import Kernel
from lindy.kernels.machine import BY_EXAMPLES, KernelClassifier, check_gamma, check_kernel
from lindy.linear.optimizers.online_rows import prepare
from lindy.linear.optimizers.training_schedule import TrainingSchedule, generator, orders
from lindy.linear.problem import History

_VOTE = tuple(f"vote.{name}" for name in ("begin", "row", "output", "step", "life"))
_VOTE_TYPES = (np.int64, np.int64, np.int32, np.float64, np.float64)


@with_parameters
class KernelPerceptron(KernelClassifier):
    """Averaged, plain or voted perceptron with a kernel.

    Parameters
    ----------
    average : bool or "vote"
        Use the mean of all coefficients met (True), the last ones (False), or let all of them vote (slow to predict:
        every change is kept).
    epochs : int or None
        Passes over the data; training stops earlier after a pass without a mistake. None means 10, or on small
        data as many as make 10,000 visits.
    budget : int or None
        At most so many support examples: beyond them the oldest is forgotten. None keeps all.
    shuffle : bool or "random"
        A new permutation per epoch, the order as given, or independent draws; the same orders as ``Perceptron``.
    random_state : int, None, numpy Generator or RandomState
        Seed of the order; None is 0.

    Attributes
    ----------
    alpha_ : array (support examples, classes), how often each was wrongly given each label
    mistakes_ : wrong predictions while learning, in all epochs
    mistake_order_ : numbers of the examples that were got wrong, one after the other
    support_, dual_coef_, b_, kernel_, support_vectors_ : see KernelClassifier; ``b_`` is 0
    history_, n_iter_ : mistakes and seconds per epoch, and how many there were

    Examples
    --------
    >>> from lindy import KernelPerceptron
    >>> X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]
    >>> KernelPerceptron(kernel="poly", degree=2).fit(X, y).predict(X)
    array([0, 1, 1, 0])
    """

    spec: ClassVar = LearnerSpec(
        "kernel-perceptron",
        "kernel perceptron",
        fixed="its score is a sum over the examples it was trained on",
        not_sums=BY_EXAMPLES,
    )

    class_weight: ClassVar[None] = None  # type: ignore[misc]

    alpha_: NDArray[np.int64] = fitted()
    mistakes_: int = fitted()
    mistake_order_: NDArray[np.int64] = fitted()
    history_: History = fitted()
    n_iter_: int = fitted()
    _ballots: Arrays = fitted()

    kernel: Annotated[str | Kernel | Callable[[Any, Any], ArrayLike], check_kernel] = "poly"
    gamma: Annotated[float | str, check_gamma] = 1.0
    average: Annotated[bool | str, listed(True, False, "vote")] = True
    epochs: int | None = None
    budget: Annotated[int | None, whole(1, 2**31)] = None
    shuffle: bool | str = True
    random_state: Any = None

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._training_schedule()

    def _training_schedule(self) -> TrainingSchedule:
        return TrainingSchedule(
            epochs=self.epochs, shuffle=self.shuffle, seed=self.random_state, until_separated=True
        )

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Learn from the examples and their labels, in ``epochs`` passes."""
        self._check_parameters()
        data = self._training_data(X, y)
        everyone = np.arange(data.X.shape[0])
        source = self._source(data.X, everyone, None)
        K = len(self.classes_)
        run: Any = _native.DualPerceptron(source, data.y.codes, K, self.budget or 0, self._cache_bytes())
        self._learn(run, prepare(data.X, data.y.codes, None, shuffle=self.shuffle, dtype="float64"))
        outputs = data.y.n_outputs
        coefficient = run.coefficient.reshape(-1, outputs)
        if self.average and self.average != "vote":
            coefficient = coefficient - run.weighted.reshape(-1, outputs) / max(run.visits, 1)
        alpha = run.count.reshape(-1, K)
        changed, *_ = run.changes  # rows, outputs, steps and visits
        kept = coefficient.copy()
        kept[changed] += np.where(
            kept[changed] == 0, 1.0, 0.0
        )  # a support example may have cancelled itself out
        self._keep(data, everyone, kept if self.average == "vote" else coefficient)
        self._coefficients = np.ascontiguousarray(coefficient[self.support_])
        self.alpha_ = alpha[self.support_]
        self.b_ = np.zeros(outputs)
        self.mistake_order_ = run.mistakes
        self.mistakes_ = len(run.mistakes)
        if self.average == "vote":
            self._ballots = self._collect(run)
        return self

    def _learn(self, run: Any, data: Any) -> None:
        training, started = self._training_schedule(), time.perf_counter()
        self.history_, self.n_iter_ = History(), 0
        repeats = None if data.weight is None else data.weight.astype(np.int64)
        for order in orders(data.rows, training, generator(self.random_state)):
            visits = order if repeats is None else np.repeat(order, repeats[order])
            before, begin = len(run.mistakes), 0
            while begin < len(visits):
                begin += run.visit(visits[begin:])
            self.n_iter_ += 1
            self.history_.mistakes.append(len(run.mistakes) - before)
            self.history_.seconds.append(time.perf_counter() - started)
            if training.is_separated(self.history_.mistakes[-1]):  # what is left would change nothing
                run.visits += (training.epochs_for(len(data.rows)) - self.n_iter_) * len(visits)
                break

    def _collect(self, run: Any) -> Arrays:
        """Return the changes in groups that happened at one visit, and how long each stage lived."""
        row, output, step, visit = run.changes
        starts = np.flatnonzero(np.diff(visit, prepend=0))
        times = np.concatenate(([1], visit[starts], [run.visits + 1]))
        parts = (
            np.append(starts, len(row)).astype(np.int64),
            np.searchsorted(self.support_, row).astype(np.int64),
            output,
            step,
            np.diff(times).astype(np.float64),
        )
        return dict(zip(_VOTE, parts, strict=True))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the scores, (rows,) for two classes, otherwise (rows, classes); of a vote the shares of the votes."""
        if self.average != "vote":
            return super().decision_function(X)
        source = self.against_support(X)
        votes = np.zeros((source.n_rows, len(self.classes_)))
        size = max(16, 10**8 // max(len(self._ballots["vote.row"]), 1))
        for first in range(0, source.n_rows, size):
            last = min(source.n_rows, first + size)
            parts: Any = (*self._ballots.values(), first, last, votes[first:last], thread_count(self.n_jobs))
            _native.dual_vote(source, *parts)
        shares = votes / max(float(self._ballots["vote.life"].sum()), 1.0)
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    def _pack(self) -> Arrays:
        own = super()._pack() | {"alpha": self.alpha_}
        return own | (self._ballots if self.average == "vote" else {})

    def _unpack(self, arrays: Arrays) -> None:
        names = {"alpha"} | (set(_VOTE) if self.average == "vote" else set())
        own = {name: array for name, array in arrays.items() if name in names}
        super()._unpack({name: array for name, array in arrays.items() if name not in names})
        m, K = len(self.support_), len(self.classes_)
        if set(own) != names or own["alpha"].shape != (m, K) or own["alpha"].dtype != np.int64:
            raise ValueError(f"expected the arrays {sorted(names)} of a dual perceptron")
        self.alpha_ = own["alpha"]
        if self.average == "vote":
            self._ballots = _checked_ballots(own, m, 1 if K == 2 else K)


def _checked_ballots(arrays: Arrays, m: int, outputs: int) -> Arrays:
    """Return the stored changes of a vote; anything that does not fit together is a ValueError."""
    ballots = {name: arrays[name] for name in _VOTE}
    begin, row, output, step, life = ballots.values()
    right = all(
        array.ndim == 1 and array.dtype == kind
        for array, kind in zip(ballots.values(), _VOTE_TYPES, strict=True)
    )
    if not right or not len(row) == len(output) == len(step) or not len(begin) == len(life) >= 1:
        raise ValueError("the stored changes of a voted perceptron do not fit together")
    sound = begin[0] == 0 and begin[-1] == len(row) and (np.diff(begin) >= 0).all() and (life >= 0).all()
    for part, end in ((row, m), (output, outputs)):
        sound = sound and (len(part) == 0 or (part.min() >= 0 and part.max() < end))
    if not sound or not np.isfinite(step).all() or not np.isfinite(life).all():
        raise ValueError("the stored changes of a voted perceptron are out of range")
    return ballots
