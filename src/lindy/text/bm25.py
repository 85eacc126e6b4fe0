"""Texts to BM25 weights: counted terms, then ``Bm25Transformer``."""

from __future__ import annotations

from typing import Literal

import numpy as np

from lindy.text.analyzer import WORDS
from lindy.text.transformer import Norm
from lindy.text.weighted import WeightedVectorizer
from lindy.text.weighting import Bm25Transformer


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

    def __init__(
        self,
        *,
        strip_accents: str | None = None,
        lowercase: bool = True,
        stop_words: str | list[str] | None = None,
        token_pattern: str | None = WORDS,
        ngram_range: tuple[int, int] = (1, 1),
        analyzer: str = "word",
        max_df: float = 1.0,
        min_df: float = 1,
        max_features: int | None = None,
        punctuation: bool = False,
        k1: float = 1.2,
        b: float = 0.75,
        idf: Literal["lucene", "robertson", "smooth"] | None = "lucene",
        norm: Norm | None = "l2",
        n_jobs: int | None = None,
    ) -> None:
        super().__init__(
            strip_accents=strip_accents,
            lowercase=lowercase,
            stop_words=stop_words,
            token_pattern=token_pattern,
            ngram_range=ngram_range,
            analyzer=analyzer,
            max_df=max_df,
            min_df=min_df,
            max_features=max_features,
            punctuation=punctuation,
            dtype=np.float32,
            n_jobs=n_jobs,
        )
        self.k1 = k1
        self.b = b
        self.idf = idf
        self.norm = norm
