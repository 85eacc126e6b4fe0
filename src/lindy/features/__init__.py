"""Features beyond words: functions, dictionaries, conjunctions.

Everything here makes sparse rows as the vectorizers of ``lindy.text`` do, so all of it stands beside words in a
``UnionVectorizer``, in a ``TextClassifier`` and, as long as it holds no Python code, in a model file.
"""

from lindy.lazy import lazy_imports
from lindy.text.vectorizer_registry import register_kinds

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
        "static embedding": "lindy.features.static_embedding:StaticEmbedding",
        "table": "lindy.features.table_vectorizer:TableVectorizer",
        "token conjunctions": "lindy.features.token_conjunctions:TokenConjunctions",
    }
)

with lazy_imports(globals()):
    from lindy.features.conjunction_vectorizer import ConjunctionVectorizer as ConjunctionVectorizer
    from lindy.features.conjunctions import Conjunctions as Conjunctions
    from lindy.features.copies import CopyVectorizer as CopyVectorizer
    from lindy.features.dicts import DictVectorizer as DictVectorizer
    from lindy.features.functions import Feature as Feature
    from lindy.features.functions import FeatureError as FeatureError
    from lindy.features.functions import FunctionVectorizer as FunctionVectorizer
    from lindy.features.functions import all_capitalised as all_capitalised
    from lindy.features.functions import contains as contains
    from lindy.features.functions import contains_any as contains_any
    from lindy.features.functions import feature as feature
    from lindy.features.functions import union as union
    from lindy.features.functions import word_count as word_count
    from lindy.features.functions import word_ending as word_ending
    from lindy.features.lexicons import LexiconVectorizer as LexiconVectorizer
    from lindy.features.misspellings import MisspellingVectorizer as MisspellingVectorizer
    from lindy.features.pattern_counts import PatternVectorizer as PatternVectorizer
    from lindy.features.row_vectorizer import BagVectorizer as BagVectorizer
    from lindy.features.selected import SelectedFeatures as SelectedFeatures
    from lindy.features.selected import select_features as select_features
    from lindy.features.static_embedding import StaticEmbedding as StaticEmbedding
    from lindy.features.table_vectorizer import TableVectorizer as TableVectorizer
    from lindy.features.token_conjunctions import TokenConjunctions as TokenConjunctions
