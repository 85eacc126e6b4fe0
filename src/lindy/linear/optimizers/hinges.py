"""The hinges as functions of the scores: value, dual value, smooth envelope, best bias.

With c_i = weight_i / Σ weight, scores S = XW + b and the dual variables U (rows × outputs):

    hinge           Σ_i c_i·max(0, ρ_i − s_i·S_i)              U_i = −s_i·α_i,      0 ≤ α_i ≤ c_i
    Crammer–Singer  Σ_i c_i·(max_k (ρ_ik + S_ik) − S_iy)       U_i = z_i − c_i·e_y, z_i ≥ 0, Σ_k z_ik = c_i

Both are the support function of the set of their dual variables v (α or z): max_v ⟨v, slack⟩, with the slacks ρ − s·S
and ρ + S. Their envelope around the multipliers a,

    max_v ⟨v, slack⟩ − ‖v − a‖² / (2σ),        attained at v = projection of a + σ·slack on the set,

is smooth: its derivative in the slack is that v, its second derivative σ where the projection moves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lindy.linear.objective import Array
from lindy.linear.optimizers.dual_finish import project
from lindy.linear.problem import Problem


@dataclass(slots=True)
class Smoothed:
    """The envelope at some scores: value, v, U, and its curvature as the kernels of proximal Newton take it.

    One output: h = σ where v moves. Crammer–Singer: σ·(diag(1_M) − 1_M·1_Mᵀ / |M|) for the classes M whose z move is
    the curvature of softmax, w·(diag(p) − p·pᵀ) with p = 1_M / |M| and w = σ·|M|; h is w·p.
    """

    value: float
    v: Array
    U: Array
    h: Array
    p: Array | None


class Hinges:
    """The kinked loss of a problem: one output with labels ±1, or Crammer and Singer's with one per class."""

    def __init__(self, problem: Problem) -> None:
        n, K = problem.X.shape[0], problem.n_classes
        weight = np.ones(n) if problem.weight is None else problem.weight
        self.c: Array = weight / weight.sum()
        self.y, self.rows = problem.y, np.arange(n)
        self.joint = problem.n_outputs > 1
        rho = 1.0 - np.eye(K)
        if "cost" in problem.definition.offers and problem.cost is not None:
            rho = np.asarray(problem.cost, np.float64)
        if self.joint:
            self.rho: Array = rho[:, self.y].T.copy()
        else:
            self.sign = np.where(self.y == 1, 1.0, -1.0)[:, None]
            self.rho = rho[1 - self.y, self.y][:, None]

    def slack(self, S: Array) -> Array:
        """Return what each dual variable multiplies: ρ − s·S or ρ + S."""
        return self.rho + S if self.joint else self.rho - self.sign * S

    def value(self, S: Array) -> float:
        """Return the mean loss of the scores."""
        if self.joint:
            return float((self.c * ((self.rho + S).max(axis=1) - S[self.rows, self.y])).sum())
        return float((self.c * np.maximum(self.slack(S)[:, 0], 0.0)).sum())

    def start(self) -> Array:
        """Return the dual variables of U = 0."""
        v = np.zeros_like(self.rho)
        if self.joint:
            v[self.rows, self.y] = self.c
        return v

    def nearest(self, v: Array) -> Array:
        """Return the nearest dual variables: those of other weights may have left the domain."""
        return project(v, self.c)[0] if self.joint else np.clip(v, 0.0, self.c[:, None])

    def residuals(self, v: Array) -> Array:
        """Return U of dual variables."""
        if not self.joint:
            return -self.sign * v
        U = v.copy()
        U[self.rows, self.y] -= self.c
        return U

    def variables(self, U: Array) -> Array:
        """Return the dual variables of U."""
        if not self.joint:
            return -self.sign * U
        v = U.copy()
        v[self.rows, self.y] += self.c
        return v

    def dual(self, U: Array) -> float:
        """Return −Σ ℓ*(U) = Σ ρ·v: linear, and 0 at U = 0."""
        return float((self.rho * U).sum()) if self.joint else float((self.rho * self.variables(U)).sum())

    def envelope(self, S: Array, a: Array, sigma: float) -> Smoothed:
        """Return the envelope around a, with σ_i = sigma·c_i, at the scores S."""
        slack = self.slack(S)
        step = (sigma * self.c)[:, None]
        wish = a + step * slack
        if self.joint:
            v, moves = project(wish, self.c)
        else:
            v = np.clip(wish, 0.0, self.c[:, None])
            moves = ((wish > 0) & (wish < self.c[:, None])).astype(np.float64)
        square = np.divide((v - a) ** 2, 2 * step, out=np.zeros_like(v), where=step > 0)
        value = float((v * slack - square).sum())
        h = step * moves
        if not self.joint:
            return Smoothed(value, v, self.residuals(v), h, None)
        value -= float((self.c * S[self.rows, self.y]).sum())
        p = moves / np.maximum(moves.sum(axis=1, keepdims=True), 1.0)
        return Smoothed(value, v, self.residuals(v), h, p)

    def stretch(self, S: Array) -> float | None:
        """Return the factor t by which t·S has no loss, or None if no factor does."""
        if not self.joint:
            lead, asked = self.sign * S, self.rho
        else:
            lead, asked = S[self.rows, self.y][:, None] - S, self.rho
        counts = (asked > 0) & (self.c > 0)[:, None]
        if not (lead[counts] > 0).all():
            return None
        t = float((asked[counts] / lead[counts]).max(initial=1.0)) * (1 + 1e-9)
        return t if self.value(t * S) == 0.0 else None

    def best_bias(self, S: Array) -> float:
        """Return the b that minimises the mean loss of S + b, for one output.

        The slope in b falls by c_i at every b where row i leaves or enters the margin, b = s_i·ρ_i − S_i; the minimum
        is where it changes its sign.
        """
        kinks = (self.sign * self.rho - S)[:, 0]
        order = np.argsort(kinks, kind="stable")
        slope = np.cumsum(self.c[order]) - float(self.c[self.y == 1].sum())
        first = int(np.searchsorted(slope, -1e-15))
        return float(kinks[order[min(first, len(order) - 1)]])

    def balanced(self, U: Array) -> Array:
        """Return U with columns that sum to zero, still a point of the domain.

        One output: the heavier side is scaled down. Crammer–Singer: z / c is mixed with the share θ of a constant
        distribution that restores the totals of the classes; a class without weight takes no part.
        """
        if not self.joint:
            above, below = float(np.maximum(U, 0.0).sum()), -float(np.minimum(U, 0.0).sum())
            least = min(above, below)
            return U * np.where(
                U > 0, least / above if above > 0 else 0.0, least / below if below > 0 else 0.0
            )
        shares = np.bincount(self.y, self.c, minlength=U.shape[1])
        v = self.variables(U)
        if not shares.all():
            v[self.rows, self.y] += v[:, shares == 0].sum(axis=1)
            v[:, shares == 0] = 0.0
        surplus = v.sum(axis=0) - shares
        over = surplus > 0
        theta = float((surplus[over] / (shares[over] + surplus[over])).max(initial=0.0))
        v = (1.0 - theta) * v + self.c[:, None] * (theta * shares - (1.0 - theta) * surplus)
        return self.residuals(np.maximum(v, 0.0))
