"""The fit of a ``TextClassifier`` to any number of labels per text: features, one-vs-rest weights, thresholds.

Held-out scores of all examples, from three folds, give every label its probabilities (``label_calibration``) and the
threshold that is best for the metric (``label_thresholds``); nothing else is fitted for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.core.targets import ManyLabels
from lindy.errors import DataError, did_you_mean
from lindy.evaluation.criterion import Metric
from lindy.evaluation.crossfit import ROUGH, fit_arguments, out_of_fold
from lindy.evaluation.decisions import SeveralLabels
from lindy.evaluation.label_calibration import LabelSigmoids
from lindy.evaluation.label_thresholds import CutCounts, macro_thresholds, micro_thresholds
from lindy.linear.one_vs_rest import OneVsRest
from lindy.progress import step
from lindy.text.vectorizer import weight_option
from lindy.tuning.calibration_step import Judged
from lindy.tuning.held_out import check_memory
from lindy.tuning.pipeline_fit import Fitted
from lindy.tuning.pipeline_spec import PipelineSpec, TrainingData, check_dense

FOLDS = 3

MANY = 1000
"""Texts from which on "auto" leaves out words of a single text: a quarter of the weights say as much."""


def label_metric(metric: str, targets: ManyLabels) -> Metric:
    """Return the metric that thresholds are found for; "accuracy", the usual one of single labels, is micro-F1."""
    found = Metric.of("micro-f1" if metric == "accuracy" else metric).check(several=True)
    if found.label is not None and found.label not in {str(name) for name in targets.names.tolist()}:
        raise DataError(
            f"the metric {metric}: no label is called {found.label!r}",
            did_you_mean(found.label, map(str, targets.names.tolist())) or "check the spelling",
        )
    return found


def _refuse(plan: PipelineSpec, targets: ManyLabels) -> None:
    """Refuse options that are about one label per text, and texts without any."""
    if not len(targets.names):
        raise DataError("no text has a label: there is nothing to learn", "check the label column")
    for name in ("class_weight", "keep_rows", "early_stop"):
        if getattr(plan, name):
            raise DataError(
                f"{name} is for one label per text, and these have several", f"leave out `{name}=`"
            )


def fit_label_parts(plan: PipelineSpec, data: TrainingData, calibration: str, metric: str) -> Fitted:
    """Learn every label from all examples, and its threshold from held-out ones."""
    targets = data.labels
    assert isinstance(targets, ManyLabels)
    _refuse(plan, targets)
    wanted = label_metric(metric, targets)
    if plan.learner == "auto":
        plan = PipelineSpec(**vars(plan) | _usual(plan, len(targets)))
    vectorizer, single, _ = plan.parts(data)
    if vectorizer.uses_labels:
        raise DataError(
            "the weighting looks at the classes of texts, of which each has one here",
            "choose another `weighting=`, such as tfidf",
        )
    learner = OneVsRest(learner=single, n_jobs=plan.n_jobs)
    with step(0.0, 0.2, "words of all texts"):
        rows = vectorizer.fit_csr(data.inputs.values, order="seen", **weight_option(data.row_weight))
    check_dense(single, *rows.shape)
    check_memory(single, rows.shape, targets.n_outputs, plan.asked)
    given = fit_arguments(learner, targets, data.weight, data.division)
    with step(0.2, 0.5, f"{learner.class_name} on all texts"):
        learner.fit(rows, targets, **given)
    with step(0.5, 1.0):
        judged = _judged(learner, rows, data, calibration, wanted)
    return Fitted(vectorizer, learner, None, judged)


def _usual(plan: PipelineSpec, n_texts: int) -> dict[str, Any]:
    """Return the options that "auto" stands for: SVM over words 1-2, of many texts those that occur in two."""
    ngrams = plan.ngrams or (None if plan.chars else (1, 2))
    min_df = 2 if plan.min_df == 1 and n_texts >= MANY else plan.min_df
    return {"learner": "svm", "ngrams": ngrams, "min_df": min_df, "fast": False, "thorough": False}


def _judged(learner: OneVsRest, rows: Any, data: TrainingData, calibration: str, metric: Metric) -> Judged:
    targets = data.labels
    assert isinstance(targets, ManyLabels)
    if not data.division.splits(targets, FOLDS):
        return Judged(
            rule=SeveralLabels(0.0), why=["too few examples to hold any out: a label from the score 0 on"]
        )
    held_out = out_of_fold(
        _rough(learner), rows, targets, sample_weight=data.weight, k=FOLDS, division=data.division
    )
    counts = CutCounts.of(held_out.scores, targets.take(held_out.rows))
    cuts = _thresholds(counts, targets, metric)
    calibrator = None if calibration == "none" else LabelSigmoids.of(counts)
    plain, reached = counts.micro_f1(np.zeros(len(cuts))), counts.micro_f1(cuts)
    why = (
        f"rule: each label from a threshold of its own on, for {metric} (micro F1: {reached:.3f}, with the threshold 0"
        f" {plain:.3f}, on {len(held_out.rows):,} held-out texts)"
    )
    rule = SeveralLabels(cuts if calibrator is None else calibrator.threshold(cuts))
    return Judged(calibrator, rule, [why])


def _thresholds(counts: CutCounts, targets: ManyLabels, metric: Metric) -> Any:
    if metric.kind == "macro-f1":
        return macro_thresholds(counts)
    cuts = micro_thresholds(counts)
    if metric.label is not None:
        own = np.array([str(name) == metric.label for name in targets.names])
        cuts = np.where(own, macro_thresholds(counts), cuts)
    return cuts


def _rough(learner: OneVsRest) -> OneVsRest:
    """Return an unfitted copy whose scores are good enough to find thresholds by."""
    single = type(learner.learner)(**learner.learner.get_params(deep=False))
    if "tol" in single._parameter_names() and isinstance(single.tol, float):
        single.set_params(tol=max(single.tol, ROUGH))
    return OneVsRest(learner=single, n_jobs=learner.n_jobs)
