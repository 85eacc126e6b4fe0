"""The weightings by the names that ``weighting=`` and ``--weighting`` take; imports nothing before one is asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lindy.text.transformer import RowTransformer
    from lindy.text.vectorizer import Vectorizer

WEIGHTINGS = {
    "counts": "counts",
    "tfidf": "tf-idf",
    "bm25": "BM25",
    "log-count-ratio": "log-count ratios",
}
"""The names, and how people say them."""


def check_weighting(weighting: Any) -> None:
    """Raise ValueError for what is not the name of a weighting."""
    if weighting not in WEIGHTINGS:
        raise ValueError(f"weighting must be one of {list(WEIGHTINGS)}; got {weighting!r}")


def weighted_vectorizer(weighting: str, **options: Any) -> Vectorizer:
    """Return an unfitted vectorizer whose rows are weighted so; ``options`` are those of ``CountVectorizer``."""
    from lindy import text

    check_weighting(weighting)
    if weighting == "counts":
        return text.CountVectorizer(**options)
    if weighting == "bm25":
        return text.Bm25Vectorizer(**options)
    if weighting == "log-count-ratio":
        return text.LogCountRatioVectorizer(**options)
    return text.TfidfVectorizer(**options, sublinear_tf=True, dtype="float32")


def weighting_transformer(weighting: str, n_jobs: int | None = None) -> RowTransformer | None:
    """Return an unfitted transformer that makes the same of counts; None for counts themselves."""
    from lindy import text

    check_weighting(weighting)
    if weighting == "counts":
        return None
    if weighting == "bm25":
        return text.Bm25Transformer(norm="l2", n_jobs=n_jobs)
    if weighting == "log-count-ratio":
        return text.LogCountRatio(norm="l2", n_jobs=n_jobs)
    return text.TfidfTransformer(sublinear_tf=True, n_jobs=n_jobs)
