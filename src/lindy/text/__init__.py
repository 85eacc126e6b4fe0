"""From texts to sparse rows: word and character n-grams, counted, weighted or hashed.

The vectorizers take scikit-learn's parameters and give scikit-learn's matrices, from a native core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.text.count import CountVectorizer
    from lindy.text.feature_selection import SelectFeatures
    from lindy.text.hashing import HashingVectorizer
    from lindy.text.log_count_ratio import LogCountRatio
    from lindy.text.tfidf import TfidfVectorizer
    from lindy.text.union import UnionVectorizer
    from lindy.text.vectorizer import Vectorizer
    from lindy.text.vectorizer_registry import vectorizer_from_state
    from lindy.text.weighted import Bm25Vectorizer, LogCountRatioVectorizer
    from lindy.text.weighting import Bm25Transformer, TfidfTransformer
    from lindy.text.whole_texts import SequenceVectorizer

__all__ = [
    "Bm25Transformer",
    "Bm25Vectorizer",
    "CountVectorizer",
    "HashingVectorizer",
    "LogCountRatio",
    "LogCountRatioVectorizer",
    "SelectFeatures",
    "SequenceVectorizer",
    "TfidfTransformer",
    "TfidfVectorizer",
    "UnionVectorizer",
    "Vectorizer",
    "vectorizer_from_state",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "count": "CountVectorizer",
        "hashing": "HashingVectorizer",
        "vectorizer_registry": "vectorizer_from_state",
        "log_count_ratio": "LogCountRatio",
        "feature_selection": "SelectFeatures",
        "whole_texts": "SequenceVectorizer",
        "tfidf": "TfidfVectorizer",
        "union": "UnionVectorizer",
        "vectorizer": "Vectorizer",
        "weighted": "Bm25Vectorizer LogCountRatioVectorizer",
        "weighting": "Bm25Transformer TfidfTransformer",
    },
)
