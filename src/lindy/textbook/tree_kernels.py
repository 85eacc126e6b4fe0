"""Kernels of trees: a tree is (label, children), a word is a str; by enumerating fragments and by recursion."""

from __future__ import annotations

from collections import Counter
from itertools import product
from typing import Any

Node = tuple[str, tuple[Any, ...]]


def parse(text: str) -> Node:
    """Read ``(S (NP dog) …)``."""
    tokens = text.replace("(", " ( ").replace(")", " ) ").split()

    def node(k: int) -> tuple[Node, int]:
        label, k = tokens[k + 1], k + 2
        children: list[Any] = []
        while tokens[k] != ")":
            child, k = node(k) if tokens[k] == "(" else (tokens[k], k + 1)
            children.append(child)
        return (label, tuple(children)), k + 1

    return node(0)[0]


def nodes(tree: Node) -> list[Node]:
    """Return all nodes, words not among them."""
    return [tree] + [n for child in tree[1] if not isinstance(child, str) for n in nodes(child)]


def production(n: Node) -> tuple[str, ...]:
    """Return the label and what is directly below: labels in brackets, words as they are."""
    return (n[0], *(child if isinstance(child, str) else f"({child[0]})" for child in n[1]))


def fragments(n: Node, *, whole: bool) -> list[tuple[Any, int]]:
    """Return the fragments with root n and how many nodes with children each has; ``whole`` cuts nothing off."""
    below = []
    for child in n[1]:
        if isinstance(child, str):
            below.append([(child, 0)])
        else:
            cut = [] if whole else [(f"({child[0]})", 0)]
            below.append(cut + fragments(child, whole=whole))
    return [
        ((n[0], tuple(f for f, _ in chosen)), 1 + sum(size for _, size in chosen))
        for chosen in product(*below)
    ]


def by_enumeration(a: Node, b: Node, lam: float, *, whole: bool) -> float:
    """Σ over pairs of equal fragments of λ^size."""
    of_a, of_b = (Counter(f for n in nodes(tree) for f in fragments(n, whole=whole)) for tree in (a, b))
    return float(sum(count * of_b[f] * lam ** f[1] for f, count in of_a.items()))


def by_recursion(a: Node, b: Node, lam: float, *, whole: bool) -> float:
    """Σ_{n, n'} C(n, n') as Collins and Duffy write it, with σ = 0 for whole subtrees."""

    def common(n: Node, m: Node) -> float:
        if production(n) != production(m):
            return 0.0
        value = lam
        for child, other in zip(n[1], m[1], strict=True):
            if not isinstance(child, str):
                value *= (0 if whole else 1) + common(child, other)
        return value

    return sum(common(n, m) for n in nodes(a) for m in nodes(b))
