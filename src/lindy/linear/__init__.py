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

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.linear.label_tree import LabelTree as LabelTree
    from lindy.linear.linear_model import LinearClassifier as LinearClassifier
    from lindy.linear.maxent import MaxEnt as MaxEnt
    from lindy.linear.mira import Mira as Mira
    from lindy.linear.naive_bayes_svm import NaiveBayesSVM as NaiveBayesSVM
    from lindy.linear.one_vs_rest import OneVsRest as OneVsRest
    from lindy.linear.optimizers import minimise as minimise
    from lindy.linear.penalty_path import PathPoint as PathPoint
    from lindy.linear.penalty_path import RegularizationPath as RegularizationPath
    from lindy.linear.penalty_path import problem_path as problem_path
    from lindy.linear.penalty_path import regularization_path as regularization_path
    from lindy.linear.perceptron import Perceptron as Perceptron
    from lindy.linear.problem import Certificate as Certificate
    from lindy.linear.problem import History as History
    from lindy.linear.problem import Options as Options
    from lindy.linear.problem import Problem as Problem
    from lindy.linear.problem import Solution as Solution
    from lindy.linear.svm import SVM as SVM
    from lindy.linear.weight_selection import best as best
    from lindy.linear.weight_selection import chi_square as chi_square
    from lindy.linear.weight_selection import information_gain as information_gain
    from lindy.linear.weight_selection import refit as refit
    from lindy.linear.weight_selection import weight_scores as weight_scores
