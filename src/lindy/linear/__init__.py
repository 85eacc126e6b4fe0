"""Linear classifiers: ŷ = argmax_y (xᵀW + b)_y.

Conventions, stated once
------------------------
- ``W`` is (features × classes), feature-major; ``b`` is (classes,). A binary problem stores one column, whose
  score is that of ``classes_[1]``; a score of exactly 0 counts for it.
- Every learner minimises  ``mean_i weight_i·loss(W; x_i, y_i) + ½·l2·‖W‖² + l1·‖W‖₁``. The mean is over the
  number of rows (with weights: over their sum); the bias is not penalised unless asked.
- ``C`` of the SVM literature and ``lam`` of the lectures are converted at the edge:  l2 = 1/(C·n),  l2 = lam.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.linear.maxent import MaxEnt
    from lindy.linear.mira import Mira
    from lindy.linear.model import LinearClassifier
    from lindy.linear.naive_bayes_svm import NaiveBayesSVM
    from lindy.linear.optimizers import minimise
    from lindy.linear.path import PathPoint, regularization_path
    from lindy.linear.perceptron import Perceptron
    from lindy.linear.problem import Certificate, History, Options, Problem, Solution
    from lindy.linear.selection import best, chi_square, information_gain, refit, weight_scores
    from lindy.linear.svm import SVM

__all__ = [
    "SVM",
    "Certificate",
    "History",
    "LinearClassifier",
    "MaxEnt",
    "Mira",
    "NaiveBayesSVM",
    "Options",
    "PathPoint",
    "Perceptron",
    "Problem",
    "Solution",
    "best",
    "chi_square",
    "information_gain",
    "minimise",
    "refit",
    "regularization_path",
    "weight_scores",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "Certificate": "lindy.linear.problem",
        "History": "lindy.linear.problem",
        "LinearClassifier": "lindy.linear.model",
        "MaxEnt": "lindy.linear.maxent",
        "Mira": "lindy.linear.mira",
        "Perceptron": "lindy.linear.perceptron",
        "NaiveBayesSVM": "lindy.linear.naive_bayes_svm",
        "Options": "lindy.linear.problem",
        "PathPoint": "lindy.linear.path",
        "Problem": "lindy.linear.problem",
        "SVM": "lindy.linear.svm",
        "Solution": "lindy.linear.problem",
        "best": "lindy.linear.selection",
        "chi_square": "lindy.linear.selection",
        "information_gain": "lindy.linear.selection",
        "minimise": "lindy.linear.optimizers",
        "refit": "lindy.linear.selection",
        "regularization_path": "lindy.linear.path",
        "weight_scores": "lindy.linear.selection",
    },
)
