"""The smooth objectives of `lindy.linear.objective` over rows that lie in partitions, as functions of one vector.

    P(W, b) = Σ_i w_i·ℓ(S_i, y_i) + ½·l2·‖W‖²          Σ_i w_i = 1

Loss and gradient of all rows are one round: W goes to the partitions, `Sums` come back. The bounds of the fixed-point
sums follow from what everybody knows beforehand. With the largest value m and the largest length L of a row, and
|s_ik| ≤ σ = L·max_k ‖W_k‖ + max|b|,

    log losses       |∂ℓ/∂s| ≤ 1                B = m
    squared hinge    |∂ℓ/∂s| ≤ 2·(1 + σ)        B = 2·m·(1 + σ)

The search works in u, W = c ∘ u with c_j = (l2 + κ·Σ_i w_i·x_ij²)^−½ and κ the largest curvature of the loss: of W's
Hessian, columns of frequent words have a large diagonal, and in u all diagonals are about 1. For the naive Bayes SVM
the rows are those of columns stretched by s, as if x_ij·s_jk stood in them: the partitions get s ∘ W in the place of W,
and their gradients are stretched by s.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lindy import numerics
from lindy.distributed.engine import Engine
from lindy.distributed.smooth_moves import MARGIN_BITS, Balance, Spec
from lindy.distributed.sums import Array, Sums, exponent_for
from lindy.linear.objective import newton_step
from lindy.linear.problem import Certificate

_SLOPE = {"log": 1.0, "log_ovr": 1.0, "squared_hinge": None}
_CURVATURE = {"log": 0.25, "log_ovr": 0.25, "squared_hinge": 2.0}
SMOOTH = tuple(_SLOPE)
"""The losses that can be minimised so."""
_BIAS_STEPS = 20
_ENOUGH = 1e-15  # residual sum of a best bias, of weights that sum to 1


@dataclass(frozen=True, slots=True)
class Penalty:
    """½·l2·‖W‖², and whether there is a bias, which it may reach."""

    l2: float
    bias: bool = True
    penalize_bias: bool = False


class SummedObjective:
    """P over x = (u row by row, then b if there is a bias)."""

    def __init__(
        self, engine: Engine, spec: Spec, penalty: Penalty, n_columns: int, stretch: Array | None = None
    ) -> None:
        self.engine, self.spec, self.penalty = engine, spec, penalty
        self.stretch = np.ones((n_columns, 1)) if stretch is None else stretch
        self.shape = (n_columns, spec.n_outputs)
        self.n_weights = n_columns * spec.n_outputs
        self.size = self.n_weights + (spec.n_outputs if penalty.bias else 0)
        self.sizes = engine.total("sizes")
        squares = exponent_for(self.sizes.value**2)
        diagonal = engine.total("column_squares", spec, squares).gradient(squares)
        self.scale: Array = 1 / np.sqrt(penalty.l2 + _CURVATURE[spec.loss] * diagonal * self.stretch**2)

    def dot(self, a: Array, b: Array) -> float:
        """Return a·b with bits that do not depend on the BLAS."""
        return numerics.dot(a, b)

    def split(self, x: Array) -> tuple[Array, Array]:
        """Return W and b; b is zeros if there is no bias."""
        W = x[: self.n_weights].reshape(self.shape) * self.scale
        return W, x[self.n_weights :].copy() if self.penalty.bias else np.zeros(self.shape[1])

    def joined(self, W: Array, b: Array) -> Array:
        """Return x of weights and a bias."""
        u = (W / self.scale).ravel()
        return np.concatenate([u, b]) if self.penalty.bias else u

    def penalty_of(self, W: Array, b: Array) -> float:
        """Return ½·l2·‖W‖²."""
        square = self.dot(W.ravel(), W.ravel()) + (self.dot(b, b) if self.penalty.penalize_bias else 0.0)
        return 0.5 * self.penalty.l2 * square

    def evaluate(self, x: Array) -> tuple[float, Array, float]:
        """Return P, its gradient in x, and ‖∇_W P‖² of what the penalty reaches: one round."""
        W, b = self.split(x)
        seen = W * self.stretch
        exponent = self._exponent(seen, b)
        sums: Sums = self.engine.total("loss_and_gradient", self.spec, seen, b, exponent)
        values, G = sums.values, sums.gradient(exponent) * self.stretch + self.penalty.l2 * W
        g = values[1:] + (self.penalty.l2 * b if self.penalty.penalize_bias else 0.0)
        gradient = (G * self.scale).ravel()
        reached = self.dot(G.ravel(), G.ravel()) + (self.dot(g, g) if self.penalty.penalize_bias else 0.0)
        gradient = np.concatenate([gradient, g]) if self.penalty.bias else gradient
        return float(values[0]) + self.penalty_of(W, b), gradient, reached

    def _exponent(self, W: Array, b: Array) -> int:
        slope = _SLOPE[self.spec.loss]
        if slope is None:
            longest = max(self.dot(w, w) ** 0.5 for w in np.ascontiguousarray(W.T))
            slope = 2 * (1 + self.sizes.length * longest + float(np.abs(b).max()))
        return exponent_for(1.001 * slope * self.sizes.value)  # lengths are rounded

    def best_bias(self, W: Array, b: Array) -> tuple[Array, Array]:
        """Return the bias that minimises P for W (Newton's method), and Σ max(±r, 0) there, 2 × outputs."""
        K = self.shape[1]
        l2 = self.penalty.l2 if self.penalty.penalize_bias else 0.0
        value, sides, H = self._bias_terms(W, b)
        for _ in range(_BIAS_STEPS if self.penalty.bias else 0):
            g = sides[0] - sides[1] + l2 * b
            if np.abs(g).max() <= _ENOUGH:
                break
            step = np.clip(newton_step(H + l2 * np.eye(K), g, joint=self.spec.joint), -10.0, 10.0)
            new_value, new_sides, new_H = self._bias_terms(W, b + step)
            if not new_value + 0.5 * l2 * self.dot(b + step, b + step) < value + 0.5 * l2 * self.dot(b, b):
                break
            b, value, sides, H = b + step, new_value, new_sides, new_H
        return b, sides

    def _bias_terms(self, W: Array, b: Array) -> tuple[float, Array, Array]:
        K = self.shape[1]
        sums: Sums = self.engine.total("bias_terms", self.spec, W, b)
        values = sums.values
        H = np.diag(values[1 + 2 * K :])
        return (
            float(values[0]),
            values[1 : 1 + 2 * K].reshape(2, K),
            (H - sums.gradient(MARGIN_BITS) if self.spec.joint else H),
        )

    def certify(self, x: Array, tol: float, counts: Array) -> tuple[Array, Certificate]:
        """Prove how far P(x) is from the minimum: the duality gap of the balanced residuals; x with the best bias.

        ``counts`` are the numbers of rows of the classes.
        """
        W, b = self.split(x)
        seen = W * self.stretch
        b, sides = self.best_bias(seen, b)
        balance = None
        if self.penalty.bias and not self.penalty.penalize_bias:
            balance = self._balance(sides, counts)
        exponent = self._exponent(seen, b) - 2  # balancing a joint loss may double residuals
        sums: Sums = self.engine.total("dual_terms", self.spec, seen, b, balance, exponent)
        values, Z = sums.values, sums.gradient(exponent) * self.stretch
        z = values[2:] if self.penalty.penalize_bias else np.zeros(0)
        square = self.dot(Z.ravel(), Z.ravel()) + self.dot(z, z)
        objective = float(values[0]) + self.penalty_of(W, b)
        gap = max(objective + float(values[1]) + square / (2 * self.penalty.l2), 0.0)
        Z += self.penalty.l2 * W
        return self.joined(W, b), Certificate(objective, gap, tol, self.dot(Z.ravel(), Z.ravel()) ** 0.5)

    def _balance(self, sides: Array, counts: Array) -> Balance:
        above, below = sides
        smaller = np.minimum(above, below)
        up = np.divide(smaller, above, out=np.zeros_like(above), where=above > 0)
        down = np.divide(smaller, below, out=np.zeros_like(below), where=below > 0)
        if not self.spec.joint:
            return Balance(up, down)
        shares, surplus = counts * np.array(self.spec.shares), above - below
        over = surplus > 0
        theta = float((surplus[over] / (shares[over] + surplus[over])).max(initial=0.0))
        return Balance(up, down, theta, surplus, shares)
