"""Proximal gradient (ISTA): gradient descent for objectives with an L1 penalty.

minimise  P(W, b) + l1·‖W‖₁,    P smooth

W ← prox(W − η·∇_W P),   b ← b − η·∇_b P,      prox(v) = argmin_u ½·(u − v)² + η·l1·|u| = soft(v, η·l1)
"""

from __future__ import annotations

import numpy as np

from lindy.textbook.objectives import Array, Data, gradient


def soft(v: Array, amount: float) -> Array:
    """Move every entry towards zero by ``amount``, and not beyond."""
    return np.asarray(np.sign(v) * np.maximum(np.abs(v) - amount, 0.0))


def proximal_gradient(
    data: Data, loss: str, n_outputs: int, penalties: tuple[float, float], rounds: int
) -> tuple[Array, Array]:
    """Minimise with ``penalties`` = (l1, l2) and an unpenalised bias; returns W and b.

    The step is 1/L for a bound L on the curvature: the loss's largest second derivative times Σ a·(‖x‖² + 1), plus l2.
    Nesterov's momentum (FISTA, Beck and Teboulle 2009) makes the rounds go further.
    """
    l1, l2 = penalties
    curvature = {"softmax": 0.5, "logistic": 0.25, "squared_hinge": 2.0}[loss]
    eta = 1.0 / (curvature * float(data.a @ ((data.X**2).sum(axis=1) + 1.0)) + l2)
    W, b = np.zeros((data.X.shape[1], n_outputs)), np.zeros(n_outputs)
    V, c, t = W, b, 1.0
    for _ in range(rounds):
        G, g = gradient(data, V, c, loss, l2)
        W_next, b_next = soft(V - eta * G, eta * l1), c - eta * g
        t_next = (1.0 + np.sqrt(1.0 + 4.0 * t * t)) / 2.0
        if ((V - W_next) * (W_next - W)).sum() + (c - b_next) @ (b_next - b) > 0:
            t_next = 1.0  # the momentum points uphill: begin again
        push = (t - 1.0) / t_next
        V, c = W_next + push * (W_next - W), b_next + push * (b_next - b)
        W, b, t = W_next, b_next, t_next
    return W, b
