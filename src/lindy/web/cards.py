"""A model's card: what it is made of, how good it is on examples it has not seen, and what speaks for its labels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from lindy.evaluation.metrics.class_metrics import Evaluation, safe_ratio
from lindy.evaluation.metrics.intervals import wilson
from lindy.evaluation.metrics.label_metrics import LabelEvaluation
from lindy.evaluation.metrics.metric_registry import REPORTED, SEVERAL_CHOICES, f1, metric_spec
from lindy.evaluation.outcomes import Outcomes
from lindy.explain import inspect
from lindy.web.messages import (
    Bins,
    Card,
    ClassCount,
    Confusion,
    DecisionsReply,
    FileFacts,
    Metric,
    Word,
)
from lindy.web.model_registry import LoadedModel
from lindy.web.testing import RESAMPLES, Tested, TestFile

_WORDS = 20  # of each label
_MOST_LABELS = 50  # that have figures of their own, and a confusion that a person can read
HELD_OUT, TEST_FILE = "held-out examples", "test file"


def card(served: LoadedModel, test: TestFile | None) -> Card:
    """Return the card of a model, with the figures of the test if there is one."""
    tested = None if test is None else test(served)
    model, outcomes = served.classifier, served.classifier.outcomes_ if tested is None else tested.outcomes
    evaluation = _evaluation(served, tested)
    found = inspect(model, top=_WORDS)
    return Card(
        name=served.name,
        version=served.version,
        recipe=model.recipe_,
        why=model.why_,
        classes=[
            ClassCount(label, round(n))
            for label, n in zip(served.labels, model.class_counts_.tolist(), strict=True)
        ],
        trained=_trained(model, found),
        certificate=found.training.get("certificate"),
        metrics=_label_metrics(evaluation)
        if isinstance(evaluation, LabelEvaluation)
        else _metrics(outcomes, evaluation, served.labels),
        confusion=None if isinstance(evaluation, LabelEvaluation) else _confusion(evaluation),
        words={
            str(label): [Word(name, value) for name, value in ranked if np.isfinite(value)]
            for label, ranked in found.top.items()
        },
        measure=found.measure,
        label_errors=[] if tested is None else tested.label_errors,
        held_out=evaluation.examples
        if isinstance(evaluation, LabelEvaluation)
        else None
        if outcomes is None
        else outcomes.n,
        tested_on=_tested_on(outcomes, tested),
        file=FileFacts(os.path.basename(served.path), served.size, served.fingerprint, served.trained_at),
    )


def decisions(served: LoadedModel, test: TestFile | None) -> DecisionsReply:
    """Return how sure the model was of examples that it had not seen, and whether it was right."""
    tested = None if test is None else test(served)
    outcomes = served.classifier.outcomes_ if tested is None else tested.outcomes
    if outcomes is None or not outcomes.n_bins or not outcomes.by_label:
        n = None if outcomes is None else outcomes.n
        return DecisionsReply(served.version, n, served.labels, None, _tested_on(outcomes, tested))
    right, wrong = outcomes.bins()
    edges = [b / outcomes.n_bins for b in range(outcomes.n_bins + 1)]
    bins = Bins(edges, right.tolist(), wrong.tolist())
    return DecisionsReply(served.version, outcomes.n, served.labels, bins, _tested_on(outcomes, tested))


def _tested_on(outcomes: Outcomes | None, tested: Tested | None) -> str | None:
    return TEST_FILE if tested is not None else HELD_OUT if outcomes is not None else None


def _trained(model: Any, found: Any) -> dict[str, Any]:
    return {
        "examples": model.n_examples,
        "features": found.n_features,
        "weights": found.n_weights,
        "learner": found.learner,
        "metric": found.metric,
        "calibration": found.calibration,
        **{name: value for name, value in found.training.items() if name != "certificate"},
        **({} if found.rule is None else {"rule": {str(k): v for k, v in found.rule.items()}}),
    }


def _evaluation(served: LoadedModel, tested: Tested | None) -> Evaluation | LabelEvaluation | None:
    if tested is not None:
        return tested.evaluation
    outcomes = served.classifier.outcomes_
    return None if outcomes is None else outcomes.evaluation(list(served.labels), resamples=RESAMPLES)


def _metrics(outcomes: Outcomes | None, evaluation: Evaluation | None, labels: Sequence[str]) -> list[Metric]:
    """Return accuracy and the prominent metrics, and of not too many labels precision and recall."""
    if outcomes is None:
        return []
    if outcomes.several:
        return _held_out_label_metrics(outcomes, labels)
    accuracy, (low, high) = outcomes.accuracy
    made = [Metric("accuracy", accuracy, low, high)]
    if evaluation is None:
        return made
    for name, spec in REPORTED.items():
        if spec.prominent:
            bounds = evaluation.intervals.get(name, (None, None))
            made.append(Metric(spec.title, evaluation.figures[name], *bounds))
    if len(evaluation.labels) > _MOST_LABELS:
        return made
    called = evaluation.confusion.sum(axis=0).tolist()
    for entry, n in zip(evaluation.classes, called, strict=True):
        made.append(Metric(f"precision of {entry.label}", entry.precision, *wilson(entry.precision, n)))
        made.append(Metric(f"recall of {entry.label}", entry.recall, *wilson(entry.recall, entry.support)))
    return made


def _label_metrics(evaluation: LabelEvaluation) -> list[Metric]:
    """Return the figures of several labels that can be asked for, and of not too many labels precision and recall."""
    made = []
    named = [asked for asked in SEVERAL_CHOICES if ":" not in asked]
    for asked in sorted(named, key=lambda asked: asked != "micro-f1"):
        name = asked.replace("@", "_at_").replace("-", "_")
        made.append(Metric(metric_spec(asked).title, evaluation.figures[name], *evaluation.intervals[name]))
    for own in evaluation.labels if len(evaluation.labels) <= _MOST_LABELS else ():
        made.append(Metric(f"precision of {own.label}", own.precision, *wilson(own.precision, own.called)))
        made.append(Metric(f"recall of {own.label}", own.recall, *wilson(own.recall, own.support)))
    return made


def _held_out_label_metrics(outcomes: Outcomes, labels: Sequence[str]) -> list[Metric]:
    """Return the figures of several labels that follow from counts; F1 without an interval, which takes the rows."""
    counts = outcomes.label_counts()
    actual, called, right = counts
    of_all = [own.sum(keepdims=True) for own in (right, called, actual)]
    made = [Metric(metric_spec("micro-f1").title, float(safe_ratio(*f1(*of_all))[0]), None, None)]
    if not outcomes.by_label:
        return made
    figures = safe_ratio(*f1(right, called, actual))
    made.append(Metric(metric_spec("macro-f1").title, float(figures[actual > 0].mean()), None, None))
    if len(labels) > _MOST_LABELS:
        return made
    for label, n, k, hits in zip(labels, *(own.tolist() for own in counts), strict=True):
        for name, of in (("precision", k), ("recall", n)):
            share = hits / max(of, 1)
            made.append(Metric(f"{name} of {label}", share, *wilson(share, of)))
    return made


def _confusion(evaluation: Evaluation | None) -> Confusion | None:
    if evaluation is None or len(evaluation.labels) > _MOST_LABELS:
        return None
    return Confusion([str(label) for label in evaluation.labels], evaluation.confusion.tolist())
