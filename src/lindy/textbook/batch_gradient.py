"""Batch gradient descent for maximum entropy, with Armijo's rule (LxMLS Algorithm 4)."""

from __future__ import annotations

import numpy as np

from lindy.textbook.objectives import Array, Data, Labels, gradient, objective

SUFFICIENT = 1e-4  # of Armijo's rule


def batch_gradient_descent(
    X: Array, y: Labels, n_classes: int, lam: float, rounds: int
) -> tuple[Array, list[float]]:
    """Minimise the mean log loss + ½·λ·‖W‖² without a bias; returns W and the objective of every round.

    w ← w − η·∇F(w) = (1 − λη)·w + η·M⁻¹·Σ_m (f(x_m, y_m) − E_w[f(x_m, Y)])
    """
    data = Data(X, y, np.full(len(y), 1.0 / len(y)))
    W, b, eta = np.zeros((X.shape[1], n_classes)), np.zeros(n_classes), 1.0
    values = [objective(data, W, b, "softmax", lam)]
    for _ in range(rounds):
        g, _ = gradient(data, W, b, "softmax", lam)
        square = float((g**2).sum())
        while objective(data, W - eta * g, b, "softmax", lam) > values[-1] - SUFFICIENT * eta * square:
            if eta * square <= 1e-16 * values[-1]:
                return W, values
            eta /= 2
        W = W - eta * g
        values.append(objective(data, W, b, "softmax", lam))
        eta *= 2
    return W, values
