"""How rows may be divided into those to learn from and those held out; everybody who holds rows out asks here.

    without conditions   every class has its share on both sides
    groups               rows of one group (a customer, a conversation, an author) are never on both sides
    time                 no row that is learned from is later than one that is held out; folds are expanding windows

With groups and time both hold, and rows for which they cannot are on neither side.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.labels import is_missing
from lindy.core.targets import OneLabel, Targets, as_targets
from lindy.data.splits.stratify import (
    NEVER,
    Part,
    Rows,
    by_class,
    by_group,
    by_time,
    ranks,
    settled,
    stratified_folds,
)
from lindy.errors import DataError

Split = tuple[Rows, Rows]
"""Rows to learn from and rows that are held out, ascending."""


@dataclass(frozen=True, slots=True, eq=False)
class SplitPolicy:
    """The group and the moment of each row, as numbers from 0; None where they do not matter.

    ``SplitPolicy.of`` makes them from what the user has. Held-out rows whose class nothing is learned about are left
    out of a split, since no learner could be right about them; and so is a split that would learn from a single class.
    """

    groups: NDArray[np.int64] | None = None
    moments: NDArray[np.int64] | None = None

    @classmethod
    def of(cls, n_rows: int, groups: Any = None, time: Any = None) -> SplitPolicy:
        """Return the division of rows with these groups and times, one of each per row.

        Groups are any values that can be told apart; times are numbers, dates or ISO strings. A division in the place
        of groups is taken as it is.

        Raises
        ------
        DataError
            If all rows are of one group or of one moment: nothing could be held out.
        """
        if isinstance(groups, SplitPolicy):
            for numbers in filter(lambda own: own is not None, (groups.groups, groups.moments)):
                _check_length(numbers, n_rows, "groups")
            return groups
        moments = None
        if time is not None:
            from lindy.data.columns.timestamps import as_moments

            moments = _in_order(as_moments(time), n_rows)
        return cls(None if groups is None else _numbered(groups, n_rows), moments).checked()

    def checked(self, where: str = "") -> SplitPolicy:
        """Return the division; raises DataError where all rows are of one group or of one moment."""
        for numbers, what in ((self.groups, "group"), (self.moments, "time")):
            if numbers is not None and len(numbers) > 1 and not numbers.any():
                raise DataError(
                    f"{where}all {len(numbers):,} rows have the same {what}: none can be held out",
                    f"Take another column for the {what}, or none.",
                )
        return self

    @property
    def is_free(self) -> bool:
        """Whether there are no conditions."""
        return self.groups is None and self.moments is None

    def take(self, rows: Rows) -> SplitPolicy:
        """Return the division of some rows."""
        if self.is_free:
            return self
        return SplitPolicy(
            *(None if own is None else ranks(own[rows]) for own in (self.groups, self.moments))
        )

    def splits(self, y: Targets | ArrayLike, k: int, random_state: int = 0) -> list[Split]:
        """Return up to k splits of rows with these targets or class numbers, whose held-out rows are disjoint.

        There are none where no row can be held out. By time they are expanding windows, the latest first: its learner
        is the nearest to one of all rows.
        """
        y = OneLabel.of(y)
        if self.moments is not None:
            fold = by_time(self.moments, np.full(k + 1, 1 / (k + 1)))
            pairs = [
                self._apart(np.where(fold <= n, fold == n, NEVER), y) for n in range(int(fold.max()), 0, -1)
            ]
        elif self.groups is not None:
            k = min(k, int(self.groups.max(initial=0)) + 1)
            fold = by_group(y, self.groups, np.full(k, 1 / k), random_state)
            pairs = [_sides(fold == n) for n in range(k)]
        else:
            fold = stratified_folds(y, min(k, len(y)), random_state)
            pairs = [_sides(fold == n) for n in range(int(fold.max(initial=NEVER)) + 1)]
            return pairs if len(y) > 1 else []
        known = [_known(*pair, y) for pair in pairs]
        return [(train, held) for train, held in known if len(held)]

    def hold_out(self, y: Targets | ArrayLike, share: float, random_state: int = 0) -> Split:
        """Return one split with about this share of the rows held out; by time the latest ones.

        Raises
        ------
        DataError
            If no row can be held out.
        """
        y = OneLabel.of(y)
        train, held = self._held_out(y, share, random_state)
        if not len(train) or not len(held):
            raise self.undivided(len(y))
        return train, held

    def can_hold_out(self, y: Targets | ArrayLike, share: float) -> bool:
        """Whether ``hold_out`` finds rows to hold out."""
        return all(map(len, self._held_out(OneLabel.of(y), share, 0)))

    def _held_out(self, y: Targets, share: float, random_state: int) -> Split:
        part = self.parts(y, np.array([1 - share, share]), random_state)
        train, held = np.flatnonzero(part == 0), np.flatnonzero(part == 1)
        return (train, held) if self.is_free else _known(train, held, y)

    def parts(self, y: Targets | ArrayLike, share: NDArray[np.float64], random_state: int = 0) -> Part:
        """Return the part of each row, of which the first is to learn from; ``NEVER`` if it can be in none."""
        y = OneLabel.of(y)
        if self.moments is None:
            if self.groups is None:
                return by_class(y, share, random_state)
            return by_group(y, self.groups, share, random_state)
        part = by_time(self.moments, share)
        return part if self.groups is None else settled(part, self.groups, y)

    def cleared(self, train: Rows, held: Rows) -> Rows:
        """Return the rows to learn from that may stand beside held-out rows which are given."""
        if self.groups is not None:
            train = train[~np.isin(self.groups[train], self.groups[held])]
        if self.moments is not None:
            train = train[self.moments[train] < self.moments[held].min()]
        return train

    def undivided(self, n_rows: int) -> DataError:
        """Return the error for rows of which none can be held out."""
        hint = "give more rows"
        if self.groups is not None:
            hint = "every class must be in at least two groups: leave out the groups, or take another column"
        elif self.moments is not None:
            hint = "two classes must occur early enough to learn from: leave out the time, or give more rows"
        return DataError(f"no row of {n_rows:,} can be held out", hint)

    def _apart(self, side: NDArray[Any], y: Targets) -> Split:
        """Return the rows of side 0 and of side 1, without those whose group is on both."""
        if self.groups is not None:
            side = settled(side.astype(np.int32), self.groups, y)
        return np.flatnonzero(side == 0), np.flatnonzero(side == 1)


Division = SplitPolicy
"""The former name, which leaves with the next version."""
FREE = SplitPolicy()
"""Rows without groups and times."""


def _sides(held: NDArray[np.bool_]) -> Split:
    return np.flatnonzero(~held), np.flatnonzero(held)


def _known(train: Rows, held: Rows, y: Targets) -> Split:
    """Return a split without held-out rows of labels that are not learned; none is held out beside a single class."""
    known = y.take(train).counts > 0
    if isinstance(y, OneLabel) and known.sum() < 2:
        return train, held[:0]
    rows, codes = y.take(held).strata
    unknown = rows[~np.append(known, True)[codes]]  # rows without a label can always be judged
    return train, np.delete(held, unknown)


def _numbered(groups: Any, n_rows: int) -> NDArray[np.int64]:
    """Return groups as numbers from 0; a row without one is a group of its own."""
    values = groups.to_pylist() if hasattr(groups, "to_pylist") else groups
    values = values.to_numpy() if hasattr(values, "to_numpy") else values
    if isinstance(values, np.ndarray) and values.dtype.kind in "iubUSM":
        _check_length(values, n_rows, "groups")
        return ranks(values)
    listed = list(values)
    if len(listed) != n_rows:
        raise ValueError(f"groups must have one value per row, {n_rows}; got {len(listed)}")
    numbers: dict[Any, int] = {}
    try:
        codes = [
            numbers.setdefault(row if is_missing(v) else (v,), len(numbers)) for row, v in enumerate(listed)
        ]
    except (TypeError, ValueError):
        raise ValueError("groups must be words or numbers, one per row") from None
    return np.array(codes, np.int64)


def _in_order(moments: NDArray[Any], n_rows: int) -> NDArray[np.int64]:
    _check_length(moments, n_rows, "time")
    return ranks(moments)


def _check_length(values: Any, n_rows: int, what: str) -> None:
    if np.ndim(values) != 1 or len(values) != n_rows:
        raise ValueError(f"{what} must have one value per row, {n_rows}; got shape {np.shape(values)}")


def shares_of(shares: Mapping[str, float]) -> NDArray[np.float64]:
    """Return the shares of named parts, scaled to sum to 1."""
    share = np.array([float(value) for value in shares.values()])
    if len(share) < 2 or not (share > 0).all() or not np.isfinite(share).all():
        raise ValueError(f"a split needs at least two parts with positive shares; got {dict(shares)}")
    scaled: NDArray[np.float64] = share / share.sum()
    return scaled


def targets_of(labels: Any, n_rows: int | None) -> Targets:
    """Return what parts have their share of; all rows are alike where labels do not matter."""
    if labels is None:
        if n_rows is None:
            raise ValueError("without labels, n_rows must say how many rows there are")
        return OneLabel.of(np.zeros(n_rows, np.int32))
    return as_targets(labels, as_given=True, several=True)
