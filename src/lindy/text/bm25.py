"""Texts to BM25 weights: counted terms, then ``Bm25Transformer``."""

from __future__ import annotations

from typing import Literal

from lindy.parameters import with_parameters
from lindy.text.transformer import Norm
from lindy.text.weighted import WeightedVectorizer
from lindy.text.weighting import Bm25Transformer


@with_parameters
class Bm25Vectorizer(WeightedVectorizer):
    r"""Convert texts to a float32 matrix of BM25 weights, every row scaled to length 1.

    Parameters
    ----------
    k1, b, idf, norm
        Those of :class:`Bm25Transformer`.
    strip_accents, lowercase, stop_words, token_pattern, ngram_range, analyzer, max_df, min_df, max_features
        Those of :class:`CountVectorizer`, and so are ``punctuation`` and ``n_jobs``.
    """

    kind = "bm25"
    _transformer = Bm25Transformer
    _own = ("k1", "b", "idf", "norm")
    k1: float = 1.2
    b: float = 0.75
    idf: Literal["lucene", "robertson", "smooth"] | None = "lucene"
    norm: Norm | None = "l2"
