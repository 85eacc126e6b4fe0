"""Texts to counts scaled by log-count ratios: counted terms, then ``LogCountRatio``."""

from __future__ import annotations

from typing import Any

from lindy.parameters import with_parameters
from lindy.text.log_count_ratio import LogCountRatio
from lindy.text.transformer import Norm
from lindy.text.weighted import WeightedVectorizer


@with_parameters
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
    alpha: float = 0.5
    floor: float = 1.0
    norm: Norm | None = "l2"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
