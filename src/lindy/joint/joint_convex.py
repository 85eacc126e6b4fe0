"""MaxEnt and SVM over joint features, to a proven optimum.

    MaxEnt   P(w) = mean_i (log Σ_c exp(s_c) − s_gold) + ½·λ‖w‖²
    SVM      P(w) = mean_i max_c (ρ_c + s_c − s_gold) + ½·λ‖w‖²           s_c = w·f(x_i, c)

For any weights α of the candidates, not negative and of sum 1 in each example, w(α) = 1/(λn)·Σ_i Σ_c α_c·(f_gold − f_c)
gives the lower bounds

    MaxEnt   D(α) = mean_i H(α_i) − ½·λ‖w(α)‖²                            H the entropy
    SVM      D(α) = mean_i Σ_c α_c·ρ_c − ½·λ‖w(α)‖²

P(w) − D(α) is the gap of the certificate. MaxEnt runs L-BFGS and takes α = P(c | x); the SVM ascends D itself, moving
weight between two candidates of an example at a time.
"""

from __future__ import annotations

import warnings
from collections import deque
from typing import Any, Self

import numpy as np

from lindy import _native
from lindy.core import numerics
from lindy.errors import convergence_warning, invalid_parameter
from lindy.estimators.base import thread_count
from lindy.estimators.parameters import check_number, with_parameters
from lindy.joint.joint_model import Array, Candidates, Cost, JointModel, check_candidates
from lindy.linear.optimizers.lbfgs import remember, two_loops
from lindy.linear.optimizers.training_schedule import generator
from lindy.linear.problem import Certificate

_MOVES = 5  # of one example in one pass


@with_parameters
class ConvexJointModel(JointModel):
    """A joint model that minimises mean loss + ½·λ‖w‖² until the relative gap is at most ``tol``.

    Parameters
    ----------
    C : float
        Price of the losses against the penalty; λ = 1/(C·n).
    lam : float or None
        λ, instead of C.
    tol : float
        Relative gap at which the fit stops.
    max_iter : int

    Attributes
    ----------
    w_ : weights
    certificate_ : what was proved: the objective, and the gap within which the optimum lies
    n_iter_ : iterations or passes
    """

    C: float = 1.0
    lam: float | None = None
    tol: float = 1e-4
    max_iter: int = 1000

    def fit(self, data: Candidates) -> Self:
        """Learn from candidates whose right ones are known."""
        check_candidates(data)
        name, strength = ("C", self.C) if self.lam is None else ("lam", self.lam)
        check_number(name, strength, above=0)
        if not self.tol > 0 or self.max_iter < 1:
            raise invalid_parameter(
                f"tol must be positive and max_iter at least 1; got {self.tol!r} and {self.max_iter!r}"
            )
        lam = 1 / (self.C * len(data)) if self.lam is None else self.lam
        self.w_, self.certificate_, self.n_iter_ = self._solve(data, lam)
        if not self.certificate_.reached:
            warnings.warn(
                convergence_warning(
                    f"{type(self).__name__} stopped after {self.n_iter_} rounds with a {self.certificate_.missed};"
                    f" tol={self.tol:.1e} was asked for. Raise max_iter or tol, or scale the features."
                ),
                stacklevel=2,
            )
        return self

    def _solve(self, data: Candidates, lam: float) -> tuple[Array, Certificate, int]:
        raise NotImplementedError


@with_parameters
class JointMaxEnt(ConvexJointModel):
    """Maximum entropy (log-linear) model over joint features."""

    def predict_proba(self, data: Candidates) -> Array:
        """Return P(y | x) of every candidate row; those of an example sum to 1."""
        return _softmax(data, self.decision_function(data))[0]

    def _solve(self, data: Candidates, lam: float) -> tuple[Array, Certificate, int]:
        problem = _LogLoss(data, lam, thread_count(self.n_jobs))
        w = np.zeros(data.rows.n_columns)
        value, gradient, certificate = problem.at(w, self.tol)
        pairs: deque[tuple[Array, Array, float]] = deque(maxlen=10)
        n_iter = 0
        while n_iter < self.max_iter and not certificate.reached:
            n_iter += 1
            direction = two_loops(problem, gradient, pairs)
            slope, length = problem.dot(gradient, direction), 1.0
            if not slope < 0:
                break
            while True:  # Armijo's rule
                new, next_gradient, proof = problem.at(w + length * direction, self.tol)
                if new <= value + 1e-4 * length * slope or length < 1e-12:
                    break
                length /= 2
            if not new < value:
                break
            remember(problem, pairs, length * direction, next_gradient - gradient)
            w, value, gradient, certificate = w + length * direction, new, next_gradient, proof
        return w, certificate, n_iter


class _LogLoss:
    """P(w), its gradient and its certificate."""

    def __init__(self, data: Candidates, lam: float, threads: int) -> None:
        self.data, self.lam, self.threads = data, lam, threads

    def dot(self, a: Array, b: Array) -> float:
        """Return a·b with bits that do not depend on threads."""
        return float(_native.dot(a, b, self.threads))

    def at(self, w: Array, tol: float) -> tuple[float, Array, Certificate]:
        data, n = self.data, len(self.data)
        scores = data.scores(w, self.threads)
        p, log_z = _softmax(data, scores)
        square = self.dot(w, w)
        value = float(np.mean(log_z - scores[data.right])) + 0.5 * self.lam * square
        share = p.copy()
        share[data.right] -= 1.0
        away = np.zeros_like(w)  # Σ_i (E f − f_gold) = −λn·w(α)
        data.rows.axpy(share, away)
        away /= n
        entropy = float(np.mean(log_z - np.add.reduceat(p * scores, data.starts[:-1])))
        bound = entropy - 0.5 / self.lam * self.dot(away, away)
        return value, away + self.lam * w, Certificate(value, max(value - bound, 0.0), tol)


@with_parameters
class JointSVM(ConvexJointModel):
    """Support vector machine over joint features, with a cost ρ of each wrong candidate (margin rescaling).

    Parameters
    ----------
    cost : None or callable (candidate, right candidate) → number
        ρ; None is 0/1.
    random_state : int, None, numpy Generator or RandomState
        Seed of the order of the examples; None is 0.
    """

    cost: Cost | None = None
    random_state: Any = None

    def _solve(self, data: Candidates, lam: float) -> tuple[Array, Certificate, int]:
        costs, rng = data.costs(self.cost), generator(self.random_state)
        alpha = np.zeros(data.rows.shape[0])
        alpha[data.right] = 1.0
        w, scale = np.zeros(data.rows.n_columns), 1 / (lam * len(data))
        certificate, n_iter = self._prove(data, costs, alpha, w, lam), 0
        while n_iter < self.max_iter and not certificate.reached:
            n_iter += 1
            order = rng.permutation(len(data))
            _native.joint_dual(data.rows, data.starts, data.right, costs, order, scale, alpha, w, _MOVES)
            certificate = self._prove(data, costs, alpha, w, lam)
        return w, certificate, n_iter

    def _prove(self, data: Candidates, costs: Array, alpha: Array, w: Array, lam: float) -> Certificate:
        """Return the certificate; w is made anew from alpha, so that no rounding stays in it."""
        share = -alpha
        share[data.right] += 1.0
        w[:] = 0.0
        data.rows.axpy(share / (lam * len(data)), w)
        scores = data.scores(w, self.n_jobs)
        worst = np.maximum.reduceat(scores + costs, data.starts[:-1])
        half = 0.5 * lam * float(_native.dot(w, w, thread_count(self.n_jobs)))
        value = float(np.mean(worst - scores[data.right])) + half
        bound = numerics.dot(alpha, costs) / len(data) - half
        return Certificate(value, max(value - bound, 0.0), self.tol)


def _softmax(data: Candidates, scores: Array) -> tuple[Array, Array]:
    """Return P(c | x) of every row and log Σ_c exp(s_c) of every example."""
    begin, example = data.starts[:-1], data.example_of
    highest = np.maximum.reduceat(scores, begin)
    e = numerics.exp(scores - highest[example])
    total = np.add.reduceat(e, begin)
    return e / total[example], highest + numerics.log(total)
