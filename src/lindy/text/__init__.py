"""From texts to sparse rows: word and character n-grams, counted, weighted or hashed.

The vectorizers take scikit-learn's parameters and give scikit-learn's matrices, from a native core.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names

if TYPE_CHECKING:
    from lindy.text.analysis.whole_texts import SequenceVectorizer
    from lindy.text.count import CountVectorizer
    from lindy.text.hashing import HashingVectorizer
    from lindy.text.tfidf import TfidfVectorizer
    from lindy.text.union import UnionVectorizer
    from lindy.text.vectorizer import Vectorizer
    from lindy.text.vectorizer_registry import vectorizer_from_state
    from lindy.text.vocabulary.feature_selection import SelectFeatures
    from lindy.text.weighting.bm25 import Bm25Transformer, Bm25Vectorizer
    from lindy.text.weighting.log_count_ratio import LogCountRatio, LogCountRatioVectorizer
    from lindy.text.weighting.transformers import TfidfTransformer

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
        "vocabulary.feature_selection": "SelectFeatures",
        "analysis.whole_texts": "SequenceVectorizer",
        "tfidf": "TfidfVectorizer",
        "union": "UnionVectorizer",
        "vectorizer": "Vectorizer",
        "weighting.bm25": "Bm25Transformer Bm25Vectorizer",
        "weighting.log_count_ratio": "LogCountRatio LogCountRatioVectorizer",
        "weighting.transformers": "TfidfTransformer",
    },
)
