"""Texts to counts scaled by log-count ratios: counted terms, then ``LogCountRatio``."""

from __future__ import annotations

from typing import Any

import numpy as np

from lindy.text.analyzer import WORDS
from lindy.text.log_count_ratio import LogCountRatio
from lindy.text.transformer import Norm
from lindy.text.weighted import WeightedVectorizer


class LogCountRatioVectorizer(WeightedVectorizer):
    r"""Convert texts to a float32 matrix of counts scaled by log-count ratios, every row scaled to length 1.

    It learns from labels: ``fit(texts, y)``. One matrix serves all classes: a term has the largest scale of them.

    Parameters
    ----------
    alpha, floor, norm
        Those of :class:`LogCountRatio`.
    strip_accents, lowercase, stop_words, token_pattern, ngram_range, analyzer, max_df, min_df, max_features
        Those of :class:`CountVectorizer`, and so are ``punctuation`` and ``n_jobs``.
    """

    kind = "log-count-ratio"
    uses_labels = True
    _transformer = LogCountRatio
    _own = ("alpha", "floor", "norm")

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
        alpha: float = 0.5,
        floor: float = 1.0,
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
        self.alpha = alpha
        self.floor = floor
        self.norm = norm

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        """Learn from texts and their labels, and return the rows as a SciPy matrix."""
        return self.fit_csr(X, y=y).to_scipy()
