"""Calibration of several labels: a sigmoid of its own for each label's score.

    p_k = σ(a_k·s_k + c_k)         maximum likelihood with Platt's targets (Platt 1999), on held-out scores

Held-out scores are counted between cuts (``label_thresholds.CutCounts``), and the counts of a rare label taken together
with those of labels about as frequent, as for the thresholds.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core import numerics
from lindy.evaluation.calibration.calibrators import Calibrator, check_shapes
from lindy.evaluation.label_thresholds import BORROWED, Borrowing, CutCounts

Array = NDArray[np.float64]

_ROUNDS = 50
_HUGE = 1e100  # in the place of ±∞
_AT_ONCE = 256  # rows whose probabilities are found at once: they stay in the cache


class LabelSigmoids(Calibrator):
    """σ(a_k·s_k + c_k) for each label, whatever the others say: a row's probabilities need not sum to 1."""

    method = "per-label"

    @classmethod
    def of(cls, counts: CutCounts) -> Self:
        """Fit to counts of held-out rows between cuts."""
        rows, right = smoothed(counts)
        total = right.sum(axis=1, keepdims=True)
        others = (rows - right).sum(axis=1, keepdims=True)
        target = right * (total + 1) / (total + 2) + (rows - right) / (others + 2)
        slope, shift = fit_logistics(counts.middles, target, rows)
        return cls({"slope": slope, "shift": shift})

    def probabilities_and_best(self, scores: ArrayLike) -> tuple[Array, NDArray[np.intp]]:
        """Return the probability of every label, and the label of the highest one."""
        given = np.asarray(scores, np.float64)
        p, best = np.empty(given.shape), np.empty(len(given), np.intp)
        for begin in range(0, len(given), _AT_ONCE):
            some = slice(begin, begin + _AT_ONCE)
            s = np.clip(given[some], -_HUGE, _HUGE)
            s *= self.arrays["slope"]
            s += self.arrays["shift"]
            p[some] = numerics.sigmoid(s)
            best[some] = p[some].argmax(axis=1)
        return p, best

    def threshold(self, scores: ArrayLike) -> Array:
        """Return the probabilities of one score for each label, as a rule has them for its thresholds.

        Where scores say nothing, all rows have the same probability: only a label that most of them have is given.
        """
        slope = self.arrays["slope"]
        p: Array = self(np.broadcast_to(np.asarray(scores, np.float64), (1, len(slope))))[0]
        return np.where(slope > 0, p, 0.5)

    def _check(self, n_classes: int) -> None:
        check_shapes(self.arrays, {"slope": (n_classes,), "shift": (n_classes,)})

    @classmethod
    def from_state(cls, arrays: Mapping[str, Any], n_labels: int) -> Self:
        """Return the calibrator whose arrays these are; raises ValueError for anything else."""
        made = cls(arrays)
        made._check(n_labels)
        return made


def smoothed(counts: CutCounts) -> tuple[Array, Array]:
    """Return rows between cuts, and those of them with the label, together with those of labels as frequent."""
    n = counts.actual
    rows, right = (-np.diff(held, axis=1, append=0.0) for held in (counts.called, counts.right))
    rows[:, 0] += counts.below  # whatever lies further down
    borrowed = Borrowing(n[:, 0], n[:, 0])
    rows, right = (own + BORROWED * borrowed(own / np.maximum(n, 1)) for own in (rows, right))
    return rows, right


def fit_logistics(x: Array, target: Array, weight: Array) -> tuple[Array, Array]:
    """Return a ≥ 0 and c of σ(a·x + c) for every row of targets (sums) and weights, by Newton's method."""
    scale = max(float(np.abs(x).max(initial=0.0)), np.finfo(float).tiny)
    u = x / scale
    total = weight.sum(axis=1)
    mean = np.clip(target.sum(axis=1) / np.maximum(total, 1e-12), 1e-9, 1 - 1e-9)
    a, c = np.zeros(len(target)), numerics.log(mean) - numerics.log(1 - mean)
    constant = c.copy()
    for _ in range(_ROUNDS):
        p = numerics.sigmoid(a[:, None] * u + c[:, None])
        r, v = weight * p - target, weight * np.maximum(p * (1 - p), 1e-9)
        g_a, g_c = (r * u).sum(axis=1), r.sum(axis=1)
        h_aa, h_ac, h_cc = (v * u * u).sum(axis=1), (v * u).sum(axis=1), v.sum(axis=1)
        ridge = 1e-9 * (h_aa + h_cc) + np.finfo(float).tiny
        det = (h_aa + ridge) * (h_cc + ridge) - h_ac**2
        step_a = ((h_cc + ridge) * g_a - h_ac * g_c) / det
        step_c = ((h_aa + ridge) * g_c - h_ac * g_a) / det
        short = np.minimum(1.0, 8.0 / np.maximum(np.abs(step_a) + np.abs(step_c), 1e-12))
        a, c = a - short * step_a, c - short * step_c
        if max(np.abs(step_a).max(initial=0.0), np.abs(step_c).max(initial=0.0)) < 1e-9:
            break
    upside_down = a < 0  # higher scores where the label is missing: they say nothing
    return np.where(upside_down, 0.0, a / scale), np.where(upside_down, constant, c)
