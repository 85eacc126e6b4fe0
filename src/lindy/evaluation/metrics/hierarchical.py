"""Hierarchical precision, recall and F1 (Kiritchenko et al. 2005): a label counts with all that stands above it.

    A(labels)   the labels of a row and every node above them; what stands above all labels of the model is left out
    precision   Σ |A(given) ∩ A(true)| / Σ |A(given)|
    recall      Σ |A(given) ∩ A(true)| / Σ |A(true)|
    F1          2·Σ |A(given) ∩ A(true)| / Σ (|A(given)| + |A(true)|)

Sums are over the rows. Mechanics for optics is two thirds right in science/physics/…, and biology one third. Intervals
are those of ``label_metrics``: Σ (a_i − F·b_i)² follows from the second moments of the three counts of each row.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from lindy.core.hierarchy import Hierarchy
from lindy.evaluation.metrics.class_metrics import Evaluation
from lindy.evaluation.metrics.intervals import Interval, wilson_of_error

Array = NDArray[np.float64]

_RATIOS = {  # of the nodes that are in both, given and true: above and below the line
    "precision": ((1, 0, 0), (0, 1, 0)),
    "recall": ((1, 0, 0), (0, 0, 1)),
    "f1": ((2, 0, 0), (0, 1, 1)),
}


class HierarchicalCounts:
    """Counts of nodes in both, given and true, summed over rows that come part by part."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        self._paths: dict[str, frozenset[str]] = {}
        self.n = 0
        self._sums, self._moments = np.zeros(3), np.zeros((3, 3))

    def add(
        self, rows: Iterable[tuple[Sequence[str], Sequence[str]]], times: Sequence[int] | None = None
    ) -> None:
        """Count rows by their true labels and those that they were given; each as often as ``times`` says."""
        rows = list(rows)
        self._learn({label for row in rows for labels in row for label in labels})
        found = np.zeros((len(rows), 3))
        for i, (true, given) in enumerate(rows):
            t, g = (self._path(labels) for labels in (true, given))
            found[i] = len(t & g), len(g), len(t)
        weight = np.ones(len(rows), np.int64) if times is None else np.array(times, np.int64)
        self.n += int(weight.sum())
        self._sums += (found * weight[:, None]).sum(axis=0)
        self._moments += (found[:, :, None] * found[:, None, :] * weight[:, None, None]).sum(axis=0)

    def _path(self, labels: Sequence[str]) -> frozenset[str]:
        return frozenset[str]().union(*map(self._paths.__getitem__, labels))

    def _learn(self, names: set[str]) -> None:
        new = sorted(names - self._paths.keys())
        paths = self._hierarchy.taxonomy.paths(new)
        above_all = frozenset(self._hierarchy.above_all)
        self._paths |= {name: path - above_all for name, path in zip(new, paths, strict=True)}

    def figures(self) -> tuple[dict[str, float], dict[str, Interval]]:
        """Return the figures and their intervals, by name."""
        figures, intervals = {}, {}
        for name, (over, under) in _RATIOS.items():
            above, below = float(self._sums @ over), float(self._sums @ under)
            value = above / below if below else 0.0
            gain = np.array(over) - value * np.array(under)
            error = float(np.sqrt(max(float(gain @ self._moments @ gain), 0.0)) / max(below, 1))
            figures[f"hierarchical_{name}"] = value
            intervals[f"hierarchical_{name}"] = wilson_of_error(value, error, self.n)
        return figures, intervals


def with_hierarchy(result: Evaluation, hierarchy: Hierarchy | None) -> Evaluation:
    """Return an evaluation of one label per row with its hierarchical figures, if there is a hierarchy."""
    if hierarchy is None:
        return result
    counts, names = HierarchicalCounts(hierarchy), list(map(str, result.labels))
    true, given = np.nonzero(result.confusion)
    rows = [([names[i]], [names[j]]) for i, j in zip(true.tolist(), given.tolist(), strict=True)]
    counts.add(rows, result.confusion[true, given].tolist())
    figures, intervals = counts.figures()
    return replace(result, figures=result.figures | figures, intervals=result.intervals | intervals)


def lists_by_row(
    names: Sequence[str], indptr: NDArray[np.int64], codes: NDArray[np.integer]
) -> list[list[str]]:
    """Return the names of each row's labels."""
    flat = [names[k] for k in codes.tolist()]
    return [flat[begin:end] for begin, end in pairwise(indptr.tolist())]
