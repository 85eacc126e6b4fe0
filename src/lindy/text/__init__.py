"""From texts to sparse rows: word and character n-grams, counted, weighted or hashed.

The vectorizers take scikit-learn's parameters and give scikit-learn's matrices, from a native core.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from lindy.text.count import CountVectorizer
from lindy.text.hashing import HashingVectorizer
from lindy.text.log_count_ratio import LogCountRatio
from lindy.text.tfidf import TfidfVectorizer
from lindy.text.weighting import Bm25Transformer, TfidfTransformer

__all__ = [
    "Bm25Transformer",
    "CountVectorizer",
    "HashingVectorizer",
    "LogCountRatio",
    "TfidfTransformer",
    "TfidfVectorizer",
    "vectorizer_from_state",
]

Vectorizer = CountVectorizer | TfidfVectorizer | HashingVectorizer

_KINDS: dict[str, type[Vectorizer]] = {
    "count": CountVectorizer,
    "tfidf": TfidfVectorizer,
    "hashing": HashingVectorizer,
}


def vectorizer_from_state(config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Vectorizer:
    """Rebuild a vectorizer from what its ``to_state`` returned; anything unsound is a ``ValueError``."""
    kind = config.get("kind") if isinstance(config, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"unknown kind of vectorizer {kind!r}; expected one of {sorted(_KINDS)}")
    return _KINDS[kind].from_state(config, arrays)
