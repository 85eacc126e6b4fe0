"""Scores of examples by a learner that has not seen them: fit without a fold, score the fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.base import Classifier
from lindy.csr import Csr
from lindy.data.division import FREE, Division
from lindy.evaluation.decisions import class_values
from lindy.evaluation.fitting import fit_arguments
from lindy.labels import Labels, as_labels
from lindy.learners import make_learner
from lindy.progress import step

FOLDS = 5
ENOUGH = 5000
"""Rows with out-of-fold scores that are enough for a calibrator: its two numbers are then known to about 2 %."""


@dataclass(frozen=True, slots=True)
class OutOfFold:
    """Scores as ``decision_function`` gives them, for the rows that were held out."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]


def out_of_fold(
    learner: Classifier,
    X: Any,
    y: Labels | NDArray[np.integer[Any]],
    *,
    sample_weight: NDArray[np.float64] | None = None,
    k: int = FOLDS,
    enough: int | None = None,
    random_state: int = 0,
    division: Division = FREE,
    prepare: Callable[[Any, NDArray[Any]], Callable[[Any], Csr]] | None = None,
) -> OutOfFold:
    """Fit copies of ``learner`` without each of k stratified folds and score those folds.

    Parameters
    ----------
    learner : classifier
        Left as it is.
    X, y : rows, and their labels as ``encode_labels`` gives them, or class numbers
    sample_weight : array (rows,) or None
        How much each row counts in the fits.
    k : int
        Folds; fewer if there are fewer rows.
    enough : int or None
        Stop after the fold with which so many rows have scores; None scores all rows (but the only example of a class).
    division : Division
        How the rows may be divided: with groups, whose rows stay together, and by time, where the past does not learn
        from the future.
    prepare : callable or None
        Called with the training rows and classes of each fold; returns what to do with rows before the learner sees
        them (for weightings that look at the labels). X is then anything with ``take(rows)``.
    """
    labels = as_labels(y)
    codes = labels.codes
    splits = division.splits(codes, k, random_state)
    places: list[NDArray[np.int64]] = []
    scores: list[NDArray[np.float64]] = []
    for number, (kept, held_out) in enumerate(splits):
        train, test = X.take(kept), X.take(held_out)
        if prepare is not None:
            change = prepare(train, codes[kept])
            train, test = change(train), change(test)
        model: Any = make_learner(learner)
        weight = None if sample_weight is None else sample_weight[kept]
        given = fit_arguments(model, codes[kept], weight, division.take(kept))
        with step(
            number / len(splits),
            (number + 1) / len(splits),
            f"holding out part {number + 1} of {len(splits)}",
        ):
            model.fit(train, labels.take(kept), **given)
        places.append(held_out)
        own = np.asarray(model.decision_function(test), np.float64)
        scores.append(scores_of_all(own, np.unique(codes[kept]), len(labels.classes)))
        if enough is not None and sum(map(len, places)) >= enough:
            break
    if not places:
        raise division.undivided(len(codes))
    rows = np.concatenate(places)
    order = np.argsort(rows)
    return OutOfFold(rows[order], np.concatenate(scores)[order])


def scores_of_all(
    scores: NDArray[np.float64], learned: NDArray[np.integer[Any]], n_classes: int
) -> NDArray[np.float64]:
    """Return scores with a column for each class, of a learner that has not seen them all.

    A class that it does not know has the lowest score of its row: it is not the answer.
    """
    if len(learned) == n_classes:
        return scores
    values = class_values(scores)
    spread = np.repeat(values.min(axis=1, keepdims=True), n_classes, axis=1)
    spread[:, learned] = values
    return spread
