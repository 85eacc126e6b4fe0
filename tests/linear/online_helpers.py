"""What the tests of the online learners share."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.strategies import Labelled

from lindy.core.csr import as_csr
from lindy.linear.optimizers.online_rows import prepare
from lindy.linear.optimizers.training_schedule import TrainingSchedule, generator, orders


def visits(model: Any, X: NDArray[Any], y: NDArray[Any]) -> NDArray[np.int64]:
    """Return the rows in the order of all epochs of a fitted model: equal rows in a row, as often as they occur."""
    codes = np.unique(y, return_inverse=True)[1].astype(np.int32)
    data = prepare(as_csr(X), codes, None, shuffle=model.shuffle, dtype="float64")
    training = TrainingSchedule(epochs=model.epochs, shuffle=model.shuffle)
    order = np.concatenate(
        [rows.copy() for rows in orders(data.rows, training, generator(model.random_state))]
    )
    times = np.ones(len(order), int) if data.weight is None else data.weight[order].astype(int)
    return np.repeat(order, times)


def with_ones(X: NDArray[Any]) -> NDArray[Any]:
    """Return X with a last column for the bias."""
    return np.column_stack((X, np.ones(len(X))))


def all_labels(data: Labelled) -> bool:
    """Whether there are at least two classes, numbered without gaps."""
    classes = np.unique(data[1])
    return len(classes) >= 2 and len(classes) == classes[-1] + 1


seeds = st.integers(0, 3)
