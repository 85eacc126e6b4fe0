"""From scores to probabilities that come true: ``calibrators`` of one label, ``label_calibration`` of several."""

from lindy.lazy import former_module

__getattr__ = former_module(__name__, "lindy.evaluation.calibration.calibrators")
