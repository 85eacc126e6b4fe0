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
