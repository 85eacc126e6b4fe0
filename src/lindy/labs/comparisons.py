"""Fair comparisons: options are chosen on held-out parts of the training data, and a test set is asked once.

An accuracy on a test set comes with the interval in which it would lie, had the test been drawn again; one of two
classifiers is called better only where the interval of their difference allows it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.data import folds
from lindy.evaluation import wilson
from lindy.evaluation.metrics.intervals import Interval
from lindy.evaluation.metrics.significance import accuracy_difference, holm, mcnemar
from lindy.labs.stage import table


@dataclass(frozen=True, slots=True)
class Judged:
    """The answers of a classifier to a test set: which of them are right."""

    name: str
    right: NDArray[np.bool_]

    @property
    def accuracy(self) -> float:
        """The share of right answers."""
        return float(self.right.mean())

    @property
    def interval(self) -> Interval:
        """The 95 % interval of the accuracy (Wilson's)."""
        return wilson(self.accuracy, len(self.right))

    def __str__(self) -> str:
        return f"{percent(self.accuracy)} ({between(self.interval)})"


def judged(name: str, model: Any, X: Any, y: ArrayLike) -> Judged:
    """Return which rows a fitted classifier gets right."""
    return Judged(name, np.asarray(model.predict(X) == np.asarray(y)))


def between(interval: Interval) -> str:
    """Return an interval of shares in words."""
    return f"{percent(interval[0])} to {percent(interval[1])}"


def percent(share: float) -> str:
    """Return a share in percent, rounded as tables round it to three digits."""
    return f"{round(share, 3):.1%}"


def judged_table(head: str, results: Iterable[Judged], part: str = "test") -> None:
    """Print accuracies with their intervals."""
    rows = [(one.name, one.accuracy, between(one.interval)) for one in results]
    table((head, part, "95 % interval"), rows)


def verdict(first: Judged, second: Judged, rows: str = "test examples") -> str:
    """Return a sentence: by how much one of two classifiers is better on the same rows, and whether these can tell.

    They can if the 95 % interval of the difference leaves out 0 and McNemar's test agrees (p < 0.05).
    """
    return verdicts([(first, second)], rows)[0]


def verdicts(pairs: Sequence[tuple[Judged, Judged]], rows: str = "test examples") -> list[str]:
    """Return a sentence for each pair of classifiers; with several, p holds for all of them together (Holm)."""
    together = f" for all {len(pairs)}" if len(pairs) > 1 else ""
    found = holm([mcnemar(first.right, second.right) for first, second in pairs])
    return [
        _compared(*pair, f"{p:.2g}{together}", rows, shown=p < 0.05)
        for pair, p in zip(pairs, found, strict=True)
    ]


def _compared(first: Judged, second: Judged, p: str, rows: str, *, shown: bool) -> str:
    difference, (low, high) = accuracy_difference(first.right, second.right)
    if difference < 0:
        return _compared(second, first, p, rows, shown=shown)
    n, range_ = f"{len(first.right):,} {rows}", f"95 %: {100 * low:.1f} to {100 * high:.1f}"
    if not (first.right != second.right).any():
        said = f"{first.name} and {second.name} are right on the same ones of {n}."
    elif difference == 0:
        said = f"{first.name} and {second.name} are right on as many, though not the same, of {n} ({range_} points)."
    else:
        end = f"which {n} show" if low > 0 and shown else f"which {n} cannot tell from chance"
        said = f"{first.name} against {second.name}: {100 * difference:.1f} points more ({range_}, p = {p}), {end}."
    return said[0].upper() + said[1:].replace(" -", " −")


@dataclass(frozen=True, slots=True)
class Choice:
    """The values of an option, and the accuracy of each in training and on parts that were held out of it.

    ``best`` is the value with the highest held-out accuracy, of equal ones the first; accuracies have three digits, as
    tables show them.
    """

    option: str
    values: Sequence[Any]
    training: Sequence[float]
    held_out: Sequence[float]
    best: Any
    learner: Any

    @property
    def model(self) -> Any:
        """The learner with the best value, not fitted."""
        return copy.deepcopy(self.learner).set_params(**{self.option: self.best})

    def show(self, head: str) -> None:
        """Print the table of the choice."""
        rows = zip((f"{value:g}" for value in self.values), self.training, self.held_out, strict=True)
        table((head, "training", "held out"), list(rows))


def choose(
    learner: Any, option: str, values: Sequence[Any], X: Any, y: NDArray[Any], parts: int = 5
) -> Choice:
    """Try the values of an option on held-out parts of the training data, a fifth of it at a time.

    Columns of a sparse matrix that are empty in what is left to learn from are words that were never seen there; they
    are left out, as they are from the words of a test.

    Examples
    --------
    >>> from lindy import MaxEnt
    >>> from lindy.data import toy_gaussians
    >>> from lindy.labs import choose
    >>> toy = toy_gaussians(200, random_state=1)
    >>> chosen = choose(MaxEnt(), "lam", (1.0, 0.1, 0.01), toy.X_train, toy.y_train)
    >>> chosen.best in (1.0, 0.1, 0.01)
    True
    """
    part = folds(y, parts)
    scores = np.zeros((len(values), 2))
    for number in range(parts):
        kept, held = part != number, part == number
        X_kept, X_held = X[kept], X[held]
        if hasattr(X, "tocsc"):
            seen = np.flatnonzero(X_kept.getnnz(axis=0))
            X_kept, X_held = X_kept[:, seen], X_held[:, seen]
        for row, value in zip(scores, values, strict=True):
            model = copy.deepcopy(learner).set_params(**{option: value}).fit(X_kept, y[kept])
            row += [model.score(X_kept, y[kept]) / parts, model.score(X_held, y[held]) / parts]
    training, held_out = scores.round(3).T.tolist()
    return Choice(option, values, training, held_out, values[int(scores[:, 1].argmax())], learner)
