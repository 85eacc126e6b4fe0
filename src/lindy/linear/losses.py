"""The losses, what each of them offers to an optimiser, and the costs ρ of confusions.

With scores ``o = xᵀW + b`` and the true class y (one-vs-rest: s = +1 for y, −1 for the others):

================== ============================================== =========================
``log``            log Σ_k exp(o_k) − o_y                         maximum entropy
``log_ovr``        Σ_k log(1 + exp(−s_k·o_k))                     one logistic model per class
``squared_hinge``  Σ_k max(0, 1 − s_k·o_k)²                       L2-loss SVM
``hinge``          Σ_k max(0, 1 − s_k·o_k)                        L1-loss SVM
``multiclass_hinge``  max_k (ρ(k, y) + o_k) − o_y                 Crammer and Singer
``perceptron``     Σ_k max(0, −s_k·o_k), multiclass: max_k o_k − o_y
================== ============================================== =========================

With two classes there is one score, and every loss is its binary form in s = ±1 (``log`` and ``log_ovr``
coincide, ``multiclass_hinge`` becomes max(0, ρ − s·o)). ``native/linear/losses.inl`` has slopes, curvatures,
conjugates and dual steps under the same names.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core import numerics
from lindy.estimators.parameters import as_numbers

Array = NDArray[np.float64]
Codes = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss: its values, and what an optimiser may know and ask of it.

    ``capabilities`` lists ``subgradient`` (always), ``gradient`` (it is differentiable), ``curvature`` (its gradient is
    Lipschitz, so a generalised Hessian exists), ``dual`` (its convex conjugate is known in closed form), ``cost``
    (it uses ρ), ``probabilities`` (its scores are log odds), ``pieces`` (it is a maximum of linear functions).

    ``of_margins`` is the loss of one output as a function of the margins and the target 1 (or ρ), ``of_scores`` that
    of several classes whose scores compete; None if each has a margin loss of its own. ``curvature`` is the largest
    second derivative in a margin (infinite at a kink) and ``jumps`` says that the second derivative jumps.
    ``bounded`` says that a dual variable, 0 ≤ α, has the upper bound C_i.
    """

    name: str
    capabilities: frozenset[str]
    of_margins: Callable[[Array, Array], Array]
    of_scores: Callable[[Array, Codes, Array | None], Array] | None = None
    curvature: float = np.inf
    jumps: bool = True
    bounded: bool = True

    @property
    def joint(self) -> bool:
        """Whether the scores of several classes compete."""
        return self.of_scores is not None

    @property
    def has_cost(self) -> bool:
        """Whether it uses ρ."""
        return "cost" in self.capabilities

    @property
    def has_log_odds(self) -> bool:
        """Whether scores are log odds, from which probabilities follow."""
        return "probabilities" in self.capabilities

    @property
    def smooth(self) -> bool:
        """Whether it has a derivative everywhere."""
        return "gradient" in self.capabilities

    def values(self, scores: Array, y: Codes, cost: Array | None = None) -> Array:
        """Return each row's loss from rows × outputs scores."""
        if self.of_scores is not None and scores.shape[1] > 1:
            return self.of_scores(scores, y, cost)
        target = np.ones((len(y), 1))
        if cost is not None and self.has_cost:
            target = np.array([cost[1, 0], cost[0, 1]])[y][:, None]
        total: Array = self.of_margins(margins(scores, y), target).sum(axis=1)
        return total

    def at_zero(self, n_classes: int) -> float:
        """Return the loss of W = 0; for one-vs-rest losses of one output."""
        K = 1 if n_classes == 2 or not self.joint else n_classes
        return float(self.values(np.zeros((1, K)), np.zeros(1, np.int32))[0])

    def l2_of(self, lam: float, n_classes: int) -> float:
        """Return the l2 on W that is the λ of the lectures, whose classes have one weight vector each.

        Two classes that compete are stored as one column w = w₁ − w₀. The penalty makes w₁ = −w₀ = w/2, so that
        λ/2·(‖w₁‖² + ‖w₀‖²) = λ/4·‖w‖². A loss of margins has one vector for two classes in the lectures, too. (An
        L1 penalty needs no such thing: |w₁| + |w₀| = |w|.)
        """
        return lam / 2 if self.joint and n_classes == 2 else lam

    def cap_of(self, C: float, n_classes: int) -> float:
        """Return the cap on a step of W that is the C of the lectures, whose classes have one weight vector each.

        There w₁ and w₀ move by τ ≤ C each; stored as one column, w = w₁ − w₀ moves by 2τ. It is 1/``l2_of``, λ being
        1/C.
        """
        return C / self.l2_of(1.0, n_classes)

    def best_bias(self, shares: Array, n_outputs: int | None = None) -> Array:
        """Return the bias that the classes' shares alone call for: log odds, or the mean of ±1."""
        shares = np.clip(shares, 1e-6, 1 - 1e-6)
        if len(shares) == 2 and n_outputs != 2:
            shares = shares[1:]
        if not self.has_log_odds:
            return 2 * shares - 1
        logs = numerics.log(shares)
        return logs - logs.mean() if self.joint and len(shares) > 1 else logs - numerics.log(1 - shares)

    def on_simplex(self, n_outputs: int) -> bool:
        """Whether a row's dual variables sum to C_i (z ≥ 0), rather than have bounds of their own."""
        return self.joint and n_outputs > 1

    def dual_start(self, y: Codes, c: Array, n_outputs: int) -> Array:
        """Return the dual variables (rows × outputs) of W = 0."""
        start = np.zeros((len(c), n_outputs))
        if self.on_simplex(n_outputs):
            start[np.arange(len(y)), y] = c
        return start

    def dual_resume(self, dual: Array, before: Array, c: Array) -> Array:
        """Return dual variables of the prices C_i = ``before`` for the prices ``c``; 0 for rows without a price."""
        if self.on_simplex(dual.shape[1]):
            return dual * (c / np.maximum(before, np.finfo(float).tiny))[:, None]
        return np.minimum(dual, c[:, None]) if self.bounded else np.where(c[:, None] > 0, dual, 0)

    def coefficients(self, dual: Array, y: Codes, c: Array) -> Array:
        """Return the factors of the rows in the weights, W = Xᵀ · coefficients."""
        signed: Array = -dual.astype(np.float64)
        if dual.shape[1] == 1:
            signed[y == 1] *= -1
        elif self.joint:
            signed[np.arange(len(y)), y] += c
        else:
            signed[np.arange(len(y)), y] *= -1
        return signed

    @property
    def per_output(self) -> str:
        """The name of the loss that gives every output a margin of its own; empty where there is none."""
        return self.name if not self.joint else "log_ovr" if self.has_log_odds else ""

    def targets(self, n_classes: int, cost: Array | None, n_outputs: int | None = None) -> Array:
        """Return the margins asked for, true classes × outputs: 1 and 0, or the costs ρ[predicted, true]."""
        rho = 1.0 - np.eye(n_classes)
        if self.has_cost and cost is not None:
            rho = np.asarray(cost, np.float64)
        if n_classes == 2 and n_outputs != 2:
            return np.array([[rho[1, 0]], [rho[0, 1]]])
        return np.ascontiguousarray(rho.T)


def margins(scores: Array, y: Codes) -> Array:
    """Return s·o, rows × outputs: positive where the one-vs-rest decision is right."""
    sign = -np.ones_like(scores)
    if scores.shape[1] == 1:
        sign[y == 1] = 1
    else:
        sign[np.arange(len(y)), y] = 1
    return sign * scores


def _logistic(m: Array, target: Array) -> Array:  # noqa: ARG001
    return numerics.softplus(-m)


def _hinge(m: Array, target: Array) -> Array:
    values: Array = np.maximum(0, target - m)
    return values


def _squared_hinge(m: Array, target: Array) -> Array:
    return _hinge(m, target) ** 2


def _negative_margin(m: Array, target: Array) -> Array:  # noqa: ARG001
    values: Array = np.maximum(0, -m)
    return values


def _softmax(scores: Array, y: Codes, cost: Array | None) -> Array:  # noqa: ARG001
    return numerics.log_sum_exp(scores) - scores[np.arange(len(y)), y]


def _multiclass_hinge(scores: Array, y: Codes, cost: Array | None) -> Array:
    rho = 1.0 - np.eye(scores.shape[1]) if cost is None else cost
    values: Array = (scores + rho[:, y].T).max(axis=1) - scores[np.arange(len(y)), y]
    return values


def _lead(scores: Array, y: Codes, cost: Array | None) -> Array:  # noqa: ARG001
    values: Array = scores.max(axis=1) - scores[np.arange(len(y)), y]
    return values


_LOG = frozenset(("subgradient", "gradient", "curvature", "dual", "probabilities"))
LOSSES: dict[str, Loss] = {
    loss.name: loss
    for loss in (
        Loss("log", _LOG, _logistic, _softmax, curvature=0.25, jumps=False),
        Loss("log_ovr", _LOG, _logistic, curvature=0.25, jumps=False),
        Loss("squared_hinge", _LOG - {"probabilities"}, _squared_hinge, curvature=2.0, bounded=False),
        Loss("hinge", frozenset(("subgradient", "dual", "pieces")), _hinge),
        Loss(
            "multiclass_hinge",
            frozenset(("subgradient", "dual", "cost", "pieces")),
            _hinge,
            _multiclass_hinge,
        ),
        Loss("perceptron", frozenset(("subgradient",)), _negative_margin, _lead),
    )
}


def get_loss(name: str) -> Loss:
    """Return the loss of that name; a ValueError lists the names there are."""
    try:
        return LOSSES[name]
    except (KeyError, TypeError):
        raise ValueError(f"loss must be one of {sorted(LOSSES)}; got {name!r}") from None


def loss_values(loss: str, scores: Array, y: Codes, cost: Array | None = None) -> Array:
    """Return each row's loss, by its definition above, from rows × outputs scores."""
    return get_loss(loss).values(scores, y, cost)


def cost_matrix(cost: str | ArrayLike | None, n_classes: int) -> NDArray[np.float64] | None:
    """Return ρ[predicted, true] by name or as given, checked; None stands for 0/1."""
    if cost is None or (isinstance(cost, str) and cost == "zero-one"):
        return None
    if isinstance(cost, str):
        if cost != "distance":
            raise ValueError(f"cost must be 'zero-one', 'distance' or a matrix; got {cost!r}")
        number = np.arange(n_classes)
        distance: NDArray[np.float64] = np.abs(number[:, None] - number).astype(np.float64)
        return distance
    rho = np.ascontiguousarray(as_numbers("cost", cost))
    if rho.shape != (n_classes, n_classes):
        raise ValueError(f"cost must be a classes × classes matrix {(n_classes,) * 2}; got {rho.shape}")
    if not np.isfinite(rho).all() or (rho < 0).any() or np.diagonal(rho).any():
        raise ValueError(
            "cost must be finite, not negative, and 0 on the diagonal (a right answer costs nothing)"
        )
    return rho
