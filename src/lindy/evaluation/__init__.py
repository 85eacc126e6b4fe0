"""How good a classifier is, how sure it may be, and what the data hides.

metrics, ranking     figures from labels and from probabilities, with intervals
calibration          from scores to probabilities that come true; ``reliability`` measures whether they do
crossfit             scores of examples by learners that have not seen them
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.evaluation.calibration import Calibrator, fit_calibrator
    from lindy.evaluation.crossfit import out_of_fold
    from lindy.evaluation.intervals import bootstrap, wilson
    from lindy.evaluation.metrics import ClassMetrics, Evaluation, evaluate
    from lindy.evaluation.ranking import ProbabilityMetrics
    from lindy.evaluation.reliability import Reliability, calibration_error, reliability_curve

__all__ = [
    "Calibrator",
    "ClassMetrics",
    "Evaluation",
    "ProbabilityMetrics",
    "Reliability",
    "bootstrap",
    "calibration_error",
    "evaluate",
    "fit_calibrator",
    "out_of_fold",
    "reliability_curve",
    "wilson",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Calibrator": "lindy.evaluation.calibration",
        "ClassMetrics": "lindy.evaluation.metrics",
        "Evaluation": "lindy.evaluation.metrics",
        "ProbabilityMetrics": "lindy.evaluation.ranking",
        "Reliability": "lindy.evaluation.reliability",
        "bootstrap": "lindy.evaluation.intervals",
        "calibration_error": "lindy.evaluation.reliability",
        "evaluate": "lindy.evaluation.metrics",
        "fit_calibrator": "lindy.evaluation.calibration",
        "out_of_fold": "lindy.evaluation.crossfit",
        "reliability_curve": "lindy.evaluation.reliability",
        "wilson": "lindy.evaluation.intervals",
    },
)
