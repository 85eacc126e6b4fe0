"""Which features of texts, feature rows or a matrix say most about their labels."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import is_column
from lindy.core.csr import Csr, as_csr, is_sparse
from lindy.core.feature_names import column_names
from lindy.core.feature_rows import are_feature_rows
from lindy.estimators.notebook import shown, table
from lindy.features.inputs import KINDS, as_inputs
from lindy.sanitize import sanitize
from lindy.text.analysis.documents import refuse_single_string
from lindy.text.vocabulary.feature_selection import METHODS, Selection, ranked
from lindy.text.vocabulary.terms import term_vectorizer


@dataclass(frozen=True, slots=True)
class SelectedFeatures:
    """The best features, the best first.

    Attributes
    ----------
    names : list of str
        What they are called: words, names of features, names of a matrix's columns (or x0, x1, …).
    scores : array
    columns : array of int
        Their numbers among all features; ``X[:, np.sort(columns)]`` of a matrix are its selected columns.
    method : str
    """

    names: list[str]
    scores: NDArray[np.float64]
    columns: NDArray[np.intp]
    method: str

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[tuple[str, float]]:
        return zip(self.names, self.scores.tolist(), strict=True)

    def _cells(self, most: int) -> list[tuple[str, str]]:
        cells = [("feature", METHODS[self.method])]
        cells += [(sanitize(name), f"{score:.4g}") for name, score in list(self)[:most]]
        return [*cells, ("…", f"{len(self) - most:,} more")] if len(self) > most else cells

    def __str__(self) -> str:
        cells = self._cells(20)
        width = max(len(score) for _, score in cells)
        return "\n".join(f"{score:>{width}}  {name}" for name, score in cells)

    def _repr_html_(self) -> str:
        return shown(table(self._cells(50)))


def select_features(
    X: Any,
    y: Any = None,
    *,
    method: str = "chi2",
    k: int = 10_000,
    names: Sequence[str] | None = None,
    ngrams: tuple[int, int] = (1, 1),
    n_jobs: int | None = None,
) -> SelectedFeatures:
    """Return the features that say most about the labels, the best first.

    Parameters
    ----------
    X : texts, feature rows or matrix
        Texts are counted word by word; dictionaries and what ``lindy.data`` reads as features with values are taken as
        they are, and so are the columns of a matrix (NumPy, SciPy, a data frame).
    y : labels, one for each example; needed by "chi2" and "information-gain"
    method : {"chi2", "information-gain", "count", "df"}
        The score; see ``SelectFeatures``, which does the same in a pipeline, and ``TextClassifier(select=…)``.
    k : int
        How many features at most.
    names : list of str or None
        Of a matrix's columns.
    ngrams : (int, int)
        Shortest and longest n-grams of words.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Examples
    --------
    >>> from lindy import select_features
    >>> select_features(["good book", "a good read", "bad book"], ["+", "+", "-"], k=2).names
    ['bad', 'good']
    """
    selection = Selection(method, k)
    made = named_rows(X, names, ngrams=ngrams, n_jobs=n_jobs)
    scores = selection.scores(made.rows, y)
    columns = ranked(scores)[:k]
    return SelectedFeatures([made.names[j] for j in columns.tolist()], scores[columns], columns, method)


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
