"""Conjunctions of whatever a vectorizer makes: all pairs, or pairs of chosen groups of its columns."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.base import Estimator
from lindy.csr import Csr
from lindy.features.conjunctions import Conjunctions
from lindy.text import vectorizer_from_state
from lindy.text.naming import feature_names, n_columns
from lindy.text.native_rows import to_scipy


class ConjunctionVectorizer(Estimator):
    """The columns of a vectorizer, followed by products of pairs of them.

    Parameters
    ----------
    vectorizer : vectorizer
        Of ``lindy.text`` or ``lindy.features``.
    pairs : "all" or list of (str, str)
        Every pair of columns, or every pair of a column of the first group with one of the second. Groups are the
        parts of a ``UnionVectorizer`` or ``FunctionVectorizer``, by their names.
    min_df : int
        Pairs that occur in fewer examples are left out.
    n_features : int or None
        So many columns, chosen by a hash, hold all pairs; None lists the pairs of ``fit``.
    n_jobs : int or None
        Threads; None means all cores.

    Examples
    --------
    >>> from lindy.features import ConjunctionVectorizer
    >>> from lindy.text import CountVectorizer
    >>> both = ConjunctionVectorizer(vectorizer=CountVectorizer())
    >>> both.fit(["not bad", "very bad"]).get_feature_names_out().tolist()
    ['bad', 'not', 'very', 'bad-not', 'bad-very']
    """

    def __init__(
        self,
        *,
        vectorizer: Any,
        pairs: str | list[tuple[str, str]] = "all",
        min_df: int = 1,
        n_features: int | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.vectorizer = vectorizer
        self.pairs = pairs
        self.min_df = min_df
        self.n_features = n_features
        self.n_jobs = n_jobs

    def __sklearn_is_fitted__(self) -> bool:
        return "conjunctions_" in vars(self)

    @property
    def columns(self) -> Any:
        """The columns of a table, if the vectorizer is one of tables."""
        return self.vectorizer.columns

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Fit the vectorizer, and learn which pairs occur."""
        self.fit_csr(X)
        return self

    def fit_csr(self, X: Any, *, order: str = "alphabet") -> Csr:
        """Fit the vectorizer, learn which pairs occur, and return the float32 rows."""
        rows = self.vectorizer.fit_csr(X, order=order)
        self.conjunctions_ = Conjunctions(
            pairs=self._columns(), min_df=self.min_df, n_features=self.n_features, n_jobs=self.n_jobs
        ).fit(rows)
        return self.conjunctions_.transform_csr(rows)

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows of further examples."""
        self._check_fitted()
        return self.conjunctions_.transform_csr(self.vectorizer.transform_csr(X))

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002
        """Fit the vectorizer, learn which pairs occur, and return the matrix."""
        return to_scipy(self.fit_csr(X))

    def transform(self, X: Any) -> Any:
        """Return the matrix of further examples."""
        return to_scipy(self.transform_csr(X))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:  # noqa: ARG002
        """Return the names of the vectorizer's columns and, with a hyphen between, of their pairs."""
        self._check_fitted()
        every = np.arange(self.conjunctions_.n_features_in_)
        return self.conjunctions_.get_feature_names_out(feature_names(self.vectorizer, every))

    @property
    def groups_(self) -> list[tuple[str, int]]:
        """Two groups: the columns of the vectorizer, and their pairs."""
        self._check_fitted()
        return [("", self.conjunctions_.n_features_in_), ("pairs", self.conjunctions_.n_pairs)]

    def names_of(self, columns: NDArray[np.integer[Any]]) -> list[str]:
        """Return the names of some columns."""
        width = self.conjunctions_.n_features_in_
        names = np.empty(len(columns), dtype=object)
        single = columns < width
        names[single] = feature_names(self.vectorizer, columns[single])
        names[~single] = self.conjunctions_.pair_names(self._base_names, columns[~single] - width)
        return [str(name) for name in names]

    def _base_names(self, columns: NDArray[np.integer[Any]]) -> list[str]:
        return feature_names(self.vectorizer, columns)

    def _columns(self) -> Any:
        """Return the pairs of groups with columns instead of names."""
        if isinstance(self.pairs, str):
            return self.pairs
        groups: dict[str, range] = {}
        begin = 0
        for name, width in getattr(self.vectorizer, "groups_", []):
            groups[name] = range(begin, begin + width)
            begin += width
        for name in (name for pair in self.pairs for name in pair):
            if name not in groups:
                listed = ", ".join(map(repr, groups)) or "none"
                raise ValueError(f"pairs names the group {name!r}; the vectorizer's groups are: {listed}")
        return [(list(groups[a]), list(groups[b])) for a, b in self.pairs]

    def to_state(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        self._check_fitted()
        base, arrays = self.vectorizer.to_state()
        config = {
            "kind": "conjunctions",
            "vectorizer": base,
            "pairs": self.pairs if isinstance(self.pairs, str) else [list(pair) for pair in self.pairs],
            "n_features": self.n_features,
        }
        arrays = {f"vectorizer.{name}": array for name, array in arrays.items()}
        if self.n_features is None:
            arrays["pairs"] = self.conjunctions_.pairs_
        return config, arrays

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        prefix = "vectorizer."
        own = {name.removeprefix(prefix): a for name, a in arrays.items() if name.startswith(prefix)}
        base: Any = config.get("vectorizer")
        pairs: Any = config.get("pairs")
        if not isinstance(base, dict) or base.get("kind") == "conjunctions":
            raise ValueError("the saved conjunctions have no vectorizer")
        if pairs != "all" and not _is_pairs(pairs):
            raise ValueError("the saved conjunctions are neither of all columns nor of pairs of groups")
        vectorizer = cls(
            vectorizer=vectorizer_from_state(base, own), pairs=pairs, n_features=config.get("n_features")
        )
        vectorizer.conjunctions_ = Conjunctions.known(
            vectorizer._columns(),
            vectorizer.n_features,
            n_columns(vectorizer.vectorizer),
            arrays.get("pairs"),
        )
        return vectorizer


def _is_pairs(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair)
        for pair in pairs
    )
