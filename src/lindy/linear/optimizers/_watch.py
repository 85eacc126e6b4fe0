"""The base of smooth primal optimisers: when to ask for a certificate, the record of a run, line search."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

from lindy.linear.objective import Array, Evaluated, Objective
from lindy.linear.problem import Certificate, History, Options, Solution
from lindy.progress import round_done


class Watch:
    """Follows a run and decides when it has arrived.

    With an L2 penalty, ‖∇_W P‖² / (2·l2) is the duality gap up to what the bias adds, and costs nothing; only when
    it meets the tolerance is the full certificate computed. Without a penalty no gap exists, and the run ends when
    the gradient is smaller than at W = 0 by the factor ``tol``.
    """

    def __init__(self, objective: Objective, options: Options) -> None:
        self.objective = objective
        self.options = options
        self.history = History()
        self.certificate: Certificate | None = None  # of the last x that was proved, with its dual point
        self.dual_point: Array | None = None
        self._proved: Array | None = None
        self._began = time.perf_counter()

    def record(self, value: float) -> None:
        """Enter one round in the history."""
        self.history.objective.append(value)
        self.history.seconds.append(time.perf_counter() - self._began)

    def arrived(self, x: Array, value: float, gradient: Array) -> bool:
        """Whether x is proved good enough; improves its bias if a proof was tried."""
        objective, l2 = self.objective, self.objective.problem.l2
        part = gradient[: objective.n_weights] if l2 > 0 else gradient
        square = objective.dot(part, part)
        scale = 2 * l2 * value
        gap = square / scale if scale > 0 else 0.0
        round_done(len(self.history.objective), float(gap), self.options.tol)
        if l2 > 0:
            if square > 2 * l2 * self.options.tol * value:
                return False
            return self.prove(x).reached
        return bool(square**0.5 <= self.options.tol * objective.gradient_at_zero)

    def prove(self, x: Array) -> Certificate:
        """Compute the certificate of x from scratch, unless it is that of the last call; improves its bias."""
        if self.certificate is not None and self._proved is not None and np.array_equal(x, self._proved):
            return self.certificate
        at = self.objective.buffers()
        self.objective.place(x, at)
        self.certificate = self.objective.certify(x, at, self.options.tol)
        self.dual_point, self._proved = at.R, x.copy()
        return self.certificate

    def solution(self, x: Array, n_iter: int) -> Solution:
        """Return the solution at x, with its certificate."""
        certificate = self.prove(x)
        W, b = self.objective.weights(x)
        return Solution(W, b, n_iter, self.history, certificate)


@dataclass(slots=True)
class Line:
    """A direction through x and its scores X·D (without the bias part).

    The bias goes with the weights as its best value would: it is eliminated, along the line too.
    """

    direction: Array
    scores: Array

    @classmethod
    def along(cls, objective: Objective, direction: Array, at: Evaluated) -> Line:
        """Return the line with its scores: one pass over X, after which no point on it needs another.

        ``at`` is the point where it begins; the bias of the direction is set.
        """
        scores = objective.scores(objective.split(direction)[0])
        if objective.problem.bias:
            direction[objective.n_weights :] = objective.following_bias(scores, at)
        return cls(direction, scores)


def move(objective: Objective, x: Array, line: Line, at: Evaluated, size: float) -> float:
    """Advance x and ``at`` by size·direction and return P there; ``at.S`` held the scores of x.

    The caller keeps the move or undoes it.
    """
    at.S += size * line.scores
    x += size * line.direction
    return objective.value(x, at)


def line_minimum(objective: Objective, x: Array, line: Line, at: Evaluated, slope: float) -> float:
    """Go from x to about the minimum of P along the line; returns P there, with ``at`` filled.

    Newton's method on φ(t) = P(x + t·direction), whose derivatives need only the scores; a step that does not
    decrease P is halved. ``slope`` is φ′(0) < 0.
    """
    along = line.scores + objective.split(line.direction)[1]
    penalised = objective.penalised(line.direction)
    l2 = objective.problem.l2
    square = l2 * objective.dot(penalised, penalised)
    value = at.loss + objective.penalty(x)
    first = slope
    for _ in range(10):
        curved = along.copy()
        objective.native.curve(at.D, curved)
        second = objective.dot(along.ravel(), curved.ravel()) + square
        step = -slope / second if second > 0 else 1.0
        new = move(objective, x, line, at, step)
        for _ in range(60):
            if new <= value:
                break
            new = move(objective, x, line, at, -0.5 * step)
            step *= 0.5
        if not new <= value:
            return move(objective, x, line, at, -step)
        value = new
        slope = l2 * objective.dot(objective.penalised(x), penalised)
        slope += objective.dot(at.R.ravel(), along.ravel())
        if abs(slope) <= 0.1 * abs(first) or not np.isfinite(slope):
            break
    return value
