"""How good a classifier is."""

from __future__ import annotations

from lindy.evaluation.metrics import ClassMetrics, Evaluation, evaluate

__all__ = ["ClassMetrics", "Evaluation", "evaluate"]
