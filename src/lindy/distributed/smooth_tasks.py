"""Moves for a smooth objective: losses, residuals and what follows from them in one partition, as `Sums`.

With scores S = XW + b and weights w_i = scale·(weight of the class), every row is measured alone, in the order of its
columns, so that its residual r_i = w_i·∂ℓ/∂S has the same bits wherever the row is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.core.targets import Targets
from lindy.distributed.sums import Array, Sums, exact_sums, fixed_sums
from lindy.linear.losses import Loss, get_loss

MARGIN_BITS = 61


@dataclass(frozen=True, slots=True)
class Spec:
    """The loss, how many outputs it has, and the weight of a row of each class in the mean."""

    loss: str
    n_outputs: int
    shares: tuple[float, ...]

    @property
    def definition(self) -> Loss:
        """The loss itself."""
        return get_loss(self.loss)

    @property
    def joint(self) -> bool:
        """Whether the outputs compete in the loss."""
        return self.definition.on_simplex(self.n_outputs)


@dataclass(slots=True)
class Rows:
    """A partition's rows and targets; what was last found out about them is kept, but does not travel.

    ``weight`` says how many rows each row is; None for one each. While some rows are held out, ``whole`` has all, and
    ``held_out`` says which.
    """

    name: str
    X: Csr
    y: Targets
    weight: Array | None = None
    whole: Rows | None = field(default=None, repr=False)
    held_out: NDArray[np.bool_] | None = field(default=None, repr=False)
    _kept: dict[str, Any] = field(default_factory=dict, repr=False)
    _largest: float | None = field(default=None, repr=False)

    def __getstate__(self) -> tuple[Any, ...]:
        y = type(self.y), *(getattr(self.y, name) for name in self.y.__match_args__)
        return self.name, self.X.arrays, self.X.n_columns, y, self.weight, self.whole, self.held_out

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.name, arrays, n_columns, (kind, names, *y), weight, self.whole, self.held_out = state
        # arrays may be views of a message, at any address
        indptr, indices, values, *codes = (np.require(own, requirements="A") for own in (*arrays, *y))
        self.y = kind(names, *codes)
        self.weight = None if weight is None else np.require(weight, requirements="A")
        self.X = Csr(indptr, indices, values, n_columns)
        self._kept, self._largest = {}, None

    def times(self, shares: Sequence[float]) -> Array:
        """Return the weight of every row in a mean, by the shares of the classes' rows."""
        codes = self.y.row_codes
        own: Array = np.full(len(self.y), shares[0]) if codes is None else np.array(shares)[codes]
        return own if self.weight is None else own * self.weight

    @property
    def largest(self) -> float:
        """The largest absolute value."""
        if self._largest is None:
            self._largest = float(np.abs(self.X.values).max(initial=0.0))
        return self._largest

    def objective(self, spec: Spec) -> Any:
        """Return the native objective of these rows."""
        if self._kept.get("spec") != spec:
            self._kept = {"spec": spec}
            codes = self.y.row_codes
            self._kept["objective"] = (
                LabelObjectives(self, spec)
                if codes is None
                else native_objective(self, spec, codes, spec.n_outputs)
            )
        return self._kept["objective"]

    def scores(self, spec: Spec, W: Array) -> Array:
        """Return XW; kept until other weights come."""
        native, known = self.objective(spec), self._kept.get("W")
        if known is None or not np.array_equal(known, W):
            S = np.empty((len(self.y), spec.n_outputs))
            native.scores(W, S)
            self._kept |= {"W": W.copy(), "scores": S}
        kept: Array = self._kept["scores"]
        return kept


def native_objective(rows: Rows, spec: Spec, codes: NDArray[np.int32], n_outputs: int) -> Any:
    """Return the native objective of a partition's rows with these class numbers."""
    weight = rows.times(spec.shares)
    return _native.objective(
        rows.X, y=codes, weight=weight, scale=1.0, loss=spec.loss, n_outputs=n_outputs, threads=1
    )


class LabelObjectives:
    """The objective of several labels: for each of them the native one that tells it apart from its absence."""

    def __init__(self, rows: Rows, spec: Spec) -> None:
        nothing = np.zeros(len(rows.y), np.int32)
        self._scored = native_objective(rows, spec, nothing, spec.n_outputs)
        self._labels = [
            native_objective(rows, spec, rows.y.one_vs_rest(k).codes, 1) for k in range(spec.n_outputs)
        ]

    def scores(self, W: Array, S: Array) -> None:
        """Put XW into S."""
        self._scored.scores(W, S)

    def row_losses(self, S: Array, b: Array, R: Array, D: Array, losses: Array) -> None:
        """Put the residuals and curvatures of every label into R and D, and the rows' losses, added up, into losses."""
        losses[:] = 0.0
        for k, label in enumerate(self._labels):
            r, d, own = np.empty((len(S), 1)), np.empty((len(S), 1)), np.empty(len(S))
            label.row_losses(np.ascontiguousarray(S[:, k : k + 1]), b[k : k + 1], r, d, own)
            R[:, k], D[:, k] = r[:, 0], d[:, 0]
            losses += own

    def row_conjugates(self, U: Array, conjugates: Array) -> None:
        """Put the rows' conjugates, added up over the labels, into conjugates."""
        conjugates[:] = 0.0
        for k, label in enumerate(self._labels):
            own = np.empty(len(U))
            label.row_conjugates(np.ascontiguousarray(U[:, k : k + 1]), own)
            conjugates += own


def _residuals(rows: Rows, spec: Spec, W: Array, b: Array) -> tuple[Array, Array, Array]:
    """Return losses (rows,), residuals and curvatures (rows, outputs)."""
    S = rows.scores(spec, W)
    R, D, losses = np.empty_like(S), np.empty_like(S), np.empty(len(S))
    rows.objective(spec).row_losses(S, b, R, D, losses)
    return losses, R, D


def loss_and_gradient(rows: Rows, spec: Spec, W: Array, b: Array, exponent: int) -> Sums:
    """Return Σ loss and Σ r exactly, and XᵀR in quanta of 2^−exponent."""
    losses, R, _ = _residuals(rows, spec, W, b)
    return Sums(exact_sums(losses, R), fixed_sums(rows.X, R, exponent, rows.largest))


def bias_terms(rows: Rows, spec: Spec, W: Array, b: Array) -> Sums:
    """Return Σ loss, Σ max(r, 0), Σ max(−r, 0) and Σ d exactly; of a joint loss also Σ w·p·pᵀ, outputs × outputs."""
    losses, R, D = _residuals(rows, spec, W, b)
    limbs = exact_sums(losses, np.maximum(R, 0.0), np.maximum(-R, 0.0), _diagonal(rows, spec, D))
    if not spec.joint:
        return Sums(limbs)
    n, K = D.shape
    as_rows = Csr(np.arange(n + 1) * K, np.tile(np.arange(K, dtype=np.int32), n), D.ravel(), K, checked=True)
    return Sums(limbs, fixed_sums(as_rows, _diagonal(rows, spec, D), MARGIN_BITS))


def _diagonal(rows: Rows, spec: Spec, D: Array) -> Array:
    """Return the weighted curvatures; those of a joint loss are p, without the weight."""
    return D * rows.times(spec.shares)[:, None] if spec.joint else D


@dataclass(frozen=True, slots=True)
class Balance:
    """How residuals become a dual point whose columns sum to 0; see `lindy.linear.objective`."""

    up: Array
    down: Array
    theta: float = 0.0
    surplus: Array | None = None
    shares: Array | None = None

    def apply(self, U: Array, y: Targets, weight: Array) -> None:
        """Balance the residuals of some rows."""
        if self.surplus is None or self.shares is None:
            U *= np.where(U > 0, self.up, self.down)
            return
        U *= 1.0 - self.theta
        U += weight[:, None] * (self.theta * self.shares - (1.0 - self.theta) * self.surplus)
        U[np.arange(len(y)), y.codes] -= self.theta * weight


def dual_terms(rows: Rows, spec: Spec, W: Array, b: Array, balance: Balance | None, exponent: int) -> Sums:
    """Return Σ loss, Σ ℓ*(u) and Σ u of the balanced residuals exactly, and XᵀU in quanta of 2^−exponent."""
    losses, U, _ = _residuals(rows, spec, W, b)
    if balance is not None:
        balance.apply(U, rows.y, rows.times(spec.shares))
    conjugates = np.empty(len(U))
    rows.objective(spec).row_conjugates(U, conjugates)
    return Sums(exact_sums(losses, conjugates, U), fixed_sums(rows.X, U, exponent, rows.largest))


@dataclass(frozen=True, slots=True)
class Sizes:
    """The largest value and the largest length of a row."""

    value: float
    length: float

    def merged(self, other: Sizes) -> Sizes:
        """Return those of both parts."""
        return Sizes(max(self.value, other.value), max(self.length, other.length))


def sizes(rows: Rows) -> Sizes:
    """Return how large the rows are, for the bounds of fixed-point sums."""
    return Sizes(rows.largest, float(np.sqrt(rows.X.norms().max(initial=0.0))))


def column_moments(rows: Rows, spec: Spec, exponent: int) -> Sums:
    """Return Σ_i w_i·x_ij and Σ_i w_i·x_ij² of every column in quanta of 2^−exponent."""
    values, X = rows.X.values.astype(np.float64), rows.X
    weight = rows.times(spec.shares)[:, None]
    powers = [Csr(X.indptr, X.indices, v, X.n_columns, checked=True) for v in (values, values * values)]
    return Sums(exact_sums(weight), np.hstack([fixed_sums(power, weight, exponent) for power in powers]))
