"""Scores of examples by a learner that has not seen them: fit without a fold, score the fold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.base import Classifier
from lindy.csr import Csr
from lindy.data.splits import folds
from lindy.labels import Labels, as_labels
from lindy.learners import make_learner
from lindy.linear.convex import ConvexClassifier
from lindy.progress import step

ENOUGH = 5000
"""Rows with out-of-fold scores that are enough for a calibrator: its two numbers are then known to about 2 %."""

ROUGH = 5e-3
"""The relative gap to which a copy that goes on from a solution is fitted: only its scores are wanted."""


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
    k: int = 5,
    enough: int | None = None,
    random_state: int = 0,
    prepare: Callable[[Any, NDArray[Any]], Callable[[Any], Csr]] | None = None,
) -> OutOfFold:
    """Fit copies of ``learner`` without each of k stratified folds and score those folds.

    Parameters
    ----------
    learner : classifier
        Left as it is. If it is convex and has kept its solution of X (``fit_from``), copies begin there, with the
        fold's rows taken out of it.
    X, y : rows, and their labels as ``encode_labels`` gives them, or class numbers
    sample_weight : array (rows,) or None
        How much each row counts in the fits.
    k : int
        Folds; fewer if there are fewer rows.
    enough : int or None
        Stop after the fold with which so many rows have scores; None scores all rows (but the only example of a class).
    prepare : callable or None
        Called with the training rows and classes of each fold; returns what to do with rows before the learner sees
        them (for weightings that look at the labels). X is then anything with ``take(rows)``.
    """
    labels = as_labels(y)
    codes = labels.codes
    fold = folds(codes, min(k, len(codes)), random_state=random_state)
    places: list[NDArray[np.int64]] = []
    scores: list[NDArray[np.float64]] = []
    for number in range(int(fold.max()) + 1):
        held_out, kept = np.flatnonzero(fold == number), np.flatnonzero(fold != number)
        model: Any = make_learner(learner)
        test = X.take(held_out)
        with step(number / k, (number + 1) / k, f"holding out part {number + 1} of {k}"):
            if prepare is None and isinstance(learner, ConvexClassifier) and learner.can_go_on:
                weight = np.zeros(len(codes))
                weight[kept] = 1.0 if sample_weight is None else sample_weight[kept]
                model.set_params(tol=max(model.tol, ROUGH))
                model.fit_from(learner, X, labels, weight)
            else:
                train = X.take(kept)
                if prepare is not None:
                    change = prepare(train, codes[kept])
                    train, test = change(train), change(test)
                weighted = {} if sample_weight is None else {"sample_weight": sample_weight[kept]}
                model.fit(train, labels.take(kept), **weighted)
        places.append(held_out)
        scores.append(np.asarray(model.decision_function(test), np.float64))
        if enough is not None and sum(map(len, places)) >= enough:
            break
    if not places:
        raise ValueError("no row can be held out: every class has a single example")
    rows = np.concatenate(places)
    order = np.argsort(rows)
    return OutOfFold(rows[order], np.concatenate(scores)[order])
