"""How good a classifier is, how sure it may be, and what the data hides.

metrics, ranking     figures from labels and from probabilities, with intervals
calibration          from scores to probabilities that come true; ``reliability`` measures whether they do
decisions            from scores or probabilities to labels: costs, thresholds, rejection
crossfit             scores of examples by learners that have not seen them
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.evaluation.calibration import Calibrator, fit_calibrator
    from lindy.evaluation.crossfit import out_of_fold
    from lindy.evaluation.decisions import Answers, Decision, cost_matrix, precision_thresholds
    from lindy.evaluation.intervals import bootstrap, wilson
    from lindy.evaluation.metrics import ClassMetrics, Evaluation, evaluate
    from lindy.evaluation.ranking import ProbabilityMetrics, class_numbers
    from lindy.evaluation.reliability import Reliability, calibration_error, reliability_curve

__all__ = [
    "Answers",
    "Calibrator",
    "ClassMetrics",
    "Decision",
    "Evaluation",
    "ProbabilityMetrics",
    "Reliability",
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
        "Answers": "lindy.evaluation.decisions",
        "Calibrator": "lindy.evaluation.calibration",
        "ClassMetrics": "lindy.evaluation.metrics",
        "Decision": "lindy.evaluation.decisions",
        "Evaluation": "lindy.evaluation.metrics",
        "ProbabilityMetrics": "lindy.evaluation.ranking",
        "Reliability": "lindy.evaluation.reliability",
        "bootstrap": "lindy.evaluation.intervals",
        "calibration_error": "lindy.evaluation.reliability",
        "class_numbers": "lindy.evaluation.ranking",
        "cost_matrix": "lindy.evaluation.decisions",
        "evaluate": "lindy.evaluation.metrics",
        "fit_calibrator": "lindy.evaluation.calibration",
        "out_of_fold": "lindy.evaluation.crossfit",
        "precision_thresholds": "lindy.evaluation.decisions",
        "reliability_curve": "lindy.evaluation.reliability",
        "wilson": "lindy.evaluation.intervals",
    },
)
