"""Scores of examples by a learner that has not seen them: fit without a fold, score the fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import numerics
from lindy.base import Classifier
from lindy.csr import Csr
from lindy.data.splits import folds

ENOUGH = 5000
"""Rows with out-of-fold scores that are enough for a calibrator: its two numbers are then known to about 2 %."""


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """Scores as ``decision_function`` gives them, for the rows that were held out."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]


def out_of_fold(
    learner: Classifier,
    X: Csr,
    y: NDArray[np.integer[Any]],
    *,
    k: int = 5,
    enough: int | None = None,
    seed: int = 0,
    prepare: Callable[[Csr, NDArray[Any]], Callable[[Csr], Csr]] | None = None,
) -> OutOfFold:
    """Fit copies of ``learner`` without each of k stratified folds and score those folds.

    Parameters
    ----------
    learner : classifier
        Left as it is.
    X, y : rows and class numbers
    k : int
        Folds; fewer if there are fewer rows.
    enough : int or None
        Stop after the fold with which so many rows have scores; None scores all rows (but the only example of a class).
    prepare : callable or None
        Called with the training rows and classes of each fold; returns what to do with rows before the learner sees
        them (for weightings that look at the labels).
    """
    fold = folds(y, min(k, len(y)), seed=seed)
    K = int(y.max()) + 1
    places: list[NDArray[np.int64]] = []
    scores: list[NDArray[np.float64]] = []
    for number in range(int(fold.max()) + 1):
        held_out, kept = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        train, test = X.take(kept), X.take(held_out)
        if prepare is not None:
            change = prepare(train, y[kept])
            train, test = change(train), change(test)
        model: Any = type(learner)(**learner.get_params(deep=False))
        model.fit(train, y[kept])
        places.append(held_out)
        scores.append(class_scores(model, test, K))
        if enough is not None and sum(map(len, places)) >= enough:
            break
    if not places:
        raise ValueError("no row can be held out: every class has a single example")
    rows = np.concatenate(places)
    order = np.argsort(rows)
    return OutOfFold(rows[order], np.concatenate(scores)[order])


def class_scores(model: Any, X: Csr, n_classes: int) -> NDArray[np.float64]:
    """Return what ``decision_function`` says, or log probabilities where a learner has only these."""
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(X), np.float64)
    with np.errstate(divide="ignore"):
        logs = numerics.log(model.predict_proba(X))
    return logs[:, 1] - logs[:, 0] if n_classes == 2 else logs
