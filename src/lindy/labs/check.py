"""Checks of a student's own code: a function runs on small cases beside the textbook's; the first difference is told.

    from lindy.labs import check
    check.perceptron(my_update)

A check prints whether all cases agree, or else the first that does not: what went in, what came out, what was expected,
and what usually causes such a difference. Asked again about a function that still fails, it adds a hint, then a
further one. ``check.results()`` has what was found, for ``lindy lab --grade``.

=========================================  ====================================================================
``naive_bayes(train)``                     ``train(X, y) -> (P_y, P_wy)``: add-one smoothing; words × classes
``gaussian_naive_bayes(train)``            ``train(X, y) -> (P_y, mu, var)``: features × classes, a variance per class
``perceptron(update)``                     ``update(W, x, y) -> W``: one example; W is features × classes
``averaged_perceptron(train)``             ``train(X, y, K, epochs) -> W``: the average after every example
``mira(update)``                           ``update(W, x, y, C) -> W``: the predicted label's constraint, cost 1
``maxent(gradient)``                       ``gradient(W, X, y, lam) -> G``: of mean −log P(y|x) + λ/2·‖W‖²
``maxent_step(update)``                    ``update(W, x, y, eta, lam) -> W``: stochastic gradient (LxMLS, Alg. 5)
``svm_step(update)``                       ``update(W, x, y, eta, lam) -> W``: cost-augmented hinge (LxMLS, Alg. 6)
``pegasos(update)``                        ``update(w, x, y, lam, t) -> w``: y is ±1, t counts from 1
``polynomial_kernel(kernel)``              ``kernel(x, z, d)``: (x·z + 1)^d
``rbf_kernel(kernel)``                     ``kernel(x, z, gamma)``: γ = 1/(2σ²)
``kernel_perceptron(train)``               ``train(K, y, epochs) -> alpha``: y is ±1, 0 counts for +1
=========================================  ====================================================================

Rows of X and x end in a 1, for the bias, but for naive Bayes and kernels. Classes are 0 … K − 1; of equal scores the
first class is predicted. A function may change an array in place instead of returning it.
"""

from __future__ import annotations

from lindy.labs.checks.counting import gaussian_naive_bayes, naive_bayes
from lindy.labs.checks.kernels import kernel_perceptron, polynomial_kernel, rbf_kernel
from lindy.labs.checks.outcome import Outcome, results
from lindy.labs.checks.steps import (
    averaged_perceptron,
    maxent,
    maxent_step,
    mira,
    pegasos,
    perceptron,
    svm_step,
)

__all__ = [
    "Outcome",
    "averaged_perceptron",
    "gaussian_naive_bayes",
    "kernel_perceptron",
    "maxent",
    "maxent_step",
    "mira",
    "naive_bayes",
    "pegasos",
    "perceptron",
    "polynomial_kernel",
    "rbf_kernel",
    "results",
    "svm_step",
]
