"""One pass over rows that come block by block and are forgotten: what ``online.train`` does with all rows at once.

    for each block X_b, y_b:  visit its rows in their order, from the weights after the block before

The weights are those of ``train`` with one epoch and without shuffling, bit by bit. Where a workspace is in use,
checkpoints between the blocks say how many rows are done.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr
from lindy.linear.optimizers.online_epochs import (
    Outcome,
    penalty,
    refuse_non_finite,
    visit,
)
from lindy.linear.optimizers.online_rows import Rows, refuse_overflow
from lindy.linear.optimizers.online_state import State
from lindy.linear.optimizers.training_schedule import TrainingSchedule
from lindy.progress import share_done
from lindy.stream.checkpoints import Checkpoint, checkpoint


@dataclass(frozen=True, slots=True)
class Block:
    """Some rows that follow one another, and ‖x‖² of each."""

    X: Csr
    sq_norm: NDArray[np.float64]

    @classmethod
    def of(cls, X: Csr) -> Block:
        """Measure rows; may be called by any thread."""
        return cls(X, _native.row_keys(X, np.zeros(X.shape[0], np.int32))[1])


@dataclass(slots=True)
class _Done:
    """The sums over the rows so far."""

    rows: int = 0
    mistakes: int = 0
    loss: float = 0.0
    weight: float = 0.0
    updates: int = 0


def train_on_blocks(
    state: State,
    blocks: Iterable[Block],
    y: NDArray[np.int32],
    weight: NDArray[np.float64] | None,
    training: TrainingSchedule,
) -> Outcome | None:
    """Visit the rows of all blocks once; None if no row was a mistake, since only all rows can tell their margin."""
    started = time.perf_counter()
    outcome = Outcome(state.W, state.bias)
    state.sum_in_matrix()
    saved = checkpoint(
        "online blocks", {"rows": len(y), "features": state.n_features, "loss": state.rule.loss}
    )
    done, first = _resumed(saved, state), 0
    outcome.updates = done.updates
    for block in blocks:
        begin, first = first, first + block.X.shape[0]
        if first <= done.rows:
            continue
        rows = _visited(block, y, weight, begin, state.rule.dtype)
        mistakes, loss, visits = visit(state, rows, rows.rows, training, outcome)
        done.mistakes, done.loss, done.weight = (
            done.mistakes + mistakes,
            done.loss + loss,
            done.weight + visits,
        )
        done.rows, done.updates = first, outcome.updates
        share_done(first / len(y), f"{first:,} rows")
        if saved.is_due:
            kept = {name: array for name, array in state.arrays.items() if array is not None}
            saved.save(asdict(done), kept)
    if done.mistakes == 0 and training.until_separated:
        return None
    outcome.history.objective.append(done.loss / done.weight + penalty(state))
    outcome.history.mistakes.append(done.mistakes)
    outcome.history.seconds.append(time.perf_counter() - started)
    outcome.n_iter = 1
    outcome.W, outcome.b = state.weights(final=True)
    refuse_non_finite(outcome, state.rule)
    return outcome


def _visited(
    block: Block, y: NDArray[np.int32], weight: NDArray[np.float64] | None, begin: int, dtype: str
) -> Rows:
    """Return the rows of a block, of which the first has the number ``begin``."""
    own = slice(begin, begin + block.X.shape[0])
    refuse_overflow(block.sq_norm, dtype, begin)
    given = None if weight is None else weight[own]
    order = np.arange(block.X.shape[0]) if given is None else np.flatnonzero(given > 0)
    return Rows(block.X, y[own], given, block.sq_norm, order.astype(np.int32))


def _resumed(saved: Checkpoint, state: State) -> _Done:
    """Go on from the checkpoint of a pass that was interrupted, if there is one."""
    if (found := saved.load()) is None:
        return _Done()
    facts, arrays = found
    for name, array in state.arrays.items():
        if array is not None:
            array[...] = arrays[name]
    return _Done(**facts)
