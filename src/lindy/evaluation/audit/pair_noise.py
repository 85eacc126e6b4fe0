"""How probable it is that a row lacks one of several labels, or has one wrongly, from scores of learners without it.

A row with the score s for label k should have it with probability p = σ(a_k·s + c_k). A share μ of the labels that
rows should have is missing, and a share ε of the labels that they have is wrong; a wrong one is about as often any
label as one in proportion to its share f_k of the rows, ν_k = ε·(f_k + f̄)/2. Rows are seen to have labels with

    P(has k | s) = (1 − μ)·p + ν_k·(1 − p)

All numbers are fitted by expectation and maximisation, to rows counted between cuts (``label_thresholds.CutCounts``),
those of rare labels together with labels about as frequent. μ is known from where scores are clear: there p is close
to 1, and the share of rows that have the label does not rise any further. Then

    P(missing | s, has not k) = μ·p / (μ·p + (1 − ν_k)·(1 − p))
    P(wrong | s, has k)       = ν_k·(1 − p) / ((1 − μ)·p + ν_k·(1 − p))

A label that fewer than ``FEW`` rows have is never wrong: its learners know too little of it to say so.
Before any row is seen, μ and ε are taken to be one in ``PRIOR_ROWS``, with the weight of so many labels.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.targets import ManyLabels
from lindy.evaluation.audit.label_noise import PRIOR_ROWS
from lindy.evaluation.calibration.label_calibration import fit_logistics, smoothed
from lindy.evaluation.label_thresholds import CutCounts

Array = NDArray[np.float64]

FEW = 10
_ROUNDS = 50
_STILL = 1e-4  # shares that change by less have been found
_CELLS = 1 << 20  # pairs that are judged at once


class Doubtful(NamedTuple):
    """Pairs of a row and a label that may be missing (``lacks``) or wrong, and how probable that is."""

    rows: NDArray[np.int64]
    codes: NDArray[np.int64]
    lacks: NDArray[np.bool_]
    probability: Array


class PairNoise(NamedTuple):
    """The shares of labels that are missing and wrong, and the sigmoid of each label's score.

    Attributes
    ----------
    missing, wrong : float
        μ and ε.
    slope, shift, added : arrays (labels,)
        a, c and ν.
    """

    missing: float
    wrong: float
    slope: Array
    shift: Array
    added: Array

    def judge(self, scores: Array, targets: ManyLabels, least: float) -> tuple[Doubtful, Array]:
        """Return the pairs that are missing or wrong with at least some probability, and how many of both to expect."""
        found, expected = [], np.zeros(2)
        for first in range(0, len(targets), step := max(1, _CELLS // scores.shape[1])):
            own = targets.take(np.arange(first, min(first + step, len(targets))))
            p = numerics.sigmoid(self.slope * scores[first : first + step] + self.shift)
            has = own.indicator().astype(bool)
            lacking = self.missing * p / (self.missing * p + (1 - self.added) * (1 - p))
            added = self.added * (1 - p)
            observed = np.maximum((1 - self.missing) * p + added, np.finfo(float).tiny)
            doubt = np.where(has, added / observed, lacking)
            rows, codes = np.nonzero(doubt >= least)
            found.append(Doubtful(first + rows, codes, ~has[rows, codes], doubt[rows, codes]))
            expected += [doubt[~has].sum(), doubt[has].sum()]
        return Doubtful(*(np.concatenate(parts) for parts in zip(*found, strict=True))), expected


def fit_pair_noise(scores: Array, targets: ManyLabels) -> PairNoise:
    """Fit to scores (rows × labels) of learners that have not seen the rows."""
    counts = CutCounts.of(scores, targets)
    rows, right = smoothed(counts)
    share = right.sum(axis=1, keepdims=True) / np.maximum(rows.sum(axis=1, keepdims=True), 1)
    usual = (share + share.mean()) / 2
    should = right  # rows that should have the label, between cuts
    missing = wrong = 1 / PRIOR_ROWS
    for _ in range(_ROUNDS):
        slope, shift = fit_logistics(counts.middles, should, rows)
        p = numerics.sigmoid(slope[:, None] * counts.middles + shift[:, None])
        added = wrong * usual
        kept = (1 - missing) * p / ((1 - missing) * p + added * (1 - p))
        lacking = (rows - right) * missing * p / (missing * p + (1 - added) * (1 - p))
        should = right * kept + lacking
        before = missing, wrong
        missing = float((lacking.sum() + 1) / (should.sum() + PRIOR_ROWS))
        wrong = float(((right * (1 - kept)).sum() + 1) / ((usual * (rows - should)).sum() + PRIOR_ROWS))
        if abs(missing - before[0]) + abs(wrong - before[1]) < _STILL:
            break
    added = np.where(counts.actual < FEW, 0.0, wrong * usual)
    return PairNoise(missing, wrong, slope, shift, added[:, 0])
