"""The reliability curve (``calibration_curve`` of scikit-learn) and the expected calibration error.

Predictions are put into 15 bins of equal width by the probability p̂ of the label they chose (top label). In a
calibrated bin the share of right labels equals the mean p̂:

    ECE = Σ_b (n_b / n)·|right_b − p̂_b|        (Naeini et al. 2015, Guo et al. 2017)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

BINS = 15


@dataclass(frozen=True, slots=True)
class Reliability:
    """Per bin that holds predictions: how many, their mean probability, and the share that was right."""

    counts: NDArray[np.int64]
    confidence: NDArray[np.float64]
    accuracy: NDArray[np.float64]

    @property
    def error(self) -> float:
        """The expected calibration error."""
        gap = np.abs(self.accuracy - self.confidence)
        return float((self.counts * gap).sum() / self.counts.sum())


class Bins:
    """Predictions counted by the probability of the chosen label, row by row."""

    def __init__(self, bins: int = BINS) -> None:
        self._counts = np.zeros(bins, np.int64)
        self._confidence, self._right = np.zeros(bins), np.zeros(bins)

    def add(self, confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> None:
        """Add predictions: the probability of each, and whether it was right."""
        place = bin_numbers(confidence, len(self._counts))
        self._counts += np.bincount(place, minlength=len(self._counts))
        for total, values in ((self._confidence, confidence), (self._right, right)):
            np.add.at(total, place, values)  # one after the other: it does not matter how the rows are cut

    def curve(self) -> Reliability:
        """Return the reliability curve of what was added."""
        some = self._counts > 0
        counts = self._counts[some]
        return Reliability(counts, self._confidence[some] / counts, self._right[some] / counts)


def reliability_curve(probabilities: ArrayLike, codes: ArrayLike, bins: int = BINS) -> Reliability:
    """Return the reliability curve of probabilities (rows, classes) for the true class numbers."""
    return binned(*top_labels(probabilities, codes), bins)


def binned(confidence: NDArray[np.float64], right: NDArray[np.bool_], bins: int = BINS) -> Reliability:
    """Return the reliability curve of predictions from the probability of each and whether it was right."""
    counted = Bins(bins)
    counted.add(confidence, right)
    return counted.curve()


def top_labels(probabilities: ArrayLike, codes: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Return the probability of the label that each row chose, and whether that is the true one."""
    p, y = np.asarray(probabilities, np.float64), np.asarray(codes)
    if p.ndim != 2 or len(p) != len(y) or not len(y):
        raise ValueError(f"there must be one row of probabilities per label; got {p.shape} and {y.shape}")
    chosen = p.argmax(axis=1)
    return p[np.arange(len(p)), chosen], chosen == y


def bin_numbers(confidence: NDArray[np.float64], bins: int) -> NDArray[np.int64]:
    """Return the bin of each probability; 1 belongs to the last one."""
    return np.minimum((confidence * bins).astype(np.int64), bins - 1)


def calibration_error(probabilities: ArrayLike, codes: ArrayLike, bins: int = BINS) -> float:
    """Return the expected calibration error of the top label in ``bins`` bins of equal width."""
    return reliability_curve(probabilities, codes, bins).error
