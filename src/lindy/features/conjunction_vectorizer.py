"""Conjunctions of whatever a vectorizer makes: all pairs, or pairs of chosen groups of its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr
from lindy.errors import invalid_parameter
from lindy.estimators.parameters import short_repr, with_parameters
from lindy.features.conjunctions import Conjunctions
from lindy.text.vectorizer import Columns, GroupedVectorizer, State, Vectorizer, weight_option
from lindy.text.vectorizer_registry import vectorizer_from_state
from lindy.text.vectorizer_state import below_prefix, with_prefix

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences


@with_parameters
class ConjunctionVectorizer(GroupedVectorizer):
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

    kind = "conjunctions"

    vectorizer: Any
    pairs: str | list[tuple[str, str]] = "all"
    min_df: int = 1
    n_features: int | None = None
    n_jobs: int | None = None

    def __sklearn_is_fitted__(self) -> bool:
        return "conjunctions_" in vars(self)

    @property
    def takes(self) -> str:  # type: ignore[override]
        """As the vectorizer."""
        kind: str = self.vectorizer.takes
        return kind

    @property
    def columns(self) -> Any:
        """The columns of a table, if the vectorizer is one of tables."""
        return self.vectorizer.columns

    @property
    def text_columns(self) -> Any:
        """Those that are texts."""
        return self.vectorizer.text_columns

    def fit_csr(
        self, X: Any, *, order: str = "alphabet", y: Any = None, weight: NDArray[np.float64] | None = None
    ) -> Csr:
        """Fit the vectorizer, learn which pairs occur, and return the float32 rows."""
        Vectorizer.check(self.vectorizer)
        rows = self.vectorizer.fit_csr(X, order=order, y=y, **weight_option(weight))
        self.conjunctions_ = Conjunctions(
            pairs=self._columns(), min_df=self.min_df, n_features=self.n_features, n_jobs=self.n_jobs
        ).fit(rows, sample_weight=weight)
        return self.conjunctions_.transform_csr(rows)

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows of further examples."""
        self._check_fitted()
        return self.conjunctions_.transform_csr(self.vectorizer.transform_csr(X))

    @property
    def groups_(self) -> list[tuple[str, int]]:
        """Two groups: the columns of the vectorizer, and their pairs."""
        self._check_fitted()
        return [("", self.conjunctions_.n_features_in_), ("pairs", self.conjunctions_.n_pairs)]

    def group_names(self, number: int, columns: Columns) -> list[str]:
        """Return the names of some of the vectorizer's columns or, with a hyphen between, of their pairs."""
        if number == 0:
            return list(self.vectorizer.names_of(columns))
        return self.conjunctions_.pair_names(self.vectorizer.names_of, columns)

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where the vectorizer's own columns are: a pair cannot be divided between its two columns."""
        from lindy.text.analysis.occurrences import Part, part_occurrences

        return part_occurrences([Part(self.vectorizer, self.vectorizer.n_columns, text)], columns)

    def _columns(self) -> Any:
        """Return the pairs of groups with columns instead of names."""
        if isinstance(self.pairs, str):
            return self.pairs
        groups: dict[str, range] = {}
        begin = 0
        for name, width in self.vectorizer.groups_:
            groups[name] = range(begin, begin + width)
            begin += width
        if not all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in self.pairs):
            raise invalid_parameter(
                f"pairs must be a string or a list of pairs of groups' names; got {short_repr(self.pairs)}"
            )
        for name in (name for pair in self.pairs for name in pair):
            if name not in groups:
                listed = ", ".join(map(repr, groups)) or "none"
                raise ValueError(f"pairs names the group {name!r}; the vectorizer's groups are: {listed}")
        return [(list(groups[a]), list(groups[b])) for a, b in self.pairs]

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        self._check_fitted()
        base, arrays = self.vectorizer.to_state()
        config = {
            "kind": self.kind,
            "vectorizer": base,
            "pairs": self.pairs if isinstance(self.pairs, str) else [list(pair) for pair in self.pairs],
            "n_features": self.n_features,
        }
        arrays = with_prefix("vectorizer.", arrays)
        if self.n_features is None:
            arrays["pairs"] = self.conjunctions_.pairs_
        return config, arrays

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        base: Any = config.get("vectorizer")
        pairs: Any = config.get("pairs")
        if not isinstance(base, dict) or base.get("kind") == cls.kind:
            raise ValueError("the saved conjunctions have no vectorizer")
        if pairs != "all" and not _is_pairs(pairs):
            raise ValueError("the saved conjunctions are neither of all columns nor of pairs of groups")
        vectorizer = cls(
            vectorizer=vectorizer_from_state(base, below_prefix("vectorizer.", arrays)),
            pairs=pairs,
            n_features=config.get("n_features"),
        )
        vectorizer.conjunctions_ = Conjunctions.known(
            vectorizer._columns(),
            vectorizer.n_features,
            vectorizer.vectorizer.n_columns,
            arrays.get("pairs"),
        )
        return vectorizer


def _is_pairs(pairs: Any) -> bool:
    return isinstance(pairs, list) and all(
        isinstance(pair, list) and len(pair) == 2 and all(isinstance(name, str) for name in pair)
        for pair in pairs
    )
