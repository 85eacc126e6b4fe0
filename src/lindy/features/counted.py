"""The base of patterns and lexicons: an estimator that learns nothing, rows of counts, and what counts become."""

from __future__ import annotations

from collections.abc import Iterable
from numbers import Real
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core import numerics
from lindy.core.csr import Csr, nonzero_rows
from lindy.estimators.parameters import NONE, Alternative, one_of, with_parameters
from lindy.text.vectorizer import ListedColumns

VALUES = ("log", "counts", "presence")
LENGTH = 0.25
"""How long a row is unless asked otherwise: beside a tf-idf row, whose length is 1, longer ones drown the words."""


POSITIVE: Alternative = (
    "a number above 0",
    lambda value: isinstance(value, Real) and 0 < float(value) < np.inf,
)


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
