"""Parts of a data set: train, dev, test and blind, or folds; the same seed gives the same parts.

Learn on the first part, tune on the second, test once on the third, and keep the blind one for the very end. Four ways:

- stratified: every class has its share in every part, to within one example
- grouped: rows of one group (an author, a conversation, a product) stay together
- by time: the oldest rows train, the newest test, rows of one moment stay together
- folds: k parts of equal size, stratified or grouped
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Rows = NDArray[np.int64]
Part = NDArray[np.int32]

NEVER = -1
"""The fold of a row that is never held out."""


def split(
    labels: ArrayLike | None,
    shares: Mapping[str, float],
    *,
    n_rows: int | None = None,
    groups: ArrayLike | None = None,
    times: ArrayLike | None = None,
    random_state: int = 0,
) -> dict[str, Rows]:
    """Return the rows of each part, ascending.

    Parameters
    ----------
    labels : list, or None
        Classes that keep their share in every part; None does not look at classes (``n_rows`` says how many rows).
    shares : dict from the part's name to its share
        Positive numbers, scaled to sum to 1. The first part is the one to train on: it gets what is too rare to share.
    groups : list or None
        Rows with the same value go to the same part.
    times : list or None
        Numbers, dates or ISO strings, which sort; the first part gets the earliest rows. Excludes ``groups``.
    random_state : int
        What the parts are drawn with; times draw nothing.
    """
    names, share = _shares(shares)
    codes = _codes(labels, n_rows)
    if groups is not None and times is not None:
        raise ValueError("rows are split by group or by time, not by both")
    if times is not None:
        part = _by_time(_same_length(times, codes, "times"), share)
    elif groups is not None:
        part = _by_group(codes, _same_length(groups, codes, "groups"), share, random_state)
    else:
        part = _by_class(codes, share, random_state)
    return {name: np.flatnonzero(part == number) for number, name in enumerate(names)}


def folds(labels: ArrayLike, k: int, *, groups: ArrayLike | None = None, random_state: int = 0) -> Part:
    """Return the fold of each row, 0 … k − 1: sizes and class counts differ by at most one between folds.

    The only example of a class is ``NEVER`` held out: without it there would be no such class to learn. With groups,
    folds are whole groups, as equal as that allows.
    """
    codes = _codes(labels, None)
    if not 2 <= k <= max(len(codes), 2):
        raise ValueError(f"there can be 2 to {len(codes)} folds of {len(codes)} rows; got {k}")
    if groups is not None:
        return _by_group(codes, _same_length(groups, codes, "groups"), np.full(k, 1 / k), random_state)
    order = _shuffled_by_class(codes, random_state)
    fold = np.full(len(codes), NEVER, np.int32)
    shared = order[np.bincount(codes)[codes[order]] > 1]
    fold[shared] = np.arange(len(shared)) % k
    return fold


def _shares(shares: Mapping[str, float]) -> tuple[list[str], NDArray[np.float64]]:
    share = np.array([float(value) for value in shares.values()])
    if len(share) < 2 or not (share > 0).all() or not np.isfinite(share).all():
        raise ValueError(f"a split needs at least two parts with positive shares; got {dict(shares)}")
    return list(shares), share / share.sum()


def _codes(labels: ArrayLike | None, n_rows: int | None) -> NDArray[np.int64]:
    if labels is None:
        if n_rows is None:
            raise ValueError("without labels, n_rows must say how many rows there are")
        return np.zeros(n_rows, np.int64)
    return np.unique(np.asarray(labels), return_inverse=True)[1].reshape(-1)


def _same_length(values: ArrayLike, codes: NDArray[Any], what: str) -> NDArray[Any]:
    array = np.asarray(values)
    if array.shape != codes.shape:
        raise ValueError(f"{what} must have one value per row, {len(codes)}; got shape {array.shape}")
    return array


def _shuffled_by_class(codes: NDArray[np.int64], random_state: int) -> Rows:
    """Return all rows ordered by class, at random within a class."""
    order = np.random.default_rng(random_state or 0).permutation(len(codes))
    return order[np.argsort(codes[order], kind="stable")]


def _by_class(codes: NDArray[np.int64], share: NDArray[np.float64], random_state: int) -> Part:
    """Deal each class by largest remainders; the remainders also even out the sizes of the parts."""
    order = _shuffled_by_class(codes, random_state)
    part = np.empty(len(codes), np.int32)
    owed = np.zeros(len(share))
    start = 0
    for size in np.bincount(codes).tolist():
        exact = size * share
        take = np.floor(exact).astype(np.int64)
        owed += exact - take
        if size and not take[0]:
            take[0], owed[0] = 1, owed[0] - 1  # what is too rare to share is for training
        while take.sum() < size:
            most = int(owed.argmax())
            take[most] += 1
            owed[most] -= 1
        part[order[start : start + size]] = np.repeat(np.arange(len(share)), take)
        start += size
    return part


def _by_group(
    codes: NDArray[np.int64], groups: NDArray[Any], share: NDArray[np.float64], random_state: int
) -> Part:
    """Give groups away, large ones first, each to the part that most lacks the classes it holds."""
    _, group = np.unique(groups, return_inverse=True)
    group = group.reshape(-1)
    sizes = np.bincount(group)
    shuffled = np.random.default_rng(random_state or 0).permutation(len(sizes))
    wanted = share[:, None] * np.bincount(codes)[None, :]
    lacking = wanted.copy()
    rows = np.argsort(group, kind="stable")
    starts = np.concatenate([[0], np.cumsum(sizes)])
    part_of = np.empty(len(sizes), np.int32)
    for g in shuffled[np.argsort(-sizes[shuffled], kind="stable")].tolist():
        classes, counts = np.unique(codes[rows[starts[g] : starts[g + 1]]], return_counts=True)
        gain = (counts * lacking[:, classes] / np.maximum(wanted[:, classes], 1e-12)).sum(axis=1)
        best = int(gain.argmax())
        lacking[best, classes] -= counts
        part_of[g] = best
    return part_of[group]


def _by_time(times: NDArray[Any], share: NDArray[np.float64]) -> Part:
    """Cut the rows in order of time; a cut within one moment moves to its end."""
    moments, moment = np.unique(times, return_inverse=True)
    until = np.cumsum(np.bincount(moment.reshape(-1), minlength=len(moments)))
    cuts = np.cumsum(share)[:-1] * len(times)
    # the number of cuts that a moment's last row lies beyond
    part = np.searchsorted(cuts, until - np.bincount(moment.reshape(-1)), side="right")
    return part.astype(np.int32)[moment.reshape(-1)]


def count_leaks(texts: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    """Count, for each pair of parts, the texts of the later one that the earlier one holds too.

    Texts are the same when they differ only in upper and lower case and white space. Order the parts as they are used:
    a leak from train to test makes a test look better than it is.
    """
    keys = {name: [" ".join(str(text).casefold().split()) for text in part] for name, part in texts.items()}
    names = list(keys)
    leaks = {}
    for i, earlier in enumerate(names):
        known = set(keys[earlier])
        for later in names[i + 1 :]:
            leaks[earlier, later] = sum(key in known for key in keys[later])
    return leaks
