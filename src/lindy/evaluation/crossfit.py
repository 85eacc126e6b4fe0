"""Cross-validated scores (scikit-learn's ``cross_val_predict``): a learner is fitted without a fold and scores it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.inputs import Inputs
from lindy.core.targets import OneLabel, Targets
from lindy.core.weights import total_weight
from lindy.data.splits.split_policy import FREE, Split, SplitPolicy
from lindy.estimators.base import Classifier
from lindy.estimators.learners import make_learner
from lindy.evaluation.decisions import class_values
from lindy.progress import step
from lindy.stream import room
from lindy.text.vectorizer import weight_option
from lindy.text.vocabulary.term_limits import Limits
from lindy.text.weighting.row_weights import document_frequency

FOLDS = 5
ENOUGH = 5000


"""Rows with out-of-fold scores that are enough for a calibrator: its two numbers are then known to about 2 %."""

ROUGH = 5e-3
"""The relative gap to which a copy that goes on from a solution is fitted: only its scores are wanted."""


_ROUNDING = 1e-9  # of sums of weights, of which those of a fold are taken away

AT_ONCE = 1 << 13
"""Rows that several labels are scored of at once."""


class OutOfFold(NamedTuple):
    """Scores as ``decision_function`` gives them, for the rows that were held out."""

    rows: NDArray[np.int64]
    scores: NDArray[np.float64]


def out_of_fold(
    learner: Classifier,
    X: Any,
    y: Targets | NDArray[np.integer[Any]],
    *,
    sample_weight: NDArray[np.float64] | None = None,
    k: int = FOLDS,
    enough: int | None = None,
    random_state: int = 0,
    division: SplitPolicy = FREE,
    prepare: Callable[[Any, Any], Callable[[Any], Csr]] | None = None,
    splits: Sequence[Split] | None = None,
    ends: NDArray[np.int64] | None = None,
) -> OutOfFold:
    """Fit copies of ``learner`` without each of k stratified folds and score those folds.

    Parameters
    ----------
    learner : classifier
        Left as it is. If it has kept its solution of X (``fit_from``), copies begin there, with the fold's rows
        taken out of it.
    X, y : rows, and their targets or class numbers
    sample_weight : array (rows,) or None
        How much each row counts in the fits.
    k : int
        Folds; fewer if there are fewer rows.
    enough : int or None
        Stop after the fold with which so many rows have scores; None scores all rows (but the only example of a class).
    division : SplitPolicy
        How the rows may be divided: with groups, whose rows stay together, and by time, where the past does not learn
        from the future.
    prepare : callable or None
        Called with the training rows and classes of each fold; returns what to do with rows before the learner sees
        them (for weightings that look at the labels). X is then anything with ``take(rows)``.
    splits : list of (rows to learn from, rows held out) or None
        The folds, where they are known; None makes them.
    ends : array or None
        Where the columns of each kind of terms end, if rows have length 1 within each: held-out rows are then scored
        as new texts would be, without terms of their own. With those, their scores would be smaller than new texts'.
    """
    labels = OneLabel.of(y)
    splits = division.splits(labels, k, random_state) if splits is None else splits
    whole = prepare is None and division.is_free  # the rows of the fit: nothing in them changes with the fold
    goes_on = whole and learner.can_go_on
    places: list[NDArray[np.int64]] = []
    scores: list[NDArray[np.float64]] = []
    of_labels = None if labels.label_ends is None else _room_for(labels)
    frequency = None if ends is None else documents(X, np.ones(len(labels), bool))
    for number, (kept, held_out) in enumerate(splits):
        model: Any = learner.rough(ROUGH) if goes_on or of_labels is not None else make_learner(learner)
        learned = labels.take(kept)
        if of_labels is not None and not learned.counts.any():  # nothing to learn from: no row gets a label
            of_labels[held_out] = -1.0
            places.append(held_out)
            continue
        test = (
            X.take(held_out)
            if ends is None or frequency is None
            else as_later(X, ends, frequency, (kept, held_out), 1)
        )
        with step(
            number / len(splits),
            (number + 1) / len(splits),
            f"holding out part {number + 1} of {len(splits)}",
        ):
            if goes_on:
                weight = weight_of_some(kept, len(labels), sample_weight)
                model.fit_from(learner, X, labels, weight, prove=False)
            else:
                train = X.take(kept)
                if prepare is not None:
                    change = prepare(train, learned.row_codes)
                    train, test = change(train), change(test)
                own = None if sample_weight is None else sample_weight[kept]
                given = fit_arguments(model, learned, own, division.take(kept))
                model.fit(train, learned, **given)
        places.append(held_out)
        if of_labels is not None:
            _score(model, test, held_out, np.flatnonzero(learned.counts), of_labels)
            continue
        own = np.asarray(model.decision_function(test), np.float64)
        scores.append(scores_of_all(own, np.flatnonzero(learned.counts), len(labels.names)))
        if enough is not None and sum(map(len, places)) >= enough:
            break
    if not places:
        raise division.undivided(len(labels))
    rows = np.concatenate(places)
    order = np.argsort(rows)
    if of_labels is not None:
        return OutOfFold(rows[order], of_labels if len(rows) == len(labels) else of_labels[rows[order]])
    return OutOfFold(rows[order], np.concatenate(scores)[order])


def as_later(
    rows: Csr,
    ends: NDArray[np.int64],
    frequency: NDArray[Any],
    split: Split,
    min_df: int | float,
    weight: NDArray[np.float64] | None = None,
) -> Csr:
    """Return held-out rows without the terms that the rows to learn from would not have; of length 1 again.

    ``frequency`` says in how many of all rows each column is, and ``ends`` where the columns of each kind of terms
    end: each has length 1 of its own. With ``weight``, a row is so many rows.
    """
    train, held_out = split
    apart = np.ones(rows.shape[0], bool)
    apart[train] = False
    left = frequency - documents(rows, apart, weight)
    n = total_weight(None if weight is None else weight[train], len(train))
    kept = (left > _ROUNDING * frequency) & Limits(min_df=min_df).kept(left, left, n)
    n_values = int(np.diff(rows.indptr)[held_out].sum()) + 1
    indptr, indices = np.empty(len(held_out) + 1, np.int64), np.empty(n_values, np.int32)
    values = np.empty(n_values, rows.values.dtype)
    _native.take_kept_columns(
        rows, np.asarray(held_out, np.int64), kept.view(np.uint8), ends, indptr, indices, values
    )
    return Csr(indptr, indices[: indptr[-1]], values[: indptr[-1]], rows.n_columns, checked=True)


def documents(rows: Csr, which: NDArray[np.bool_], weight: NDArray[np.float64] | None = None) -> NDArray[Any]:
    """Return in how many of some rows each column is."""
    if weight is not None:
        there = np.flatnonzero(which)
        return document_frequency(rows.take(there), weight[there])
    counts = np.zeros((rows.n_columns, 1), rows.values.dtype)
    own = np.where(which, 0, -1).astype(np.int32)
    _native.count_documents_by_class(rows, own, counts, np.zeros(1, np.int64))
    return counts[:, 0]


def _room_for(labels: Targets) -> NDArray[np.float64]:
    """Return an array of rows × labels, in a file where there is more than memory may hold."""
    K = len(labels.names)
    return room(len(labels) * K, np.float64).reshape(len(labels), K)


def _score(
    model: Any, X: Csr, places: NDArray[np.int64], known: NDArray[np.intp], scores: NDArray[np.float64]
) -> None:
    """Put the scores of rows, some at a time, to their places."""
    for begin in range(0, len(places), AT_ONCE):
        some = np.arange(begin, min(begin + AT_ONCE, len(places)))
        own = np.asarray(model.decision_function(X.take(some)), np.float64)
        if own.shape[1] > len(known):  # begun from a solution of all labels, it has their columns
            own = own[:, known]
        scores[places[some]] = scores_of_all(own, known, scores.shape[1])


@dataclass(frozen=True, slots=True)
class Weighted:
    """Inputs of which some can be taken, as of rows; ``weight`` says how many examples each is."""

    inputs: Inputs
    weight: NDArray[np.float64] | None = None

    def take(self, rows: NDArray[np.int64]) -> Weighted:
        """Return some of them."""
        return Weighted(self.inputs.take(rows), None if self.weight is None else self.weight[rows])


def refitted(
    vectorizer: Any, otherwise: Any = None
) -> Callable[[Weighted, NDArray[Any] | None], Callable[[Weighted], Csr]]:
    """Return how inputs become rows with words and weights that are learned from each fold's training part alone.

    Held-out labels have no part in their own rows. ``otherwise`` is fitted, and used where a part has no words.
    """

    def prepare(train: Weighted, codes: NDArray[Any] | None) -> Callable[[Weighted], Csr]:
        own = vectorizer.fresh()
        try:
            own.fit_csr(train.inputs.values, y=codes, **weight_option(train.weight))
        except ValueError:
            if otherwise is None:
                raise
            own = otherwise
        return lambda some: own.transform_csr(some.inputs.values)

    return prepare


def weight_of_some(
    rows: NDArray[np.int64], n_rows: int, weight: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return weights with which only some rows count: a fit with them is one without the others."""
    given = np.zeros(n_rows)
    given[rows] = 1.0 if weight is None else weight[rows]
    return given


def scores_of_all(
    scores: NDArray[np.float64], learned: NDArray[np.integer[Any]], n_classes: int
) -> NDArray[np.float64]:
    """Return scores with a column for each class, of a learner that has not seen them all.

    A class that it does not know has the lowest score of its row: it is not the answer.
    """
    if len(learned) == n_classes:
        return scores
    has_all = scores.ndim == 2 and scores.shape[1] == len(learned)
    values = scores if has_all else class_values(scores)
    spread = np.repeat(values.min(axis=1, keepdims=True), n_classes, axis=1)
    spread[:, learned] = values
    return spread


def fit_arguments(
    learner: Any, y: Targets, weight: NDArray[np.float64] | None, division: SplitPolicy = FREE
) -> dict[str, Any]:
    """Return further arguments for ``learner.fit`` of rows with these targets.

    A learner that would hold rows out to know when to stop, though groups or times let none be held out, is told to
    learn for its usual number of epochs instead.

    Raises
    ------
    ValueError
        If the learner cannot use them.
    """
    known = inspect.signature(learner.fit).parameters
    given: dict[str, Any] = {}
    if weight is not None:
        if "sample_weight" not in known:
            raise ValueError(
                f"{learner.class_name} cannot weigh examples: leave out sample_weight, or the weights in the lines of a"
                " Vowpal Wabbit file"
            )
        given["sample_weight"] = weight
    if division.is_free or not _holds_out(learner):
        return given
    if "groups" not in known:
        raise ValueError(
            f"{learner.class_name} draws the rows that it holds out itself, whatever their group or time: leave out"
            " held_out, or stop perceptron or mira early"
        )
    if not division.can_hold_out(y, learner.held_out):
        learner.set_params(held_out=0.0, epochs=None)
        return given
    return given | {"groups": division}


def _holds_out(learner: Any) -> bool:
    options = learner.get_params(deep=False)
    inner = options.get("solver_options") or {}
    return bool(options.get("held_out") or inner.get("held_out"))
