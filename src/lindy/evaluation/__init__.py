"""How good a classifier is, how sure it may be, and what the data hides.

metrics/        figures of predictions, from labels and from probabilities, of one label or several, with intervals
calibration/    from scores to probabilities that come true
audit/          label errors, duplicates and other faults of a table
decisions       from scores or probabilities to labels: costs, thresholds, rejection, a model's own rule
predictions     what a model answered, as a table, and the columns that are written of it
criterion       what is optimised: metrics by name, and the rule that makes one largest
crossfit        scores of examples by learners that have not seen them
"""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.evaluation.calibration.calibrators import Calibrator as Calibrator
    from lindy.evaluation.calibration.calibrators import fit_calibrator as fit_calibrator
    from lindy.evaluation.criterion import Criterion as Criterion
    from lindy.evaluation.crossfit import out_of_fold as out_of_fold
    from lindy.evaluation.decisions import Decision as Decision
    from lindy.evaluation.decisions import ScoreRule as ScoreRule
    from lindy.evaluation.decisions import SeveralLabels as SeveralLabels
    from lindy.evaluation.decisions import cost_matrix as cost_matrix
    from lindy.evaluation.decisions import precision_thresholds as precision_thresholds
    from lindy.evaluation.metrics.class_metrics import ClassMetrics as ClassMetrics
    from lindy.evaluation.metrics.class_metrics import Evaluation as Evaluation
    from lindy.evaluation.metrics.class_metrics import evaluate as evaluate
    from lindy.evaluation.metrics.intervals import bootstrap as bootstrap
    from lindy.evaluation.metrics.intervals import wilson as wilson
    from lindy.evaluation.metrics.label_metrics import LabelEvaluation as LabelEvaluation
    from lindy.evaluation.metrics.label_metrics import LabelMetrics as LabelMetrics
    from lindy.evaluation.metrics.label_metrics import StreamingLabelMetrics as StreamingLabelMetrics
    from lindy.evaluation.metrics.label_metrics import evaluate_labels as evaluate_labels
    from lindy.evaluation.metrics.model_evaluation import evaluate_predictions as evaluate_predictions
    from lindy.evaluation.metrics.ranking import ProbabilityMetrics as ProbabilityMetrics
    from lindy.evaluation.metrics.ranking import class_numbers as class_numbers
    from lindy.evaluation.metrics.reliability import Reliability as Reliability
    from lindy.evaluation.metrics.reliability import calibration_error as calibration_error
    from lindy.evaluation.metrics.reliability import reliability_curve as reliability_curve
    from lindy.evaluation.metrics.streaming_metrics import StreamingMetrics as StreamingMetrics
    from lindy.evaluation.predictions import Answers as Answers
    from lindy.evaluation.predictions import LabelLists as LabelLists
    from lindy.evaluation.predictions import PredictionColumns as PredictionColumns
    from lindy.evaluation.predictions import Predictions as Predictions
