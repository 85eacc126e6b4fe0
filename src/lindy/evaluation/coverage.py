"""Sets of labels that hold the right one as often as was asked for: split conformal prediction, kept as counts.

    threshold   t = the largest edge with (missed(t) + 1) / (n + 1) ≤ 1 - coverage
    missed(t)   of n held-out examples, how many have a true label whose probability is below t
    set         every label whose probability is at least t, and always the best one

An example that is exchangeable with those held out then has its label in the set with at least the asked probability
(Vovk et al. 2005). Where an example has several labels, each counts for its share of them, and what is bounded is the
expected share of labels that are missed (conformal risk control, Angelopoulos et al. 2022). Probabilities of true
labels are counted in bins of their log odds; a threshold is the lower edge of a bin, so what is rounded errs towards
larger sets.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.weights import are_whole
from lindy.evaluation.predictions import Array, Codes, LabelLists, Predictions

if TYPE_CHECKING:
    from lindy.core.targets import Targets

BINS = 1024
"""Bins of the log odds of a probability, of equal width between -``_FAR`` and ``_FAR``."""
NOT_HELD_OUT = (
    "the model has no probabilities of examples that were held out of its training, which sets of labels need: it was"
    " not calibrated, or made by an earlier version, an update or a merge"
)
COARSER = (1024, 128, 16)
"""Into how many bins the probabilities of a single label are cut, so that there are at most ``MOST_CELLS``."""
MOST_CELLS = 16384
_FAR = 32.0


@dataclass(frozen=True, slots=True)
class TrueProbabilities:
    """How probable the true labels of held-out examples were, as counts.

    Attributes
    ----------
    n : float
        Examples, each as often as its weight says.
    missed : array (BINS,)
        By bin of the probability: the true labels, each as its share of the labels of its example.
    cells : array (cells, 2)
        Label and bin (of ``n_bins``) of all combinations that occur, in their order.
    counts : array (cells,)
        How many true labels each cell holds.
    n_bins : int
    """

    n: float
    missed: Array
    cells: NDArray[np.int32]
    counts: Array
    n_bins: int

    @classmethod
    def of(
        cls, truth: Targets, predictions: Predictions, weight: NDArray[np.float64] | None = None
    ) -> Self | None:
        """Count what predictions say of the true labels of rows; None for scores, or where there are no rows."""
        if not predictions.are_probabilities or len(predictions) == 0:
            return None
        rows, codes = truth.pairs
        known = codes >= 0
        rows, codes = rows[known], codes[known]
        each = np.ones(len(truth)) if weight is None or not are_whole(weight) else weight
        bins = _bins(predictions.values[rows, codes].astype(np.float64))
        share = each[rows] / np.bincount(rows, minlength=len(truth))[rows]
        missed = np.bincount(bins, share, BINS).astype(np.float64)
        for n_bins in COARSER:
            places = codes.astype(np.int64) * n_bins + bins * n_bins // BINS
            cells, inverse = np.unique(places, return_inverse=True)
            if len(cells) <= MOST_CELLS:
                break
        else:
            cells, inverse = cells[:0], inverse[:0]  # too many labels: none has enough examples
        counts = np.bincount(inverse, each[rows][: len(inverse)], len(cells)).astype(np.float64)
        pairs = np.stack([cells // n_bins, cells % n_bins], axis=1).astype(np.int32)
        return cls(float(each.sum()), missed, pairs, counts, n_bins)

    def thresholds(self, coverage: float, n_classes: int, *, per_class: bool = False) -> Array:
        """Return the probability from which on each label belongs to the set.

        ``per_class`` asks for the coverage among the examples of each label; a label with too few of them, fewer than
        coverage / (1 - coverage), belongs to every set.
        """
        if not 0 < coverage < 1:
            raise ValueError(f"coverage must lie between 0 and 1, without them; got {coverage}")
        if not per_class:
            return np.full(n_classes, _threshold(self.missed, self.n, coverage))
        missed = np.zeros((n_classes, self.n_bins))
        missed[self.cells[:, 0], self.cells[:, 1]] = self.counts
        return np.array([_threshold(own, own.sum(), coverage) for own in missed])

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what a model file keeps."""
        occupied = np.flatnonzero(self.missed)
        return {"examples": self.n, "bins": self.n_bins}, {
            "missed_bins": occupied.astype(np.int32),
            "missed": self.missed[occupied],
            "cells": self.cells,
            "counts": self.counts,
        }

    @classmethod
    def from_state(cls, stored: Any, arrays: Mapping[str, Any], n_classes: int) -> Self:
        """Return the counts that a model file holds; raises ValueError for anything else."""
        wanted = {"missed_bins": (1, np.int32), "missed": (1, np.float64)}
        wanted |= {"cells": (2, np.int32), "counts": (1, np.float64)}
        found = {name: (array.ndim, array.dtype.type) for name, array in arrays.items()}
        sound = isinstance(stored, dict) and {name: type(own) for name, own in stored.items()} == {
            "examples": float,
            "bins": int,
        }
        if not sound or found != wanted or stored["bins"] not in COARSER:
            raise ValueError("the stored probabilities of held-out labels are malformed")
        n, n_bins = stored["examples"], stored["bins"]
        bins, cells = arrays["missed_bins"], arrays["cells"]
        missed, counts = arrays["missed"], arrays["counts"]
        sound = len(bins) == len(missed) and cells.shape == (len(counts), 2) and len(cells) <= MOST_CELLS
        sound = sound and _rising(bins, BINS) and ((cells >= 0) & (cells < [n_classes, n_bins])).all()
        sound = sound and _rising(cells[:, 0].astype(np.int64) * n_bins + cells[:, 1], n_classes * n_bins)
        sound = sound and all((np.isfinite(own) & (own > 0)).all() for own in (missed, counts))
        if not sound or not 0 < n < np.inf or missed.sum() > n * (1 + 1e-9):
            raise ValueError("the stored probabilities of held-out labels are no counts of labels and bins")
        full = np.zeros(BINS)
        full[bins] = missed
        return cls(n, full, cells, counts, n_bins)


@dataclass(frozen=True, slots=True)
class LabelSets:
    """The set of labels of each row: those whose probability reaches a threshold, and always the best one."""

    thresholds: Array

    def __call__(self, predictions: Predictions) -> Predictions:
        """Return the predictions with such sets, the most probable label first."""
        values = predictions.values
        inside = values >= self.thresholds
        inside[np.arange(len(values)), predictions.best] = True
        rows, codes = np.nonzero(inside)
        codes = codes[np.lexsort((-values[rows, codes], rows))]
        indptr = np.append(0, np.cumsum(inside.sum(axis=1)))
        return replace(predictions, given=LabelLists(indptr, codes))


class CoverageTally:
    """How often sets of labels hold the true ones, and how large they are, for rows that come part by part."""

    def __init__(self, asked: float) -> None:
        self.asked = asked
        self._n = self._single = 0
        self._sums = np.zeros(3)  # covered, its square, labels

    def add(self, rows: Codes, codes: Codes, predictions: Predictions) -> None:
        """Add the pairs of a row and a true label, -1 for one that the model does not have, and the rows' sets."""
        given, n = predictions.given, len(predictions)
        if not isinstance(given, LabelLists):
            raise TypeError("coverage is that of sets of labels")
        sizes = np.diff(given.indptr)
        K = predictions.values.shape[1] + 1
        found = np.isin(rows * K + codes, np.repeat(np.arange(n), sizes) * K + given.codes)
        labels = np.bincount(rows, minlength=n)
        covered = np.where(labels == 0, 1.0, np.bincount(rows, found, n) / np.maximum(labels, 1))
        self._n, self._single = self._n + n, self._single + int((sizes == 1).sum())
        self._sums += [covered.sum(), (covered * covered).sum(), sizes.sum()]

    def to_dict(self) -> dict[str, Any]:
        """Return what was asked and reached, with an interval of 95 %, and how large the sets are."""
        from lindy.evaluation.metrics.intervals import wilson

        n = max(self._n, 1)
        reached, square, size = (self._sums / n).tolist()
        spread = square - reached * reached  # that of a share where each row has one label
        rows = self._n if spread <= 0 else self._n * reached * (1 - reached) / spread
        return {
            "asked": self.asked,
            "reached": reached,
            "interval": list(wilson(reached, rows)),
            "mean_size": size,
            "single": self._single / n,
        }


def _threshold(missed: Array, n: float, coverage: float) -> float:
    """Return the largest lower edge of a bin such that what lies below it may be missed."""
    below = np.append(0.0, np.cumsum(missed)[:-1])
    allowed = (below + 1) / (n + 1) <= (1 - coverage) * (1 + 1e-12)
    last = int(np.flatnonzero(allowed)[-1]) if allowed[0] else 0
    return float(edges(len(missed))[last])


def _bins(p: Array) -> NDArray[np.int64]:
    """Return the bin of the log odds of each probability; the lower edge of a bin, as `edges` has it, is in it."""
    return np.searchsorted(edges(BINS), p, "right") - 1


def edges(n_bins: int) -> Array:
    """Return the probabilities at which bins begin; that of the first is 0."""
    begin = _FAR - 2 * _FAR * np.arange(n_bins) / n_bins
    return np.append(0.0, 1 / (1 + numerics.exp(begin)[1:]))


def _rising(numbers: NDArray[Any], end: int) -> bool:
    """Whether numbers lie between 0 and an end and rise."""
    inside = len(numbers) == 0 or (numbers[0] >= 0 and numbers[-1] < end)
    return bool(inside and (np.diff(numbers.astype(np.int64)) > 0).all())
