"""Thresholds of several labels: from which score on a text gets each label, found on held-out scores.

A label with few examples has few held-out scores, and the cut that is best for them is noise. So its figures are taken
together with those of other labels, the more the rarer it is:

    F_k(t)      F1 of label k, of which n_k rows have it, cut at t
    G_k(t)      the mean of F_j(t) over other labels j, by exp(−½·(log n_j − log n_k)²): those as frequent count most
    macro-f1    t_k = argmax  n_k·F_k(t) + m·G_k(t)                            m = 10 rows

For micro-F1, 2·TP / (called + actual) over all labels together, the same is done with what a cut gains,

    gain_k(t)   2·TP_k(t) − F·(called_k(t) + n_k),   F the micro-F1 that is reached, by iteration (Dinkelbach 1967)

and for the mean F1 of the rows, with what a label adds to it beside the others (``example_thresholds``).

Cuts are those between quantiles of the scores that the labels' own rows have.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.core.targets import ManyLabels

Array = NDArray[np.float64]

BORROWED = 10.0
"""Rows (m) that the labels of the same frequency count beside a label's own."""

CUTS = 200
"""Thresholds that are tried."""

AT_ONCE = 1 << 13
"""Rows whose scores are compared with the cuts at once."""


class CutCounts(NamedTuple):
    """How many rows get each label at each cut, and rightly so: labels × cuts.

    Attributes
    ----------
    cuts : array (cuts,), ascending
    called, right : arrays (labels, cuts), the rows with scores at or above each cut, and those of them with the label
    actual : array (labels, 1), the rows that have each label
    below : array (labels,), the rows with scores below all cuts
    """

    cuts: Array
    called: Array
    right: Array
    actual: Array
    below: Array

    @property
    def middles(self) -> Array:
        """The middle between each cut and the next."""
        return np.append((self.cuts[1:] + self.cuts[:-1]) / 2, self.cuts[-1])

    def micro_f1(self, thresholds: Array) -> float:
        """Return the micro-F1 of thresholds of the labels, each taken to be the nearest cut from it on."""
        at = np.minimum(np.searchsorted(self.cuts, thresholds), len(self.cuts) - 1)
        labels = np.arange(len(at))
        called = self.called[labels, at].sum() + self.actual.sum()
        return float(2 * self.right[labels, at].sum() / max(called, 1))

    @classmethod
    def of(cls, scores: Array, targets: ManyLabels) -> CutCounts:
        """Count rows with scores (rows × labels) at or above cuts between their quantiles."""
        rows, K = np.repeat(np.arange(len(targets)), np.diff(targets.indptr)), len(targets.names)
        own = scores[rows, targets.codes]
        cuts = np.unique(np.quantile(own, np.linspace(0, 1, CUTS))) if len(own) else np.zeros(1)
        cuts = np.append(cuts, np.nextafter(cuts[-1], np.inf))  # which gives the label to none of them

        def at_or_above(found: NDArray[np.int64]) -> Array:
            return np.cumsum(found.reshape(K, len(cuts))[:, ::-1], axis=1)[:, ::-1].astype(np.float64)

        found = np.zeros((K, len(cuts)), np.int64)
        for begin in range(0, len(scores), AT_ONCE):
            part = np.ascontiguousarray(scores[begin : begin + AT_ONCE], np.float64)
            _native.score_counts(part, cuts, found)
        places = targets.codes * len(cuts) + np.searchsorted(cuts, own, side="right") - 1
        called, right = at_or_above(found), at_or_above(np.bincount(places, minlength=K * len(cuts)))
        actual = targets.counts.astype(np.float64)[:, None]
        return cls(cuts, called, right, actual, len(targets) - called[:, 0])


def macro_thresholds(counts: CutCounts) -> Array:
    """Return the thresholds that make the mean F1 of the labels largest, smoothed over labels alike in frequency."""
    n = counts.actual
    f1 = 2 * counts.right / np.maximum(counts.called + n, 1)
    borrowed = Borrowing(n[:, 0], np.ones_like(n[:, 0]))(f1)
    cuts: Array = counts.cuts[(n * f1 + BORROWED * borrowed).argmax(axis=1)]
    return cuts


def micro_thresholds(counts: CutCounts) -> Array:
    """Return the thresholds that make micro-F1 largest, smoothed over labels alike in frequency."""
    n, labels = counts.actual, np.arange(len(counts.actual))
    together = 2 * counts.right.sum(axis=0) / np.maximum(counts.called.sum(axis=0) + n.sum(), 1)
    best, figure = np.full(len(n), together.argmax()), float(together.max())
    borrowed = Borrowing(n[:, 0], n[:, 0])
    for _ in range(10):
        gain = 2 * counts.right - figure * (counts.called + n)
        best = (gain + BORROWED * borrowed(gain / np.maximum(n, 1))).argmax(axis=1)
        reached = 2 * counts.right[labels, best].sum() / max(counts.called[labels, best].sum() + n.sum(), 1)
        if reached <= figure:
            break
        figure = float(reached)
    cuts: Array = counts.cuts[best]
    return cuts


def example_thresholds(counts: CutCounts, scores: Array, targets: ManyLabels) -> Array:
    """Return the thresholds that make the mean F1 of the rows largest, smoothed over labels alike in frequency.

    Beginning with those of micro-F1, every label is cut anew where what it adds to the rows' F1 beside the others is
    largest, until that is no better.
    """
    cuts, n = counts.cuts, counts.actual
    least = len(cuts) // 10  # lower cuts give labels to most rows
    rows, labels = np.nonzero(scores >= cuts[least])
    place = np.searchsorted(cuts, scores[rows, labels], side="right") - 1
    own = np.isin(rows * len(n) + labels, targets._rows * len(n) + targets.codes)
    actual = np.diff(targets.indptr)
    borrowed = Borrowing(n[:, 0], n[:, 0])
    best = chosen = np.maximum(np.searchsorted(cuts, micro_thresholds(counts)), least)
    figure = -1.0
    for _ in range(10):
        given = place >= best[labels]
        called, right = (np.bincount(rows[some], minlength=len(actual)) for some in (given, given & own))
        reached = float(_row_f1(right, called, actual).mean())
        if reached <= figure:
            break
        figure, chosen = reached, best
        r, c, a = right[rows] - (given & own), called[rows] - given, actual[rows]  # without the label
        worth = _row_f1(r + own, c + 1, a) - _row_f1(r, c, a)
        gain = np.bincount(labels * len(cuts) + place, worth, len(n) * len(cuts)).reshape(len(n), -1)
        gain = np.cumsum(gain[:, ::-1], axis=1)[:, ::-1]
        smooth = gain + BORROWED * borrowed(gain / np.maximum(n, 1))
        best = least + smooth[:, least:].argmax(axis=1)
    found: Array = cuts[chosen]
    return found


def _row_f1(right: NDArray[Any], called: NDArray[Any], actual: NDArray[Any]) -> Array:
    """Return F1 of each row; 1 where there are no labels and none were given."""
    total = called + actual
    return np.where(total > 0, 2 * right / np.maximum(total, 1), 1.0)


class Borrowing:
    """The means of other labels' figures, by how alike their frequencies are; labels as frequent are taken together.

    Nothing is as large as labels × labels: the other labels of a frequency are all of them less the label itself.
    """

    def __init__(self, n: Array, weight: Array) -> None:
        frequencies, self._group = np.unique(n, return_inverse=True)
        self._weight = np.where(n > 0, weight, 0.0)  # those without a row know nothing
        log_n = numerics.log(np.maximum(frequencies, 1.0))
        self._near = numerics.exp(-0.5 * np.square(log_n[:, None] - log_n))
        np.fill_diagonal(self._near, 0.0)
        order = np.argsort(self._group, kind="stable").astype(np.int32)
        ends = np.append(0, np.cumsum(np.bincount(self._group, minlength=len(frequencies))))
        self._sums = Csr(ends, order, self._weight[order], len(n))
        self._total = self._others(np.ones((len(n), 1)))

    def _others(self, values: Array) -> Array:
        """Return the weighted sums of the other labels' values."""
        sums = self._sums.dot(np.ascontiguousarray(values), np.zeros(values.shape[1]))
        near: Array = numerics.matmul(self._near, sums)[self._group]
        return near + (sums[self._group] - self._weight[:, None] * values)

    def __call__(self, values: Array) -> Array:
        """Return the mean of the other labels' values (labels × any number); 0 where there is no other label."""
        means: Array = self._others(values) / np.maximum(self._total, np.finfo(float).tiny)
        return means
