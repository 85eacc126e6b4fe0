"""Totals over all partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Totals:
    """The classes with their numbers of rows, and how many columns the rows have."""

    classes: NDArray[Any]
    counts: NDArray[Any]
    n_columns: int


def class_weights_of(learner: Any, totals: Totals) -> NDArray[np.float64]:
    """Return how much a row of each class counts."""
    from lindy.core.targets import OneLabel
    from lindy.core.weights import class_weights

    mass = totals.counts.astype(np.float64)
    numbers = np.arange(len(mass), dtype=np.int32)
    weighed = class_weights(learner.class_weight, OneLabel(totals.classes, numbers), mass)
    assert weighed is not None
    return weighed / np.where(mass > 0, mass, 1.0)  # of a class, all rows may be held out


def shares_of(learner: Any, totals: Totals) -> tuple[tuple[float, ...], float]:
    """Return the weight of a row of each class in the mean, and the sum of all weights."""
    weights = class_weights_of(learner, totals)
    total = float(sum(n * weight for n, weight in zip(totals.counts.tolist(), weights, strict=True)))
    return tuple(float(weight / total) for weight in weights), total
