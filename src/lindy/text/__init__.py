"""From texts to sparse rows: word and character n-grams, counted, weighted or hashed.

The vectorizers take scikit-learn's parameters and give scikit-learn's matrices, from a native core.
"""

from lindy.lazy import lazy_imports

with lazy_imports(globals()):
    from lindy.text.analysis.whole_texts import SequenceVectorizer as SequenceVectorizer
    from lindy.text.count import CountVectorizer as CountVectorizer
    from lindy.text.hashing import HashingVectorizer as HashingVectorizer
    from lindy.text.tfidf import TfidfVectorizer as TfidfVectorizer
    from lindy.text.union import UnionVectorizer as UnionVectorizer
    from lindy.text.vectorizer import Vectorizer as Vectorizer
    from lindy.text.vectorizer_registry import vectorizer_from_state as vectorizer_from_state
    from lindy.text.vocabulary.feature_selection import SelectFeatures as SelectFeatures
    from lindy.text.weighting.bm25 import Bm25Transformer as Bm25Transformer
    from lindy.text.weighting.bm25 import Bm25Vectorizer as Bm25Vectorizer
    from lindy.text.weighting.log_count_ratio import LogCountRatio as LogCountRatio
    from lindy.text.weighting.log_count_ratio import LogCountRatioVectorizer as LogCountRatioVectorizer
    from lindy.text.weighting.tfidf_transformer import TfidfTransformer as TfidfTransformer
