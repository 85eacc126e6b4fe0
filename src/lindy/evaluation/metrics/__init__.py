"""Figures of predictions whose truth is known: ``metric_registry`` has them by name.

class_metrics        from labels: precision, recall, F1 and others of every class, and their means
label_metrics        of several labels per text: micro-, macro- and example-F1, precision at k, ranking
ranking              from probabilities: log loss, Brier score, top k, areas below curves (``roc_external``)
reliability          the reliability curve and the expected calibration error
streaming_metrics    of examples that come in chunks
intervals            how much chance there is in a figure; ``significance``: in the difference of two classifiers
"""

from lindy.lazy import former_module

__getattr__ = former_module(__name__, "lindy.evaluation.metrics.class_metrics")
