"""How many columns a vectorizer makes, what some of them are called, and which have to do with a word."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.text.analyzer import Analyzer
from lindy.text.columns import TermColumns
from lindy.text.hashing import HashingVectorizer
from lindy.text.union import UnionVectorizer, prefix


def n_columns(vectorizer: Any) -> int:
    """Return how many columns a fitted vectorizer makes."""
    if isinstance(vectorizer, HashingVectorizer):
        return int(vectorizer.n_features)
    if isinstance(vectorizer, TermColumns):
        return vectorizer._n_terms()
    if hasattr(vectorizer, "groups_"):
        return sum(width for _, width in vectorizer.groups_)
    if not hasattr(vectorizer, "get_feature_names_out"):  # another library's hashing
        return int(vectorizer.n_features)
    return len(vectorizer.get_feature_names_out())


def feature_names(vectorizer: Any, columns: NDArray[np.integer[Any]]) -> list[str]:
    """Return the names of some columns, without making those of the others where that can be helped."""
    if isinstance(vectorizer, UnionVectorizer):
        names: list[str] = [""] * len(columns)
        offset = 0
        for own_name, part in vectorizer.vectorizers:
            width = n_columns(part)
            mine = np.flatnonzero((columns >= offset) & (columns < offset + width))
            for i, name in zip(mine.tolist(), feature_names(part, columns[mine] - offset), strict=True):
                names[i] = prefix(own_name) + name
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


def features_of(vectorizer: Any, word: str) -> NDArray[np.int64]:
    """Return the columns that are called so beside the terms of texts; if there are none, those of a word's terms."""
    if hasattr(vectorizer, "features_of"):
        own: NDArray[np.int64] = vectorizer.features_of(word)
        return own
    named, begin = [np.zeros(0, np.int64)], 0
    parts = vectorizer.vectorizers if isinstance(vectorizer, UnionVectorizer) else [("", vectorizer)]
    for name, part in parts:
        if not isinstance(part, Analyzer):
            names = [prefix(name) + own_name for own_name in part.get_feature_names_out()]
            named.append(begin + np.flatnonzero([own_name == word for own_name in names]))
        begin += n_columns(part)
    exact = np.concatenate(named)
    if len(exact) or not any(isinstance(part, Analyzer) for _, part in parts):
        return exact
    terms: NDArray[np.int64] = vectorizer.transform_csr([word]).without_zeros().indices.astype(np.int64)
    return terms
