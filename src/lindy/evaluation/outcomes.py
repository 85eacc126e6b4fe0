"""Predictions for examples whose labels are known, as counts: small enough to be kept with the model.

Each cell counts the examples with one true label, one predicted label and one bin of the predicted label's probability.
Accuracy, precision, recall, the confusion of labels, and what any threshold would reject all follow from the counts;
no text can be found in them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.weights import are_whole

if TYPE_CHECKING:  # a model that only predicts needs no figures
    from lindy.core.targets import Targets
    from lindy.evaluation.metrics.class_metrics import Evaluation
    from lindy.evaluation.metrics.intervals import Interval
    from lindy.evaluation.predictions import Predictions

BINS = (100, 20, 5)
"""Into how many bins probabilities may be cut; coarser ones where the cells would be too many."""
MOST_CELLS = 8192
ANOTHER = -1
"""In the place of a true label that is not the predicted one, where the cells with all labels would be too many."""

Cells = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Counts of examples by true label, predicted label and bin.

    Attributes
    ----------
    cells : array (cells, 4)
        True label, predicted label, bin, count; in the order of the first three, each combination once.
    n_classes : int
    n_bins : int
        Bins of equal width from 0 to 1; 0 where the model has no probabilities.
    rows : int
        How many examples there are, where each may have several labels; 0 where it has one. Then a label that is true
        or predicted is counted by itself, ``ANOTHER`` in the place of what it is not.
    """

    cells: Cells
    n_classes: int
    n_bins: int
    rows: int = 0

    @classmethod
    def of(cls, truth: Targets, predictions: Predictions, weight: NDArray[np.float64] | None = None) -> Self:
        """Count what predictions say of rows with these targets, each as often as its weight says."""
        given = predictions.chosen
        true, called, rows = truth.compared(given)
        probability = None
        if predictions.are_probabilities:
            probability = predictions.values[rows, np.where(called >= 0, called, true)].astype(np.float64)
        own = None if weight is None else weight[rows]
        made = cls.of_codes(true, called, probability, len(truth.names), own)
        return made if truth.row_codes is not None else replace(made, rows=len(truth))

    @classmethod
    def of_codes(
        cls,
        truth: NDArray[Any],
        predicted: NDArray[Any],
        probability: NDArray[np.float64] | None,
        n_classes: int,
        weight: NDArray[np.float64] | None = None,
    ) -> Self:
        """Count examples: their true and predicted class numbers, and the probability of the latter.

        A true label that the model does not have is ``ANOTHER``. An example counts as often as its weight says; where
        weights are not whole numbers, once.
        """
        if weight is not None and are_whole(weight) and weight.sum() < np.iinfo(np.int32).max:
            times = weight.astype(np.int64)
            truth, predicted = np.repeat(truth, times), np.repeat(predicted, times)
            probability = None if probability is None else np.repeat(probability, times)
        p = np.zeros(len(truth)) if probability is None else probability
        choices: tuple[int, ...] = (0,) if probability is None else BINS
        missed = bool((predicted < 0).any())
        choices = (*choices, 0) if missed else choices
        for own in (truth,) if missed else (truth, np.where(truth == predicted, truth, ANOTHER)):
            for n_bins in choices:
                cells = _counted(own, predicted, _bins(p, n_bins))
                if len(cells) <= MOST_CELLS:
                    return cls(cells, n_classes, n_bins)
        # there are more labels than cells: what is left says how often the model is right, whatever the label
        labels = np.maximum(truth, predicted) if missed else predicted
        right, called = (np.where(own == labels, 0, ANOTHER) for own in (truth, predicted))
        return cls(_counted(right, called, _bins(p, choices[0])), 0, choices[0])

    @property
    def n(self) -> int:
        """How many examples were counted."""
        return self.rows or int(self.cells[:, 3].sum())

    @property
    def several(self) -> bool:
        """Whether an example may have any number of labels."""
        return self.rows > 0

    def label_counts(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Return how many examples have each label, were given it, and rightly so."""
        K = max(self.n_classes, 1)
        true, called, times = self.cells[:, 0], self.cells[:, 1], self.cells[:, 3]
        actual, given, right = (
            np.bincount(own[some], times[some], K).astype(np.int64)
            for own, some in ((true, true >= 0), (called, called >= 0), (true, true == called))
        )
        return actual, given, right

    @property
    def by_label(self) -> bool:
        """Whether it is known which labels were predicted."""
        return self.n_classes > 0

    @property
    def accuracy(self) -> tuple[float, Interval]:
        """The share that is right, and between what it lies with 95 % confidence."""
        from lindy.evaluation.metrics.intervals import wilson

        right = int(self.cells[self.cells[:, 0] == self.cells[:, 1], 3].sum())
        return right / max(self.n, 1), wilson(right / max(self.n, 1), self.n)

    def confusion(self) -> NDArray[np.int64] | None:
        """Return how often each label (row) was called each label (column); None where that was not kept."""
        if not self.by_label or (self.cells[:, :2] == ANOTHER).any() or self.several:
            return None
        K = self.n_classes
        places = self.cells[:, 0].astype(np.int64) * K + self.cells[:, 1]
        return np.bincount(places, self.cells[:, 3], K * K).astype(np.int64).reshape(K, K)

    def evaluation(self, labels: list[Any], *, resamples: int = 0) -> Evaluation | None:
        """Return all figures that follow from the confusion of labels; None where that was not kept."""
        from lindy.evaluation.metrics.class_metrics import evaluate_confusion

        confusion = self.confusion()
        return None if confusion is None else evaluate_confusion(confusion, labels, resamples=resamples)

    def bins(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many predictions were right and how many wrong, bins × predicted labels."""
        K = max(self.n_classes, 1)
        places = self.cells[:, 2].astype(np.int64) * K + self.cells[:, 1]
        right, given = self.cells[:, 0] == self.cells[:, 1], self.cells[:, 1] >= 0
        size = max(self.n_bins, 1) * K
        counts = [
            np.bincount(places[own], self.cells[own, 3], size).astype(np.int64).reshape(-1, K)
            for own in (right, given & ~right)
        ]
        return counts[0], counts[1]

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return what a model file keeps."""
        more = {"rows": self.rows} if self.several else {}
        return {"bins": self.n_bins, "by_label": self.by_label, **more}, {"cells": self.cells}

    @classmethod
    def from_state(
        cls, stored: Any, arrays: Mapping[str, Any], n_classes: int, *, several: bool = False
    ) -> Self:
        """Return the outcomes that a model file holds; raises ValueError for anything else."""
        cells = arrays.get("cells")
        wanted = {"bins": int, "by_label": bool} | ({"rows": int} if several else {})
        known = isinstance(stored, dict) and {name: type(own) for name, own in stored.items()} == wanted
        if not known or set(arrays) != {"cells"} or stored["bins"] not in (0, *BINS):
            raise ValueError("the stored outcomes of held-out examples are malformed")
        K, n_bins = (n_classes if stored["by_label"] else 0), stored["bins"]
        cells = np.asarray(cells)
        if cells.dtype != np.int32 or cells.ndim != 2 or cells.shape[1] != 4 or len(cells) > MOST_CELLS:
            raise ValueError(f"the stored outcomes must be at most {MOST_CELLS} cells of four numbers")
        rows = stored.get("rows", 0)
        least, most = (
            np.array([ANOTHER, ANOTHER if several else 0, 0, 1]),
            np.array([max(K, 1), max(K, 1), max(n_bins, 1), 2**31]),
        )
        inside = ((cells >= least) & (cells < most)).all()
        steps = np.diff(cells[:, :3].astype(np.int64), axis=0)
        rising = all(step[np.flatnonzero(step)[0]] > 0 if step.any() else False for step in steps)
        sound = 0 < rows < 2**31 and (cells[:, :2].max(axis=1) >= 0).all() if several else len(cells) > 0
        if not sound or not inside or not rising:
            raise ValueError("the stored outcomes are no counts of labels and bins")
        return cls(cells, K, n_bins, rows)


def _bins(p: NDArray[np.float64], n_bins: int) -> NDArray[np.int64]:
    """Return the bin of each probability; 1 belongs to the last one."""
    return np.clip((p * n_bins).astype(np.int64), 0, max(n_bins - 1, 0))


def _counted(truth: NDArray[Any], predicted: NDArray[Any], bins: NDArray[np.int64]) -> Cells:
    """Return the cells that occur, in their order, with their counts."""
    rows = np.stack([truth, predicted, bins], axis=1).astype(np.int64)
    cells, counts = np.unique(rows, axis=0, return_counts=True)
    return np.concatenate([cells, counts[:, None]], axis=1).astype(np.int32)
