"""Measurements of a report beyond the metrics: learning curves and the most confident mistakes."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import pick
from lindy.core.targets import OneLabel, Targets, as_targets
from lindy.data.splits.split_policy import FREE, SplitPolicy
from lindy.errors import DataError, LindyError, LindyWarning
from lindy.estimators.learners import make_learner
from lindy.evaluation.audit.table_audit import Finding, label_errors
from lindy.evaluation.criterion import Metric
from lindy.evaluation.crossfit import FOLDS
from lindy.evaluation.metrics.intervals import Interval
from lindy.evaluation.metrics.label_metrics import LabelEvaluation
from lindy.evaluation.metrics.model_evaluation import evaluate_predictions
from lindy.evaluation.predictions import Predictions
from lindy.linear.one_vs_rest import OneVsRest
from lindy.textclassifier import TextClassifier
from lindy.tuning.foreign_learners import as_learner
from lindy.tuning.text_options import FEATURES

_MOST_EXAMPLES = 100_000

RowNaming = Callable[[int], object]
"""A function that returns the name of the example of a number (from 0)."""


def numbered(row: int) -> str:
    """Return what an example is called whose file is not known."""
    return f"example {row + 1:,}"


def listed(column: Any) -> list[Any]:
    """Return a column as a list."""
    return list(column.to_pylist() if hasattr(column, "to_pylist") else column)


def unfitted(model: TextClassifier) -> TextClassifier:
    """Return a fresh classifier with the learner and the vectorizer of a fitted one, which may come from a file."""
    learner = model.learner_.learner if isinstance(model.learner_, OneVsRest) else model.learner_
    own = {"learner": make_learner(learner), "vectorizer": model.vectorizer_.fresh(), "extra": ()}
    params = {name: v for name, v in model.get_params(deep=False).items() if name not in FEATURES}
    return type(model)(**params | own)


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Accuracy on the examples that were learned from and on those held out, by the number of the former.

    ``recipe`` says in words what was fitted to all of the former; ``measure`` is micro-F1 for several labels per text.
    """

    sizes: list[int]
    training: list[float]
    held_out: list[float]
    intervals: list[tuple[float, float]]
    n_held_out: int
    recipe: str = ""
    measure: str = "accuracy"


def learning_curve(
    model: TextClassifier,
    texts: Any,
    labels: Any,
    random_state: int = 0,
    *,
    points: int = 6,
    held_out: float = 0.2,
    division: SplitPolicy = FREE,
) -> LearningCurve:
    """Fit copies of an unfitted model to more and more examples, and test each on the same held-out fifth.

    An automatic recipe is chosen once, on all examples that are not held out. ``division`` says how the examples may be
    divided.
    """
    targets = as_targets(labels, several=True)
    rest, test = _divided(targets, held_out, division, random_state)
    n_test = len(test)
    test_texts, truth = pick(texts, test), targets.take(test)
    chosen = _with_recipe(model, pick(texts, rest), pick(labels, rest), division.take(rest))
    model, recipe = (model, "") if chosen is None else (unfitted(chosen), chosen.recipe_)
    measure = "accuracy" if isinstance(targets, OneLabel) else "micro-F1"
    curve = LearningCurve([], [], [], [], n_test, measure=measure)
    fewest, most = max(len(rest) / 2 ** (points - 1), 2), max(len(rest), 2)
    sizes = np.unique(np.round(np.geomspace(fewest, most, points)).astype(int))
    for size in sizes.tolist():
        rows = rest[:size]
        learned = targets.take(rows)
        if len(learned.seen().names) < 2:
            continue
        part = type(model)(**model.get_params(deep=False))
        if part.vectorizer is not None:
            part.vectorizer = part.vectorizer.fresh()
        own_texts, own = pick(texts, rows), pick(labels, rows)
        if Metric.of(part.metric).label not in (None, *map(str, learned.seen().names.tolist())):
            continue  # the class that the model is about is not among so few
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", LindyWarning)
            part.fit(own_texts, own, groups=division.take(rows))
        score, interval = _score(part, test_texts, truth)
        curve.sizes.append(size)
        curve.training.append(_score(part, own_texts, learned)[0])
        curve.held_out.append(score)
        curve.intervals.append(interval)
        curve = replace(curve, recipe=recipe or part.recipe_)
    if not curve.sizes:
        raise DataError("too few examples for a learning curve", "it needs several examples of two classes")
    return curve


def _with_recipe(
    model: TextClassifier, texts: Any, labels: Any, division: SplitPolicy
) -> TextClassifier | None:
    """Return a model fitted to examples, which has chosen its recipe; None for one whose recipe is given."""
    if model.recipe is not None or model.vectorizer is not None or as_learner(model.learner) != "auto":
        return None
    if len(as_targets(labels, several=True).seen().names) < 2:
        return None
    chosen = type(model)(**model.get_params(deep=False))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LindyWarning)
        return chosen.fit(texts, labels, groups=division)


def _divided(
    targets: Targets, share: float, division: SplitPolicy, random_state: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return rows to learn from, in random order, and rows held out; not more than a learning curve needs."""
    order = np.random.default_rng(random_state or 0).permutation(len(targets))[:_MOST_EXAMPLES]
    if division.is_free:
        n_test = max(1, round(share * len(order)))
        return order[n_test:], order[:n_test]
    some = np.sort(order)
    train, held = division.take(some).hold_out(targets.take(some), share, random_state)
    return order[np.isin(order, some[train])], some[held]


def _score(model: TextClassifier, texts: Any, truth: Targets) -> tuple[float, Interval]:
    """Return the accuracy of predictions, or the micro-F1 of several labels per text, and its interval."""
    result = evaluate_predictions(model.predictions(texts), truth, model.classes_, of_probabilities=False)
    if isinstance(result, LabelEvaluation):
        return result.figures["micro_f1"], result.intervals["micro_f1"]
    return result.accuracy, result.interval


def baseline_right(
    model: TextClassifier, texts: Any, labels: Any, test_texts: Any, truth: NDArray[Any]
) -> NDArray[np.bool_] | None:
    """Return which texts naive Bayes gets right, a simple method to compare with; None where it cannot be had."""
    if model.learner_.spec.name == "naive-bayes":
        return None
    simple = TextClassifier(learner="naive-bayes", columns=model.columns, n_jobs=model.n_jobs)
    try:
        predicted = simple.fit(texts, labels).predict(test_texts)
    except (LindyError, ValueError):  # not a word in any text, for example
        return None
    right: NDArray[np.bool_] = predicted.astype(str).astype(object) == truth
    return right


@dataclass(frozen=True, slots=True)
class Outcome:
    """Predictions of labelled texts: what was said, the labels as text, and the confidence in each."""

    said: Predictions
    truth: NDArray[Any]
    predicted: NDArray[Any]
    confidence: NDArray[np.float64]

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which predictions are right."""
        same: NDArray[np.bool_] = self.truth == self.predicted
        return same

    def confident_mistakes(self, most: int) -> NDArray[np.intp]:
        """Return the wrong predictions with the greatest confidence."""
        wrong = np.flatnonzero(~self.right)
        return wrong[np.argsort(-self.confidence[wrong], kind="stable")[:most]]


def outcome(model: TextClassifier, texts: Any, labels: Any) -> Outcome:
    """Predict labelled texts; the confidence is the probability of the label, or its lead in score."""
    truth = np.array([str(label) for label in listed(labels)], object)
    said = model.predictions(texts)
    predicted = np.array([str(label) for label in model.classes_[said.best]], object)
    if said.are_probabilities:
        return Outcome(said, truth, predicted, said.confidence)
    others = said.values.astype(np.float64)
    others[np.arange(len(said)), said.best] = -np.inf
    lead = said.confidence - others.max(axis=1)
    return Outcome(said, truth, predicted, lead / 2 if said.values.shape[1] == 2 else lead)


def suspected_labels(
    model: TextClassifier, texts: Any, labels: Any, random_state: int = 0, division: SplitPolicy = FREE
) -> list[Finding]:
    """Return training examples whose label learners doubt that have not seen them (see ``evaluation.audit``)."""
    n = min(len(texts), _MOST_EXAMPLES)
    own = as_targets(pick(labels, np.arange(n)) if n < len(texts) else labels)
    division = division.take(np.arange(n))
    if len(own.names) < 2 or not division.splits(own.codes, FOLDS):
        return []
    fresh = unfitted(model)
    learner: Any = fresh.learner
    some = pick(texts, np.arange(n)) if n < len(texts) else texts
    fresh.vectorizer.fit_csr(some, y=own.codes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LindyWarning)
        return label_errors(learner, some, own, random_state, division, fresh.vectorizer)
