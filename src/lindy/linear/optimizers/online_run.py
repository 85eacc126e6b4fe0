"""How far the run of an online learner has come, epoch by epoch; where a workspace is in use, checkpoints hold it."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr, Float
from lindy.linear.optimizers.online_state import State
from lindy.linear.problem import History
from lindy.stream.checkpoints import Checkpoint
from lindy.stream.workspace import checkpoint

if TYPE_CHECKING:
    from lindy.linear.optimizers.online_epochs import Outcome


@dataclass(slots=True)
class Run:
    """The state, the rows in the order of the last epoch, and what draws the next one.

    ``best`` has the best accuracy on held-out rows, its epoch and its weights; ``separated`` says whether the last
    epoch made no mistake, where that ends the run.
    """

    state: State
    X: Csr
    rows: NDArray[np.int32]
    random: np.random.Generator
    outcome: Outcome
    best: tuple[float, int, Float, Float] | None = None
    separated: bool = False
    saved: Checkpoint = field(init=False)

    def is_over(self, patience: float) -> bool:
        """Whether further epochs are of no use."""
        waited = self.best is not None and self.outcome.n_iter - self.best[1] >= patience
        return self.separated or waited

    def resume(self) -> bool:
        """Go on from the checkpoint of a run that was interrupted; returns whether there is one."""
        state, outcome = self.state, self.outcome
        key = {"rows": len(self.rows), "features": state.n_features, "loss": state.rule.loss}
        self.saved = checkpoint("online", key)
        if (found := self.saved.load()) is None:
            return False
        facts, arrays = found
        if "U" in arrays and state.U is None:
            state.U = np.empty_like(arrays["U"])
        for name, array in state.arrays.items():
            if array is not None:
                array[...] = arrays[name]
        self.rows[...] = arrays["rows"]
        if "row sums" in arrays:
            state.row_sums = self.X, self.rows, arrays["row sums"]
        self.random.bit_generator.state = facts["random"]
        outcome.n_iter, outcome.updates = facts["epochs"], facts["updates"]
        outcome.history = History(**facts["history"])
        if facts["best"] is not None:
            self.best = (*facts["best"], arrays["best W"], arrays["best b"])
        self.separated = facts["separated"]
        return True

    def keep(self, *, is_last: bool) -> None:
        """Write a checkpoint if it is time for one, or at the end of a run that took so long.

        Runs that collect weights or changes on the way have none: these may be larger than the rows.
        """
        outcome, state = self.outcome, self.state
        is_wanted = self.saved.is_due or (is_last and self.saved.is_used)
        if not is_wanted or outcome.trace or outcome.log:
            return
        arrays = {name: array for name, array in state.arrays.items() if array is not None}
        arrays["rows"] = self.rows
        if state.row_sums is not None:
            arrays["row sums"] = state.row_sums[2]
        if self.best is not None:
            arrays |= {"best W": self.best[2], "best b": self.best[3]}
        facts = {
            "epochs": outcome.n_iter,
            "updates": outcome.updates,
            "history": asdict(outcome.history),
            "random": self.random.bit_generator.state,
            "separated": bool(self.separated),
            "best": None if self.best is None else self.best[:2],
        }
        self.saved.save(facts, arrays)
