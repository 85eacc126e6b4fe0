"""How long an online learner trains, in which order it visits the rows, and what is told after each epoch.

With ``shuffle`` every epoch is a new permutation, drawn (PCG64) over the examples as ``online_rows`` sorts them;
without it the rows are visited as given. ``shuffle="random"`` draws every example independently (LxMLS, Alg. 5 and 6).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.errors import invalid_parameter
from lindy.estimators.parameters import check_epochs, check_real, check_whole
from lindy.linear.optimizers.online_state import State


@dataclass(frozen=True, slots=True)
class Epoch:
    """The state that a callback gets after each epoch; returning True stops the training."""

    number: int
    objective: float
    mistakes: int
    held_out: float | None
    seconds: float
    state: State


@dataclass(frozen=True, slots=True)
class TrainingSchedule:
    """How long to train, in which order, and what to watch; ``epochs`` None means enough, see ``epochs_for``."""

    epochs: int | None = 10
    shuffle: bool | str = True
    seed: Any = 0
    held_out: float = 0.0
    patience: int = 3
    until_separated: bool = False
    callback: Callable[[Epoch], bool | None] | None = None
    trace: int = 0
    vote: bool = False
    max_epochs: int | None = None
    n_jobs: int | None = None
    average_last: float = 1.0  # the share of the epochs whose steps are averaged, if any are

    def __post_init__(self) -> None:
        check_real("held_out", self.held_out)
        check_whole("patience", self.patience, 1)
        check_whole("trace", self.trace, 0)
        if self.epochs is not None:
            check_epochs(self.epochs)
        if not 0 < self.average_last <= 1:
            raise ValueError(
                f"average_last is a share of the epochs, above 0 and at most 1; got {self.average_last}"
            )
        if self.callback is not None and not callable(self.callback):
            raise ValueError(f"callback must be a function or None; got {self.callback!r}")
        if not isinstance(self.shuffle, bool | np.bool_ | int | str) or self.shuffle not in (
            True,
            False,
            "random",
        ):
            raise ValueError(f"shuffle must be True, False or 'random'; got {self.shuffle!r}")
        if not 0 <= self.held_out < 1:
            raise ValueError(f"held_out is a share of the rows, at least 0 and below 1; got {self.held_out}")

    def epochs_for(self, n_examples: int) -> int:
        """Return the number of epochs: by default 10, or on small data as many as make 10,000 visits."""
        epochs = self.epochs if self.epochs is not None else max(10, -(-10_000 // n_examples))
        return epochs if self.max_epochs is None else min(epochs, self.max_epochs)

    def is_separated(self, mistakes: int) -> bool:
        """Whether an epoch with so many mistakes ends the training; independent draws may have missed a row."""
        return self.until_separated and mistakes == 0 and self.shuffle != "random"

    def averages_from(self, n_examples: int) -> int:
        """Return the epoch whose steps are the first in the average; half of five epochs are the last three."""
        epochs = self.epochs_for(n_examples)
        return int((1 - self.average_last) * epochs) + 1


def generator(seed: Any) -> np.random.Generator:
    """Return a generator for a seed, None (which is 0), a Generator or a RandomState."""
    if isinstance(seed, np.random.RandomState):
        seed = int(seed.randint(2**31))
    try:
        return np.random.default_rng(0 if seed is None else seed)
    except (TypeError, ValueError):
        raise invalid_parameter(
            "random_state must be a whole number of at least 0, None, a NumPy Generator or a RandomState;"
            f" got {seed!r}"
        ) from None


def orders(
    rows: NDArray[np.int32],
    training: TrainingSchedule,
    rng: np.random.Generator,
    done: int = 0,
    epochs: int | None = None,
) -> Iterator[NDArray[np.int32]]:
    """Yield the row numbers to visit, epoch by epoch, after those that are done; a permutation is made in place.

    There are as many epochs as the training has for so many rows, if it is not said.
    """
    for _ in range(done, training.epochs_for(len(rows)) if epochs is None else epochs):
        if training.shuffle == "random":
            yield rows[rng.integers(len(rows), size=len(rows))]
            continue
        if training.shuffle:
            rng.shuffle(rows)
        yield rows
