"""Groups of candidate rows, and the base of the joint learners that read them: weights, scores, predictions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.csr import Csr, as_csr
from lindy.errors import DataError, invalid_parameter
from lindy.estimators.base import thread_count
from lindy.estimators.estimator import Estimator
from lindy.estimators.parameters import fitted, short_repr, with_parameters

Array = NDArray[np.float64]
Cost = Callable[[Any, Any], float]


@dataclass(frozen=True)
class Candidates:
    """For each example, one row f(x, y) per candidate y.

    Attributes
    ----------
    rows : Csr
        The candidates of the first example, then those of the second, and so on; columns increase within a row.
    starts : int64 array, one longer than there are examples
        Example i has the rows ``starts[i]`` to ``starts[i + 1] − 1``; at least one.
    labels : list
        What each row stands for.
    gold : int64 array or None
        The row of the right candidate of each example; None where it is not known.
    """

    rows: Csr
    starts: NDArray[np.int64]
    labels: Sequence[Any]
    gold: NDArray[np.int64] | None = None

    @classmethod
    def of(
        cls,
        groups: Sequence[ArrayLike],
        gold: Sequence[int] | None = None,
        labels: Sequence[Sequence[Any]] | None = None,
    ) -> Candidates:
        """Make candidates from one matrix per example (candidates × features).

        ``gold`` are the places of the right candidates in their matrices; candidates are called 0, 1, … unless
        ``labels`` name them.
        """
        matrices = [np.asarray(group, np.float64) for group in groups]
        if not matrices:
            raise ValueError("there are no examples")
        widths = {matrix.shape[1:] for matrix in matrices}
        if len(widths) != 1 or matrices[0].ndim != 2:
            raise ValueError(
                f"the matrices of all examples must have the same number of columns; got widths {sorted(widths)}"
            )
        named = [list(range(len(matrix))) for matrix in matrices] if labels is None else list(labels)
        if [len(own) for own in named] != [len(matrix) for matrix in matrices]:
            raise ValueError("labels must name every candidate of every example")
        starts = np.concatenate([[0], np.cumsum([len(matrix) for matrix in matrices])]).astype(np.int64)
        places = None if gold is None else np.asarray(gold, np.int64)
        if places is not None and len(places) != len(matrices):
            raise ValueError(f"there are {len(matrices)} examples but {len(places)} right candidates")
        flat = [label for own in named for label in own]
        rows = as_csr(np.concatenate(matrices))
        return cls(rows, starts, flat, None if places is None else starts[:-1] + places)

    def __post_init__(self) -> None:
        sizes = np.diff(self.starts)
        if len(self.labels) != self.rows.shape[0] or self.starts[-1] != self.rows.shape[0]:
            raise ValueError(
                f"{self.rows.shape[0]} rows need as many labels, and the last start must be that number; got"
                f" {len(self.labels)} labels and {self.starts[-1]}"
            )
        if (sizes < 1).any():
            raise DataError(
                f"example {int(np.argmax(sizes < 1))} has no candidates",
                "give it at least one, or leave it out",
            )
        if self.gold is None:
            return
        outside = (self.gold < self.starts[:-1]) | (self.gold >= self.starts[1:])
        if outside.any():
            raise DataError(
                f"example {int(np.argmax(outside))}: its right candidate is not among its candidates",
                "add it to them, or leave the example out",
            )

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def right(self) -> NDArray[np.int64]:
        """The rows of the right candidates, which must be known."""
        if self.gold is None:
            raise ValueError(
                "the right candidates are not known: make the candidates with the labels of the examples"
            )
        return self.gold

    @property
    def example_of(self) -> NDArray[np.int64]:
        """The example of each row."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def scores(self, w: Array, n_jobs: int | None = None) -> Array:
        """Return w·f(x, y) of every row."""
        return self.rows.dot(w[:, None], np.zeros(1), thread_count(n_jobs))[:, 0]

    def best(self, scores: Array) -> NDArray[np.int64]:
        """Return the row with the highest score of each example, the first of equal ones."""
        highest = np.maximum.reduceat(scores, self.starts[:-1])[self.example_of]
        hits = np.flatnonzero(scores == highest)
        _, first = np.unique(self.example_of[hits], return_index=True)
        return hits[first].astype(np.int64)

    def costs(self, cost: Cost | None) -> Array:
        """Return ρ(candidate, right candidate) of every row: 1 for wrong ones unless a function says otherwise."""
        out = np.ones(self.rows.shape[0])
        if cost is not None:
            if not callable(cost):
                raise invalid_parameter(
                    f"cost must be a function of two candidates, or None; got {short_repr(cost)}"
                )
            gold = self.right[self.example_of]
            out[:] = [
                cost(label, self.labels[row]) for label, row in zip(self.labels, gold.tolist(), strict=True)
            ]
        out[self.right] = 0.0
        if not (np.isfinite(out).all() and (out >= 0).all()):
            row = int(np.argmin(np.isfinite(out) & (out >= 0)))
            raise ValueError(
                f"a cost must be a finite number of at least 0; for candidate {self.labels[row]!r} of example"
                f" {int(self.example_of[row])} it is {out[row]}"
            )
        return out


def check_candidates(data: Any) -> None:
    """Raise a TypeError for anything but candidates."""
    if not isinstance(data, Candidates):
        raise TypeError(
            f"expected Candidates, got {type(data).__name__}: make them with Candidates.of, a JointMap or a BlockMap"
        )


@with_parameters
class JointModel(Estimator):
    """ŷ = argmax over the candidates of w·f(x, y).

    Parameters
    ----------
    n_jobs : int or None
        Threads for scores; None means all cores.

    Attributes
    ----------
    w_ : one weight per column of f
    """

    n_jobs: int | None = None

    w_: Array = fitted()

    def decision_function(self, data: Candidates) -> Array:
        """Return w·f(x, y) of every candidate row."""
        self._check_fitted()
        check_candidates(data)
        if data.rows.n_columns != len(self.w_):
            raise ValueError(f"the candidates have {data.rows.n_columns} features, the model {len(self.w_)}")
        return data.scores(self.w_, self.n_jobs)

    def predict(self, data: Candidates) -> list[Any]:
        """Return the candidate with the highest score of each example."""
        scores = self.decision_function(data)
        return [data.labels[row] for row in data.best(scores).tolist()]

    def score(self, data: Candidates) -> float:
        """Return the share of examples whose right candidate wins."""
        scores = self.decision_function(data)
        return float(np.mean(data.best(scores) == data.right))
