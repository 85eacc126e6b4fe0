"""A ``TextClassifier`` from partitions: labels, terms and their weights are counted, then the learner is fitted.

======================  ==============================================================================
naive Bayes and others  that only count: counts are summed; exact
maxent, svm, nb-svm     L-BFGS on summed gradients with a proof over all rows; exact
svm with loss="hinge"   dual steps in every partition (``cocoa``), with a gap; depends on the partitions
perceptron, mira, and   weights of every partition are mixed (``mixing``); depends on the partitions
solver="pegasos"
======================  ==============================================================================

Columns are in the order of the alphabet, which does not depend on who saw a term first.
"""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from lindy.core.inputs import Texts
from lindy.core.targets import Targets, as_lists
from lindy.data.splits.split_policy import FREE
from lindy.data.taxonomy import taxonomy_of, unplaced_labels
from lindy.distributed.cluster_convex import Journal, fit_convex
from lindy.distributed.cocoa import fit_hinge
from lindy.distributed.engine import Engine
from lindy.distributed.mixing import fit_mixed
from lindy.distributed.sums import Array, Totals
from lindy.distributed.tasks import HeldOutScores, LabelCounts, empty_targets
from lindy.errors import DataError
from lindy.estimators.learners import make_learner, set_threads
from lindy.estimators.serialization import training_summary
from lindy.evaluation.criterion import ACCURACY
from lindy.evaluation.crossfit import ENOUGH, FOLDS, ROUGH, OutOfFold
from lindy.evaluation.label_criterion import LabelCriterion, criterion_for
from lindy.files.atomic import atomic_write
from lindy.linear.convex import ConvexClassifier
from lindy.linear.one_vs_rest import OneVsRest
from lindy.progress import step
from lindy.text.analysis.byte_pairs import NAME as BPE
from lindy.text.union import UnionVectorizer
from lindy.text.vocabulary.terms import term_vectorizer, words_beside
from lindy.text.weighting.weighting_registry import WEIGHTINGS, weighted_vectorizer
from lindy.tuning.calibration_step import CalibrationStep, Judged
from lindy.tuning.candidates import MANY_BYTES, fixed_recipe
from lindy.tuning.foreign_learners import as_learner
from lindy.tuning.pipeline_spec import TrainingData
from lindy.tuning.recipe import Recipe, describe, for_several

Fit = Callable[["Engine", Any, Totals], None]
"""Fits a learner to the rows that an engine holds."""


def fit_partitions(model: Any, engine: Engine, journal: Journal | None = None) -> None:
    """Fit a ``TextClassifier`` to the texts and labels that the engine holds."""
    _check_options(model)
    with step(0.0, 0.05, "labels"):
        labels: LabelCounts = engine.total("labels_of")
    _check_labels(model, labels)
    vectorizer, learner = parts_of(model, labels)
    with step(0.05, 0.3, "words of all texts"):
        learn_terms(engine, vectorizer)
        engine.derive("rows_of", vectorizer, labels.classes, labels.several)
    totals = labels.totals(vectorizer.n_columns)
    with step(0.3, 0.7, f"{learner.class_name} on all texts"):
        fit_learner(engine, learner, totals, journal)
    with step(0.7, 1.0):
        judged = calibrated(engine, learner, totals, model, fit_learner)
    _complete(model, vectorizer, learner, labels, judged)


def _check_labels(model: Any, labels: LabelCounts) -> None:
    """Refuse labels from which nothing can be learned, and a metric that is not for them."""
    if labels.several:
        if not len(labels.classes):
            raise DataError("no text has a label: there is nothing to learn", "check the label column")
        if model.class_weight is not None:
            raise DataError(
                "class_weight is for one label per text, and these have several",
                "leave out `class_weight=`",
            )
        return
    if len(labels.classes) < 2:
        n = int(labels.counts.sum())
        raise DataError(
            f"there is only one class: all {n} examples have the same label, {labels.classes.tolist()[0]!r}"
            if n
            else "there are no examples: all partitions are empty",
            "a classifier needs examples of at least two classes; check the label column",
        )
    if model.metric != "accuracy":
        raise _unable(["metric"])


def fit_learner(engine: Engine, learner: Any, totals: Totals, journal: Journal | None = None) -> None:
    """Fit a learner to the rows that the engine holds."""
    learner.distribute(PartitionFit(engine, totals, journal))


class PartitionFit(NamedTuple):
    """The ways to fit a learner to the rows that an engine holds; its ``distribute`` chooses one."""

    engine: Engine
    totals: Totals
    journal: Journal | None = None

    def add_statistics(self, learner: Any) -> None:
        """Add up what the learner counts in every partition."""
        learner.classes_, learner.n_features_in_ = self.totals.classes, self.totals.n_columns
        learner._learn(self.count(learner))

    def count(self, learner: Any) -> Any:
        """Return the sums of what the learner counts in every partition."""
        learner._check_parameters()
        pooled = self.engine.total("statistics_of", learner)
        if not pooled.whole:
            raise DataError(
                f"{type(learner).__name__} counts, and these features are no whole numbers, or weights are not, whose"
                " sums would be exact",
                "take `weighting='counts'`, and weights that are numbers of rows",
            )
        return pooled.statistics

    def mix_weights(self, learner: Any) -> None:
        """Mix the weights of every partition after every epoch."""
        fit_mixed(self.engine, learner, self.totals)

    def ascend_dual(self, learner: Any) -> None:
        """Take dual steps in every partition."""
        fit_hinge(self.engine, learner, self.totals)

    def minimise_sum(self, learner: Any) -> None:
        """Minimise the sum of the partitions' objectives."""
        fit_convex(self.engine, learner, self.totals, self.journal)


def learn_terms(engine: Engine, vectorizer: Any) -> None:
    """Fit a vectorizer to the texts that the engine holds."""
    parts = [part for part in _parts(vectorizer) if part.learns]
    for part in parts:
        if not part.learns_from_counts:
            *names, last = (name for name in WEIGHTINGS if weighted_vectorizer(name).learns_from_counts)
            raise DataError(
                f"{type(part).__name__} cannot be learned from partitions",
                f"choose words or characters with the weighting {', '.join(names)} or {last}",
            )
    if subwords := [part for part in parts if part.analyzer == BPE]:
        words = engine.total("terms_of", [part.word_counter() for part in subwords])
        for part, counts in zip(subwords, words.counts, strict=True):
            part.learn_merges(counts)
    if parts:
        merged = engine.total("terms_of", parts)
        for part, counts in zip(parts, merged.counts, strict=True):
            part.learn_counts(counts)


def _parts(vectorizer: Any) -> list[Any]:
    if isinstance(vectorizer, UnionVectorizer):
        return [part for _, part in vectorizer.vectorizers]
    return [vectorizer]


def parts_of(model: Any, labels: LabelCounts) -> tuple[Any, Any]:
    """Return the unfitted vectorizer and learner that the options of a ``TextClassifier`` ask for."""
    vectorizer, learner = _parts_of(model, labels)
    if labels.several:
        learner = OneVsRest(learner=learner, n_jobs=model.n_jobs)
    return vectorizer, learner


def _parts_of(model: Any, labels: LabelCounts) -> tuple[Any, Any]:
    limits = {name: getattr(model, name) for name in ("min_df", "min_count", "max_features", "subwords")}
    recipe: Recipe | None = getattr(model.recipe, "recipe", model.recipe)
    if recipe is None and as_learner(model.learner) == "auto":
        recipe = fixed_recipe(model.ngrams, model.chars, model.weighting)
        recipe = for_several([recipe])[0] if labels.several else recipe
        recipe = replace(recipe, features=replace(recipe.features, subwords=model.subwords))
    learner = recipe.make_learner() if recipe else make_learner(model.learner)
    set_threads(learner, model.n_jobs)
    if model.class_weight is not None:
        learner.set_params(class_weight=model.class_weight)
    if model.vectorizer is not None:
        return model.vectorizer.fresh(), learner
    if recipe is not None:
        if model.min_df == 1:
            limits["min_df"] = 2 if labels.n_bytes > MANY_BYTES else 1
        return recipe.features.vectorizer(model.n_jobs, **limits), learner
    weighting = learner.input_kind.weighting if model.weighting == "auto" else model.weighting
    words = words_beside(model.ngrams, model.chars)
    return term_vectorizer(words, model.chars, weighting, **limits, n_jobs=model.n_jobs), learner


def _check_options(model: Any) -> None:
    """Refuse what needs all texts in one place."""
    unable = {
        "thorough": model.thorough,
        "select": model.select is not None,
        "oov": model.oov is not None,
        "extra": bool(model.extra),
        "columns": model.columns is not None,
        "early_stop": model.early_stop is not None,
        "keep_rows": model.keep_rows,
    }
    if given := [name for name, asked in unable.items() if asked]:
        raise _unable(given)


def _unable(given: list[str]) -> DataError:
    return DataError(
        f"{', '.join(given)}: not for texts in partitions, since that needs all of them in one place",
        "leave it out, or train on one machine",
    )


def _complete(model: Any, vectorizer: Any, learner: Any, labels: LabelCounts, judged: Judged) -> None:
    """Make the model a fitted one."""
    model.vectorizer_, model.learner_, model.classes_ = vectorizer, learner, labels.classes
    model.class_counts_ = labels.counts
    model.calibrator_, model.outcomes_ = judged.calibrator, judged.outcomes
    model.true_probabilities_ = judged.true_probabilities
    model.rule_, model.kept_ = judged.rule, None
    model.n_examples_ = float(labels.n_rows)
    model.concerns_, model.why_, model.seen_ = judged.concerns, judged.why, {}
    model.recipe_ = describe(vectorizer, learner)
    model.training_ = training_summary(learner)
    names = labels.classes.tolist()
    model.taxonomy_ = taxonomy_of(model.hierarchy, names)
    model.concerns_ += unplaced_labels(model.taxonomy_, names)


def calibrated(engine: Engine, learner: Any, totals: Totals, model: Any, fit: Fit) -> Judged:
    """Return the calibrator and the rule that a fitted learner needs, as a ``TextClassifier`` asks for them.

    With what it says of held-out rows; leaves rows divided.

    Which rows are held out together is said by what they are, not by where they are: texts with the same features are
    in the same fold, and the scores are sorted before a calibrator is fitted to them. So it does not depend on the
    partitions, unless the learner does.
    """
    nothing = empty_targets(totals.classes, several=totals.several)
    criterion = criterion_for(model.metric, nothing) if totals.several else ACCURACY

    def judge(y: Targets, weight: Array | None = None) -> CalibrationStep:
        material = TrainingData(Texts([]), y, weight, FREE, criterion, row_weight=weight)
        return CalibrationStep(model.calibration, learner, material, None)

    nobody = judge(nothing)
    if not nobody.holds_out:
        return Judged()
    scored = _held_out_scores(engine, learner, totals, fit)
    if scored is None or not len(scored.y):
        return nobody.of_scores(None)
    codes = scored.y.row_codes
    order = np.lexsort(
        (scored.weight, as_lists(scored.y).combinations().codes if codes is None else codes, scored.keys)
    )
    y, scores, weight = scored.y.take(order), scored.scores[order], scored.weight[order]
    one = scores.shape[1] == 1 and not totals.several
    held_out = OutOfFold(np.arange(len(order)), scores[:, 0] if one else scores)
    return judge(y, None if (weight == 1).all() else weight).of_scores(held_out)


def _held_out_scores(engine: Engine, learner: Any, totals: Totals, fit: Fit) -> HeldOutScores | None:
    """Return the scores of rows by copies of the learner that were fitted without them; enough of them."""
    n_held = LabelCriterion.folds if totals.several else FOLDS
    n_folds = n_held if totals.several else max(FOLDS, int(totals.n_examples) // ENOUGH)
    found: HeldOutScores | None = None
    for fold in range(n_held):
        engine.derive("without_fold", fold, n_folds)
        left = totals.of_counts(engine.total("class_sizes").counts)
        known = np.ones(len(left.counts), bool) if totals.several else left.counts > 0
        if known.sum() < 2 and not (totals.several and left.counts.any()):
            continue
        copy: Any = learner.rough(ROUGH) if totals.several else make_learner(learner)
        if isinstance(copy, ConvexClassifier):
            copy.set_params(tol=max(copy.tol, ROUGH))
        with step(fold / n_held, (fold + 1) / n_held, f"holding out part {fold + 1} of {n_folds}"):
            fit(engine, copy, left)
        scores = engine.total("held_out_scores", copy, known)
        found = scores if found is None else found.merged(scores)
        if len(found.y) >= 0.9 * ENOUGH and not totals.several:  # folds are of about this size
            break
    return found


class Checkpoint:
    """A file beside the model; ``resume`` says whether to go on from it.

    A training that goes on has the weights of the last round, but not the steps before: it ends with the same proof,
    perhaps with other last digits than one that was not interrupted.
    """

    def __init__(self, path: str, *, resume: bool = False) -> None:
        self.path, self.resume = path, resume
        self._mark = ""

    def start(self, mark: str, size: int) -> Array | None:
        """Return the weights of an interrupted training of the same problem; DataError if it was another one."""
        self._mark = mark
        if not self.resume or not os.path.exists(self.path):
            return None
        try:
            with open(self.path, "rb") as file, np.load(file, allow_pickle=False) as stored:
                known, x = str(stored["mark"]), np.asarray(stored["x"])
        except (OSError, ValueError, KeyError, EOFError, TypeError, zipfile.BadZipFile) as error:
            raise DataError(
                f"{self.path}: not a checkpoint: {error}", "remove it, or leave out `resume=`"
            ) from error
        if known != mark or x.shape != (size,) or x.dtype != np.float64 or not np.isfinite(x).all():
            raise DataError(
                f"{self.path}: the checkpoint is of other data or of other options",
                "give the same ones, or leave out `resume=`",
            )
        kept: Array = x
        return kept

    def keep(self, x: Array) -> None:
        """Keep the weights of a round."""
        with atomic_write(self.path) as file:
            np.savez(file, mark=np.array(self._mark), x=x)

    def done(self) -> None:
        """Remove the file: the model is there."""
        with suppress(FileNotFoundError):
            os.remove(self.path)
