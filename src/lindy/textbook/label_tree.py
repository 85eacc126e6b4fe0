"""Label trees: similar labels side by side, and a beam search for the most probable ones.

    z_k = mean of x_i / ‖x_i‖ over the rows with label k, scaled to length 1
    halves of a set of labels: the half with the largest z_k·(c₁ − c₂), and the others; c the means of the halves

    log P(child | x) = log P(parent | x) − log(1 + e^−d),   d = ℓ(−s) − ℓ(s),   s = x·w_child + b_child

(Prabhu et al., Parabel, 2018.)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from lindy.textbook.visits import draws

Array = NDArray[np.float64]


class Node(NamedTuple):
    """Weights (features × children), a bias for each child, and the children: nodes, or the numbers of labels."""

    W: Array
    b: Array
    children: list[Node] | list[int]


def unit(rows: Array) -> Array:
    """Return rows scaled to length 1; those of length 0 stay."""
    length = np.linalg.norm(rows, axis=-1, keepdims=True)
    scaled: Array = np.divide(rows, length, out=np.zeros_like(rows), where=length > 0)
    return scaled


def mean_features(X: Array, Y: Array) -> Array:
    """Return z of every label, labels × features; Y is 1 where a row has a label."""
    return unit(Y.T @ unit(X))


def halve(Z: Array, labels: list[int], seed: int) -> tuple[list[int], list[int]]:
    """Return two halves of some labels by balanced two-means, which begins at two of them."""
    random, n = draws(seed), len(labels)
    a, b = (next(random) * n) >> 32, (next(random) * (n - 1)) >> 32
    c, first = Z[labels[a]] - Z[labels[b + (b >= a)]], list[int]()
    for _ in range(10):
        order = sorted(labels, key=lambda k: (-(Z[k] @ c), k))
        before, first = first, sorted(order[: (n + 1) // 2])
        if first == before:
            break
        labels = first + sorted(order[(n + 1) // 2 :])
        c = unit(Z[first].sum(axis=0)) - unit(Z[labels[len(first) :]].sum(axis=0))
    return first, labels[len(first) :]


def clusters(Z: Array, depth: int, seed: int) -> list[list[int]]:
    """Return all labels in 2^depth clusters, the halves of halves side by side."""
    sets = [list(range(len(Z)))]
    for level in range(depth):
        sets = [half for s, own in enumerate(sets) for half in halve(Z, own, seed + (level << 32) + s)]
    return sets


def search(x: Array, root: Node, beam: int, loss: Callable[[Array], Array]) -> dict[int, float]:
    """Return P(label | x) of the labels that are reached; on every level the most probable nodes are opened."""
    level = [(0.0, root)]
    while True:
        reached = []
        for log_p, node in level:
            s = x @ node.W + node.b
            logs = log_p - np.logaddexp(0, loss(s) - loss(-s))
            reached += list(zip(logs.tolist(), node.children, strict=True))
        if not isinstance(root.children[0], Node):
            return {label: float(np.exp(log_p)) for log_p, label in reached}  # type: ignore[misc]
        level = sorted(reached, key=lambda own: -own[0])[:beam]  # type: ignore[assignment]
        root = level[0][1]
