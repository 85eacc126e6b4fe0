"""Precision and recall of the first k labels, as ``fasttext test`` counts them.

    P@k = right / given        R@k = right / actual        sums over all rows, of which N have a label

Labels that the model does not know are no labels there: a row that has no others is not counted.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import ManyLabels
from lindy.evaluation.predictions import Predictions

EPSILON = 1e-5  # what fastText adds to probabilities; less probable labels of a hierarchical softmax are never given


class TopCounts:
    """Counts rows, labels, and those of the first k of each row that are right.

    ``least`` is how probable a label must be to be given at all.
    """

    def __init__(self, classes: list[str], k: int = 1, least: float = -np.inf) -> None:
        self.k, self._least = min(k, len(classes)), least
        self._numbers = {label: number for number, label in enumerate(classes)}
        self.n = self.right = self.given = self.actual = 0
        self.left_out = 0

    def add(self, truth: ManyLabels, predicted: Predictions) -> None:
        """Count some rows."""
        number = np.array([self._numbers.get(str(label), -1) for label in truth.names.tolist()], np.int64)
        rows = np.repeat(np.arange(len(truth)), np.diff(truth.indptr))
        codes = number[truth.codes] if len(number) else np.zeros(0, np.int64)
        rows, codes = rows[codes >= 0], codes[codes >= 0]
        counted = np.bincount(rows, minlength=len(truth)) > 0
        first = self._first(predicted)
        n_classes = len(self._numbers)
        cells = (np.arange(len(truth))[:, None] * n_classes + first)[counted]
        probable = np.take_along_axis(predicted.values, first, axis=1)[counted] >= self._least
        self.n += int(counted.sum())
        self.left_out += int((~counted).sum())
        self.actual += len(codes)
        self.given += int(probable.sum())
        self.right += int((np.isin(cells, rows * n_classes + codes) & probable).sum())

    def _first(self, predicted: Predictions) -> NDArray[Any]:
        """Return the first k labels of each row; the first of all is the one that is predicted."""
        values = predicted.values.astype(np.float64)
        values[np.arange(len(values)), predicted.best] = np.inf
        first: NDArray[Any] = np.argsort(-values, axis=1, kind="stable")[:, : self.k]
        return first

    @property
    def precision(self) -> float:
        """P@k; NaN if no label was given."""
        return self.right / self.given if self.given else np.nan

    @property
    def recall(self) -> float:
        """R@k; NaN if there are no labels."""
        return self.right / self.actual if self.actual else np.nan
