"""Feature maps g(x): from objects to vectors (LxMLS 1.11, Johansson's combinations)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.textbook.minhash import mixed


def dict_matrix(
    examples: list[dict[str, Any]], separator: str = "="
) -> tuple[list[str], NDArray[np.float64]]:
    """Return the names of all features in alphabetical order, and g(x) of every example as a row.

    A number stands under its name; a string s under name=s, with a 1; each of several strings likewise, counted.
    """
    rows = []
    for x in examples:
        row: dict[str, float] = {}
        for name, value in x.items():
            strings = [value] if isinstance(value, str) else value if isinstance(value, list) else None
            parts = (
                [(name, float(value))]
                if strings is None
                else [(f"{name}{separator}{s}", 1.0) for s in strings]
            )
            for column, number in parts:
                row[column] = row.get(column, 0.0) + number
        rows.append(row)
    names = sorted({name for row in rows for name in row})
    return names, np.array([[row.get(name, 0.0) for name in names] for row in rows]).reshape(
        len(rows), len(names)
    )


def conjunctions(X: NDArray[np.float64], pairs: list[tuple[int, int]]) -> NDArray[np.float64]:
    """Return the products x_i · x_j of pairs of columns: "very-good" beside "very" and "good" (Johansson)."""
    return np.stack([X[:, i] * X[:, j] for i, j in pairs], axis=1) if pairs else np.zeros((len(X), 0))


def hashed_conjunctions(
    X: NDArray[np.float64], pairs: list[tuple[int, int]], n_features: int
) -> NDArray[np.float64]:
    """Return the products of pairs, added or subtracted in the column that a hash of the pair names."""
    rows = np.zeros((len(X), n_features))
    for i, j in pairs:
        h = mixed(mixed((i << 32 | j) * 0x9E3779B97F4A7C15 & 2**64 - 1))
        rows[:, (h >> 32) % n_features] += (-1.0) ** (h & 1) * X[:, i] * X[:, j]
    return rows


def word_pairs(words: list[str], window: int) -> list[str]:
    """Return the pairs of words of a text that are at most ``window`` steps apart, in the text's order."""
    return [f"{a}-{b}" for i, a in enumerate(words) for b in words[i + 1 : i + window + 1]]
