"""How many columns a vectorizer makes, and what some of them are called, without making the names of all."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.text.columns import TermColumns
from lindy.text.hashing import HashingVectorizer
from lindy.text.union import UnionVectorizer


def n_columns(vectorizer: Any) -> int:
    """Return how many columns a fitted vectorizer makes."""
    if isinstance(vectorizer, HashingVectorizer):
        return int(vectorizer.n_features)
    if isinstance(vectorizer, TermColumns):
        return vectorizer._n_terms()
    if hasattr(vectorizer, "groups_"):
        return sum(width for _, width in vectorizer.groups_)
    return len(vectorizer.get_feature_names_out())


def feature_names(vectorizer: Any, columns: NDArray[np.integer[Any]]) -> list[str]:
    """Return the names of some columns, without making those of the others where that can be helped."""
    if isinstance(vectorizer, UnionVectorizer):
        names: list[str] = [""] * len(columns)
        offset = 0
        for prefix, part in vectorizer.vectorizers:
            width = n_columns(part)
            mine = np.flatnonzero((columns >= offset) & (columns < offset + width))
            for i, name in zip(mine.tolist(), feature_names(part, columns[mine] - offset), strict=True):
                names[i] = f"{prefix}__{name}"
            offset += width
        return names
    if hasattr(vectorizer, "names_of"):
        own: list[str] = vectorizer.names_of(columns)
        return own
    if isinstance(vectorizer, HashingVectorizer):
        return [f"#{column}" for column in columns.tolist()]
    if isinstance(vectorizer, TermColumns) and "_terms" in vars(vectorizer):
        data, offsets = vectorizer._terms.arrays
        begins, ends = offsets[columns].tolist(), offsets[columns + 1].tolist()
        return [
            data[begin:end].tobytes().decode("utf-8", "surrogatepass")
            for begin, end in zip(begins, ends, strict=True)
        ]
    return [str(name) for name in vectorizer.get_feature_names_out()[columns]]
