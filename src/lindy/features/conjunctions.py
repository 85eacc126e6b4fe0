"""Conjunctions of columns: x_i · x_j as features of their own, so that "both" can weigh more than its parts.

A linear model adds up what features say one by one; XOR, or "not" before "good", it can only tell with features of
pairs. Pairs are listed as they occur in training (explicit), or fall into columns by a hash (``n_features``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy import _native
from lindy.core.csr import Csr, side_by_side
from lindy.core.weights import check_weight
from lindy.errors import DataError
from lindy.estimators.base import thread_count
from lindy.estimators.estimator import Estimator
from lindy.estimators.parameters import (
    BOOLEAN,
    NONE,
    at_least,
    between,
    fitted,
    instance,
    one_of,
    with_parameters,
)
from lindy.text.native_rows import Rows
from lindy.text.vectorizer import COUNTED, transformer_tags
from lindy.text.vocabulary.term_limits import reaches
from lindy.text.weighting.row_weights import document_frequency, existing

_PAIRS_AT_ONCE = 1 << 22  # of one native call, so that Ctrl-C is noticed soon
_MOST_PAIRS = 100_000_000  # of one row
_SEED = 0  # of the hash

Columns = Sequence[int] | Sequence[str]


@with_parameters
class Conjunctions(Estimator):
    """Add products of columns to a matrix.

    Parameters
    ----------
    pairs : "all" or list of (columns, columns)
        Every pair of columns, or every pair of a column of the first group with one of the second; a group is a list
        of column numbers, or of names where the matrix is a data frame. With the same group twice: its own pairs.
    keep : bool
        Whether the columns themselves come first.
    min_df : int
        Pairs that occur in fewer rows are left out.
    n_features : int or None
        So many columns, chosen by a hash with alternating signs, hold all pairs; None lists the pairs of ``fit``.
    n_jobs : int or None
        Threads; None means all cores. The result does not depend on it.

    Attributes
    ----------
    pairs_ : array (pairs, 2), the columns of each pair; not with ``n_features``

    Examples
    --------
    >>> from lindy.features import Conjunctions
    >>> Conjunctions().fit_transform([[0, 1], [2, 3]]).toarray()
    array([[0., 1., 0.],
           [2., 3., 6.]])
    """

    _wanted = COUNTED
    pairs_: NDArray[np.int32] = fitted()

    pairs: Annotated[
        str | Sequence[tuple[Columns, Columns]], one_of("all"), instance(list), instance(tuple)
    ] = "all"
    keep: Annotated[bool, BOOLEAN] = True
    min_df: Annotated[int, at_least(1)] = 1
    n_features: Annotated[int | None, between(1, np.iinfo(np.int32).max), NONE] = None
    n_jobs: int | None = None

    def __sklearn_tags__(self) -> Any:
        return transformer_tags(preserves_dtype=("float64", "float32"), sparse=True)

    def fit(self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None) -> Self:  # noqa: ARG002
        """Learn which pairs occur; a row of weight 2 is two rows, and one of weight 0 is none."""
        rows = self._rows(X, reset=True)
        rows, weight = existing(rows, check_weight(sample_weight, rows.shape[0]))
        self._choice, self._sides = self._chosen(rows.n_columns)
        vars(self).pop("pairs_", None)
        if self.n_features is None:
            self._known_pairs(self._counted(rows, weight))
        return self

    def _known_pairs(self, pairs: NDArray[np.int32]) -> None:
        self.pairs_, self._table = pairs, _native.PairTable()
        self._table.add(*np.ascontiguousarray(pairs.T))

    def fit_transform(
        self, X: Any, y: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Any:
        """Learn which pairs occur and return the matrix with them."""
        return self.fit(X, y, sample_weight).transform(X)

    def transform(self, X: Any) -> Any:
        """Return the matrix with the pairs that ``fit`` has seen, or with all of them, hashed."""
        return self.transform_csr(X).to_scipy()

    def transform_csr(self, X: Any) -> Csr:
        """Return the rows with their pairs."""
        self._check_fitted()
        rows = self._rows(X)
        parts = [self._joined(part) for part in self._parts(rows)]
        indptr = np.concatenate([[0], *(np.diff(part[0]) for part in parts)])
        pairs = Csr(
            np.cumsum(indptr),
            np.concatenate([part[1] for part in parts]),
            np.concatenate([part[2] for part in parts]),
            self.n_pairs,
        )
        if _native.first_non_finite(pairs.values) >= 0:
            raise ValueError(
                "a product of two columns of X is beyond its floating-point type: scale the columns"
            )
        return side_by_side([rows, pairs]) if self.keep else pairs

    @property
    def n_pairs(self) -> int:
        """How many columns the pairs have."""
        return len(self.pairs_) if self.n_features is None else int(self.n_features)

    def _chosen(self, n_columns: int) -> tuple[_native.PairChoice, list[tuple[NDArray[np.bool_], ...]]]:
        """Return what the kernel takes, and for each template the columns of its two sides."""
        if isinstance(self.pairs, str):
            everything = np.ones(n_columns, bool)
            choice = _native.PairChoice(np.zeros(n_columns, np.int32), np.zeros((1, 2), np.int32))
            return choice, [(everything, everything)]
        group = np.full(n_columns, -1, np.int32)
        numbers: dict[bytes, int] = {}
        templates: list[tuple[int, int]] = []
        sides = []
        for pair in self.pairs:
            if not isinstance(pair, list | tuple) or len(pair) != 2:
                raise ValueError(f"every item of pairs must be two groups of columns; got {pair!r}")
            own = [self._members(side, n_columns) for side in pair]
            for mask in own:
                number = numbers.setdefault(mask.tobytes(), len(numbers))
                if (twice := mask & (group >= 0) & (group != number)).any():
                    raise ValueError(f"column {int(np.argmax(twice))} is in two different groups")
                group[mask] = number
            first, second = (numbers[mask.tobytes()] for mask in own)
            if (first, second) in templates or (second, first) in templates:
                raise ValueError(f"pairs lists the groups {pair!r} twice")
            templates.append((first, second))
            sides.append(tuple(own))
        return _native.PairChoice(group, np.array(templates, np.int32).reshape(-1, 2)), sides

    def _members(self, side: Any, n_columns: int) -> NDArray[np.bool_]:
        names = getattr(self, "feature_names_in_", None)
        places = {name: i for i, name in enumerate(names)} if names is not None else {}
        mask = np.zeros(n_columns, bool)
        for column in [side] if isinstance(side, str) else side:
            place = places.get(column) if isinstance(column, str) else column
            if not isinstance(place, int | np.integer) or not 0 <= place < n_columns:
                raise ValueError(f"pairs names the column {column!r}, which the matrix does not have")
            mask[place] = True
        return mask

    def _parts(self, rows: Csr) -> Iterator[Csr]:
        """Cut the rows so that each part has no more pairs than one call should make."""
        sizes = np.zeros(rows.shape[0], np.int64)
        for first, second in self._sides:
            a, b = (self._per_row(rows, side) for side in (first, second))
            sizes += a * (a - 1) // 2 if first is second or (first == second).all() else a * b
        if len(sizes) and sizes.max() > _MOST_PAIRS:
            row = int(sizes.argmax())
            raise DataError(
                f"row {row} has {rows.indptr[row + 1] - rows.indptr[row]:,} features, which make {sizes[row]:,} pairs",
                "Choose groups of columns with pairs=, or leave out rare features.",
            )
        part = (np.cumsum(sizes) - sizes) // _PAIRS_AT_ONCE
        edges = [0, *(np.flatnonzero(np.diff(part)) + 1).tolist(), rows.shape[0]]
        for begin, end in pairwise(edges):
            stored = slice(int(rows.indptr[begin]), int(rows.indptr[end]))
            indptr = rows.indptr[begin : end + 1] - rows.indptr[begin]
            yield Csr(indptr, rows.indices[stored], rows.values[stored], rows.n_columns, checked=True)

    @staticmethod
    def _per_row(rows: Csr, side: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Return how many stored columns of each row are among those of a side."""
        before = np.concatenate([[0], np.cumsum(side[rows.indices])])
        counts: NDArray[np.int64] = np.diff(before[rows.indptr])
        return counts

    def _counted(self, rows: Csr, weight: NDArray[np.float64] | None) -> NDArray[np.int32]:
        table = _native.PairTable()
        for part in self._parts(rows):
            table.count(self._choice, part)
        pairs: NDArray[np.int32] = np.stack(table.pairs(), axis=1)
        rows_with: NDArray[Any] = table.rows_with()
        if weight is not None and self.min_df > 1:
            self._known_pairs(pairs)
            rows_with = self._rows_with(rows, weight)
        pairs = pairs[reaches(rows_with, self.min_df)]
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]

    def _rows_with(self, rows: Csr, weight: NDArray[np.float64]) -> NDArray[Any]:
        """Return in how many rows each known pair is, each row as often as its weight says."""
        counts, row = np.zeros(self.n_pairs), 0
        for part in self._parts(rows):
            end = row + part.shape[0]
            counts += document_frequency(Csr(*self._joined(part), self.n_pairs), weight[row:end])
            row = end
        return counts

    def _joined(self, rows: Csr) -> Rows:
        threads = thread_count(self.n_jobs)
        if self.n_features is None:
            return self._table.rows(self._choice, rows, threads=threads)
        return _native.hashed_pairs(
            self._choice, rows, n_columns=self.n_features, seed=_SEED, threads=threads
        )

    @classmethod
    def known(cls, pairs: Any, n_features: Any, n_columns: int, found: NDArray[Any] | None) -> Self:
        """Return what ``fit`` would make of rows of ``n_columns`` with just these pairs; unsound: ``ValueError``."""
        own = cls(pairs=pairs, n_features=n_features)
        own._check_parameters()
        own.n_features_in_ = n_columns
        own._choice, own._sides = own._chosen(n_columns)
        if n_features is None:
            if found is None or found.dtype != np.int32 or found.ndim != 2 or found.shape[1] != 2:
                raise ValueError("pairs must be an array of two int32 columns")
            if found.min(initial=0) < 0 or found.max(initial=-1) >= n_columns:
                raise ValueError(f"a saved pair names a column that is not in 0..{n_columns - 1}")
            own._known_pairs(np.ascontiguousarray(found))
        return own

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_table", "_choice")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        if "n_features_in_" in state:
            self._choice, _ = self._chosen(self.n_features_in_)
        if "pairs_" in state:
            self._known_pairs(self.pairs_)

    def get_feature_names_out(self, input_features: ArrayLike | None = None) -> NDArray[Any]:
        """Return the names of the columns and, with a hyphen between, of their pairs; of hashed ones their number."""
        self._check_fitted()
        if input_features is None:
            input_features = getattr(self, "feature_names_in_", None)
        if input_features is None:
            input_features = [f"x{j}" for j in range(self.n_features_in_)]
        names = np.asarray(input_features, dtype=object)
        if len(names) != self.n_features_in_:
            raise ValueError(
                f"input_features should have length equal to number of features ({self.n_features_in_}),"
                f" got {len(names)}"
            )
        pairs = self.pair_names(lambda columns: names[columns].tolist(), np.arange(self.n_pairs))
        return np.array([*(names.tolist() if self.keep else []), *pairs], dtype=object)

    def pair_names(
        self, names_of: Callable[[NDArray[np.int32]], list[str]], numbers: NDArray[np.integer[Any]]
    ) -> list[str]:
        """Return the names of some pairs, given what names some columns; of hashed ones their number."""
        if self.n_features is not None:
            return [f"#{number}" for number in numbers.tolist()]
        first, second = (names_of(side) for side in self.pairs_[numbers].T)
        return [f"{a}-{b}" for a, b in zip(first, second, strict=True)]
