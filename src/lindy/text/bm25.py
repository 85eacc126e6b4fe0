"""Texts to BM25 weights: counted terms, then ``Bm25Transformer``."""

from __future__ import annotations

from typing import Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from lindy.csr import Csr
from lindy.text.analyzer import WORDS
from lindy.text.count import CountVectorizer
from lindy.text.native_rows import to_scipy
from lindy.text.transformer import Norm
from lindy.text.weighting import Bm25Transformer

_PREFIX = "bm25."


class Bm25Vectorizer(CountVectorizer):
    r"""Convert texts to a float32 matrix of BM25 weights, every row scaled to length 1.

    Parameters
    ----------
    k1, b, idf, norm
        Those of :class:`Bm25Transformer`.
    strip_accents, lowercase, stop_words, token_pattern, ngram_range, analyzer, max_df, min_df, max_features
        Those of :class:`CountVectorizer`, and so are ``punctuation`` and ``n_jobs``.
    """

    _kind = "bm25"
    _weights: Bm25Transformer

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

    def _new_weights(self) -> Bm25Transformer:
        return Bm25Transformer(k1=self.k1, b=self.b, idf=self.idf, norm=self.norm, n_jobs=self.n_jobs)

    def __sklearn_is_fitted__(self) -> bool:
        return "_weights" in vars(self)

    def _fit_pass(self, dtype: Any, order: str = "alphabet") -> None:
        """Return None: in a union it reads the texts itself, for its weights follow the counts of all texts."""

    def _rows_pass(self) -> None:
        """Return None, as ``_fit_pass`` does."""

    def fit(self, raw_documents: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Learn the terms of the texts, their frequencies and the average length."""
        self._weights = self._new_weights().fit(super().fit_csr(raw_documents))
        return self

    def partial_fit(self, raw_documents: Any, y: Any = None) -> Self:
        """Refused: the average length of earlier texts is over terms that may change."""
        raise NotImplementedError(
            "Bm25Vectorizer learns from all texts at once; CountVectorizer and Bm25Transformer have partial_fit"
        )

    def fit_csr(self, raw_documents: Any, *, order: str = "alphabet") -> Csr:
        """Learn from the texts and return their weights as float32 rows; ``order`` is CountVectorizer's."""
        counts = super().fit_csr(raw_documents, order=order)
        self._weights = self._new_weights().fit(counts)
        return self._weights.transform_csr(counts)

    def transform_csr(self, raw_documents: Any) -> Csr:
        """Return the weights of the known terms in the texts as float32 rows."""
        self._check_vocabulary()
        return self._weights.transform_csr(super().transform_csr(raw_documents))

    def fit_transform(self, raw_documents: Any, y: Any = None) -> Any:  # noqa: ARG002
        """Learn from the texts and return their weights."""
        return to_scipy(self.fit_csr(raw_documents))

    def transform(self, raw_documents: Any) -> Any:
        """Return the weights of the known terms in the texts."""
        return to_scipy(self.transform_csr(raw_documents))

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything that ``transform`` needs: a dict for JSON and arrays."""
        config, arrays = super().to_state()
        weights, own = self._weights.to_state()
        return config | {"weights": weights}, arrays | {_PREFIX + name: array for name, array in own.items()}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        if (
            not isinstance(config.get("weights"), dict)
            or config.get("oov") is not None
            or config.get("binary")
        ):
            raise ValueError("the saved vectorizer has parameters that cannot be")
        own = {name.removeprefix(_PREFIX): a for name, a in arrays.items() if name.startswith(_PREFIX)}
        weights = Bm25Transformer.from_state(config["weights"], own)
        made = super().from_state(config, arrays)
        if weights.n_features_in_ != made._n_terms():
            raise ValueError("the saved vectorizer must have one weight per term")
        made.k1, made.b, made.idf, made.norm = weights.k1, weights.b, weights.idf, weights.norm
        made._weights = weights
        return made
