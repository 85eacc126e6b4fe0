"""The problem that a learner hands to an optimiser, and the solution that it gets back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.csr import Csr, Float
from lindy.core.targets import Targets
from lindy.linear.losses import Loss, get_loss


class Scales(NamedTuple):
    """Scales s of a penalty ½·l2·‖W / s‖², as the solver "dual" takes them.

    ``squares`` are s², columns × ``stride``, and ``lengths`` ‖s_k ∘ x_i‖², rows × ``stride``; padded with zeros.
    Those of the same rows are the same where their keys are equal.
    """

    squares: Float
    lengths: NDArray[np.float64]
    key: object

    @classmethod
    def of(cls, values: Float, lengths: NDArray[np.float64], key: object = None) -> Scales:
        """Return the scales of values s, columns × outputs, and lengths ‖s_k ∘ x_i‖; overwrites both if it can.

        Without a key they are taken for different from all others.
        """
        with np.errstate(over="ignore"):
            return cls(_squared(values), _squared(lengths), object() if key is None else key)


def stride_of(n_outputs: int) -> int:
    """Return the width of the rows of W in the solver "dual": whole vectors of outputs."""
    return 1 if n_outputs == 1 else -(-n_outputs // 4) * 4


def _squared(values: Float) -> Float:
    n_outputs = values.shape[1]
    if (stride := stride_of(n_outputs)) == n_outputs:
        return np.square(values, out=values)
    squares: Float = np.zeros((len(values), stride), values.dtype)
    return np.square(values, out=squares[:, :n_outputs]).base  # type: ignore[return-value]


@dataclass(frozen=True, slots=True)
class Problem:
    """minimise  Σ_i weight_i·loss(W; x_i, y_i) / Σ_i weight_i  +  ½·l2·‖W‖² + l1·‖W‖₁.

    With ``bias`` the scores have an offset b, which the penalty
    reaches only with ``penalize_bias``. ``cost`` is ρ[predicted, true] for losses that use it. ``scales`` of the
    penalty are for several outputs with losses of their own, and the solver "dual". ``offset`` (rows × outputs) is
    added to the scores, for the solver "lbfgs" with the L2 penalty.
    """

    X: Csr
    y: Targets
    loss: str
    l2: float = 0.0
    l1: float = 0.0
    weight: NDArray[np.float64] | None = None
    bias: bool = True
    penalize_bias: bool = False
    cost: NDArray[np.float64] | None = None
    scales: Scales | None = None
    offset: NDArray[np.float64] | None = None

    @property
    def n_outputs(self) -> int:
        """Columns of W: one for two classes."""
        return self.y.n_outputs

    def outputs(self) -> Iterator[Problem]:
        """Yield the problem of each output, where all have a loss of their own."""
        return (replace(self, y=self.y.one_vs_rest(k)) for k in range(self.n_outputs))

    @property
    def definition(self) -> Loss:
        """The loss itself: its formulas and what it offers."""
        return get_loss(self.loss)

    @property
    def joint(self) -> bool:
        """Whether the outputs compete in the loss, rather than have one of their own each."""
        return self.definition.on_simplex(self.n_outputs)


def penalty_of(problem: Problem, W: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    """Return what the penalty adds to the mean loss."""
    reached = np.append(W, b) if problem.bias and problem.penalize_bias else W.ravel()
    return 0.5 * problem.l2 * numerics.dot(reached, reached) + problem.l1 * float(np.abs(reached).sum())


def hinge_margins(problem: Problem) -> NDArray[np.float64] | None:
    """Return the margins that a hinge asks for: None for 1, else ρ of the two classes, or ρ[predicted, true]."""
    if not problem.definition.has_cost:
        return None
    K = len(problem.y.names)
    rho = 1.0 - np.eye(K) if problem.cost is None else np.asarray(problem.cost, np.float64)
    return np.array([rho[1, 0], rho[0, 1]]) if K == 2 else np.ascontiguousarray(rho).ravel()


@dataclass(frozen=True, slots=True)
class Options:
    """How an optimiser shall work: every one takes these, and its own by name from ``extra``.

    ``tol`` is the relative gap to reach, ``max_iter`` the most rounds (epochs, iterations) to spend on it,
    ``seed`` fixes every random choice, ``start`` is an earlier solution to begin from. Without ``prove`` a solver may
    stop where it expects the gap to be reached, without a certificate.
    """

    tol: float = 1e-4
    max_iter: int = 1000
    seed: int = 0
    n_jobs: int | None = None
    start: Solution | None = None
    prove: bool = True
    extra: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Certificate:
    """The certificate of a solution: the optimum lies within ``gap`` below ``objective``.

    ``relative_gap`` is ``gap / max(|objective|, tiny)``; ``reached`` says whether it met the tolerance asked for.
    Without a penalty nothing bounds the optimum from below: the gap is infinite, and what counts is the norm of the
    gradient as a share of ``gradient_at_zero``, its norm at W = 0.
    """

    objective: float
    gap: float
    tol: float
    gradient_norm: float | None = None
    gradient_at_zero: float | None = None

    @property
    def relative_gap(self) -> float:
        """The gap as a share of the objective."""
        return self.gap / max(abs(self.objective), np.finfo(float).tiny)

    @property
    def reached(self) -> bool:
        """Whether the relative gap (without a penalty: the share of the gradient) is within the tolerance."""
        if self.gradient_norm is not None and self.gradient_at_zero is not None:
            return self.gradient_norm <= self.tol * self.gradient_at_zero
        return self.relative_gap <= self.tol

    @classmethod
    def of_all(cls, parts: Sequence[Certificate | None]) -> Certificate | None:
        """Return what is proved about several problems together; None unless all have a proof with a gap."""
        proofs = [part for part in parts if part is not None]
        if len(proofs) < len(parts):
            return None
        tol = max(proof.tol for proof in proofs)
        return cls(sum(proof.objective for proof in proofs), sum(proof.gap for proof in proofs), tol)

    @property
    def missed(self) -> str:
        """How far the answer may be from the optimum, in words."""
        if self.gradient_norm is not None and self.gradient_at_zero is not None:
            share = self.gradient_norm / max(self.gradient_at_zero, np.finfo(float).tiny)
            return f"gradient of {share:.1e} times that at W = 0 (without a penalty there is no gap)"
        return f"relative gap of {self.relative_gap:.1e}"


@dataclass(slots=True)
class History:
    """One entry per round in each list that applies: objective, mistakes, held-out accuracy, seconds so far."""

    objective: list[float] = field(default_factory=list)
    mistakes: list[int] = field(default_factory=list)
    held_out: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Solution:
    """Weights (features × outputs), bias (outputs,), and how they were found.

    Among the ``details`` "rows" are X and y themselves, with the key of their scales, if they have some.
    """

    W: Float
    b: Float
    n_iter: int
    history: History
    certificate: Certificate | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def without_rows(self) -> Solution:
        """Return the solution as a model may keep it when its rows are gone."""
        return replace(self, details={key: value for key, value in self.details.items() if key != "rows"})
