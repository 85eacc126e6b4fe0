"""The working set of proximal Newton: pairs (feature, output) whose weights may move, and their columns of X."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.csr import Csr
from lindy.linear.objective import Array, Objective

FIRST_SET = 500  # pairs per output in the first working set; later ones double the non-zero weights
# XᵀDX is formed while it has at most so many entries per stored value of its columns (an epoch over it reads all of
# its entries in a row, one over the columns the values twice, at random), and so many in all: 8 MB stay in the caches
GRAM_PAYS, GRAM_LIMIT = 8.0, 1e6


class Block:
    """Columns copied out of X as they are needed."""

    def __init__(self, X: Csr) -> None:
        self.X = X
        self.position = np.full(X.n_columns, -1, np.int32)  # of each feature's column, if it is here
        kind = _native.WorkingSet32 if X.values.dtype == np.float32 else _native.WorkingSet64
        self.columns: Any = kind(X.shape[0])

    def places(self, needed: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return where the columns of these features are; those that are missing are copied."""
        new = np.unique(needed[self.position[needed] < 0])
        if len(new):
            before = self.columns.n_columns
            self.position[new] = np.arange(before, before + len(new), dtype=np.int32)
            self.columns.append(*self.X.arrays, self.position, len(new))
        return self.position[needed]

    def gram_pays(self, column: NDArray[np.int32]) -> bool:
        """Whether epochs over the matrix of these columns are shorter than over the columns themselves."""
        entries = float(len(column)) ** 2
        return entries <= min(GRAM_LIMIT, GRAM_PAYS * float(self.columns.stored(column)))

    def gram(self, column: NDArray[np.int32], h: Array, *, bias: bool) -> Array:
        """Return XᵀDX of some columns, D = diag(h), with a last column of ones for a bias."""
        H = np.empty((len(column) + bias,) * 2)
        self.columns.gram(column, h, bias, H)
        return H


@dataclass(slots=True)
class WorkingSet:
    """Pairs (feature, output), sorted by output, and the block that holds their columns."""

    flat: NDArray[np.int64]  # position of each pair in x
    column: NDArray[np.int32]
    output: NDArray[np.int32]
    block: Block
    growing: bool  # more pairs violate optimality than were taken: its weights need not be exact


def choose_pairs(objective: Objective, x: Array, slopes: Array, block: Block) -> WorkingSet:
    """Take the non-zero weights and the zero ones that violate |z| ≤ l1 most, at most as many."""
    K, l1 = objective.n_outputs, objective.problem.l1
    support = np.flatnonzero(x[: objective.n_weights])
    z = np.abs(slopes[: objective.n_weights])
    z[support] = 0.0
    room = max(FIRST_SET * K, len(support))
    violating = np.flatnonzero(z > l1)
    growing = len(violating) > room
    if growing:
        violating = violating[np.argpartition(z[violating], -room)[-room:]]
    flat = np.concatenate([support, violating])
    flat = flat[np.lexsort((flat // K, flat % K))]
    return WorkingSet(flat, block.places(flat // K), (flat % K).astype(np.int32), block, growing)
