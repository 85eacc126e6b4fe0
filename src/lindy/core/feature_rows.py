"""Feature rows: examples that are features with values, as svmlight, Vowpal Wabbit and ``.review`` files give them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.column import pick
from lindy.core.csr import Csr, is_sparse
from lindy.core.inputs import Inputs, WrittenColumn

if TYPE_CHECKING:
    from lindy._native import Fingerprint

_BYTES_PER_VALUE = 8  # about as many as a word has


@dataclass(frozen=True, slots=True)
class Numbering:
    """How an svmlight file numbers its columns and labels, and whether its comments name the columns."""

    columns: NDArray[np.int32]
    named: bool = False
    labels: Mapping[str, str] = field(default_factory=dict)


class FeatureRows(WrittenColumn):
    """A column of feature rows: the values in row i of ``rows`` are those of example i, and its columns have ``names``.

    As a text, which duplicates are found by and people are shown, a feature row is ``name:value name:value``.

    Attributes
    ----------
    rows : Csr
    names : list of str
        Of the columns, each once.
    weight : array (examples,) or None
        How much each example counts, where a file says so.
    numbering : Numbering or None
        Of an svmlight file.
    """

    __hash__ = None
    kind = "features"

    def __init__(
        self,
        rows: Csr,
        names: Sequence[str],
        weight: NDArray[np.float64] | None = None,
        numbering: Numbering | None = None,
    ) -> None:
        self.rows, self.names = rows, names
        self.weight, self.numbering = weight, numbering
        self._arrow = None

    def _texts(self) -> Iterator[bytes]:
        return (" ".join(words).encode("utf-8", "replace") for words in self.words())

    def words(self) -> Iterator[list[str]]:
        """Yield the features of each feature row as they are written: name:value."""
        for pairs in self.pairs():
            yield [f"{name}:{number(value)}" for name, value in pairs]

    def pairs(self) -> Iterator[list[tuple[str, float]]]:
        """Yield the features and values of each feature row."""
        names, ends = self.names, self.rows.indptr.tolist()
        found = [names[j] for j in self.rows.indices.tolist()]
        values = self.rows.values.tolist()
        for begin, end in pairwise(ends):
            yield list(zip(found[begin:end], values[begin:end], strict=True))

    def take(self, rows: Any) -> FeatureRows:
        """Return some feature rows."""
        chosen = np.asarray(rows, np.int64)
        return self._with(self.rows.take(chosen), chosen)

    def only(self, rows: Any, X: Any, convert: Callable[[Any], Inputs]) -> Inputs:
        """Return some of them as if only these had been given: features are numbered as they come."""
        some = self.take(rows)
        if X is self:
            return some.numbered_anew()
        is_matrix = hasattr(X, "tocsr") and not hasattr(X, "take")
        return convert(X.tocsr()[rows] if is_matrix else pick(X, rows))

    @property
    def n_bytes(self) -> int:
        """About as many bytes as a text of so many words has."""
        return _BYTES_PER_VALUE * len(self.rows.indices)

    def slice(self, offset: int = 0, length: int | None = None) -> FeatureRows:
        """Return some feature rows in a row, without a copy of their values."""
        part = slice(offset, None if length is None else offset + length)
        start, stop, _ = part.indices(len(self))
        indptr = self.rows.indptr[start : max(start, stop) + 1]
        own = slice(int(indptr[0]), int(indptr[-1]))
        rows = Csr(
            indptr - indptr[0],
            self.rows.indices[own],
            self.rows.values[own],
            self.rows.n_columns,
            self.rows.checked,
        )
        return self._with(rows, part)

    def _with(self, rows: Csr, chosen: Any) -> FeatureRows:
        weight = None if self.weight is None else self.weight[chosen]
        return FeatureRows(rows, self.names, weight, self.numbering)

    def to_pylist(self) -> list[Any]:
        """Return the feature rows as dictionaries from name to value."""
        return [dict(pairs) for pairs in self.pairs()]

    def __len__(self) -> int:
        return self.rows.shape[0]

    def __iter__(self) -> Iterator[dict[str, float]]:
        return map(dict, self.pairs())

    def __getitem__(self, key: Any) -> Any:
        """Return some feature rows, or one as a dictionary."""
        if isinstance(key, slice):
            start, stop, step = key.indices(len(self))
            return self.slice(start, max(stop - start, 0)) if step == 1 else self.take(range(len(self))[key])
        row = range(len(self))[key]
        return dict(next(self.slice(row, 1).pairs()))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, FeatureRows) and self.to_pylist() == other.to_pylist()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        features = np.empty(len(self), object)
        features[:] = self.to_pylist()
        return features

    def __repr__(self) -> str:
        return f"FeatureRows({len(self):,} examples of {len(self.names):,} features)"

    @property
    def are_counts(self) -> bool:
        """Whether all values are whole numbers that are not negative."""
        values = self.rows.values
        return bool((values >= 0).all() and (values == np.rint(values)).all())

    def numbered_anew(self) -> FeatureRows:
        """Return the same feature rows with only the features that they have, in the order in which they have them.

        That is how a reader numbers them; where a file has numbers of its own, these stay.
        """
        if self.numbering is not None:
            return self
        columns, first = np.unique(self.rows.indices, return_index=True)
        order = columns[np.argsort(first)]
        rows = self.rows.keep_columns(order)
        return FeatureRows(rows, [self.names[j] for j in order.tolist()], self.weight)

    def sorted(self) -> FeatureRows:
        """Return the same feature rows with columns, and the features of each feature row, by the alphabet."""
        order = np.array(sorted(range(len(self.names)), key=self.names.__getitem__), np.int64)
        place = np.empty(len(order), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        rows = self.rows.move_columns(place, len(order))
        row = np.repeat(np.arange(len(self)), np.diff(rows.indptr))
        within = np.lexsort((rows.indices, row))
        rows = Csr(rows.indptr, rows.indices[within], rows.values[within], rows.n_columns, self.rows.checked)
        return FeatureRows(rows, [self.names[j] for j in order.tolist()], self.weight)

    @property
    def comparable(self) -> FeatureRows:
        """The same rows, whose features are in the same order."""
        return self.sorted()

    def token_sets(self, word_sets: Any = None) -> Csr:  # noqa: ARG002
        """Return rows whose columns, which ascend, are the different pairs of a feature and a value."""
        rows = self.rows
        values, code = np.unique(rows.values, return_inverse=True)
        pair = rows.indices.astype(np.int64) * len(values) + code.reshape(-1)
        pairs, column = np.unique(pair, return_inverse=True)
        row = np.repeat(np.arange(len(self)), np.diff(rows.indptr))
        within = np.lexsort((column.reshape(-1), row))
        columns = column.reshape(-1)[within].astype(np.int32)
        return Csr(rows.indptr, columns, np.ones(len(columns), np.float32), len(pairs))

    def mark(self, fingerprint: Fingerprint) -> None:
        """Add names and values to a fingerprint, with columns in the order of their first appearance."""
        rows = self.rows
        columns, seen = np.unique(rows.indices, return_index=True)
        order = columns[np.argsort(seen)]
        place = np.zeros(rows.n_columns, np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        names = " ".join([self.names[j] for j in order.tolist()]).encode("utf-8", "surrogatepass")
        arrays = rows.indptr, place[rows.indices], rows.values.astype(np.float64)
        for part in (np.frombuffer(names, np.uint8), *(array.view(np.uint8) for array in arrays)):
            fingerprint.add(np.array([0, len(part)]), part)

    @classmethod
    def joined(cls, parts: Sequence[FeatureRows]) -> Self:
        """Return the feature rows of several columns, one after the other; features of the same name are one."""
        places: dict[str, int] = {}
        moved = []
        for part in parts:
            own = np.array([places.setdefault(name, len(places)) for name in part.names], np.int32)
            moved.append(part.rows.move_columns(own, len(places)))
        starts = np.cumsum([0, *(len(rows.indices) for rows in moved)])
        ends = [rows.indptr[1:] + start for rows, start in zip(moved, starts, strict=False)]
        rows = Csr(
            np.concatenate([[0], *ends]).astype(np.int64),
            np.concatenate([rows.indices for rows in moved]),
            np.concatenate([rows.values for rows in moved]),
            len(places),
        )
        weights = [np.ones(len(part)) if part.weight is None else part.weight for part in parts]
        weighted = any(part.weight is not None for part in parts)
        return cls(rows, list(places), np.concatenate(weights) if weighted else None, parts[0].numbering)


def number(value: float) -> str:
    """Return a value as short as it can be written exactly."""
    if value == 1:
        return "1"
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else repr(float(value))


def are_feature_rows(X: Any) -> bool:
    """Whether examples are feature rows: a reader's, a list of dictionaries, or a sparse matrix."""
    if isinstance(X, FeatureRows | Csr) or is_sparse(X):
        return True
    return isinstance(X, list | tuple) and len(X) > 0 and isinstance(X[0], Mapping)
