"""Stratification: which part or fold each row goes to, by class, by group, by time, or by group and time.

A part is given by its share of the rows, and every class shall have that share in every part. Where groups stay
together this cannot be had exactly; what is made small is

    Σ_p Σ_c (n_pc − s_p·n_c)² / (s_p·n_c)       n_pc rows of class c in part p of share s_p; all rows are a class, too

first by giving groups away one after the other, large ones first, then by moving single groups while that helps.
"""

from __future__ import annotations

from heapq import heapify, heappop, heappush
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.targets import OneLabel, Targets

Rows = NDArray[np.int64]
Codes = NDArray[np.integer[Any]]
Shares = NDArray[np.float64]
Part = NDArray[np.int32]

NEVER = -1
"""The part of a row that is in none."""
_MOST_SWEEPS = 10  # over all groups, each of which makes the sum smaller; it rarely takes more than three


def ranks(values: NDArray[Any]) -> Rows:
    """Return values as numbers from 0, in their order."""
    numbers: Rows = np.unique(values, return_inverse=True)[1].reshape(-1)
    return numbers


def shuffled_by_class(codes: Codes, random_state: int, *, few: int = 32) -> NDArray[np.integer[Any]]:
    """Return all rows ordered by class, at random within a class; in few bytes, since they may be many.

    Up to ``few`` classes, the rows are gone over class by class.
    """
    order = np.arange(len(codes), dtype=np.min_scalar_type(-max(len(codes), 1)))
    np.random.default_rng(random_state or 0).shuffle(order)
    n_classes = int(codes.max(initial=0)) + 1
    narrow = codes.astype(np.min_scalar_type(n_classes - 1), copy=False)[order]
    if n_classes > few:
        return order[np.argsort(narrow, kind="stable")]
    by_class, end = np.empty_like(order), 0  # without the wide numbers of an argsort
    for code in range(n_classes):
        own = order[narrow == code]
        by_class[end : end + len(own)] = own
        end += len(own)
    return by_class


def by_class(y: Targets, share: Shares, random_state: int) -> Part:
    """Deal each class by largest remainders; the remainders also even out the sizes of the parts."""
    if not isinstance(y, OneLabel):
        return by_labels(y, share, random_state)
    order = shuffled_by_class(y.codes, random_state)
    part = np.empty(len(y), np.int32)
    owed = np.zeros(len(share))
    start = 0
    for size in y.counts.tolist():
        exact = size * share
        take = np.floor(exact).astype(np.int64)
        owed += exact - take
        if size and not take[0]:
            take[0], owed[0] = 1, owed[0] - 1  # what is too rare to share is for training
        while take.sum() < size:
            most = int(owed.argmax())
            take[most] += 1
            owed[most] -= 1
        for number, n_rows in enumerate(take.tolist()):
            part[order[start : start + n_rows]] = number
            start += n_rows
    return part


def stratified_folds(y: Targets, k: int, random_state: int) -> Part:
    """Return the fold of each row: sizes and class counts differ by at most one; the only row of a class is in none."""
    if not isinstance(y, OneLabel):
        return by_labels(y, np.full(k, 1 / k), random_state)
    order = shuffled_by_class(y.codes, random_state)
    fold = np.full(len(y), NEVER, np.int32)
    shared = order[y.counts[y.codes[order]] > 1]
    fold[shared] = np.arange(len(shared)) % k
    return fold


def by_labels(y: Targets, share: Shares, random_state: int) -> Part:
    """Give rows of several labels away by iterative stratification (Sechidis, Tsoumakas and Vlahavas, 2011).

    The label that the fewest of the rows left have is next: each of its rows goes to the part that lacks most of the
    label, of those to the one that lacks most rows. Rows without any label are those of one more label.
    """
    n_rows, (rows, strata) = len(y), y.strata
    place = np.empty(n_rows, np.int64)
    place[np.random.default_rng(random_state or 0).permutation(n_rows)] = np.arange(n_rows)
    counts = np.bincount(strata, minlength=len(y.names) + 1)
    by_stratum = np.split(rows[np.lexsort((place[rows], strata))], np.cumsum(counts)[:-1])
    by_row = strata[np.argsort(rows, kind="stable")].tolist()
    ends = np.cumsum(np.bincount(rows)).tolist()
    lacks, room, left = np.outer(counts, share).tolist(), (n_rows * share).tolist(), counts.tolist()
    part, parts = [NEVER] * n_rows, range(len(share))
    waiting = [(count, stratum) for stratum, count in enumerate(left) if count]
    heapify(waiting)
    while waiting:
        count, rarest = heappop(waiting)
        if left[rarest] != count:  # which fewer rows have now, as said by a later entry
            continue
        own = lacks[rarest]
        for row in by_stratum[rarest].tolist():
            if part[row] == NEVER:
                part[row] = best = max(parts, key=lambda p: (own[p], room[p]))
                room[best] -= 1
                for stratum in by_row[ends[row - 1] if row else 0 : ends[row]]:
                    lacks[stratum][best] -= 1
                    left[stratum] -= 1
                    if left[stratum]:
                        heappush(waiting, (left[stratum], stratum))
    return np.array(part, np.int32)


def by_group(y: Targets, groups: Codes, share: Shares, random_state: int) -> Part:
    """Give groups away whole, so that every part has its share of the rows and of every class as nearly as possible."""
    contents = _Contents(groups, y)
    wanted = share[:, None] * contents.totals
    have = np.zeros_like(wanted)
    part_of = np.full(len(contents.sizes), NEVER, np.int32)
    shuffled = np.random.default_rng(random_state or 0).permutation(len(contents.sizes))
    order = shuffled[np.argsort(-contents.sizes[shuffled], kind="stable")].tolist()
    for _ in range(_MOST_SWEEPS):
        moved = False
        for g in order:
            columns, counts = contents.of(g)
            own = part_of[g]
            if own != NEVER:
                have[own, columns] -= counts
            excess = 2 * (have[:, columns] - wanted[:, columns]) + counts
            cost = (counts * excess / wanted[:, columns]).sum(axis=1)
            best = int(cost.argmin())
            if own != NEVER and not cost[best] < cost[own] - 1e-9 * len(y):  # rounding moves no group
                best = int(own)
            have[best, columns] += counts
            moved |= best != own
            part_of[g] = best
        if not moved:
            break
    return part_of[groups]


class _Contents:
    """How many rows of each class a group holds; the last column counts all of its rows."""

    def __init__(self, groups: Codes, y: Targets) -> None:
        rows, codes = y.strata
        n_classes = int(codes.max(initial=0)) + 1
        pairs, self._counts = np.unique(groups[rows].astype(np.int64) * n_classes + codes, return_counts=True)
        self.sizes = np.bincount(groups)
        self._starts = np.searchsorted(pairs, np.arange(len(self.sizes) + 1) * n_classes)
        self._columns = pairs % n_classes
        # a class without rows is in no group, and never divides
        self.totals = np.append(np.bincount(codes, minlength=n_classes), len(y)).astype(np.float64)

    def of(self, group: int) -> tuple[Rows, Rows]:
        """Return the columns in which a group has rows, and how many."""
        own = slice(self._starts[group], self._starts[group + 1])
        columns = np.append(self._columns[own], len(self.totals) - 1)
        return columns, np.append(self._counts[own], self.sizes[group])


def by_time(moments: Codes, share: Shares) -> Part:
    """Cut the rows in order of time, each cut at the border between two moments that is nearest to it.

    Every part has a moment of its own, if there are as many.
    """
    sizes = np.bincount(moments)
    borders = np.cumsum(sizes)[:-1]
    wanted = np.cumsum(share)[:-1] * len(moments)
    first = np.zeros(len(share), np.int64)  # the moment that each part begins with
    for number, cut in enumerate(wanted.tolist(), start=1):
        after = int(np.searchsorted(borders, cut))
        nearest = after if after < len(borders) else len(borders) - 1
        if nearest > 0 and cut - borders[nearest - 1] < abs(borders[nearest] - cut):
            nearest -= 1
        latest = len(sizes) - (len(share) - number)
        first[number] = max(min(nearest + 1, latest), first[number - 1] + 1)
    part = np.searchsorted(first, np.arange(len(sizes)), side="right") - 1
    return part.astype(np.int32)[moments]


def settled(part: Part, groups: Codes, y: Targets) -> Part:
    """Leave out rows of parts that are cut by time until no group is in two parts.

    A group keeps its rows in the part that lacks them most; its other rows are ``NEVER`` in a part. Where that would
    leave a part empty, it keeps those of the group that has most rows there.
    """
    n_parts, n_strata = int(part.max(initial=0)) + 1, int(y.strata[1].max(initial=0)) + 1
    rows = np.flatnonzero(part != NEVER)
    cells = np.zeros((int(groups.max(initial=0)) + 1, n_parts), np.int64)
    np.add.at(cells, (groups[rows], part[rows]), 1)

    def tally(some: Rows) -> NDArray[np.float64]:
        places, strata = y.take(some).strata
        counts = np.zeros((n_parts, n_strata))
        np.add.at(counts, (part[some[places]], strata), 1)
        return counts

    wanted = tally(rows)
    crossing = np.flatnonzero((cells > 0).sum(axis=1) > 1)
    chosen = cells.argmax(axis=1)
    if not len(crossing):
        return part
    sure = rows[~np.isin(groups[rows], crossing)]
    have = tally(sure)
    by_group = rows[np.argsort(groups[rows], kind="stable")]
    bounds = np.searchsorted(groups[by_group], [crossing, crossing + 1])
    for g in np.argsort(-cells[crossing].sum(axis=1), kind="stable").tolist():
        counts = tally(by_group[bounds[0, g] : bounds[1, g]])
        gain = (counts * (wanted - have) / np.maximum(wanted, 1)).sum(axis=1)
        gain[cells[crossing[g]] == 0] = -np.inf
        chosen[crossing[g]] = best = int(gain.argmax())
        have[best] += counts[best]
    for empty in np.flatnonzero((wanted.sum(axis=1) > 0) & (have.sum(axis=1) == 0)).tolist():
        chosen[cells[:, empty].argmax()] = empty
    return np.where(part == chosen[groups], part, NEVER).astype(np.int32)
