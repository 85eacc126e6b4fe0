"""Labels that are encoded once, where they come in: learners, folds and calibrators pass them on as they are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Labels:
    """The sorted classes, and the number of each example's class among them."""

    classes: NDArray[Any]
    codes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many examples each class has."""
        return np.bincount(self.codes, minlength=len(self.classes))

    def take(self, rows: NDArray[np.integer[Any]]) -> Labels:
        """Return the labels of some examples; the classes stay the same."""
        return Labels(self.classes, self.codes[rows])

    def seen(self) -> tuple[NDArray[Any], NDArray[np.int32]]:
        """Return the classes that have examples, and each example's number among these."""
        present = self.counts > 0
        if present.all():
            return self.classes, self.codes
        return self.classes[present], (np.cumsum(present) - 1)[self.codes].astype(np.int32)


def as_labels(y: Labels | NDArray[np.integer[Any]]) -> Labels:
    """Return encoded labels; class numbers are their own labels."""
    if isinstance(y, Labels):
        return y
    return Labels(np.arange(int(y.max()) + 1), y.astype(np.int32))
