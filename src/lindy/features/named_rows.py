"""Examples as people have them — texts, features with values, or a matrix — as rows with names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lindy.core.column import is_column
from lindy.core.csr import Csr, as_csr, is_sparse
from lindy.core.feature_names import column_names
from lindy.core.feature_rows import are_feature_rows
from lindy.features.inputs import KINDS, as_inputs
from lindy.text.analysis.documents import refuse_single_string
from lindy.text.vocabulary.terms import term_vectorizer


@dataclass(frozen=True, slots=True)
class NamedRows:
    """Rows, the names of their columns, and the vectorizer that made them, if they were no matrix."""

    rows: Csr
    names: list[str]
    vectorizer: Any = None

    def of_others(self, X: Any) -> Any:
        """Return the rows of other examples of the same kind."""
        return X if self.vectorizer is None else self.vectorizer.transform_csr(X)


def named_rows(
    X: Any,
    names: Sequence[str] | None = None,
    *,
    ngrams: tuple[int, int] = (1, 1),
    weighting: str = "counts",
    n_jobs: int | None = None,
) -> NamedRows:
    """Return the rows of texts (their words are counted, and weighted), of feature rows, or of a matrix as it is."""
    refuse_single_string(X)
    if not _is_matrix(X):
        examples = X if hasattr(X, "__len__") else list(X)
        if not len(examples):
            raise ValueError("there are no examples")
        words = term_vectorizer(ngrams, None, weighting, n_jobs=n_jobs)
        inputs = as_inputs(examples, None)
        vectorizer = KINDS[inputs.kind].vectorizer(words, n_jobs)
        if names is not None:
            raise ValueError(
                "names are those of a matrix's columns; texts and feature rows have their own: leave names out"
            )
        rows = vectorizer.fit_csr(inputs.values)
        return NamedRows(rows, vectorizer.get_feature_names_out().tolist(), vectorizer)
    rows = as_csr(X)
    known = column_names(X) if names is None else names
    listed = [f"x{j}" for j in range(rows.n_columns)] if known is None else [str(name) for name in known]
    if len(listed) != rows.n_columns:
        raise ValueError(f"there are {len(listed)} names for {rows.n_columns} columns")
    return NamedRows(rows, listed)


def _is_matrix(X: Any) -> bool:
    """Whether X has rows of numbers: a matrix of SciPy, NumPy or lindy, a data frame, or nested lists."""
    if isinstance(X, Csr) or is_sparse(X) or getattr(X, "ndim", 0) == 2:
        return True
    if is_column(X) or are_feature_rows(X) or not isinstance(X, Sequence) or not len(X):
        return False
    return isinstance(X[0], Sequence | np.ndarray) and not isinstance(X[0], str | bytes)
