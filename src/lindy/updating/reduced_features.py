"""A fitted vectorizer without some of its features: those are no longer looked for in texts."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.features import TableVectorizer
from lindy.text import CountVectorizer, UnionVectorizer
from lindy.text.vectorizer_registry import vectorizer_from_state
from lindy.text.vocabulary.encoding import encode_terms

_VOCABULARY = (
    "words",
    "word_offsets",
    "word_columns",
    "starts",
    "phrases",
    "terms",
    "offsets",
)  # as files hold it
_LEVELS = 64

Mask = NDArray[np.bool_]
Columns = NDArray[np.int64]


def reduced(vectorizer: Any, kept: Mask, *, rounding: bool = False) -> tuple[Any, Columns]:
    """Return a vectorizer without the terms that are not kept, and which of the columns it has, in their order.

    Columns that are no terms stay. With ``rounding``, the numbers that belong to terms, such as their idf, become
    64 different ones at most, and the terms are saved as a list.
    """
    if isinstance(vectorizer, UnionVectorizer):
        parts, order = _reduced_parts(vectorizer.parts, kept, rounding)
        return UnionVectorizer(vectorizers=parts), order
    if isinstance(vectorizer, TableVectorizer):
        texts, order = _reduced_parts(list(vectorizer.texts_.items()), kept, rounding)
        made = copy(vectorizer)
        made.texts_ = dict(texts)
        first = sum(own.n_columns for own in vectorizer.texts_.values())
        return made, np.concatenate([order, np.arange(first, len(kept))])
    if has_terms(vectorizer) and len(kept) > 1:
        return _without_terms(vectorizer, kept, rounding)
    return vectorizer, np.arange(len(kept))


def has_terms(vectorizer: Any) -> bool:
    """Whether terms of a vectorizer can be left out: a vocabulary that does not count those it does not know."""
    return isinstance(vectorizer, CountVectorizer) and not vectorizer.has_unknown


def _reduced_parts(
    parts: list[tuple[str, Any]], kept: Mask, rounding: bool
) -> tuple[list[tuple[str, Any]], Columns]:
    made, orders, begin = [], [np.zeros(0, np.int64)], 0
    for name, part in parts:
        smaller, own = reduced(part, kept[begin : begin + part.n_columns], rounding=rounding)
        made.append((name, smaller))
        orders.append(own + begin)
        begin += part.n_columns
    return made, np.concatenate(orders)


def _without_terms(vectorizer: CountVectorizer, kept: Mask, rounding: bool) -> tuple[Any, Columns]:
    """Return a vectorizer of the kept terms in the order of the alphabet, in which they take least room."""
    names = vectorizer.get_feature_names_out().tolist()
    chosen = np.flatnonzero(kept).tolist() or [0]  # a vocabulary is never empty
    order = np.array(sorted(chosen, key=names.__getitem__), np.int64)
    config, arrays = vectorizer.to_state()
    data, offsets = encode_terms([names[j] for j in order.tolist()])
    rest = {name: array for name, array in arrays.items() if name not in _VOCABULARY}
    per_term = {name: array[order] for name, array in rest.items() if len(array) == len(names)}
    if rounding:
        per_term = {name: _in_levels(array) for name, array in per_term.items()}
        config = config | {"terms_as_list": True}
    return vectorizer_from_state(config, rest | per_term | {"terms": data, "offsets": offsets}), order


def _in_levels(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return numbers rounded to 64 ones at the same distance from each other; other arrays as they are."""
    if numbers.dtype.kind != "f" or numbers.ndim != 1 or len(np.unique(numbers)) <= _LEVELS:
        return numbers
    low, high = float(numbers.min()), float(numbers.max())
    step = (high - low) / (_LEVELS - 1)
    return (low + np.rint((numbers - low) / step) * step).astype(numbers.dtype)
