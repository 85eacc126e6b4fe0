"""``Taxonomy``: which labels stand above which; ``Hierarchy``: what stands above the labels of one model.

A node has every label at or below it, so that for a text

    P(node) = Σ_k p_k                   one label per text: the labels exclude each other
    P(node) = 1 − Π_k (1 − p_k)         several: that it has any of them, each being judged apart, as one-vs-rest does

over the labels k of the node, each counted once, also where two ways lead up to it. A node that has all labels says
nothing, and is left out. There may be any number of roots; no label may stand above itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.csr import Csr
from lindy.errors import DataError

Array = NDArray[np.float64]

MOST_PAIRS = 1 << 22
"""Pairs of a label, or a node, and what stands above it, of which a taxonomy may have no more."""
_SHOWN = 8  # names in a message


class CycleError(DataError):
    """A name that stands above itself; ``pair`` is a narrower and a broader name of the cycle."""

    def __init__(self, path: list[str]) -> None:
        self.pair = (path[0], path[1 % len(path)])
        names = list(map(repr, path))
        if len(names) > _SHOWN:
            names[_SHOWN - 1 :] = [f"… {len(names) - _SHOWN + 1:,} more"]
        super().__init__(
            f"the taxonomy has a cycle: {' is below '.join([*names, repr(path[0])])}",
            "nothing can stand above itself: take out one of these pairs",
        )


@dataclass(frozen=True, slots=True, repr=False)
class Taxonomy:
    """Pairs of a narrower and a broader name; or the separator of labels that hold what they stand below.

    Attributes
    ----------
    separator : str
        Such as "/" in science/physics/optics; "" where there are pairs.
    names : tuple of str
    edges : tuple of pairs, the numbers of a narrower name and of one right above it
    """

    separator: str = ""
    names: tuple[str, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()

    def __repr__(self) -> str:
        return f"Taxonomy({self.separator!r})" if self.separator else f"Taxonomy of {len(self.names):,} names"

    @classmethod
    def of_pairs(cls, pairs: Iterable[tuple[str, str]]) -> Taxonomy:
        """Return the taxonomy of pairs of a narrower and a broader name; an empty broader name is none.

        Raises
        ------
        DataError
            If a name stands above itself.
        """
        number: dict[str, int] = {}
        edges = {
            (own, number.setdefault(broader, len(number)) if broader else -1)
            for narrower, broader in pairs
            for own in (number.setdefault(narrower, len(number)),)
        }
        made = cls("", tuple(number), tuple(sorted(edge for edge in edges if edge[1] >= 0)))
        made._order()
        return made

    @classmethod
    def of(cls, given: Any, labels: Sequence[Any]) -> Taxonomy:
        """Return the taxonomy that ``TextClassifier(hierarchy=…)`` was given, checked against the labels.

        Raises
        ------
        DataError
            If no label stands below anything, or one has an empty level.
        """
        if isinstance(given, Taxonomy):
            made = given
        elif isinstance(given, str):
            made = cls(given)
        else:
            pairs = given.items() if isinstance(given, Mapping) else given
            made = cls.of_pairs((str(child), str(parent)) for child, parent in pairs)
        if separator := made.separator:
            for label in map(str, labels):
                if "" in (level.strip() for level in label.split(separator)):
                    raise DataError(
                        f"the label {label!r} has an empty level: {separator!r} stands at an end, or twice",
                        "write labels as science/physics/optics, or leave out the hierarchy",
                    )
        unplaced = made.over(labels).unplaced
        if len(unplaced) == len(labels):
            how = f"{separator!r} in them" if separator else "and the taxonomy does not have any of them"
            raise DataError(
                f"no label stands below another: there are {_listed(unplaced)}, {'none with ' * bool(separator)}{how}",
                "labels must be written as in the taxonomy, or hold what they stand below, as in science/physics",
            )
        return made

    def paths(self, names: Sequence[str]) -> list[frozenset[str]]:
        """Return each name with all that stands above it."""
        own, number, above = self._closure(names)
        found = [above.get(number.get(name, -1), set()) for name in names]
        return [
            frozenset((name, *map(own.names.__getitem__, path)))
            for name, path in zip(names, found, strict=True)
        ]

    def _closure(self, names: Sequence[str]) -> tuple[Taxonomy, dict[str, int], dict[int, set[int]]]:
        """Return the taxonomy of names, their numbers in it, and the numbers above them and above those."""
        own = self._of_labels(names) if self.separator else self
        number = {name: n for n, name in enumerate(own.names)}
        parents = own._parents()
        above: dict[int, set[int]] = {}
        n_pairs, wanted = 0, _reached(parents, [number[name] for name in names if name in number])
        for node in own._order():
            if node not in wanted:
                continue
            found = set(parents[node]).union(*(above[parent] for parent in parents[node]))
            n_pairs += len(found)
            if n_pairs > MOST_PAIRS:
                raise DataError(
                    f"the taxonomy is too deep: more than {MOST_PAIRS:,} pairs of a name and one above it",
                    "leave out levels, or names that stand above nothing of interest",
                )
            above[node] = found
        return own, number, above

    def over(self, labels: Sequence[Any]) -> Hierarchy:
        """Return what stands above labels; one that the taxonomy does not have stands by itself."""
        names = [str(label) for label in labels]
        own, number, above = self._closure(names)
        members: dict[int, list[int]] = {}
        for k, name in enumerate(names):
            for node in above.get(number.get(name, -1), ()):
                members.setdefault(node, []).append(k)
        for k, name in enumerate(names):
            if (node := number.get(name, -1)) in members:
                members[node].append(k)
        inner = sorted(
            (node for node, labels_below in members.items() if len(labels_below) < len(names)),
            key=own.names.__getitem__,
        )
        place = {node: m for m, node in enumerate(inner)}
        below: list[list[int]] = [[] for _ in inner]
        for node in inner:
            for broader in above[node]:
                if broader in place:
                    below[place[broader]].append(place[node])
        unplaced = [
            name for name in names if not above.get(number.get(name, -1)) and number.get(name) not in members
        ]
        return Hierarchy(
            names,
            [own.names[node] for node in inner],
            _incidence([sorted(members[node]) for node in inner], len(names)),
            _incidence([sorted(nodes) for nodes in below], len(inner)),
            unplaced,
            sorted(
                own.names[node] for node, labels_below in members.items() if len(labels_below) == len(names)
            ),
            self,
        )

    def _of_labels(self, labels: Sequence[str]) -> Taxonomy:
        """Return the pairs of labels that hold what they stand below."""
        pairs = []
        for label in labels:
            levels = label.split(self.separator)
            joined = [self.separator.join(levels[:depth]) for depth in range(1, len(levels) + 1)]
            pairs += list(zip(joined[1:], joined, strict=False)) if len(joined) > 1 else [(label, "")]
        return Taxonomy.of_pairs(pairs)

    def _parents(self) -> list[list[int]]:
        parents: list[list[int]] = [[] for _ in self.names]
        for child, parent in self.edges:
            parents[child].append(parent)
        return parents

    def _order(self) -> list[int]:
        """Return all numbers, broader ones before narrower ones (Kahn 1962); raises CycleError if it cannot."""
        children: list[list[int]] = [[] for _ in self.names]
        waits = [0] * len(self.names)
        for child, parent in self.edges:
            children[parent].append(child)
            waits[child] += 1
        order = [node for node, count in enumerate(waits) if not count]
        for node in order:  # which grows meanwhile
            for child in children[node]:
                waits[child] -= 1
                if not waits[child]:
                    order.append(child)
        if len(order) < len(self.names):
            raise CycleError(self._cycle(waits))
        return order

    def _cycle(self, waits: list[int]) -> list[str]:
        """Return a cycle among the nodes that wait for a broader one."""
        parents = self._parents()
        node = next(n for n, count in enumerate(waits) if count)
        seen: dict[int, int] = {}
        while node not in seen:
            seen[node] = len(seen)
            node = next(parent for parent in parents[node] if waits[parent])
        return [self.names[own] for own, place in seen.items() if place >= seen[node]]

    def to_state(self) -> Any:
        """Return what the header of a model file keeps."""
        if self.separator:
            return self.separator
        return {"names": list(self.names), "edges": [list(edge) for edge in self.edges]}

    @classmethod
    def from_state(cls, stored: Any) -> Taxonomy:
        """Return the taxonomy of a model file; raises ValueError for anything else."""
        if isinstance(stored, str) and stored:
            return cls(stored)
        names, edges = stored["names"], stored["edges"]
        if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
            raise ValueError("the names of a taxonomy must be different words")
        numbers = {n for edge in edges for n in edge}
        sound = all(len(edge) == 2 for edge in edges) and all(
            type(n) is int and 0 <= n < len(names) for n in numbers
        )
        if not sound:
            raise ValueError(f"the pairs of a taxonomy must be numbers of its {len(names)} names")
        made = cls("", tuple(names), tuple((child, parent) for child, parent in edges))
        made._order()
        return made


@dataclass(frozen=True, slots=True, eq=False)
class Hierarchy:
    """The nodes above the labels of a model.

    Attributes
    ----------
    labels : list of str, the labels of the model
    names : list of str, the nodes above them, sorted; a label may be one, too, if others stand below it
    members : Csr (nodes, labels), 1 for the labels at or below each node
    below : Csr (nodes, nodes), 1 for the nodes below each node
    unplaced : list of str, the labels with nothing above or below them
    above_all : list of str, the nodes above all labels, which are left out
    taxonomy : Taxonomy, that it is of
    """

    labels: list[str]
    names: list[str]
    members: Csr
    below: Csr
    unplaced: list[str]
    above_all: list[str]
    taxonomy: Taxonomy

    @property
    def all_names(self) -> list[str]:
        """The labels, then the nodes: by these numbers decisions give them."""
        return [*self.labels, *self.names]

    def probabilities(self, p: Array, *, several: bool = False) -> Array:
        """Return P(node), rows × nodes, from those of the labels; ``several`` where a text may have any of them."""
        if not several:
            return np.minimum(_times(self.members, p), 1.0)
        none = _times(self.members, numerics.log1p(-np.minimum(p, 1 - np.finfo(float).eps)))
        return 1 - numerics.exp(none)

    def lowest(self, sure: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which of the nodes that are sure have none below them that is: rows × nodes."""
        none: NDArray[np.bool_] = _times(self.below, sure.astype(np.float64)) == 0
        return sure & none

    def above(self, given: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return which nodes stand above, or are, any of the labels that rows were given: rows × nodes."""
        found: NDArray[np.bool_] = _times(self.members, given.astype(np.float64)) > 0
        return found

    def said(self) -> str:
        """Return in words what stands above the labels."""
        placed = len(self.labels) - len(self.unplaced)
        alone = f"; {_listed(self.unplaced)} by themselves" if self.unplaced else ""
        return f"{len(self.names):,} nodes above {placed:,} labels{alone}"


def _reached(parents: list[list[int]], start: Sequence[int]) -> set[int]:
    """Return some nodes and all above them."""
    found, waiting = set(start), list(start)
    while waiting:
        for parent in parents[waiting.pop()]:
            if parent not in found:
                found.add(parent)
                waiting.append(parent)
    return found


def _incidence(rows: list[list[int]], n_columns: int) -> Csr:
    indptr = np.append(0, np.cumsum([len(row) for row in rows], dtype=np.int64))
    indices = np.array([number for row in rows for number in row], np.int32)
    return Csr(indptr, indices, np.ones(len(indices)), n_columns)


def _times(incidence: Csr, values: Array) -> Array:
    """Return the sums of each row's values over the columns that a row of the incidence has: rows × its rows."""
    columns = np.ascontiguousarray(values.T, np.float64)
    return np.ascontiguousarray(incidence.dot(columns, np.zeros(len(values))).T)


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else ""
    return ", ".join(map(repr, names[:_SHOWN])) + more
