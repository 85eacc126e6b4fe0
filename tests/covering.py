"""Few combinations of options in which any two of their settings occur together."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Any


def covering(options: Mapping[str, Sequence[Any]]) -> list[dict[str, Any]]:
    """Return combinations that cover all pairs of settings, always the same ones.

    Each takes, option after option, the setting with the most pairs that no combination before it has.
    """
    names = list(options)
    left = {
        (a, i, b, j)
        for a, b in itertools.combinations(names, 2)
        for i in range(len(options[a]))
        for j in range(len(options[b]))
    }
    found = []
    while left:
        a, i, b, j = min(
            left, key=lambda pair: (names.index(pair[0]), pair[1], names.index(pair[2]), pair[3])
        )
        chosen = {a: i, b: j}
        for name in [name for name in names if name not in chosen]:
            tried = [chosen | {name: k} for k in range(len(options[name]))]
            chosen = max(tried, key=lambda own: len(left & _pairs(names, own)))
        left -= _pairs(names, chosen)
        found.append({name: options[name][chosen[name]] for name in names})
    return found


def _pairs(names: list[str], chosen: Mapping[str, int]) -> set[tuple[str, int, str, int]]:
    own = [name for name in names if name in chosen]
    return {(a, chosen[a], b, chosen[b]) for a, b in itertools.combinations(own, 2)}
