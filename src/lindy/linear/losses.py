"""The losses, and what each of them offers to an optimiser.

With scores ``o = xᵀW + b`` and the true class y (one-vs-rest: s = +1 for y, −1 for the others):

================== ============================================== =========================
``log``            log Σ_k exp(o_k) − o_y                         maximum entropy
``log_ovr``        Σ_k log(1 + exp(−s_k·o_k))                     one logistic model per class
``hinge``          Σ_k max(0, 1 − s_k·o_k)                        L1-loss SVM
``squared_hinge``  Σ_k max(0, 1 − s_k·o_k)²                       L2-loss SVM
``multiclass_hinge``  max_k (ρ(k, y) + o_k) − o_y                 Crammer and Singer
``perceptron``     Σ_k max(0, −s_k·o_k), multiclass: max_k o_k − o_y
================== ============================================== =========================

With two classes there is one score, and every loss is its binary form in s = ±1 (``log`` and ``log_ovr``
coincide, ``multiclass_hinge`` becomes max(0, ρ − s·o)).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss by name; ``offers`` lists what an optimiser may ask of it.

    ``subgradient`` (always), ``gradient`` (it is differentiable), ``curvature`` (its gradient is Lipschitz, so
    a generalised Hessian exists), ``dual`` (its convex conjugate is known in closed form), ``cost`` (it uses ρ),
    ``probabilities`` (its scores are log odds).
    """

    name: str
    joint: bool
    offers: frozenset[str]


def _loss(name: str, offers: str, *, joint: bool = False) -> Loss:
    return Loss(name, joint, frozenset(("subgradient", *offers.split())))


LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        _loss("log", "gradient curvature dual probabilities", joint=True),
        _loss("log_ovr", "gradient curvature dual probabilities"),
        _loss("hinge", "dual"),
        _loss("squared_hinge", "gradient curvature dual"),
        _loss("multiclass_hinge", "dual cost", joint=True),
        _loss("perceptron", "", joint=True),
    )
}


def get_loss(name: str) -> Loss:
    """Return the loss of that name; a ValueError lists the names there are."""
    try:
        return LOSSES[name]
    except (KeyError, TypeError):
        raise ValueError(f"loss must be one of {sorted(LOSSES)}; got {name!r}") from None


def margins(scores: NDArray[np.float64], y: NDArray[np.int32]) -> NDArray[np.float64]:
    """Return s·o, rows × outputs: positive where the one-vs-rest decision is right."""
    sign = -np.ones_like(scores)
    if scores.shape[1] == 1:
        sign[y == 1] = 1
    else:
        sign[np.arange(len(y)), y] = 1
    return sign * scores


def loss_values(
    loss: str, scores: NDArray[np.float64], y: NDArray[np.int32], cost: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """Return each row's loss, by its definition above, from rows × outputs scores."""
    get_loss(loss)
    rows = np.arange(len(y))
    if scores.shape[1] > 1 and loss in ("log", "multiclass_hinge", "perceptron"):
        own = scores[rows, y]
        if loss == "log":
            top = scores.max(axis=1)
            logs: NDArray[np.float64] = top + np.log(np.exp(scores - top[:, None]).sum(axis=1)) - own
            return logs
        if loss == "perceptron":
            mistakes: NDArray[np.float64] = scores.max(axis=1) - own
            return mistakes
        rho = 1.0 - np.eye(scores.shape[1]) if cost is None else cost
        worst: NDArray[np.float64] = (scores + rho[:, y].T).max(axis=1) - own
        return worst
    m = margins(scores, y)
    if loss in ("log", "log_ovr"):
        values = np.logaddexp(0, -m)
    elif loss == "perceptron":
        values = np.maximum(0, -m)
    else:
        target = np.ones(2)
        if loss == "multiclass_hinge" and cost is not None:
            target = np.array([cost[1, 0], cost[0, 1]])
        values = np.maximum(0, (target[y] if scores.shape[1] == 1 else np.ones(len(y)))[:, None] - m)
        if loss == "squared_hinge":
            values = values**2
    total: NDArray[np.float64] = values.sum(axis=1)
    return total
