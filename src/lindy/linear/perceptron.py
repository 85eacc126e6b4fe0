"""The perceptron: plain, averaged and voted.

    ŷ = argmax_y (xᵀW + b)_y;   if ŷ ≠ y:  W[·,y] += η x,  W[·,ŷ] −= η x       (LxMLS, Alg. 2; May 9; Amato)

Two classes have one column w, and a score of exactly 0 counts for the second class:  w += ±η x.  The averaged
perceptron returns (1/t) Σ w^i over the weights after every step i = 1 … t, computed in O(nonzeros). Algorithm 2 as
printed counts the weights before every step (``average="before"``): w¹ = 0 is in its mean, and what the last step
learned is not. The voted one (Freund and Schapire, 1999) lets every weight vector vote for as long as it lived.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core.column_remap import ColumnRemap
from lindy.core.csr import Csr, Float
from lindy.estimators.base import Classifier, thread_count
from lindy.estimators.learners import LearnerSpec
from lindy.estimators.parameters import (
    as_numbers,
    finite,
    fitted,
    listed,
    must,
    with_parameters,
)
from lindy.estimators.serialization import Arrays
from lindy.linear.linear_model import LinearClassifier
from lindy.linear.online import OnlineClassifier, random_start
from lindy.linear.optimizers.online_epochs import Outcome
from lindy.linear.optimizers.online_rows import Rows
from lindy.linear.optimizers.online_state import Rule, State
from lindy.linear.optimizers.training_schedule import TrainingSchedule

_NAMES = tuple(
    f"vote.{name}" for name in ("indptr", "indices", "values", "row", "up", "down", "step", "at", "total")
)
START = must(
    "be 'zero', 'random' or an array", lambda value: not isinstance(value, str) or value in ("zero", "random")
)


@dataclass(frozen=True, slots=True)
class Ballots:
    """Every change of a perceptron: class ``up`` gained and ``down`` lost step · (x, 1), at time ``at``.

    The weights after change m are Σ_{m' ≤ m} step·(x, 1) in the columns that changed, so the scores of a new row
    follow from its products with the rows that caused the changes: no weight vector is ever stored.
    """

    support: Csr
    row: NDArray[np.int64]
    up: NDArray[np.int32]
    down: NDArray[np.int32]
    step: NDArray[np.float64]
    at: NDArray[np.float64]
    total: float
    classes: NDArray[Any]
    bias: bool

    @classmethod
    def of(
        cls,
        outcome: Outcome,
        rows: Rows,
        state: State,
        classes: NDArray[Any],
        earlier: Self | None,
        *,
        bias: bool,
    ) -> Self:
        """Collect the changes of a finished run, after those of the earlier part of the stream."""
        empty = tuple(np.empty(0, kind) for kind in (np.int64, np.int32, np.int32, np.float64, np.float64))
        row, up, down, step, at = (np.concatenate(part) for part in zip(empty, *outcome.log, strict=True))
        used, number = np.unique(row, return_inverse=True)
        support = rows.X.take(used)
        if earlier is not None:
            moved = np.searchsorted(classes, earlier.classes).astype(np.int32)
            number = np.concatenate((earlier.row, number + earlier.support.shape[0]))
            up = np.concatenate((moved[earlier.up], up))
            down = np.concatenate((moved[earlier.down], down))
            step, at = np.concatenate((earlier.step, step)), np.concatenate((earlier.at, at))
            support = stacked(earlier.support, support)
        total = state.averaged
        return cls(support, number.astype(np.int64), up, down, step, at, total, classes, bias)

    def pack(self) -> Arrays:
        """Return the arrays of a model file."""
        parts = (
            *self.support.arrays,
            self.row,
            self.up,
            self.down,
            self.step,
            self.at,
            np.array([self.total]),
        )
        return dict(zip(_NAMES, parts, strict=True))

    @classmethod
    def unpack(cls, arrays: Arrays, n_features: int, classes: NDArray[Any], *, bias: bool) -> Self:
        """Return what ``pack`` gave; everything is checked as untrusted."""
        if set(arrays) != set(_NAMES):
            raise ValueError(f"expected the arrays {sorted(_NAMES)}; got {sorted(arrays)}")
        indptr, indices, values, row, up, down, step, at, total = (arrays[name] for name in _NAMES)
        kinds = (np.int64, np.int32, None, np.int64, np.int32, np.int32, np.float64, np.float64, np.float64)
        for name, kind in zip(_NAMES, kinds, strict=True):
            array = arrays[name]
            right = array.dtype in (np.float32, np.float64) if kind is None else array.dtype == kind
            if array.ndim != 1 or not right or (array.dtype.kind == "f" and not np.isfinite(array).all()):
                raise ValueError(f"array {name} must be one-dimensional, finite and of its type")
        changes = {len(part) for part in (row, up, down, step, at)}
        times = np.concatenate(([0.0], at, total))
        known = len(indptr) > 0 and len(indices) == len(values) and len(total) == 1 and len(changes) == 1
        if not known or _native.check_csr(indptr, indices, n_features)[0] >= 0 or (np.diff(times) < 0).any():
            raise ValueError("the stored changes of a voted perceptron do not fit together")
        for part, end in ((row, len(indptr) - 1), (up, len(classes)), (down, len(classes))):
            if len(part) and (part.min() < 0 or part.max() >= end):
                raise ValueError(
                    "the stored changes of a voted perceptron refer to rows or classes that do not exist"
                )
        support = Csr(indptr, indices, values, n_features)
        return cls(support, row, up, down, step, at, float(total[0]), classes, bias)

    def shares(self, X: Csr, n_jobs: int | None) -> NDArray[np.float64]:
        """Return the share of the votes that each class gets, rows × classes."""
        votes = np.zeros((X.shape[0], max(len(self.classes), 2)))
        ends = np.append(self.at, self.total)
        _native.vote(
            X,
            self.support,
            self.row,
            self.up,
            self.down,
            self.step,
            np.diff(ends),
            self.bias,
            float(ends[0]),
            votes,
            thread_count(n_jobs),
        )
        return votes / max(self.total, np.finfo(float).tiny)


def stacked(above: Csr, below: Csr) -> Csr:
    """Return the rows of both, one below the other."""
    return Csr(
        np.concatenate((above.indptr, above.indptr[-1] + below.indptr[1:])),
        np.concatenate((above.indices, below.indices)),
        np.concatenate((above.values, below.values)),
        below.n_columns,
    )


@with_parameters
class Perceptron(OnlineClassifier):
    """Averaged, plain or voted perceptron.

    Parameters
    ----------
    average : bool, "before" or "vote"
        Return the mean of the weights after every step (True) or before it ("before": Algorithm 2 to the letter, which
        leaves out the last step), the last weights (False), or let all of them vote (slow to predict: every
        change is kept).
    eta0 : float
        The step size η; from weights 0 it only scales the answer.
    epochs : int or None
        Passes over the data; training stops earlier after a pass without a mistake. None means 10, or on small
        data as many as make 10,000 visits.
    start : "zero", "random" or array (features, outputs)
        The first weights.

    Attributes
    ----------
    mistakes_ : wrong predictions while learning, in all epochs
    margin_ : γ, the smallest margin of a training example under the last weights, divided by ‖(W, b)‖; None unless
        the last epoch had no mistake
    mistake_bound_ : R²/γ² with R = max ‖f(x,y) − f(x,y')‖; from weights 0 the perceptron makes no more mistakes than
        that (Novikoff's theorem), whatever the order
    """

    spec: ClassVar = LearnerSpec(
        "perceptron",
        "perceptron",
        usual=("compare", "plot"),
        weight_bytes=20,
        not_sums="a vote of all its weight vectors is no sum of weights",
    )

    _ballots: Ballots = fitted()
    mistakes_: int = fitted()
    margin_: float | None = fitted()
    mistake_bound_: float | None = fitted()

    average: Annotated[bool | str, listed(True, False, "before", "vote")] = True
    eta0: Annotated[float, finite(above=0)] = 1.0
    start: Annotated[str | ArrayLike, START] = "zero"

    @property
    def has_contributions(self) -> bool:
        """Whether the score is a sum over features, which a vote is not."""
        return self.average != "vote"

    @property
    def updates(self) -> str:
        """How it learns from further rows; of a vote, the rows that changed it would have to be kept apart."""
        return "" if self.average == "vote" else super().updates

    def merged(self, others: Sequence[tuple[Self, ColumnRemap, int]], move: ColumnRemap, n_rows: int) -> Self:
        """Return the mean of the weights; refused for votes."""
        if self.average == "vote":
            return Classifier.merged(self, others, move, n_rows)
        return super().merged(others, move, n_rows)

    @property
    def fixed(self) -> str:
        """Why it cannot learn from further rows."""
        return "" if self.updates else "a vote is counted over the rows of one training"

    @property
    def visits_in_order(self) -> bool:
        """Whether ``fit`` looks at every row once, in order; a vote keeps the rows."""
        return super().visits_in_order and self.average != "vote"

    def _check_parameters(self) -> None:
        super()._check_parameters()
        self._rule(2)

    def _rule(self, n_classes: int) -> Rule:  # noqa: ARG002 (only costs depend on the classes)
        if self.average == "vote" and (self.batch_size != 1 or self.held_out or self.warm_start):
            raise ValueError("average='vote' needs batch_size=1, held_out=0 and warm_start=False")
        return Rule(
            "perceptron",
            eta0=self.eta0,
            batch=self.batch_size,
            average=bool(self.average),
            average_before=self.average == "before",
            bias=self.fit_intercept,
            dtype=self.dtype,
        )

    def _training_schedule(self) -> TrainingSchedule:
        return replace(super()._training_schedule(), until_separated=True, vote=self.average == "vote")

    @property
    def _own_rule(self) -> bool:
        return self.average == "vote" or not isinstance(self.start, str) or self.start != "zero"

    def _begin(self, state: State, training: TrainingSchedule) -> None:
        if isinstance(self.start, str):
            if self.start == "random":
                random_start(state, training)
            return
        W = as_numbers("start", self.start)
        if W.shape != state.raw.shape:
            raise ValueError(
                f"start must have the shape (features, outputs) {state.raw.shape}; got {W.shape}"
            )
        state.start(W, np.zeros(W.shape[1]))

    def _after(self, outcome: Outcome, rows: Rows, state: State) -> None:
        earlier = self.mistakes_ if hasattr(self, "_stream") else 0
        self.mistakes_ = earlier + sum(outcome.history.mistakes)
        self.margin_, self.mistake_bound_ = outcome.margin, None
        from_zero = isinstance(self.start, str) and self.start == "zero" and not self.warm_start
        if self.margin_ is not None and self.margin_ > 0 and from_zero:
            longest = float(rows.sq_norm[rows.rows].max()) + (1 if self.fit_intercept else 0)
            self.mistake_bound_ = longest * (1 if state.n_classes == 2 else 2) / self.margin_**2
        if self.average == "vote":
            earlier_ballots = self._ballots if hasattr(self, "_stream") else None
            self._ballots = Ballots.of(
                outcome, rows, state, self.classes_, earlier_ballots, bias=self.fit_intercept
            )

    def _pack(self) -> Arrays:
        return super()._pack() | (self._ballots.pack() if self.average == "vote" else {})

    def _unpack(self, arrays: Arrays) -> None:
        own = {name: array for name, array in arrays.items() if not name.startswith("vote.")}
        super()._unpack(own)
        if self.average == "vote":
            votes = {name: array for name, array in arrays.items() if name.startswith("vote.")}
            self._ballots = Ballots.unpack(votes, self.n_features_in_, self.classes_, bias=self.fit_intercept)

    def contributions(self, X: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Take the scores of one row apart; a vote is no sum over the values, so it is given as the bias."""
        return (
            LinearClassifier.contributions(self, X)
            if self.average != "vote"
            else Classifier.contributions(self, X)
        )

    def decision_function(self, X: Any) -> NDArray[Any]:
        """Return the scores, (rows,) for two classes, otherwise (rows, classes); of a vote the shares of the votes."""
        if self.average != "vote":
            return super().decision_function(X)
        self._check_fitted()
        shares = self._ballots.shares(self._rows(X), self.n_jobs)
        return shares[:, 1] - shares[:, 0] if shares.shape[1] == 2 else shares

    def dense_weights(self) -> Float | None:
        """Return W; None of a vote, whose scores are counted."""
        return None if self.average == "vote" else super().dense_weights()
