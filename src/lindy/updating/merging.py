"""Several models as one.

Counting models are added up: the model is that of all rows, as if it had been trained on them together. Of other
linear models the weights are averaged, each model as much as its rows are (parameter mixing); a class has the mean
over the models that know it. Where all models have kept their rows, the model is trained again on all of them.
Vocabularies and classes are united.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column_remap import ColumnRemap
from lindy.core.targets import union_of_names
from lindy.errors import UpdateError
from lindy.estimators.learners import learner_name
from lindy.estimators.serialization import training_summary
from lindy.evaluation.calibration.calibrators import Temperature
from lindy.updating.label_decisions import with_new_labels
from lindy.updating.model_parts import Rows, refuse_small, rows_of
from lindy.updating.updates import of_own, train_again

WORDS = {
    "adds": "exactly: the counts of all models added up, as if trained on all rows together",
    "mean": "by the mean of their weights, each model as much as its rows are",
    "rows": "by training again on all rows, which the models had kept",
}


@dataclass(frozen=True, slots=True)
class Merged:
    """A merged model, how it was merged ("adds", "mean" or "rows"), and lines about it."""

    model: Any
    how: str
    said: list[str]


def merge(models: Sequence[Any]) -> Any:
    """Return one ``TextClassifier`` of several fitted ones of the same kind, which stay as they are.

    Exact for naive Bayes and all other counting models over counts; the mean of the weights for other linear models.

    Raises
    ------
    UpdateError
        If the models are of different kinds; the message names the difference.
    """
    return merge_models(models).model


def merge_models(models: Sequence[Any], names: Sequence[str] = ()) -> Merged:
    """Return one model of several, and how it was made; ``names`` are how messages call them."""
    if len(models) < 2:
        raise UpdateError(f"merging needs at least two models; got {len(models)}")
    called = [str(name) for name in names] or [f"model {i + 1}" for i in range(len(models))]
    for model in models:
        model._check_fitted()
        refuse_small(model)
    first = models[0]
    for model, name in zip(models[1:], called[1:], strict=True):
        check_same_kind(first, model, called[0], name)
    said = _rows_twice(models, called)
    kept = [getattr(model, "kept_", None) is not None for model in models]
    if all(kept):
        return _from_rows(models, said)
    if any(kept):
        said.append(
            f"the rows that {called[kept.index(True)]} has kept are left out: {called[kept.index(False)]} has none"
        )
    moves, vectorizer = _joined(models, called)
    learner = first.learner_.merged(
        [(m.learner_, move, rows_of(m)) for m, move in zip(models[1:], moves[1:], strict=True)],
        moves[0],
        rows_of(first),
    )
    how = "adds" if first.learner_.adds_up else "mean"
    made = first._as_now()
    classes: NDArray[Any] = first.classes_
    for model in models[1:]:
        classes = union_of_names(classes, model.classes_)
    counts = np.zeros(len(classes), np.result_type(*(model.class_counts_ for model in models)))
    for model in models:
        counts[np.searchsorted(classes, model.classes_)] += model.class_counts_
    made.vectorizer_, made.learner_, made.classes_, made.class_counts_ = vectorizer, learner, classes, counts
    made.n_examples_ = float(sum(map(rows_of, models)))
    made.training_ = training_summary(learner) if how == "adds" else {}
    made.outcomes_ = made.true_probabilities_ = made.kept_ = None
    made.concerns_ = []
    said += _judged(made, models, called)
    _remembered(made, models, how)
    if how == "adds" and _leaves_out(first):
        said.append(
            "a word that was too rare in one part was not kept there, and is counted only in the others"
        )
    return Merged(made, how, [f"{learner.class_name} merged {WORDS[how]}", *said])


def check_same_kind(first: Any, other: Any, name: str, other_name: str) -> None:
    """Raise UpdateError, with the difference, unless two models are of the same kind."""
    pairs = [
        ("learner", learner_name(first.learner_), learner_name(other.learner_)),
        *_differences("vectorizer", first.vectorizer_.to_state()[0], other.vectorizer_.to_state()[0]),
        *_differences("option", first.learner_.to_state()[0], other.learner_.to_state()[0]),
        ("number of labels per text", *("several" if m.several_labels else "one" for m in (first, other))),
        ("metric", first.metric, other.metric),
        ("class_weight", first.class_weight, other.class_weight),
        ("columns", first.columns, other.columns),
        ("hierarchy", first.taxonomy_, other.taxonomy_),
    ]
    for what, ours, theirs in pairs:
        if ours != theirs:
            raise UpdateError(
                f"{name} and {other_name} are models of different kinds: their {what} is {ours!r} and {theirs!r}",
                "train both with the same options; those that are chosen automatically can be given",
            )


def _differences(what: str, ours: Any, theirs: Any) -> list[tuple[str, Any, Any]]:
    """Return the leaves of two nested settings that say of what kind a part is, in pairs."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        names = sorted({*ours, *theirs} - {"multiplier", "n_jobs", "words", "feature_names"})
        names.sort(key=lambda name: name != "kind")  # of different kinds everything else differs too
        return [
            pair
            for name in names
            for pair in _differences(
                f"{what} {name}".replace("option ", "").replace("vectorizer ", ""),
                ours.get(name),
                theirs.get(name),
            )
        ]
    nested = (
        isinstance(ours, list) and isinstance(theirs, list) and any(isinstance(own, dict) for own in ours)
    )
    if nested and len(ours) == len(theirs):
        return [pair for a, b in zip(ours, theirs, strict=True) for pair in _differences(what, a, b)]
    return [(what, ours, theirs)]


def _joined(models: Sequence[Any], called: Sequence[str]) -> tuple[list[ColumnRemap], Any]:
    """Return one vectorizer of all, and where the columns of each model are in it."""
    vectorizer, n_rows = models[0].vectorizer_, rows_of(models[0])
    if not models[0].learner_.input_kind.learns_columns:
        return _same_columns(models, called), vectorizer
    moves = [ColumnRemap(np.arange(vectorizer.n_columns), vectorizer.n_columns)]
    for model in models[1:]:
        n_more = rows_of(model)
        grown = vectorizer.joined(model.vectorizer_, (n_rows, n_more))
        n_columns = grown.vectorizer.n_columns
        moves = [_then(move, grown.places[0], grown.factors[0], n_columns) for move in moves]
        moves.append(ColumnRemap(grown.places[1], n_columns, grown.factors[1]))
        vectorizer, n_rows = grown.vectorizer, n_rows + n_more
    return moves, vectorizer


def _then(
    move: ColumnRemap, places: NDArray[Any], factors: NDArray[Any] | None, n_columns: int
) -> ColumnRemap:
    """Return two moves of columns as one."""
    both = move.factors
    if factors is not None:
        own = factors[move.places]
        both = own if both is None else both * own
    return replace(move, places=places[move.places], n_columns=n_columns, factors=both)


def _same_columns(models: Sequence[Any], called: Sequence[str]) -> list[ColumnRemap]:
    """Return the columns as they are, for learners of given words; they must be the same."""
    first = models[0].vectorizer_
    columns = np.arange(first.n_columns)
    for model, name in zip(models[1:], called[1:], strict=True):
        own = model.vectorizer_
        if own.n_columns != first.n_columns or own.names_of(columns) != first.names_of(columns):
            raise UpdateError(f"{called[0]} and {name} have different lists of words")
    return [ColumnRemap(columns, len(columns)) for _ in models]


def _judged(made: Any, models: Sequence[Any], called: Sequence[str]) -> list[str]:
    """Give the merged model the probabilities and the rule of the largest one, and say so."""
    largest = max(range(len(models)), key=lambda i: rows_of(models[i]))
    model, said = models[largest], []
    same = len(model.classes_) == len(made.classes_)
    if made.several_labels:
        made.calibrator_, made.rule_ = with_new_labels(model, made.classes_, made.class_counts_)
        more = "" if same else "; a label that it does not know has those of labels about as frequent"
        return [f"probabilities and thresholds: those of {called[largest]}, the largest{more}"]
    if any(own.calibrator_ is not None for own in models):
        own = model.calibrator_
        made.calibrator_ = own if same or isinstance(own, Temperature) else of_own(made.learner_)
        what = f"the calibration of {called[largest]}, the largest" if made.calibrator_ is own else "guesses"
        said.append(
            f"probabilities: {what}; lindy update with further rows sets them again"
            if made.calibrator_ is not None
            else f"probabilities: no calibration, since {called[largest]}, the largest, has none"
        )
    if any(own.rule_ is not None for own in models):
        made.rule_ = model.rule_ if same else None
        what = (
            f"that of {called[largest]}, the largest" if same else "the highest score, as classes were united"
        )
        said.append(f"rule: {what}")
    return said


def _remembered(made: Any, models: Sequence[Any], how: str) -> None:
    """Unite what the models remember of their training."""
    seen: dict[str, list[str]] = {}
    for model in models:
        for role, marks in model.seen_.items():
            known = seen.setdefault(role, [])
            known.extend(mark for mark in marks if mark not in known)
    made.seen_, made.columns_ = seen, dict(models[0].columns_)
    if how == "mean":
        parts = " and ".join(f"{rows_of(model):,}" for model in models)
        made.why_ = [*made.why_, f"merged from models of {parts} rows: {WORDS[how]}"]


def _rows_twice(models: Sequence[Any], called: Sequence[str]) -> list[str]:
    """Return warnings about models that have learned from the same rows."""
    said = []
    for i, first in enumerate(models):
        for j in range(i + 1, len(models)):
            marks = set(first.seen_.get("training", ())) & set(models[j].seen_.get("training", ()))
            if marks or first is models[j]:
                said.append(
                    f"warning: {called[i]} and {called[j]} have learned from the same rows, which now count twice"
                )
    return said


def _leaves_out(model: Any) -> bool:
    """Whether a model's vectorizer leaves out rare words."""
    return any(
        getattr(part, "min_df", 1) != 1 or getattr(part, "min_count", 1) != 1
        for _, part in model.vectorizer_.parts
    )


def _from_rows(models: Sequence[Any], said: list[str]) -> Merged:
    """Train the first model again on the rows of all."""
    made = copy.copy(models[0])
    others = models[1:]
    texts = [text for model in others for text in model.kept_.examples()]
    labels = [model.kept_.targets(model.classes_) for model in others]
    weights = None
    if any(model.kept_.weight is not None for model in others):
        own = [np.ones(len(m.kept_)) if m.kept_.weight is None else m.kept_.weight for m in others]
        weights = np.concatenate(own)
    train_again(made, made.kept_, Rows(texts, labels[0].joined(labels[1:]), weights), None)
    _remembered(made, models, "rows")
    return Merged(made, "rows", [f"{made.learner_.class_name} merged {WORDS['rows']}", *said])
