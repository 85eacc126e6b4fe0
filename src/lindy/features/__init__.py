"""Features beyond words: functions, dictionaries, conjunctions.

Everything here makes sparse rows as the vectorizers of ``lindy.text`` do, so all of it stands beside words in a
``UnionVectorizer``, in a ``TextClassifier`` and, as long as it holds no Python code, in a model file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from lindy.lazy import lazy_names
from lindy.text.vectorizer_registry import register_kinds

if TYPE_CHECKING:
    from lindy.features.conjunction_vectorizer import ConjunctionVectorizer
    from lindy.features.conjunctions import Conjunctions
    from lindy.features.copies import CopyVectorizer
    from lindy.features.dicts import DictVectorizer
    from lindy.features.functions import (
        Feature,
        FeatureError,
        FunctionVectorizer,
        all_capitalised,
        contains,
        contains_any,
        feature,
        union,
        word_count,
        word_ending,
    )
    from lindy.features.lexicons import LexiconVectorizer
    from lindy.features.misspellings import MisspellingVectorizer
    from lindy.features.pattern_counts import PatternVectorizer
    from lindy.features.row_vectorizer import BagVectorizer
    from lindy.features.selected import SelectedFeatures, select_features
    from lindy.features.table_vectorizer import TableVectorizer
    from lindy.features.token_conjunctions import TokenConjunctions

__all__ = [
    "BagVectorizer",
    "ConjunctionVectorizer",
    "Conjunctions",
    "CopyVectorizer",
    "DictVectorizer",
    "Feature",
    "FeatureError",
    "FunctionVectorizer",
    "LexiconVectorizer",
    "MisspellingVectorizer",
    "PatternVectorizer",
    "SelectedFeatures",
    "TableVectorizer",
    "TokenConjunctions",
    "all_capitalised",
    "contains",
    "contains_any",
    "feature",
    "select_features",
    "union",
    "word_count",
    "word_ending",
]

__getattr__, __dir__ = lazy_names(
    __name__,
    {
        "row_vectorizer": "BagVectorizer",
        "conjunction_vectorizer": "ConjunctionVectorizer",
        "conjunctions": "Conjunctions",
        "copies": "CopyVectorizer",
        "dicts": "DictVectorizer",
        "functions": "Feature FeatureError FunctionVectorizer all_capitalised contains contains_any feature"
        " union word_count word_ending",
        "lexicons": "LexiconVectorizer",
        "misspellings": "MisspellingVectorizer",
        "pattern_counts": "PatternVectorizer",
        "selected": "SelectedFeatures select_features",
        "table_vectorizer": "TableVectorizer",
        "token_conjunctions": "TokenConjunctions",
    },
)

register_kinds(
    {
        "bags": "lindy.features.row_vectorizer:BagVectorizer",
        "conjunctions": "lindy.features.conjunction_vectorizer:ConjunctionVectorizer",
        "copies": "lindy.features.copies:CopyVectorizer",
        "dict": "lindy.features.dicts:DictVectorizer",
        "functions": "lindy.features.functions:FunctionVectorizer",
        "lexicons": "lindy.features.lexicons:LexiconVectorizer",
        "misspellings": "lindy.features.misspellings:MisspellingVectorizer",
        "patterns": "lindy.features.pattern_counts:PatternVectorizer",
        "table": "lindy.features.table_vectorizer:TableVectorizer",
        "token conjunctions": "lindy.features.token_conjunctions:TokenConjunctions",
    }
)
