"""Linear classifiers: ŷ = argmax_y (xᵀW + b)_y.

Conventions, stated once
------------------------
- ``W`` is (features × classes), feature-major; ``b`` is (classes,). A binary problem stores one column, whose
  score is that of ``classes_[1]``; a score of exactly 0 counts for it.
- Every learner minimises  ``mean_i weight_i·loss(W; x_i, y_i) + ½·l2·‖W‖² + l1·‖W‖₁``. The mean is over the
  number of rows (with weights: over their sum); the bias is not penalised unless asked.
- ``C`` of the SVM literature and ``lam``, the λ of the lectures, are converted at the edge:  l2 = 1/(C·n),  l2 = lam.
  The lectures penalise one weight vector per class. Where two of them compete (log, multiclass hinge, MIRA), our one
  column is w = w₁ − w₀ with w₁ = −w₀, and  l2 = lam/2  is their λ (``Loss.l2_of`` is the one place that says so).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.linear.linear_model import LinearClassifier
    from lindy.linear.maxent import MaxEnt
    from lindy.linear.mira import Mira
    from lindy.linear.naive_bayes_svm import NaiveBayesSVM
    from lindy.linear.optimizers import minimise
    from lindy.linear.penalty_path import (
        PathPoint,
        RegularizationPath,
        problem_path,
        regularization_path,
    )
    from lindy.linear.perceptron import Perceptron
    from lindy.linear.problem import Certificate, History, Options, Problem, Solution
    from lindy.linear.svm import SVM
    from lindy.linear.weight_selection import best, chi_square, information_gain, refit, weight_scores

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
    "RegularizationPath",
    "Solution",
    "best",
    "chi_square",
    "information_gain",
    "minimise",
    "problem_path",
    "refit",
    "regularization_path",
    "weight_scores",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "maxent": "MaxEnt",
        "mira": "Mira",
        "linear_model": "LinearClassifier",
        "naive_bayes_svm": "NaiveBayesSVM",
        "optimizers": "minimise",
        "penalty_path": "PathPoint RegularizationPath problem_path regularization_path",
        "perceptron": "Perceptron",
        "problem": "Certificate History Options Problem Solution",
        "weight_selection": "best chi_square information_gain refit weight_scores",
        "svm": "SVM",
    },
)
