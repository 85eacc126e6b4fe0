"""Counts of things in a text as columns of their own: once, twice, three or four times, and so on."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.estimators.parameters import with_parameters
from lindy.features.counted import POSITIVE
from lindy.text.analysis.documents import refuse_other_than_documents
from lindy.text.vectorizer import ListedColumns
from lindy.text.vocabulary.vocabulary_merge import Grown, unchanged

LENGTH = 0.1
"""The value of a column unless asked otherwise: about that of a word in a tf-idf row, whose length is 1."""
SPANS = ("1", "2", "3-4", "5-8", "9-16", "17 and more")


@with_parameters
class SpanVectorizer(ListedColumns):
    """Learns what to count in texts; the column of how often it is there has the value ``length``.

    A subclass has a ``title`` and ``_learn`` and ``_counts``, which return a number for every text.
    """

    title: ClassVar[str]
    stays_as_trained: ClassVar[bool] = True
    length: Annotated[float, POSITIVE] = LENGTH
    n_jobs: int | None = None

    def _feature_names(self) -> list[str]:
        return [f"{self.title}={span}" for span in SPANS]

    def _learn(self, texts: list[str], weight: NDArray[np.float64] | None) -> NDArray[np.int64]:
        """Learn from texts; return their counts, each as if the text itself had not been learned from."""
        raise NotImplementedError

    def _counts(self, texts: list[str]) -> NDArray[np.int64]:
        """Return the counts of other texts."""
        raise NotImplementedError

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Learn from texts and return their float32 rows."""
        return self._rows_of(self._learn(as_strings(X), weight))

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows of other texts."""
        self._check_fitted()
        return self._rows_of(self._counts(as_strings(X)))

    def grown(self, X: Any, n_before: float, weight: Any = None) -> Grown:  # noqa: ARG002
        """Return it as it is: further texts are counted by what the first training has learned."""
        self._check_fitted()
        return unchanged(self)

    def _rows_of(self, counts: NDArray[np.int64]) -> Csr:
        there = counts > 0
        indptr = np.concatenate([[0], np.cumsum(there)]).astype(np.int64)
        columns = span_of(counts[there])
        values = np.full(len(columns), self.length, np.float32)
        return Csr(indptr, columns, values, len(SPANS), checked=True)


def span_of(counts: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return the number of the span of each count from 1 on."""
    return np.searchsorted([1, 2, 4, 8, 16], counts).astype(np.int32)


def as_strings(X: Any) -> list[str]:
    """Return texts as Python strings."""
    refuse_other_than_documents(X)
    texts = X.to_pylist() if hasattr(X, "to_pylist") else list(X)
    for number, text in enumerate(texts):
        if not isinstance(text, str):
            raise TypeError(f"text {number} is a {type(text).__name__}, not a str: {str(text)[:40]!r}")
    return texts
