"""Memory that a fit would take, asked for before it begins: weights are features × classes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from lindy.errors import DataError
from lindy.estimators.base import Classifier
from lindy.sanitize import size
from lindy.stream.memory import left_to_take

SEARCHED = 12
"""Bytes per weight that a search takes, whose learners come one after the other."""

PER_SCORE = 50
"""Bytes per example and class: dual variables, lengths of rows, scores of held-out examples and their probabilities."""

PER_COUNTED_SCORE = 25
"""The same of a learner that only counts."""

_FEWEST = 1000  # features that are worth a proposal


def check_memory(
    learner: Classifier,
    shape: tuple[int, int],
    n_classes: int,
    given: Mapping[str, Any],
    *,
    searched: bool = False,
) -> None:
    """Raise DataError if a fit would take more memory than may be taken (``lindy.stream.memory.allowed``).

    Parameters
    ----------
    shape : (rows, columns)
    given : dict
        The options ``min_df``, ``max_features`` and ``learner`` as they were asked for, so that none is proposed again.
    searched : bool
        Whether it is one of several fits, whose weights are kept.
    """
    n_rows, n_columns = shape
    n_outputs = 1 if n_classes == 2 else n_classes
    per_weight = learner.weight_bytes
    if searched and per_weight:
        per_weight = max(per_weight, SEARCHED)
    scores = (PER_SCORE if per_weight else PER_COUNTED_SCORE) * n_rows * n_outputs
    needed, room = scores + per_weight * n_columns * n_outputs, left_to_take()
    if needed <= room.memory:
        return
    fewer = (room.memory - scores) // max(per_weight * n_outputs, 1)
    raise DataError(
        f"{n_classes:,} classes of {n_columns:,} features, learned from {n_rows:,} examples, would take about"
        f" {size(needed)} of memory, and {size(room.memory)} more {room.said}",
        _remedy(given, fewer),
    )


def _remedy(given: Mapping[str, Any], fewer: int) -> str:
    """Return what to do, among that what was not done yet; ``fewer`` features would have room."""
    ways = []
    if given.get("max_features") is None and fewer >= _FEWEST:
        most = int(float(f"{fewer * 0.9:.1e}"))
        ways.append(f"keep the most frequent features (`max_features={most}`)")
    if given.get("min_df", 1) == 1:
        ways.append("leave out words of a single text (`min_df=2`)")
    if given.get("learner", "auto") == "auto":
        ways.append("take a learner that counts (`learner='naive-bayes'`)")
    return ", or ".join([*ways, "give rare labels a common one"])
