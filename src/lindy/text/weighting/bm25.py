"""BM25: counts whose weight saturates, times how rare their word is.

idf · (k₁ + 1)·tf / (tf + k₁·(1 − b + b·|x| / avg))      |x| = Σ tf, avg its mean over the documents
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray

from lindy import _native
from lindy.core import numerics
from lindy.core.csr import Csr, Float
from lindy.estimators.base import thread_count
from lindy.estimators.parameters import FROM_0_TO_1, fitted, listed, must, with_parameters
from lindy.estimators.serialization import Shape
from lindy.text.vocabulary.vocabulary_merge import Factors, Places, placed_sums, ratio_at
from lindy.text.weighting.row_weights import Weight, row_totals
from lindy.text.weighting.tfidf_transformer import DocumentCounter
from lindy.text.weighting.transformer import NORM, Log, Norm
from lindy.text.weighting.weighted import WeightedVectorizer
from lindy.text.weighting.weighting_registry import TermWeights


@with_parameters
class Bm25Transformer(DocumentCounter):
    """Counts to BM25: tf-idf whose tf saturates, the sooner the shorter the document.

    The weight of a word is::

        idf(w) · (k₁ + 1)·tf / (tf + k₁·(1 − b + b·|x| / avg)),   |x| = Σ tf

    The average length avg and the document frequencies come from ``fit`` (Robertson, Walker, Jones,
    Hancock-Beaulieu & Gatford: Okapi at TREC-3, 1994).

    Parameters
    ----------
    k1 : float
        How slowly repetitions saturate: 0 counts a word once, ∞ would count it tf times.
    b : float in [0, 1]
        How much longer documents are discounted: 0 not at all, 1 in proportion to their length.
    idf : "lucene", "robertson", "smooth" or None
        "lucene": log(1 + (n − df + ½) / (df + ½)), always positive;
        "robertson": log((n − df + ½) / (df + ½)), the weight of Robertson and Spärck Jones, which is negative for
        words in more than half of the documents;
        "smooth": 1 + log((1 + n) / (1 + df)), that of :class:`TfidfTransformer`;
        None: 1.
    norm : "l1", "l2", "max" or None
        What every row is divided by afterwards.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    idf_ : array (features,)
    average_length_ : float
    document_frequency_ : array (features,), in how many rows each column was stored
    n_documents_ : int
    total_length_ : float
    """

    idf_: NDArray[np.float64] = fitted()
    total_length_: float = fitted()

    k1: Annotated[float, must("be a finite number ≥ 0", lambda value: 0 <= value < np.inf)] = 1.2
    b: Annotated[float, FROM_0_TO_1] = 0.75
    idf: Annotated[
        Literal["lucene", "robertson", "smooth"] | None, listed("lucene", "robertson", "smooth", None)
    ] = "lucene"
    norm: Annotated[Norm | None, NORM] = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = True
        return tags

    @property
    def average_length_(self) -> float:
        """The mean of Σ tf over the documents of ``fit``."""
        return self.total_length_ / self.n_documents_

    def _count(self, rows: Csr, weight: Weight | None, *, fresh: bool, log: Log) -> Self:
        self._refuse_negative(rows)
        super()._count(rows, weight, fresh=fresh, log=log)
        with np.errstate(over="ignore"):
            own = rows.values.sum(dtype=np.float64) if weight is None else (weight * row_totals(rows)).sum()
            total = own + (0.0 if fresh else self.total_length_)
        self.total_length_ = float(min(total, np.finfo(np.float64).max))
        self.idf_ = self._inverse_document_frequency()
        return self

    def learn_counts(self, documents: NDArray[Any], n_documents: float, total_length: float) -> Self:
        """Learn what ``fit`` learns from rows, of their sums: how many have each column, how many they are, Σ tf."""
        self._check_parameters()
        self.document_frequency_, self.n_documents_ = documents, n_documents
        self.total_length_, self.n_features_in_ = float(total_length), len(documents)
        self.idf_ = self._inverse_document_frequency()
        return self

    def _inverse_document_frequency(self) -> NDArray[np.float64]:
        df, n = self.document_frequency_.astype(np.float64), self.n_documents_
        if self.idf is None:
            return np.ones_like(df)
        if self.idf == "smooth":
            return 1 + numerics.log((1 + n) / (1 + df))
        odds = (n - df + 0.5) / (df + 0.5)
        return numerics.log(odds if self.idf == "robertson" else 1 + odds)

    def _refuse_negative(self, X: Csr) -> None:
        if len(X.values) and X.values.min() < 0:
            raise ValueError("Negative values in data passed to Bm25Transformer: it weighs counts")

    def _weigh(self, X: Csr, out: Float) -> None:
        self._refuse_negative(X)
        average, threads = self.average_length_ or 1.0, thread_count(self.n_jobs)
        norm = self.norm or "none"
        _native.bm25(
            X,
            idf=self.idf_,
            k1=self.k1,
            b=self.b,
            average=average,
            norm=norm,
            out=out,
            threads=threads,
        )

    def term_weights(self) -> TermWeights:
        """Return the formula of the weights."""
        more = {"k1": float(self.k1), "b": float(self.b), "average": float(self.average_length_ or 1.0)}
        return TermWeights("bm25", self.idf_, self.norm, more)

    def pooled(
        self, other: Any, places: tuple[Places, Places], n_columns: int
    ) -> tuple[Self, tuple[Factors | None, Factors | None]]:
        """Return the transformer of the documents of both, over columns of which each has some."""
        parts = [(own, part.document_frequency_) for own, part in zip(places, (self, other), strict=True)]
        made = type(self)(**self.get_params(deep=False)).learn_counts(
            placed_sums(parts, n_columns),
            self.n_documents_ + other.n_documents_,
            self.total_length_ + other.total_length_,
        )
        ratios = [
            ratio_at(made.idf_, own, part.idf_) for own, part in zip(places, (self, other), strict=True)
        ]
        return made, (ratios[0], ratios[1])

    def _shapes(self) -> dict[str, Shape]:
        return {"document_frequency": ("F",), "n_documents": (1,), "total_length": (1,), "idf": ("F",)}


@with_parameters
class Bm25Vectorizer(WeightedVectorizer):
    r"""Convert texts to a float32 matrix of BM25 weights, every row scaled to length 1.

    Parameters
    ----------
    k1, b, idf, norm
        Those of :class:`Bm25Transformer`.
    strip_accents, lowercase, stop_words, token_pattern, ngram_range, analyzer, max_df, min_df, max_features
        Those of :class:`CountVectorizer`, and so are ``min_count``, ``select``, ``punctuation`` and ``n_jobs``.
    """

    kind = "bm25"
    _transformer = Bm25Transformer
    k1: float = 1.2
    b: float = 0.75
    idf: Literal["lucene", "robertson", "smooth"] | None = "lucene"
    norm: Norm | None = "l2"
