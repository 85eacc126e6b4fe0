"""How probable it is that a label is wrong, from scores of learners that have not seen the row.

A calibrator that knows of mislabelling. A row with scores s is of class k with probability

    q = softmax(a ∘ s + c)                               two numbers per class, or softmax(a·s) with one for all

and a share ε of the labels is wrong; a wrong label of a row of class k is y with probability r_ky (r_kk = 0):

    P(y | s) = (1 − ε)·q_y + ε·Σ_k q_k·r_ky

All numbers are fitted together to the labels as they are (maximum a posteriori). ε is known from where the scores are
clear: there q_y is close to 0 or 1, and the share of labels that contradict the scores does not fall any further. Then

    P(label wrong | s, y) = 1 − (1 − ε)·q_y / P(y | s)          P(class k | s, y) = ε·q_k·r_ky / P(y | s)

Copas (1988), *Binary regression models for contaminated data*, has this for two classes. r is uniform, 1/(K − 1), or
each class has its own, fitted in turns with the rest: whichever has the higher marginal likelihood, with a uniform
Dirichlet prior for a class' own.

Rows are listed, the most probable errors first, as long as that raises the F1 that is to be expected of the list
(precision and recall count the same): 2·Σ_listed P / (listed + Σ_all P).

Priors: before any row is seen, ε is taken to be one in ``PRIOR_ROWS``, with the weight of so many rows (Northcutt
et al. (2021) found 3.4 % wrong labels on average in ten well-known test sets); this decides where the scores tell
nothing about ε. Slopes and shifts of standardised scores are normal with standard deviation ``_WIDTH``, which keeps
them finite where the scores separate the classes.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.numerics import gram, log, sigmoid, softmax
from lindy.core.targets import Targets
from lindy.evaluation.calibration.calibrators import centred_logits
from lindy.evaluation.calibration.likelihood import Array, Point, minimise

Codes = NDArray[np.integer[Any]]

PRIOR_ROWS = 30
_WIDTH = 10.0
_MOST_CLASSES = 50
_ROWS_PER_CLASS = 10
_START = 2.0  # slope
_ROUNDS = 30
_AT_ONCE = 1 << 17  # numbers; the order of sums depends on it, and on nothing else
_GAIN = 1e-5  # per row; a round that lowers the loss by less is the last


class Suspicion(NamedTuple):
    """For each row: P(label wrong), the most probable other class, and P(that is the right one)."""

    wrong: Array
    better: NDArray[np.intp]
    right: Array

    def take(self, rows: NDArray[np.int64]) -> Suspicion:
        """Return some rows of it."""
        return Suspicion(self.wrong[rows], self.better[rows], self.right[rows])


@dataclass(frozen=True, slots=True)
class LabelNoise:
    """The share of wrong labels, and the calibrator of scores that was fitted with it.

    Attributes
    ----------
    rate : float
        ε, the estimated share of labels that are wrong.
    slope, shift : array (classes,)
    labels : array (classes, classes) or None
        r, what wrong labels of each class are; None if they are any other class.
    """

    rate: float
    slope: Array
    shift: Array
    labels: Array | None = None

    def judge(self, scores: ArrayLike, y: Codes) -> Suspicion:
        """Return how probable it is that labels are wrong, and what they should be instead."""
        w = np.concatenate([[math.log(self.rate / (1 - self.rate))], self.slope, self.shift])
        judged = Suspicion(np.empty(len(y)), np.empty(len(y), np.intp), np.empty(len(y)))
        z = centred_logits(scores)
        parts = _Objective(z, y, self.labels).parts(w)
        for rows, part in zip(_some_rows(*z.shape), parts, strict=True):
            p = part.likelihood(self.rate)
            judged.wrong[rows] = 1.0 - (1 - self.rate) * part.own / p
            judged.better[rows] = part.moved.argmax(axis=1)
            judged.right[rows] = self.rate * part.moved.max(axis=1) / p
        return judged


def fit_label_noise(scores: ArrayLike, y: Targets) -> LabelNoise:
    """Fit to scores of learners that have not seen the rows, as ``decision_function`` gives them.

    Classes have numbers of their own where there are at most 50 of them, with 10 rows each on average.
    """
    z, n_classes = centred_logits(scores), len(y.names)
    scale = float(np.sqrt(np.square(z).mean())) or 1.0
    own = n_classes <= _MOST_CLASSES and len(y) >= _ROWS_PER_CLASS * n_classes
    w = np.zeros(1 + 2 * n_classes if own else 2)
    w[0] = -math.log(PRIOR_ROWS - 1)
    w[1 : 1 + n_classes] = _START
    x, labels = z / scale, None
    objective = _Objective(x, y.codes, None)
    w = minimise(objective, w)
    if own and n_classes > 2:
        w, labels = _fit_labels(objective, w)
    slope, shift = _slope_and_shift(w, n_classes)
    return LabelNoise(float(sigmoid(w[0])), slope / scale, shift, labels)


def worth_listing(wrong: Array, total: float) -> int:
    """Return how many rows to list, of descending probabilities to be wrong, so that the expected F1 is the highest.

    ``total`` is the sum of the probabilities of all rows, those that are left out of ``wrong`` included.
    """
    if not len(wrong):
        return 0
    expected = 2 * np.cumsum(wrong) / (np.arange(1, len(wrong) + 1) + total)
    return int(expected.argmax()) + 1


class _Objective:
    """Minus the log posterior of (logit ε, slopes, shifts); its curvature is the sum of the rows' squared gradients."""

    def __init__(self, x: Array, y: Codes, labels: Array | None) -> None:
        self.x, self.y, self.labels = x, y, labels

    def parts(self, w: Array) -> Iterator[_Part]:
        """Yield what is known about the rows, some at a time."""
        slope, shift = _slope_and_shift(w, self.x.shape[1])
        for rows in _some_rows(*self.x.shape):
            x, y = self.x[rows], self.y[rows]
            q = softmax(x * slope + shift)
            yield _Part(x, y, q, q[np.arange(len(y)), y], _moved(q, y, self.labels))

    def __call__(self, w: Array) -> Point:
        rate = float(sigmoid(w[0]))
        loss = -sum(float(log(part.likelihood(rate)).sum()) for part in self.parts(w))
        prior = float(log(rate)) + (PRIOR_ROWS - 1) * float(log(1 - rate))
        loss += 0.5 * float(np.square(w[1:] / _WIDTH).sum()) - prior

        def newton() -> tuple[Array, Array]:
            gradient, curvature = w / _WIDTH**2, np.diag(np.full(len(w), _WIDTH**-2))
            gradient[0] = PRIOR_ROWS * rate - 1
            curvature[0, 0] = PRIOR_ROWS * rate * (1 - rate)
            for part in self.parts(w):
                each = part.gradients(rate, len(w))
                gradient -= each.sum(axis=0)
                curvature += gram(each)
            return gradient, curvature

        return loss, newton


class _Part(NamedTuple):
    """Some rows: standardised scores, labels, q, q_y and q_k·r_ky."""

    x: Array
    y: Codes
    q: Array
    own: Array
    moved: Array

    def likelihood(self, rate: float) -> Array:
        """Return P(y)."""
        p: Array = (1 - rate) * self.own + rate * self.moved.sum(axis=1)
        return np.maximum(p, np.finfo(float).tiny)

    def gradients(self, rate: float, n_numbers: int) -> Array:
        """Return the gradient of log P(y) of each row, for (logit ε, slopes, shifts) or (logit ε, slope)."""
        K, p, wrong = self.q.shape[1], self.likelihood(rate), self.moved.sum(axis=1)
        kept = (1 - rate) * self.own
        slopes = rate * self.moved - self.q * (kept + rate * wrong)[:, None]
        slopes[np.arange(len(p)), self.y] += kept
        slopes /= p[:, None]  # ∂ log p / ∂ z
        each = np.empty((len(p), n_numbers))
        each[:, 0] = rate * (1 - rate) * (wrong - self.own) / p
        if n_numbers > 2:
            each[:, 1 : 1 + K], each[:, 1 + K :] = slopes * self.x, slopes
        else:
            each[:, 1] = (slopes * self.x).sum(axis=1)
        return each


def _fit_labels(uniform: _Objective, start: Array) -> tuple[Array, Array | None]:
    """Return w and what wrong labels of each class are, or w as it was and None where that is less probable."""
    w, objective = start, uniform
    loss = first = uniform(start)[0]
    for _ in range(_ROUNDS):
        before = loss
        counts = _moves(objective, w)
        objective = _Objective(uniform.x, uniform.y, _shares(counts))
        w = minimise(objective, w)
        loss = objective(w)[0]
        if before - loss < _GAIN * len(uniform.y):
            break
    assert objective.labels is not None
    return (
        (w, objective.labels)
        if first - loss > _cost(_moves(objective, w), objective.labels)
        else (start, None)
    )


def _moves(objective: _Objective, w: Array) -> Array:
    """Return how many rows of each class are expected to have the label of another (class × label)."""
    rate, K = float(sigmoid(w[0])), objective.x.shape[1]
    counts = np.zeros((K, K))
    for part in objective.parts(w):
        np.add.at(counts, part.y, part.moved * (rate / part.likelihood(rate))[:, None])
    return counts.T


def _shares(counts: Array) -> Array:
    """Return what share of the wrong labels of a class each is, with a prior of one row for each."""
    more = counts + 1
    np.fill_diagonal(more, 0)
    shares: Array = more / more.sum(axis=1, keepdims=True)
    return shares


def _cost(counts: Array, shares: Array) -> float:
    """Return what fitted shares gain over their marginal likelihood, that of a uniform Dirichlet prior."""
    K = len(counts)
    other = ~np.eye(K, dtype=bool)
    fitted = float((counts[other] * log(shares[other])).sum())
    marginal = sum(math.lgamma(count + 1) for count in counts[other].tolist())
    marginal += sum(math.lgamma(K - 1) - math.lgamma(n + K - 1) for n in counts.sum(axis=1).tolist())
    return fitted - marginal


def _some_rows(n: int, n_classes: int) -> Iterator[slice]:
    step = max(_AT_ONCE // n_classes, 1)
    return (slice(first, first + step) for first in range(0, n, step))


def _slope_and_shift(w: Array, n_classes: int) -> tuple[Array, Array]:
    if len(w) == 2:
        return np.full(n_classes, w[1]), np.zeros(n_classes)
    return w[1 : 1 + n_classes], w[1 + n_classes :]


def _moved(q: Array, y: Codes, labels: Array | None) -> Array:
    """Return q_k·r_ky: how probable it is that a row whose label is wrong is of class k, and has this label."""
    moved: Array = q / (q.shape[1] - 1) if labels is None else q * labels.T[y]
    moved[np.arange(len(y)), y] = 0.0
    return moved
