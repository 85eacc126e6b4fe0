"""The working set of proximal Newton: pairs (feature, output) whose weights may move, and their columns of X."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core.csr import Csr, Float
from lindy.linear.objective import Array, Objective

FIRST_SET = 500  # pairs per output in the first working set
GROWTH = 1.0  # as many violating pairs as this times the non-zero weights join it later
NEAR = 0.8  # columns with |z| above this share of l1 are copied too: they may be needed next
MOST_COPIED = 0.5  # share of X up to which the columns of one output are kept for the next
STALE = 0.1  # relative change of the curvatures after which XᵀDX is formed again
GRAM_PAYS = 8.0  # entries of XᵀDX per stored value of the columns up to which it is formed
GRAM_LIMIT = 1e6  # and at most so many in all: more leave the caches


class Block:
    """Columns copied out of X as they are needed, and the matrix XᵀDX of the quadratic model over some of them."""

    def __init__(self, X: Csr) -> None:
        self.X = X
        self.position = np.full(X.n_columns, -1, np.int32)  # of each feature's column, if it is here
        kind = _native.WorkingSet32 if X.values.dtype == np.float32 else _native.WorkingSet64
        self.columns: Any = kind(X.shape[0])
        self._kept: tuple[NDArray[np.int32], Array, Float] | None = None  # places, curvatures, XᵀDX

    def next_output(self) -> bool:
        """Forget the matrix; False if so much of X has been copied that it is better to begin anew."""
        self._kept = None
        here = np.arange(self.columns.n_columns, dtype=np.int32)
        return bool(self.columns.stored(here) <= MOST_COPIED * len(self.X.values))

    def places(self, needed: NDArray[np.int64], near: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return where the columns of the needed features are; the near ones are copied with those that are missing."""
        if (self.position[needed] < 0).any():
            new = np.unique(np.concatenate([needed, near]))
            new = new[self.position[new] < 0]
            before = self.columns.n_columns
            self.position[new] = np.arange(before, before + len(new), dtype=np.int32)
            self.columns.append(self.X, self.position, len(new))
        return self.position[needed]

    def gram_pays(self, column: NDArray[np.int32]) -> bool:
        """Whether epochs over the matrix of these columns are shorter than over the columns themselves."""
        entries = float(len(column)) ** 2
        return entries <= min(GRAM_LIMIT, GRAM_PAYS * float(self.columns.stored(column)))

    def gram(self, column: NDArray[np.int32], h: Array, *, bias: bool, exact: bool) -> Float:
        """Return XᵀDX of some columns, with a last column of ones for a bias.

        It is kept as long as the curvatures have changed little, columns that join are added with the curvatures of
        the others, and it has no more digits than X: slopes are exact, so that costs a little speed of convergence and
        nothing else. ``exact`` asks for the present curvatures, in float64.
        """
        stale = 0.0 if exact else STALE
        if self._kept is None or np.abs(h - self._kept[1]).sum() > stale * self._kept[1].sum():
            none = np.empty((0, 0), np.float64 if exact else self.X.values.dtype)
            self._kept = (column, h.copy(), self._extended(column, 0, h, none, bias=bias))
        places, old, H = self._kept
        if np.array_equal(column, places):
            return H
        missing = column[~np.isin(column, places)]
        if len(missing):
            union = np.concatenate([places, missing])
            H = self._extended(union, len(places), old, H, bias=bias)
            self._kept = (union, old, H)
            places = union
        order = np.argsort(places)
        where = order[np.searchsorted(places, column, sorter=order)]
        where = np.append(where, len(places)) if bias else where
        part: Float = H[np.ix_(where, where)]
        return part

    def _extended(
        self, column: NDArray[np.int32], first: int, h: Array, known: Float, *, bias: bool
    ) -> Float:
        """Return XᵀDX of these columns, of which ``known`` is the matrix of those before ``first``."""
        H = np.empty((len(column) + bias,) * 2, known.dtype)
        H[:first, :first] = known[:first, :first]
        if bias and first:
            H[-1, :first], H[-1, -1] = known[-1, :first], known[-1, -1]
            H[:first, -1] = known[:first, -1]
        self.columns.gram(column, h, bias, first, H)
        return H


@dataclass(slots=True)
class WorkingSet:
    """Pairs (feature, output), sorted by output, and the block that holds their columns."""

    flat: NDArray[np.int64]  # position of each pair in x
    column: NDArray[np.int32]
    output: NDArray[np.int32]
    block: Block
    growing: bool  # more pairs violate optimality than were taken: its weights need not be exact
    products: int = 0  # of conjugate gradient, the most for one model


def choose_pairs(objective: Objective, x: Array, slopes: Array, block: Block) -> WorkingSet:
    """Take the non-zero weights and the zero ones that violate |z| ≤ l1 most, a few times as many."""
    K, l1 = objective.n_outputs, objective.problem.l1
    support = np.flatnonzero(x[: objective.n_weights])
    z = np.abs(slopes[: objective.n_weights])
    z[support] = 0.0
    room = max(FIRST_SET * K, int(GROWTH * len(support)))
    near = np.flatnonzero(z > NEAR * l1)
    near = _largest(z, near, room)
    violating = near[z[near] > l1]
    growing = len(violating) == room
    flat = np.concatenate([support, violating])
    flat = flat[np.lexsort((flat // K, flat % K))] if K > 1 else np.sort(flat)
    column = block.places(flat // K, near // K)
    return WorkingSet(flat, column, (flat % K).astype(np.int32), block, growing)


def _largest(z: Array, among: NDArray[np.int64], room: int) -> NDArray[np.int64]:
    """Return at most ``room`` of these positions: those of the largest entries."""
    if len(among) <= room:
        return among
    return among[np.argpartition(z[among], -room)[-room:]]
