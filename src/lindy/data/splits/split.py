"""The train/test split: parts of a data set (train, dev, test, blind) or k folds; the same seed gives the same parts.

Learn on the first part, tune on the second, test once on the third, and keep the blind one for the very end. Four ways:

- stratified: every class has its share in every part, to within one example (``train_test_split`` of scikit-learn)
- grouped: rows of one group (an author, a conversation, a product) stay together
- by time: the oldest rows train, the newest test, rows of one moment stay together
- folds: k parts of equal size, stratified or grouped (its ``StratifiedKFold`` and ``GroupKFold``)

``lindy.data.splits.split_policy`` has what they share with everything else that holds rows out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from lindy.core.targets import Targets
from lindy.data.chunks.disk_array import BLOCK, DiskArray
from lindy.data.columns.keys import Keys, folded, text_keys
from lindy.data.splits.split_policy import SplitPolicy, shares_of, targets_of
from lindy.data.splits.stratify import Codes, Part, Rows, by_group, stratified_folds


def split(
    labels: ArrayLike | Targets | None,
    shares: Mapping[str, float],
    *,
    n_rows: int | None = None,
    groups: Any = None,
    time: Any = None,
    random_state: int = 0,
) -> dict[str, Rows]:
    """Return the rows of each part, ascending.

    Parameters
    ----------
    labels : list, or None
        Classes that keep their share in every part, or several labels of each row, in any form that ``as_targets`` of
        ``lindy.core.targets`` takes; None does not look at them (``n_rows`` says how many rows).
    shares : dict from the part's name to its share
        Positive numbers, scaled to sum to 1. The first part is the one to train on: it gets what is too rare to share.
    groups : list or None
        Rows with the same value go to the same part.
    time : list or None
        Numbers, dates or ISO strings; the first part gets the earliest rows. With ``groups`` as well, a group keeps its
        rows in one part, and its others are in none.
    random_state : int
        What the parts are drawn with; times draw nothing.
    """
    share, y = shares_of(shares), targets_of(labels, n_rows)
    part = SplitPolicy.of(len(y), groups, time).parts(y, share, random_state)
    return {name: np.flatnonzero(part == number) for number, name in enumerate(shares)}


def folds(labels: ArrayLike | Targets, k: int, *, groups: Any = None, random_state: int = 0) -> Part:
    """Return the fold of each row, 0 … k − 1: sizes and class counts differ by at most one between folds.

    The only example of a class is ``NEVER`` (−1) held out: without it there would be no such class to learn. With
    groups, folds are whole groups, as equal as that allows.
    """
    y = targets_of(labels, None)
    if not 2 <= k <= max(len(y), 2):
        raise ValueError(f"there can be 2 to {len(y)} folds of {len(y)} rows; got {k}")
    division = SplitPolicy.of(len(y), groups)
    if division.groups is None:
        return stratified_folds(y, k, random_state)
    return by_group(y, division.groups, np.full(k, 1 / k), random_state)


def count_leaks(texts: Mapping[str, Any]) -> dict[tuple[str, str], int]:
    """Count, for each pair of parts, the texts of the later one that the earlier one holds too.

    Texts are the same when they differ only in upper and lower case and white space. Order the parts as they are used:
    a leak from train to test makes a test look better than it is.
    """
    keys = {name: text_keys(folded(str(text)) for text in part) for name, part in texts.items()}
    return leaks_of_keys(keys)


def leaks_of_keys(keys: Mapping[str, Keys]) -> dict[tuple[str, str], int]:
    """Count the same from the keys of the texts, see ``keys``."""
    names, found = list(keys), {}
    for i, earlier in enumerate(names):
        known = np.sort(keys[earlier])
        for later in names[i + 1 :]:
            found[earlier, later] = sum(
                _n_known(keys[later][start : start + BLOCK], known)
                for start in range(0, len(keys[later]), BLOCK)
            )
    return found


def leaks_of_parts(
    keys: DiskArray, part: Codes, names: Sequence[str], *, block: int = BLOCK
) -> dict[tuple[str, str], int]:
    """Count the same from the keys of all rows, which may be on disk, and the part of each row."""
    found: dict[tuple[str, str], int] = {}
    for i, earlier in enumerate(names[:-1]):
        known = np.empty(int((part == i).sum()), np.uint64)
        end = 0
        for own, some in _in_blocks(part, keys, block):
            here = some[own == i]
            known[end : end + len(here)] = here
            end += len(here)
        known.sort()
        totals = np.zeros(len(names), np.int64)
        for own, some in _in_blocks(part, keys, block):
            for later in range(i + 1, len(names)):
                totals[later] += _n_known(some[own == later], known)
        found |= {(earlier, names[later]): int(totals[later]) for later in range(i + 1, len(names))}
    return found


def _in_blocks(part: Codes, keys: DiskArray, rows: int) -> Iterator[tuple[Codes, Keys]]:
    """Yield the parts and keys of so many rows at a time."""
    for number, own in enumerate(keys.blocks(rows)):
        yield part[number * rows : number * rows + len(own)], own


def _n_known(keys: Keys, known: Keys) -> int:
    """Return how many keys are among known ones, which are sorted."""
    places = np.searchsorted(known, keys)
    inside = places < len(known)
    return int((known[places[inside]] == keys[inside]).sum())
