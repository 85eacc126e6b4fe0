"""Counts of things in a text as columns of their own: once, twice, three or four times, and so on."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Annotated, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.csr import Csr, nonzero_rows
from lindy.estimators.parameters import NONE, Alternative, one_of, with_parameters
from lindy.text.analysis.documents import refuse_other_than_documents
from lindy.text.vectorizer import ListedColumns
from lindy.text.vocabulary.vocabulary_merge import Grown, unchanged

VALUES = ("log", "counts", "presence")
LENGTH = 0.25
"""How long a row is unless asked otherwise: beside a tf-idf row, whose length is 1, longer ones drown the words."""


POSITIVE: Alternative = (
    "a number above 0",
    lambda value: isinstance(value, Real) and 0 < float(value) < np.inf,
)
LENGTH = 0.1
"""The value of a column unless asked otherwise: about that of a word in a tf-idf row, whose length is 1."""
SPANS = ("1", "2", "3-4", "5-8", "9-16", "17 and more")


@with_parameters
class CountedVectorizer(ListedColumns):
    """Convert texts to a matrix of counts of what is known beforehand; nothing is learned.

    A subclass says what it counts: its ``_feature_names`` (which also check the parameters) and ``transform_csr``.
    """

    learns = False
    values: Annotated[str, one_of(*VALUES)] = "log"
    length: Annotated[float | None, POSITIVE, NONE] = LENGTH
    n_jobs: int | None = None

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Check the parameters."""
        self._feature_names()
        return self

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Return the float32 rows."""
        return self.transform_csr(X)

    def _value_state(self) -> dict[str, Any]:
        """Return what a model file keeps of the parameters that all have."""
        return {"kind": self.kind, "values": self.values, "length": self.length}


def from_counts(counts: Iterable[NDArray[Any]], n_columns: int, values: str, length: float | None) -> Csr:
    """Return rows of ln(1 + n), n or [n > 0], out of counts n that come in pieces (texts × columns).

    With a length, every row that is not empty is scaled to it.
    """
    n = np.concatenate([np.zeros((0, n_columns), np.float32), *counts]).astype(np.float32, copy=False)
    if values == "log":
        n = numerics.log1p(n).astype(np.float32)
    elif values == "presence":
        n = (n > 0).astype(np.float32)
    if length is not None:
        norm = np.sqrt(np.square(n, dtype=np.float64).sum(axis=1, keepdims=True))
        n = (n * (length / np.maximum(norm, np.finfo(np.float32).tiny))).astype(np.float32)
    return nonzero_rows(n)


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
