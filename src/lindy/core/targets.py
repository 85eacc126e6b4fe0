"""Targets: what shall be predicted for each row. They are encoded once; learners, folds and calibrators pass them on.

    one label per row       OneLabel     codes: the number of each row's class
    any number of labels    ManyLabels   codes[indptr[i]:indptr[i + 1]]: the numbers of row i's labels, ascending

A row without any label is an example, too: of what has none of them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from lindy.core.column import distinct, holds_strings, is_column, is_list
from lindy.core.csr import is_sparse
from lindy.core.labels import check_labels, distinct_labels, encode, portable_labels
from lindy.core.weights import weighted_counts
from lindy.errors import LabelTypeError

Rows = NDArray[np.integer[Any]]

_SETS = (list, tuple, set, frozenset, np.ndarray)


@dataclass(frozen=True, slots=True, eq=False)
class Targets(ABC):
    """The sorted names of all labels, and the numbers of those that the rows have, row after row."""

    names: NDArray[Any]
    codes: NDArray[np.int32]

    @property
    @abstractmethod
    def n_outputs(self) -> int:
        """How many scores decide about a row."""

    @property
    def label_ends(self) -> NDArray[np.int64] | None:
        """Where the codes of each row end, after a 0; None where every row has one."""
        return None

    @property
    @abstractmethod
    def labels(self) -> Any:
        """The label of each row, or its labels."""

    @property
    def row_codes(self) -> NDArray[np.int32] | None:
        """The class number of each row; None where rows have any number of labels."""
        return None

    def numbered(self) -> Self:
        """Return the same targets, whose names are the numbers of the labels."""
        return replace(self, names=np.arange(len(self.names)))

    @abstractmethod
    def compared(self, given: Any) -> tuple[Rows, Rows, Rows]:
        """Return pairs of a true and a given label that belong together, −1 where there is none, and their rows."""

    @property
    @abstractmethod
    def strata(self) -> tuple[Rows, Rows]:
        """Pairs of a row and a stratum, of each of which every fold shall have its share."""

    @abstractmethod
    def signs(self, k: int) -> NDArray[np.float64]:
        """Return what output k shall say of each row: +1 or −1."""

    @abstractmethod
    def take(self, rows: Rows) -> Self:
        """Return the targets of some rows; the names stay the same."""

    @property
    @abstractmethod
    def _rows(self) -> Rows:
        """The row of each code."""

    @property
    def pairs(self) -> tuple[Rows, Rows]:
        """The row and the number of every label that a row has."""
        return self._rows, self.codes

    def weighted_counts(self, weight: NDArray[np.float64] | None) -> NDArray[Any]:
        """Return how many rows have each label, each as often as its weight says; see ``weighted_counts``."""
        return weighted_counts(self.codes, None if weight is None else weight[self._rows], len(self.names))

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows have each label."""
        return np.bincount(self.codes, minlength=len(self.names))

    def seen(self) -> Self:
        """Return the same targets with the names of only those labels that a row has."""
        present = self.counts > 0
        if present.all():
            return self
        codes = (np.cumsum(present) - 1)[self.codes].astype(np.int32)
        return replace(self, names=self.names[present], codes=codes)

    def among(self, names: NDArray[Any]) -> Self:
        """Return the same targets with the names of more labels."""
        return replace(self, names=names, codes=encode(self.names, names)[self.codes])

    @abstractmethod
    def joined(self, others: Sequence[Self]) -> Self:
        """Return these targets and those of further rows; the names are those of all."""

    def _union(self, others: Sequence[Self]) -> list[Self]:
        names = self.names
        for other in others:
            names = union_of_names(names, other.names)
        return [own.among(names) for own in (self, *others)]

    def one_vs_rest(self, k: int) -> OneLabel:
        """Return the two classes that output k tells apart."""
        return OneLabel(np.arange(2), (self.signs(k) > 0).astype(np.int32))

    def with_all_rows(self) -> ManyLabels:
        """Return lists of labels with one more label, the last, which all rows have; labels are numbers."""
        ends, K = np.arange(len(self) + 1) if self.label_ends is None else self.label_ends, len(self.names)
        codes = np.insert(self.codes, ends[1:], K).astype(np.int32)
        return ManyLabels(np.arange(K + 1), codes, ends + np.arange(len(self) + 1))

    def indicator(self) -> NDArray[np.int64]:
        """Return a matrix, rows × labels, that is 1 where a row has a label."""
        rows, own = self.strata
        matrix = np.zeros((len(self), len(self.names) + 1), np.int64)
        matrix[rows, own] = 1
        return matrix[:, :-1]

    @abstractmethod
    def __len__(self) -> int: ...

    def __eq__(self, other: object) -> bool:
        return (
            type(self) is type(other)
            and isinstance(other, Targets)
            and all(np.array_equal(getattr(self, name), getattr(other, name)) for name in self.__match_args__)
        )

    __hash__ = None  # type: ignore[assignment]


@dataclass(frozen=True, slots=True, eq=False)
class OneLabel(Targets):
    """One label per row; two classes are one output, which is positive for the second."""

    @classmethod
    def of(cls, y: ArrayLike | Targets) -> Targets:
        """Return targets as they are; class numbers are their own labels."""
        if isinstance(y, Targets):
            return y
        codes = np.asarray(y)
        return cls(np.arange(int(codes.max(initial=-1)) + 1), codes.astype(np.int32, copy=False))

    @property
    def n_outputs(self) -> int:
        """One for two classes, otherwise one per class."""
        return 1 if len(self.names) == 2 else len(self.names)

    @property
    def labels(self) -> NDArray[Any]:
        """The label of each row."""
        labels: NDArray[Any] = self.names[self.codes]
        return labels

    @property
    def row_codes(self) -> NDArray[np.int32]:
        """The class number of each row."""
        return self.codes

    def compared(self, given: Rows) -> tuple[Rows, Rows, Rows]:
        """Return the class of each row and the one it was given."""
        return self.codes, given, self._rows

    @property
    def strata(self) -> tuple[Rows, Rows]:
        """The class of each row."""
        return self._rows, self.codes

    @property
    def _rows(self) -> Rows:
        return np.arange(len(self.codes))

    def signs(self, k: int) -> NDArray[np.float64]:
        """Return +1 for the rows of class k, or of the second of two classes, −1 for others."""
        return np.where(self.codes == (1 if len(self.names) == 2 else k), 1.0, -1.0)

    def take(self, rows: Rows) -> OneLabel:
        """Return the targets of some rows; the names stay the same."""
        return OneLabel(self.names, self.codes[rows])

    def joined(self, others: Sequence[OneLabel]) -> OneLabel:
        """Return these targets and those of further rows."""
        parts = self._union(others)
        return OneLabel(parts[0].names, np.concatenate([own.codes for own in parts]))

    def __len__(self) -> int:
        return len(self.codes)


@dataclass(frozen=True, slots=True, eq=False)
class ManyLabels(Targets):
    """Any number of labels per row, one output for each of all labels."""

    indptr: NDArray[np.int64]

    @classmethod
    def of_pairs(cls, names: NDArray[Any], rows: Rows, codes: Rows, n_rows: int) -> ManyLabels:
        """Return the targets of pairs of a row and a label's number, in any order; what is there twice counts once."""
        cells = np.unique(rows.astype(np.int64) * max(len(names), 1) + codes)
        indptr = np.searchsorted(cells, np.arange(n_rows + 1) * max(len(names), 1)).astype(np.int64)
        return cls(names, (cells % max(len(names), 1)).astype(np.int32), indptr)

    @classmethod
    def of_lists(cls, lists: Sequence[Collection[Any] | None], *, as_given: bool = False) -> ManyLabels:
        """Return the targets of a list or set of labels for each row; None is one without labels."""
        own = [() if labels is None or isinstance(labels, float) else labels for labels in lists]
        if wrong := sorted({type(labels).__name__ for labels in own if not isinstance(labels, _SETS)}):
            raise LabelTypeError(f"some rows have lists of labels, others {', '.join(wrong)}")
        flat = [label for labels in own for label in labels]
        return cls._of_flat(flat, np.array([len(labels) for labels in own], np.int64), as_given=as_given)

    @classmethod
    def of_arrow(cls, column: Any, *, as_given: bool = False) -> ManyLabels:
        """Return the targets of an Arrow column of lists; null is a row without labels."""
        import pyarrow as pa

        chunks = column.chunks if isinstance(column, pa.ChunkedArray) else [column]
        lengths = [chunk.value_lengths().fill_null(0).to_numpy() for chunk in chunks]
        flat = pa.chunked_array([chunk.flatten() for chunk in chunks], column.type.value_type)
        return cls._of_flat(flat, np.concatenate([np.zeros(0, np.int64), *lengths]), as_given=as_given)

    @classmethod
    def _of_flat(cls, labels: Any, lengths: NDArray[np.int64], *, as_given: bool) -> ManyLabels:
        encoded = _one_label(labels, None, as_given=as_given)
        if "" in encoded.names.tolist():
            raise ValueError("a label is empty: leave it out of its row's labels")
        rows = np.repeat(np.arange(len(lengths)), lengths)
        return cls.of_pairs(encoded.names, rows, encoded.codes, len(lengths))

    @classmethod
    def of_joined(cls, column: Any, separator: str, *, as_given: bool = False) -> ManyLabels:
        """Return the targets of labels that are joined in one string per row; an empty one has none."""
        joined = _one_label(column, None, as_given=as_given)
        parts = [[part.strip() for part in str(label).split(separator)] for label in joined.names.tolist()]
        own = cls.of_lists([[part for part in labels if part] for labels in parts], as_given=as_given)
        return own.take(joined.codes)

    @classmethod
    def of_indicator(cls, matrix: Any, names: Sequence[Any] | None = None) -> ManyLabels:
        """Return the targets of a matrix (rows × labels) that is 1 where a row has a label, dense or sparse."""
        if is_sparse(matrix):
            cells = matrix.tocoo()
            stored = cells.data != 0
            rows, codes, values = cells.row[stored], cells.col[stored], cells.data[stored]
        else:
            matrix = np.asarray(matrix)
            rows, codes = np.nonzero(matrix)
            values = matrix[rows, codes]
        n_rows, width = matrix.shape
        odd = np.flatnonzero(values != 1)
        if len(odd):
            raise ValueError(
                f"y should be a 1d array, got an array of shape {matrix.shape} instead. A matrix with a column for each"
                f" of several labels may hold only 0 and 1; got {values[odd[0]]} in row {rows[odd[0]]}"
            )
        known = np.arange(width) if names is None else np.array(list(names), object)
        order = np.argsort(known, kind="stable")
        if len(set(known.tolist())) < width:
            raise ValueError("two columns of labels have the same name")
        return cls.of_pairs(known[order], rows, np.argsort(order)[codes], n_rows)

    @property
    def n_outputs(self) -> int:
        """One for each label."""
        return len(self.names)

    @property
    def label_ends(self) -> NDArray[np.int64]:
        """Where the codes of each row end, after a 0."""
        return self.indptr

    @property
    def labels(self) -> list[tuple[Any, ...]]:
        """The labels of each row."""
        flat, ends = self.names[self.codes].tolist(), self.indptr.tolist()
        return [tuple(flat[i:j]) for i, j in pairwise(ends)]

    def compared(self, given: Any) -> tuple[Rows, Rows, Rows]:
        """Return each label that a row has or was given, on the side or sides where it stands."""
        K = max(len(self.names), 1)
        own = self._rows * K + self.codes
        other = np.repeat(np.arange(len(self)), np.diff(given.indptr)) * K + given.codes
        cells = np.union1d(own, other)
        sides = [np.where(np.isin(cells, side), cells % K, -1) for side in (own, other)]
        return sides[0], sides[1], cells // K

    @property
    def strata(self) -> tuple[Rows, Rows]:
        """The labels of each row; rows without any are a stratum of their own, the last."""
        bare = np.flatnonzero(np.diff(self.indptr) == 0)
        return np.append(self._rows, bare), np.append(self.codes, np.full(len(bare), len(self.names)))

    @property
    def _rows(self) -> Rows:
        return np.repeat(np.arange(len(self)), np.diff(self.indptr))

    def signs(self, k: int) -> NDArray[np.float64]:
        """Return +1 for the rows that have label k, −1 for others."""
        signs = np.full(len(self), -1.0)
        signs[self._rows[self.codes == k]] = 1.0
        return signs

    def combinations(self) -> OneLabel:
        """Return each row's combination of labels as one label, numbered in the order of their codes."""
        flat = self.codes.astype(">i4").tobytes()
        own = [flat[4 * i : 4 * j] for i, j in pairwise(self.indptr.tolist())]
        number = {labels: n for n, labels in enumerate(sorted(set(own)))}
        return OneLabel(np.arange(len(number)), np.array([number[labels] for labels in own], np.int32))

    def only(self, codes: Rows) -> ManyLabels:
        """Return the targets of some labels, in their order."""
        place = np.full(len(self.names), -1)
        place[codes] = np.arange(len(codes))
        kept = place[self.codes] >= 0
        indptr = np.concatenate([[0], np.cumsum(kept)])[self.indptr]
        return ManyLabels(self.names[codes], place[self.codes[kept]].astype(np.int32), indptr)

    def take(self, rows: Rows) -> ManyLabels:
        """Return the targets of some rows; the names stay the same."""
        chosen = np.arange(len(self))[rows]
        lengths = np.diff(self.indptr)[chosen]
        indptr = np.concatenate([[0], np.cumsum(lengths)])
        places = np.arange(indptr[-1]) + np.repeat(self.indptr[chosen] - indptr[:-1], lengths)
        return ManyLabels(self.names, self.codes[places], indptr)

    def joined(self, others: Sequence[ManyLabels]) -> ManyLabels:
        """Return these targets and those of further rows."""
        parts = self._union(others)
        lengths = np.concatenate([np.diff(own.indptr) for own in parts])
        codes = np.concatenate([own.codes for own in parts])
        return ManyLabels(parts[0].names, codes, np.concatenate([[0], np.cumsum(lengths)]))

    def __len__(self) -> int:
        return len(self.indptr) - 1


def as_targets(
    y: Any,
    n_rows: int | None = None,
    *,
    names: NDArray[Any] | None = None,
    as_given: bool = False,
    separator: str | None = None,
    several: bool = False,
) -> Targets:
    """Encode labels of any form.

    Parameters
    ----------
    y : labels, or targets, which stay as they are
        One label per row: a list, an array, a series or column of Arrow, pandas or polars. Any number of them: lists or
        sets of labels; a frame or table with a column of 0 and 1, or False and True, for each label; such a matrix,
        dense or sparse.
    n_rows : int or None
        How many rows there must be.
    names : array or None
        The sorted labels that there may be; None for those that there are.
    as_given : bool
        Whether labels keep any type; otherwise they become what a model file keeps (``portable_labels``).
    separator : str or None
        What stands between labels that are joined in one string.
    several : bool
        Whether there may be several labels per row.
    """
    targets = y if isinstance(y, Targets) else _encoded(y, n_rows, names, separator, as_given=as_given)
    if not several and not isinstance(targets, OneLabel):
        raise LabelTypeError(
            "several labels per row are not for this estimator: y should be a 1d array, with one label for each row",
            "OneVsRest(learner=…) of lindy.linear learns several, and so does TextClassifier.",
        )
    if n_rows is not None and len(targets) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: {[n_rows, len(targets)]}"
        )
    return targets if names is None or targets.names is names else targets.seen().among(names)


def as_lists(y: Any) -> ManyLabels:
    """Encode labels of any form as lists; where each row has one label, they are lists of one."""
    targets = as_targets(y, several=True)
    if isinstance(targets, ManyLabels):
        return targets
    return ManyLabels(targets.names, targets.codes, np.arange(len(targets) + 1))


def _encoded(
    y: Any, n_rows: int | None, names: NDArray[Any] | None, separator: str | None, *, as_given: bool
) -> Targets:
    if separator is not None:
        return ManyLabels.of_joined(y, separator, as_given=as_given)
    if is_column(y) and is_list(y):
        return ManyLabels.of_arrow(y, as_given=as_given)
    if (matrix := _indicator(y)) is not None:
        return ManyLabels.of_indicator(*matrix)
    if (lists := _lists(y)) is not None:
        return ManyLabels.of_lists(lists, as_given=as_given)
    return _one_label(y, n_rows, names=names, as_given=as_given)


def _indicator(y: Any) -> tuple[Any, Sequence[Any] | None] | None:
    """Return a matrix with a column for each of several labels, and their names; None for labels of another form."""
    columns = getattr(y, "column_names", getattr(y, "columns", None))
    if columns is None:
        is_matrix = is_sparse(y) or (isinstance(y, np.ndarray) and y.ndim == 2 and y.shape[1] > 1)
        return (y, None) if is_matrix else None
    if len(columns) < 2:
        return None
    is_arrow = hasattr(y, "column_names")
    return np.column_stack([own.to_numpy() for own in y.columns]) if is_arrow else y.to_numpy(), columns


def union_of_names(first: NDArray[Any], second: ArrayLike) -> NDArray[Any]:
    """Return all labels of both, sorted; refuses to mix words and numbers."""
    second = np.asarray(second)
    if not len(second):  # an empty list would be of float64, and make floats of whole numbers
        return first
    if len(first) and (first.dtype.kind in "OUS") != (second.dtype.kind in "OUS"):
        raise ValueError(
            f"labels must be of one kind; the model has {first.dtype}, the new ones {second.dtype}"
        )
    return np.union1d(first, second)


def _lists(y: Any) -> Sequence[Any] | None:
    """Return the lists of labels in y; None where each row is one label."""
    is_plain = isinstance(y, list | tuple)
    if not is_plain and not str(getattr(y, "dtype", "")).lower().startswith(("list", "object")):
        return None
    lists = y if is_plain else list(np.asarray(y))
    if not isinstance(next((labels for labels in lists if labels is not None), None), _SETS):
        return None
    lengths = {len(labels) for labels in lists if isinstance(labels, list | tuple)}
    if is_plain and len(lengths) == 1 and all(isinstance(labels, list | tuple) for labels in lists):
        if lengths == {1}:  # the column of a matrix
            return None
        if lengths == {0}:
            return lists
        if all(label in (0, 1) for labels in lists for label in labels):
            raise ValueError(
                "lists of 0 and 1 may be labels or say which labels a row has: give an array, or sets of labels"
            )
    return lists


def _one_label(
    y: Any, n_rows: int | None, *, names: NDArray[Any] | None = None, as_given: bool = False
) -> OneLabel:
    if is_column(y) and holds_strings(y) and names is None:
        if y.null_count:
            raise ValueError("labels contain null: every example needs a label")
        values, numbers = distinct(y)
        order = sorted(range(len(values)), key=values.__getitem__)
        rank = np.empty(len(order), np.int32)
        rank[order] = np.arange(len(order), dtype=np.int32)
        return OneLabel(np.array([values[i] for i in order], object), rank[numbers])
    if not as_given:
        y = np.array(y, object) if isinstance(y, list | tuple) else y
        labels = portable_labels(check_labels(y, n_rows))
    else:
        labels = check_labels(y, n_rows)
    names = distinct_labels(labels) if names is None else names
    return OneLabel(names, encode(labels, names))
