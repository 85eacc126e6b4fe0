"""Calibration of a fitted model on labelled texts that it has not learned from: its probabilities, and its rule.

Scores stay what they are; a new calibrator, and thresholds where the metric asks for some, take the place of the old
ones. Texts that lack some of the model's labels say nothing about these: then only the temperature is found, one number
that never changes a label. What calibration gains is judged in folds: each text by a calibrator and a rule that were
found without it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import ManyLabels, OneLabel, Targets
from lindy.data.splits.split_policy import FREE
from lindy.errors import DataError
from lindy.evaluation.calibration.calibrators import METHODS
from lindy.evaluation.crossfit import OutOfFold
from lindy.evaluation.decisions import predictions_from
from lindy.evaluation.label_criterion import criterion_for
from lindy.evaluation.metrics.class_metrics import Evaluation
from lindy.evaluation.metrics.label_metrics import LabelEvaluation
from lindy.evaluation.metrics.model_evaluation import evaluate_predictions
from lindy.evaluation.predictions import Predictions
from lindy.tuning.calibration_step import CalibrationStep, Judged
from lindy.tuning.pipeline_fit import weights_of
from lindy.tuning.pipeline_spec import TrainingData
from lindy.updating.updates import rows_for

FOLDS = 5
CHOICES = ("auto", *METHODS)


@dataclass(frozen=True, slots=True)
class Recalibration:
    """The record of a calibration.

    Attributes
    ----------
    method : how scores become probabilities now
    n : texts that were learned from
    unknown : how many texts have each label that the model does not know, by that label
    absent : labels of the model that no text has
    before, after : figures of the old model, and of calibrators and rules found on other folds, on the same texts
    said : lines about the rule, and about what should be known
    """

    method: str
    n: int
    unknown: dict[str, int]
    absent: list[str]
    before: dict[str, float]
    after: dict[str, float]
    said: list[str]


def recalibrate(
    model: Any, X: Any, y: Any, sample_weight: Any = None, *, method: str = "auto", metric: str | None = None
) -> Recalibration:
    """Calibrate a fitted ``TextClassifier`` on texts it has not learned from; it changes only if all goes well.

    Parameters
    ----------
    X, y, sample_weight : as for ``TextClassifier.fit``
    method : "auto" or one of ``lindy.evaluation.calibration.calibrators.METHODS``
    metric : what thresholds shall make largest; None for the metric of the model
    """
    if method not in CHOICES:
        raise ValueError(f"method must be one of {list(CHOICES)}; got {method!r}")
    rows = rows_for(model, X, y, sample_weight)
    labels, known, unknown = _known_labels(rows.labels, model.classes_)
    if (labels.counts > 0).sum() < 2:
        raise DataError(
            "calibration needs texts of at least two of the model's labels, and the table has"
            f" {'those of one' if len(known) else 'none'}",
            f"the model knows {', '.join(map(str, model.classes_.tolist()[:20]))}",
        )
    inputs, weight = model.as_input(rows.texts), rows.weight
    if len(known) < len(rows):
        inputs, weight = inputs.take(known), None if weight is None else weight[known]
    full, per_class = weights_of(None if model.several_labels else model.class_weight, weight, labels)
    criterion = criterion_for(metric or model.metric, labels, weight, per_class)
    data = TrainingData(inputs, labels, full, FREE, criterion, weight)
    step = CalibrationStep(_method(method, labels), model.learner_, data, None)
    scores = own_scores(model, inputs)
    judged = _judged(step, scores, np.arange(len(labels)))
    before, after = _figures(model, step, scores)
    model.calibrator_, model.rule_, model.outcomes_ = judged.calibrator, judged.rule, judged.outcomes
    model.true_probabilities_ = judged.true_probabilities
    model.concerns_, model.metric = judged.concerns, model.metric if metric is None else str(criterion.metric)
    own = "temperature" if judged.calibrator is None else judged.calibrator.method
    how = f"probabilities: {own} calibration on {len(labels):,} texts beside those of the training"
    kept = [line for line in model.why_ if not line.startswith(("rule:", "probabilities:"))]
    model.why_ = [*kept, how, *judged.why]
    absent = [str(name) for name in labels.names[labels.counts == 0].tolist()]
    return Recalibration(own, len(labels), unknown, absent, before, after, [*judged.why, *judged.concerns])


def own_scores(model: Any, X: Any) -> NDArray[np.float64]:
    """Return the scores of the learner as calibrators take them: of two labels with a score each, the difference."""
    scores = np.asarray(model.decision_function(X), np.float64)
    two = scores.ndim == 2 and scores.shape[1] == 2 and not model.several_labels
    return scores[:, 1] - scores[:, 0] if two else scores


def _known_labels(
    labels: Targets, classes: NDArray[Any]
) -> tuple[Targets, NDArray[np.int64], dict[str, int]]:
    """Return targets among the labels of a model, the rows that they are of, and how many have each other label.

    Rows with another label are left out; where rows have several, the other ones are.
    """
    place = {str(label): k for k, label in enumerate(classes.tolist())}
    names = [str(name) for name in labels.names.tolist()]
    numbers = np.array([place.get(name, -1) for name in names], np.int32)
    counts = zip(names, numbers.tolist(), labels.counts.tolist(), strict=True)
    unknown = {name: n for name, k, n in counts if k < 0 and n}
    codes, rows = numbers[labels.codes], np.arange(len(labels))
    if isinstance(labels, ManyLabels):
        own = codes >= 0
        return ManyLabels.of_pairs(classes, labels.pairs[0][own], codes[own], len(labels)), rows, unknown
    return OneLabel(classes, codes[codes >= 0]), rows[codes >= 0], unknown


def _method(method: str, labels: Targets) -> str:
    """Return the method that labels allow."""
    if isinstance(labels, ManyLabels) or labels.counts.all() or method == "temperature":
        return method
    if method == "auto":
        return "temperature"
    raise DataError(
        f"no text has the label {labels.names[labels.counts == 0].tolist()[0]!r}, and {method} calibration has numbers"
        " of its own for each label",
        "take temperature, which has one number for all, or texts of every label",
    )


def _judged(step: CalibrationStep, scores: NDArray[np.float64], rows: NDArray[np.int64]) -> Judged:
    """Return the calibrator and the rule that some of the texts ask for."""
    data = step.material
    weight, row_weight = (None if own is None else own[rows] for own in (data.weight, data.row_weight))
    part = replace(
        data,
        inputs=data.inputs.take(rows),
        labels=data.labels.take(rows),
        weight=weight,
        row_weight=row_weight,
    )
    return replace(step, material=part).of_scores(OutOfFold(np.arange(len(rows)), scores[rows]))


def _figures(
    model: Any, step: CalibrationStep, scores: NDArray[np.float64]
) -> tuple[dict[str, float], dict[str, float]]:
    """Return figures of the model as it is, and as the folds calibrate it, of all texts that can be held out."""
    data = step.material
    splits = data.division.splits(data.labels, FOLDS)
    if not splits:
        return {}, {}
    parts = [(_judged(step, scores, others), scores[mine]) for others, mine in splits]
    made = Predictions.joined([predictions_from(own, found.calibrator, found.rule) for found, own in parts])
    rows = np.concatenate([mine for _, mine in splits])
    truth, before = data.labels.take(rows), model.predictions(data.inputs.take(rows))
    old, new = (evaluate_predictions(own, truth, model.classes_) for own in (before, made))
    return _named(old), _named(new)


def _named(found: Evaluation | LabelEvaluation) -> dict[str, float]:
    """Return the figures that calibration is about."""
    if isinstance(found, LabelEvaluation):
        return {name: found.figures[name] for name in ("micro_f1", "macro_f1", "example_f1")}
    figures = {"accuracy": found.accuracy, "macro_f1": found.macro_f1}
    if (own := found.probabilities) is not None:
        figures |= {"log_loss": own.log_loss, "calibration_error": own.reliability.error}
    return figures
