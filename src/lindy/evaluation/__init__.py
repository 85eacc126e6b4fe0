"""How good a classifier is, how sure it may be, and what the data hides.

metrics, ranking     figures from labels and from probabilities, with intervals
calibration          from scores to probabilities that come true; ``reliability`` measures whether they do
decisions            from scores or probabilities to labels: costs, thresholds, rejection, a model's own rule
predictions          what a model answered, as a table, and the columns that are written of it
criterion            what is optimised: metrics by name, and the rule that makes one largest
crossfit             scores of examples by learners that have not seen them
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.evaluation.calibration import Calibrator, fit_calibrator
    from lindy.evaluation.criterion import Criterion
    from lindy.evaluation.crossfit import out_of_fold
    from lindy.evaluation.decisions import (
        Decision,
        ScoreRule,
        SeveralLabels,
        cost_matrix,
        precision_thresholds,
    )
    from lindy.evaluation.intervals import bootstrap, wilson
    from lindy.evaluation.metrics import ClassMetrics, Evaluation, evaluate
    from lindy.evaluation.predictions import Answers, LabelLists, PredictionColumns, Predictions
    from lindy.evaluation.ranking import ProbabilityMetrics, class_numbers
    from lindy.evaluation.reliability import Reliability, calibration_error, reliability_curve

__all__ = [
    "Answers",
    "Calibrator",
    "ClassMetrics",
    "Criterion",
    "Decision",
    "Evaluation",
    "LabelLists",
    "PredictionColumns",
    "Predictions",
    "ProbabilityMetrics",
    "Reliability",
    "ScoreRule",
    "SeveralLabels",
    "bootstrap",
    "calibration_error",
    "class_numbers",
    "cost_matrix",
    "evaluate",
    "fit_calibrator",
    "out_of_fold",
    "precision_thresholds",
    "reliability_curve",
    "wilson",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "calibration": "Calibrator fit_calibrator",
        "criterion": "Criterion",
        "crossfit": "out_of_fold",
        "decisions": "Decision ScoreRule SeveralLabels cost_matrix precision_thresholds",
        "intervals": "bootstrap wilson",
        "metrics": "ClassMetrics Evaluation evaluate",
        "predictions": "Answers LabelLists PredictionColumns Predictions",
        "ranking": "ProbabilityMetrics class_numbers",
        "reliability": "Reliability calibration_error reliability_curve",
    },
)
