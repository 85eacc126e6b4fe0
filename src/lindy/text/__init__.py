"""From texts to sparse rows: word and character n-grams, counted, weighted or hashed.

The vectorizers take scikit-learn's parameters and give scikit-learn's matrices, from a native core.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.text.bm25 import Bm25Vectorizer
    from lindy.text.count import CountVectorizer
    from lindy.text.hashing import HashingVectorizer
    from lindy.text.log_count_ratio import LogCountRatio
    from lindy.text.sequences import SequenceVectorizer
    from lindy.text.tfidf import TfidfVectorizer
    from lindy.text.union import UnionVectorizer
    from lindy.text.weighting import Bm25Transformer, TfidfTransformer

__all__ = [
    "Bm25Transformer",
    "Bm25Vectorizer",
    "CountVectorizer",
    "HashingVectorizer",
    "LogCountRatio",
    "SequenceVectorizer",
    "TfidfTransformer",
    "TfidfVectorizer",
    "UnionVectorizer",
    "vectorizer_from_state",
]

_HOMES = {
    "Bm25Transformer": "lindy.text.weighting",
    "Bm25Vectorizer": "lindy.text.bm25",
    "CountVectorizer": "lindy.text.count",
    "HashingVectorizer": "lindy.text.hashing",
    "LogCountRatio": "lindy.text.log_count_ratio",
    "SequenceVectorizer": "lindy.text.sequences",
    "TfidfTransformer": "lindy.text.weighting",
    "TfidfVectorizer": "lindy.text.tfidf",
    "UnionVectorizer": "lindy.text.union",
}
# what a model file may hold; modules by name, because some stand on this one
_KINDS = {
    "bm25": ("lindy.text.bm25", "Bm25Vectorizer"),
    "count": ("lindy.text.count", "CountVectorizer"),
    "tfidf": ("lindy.text.tfidf", "TfidfVectorizer"),
    "hashing": ("lindy.text.hashing", "HashingVectorizer"),
    "sequences": ("lindy.text.sequences", "SequenceVectorizer"),
    "union": ("lindy.text.union", "UnionVectorizer"),
    "conjunctions": ("lindy.features.conjunction_vectorizer", "ConjunctionVectorizer"),
    "token conjunctions": ("lindy.features.token_conjunctions", "TokenConjunctions"),
    "dict": ("lindy.features.dicts", "DictVectorizer"),
    "lexicons": ("lindy.features.lexicons", "LexiconVectorizer"),
    "patterns": ("lindy.features.pattern_counts", "PatternVectorizer"),
    "table": ("lindy.features.table", "TableVectorizer"),
    "functions": ("lindy.features.functions", "FunctionVectorizer"),
}

__getattr__, __dir__ = lazy_names(__name__, _HOMES)


def vectorizer_from_state(config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Any:
    """Rebuild a vectorizer from what its ``to_state`` returned; anything unsound is a ``ValueError``."""
    kind = config.get("kind") if isinstance(config, dict) else None
    if not isinstance(kind, str) or kind not in _KINDS:
        raise ValueError(f"unknown kind of vectorizer {kind!r}; expected one of {sorted(_KINDS)}")
    module, name = _KINDS[kind]
    try:
        return getattr(importlib.import_module(module), name).from_state(config, arrays)
    except RecursionError:
        raise ValueError("the saved vectorizer holds another, and so on, without an end") from None
