"""The working set of proximal Newton: pairs (feature, output) whose weights may move, and their columns of X."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.linear.objective import Array, Objective

FIRST_SET = 500  # pairs per output in the first working set
NEAR = 0.9  # columns with |z| above this share of l1 are copied too: they may be needed next
STALE = 0.3  # relative change of the curvatures after which XᵀDX is formed again
GRAM_LIMIT = 8e6  # entries of all XᵀDX together


@dataclass(slots=True)
class Block:
    """Some columns of X, copied out of it, and the matrices XᵀDX of the quadratic model over them."""

    features: NDArray[np.int64]  # ascending
    columns: Any
    grams: dict[int, tuple[Array, Array]] = field(default_factory=dict)  # per output: curvatures, XᵀDX

    @classmethod
    def of(cls, objective: Objective, features: NDArray[np.int64]) -> Block:
        """Copy the columns of these features."""
        position = np.full(objective.n_features, -1, np.int32)
        position[features] = np.arange(len(features), dtype=np.int32)
        X = objective.problem.X
        kind = _native.WorkingSet32 if X.values.dtype == np.float32 else _native.WorkingSet64
        return cls(features, kind(*X.arrays, position, len(features)))

    def gram_pays(self, n_outputs: int) -> bool:
        """Whether an epoch over the matrices is shorter than one over the columns."""
        entries = float(len(self.features)) ** 2
        return entries <= self.columns.size and entries * n_outputs <= GRAM_LIMIT

    def gram(self, output: int, h: Array, *, bias: bool, exact: bool) -> Array:
        """Return XᵀDX of one output, with a last column of ones for a bias.

        It is kept as long as the curvatures have changed little: slopes are exact, so an old matrix costs a little
        speed of convergence and nothing else. ``exact`` asks for the present curvatures.
        """
        old = self.grams.get(output)
        stale = 0.0 if exact else STALE
        if old is None or np.abs(h - old[0]).sum() > stale * old[0].sum():
            H = np.empty((len(self.features) + bias,) * 2)
            self.columns.gram(h, bias, H)
            self.grams[output] = old = (h.copy(), H)
        return old[1]


@dataclass(slots=True)
class WorkingSet:
    """Pairs (feature, output), sorted by output, and the block that holds their columns."""

    flat: NDArray[np.int64]  # position of each pair in x
    column: NDArray[np.int32]
    output: NDArray[np.int32]
    block: Block
    growing: bool  # more pairs violate optimality than were taken: its weights need not be exact

    def pairs(self, output: int) -> NDArray[np.intp]:
        """Return the numbers of the pairs of one output."""
        return np.flatnonzero(self.output == output)


def choose_pairs(objective: Objective, x: Array, slopes: Array, last: WorkingSet | None) -> WorkingSet:
    """Take the non-zero weights and the zero ones that violate |z| ≤ l1 most, at most as many again.

    The block of the last working set is kept if it contains what is needed.
    """
    K, l1 = objective.n_outputs, objective.problem.l1
    support = np.flatnonzero(x[: objective.n_weights])
    z = np.abs(slopes[: objective.n_weights])
    z[support] = 0.0
    room = max(FIRST_SET * K, len(support))
    growing = int(np.count_nonzero(z > l1)) > room
    flat = np.concatenate([support, _largest(z, l1, room)])
    flat = flat[np.lexsort((flat // K, flat % K))]
    needed, output = flat // K, (flat % K).astype(np.int32)
    if last is not None and np.isin(needed, last.block.features).all():
        block = last.block
    else:
        near = _largest(z, NEAR * l1, room) // K
        block = Block.of(objective, np.unique(np.concatenate([needed, near])))
    column = np.searchsorted(block.features, needed).astype(np.int32)
    return WorkingSet(flat, column, output, block, growing)


def _largest(z: Array, above: float, room: int) -> NDArray[np.int64]:
    """Return the positions of at most ``room`` of the largest entries above a bound."""
    found = np.flatnonzero(z > above)
    if len(found) > room:
        found = found[np.argpartition(z[found], -room)[-room:]]
    return found
