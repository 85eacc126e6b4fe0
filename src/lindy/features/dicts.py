"""Dictionaries of features: {"length": 7, "colour": "red", "tags": ["a", "b"]} becomes a row.

name: number              column "name", the number
name: "string"            column "name=string", 1
name: ["one", "two"]      columns "name=one", "name=two", how often each occurs
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from numbers import Number
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
from numpy.typing import DTypeLike, NDArray

from lindy import _native
from lindy.core.csr import Csr, as_csr, is_sparse
from lindy.core.feature_rows import number
from lindy.errors import DataError, invalid_parameter
from lindy.estimators.parameters import BOOLEAN, fitted, instance, with_parameters
from lindy.features.inputs import RowText
from lindy.text.vectorizer import Columns, State, Vectorizer, present_examples, transformer_tags
from lindy.text.vectorizer_state import read_terms
from lindy.text.vocabulary.encoding import encode_terms

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences

_AT_ONCE = 4096  # examples of one native call, so that Ctrl-C is noticed soon
_REAL = (float, np.float64, np.float32)
_SETS = frozenset({set, frozenset})


class _NotDictError(DataError, AttributeError, TypeError):
    """An example that is no dictionary; scikit-learn has an AttributeError here."""


@with_parameters
class DictVectorizer(Vectorizer):
    """Convert dictionaries of features to a matrix; scikit-learn's parameters, attributes and results.

    Numbers stand as they are in the column of their name; a string is a column of its own, name=string, with a 1; of
    several strings under one name each is counted. Names that were not there in ``fit`` are ignored.

    Parameters
    ----------
    dtype : type
        Of the values; also what makes a value of anything that is not a plain number.
    separator : str
        What stands between a name and a string.
    sparse : bool
        Whether the result is a SciPy matrix or a dense array.
    sort : bool
        Whether the columns are in the order of their names, or of their first appearance.

    Attributes
    ----------
    vocabulary_ : dict from name to column
    feature_names_ : list of names in the order of the columns

    Examples
    --------
    >>> from lindy.features import DictVectorizer
    >>> vectorizer = DictVectorizer(sparse=False)
    >>> vectorizer.fit_transform([{"words": 2, "from": "bob"}, {"words": 3, "from": "ann"}])
    array([[0., 1., 2.],
           [1., 0., 3.]])
    >>> vectorizer.feature_names_
    ['from=ann', 'from=bob', 'words']
    """

    kind = "dict"
    not_exported = "it takes features with values, not texts"
    takes = "dictionaries"
    feature_names_: list[Any] = fitted()

    dtype: DTypeLike = np.float64
    separator: Annotated[str, instance(str)] = "="
    sparse: Annotated[bool, BOOLEAN] = True
    sort: Annotated[bool, BOOLEAN] = True

    def __sklearn_tags__(self) -> Any:
        return transformer_tags(dict=True, two_d_array=False)

    def __sklearn_is_fitted__(self) -> bool:
        return "feature_names_" in vars(self)

    @property
    def vocabulary_(self) -> dict[Any, int]:
        """The names and their columns; made when first asked for."""
        if "_vocabulary" not in vars(self):
            if not self.__sklearn_is_fitted__():
                raise AttributeError(f"{type(self).__name__!r} object has no attribute 'vocabulary_'")
            self._vocabulary = {name: column for column, name in enumerate(self.feature_names_)}
        return self._vocabulary

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name not in ("_table", "_vocabulary")}

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn the names; those of examples of weight 0 are not there."""
        X, _, _ = present_examples(X, y, sample_weight)
        self._learn(X, self.dtype, sort=self.sort, with_values=False)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn the names and return the matrix, from one reading of the examples."""
        if sample_weight is not None:
            X = X if hasattr(X, "__len__") else list(X)
            return self.fit(X, y, sample_weight).transform(X)
        return self._matrix(*self._learn(X, self.dtype, sort=self.sort))

    def transform(self, X: Any) -> Any:
        """Return the matrix of further examples."""
        return self._matrix(self._transformed(X, self.dtype), None)

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Any = None) -> Csr:  # noqa: ARG002
        """Learn the names and return float32 rows, with columns by the alphabet or as they were first seen."""
        sort = self.sort and order == "alphabet"
        return self._float_rows(*self._learn(X, np.float64, sort=sort, sort_sets=True))

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows of further examples."""
        return self._float_rows(self._transformed(X, np.float64), None)

    def _learn(
        self, X: Any, dtype: Any, *, sort: bool, with_values: bool = True, sort_sets: bool = False
    ) -> tuple[_native.DictReader, NDArray[np.int32] | None]:
        """Read examples and set what ``fit`` sets; return the reader and how its columns are to be renumbered.

        Sets of strings have another order in every process: for rows of a model they are sorted.
        """
        if dtype is None:
            raise invalid_parameter("dtype must be a type such as numpy.float64; got None")
        table = _native.NameTable([])
        batches = map(_sets_in_order, _batches(X)) if sort_sets else _batches(X)
        reader = self._read(table, batches, dtype, fitting=True, with_values=with_values)
        rank = None
        if sort:
            order = table.order()
            if order is None:
                order = np.array(sorted(range(len(table)), key=table.names.__getitem__), np.int32)
            table.reorder(order)
            rank = np.empty_like(order)
            rank[order] = np.arange(len(order), dtype=np.int32)
        self._known(table)
        return reader, rank

    def _known(self, table: _native.NameTable) -> None:
        vars(self).pop("_vocabulary", None)
        self._table, self.feature_names_ = table, table.names

    def _transformed(self, X: Any, dtype: Any) -> _native.DictReader:
        self._check_fitted()
        if "_table" not in vars(self):  # after unpickling
            self._table = _native.NameTable(self.feature_names_)
        return self._read(self._table, _batches(X), dtype)

    def _read(
        self,
        table: _native.NameTable,
        batches: Iterable[list[Any]],
        dtype: Any,
        *,
        fitting: bool = False,
        with_values: bool = True,
    ) -> _native.DictReader:
        real = dtype in _REAL
        reader = _native.DictReader(
            table,
            separator=str(self.separator),
            convert=dtype,
            number=Number,
            mapping=Mapping,
            iterable=Iterable,
            real=real,
            fitting=fitting,
            with_values=with_values,
        )
        for batch in batches:
            try:
                reader.read(batch)
            except AttributeError as error:  # of an example without items()
                raise _NotDictError(
                    f"every example must be a dictionary from names to values: {error}",
                    "A matrix goes to a learner as it is, without a vectorizer.",
                ) from error
        return reader

    def _matrix(self, reader: _native.DictReader, rank: NDArray[np.int32] | None) -> Any:
        _refuse_nothing(reader)
        shape = (reader.n_rows, len(self.feature_names_))
        if self.dtype in _REAL:
            indptr, indices, values = reader.take(rank)
            csr = Csr(indptr, indices, values.astype(self.dtype, copy=False), shape[1])
            return csr.to_scipy() if self.sparse else csr.to_dense()
        import scipy.sparse

        indptr, columns, objects = reader.take_objects()
        indices = columns if rank is None else rank[columns]
        matrix = scipy.sparse.csr_matrix((np.array(objects, self.dtype), indices, indptr), shape=shape)
        matrix.sum_duplicates()
        return matrix if self.sparse else matrix.toarray()

    def _float_rows(self, reader: _native.DictReader, rank: NDArray[np.int32] | None) -> Csr:
        _refuse_nothing(reader)
        indptr, indices, values = reader.take(rank)
        place = _native.first_non_finite(values)
        if place >= 0:
            example = int(np.searchsorted(indptr, place, side="right")) - 1
            raise DataError(
                f"example {example}: {self.feature_names_[indices[place]]!r} is {values[place]},"
                " expected a finite number",
                "Leave the name out where there is no number, or put a number in its place.",
            )
        with np.errstate(over="ignore"):  # an infinity is refused by the learner, with its place
            rows = values.astype(np.float32)
        return Csr(indptr, indices, rows, len(self.feature_names_))

    def inverse_transform(self, X: Any, dict_type: Any = dict) -> list[Any]:
        """Return the nonzero entries of each row as a dictionary; strings come back as name=string."""
        self._check_fitted()
        rows = as_csr(X).without_zeros()
        values = rows.values
        dtype = X.dtype if is_sparse(X) else np.asarray(X).dtype
        if dtype.kind in "iub":
            values = values.astype(dtype)
        order = np.lexsort((rows.indices, np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))))
        names = [self.feature_names_[column] for column in rows.indices[order].tolist()]
        items = list(zip(names, values[order], strict=True))
        return [
            dict_type(items[begin:end])
            for begin, end in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True)
        ]

    @property
    def n_columns(self) -> int:
        """How many names there are."""
        return len(self.feature_names_)

    def names_of(self, columns: Columns) -> list[str]:
        """Return the names of some columns, as strings."""
        return [str(self.feature_names_[column]) for column in columns.tolist()]

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return which entries of a dictionary, as it is written, the columns come from."""
        from lindy.text.analysis.occurrences import Occurrences

        if not text.row:
            return []
        spans = np.array(list(text.places.values()), np.int64).reshape(-1, 2)
        rows = self.transform_csr([{name: value} for name, value in text.row.items()])
        number_of = {column: i for i, column in enumerate(columns.tolist())}
        feature = np.array([number_of.get(column, -1) for column in rows.indices.tolist()], np.int64)
        entry = np.repeat(np.arange(len(spans)), np.diff(rows.indptr))[feature >= 0]
        feature, unknown = feature[feature >= 0], np.flatnonzero(np.diff(rows.indptr) == 0)
        word = np.arange(len(spans))
        return [Occurrences(spans, word, feature, np.ones(len(entry)), entry, entry + 1, {}, unknown)]

    def restrict(self, support: Any, indices: bool = False) -> Self:
        """Keep only some columns, given as a mask or as numbers; changes the vectorizer itself."""
        self._check_fitted()
        columns = np.asarray(support) if indices else np.flatnonzero(support)
        kept = list(dict.fromkeys(self.feature_names_[column] for column in columns.tolist()))
        self._known(_native.NameTable(kept))
        return self

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        self._check_fitted()
        if not self.feature_names_ or not all(isinstance(name, str) for name in self.feature_names_):
            raise ValueError("only dictionaries whose names are strings can be saved")
        data, offsets = encode_terms(self.feature_names_)
        return {"kind": self.kind, "separator": self.separator}, {"terms": data, "offsets": offsets}

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        vectorizer = cls(separator=config.get("separator", "="))
        vectorizer._check_parameters()
        vectorizer._known(_native.NameTable(read_names(arrays)))
        return vectorizer


def read_names(arrays: dict[str, NDArray[Any]]) -> list[str]:
    """Return the names out of saved arrays; they must be valid UTF-8 and different."""
    names: list[str] = read_terms(arrays).strings
    if len(set(names)) != len(names):
        raise ValueError("a name of the saved vectorizer occurs a second time")
    return names


def _batches(X: Any) -> Iterator[list[Any]]:
    if is_sparse(X):  # SciPy crashes on the way to the rows of a malformed one
        raise DataError(
            f"expected dictionaries from names to values, got a {type(X).__name__}",
            "A matrix goes to a learner as it is, without a vectorizer.",
        )
    examples = iter([X] if isinstance(X, Mapping) else X)
    while batch := list(islice(examples, _AT_ONCE)):
        yield batch


def _sets_in_order(examples: list[Any]) -> list[Any]:
    """Return examples in which sets of strings are sorted lists: sets have another order in every process."""
    return [
        {name: _sorted(value) if type(value) in _SETS else value for name, value in example.items()}
        if isinstance(example, Mapping) and not _SETS.isdisjoint(map(type, example.values()))
        else example
        for example in examples
    ]


def _sorted(strings: set[Any] | frozenset[Any]) -> Any:
    """Return a set of strings as a list; with anything else in it, as it is, for the message of the reader."""
    return sorted(strings) if all(isinstance(string, str) for string in strings) else strings


def _refuse_nothing(reader: _native.DictReader) -> None:
    if reader.n_rows == 0:
        raise ValueError("Sample sequence X is empty.")


@dataclass(frozen=True)
class DictText(RowText):
    """A dictionary of features as it is written, and where each of them is in it."""

    @classmethod
    def of(cls, row: Mapping[str, Any], columns: list[str]) -> DictText:  # noqa: ARG003
        """Return a dictionary as it is written: name:number, name=string."""
        text, places = "", {}
        for name, value in row.items():
            is_number = isinstance(value, Number)
            word = f"{name}:{number(value)}" if is_number else f"{name}={_listed(value)}"
            places[name] = (len(text), len(text) + len(word))
            text += f"{word} "
        return cls(row, text.rstrip(" "), places)

    def without(self, spans: NDArray[np.int64]) -> dict[str, Any]:
        """Return the dictionary without the features in some places."""
        gone = set(spans[:, 0].tolist())
        return {name: self.row[name] for name, (begin, _) in self.places.items() if begin not in gone}


def _listed(value: Any) -> str:
    return (
        ",".join(map(str, value))
        if isinstance(value, Iterable) and not isinstance(value, str)
        else str(value)
    )
