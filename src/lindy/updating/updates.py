"""An update: further rows for a fitted model.

===============  ================================================================================================
how              what the model is afterwards
===============  ================================================================================================
``rows``         that of all rows, trained again: the earlier ones were kept with the model (``keep_rows``)
``adds``         that of all rows, as if trained on both: counts add up
``goes on``      what the learner's own steps make of its weights, one visit of a new row for each of an old one
``prior``        the optimum of the new rows' problem in which leaving the old weights has a price
===============  ================================================================================================

"adds" is exact where the values of earlier rows stay what they are, which tf-idf does not allow, and where no word was
left out for being rare: such words begin to be counted anew.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import ManyLabels, Targets, as_lists, as_targets, union_of_names
from lindy.core.weights import check_weight, present_rows
from lindy.errors import AGAIN, UpdateError
from lindy.estimators.learners import make_learner
from lindy.estimators.serialization import training_summary
from lindy.evaluation.calibration.calibrators import Calibrator, Temperature, fit_calibrator, log_losses
from lindy.evaluation.criterion import Criterion
from lindy.evaluation.decisions import Rule
from lindy.evaluation.outcomes import ANOTHER, Outcomes
from lindy.modelfile.kept import Kept
from lindy.progress import step
from lindy.text.weighting.weighting_registry import WEIGHTINGS
from lindy.updating.label_decisions import Decisions, found_again, with_new_labels
from lindy.updating.model_parts import Parts, Rows, refuse_small
from lindy.updating.progressive import Progress, validate_progressively

WORDS = {
    "rows": "trained again on all rows, the earlier ones as they were kept with the model",
    "adds": "counts of old and new rows added up",
    "goes on": "went on from the old weights, which count in the average as the visits that made them",
    "prior": "solved for the new rows, with the old weights where the penalty is 0",
}
FEWEST = 100
"""Held-out rows that a calibrator or a rule is learned from at least: a share is then known to about 10 points."""


@dataclass(frozen=True, slots=True)
class Update:
    """The record of an update.

    Attributes
    ----------
    how : "rows", "adds", "goes on" or "prior"
    n_before, n_new : rows so far, each as often as its weight says, and new ones
    new_features, new_classes : columns and labels that the model did not have
    said : lines about what was done, and about what could not be
    progress : what was predicted before it was learned; None if that was not asked for
    unknown : how many of the new rows' words the model did not know, and how many there are; None if not counted
    """

    how: str
    n_before: int | float
    n_new: int
    new_features: int
    new_classes: list[Any]
    said: list[str] = field(default_factory=list)
    progress: Progress | None = None
    unknown: tuple[int, int] | None = None


def update(
    model: Any,
    X: Any,
    y: Any,
    sample_weight: Any = None,
    *,
    classes: Any = None,
    forget: float | None = None,
    batches: int = 0,
) -> Update:
    """Let a fitted ``TextClassifier`` learn from further examples; it changes only if all goes well.

    Parameters
    ----------
    X, y, sample_weight : as for ``TextClassifier.fit``
    classes : labels that are yet to come
    forget : after how many rows a row counts half; None forgets nothing
    batches : in how many batches rows are predicted before they are learned; 0 leaves that out
    """
    refuse_small(model)
    rows = rows_for(model, X, y, sample_weight, forget)
    before, old_classes = Parts.of(model), model.classes_
    kept: Kept | None = getattr(model, "kept_", None)
    if kept is None and (reason := before.refusal):
        raise UpdateError(reason, AGAIN)
    all_classes = union_of_names(
        union_of_names(old_classes, rows.labels.names), [] if classes is None else classes
    )
    targets = rows.labels.among(all_classes)
    progress = None
    weights = model.class_weight
    share = 0.6 if batches else 0.0
    if batches:
        with step(0.0, share):
            progress = validate_progressively(model, rows, all_classes, batches, weights)
    with step(share, 1.0, "learning"):
        if kept is not None:
            return train_again(model, kept, rows, progress)
        parts, grown = before.after(rows, classes, weights)
    calibrator: Calibrator | None
    rule: Rule | None
    if isinstance(targets, ManyLabels):
        (calibrator, rule), about, ruled = *new_label_decisions(model, targets, parts, progress), ""
        outcomes = None
    else:
        calibrator, about = new_calibrator(model, parts.learner, targets, progress)
        rule, ruled = new_rule(model, targets, parts.counts, progress)
        outcomes = new_outcomes(model, targets, progress)
    how = parts.learner.updates or before.learner.updates
    said = [f"{parts.learner.class_name}: {WORDS[how]}", *_not_exact(before, how, forget)]
    model.vectorizer_, model.learner_, model.classes_ = parts.vectorizer, parts.learner, parts.classes
    model.class_counts_, model.calibrator_, model.rule_ = parts.counts, calibrator, rule
    model.outcomes_, model.concerns_, model.n_examples_ = outcomes, [], float(parts.n_rows)
    model.true_probabilities_ = None  # those of before say nothing about the model of now
    model.training_ = training_summary(parts.learner)
    if how != "adds":  # which is what training on all rows would have made
        model.why_ = [*model.why_, f"updated with {len(rows):,} rows after {before.n_rows:,}: {WORDS[how]}"]
    vars(model).pop("_scored", None)
    known = set(old_classes.tolist())
    new = [label for label in parts.classes.tolist() if label not in known]
    said += [line for line in (about, ruled) if line]
    return Update(how, before.n_rows, len(rows), grown.n_new, new, said, progress, grown.unknown)


def rows_for(model: Any, X: Any, y: Any, sample_weight: Any = None, forget: float | None = None) -> Rows:
    """Return further examples, checked, as the model's vectorizer takes them."""
    model._check_fitted()
    if y is None:
        raise UpdateError("an update needs labels: y is None")
    if forget is not None and not 0 < forget < np.inf:
        raise UpdateError(f"forget must be a half-life, a number of rows above 0; got {forget!r}")
    inputs = model.as_input(X)
    labels: Targets = as_lists(y) if model.several_labels else as_targets(y)
    if len(inputs) != len(labels):
        raise ValueError(f"there are {len(inputs)} texts but {len(labels)} labels")
    if not len(labels):
        raise UpdateError("there are no rows to learn from")
    weights = inputs.weight if sample_weight is None else sample_weight
    weight = check_weight(weights, len(labels))
    if (rows := present_rows(weight)) is not None and weight is not None:  # the others are not there
        inputs, weight = inputs.take(rows), weight[rows]
        labels = labels.take(rows).seen()
    texts = inputs.values
    return Rows(texts.array if hasattr(texts, "iloc") else texts, labels, weight, forget)


def train_again(model: Any, kept: Kept, rows: Rows, progress: Progress | None) -> Update:
    """Fit the model to the kept rows and the new ones."""
    before, n_before = model.vectorizer_.n_columns, len(kept)
    old = model.classes_
    texts = [*kept.examples(), *(rows.texts.to_pylist() if hasattr(rows.texts, "to_pylist") else rows.texts)]
    labels = kept.targets(old).joined([rows.labels])
    weights = [own for own in (kept.weight, rows.weight) if own is not None]
    weight = None
    if weights or rows.half_life is not None:
        parts = [
            np.ones(n) if own is None else own
            for own, n in ((kept.weight, n_before), (rows.weight, len(rows)))
        ]
        weight = np.concatenate(parts)
    counted = weight
    if rows.half_life is not None:
        aged: Any = Rows(texts, labels, weight, rows.half_life).counted
        counted = np.maximum(aged, np.finfo(float).tiny)  # the oldest rows are still rows
    fresh = type(model)(
        learner=make_learner(getattr(model.learner_, "learner", model.learner_)),
        vectorizer=model.vectorizer_.fresh_after(n_before),
        calibration=kept.calibration,
        metric=model.metric,
        class_weight=model.class_weight,
        hierarchy=model.taxonomy_,
        n_jobs=model.n_jobs,
        keep_rows=True,
    )
    fresh._fit(texts, labels, counted, None, None)
    fresh.kept_ = Kept.of(texts, labels.among(fresh.classes_), weight, kept.calibration)
    for name in (
        "n_examples_",
        "vectorizer_",
        "learner_",
        "classes_",
        "class_counts_",
        "calibrator_",
        "rule_",
        "concerns_",
        "kept_",
        "outcomes_",
        "true_probabilities_",
        "training_",
    ):
        setattr(model, name, getattr(fresh, name))
    if model.several_labels:  # a line about the thresholds
        model.why_ = fresh.why_
    vars(model).pop("_scored", None)
    known = set(old.tolist())
    new = [label for label in model.classes_.tolist() if label not in known]
    said = [f"{model.learner_.class_name}: {WORDS['rows']}"]
    if model.calibrator_ is not None:
        said.append(f"probabilities: {model.calibrator_.method} calibration from held-out rows, old and new")
    return Update("rows", n_before, len(rows), model.vectorizer_.n_columns - before, new, said, progress)


def _not_exact(before: Parts, how: str, forget: float | None) -> list[str]:
    """Return in which way an update is not the training on all rows."""
    every = [part for _, part in before.vectorizer.parts]
    leaves = [part for part in every if not part.stays_as_trained]
    said = []
    if fixed := [part.describe() for part in every if part.stays_as_trained]:
        said.append(f"{' and '.join(fixed)}: told by what the first training learned, also of the new rows")
    if forget is not None:
        said.append(f"a row counts half after {forget:g} rows; words' document frequencies are of all rows")
    if how != "adds":
        return said
    if any(getattr(part, "min_df", 1) != 1 or getattr(part, "min_count", 1) != 1 for part in leaves):
        said.append(
            "words that were too rare for the model had not been kept: they count from the new rows on"
            " (train with `keep_rows=True` to keep them)"
        )
    if any(part.kind in WEIGHTINGS for part in leaves):
        said.append("earlier rows were counted with the weights that their words had then")
    if any(getattr(part, "_closed", False) for part in leaves):
        said.append("the words of the model were given or chosen, and stay what they are")
    return said


def new_calibrator(
    model: Any, learner: Any, y: Targets, progress: Progress | None
) -> tuple[Calibrator | None, str]:
    """Return the calibrator after an update, and a line that says where it is from; none for a model without.

    Scores of the new rows, each from a model that had not seen it (``progressive``), are held-out scores. A calibrator
    that is fitted to the first half of them replaces the old one if it has the lower log loss on the second half; it is
    then fitted to all. Otherwise the old one stays. Where there are new classes, the old one may have no meaning.
    """
    old = model.calibrator_
    if old is None:
        return None, ""
    same = len(y.names) == len(model.classes_)
    usable = same or isinstance(old, Temperature)
    held = None if progress is None else _held_out(progress, y)
    if held is None:
        if usable:
            return old, f"probabilities: the {old.method} calibration of before the update"
        return of_own(
            learner
        ), "probabilities: there are new classes, and too few rows to calibrate again: guesses"
    scores, known = held
    half = len(known) // 2
    first = known.take(np.arange(half))
    method = old.method if usable else "auto"
    if usable and first.counts.all():
        trial = fit_calibrator(scores[:half], first, None, method)
        losses = [float(log_losses(own(scores[half:]), known.codes[half:]).mean()) for own in (old, trial)]
        if losses[0] <= losses[1]:
            return old, (
                f"probabilities: the {old.method} calibration of before the update, which fits the new rows better than"
                f" one fitted to them (log loss {losses[0]:.3f}, {losses[1]:.3f})"
            )
    elif usable:
        return old, f"probabilities: the {old.method} calibration of before the update"
    made = fit_calibrator(scores, known, None, method)
    return (
        made,
        f"probabilities: {made.method} calibration from {len(known):,} new rows, predicted before they were learned",
    )


def new_label_decisions(
    model: Any, y: ManyLabels, parts: Parts, progress: Progress | None
) -> tuple[Decisions, str]:
    """Return the calibrator and the rule of several labels after an update, and a line about where they are from."""
    known = with_new_labels(model, y.names, parts.counts)
    places, scores = (np.zeros(0, np.int64), np.zeros(0)) if progress is None else progress.scored
    return found_again(known, scores, y.take(places), model.metric)


def new_rule(
    model: Any, y: Targets, counts: NDArray[Any], progress: Progress | None
) -> tuple[Rule | None, str]:
    """Return the decision rule after an update, and a line that says where it is from; none for a model without."""
    old = model.rule_
    if old is None:
        return None, ""
    if len(y.names) == len(model.classes_):
        return old, "rule: that of before the update"
    held = None if progress is None else _held_out(progress, y)
    if held is None:
        return (
            None,
            "rule: the highest score, since there are new classes and too few rows to find a rule again",
        )
    rule = Criterion.of(model.metric, y.names, counts, None).rule(*held)
    return rule, f"rule: found again on {len(held[1]):,} new rows, since there are new classes"


def new_outcomes(model: Any, y: Targets, progress: Progress | None) -> Outcomes | None:
    """Return what held-out rows got: those of the training, if they can be added, and the new ones.

    A counting model that was trained without any has none afterwards: it is that of a training on all rows.
    """
    old, K = model.outcomes_, len(y.names)
    if old is None and model.learner_.adds_up:
        return None
    if progress is None or not progress.learned:
        return old if old is not None and len(model.classes_) == K else None
    sure = progress.confidence if (progress.confidence > 0).all() else None
    new = Outcomes.of_codes(y.codes, progress.best, sure, K)
    if old is None or old.n_bins != new.n_bins or not (old.by_label and new.by_label):
        return new
    place = np.append(np.searchsorted(y.names, model.classes_), ANOTHER)  # the last is what −1 finds
    cells = old.cells.astype(np.int64)
    cells[:, 0], cells[:, 1] = place[cells[:, 0]], place[cells[:, 1]]
    rows = np.concatenate([cells, new.cells.astype(np.int64)])
    cells, where = np.unique(rows[:, :3], axis=0, return_inverse=True)
    counts = np.bincount(where.ravel(), rows[:, 3])
    return Outcomes(np.column_stack([cells, counts]).astype(np.int32), K, new.n_bins)


def _held_out(progress: Progress, y: Targets) -> tuple[Any, Targets] | None:
    """Return scores and targets of the new rows, if they are enough and of every class."""
    places, scores = progress.scored
    known = y.take(places)
    return (scores, known) if len(known) >= FEWEST and known.counts.all() else None


def of_own(learner: Any) -> Calibrator | None:
    """Return a calibrator that takes scores for log odds, for a learner without probabilities."""
    own = learner.has_probabilities
    return None if own else Temperature({"temperature": np.ones(1)})
