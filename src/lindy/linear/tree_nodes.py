"""One label tree: its nodes, the problem of each, and their weights in chunks.

The labels are ordered so that similar ones stand together, and a node stands for a range of that order. Its children
are parts of the range, on the last level the labels themselves, and its problem has the rows that have one of its
labels: which of the children does each of them have? All children of a node are solved together, in one pass over the
node's rows, and of every output the smallest weights are dropped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextvars import copy_context
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.targets import ManyLabels, as_lists
from lindy.estimators.base import Examples, thread_count
from lindy.estimators.serialization import Arrays, Shape
from lindy.linear.losses import get_loss
from lindy.linear.problem import Certificate
from lindy.progress import step

if TYPE_CHECKING:
    from lindy.linear.convex import ConvexClassifier

MEAN_FEATURES = 1024
"""The largest mean features of a label, by which it is put beside others."""

SURE = 20.0
"""The score of a child that all rows of its node have."""

Bounds = NDArray[np.int64]


class Chunk(NamedTuple):
    """The weights of a node's children over the features that they have weights for, as ``chunks.hpp`` has them."""

    features: NDArray[np.int32]
    ends: Bounds
    outputs: NDArray[np.uint8]
    values: NDArray[np.float32]
    dropped: NDArray[np.float64]
    bias: NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Tree:
    """The weights of a tree of labels in chunks, one for each node; see ``native/linear/tree``.

    Attributes
    ----------
    starts : where the outputs of each node begin; output p is the node p + 1, after the last node a label
    chunks : where the rows of each node begin; row r has the weights of ``features[r]``, from ``ends[r]`` on
    outputs, values : each weight's output, from the first one of its node, and the weight itself
    bias, dropped : of each output, and the length of the weights that were dropped
    labels : the labels of the last outputs
    """

    starts: Bounds
    chunks: Bounds
    features: NDArray[np.int32]
    ends: Bounds
    outputs: NDArray[np.uint8]
    values: NDArray[np.float32]
    bias: NDArray[np.float32]
    dropped: NDArray[np.float32]
    labels: NDArray[np.int32]

    @classmethod
    def of(cls, chunks: list[Chunk], labels: NDArray[np.int32]) -> Tree:
        """Return the tree whose nodes have these weights."""
        entries = np.cumsum([0, *(len(own.values) for own in chunks)])
        ends = [own.ends[1:] + first for own, first in zip(chunks, entries, strict=False)]
        return cls(
            starts=np.cumsum([0, *(len(own.bias) for own in chunks)]),
            chunks=np.cumsum([0, *(len(own.features) for own in chunks)]),
            features=np.concatenate([own.features for own in chunks]),
            ends=np.concatenate([np.zeros(1, np.int64), *ends]),
            outputs=np.concatenate([own.outputs for own in chunks]),
            values=np.concatenate([own.values for own in chunks]),
            bias=np.concatenate([own.bias for own in chunks]),
            dropped=np.concatenate([own.dropped for own in chunks]).astype(np.float32),
            labels=labels,
        )

    @property
    def n_nodes(self) -> int:
        """The nodes that have children."""
        return len(self.starts) - 1

    def native(self, n_features: int, n_labels: int) -> Any:
        """Return the core's tree; raises ValueError for arrays that are none."""
        names = ("starts", "chunks", "features", "ends", "outputs", "values", "bias", "labels")
        return _native.LabelTree(
            **{name: getattr(self, name) for name in names}, n_features=n_features, n_labels=n_labels
        )

    def paths(self) -> Iterator[NDArray[np.int64]]:
        """Yield the outputs on the way to every label, in the order of labels, from the last level to the first."""
        at = np.argsort(self.labels) + self.n_nodes - 1
        node_of = np.repeat(np.arange(self.n_nodes), np.diff(self.starts))
        while True:
            parent = node_of[at]
            is_first = not parent[0]
            if is_first and self.n_nodes > 1 and not self.chunks[1]:  # one-vs-rest: the root opens everything
                return
            yield at
            if is_first:
                return
            at = parent - 1

    def weights_of(self, features: NDArray[np.integer[Any]]) -> NDArray[np.float64]:
        """Return the weights of some features for all outputs, dense."""
        found = np.zeros((len(features), len(self.bias)))
        order = np.argsort(features)
        place = np.searchsorted(features, self.features, sorter=order)
        place[place == len(features)] = 0
        rows = np.flatnonzero(features[order[place]] == self.features) if len(features) else np.zeros(0, int)
        node = np.searchsorted(self.chunks, rows, side="right") - 1
        lengths = np.diff(self.ends)[rows]
        firsts = np.cumsum(lengths) - lengths
        entries = np.arange(lengths.sum()) + np.repeat(self.ends[rows] - firsts, lengths)
        columns = np.repeat(self.starts[node], lengths) + self.outputs[entries]
        found[np.repeat(order[place[rows]], lengths), columns] = self.values[entries]
        return found

    def pack(self) -> Arrays:
        """Return the arrays of a model's state."""
        return {name: getattr(self, name) for name in STATE}


STATE: dict[str, Shape] = {
    "starts": ("NODES",),
    "chunks": ("NODES",),
    "features": ("ROWS",),
    "ends": ("ENDS",),
    "outputs": ("WEIGHTS",),
    "values": ("WEIGHTS",),
    "bias": ("OUTPUTS",),
    "dropped": ("OUTPUTS",),
    "labels": ("K",),
}
"""The arrays of a tree and their axes, as ``serialization`` has them."""


def levels_of(n_labels: int, branches: int) -> list[int]:
    """Return how often the labels are halved before each level: nodes then have ``branches`` children at most.

    >>> levels_of(10_000, 128), levels_of(100, 128), levels_of(100_000, 128)
    ([0, 7], [0], [0, 5, 10])
    """
    depth = 0
    while n_labels > branches << depth:
        depth += 1
    most = branches.bit_length() - 1
    n = -(-depth // most)
    return [depth * level // n for level in range(n + 1)] if n else [0]


def grow(
    learner: ConvexClassifier,
    data: Examples,
    *,
    branches: int,
    dropped: float,
    exact: bool,
    seed: int,
    n_jobs: int | None,
) -> tuple[Tree, Certificate | None]:
    """Return a tree of the labels of rows, and what was proved of all its nodes together.

    The smallest weights of every output are ``dropped``, at most that share of the length of all. ``exact`` is
    one-vs-rest: the nodes below a root that opens all of them are solved over all rows.
    """
    y, threads = as_lists(data.y), thread_count(n_jobs)
    K, levels = len(y.names), levels_of(len(y.names), branches)
    rows, codes = y.pairs
    by_label = np.argsort(codes, kind="stable")
    solver = _solver(learner)
    if exact:
        labels, ends = (
            np.argsort(-y.counts, kind="stable").astype(np.int32),
            np.append(np.arange(0, K, branches), K),
        )
        levels = [0]
    else:
        labels, ends = _native.cluster_labels(
            data.X,
            ends=np.append(0, np.cumsum(y.counts)),
            rows=rows[by_label].astype(np.int32),
            most=MEAN_FEATURES,
            depth=levels[-1],
            seed=seed,
            threads=threads,
        )
    place = np.argsort(labels)[codes]  # of each label in that order
    pairs = rows[order := np.argsort(place, kind="stable")], place[order]
    bounds = [ends[:: 1 << (levels[-1] - halved)] for halved in levels] + [np.arange(K + 1)]
    if exact:  # of labels about equally frequent, each told apart from all rows without it
        bounds = [ends, np.arange(K + 1)]
    problems = [
        (first, last, below[(below >= first) & (below <= last)])
        for own, below in pairwise(bounds)
        for first, last in pairwise(own.tolist())
    ]

    def solve(number: int) -> tuple[Chunk, Certificate | None]:
        with step(
            number / len(problems), (number + 1) / len(problems), f"node {number + 1} of {len(problems)}"
        ):
            first, last, children = problems[number]
            some = slice(*np.searchsorted(pairs[1], [first, last]))
            own = data, pairs[0][some], pairs[1][some], children
            return _node(solver, *own, dropped=dropped, is_root=exact or number == 0)

    made = _in_threads(solve, len(problems), threads)
    if exact and len(made) > 1:
        made.insert(0, (_open_root(len(made)), Certificate(0.0, 0.0, solver.tol)))
    return Tree.of([chunk for chunk, _ in made], labels), Certificate.of_all([proof for _, proof in made])


def _open_root(n_children: int) -> Chunk:
    """Return a root that is sure of all its children."""
    none = np.zeros((0, 1), np.float32)
    made = Chunk(*_native.make_chunk(none, columns=np.zeros(0, np.int32), share=0.0), np.zeros(0, np.float32))
    return made._replace(dropped=np.zeros(n_children), bias=np.full(n_children, SURE, np.float32))


def _solver(learner: ConvexClassifier) -> ConvexClassifier:
    """Return a copy of the learner that solves a node by itself."""
    loss = get_loss(learner._loss()).per_output
    if not loss:
        raise ValueError(
            f"loss={learner._loss()!r} lets labels compete, and those of a tree are told apart from their absence:"
            " choose another loss"
        )
    solver = copy(learner).set_params(n_jobs=1)
    solver.classes_ = np.arange(2)
    return solver


def _in_threads(solve: Any, n: int, threads: int) -> list[Any]:
    if min(threads, n) == 1:
        return [solve(number) for number in range(n)]
    from concurrent.futures import ThreadPoolExecutor

    contexts = [copy_context() for _ in range(n)]  # so that threads know who listens
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(lambda number: contexts[number].run(solve, number), range(n)))


def _node(
    solver: ConvexClassifier,
    data: Examples,
    rows: NDArray[np.integer[Any]],
    places: NDArray[np.integer[Any]],
    children: Bounds,
    *,
    dropped: float,
    is_root: bool,
) -> tuple[Chunk, Certificate | None]:
    """Solve the problem of one node, whose rows have labels at these places; the root has all rows."""
    own = np.arange(data.X.shape[0]) if is_root else np.unique(rows)
    child = np.searchsorted(children, places, side="right") - 1
    n_children = len(children) - 1
    y = ManyLabels.of_pairs(np.arange(n_children), np.searchsorted(own, rows), child, len(own))
    everywhere = y.counts == len(own)  # nothing to learn: their weights are 0
    X = data.X if is_root else data.X.take(own)
    columns = np.flatnonzero(np.bincount(X.indices, minlength=X.n_columns)).astype(np.int32)
    if everywhere.all() or not len(columns):
        none = np.zeros((0, n_children), np.float32)
        share = np.clip(y.counts / len(own), 1e-9, 0.5)
        bias = np.where(everywhere, SURE, numerics.log(share) - numerics.log(1 - share))
        made = _native.make_chunk(none, columns=columns[:0], share=dropped)
        return Chunk(*made, bias.astype(np.float32)), Certificate(0.0, 0.0, solver.tol)
    X = X if len(columns) == X.n_columns else X.keep_columns(columns)
    examples = Examples(X, y, None if data.weight is None else data.weight[own])
    problem = replace(solver._problem(examples), loss=get_loss(solver._loss()).per_output)
    if n_children == 1:
        problem = replace(problem, y=y.one_vs_rest(0))
    found = solver._solve(problem, None)
    made = _native.make_chunk(np.ascontiguousarray(found.W, np.float32), columns=columns, share=dropped)
    bias = np.where(everywhere, SURE, found.b).astype(np.float32)
    return Chunk(*made, bias), found.certificate
