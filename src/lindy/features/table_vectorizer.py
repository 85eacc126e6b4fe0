"""Texts, numbers and categories of a table side by side.

    text column c        c:term       what the vectorizer makes of it, for every text column by its own
    numeric column c     c            (x − mean) / standard deviation of the training rows
                         c missing    1 where there is no number, if training rows had that
    category column c    c=value      1

A missing number counts as the mean, a category that no training row had as none of them, a missing text as empty.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from lindy.core.csr import Csr, nonzero_rows, side_by_side
from lindy.data.columns.numbers import as_numbers
from lindy.errors import DataError, UpdateError
from lindy.estimators.parameters import fitted, instance, one_of, with_parameters
from lindy.features.inputs import as_table
from lindy.text import TfidfVectorizer
from lindy.text.vectorizer import Columns, GroupedVectorizer, State, Vectorizer, weight_option
from lindy.text.vectorizer_registry import vectorizer_from_state
from lindy.text.vectorizer_state import below_prefix, read_terms, with_prefix
from lindy.text.vocabulary.encoding import encode_terms
from lindy.text.vocabulary.vocabulary_merge import Grown, grown_together

if TYPE_CHECKING:
    from lindy.text.analysis.occurrences import Occurrences

SCALINGS = ("standard", "range", "none")
_FARTHEST = 100.0  # in standard deviations: limits the effect of one outlier

Float = NDArray[np.float64]


def limits_of(scaling: str) -> tuple[float, float]:
    """Return between which numbers scaled ones are kept."""
    largest = float(np.finfo(np.float32).max)
    return {"range": (0.0, 1.0), "standard": (-_FARTHEST, _FARTHEST), "none": (-largest, largest)}[scaling]


@dataclass(frozen=True, slots=True)
class Numeric:
    """A column of numbers: what is subtracted, what divides, and whether numbers were missing in training."""

    shift: float
    scale: float
    missing: bool

    @classmethod
    def fit(cls, numbers: Float, scaling: str, weight: Float | None = None) -> Numeric:
        """Learn from numbers, NaN where one is missing, each as often as its weight says."""
        there = ~np.isnan(numbers)
        present = numbers[there]
        missing = len(present) < len(numbers)
        if not len(present) or scaling == "none":
            return cls(0.0, 1.0, missing)
        low, high = float(present.min()), float(present.max())
        largest = max(abs(low), abs(high), 1.0)
        if scaling == "range":
            shift, scale = low, (high / largest - low / largest) * largest
        else:
            small = present / largest  # whose squares do not overflow
            if weight is None:
                mean, deviation = float(small.mean()), float(small.std())
            else:
                mean = float(np.average(small, weights=weight[there]))
                deviation = float(np.average((small - mean) ** 2, weights=weight[there])) ** 0.5
            shift, scale = mean * largest, deviation * largest
        return cls(shift, scale if 0 < scale < np.inf else 1.0, missing)

    def rows(self, numbers: Float, scaling: str) -> Csr:
        """Return one column, and a second one for missing numbers if there were any in training."""
        unknown = np.isnan(numbers)
        with np.errstate(over="ignore"):
            scaled = numbers / self.scale - self.shift / self.scale
        scaled = np.clip(np.where(unknown, 0.0, scaled), *limits_of(scaling))
        dense = np.stack([scaled, unknown], axis=1)[:, : 1 + self.missing].astype(np.float32)
        return nonzero_rows(dense)


@with_parameters
class TableVectorizer(GroupedVectorizer):
    """Convert the rows of a table to a matrix.

    Tables are Arrow tables, pandas or polars data frames, dictionaries of columns, or lists of dictionaries.

    Parameters
    ----------
    text, numeric, category : list of str
        Names of the columns that are texts, numbers and categories; others are not looked at.
    vectorizer : vectorizer or None
        An unfitted vectorizer for the texts, of which every text column gets a copy; None is sublinear tf-idf.
    scaling : {"standard", "range", "none"}
        Numbers with mean 0 and standard deviation 1, from 0 to 1 (for learners that want no negative values), or as
        they are.

    Examples
    --------
    >>> from lindy.features import TableVectorizer
    >>> rows = [{"subject": "win money", "price": 9, "sender": "bob"}, {"subject": "lunch", "sender": "ann"}]
    >>> vectorizer = TableVectorizer(text=["subject"], numeric=["price"], category=["sender"]).fit(rows)
    >>> vectorizer.get_feature_names_out().tolist()
    ['subject:lunch', 'subject:money', 'subject:win', 'price', 'price missing', 'sender=ann', 'sender=bob']
    """

    kind = "table"
    takes = "records"
    made_of_parts = True
    texts_: dict[str, Any] = fitted()
    numbers_: dict[str, Numeric] = fitted()
    categories_: dict[str, list[str]] = fitted()

    text: Annotated[Sequence[str], instance(list), instance(tuple)] = ()
    numeric: Annotated[Sequence[str], instance(list), instance(tuple)] = ()
    category: Annotated[Sequence[str], instance(list), instance(tuple)] = ()
    vectorizer: Any = None
    scaling: Annotated[str, one_of(*SCALINGS)] = "standard"

    @property
    def columns(self) -> dict[str, list[str]]:
        """The names of the columns by what they are."""
        return {"text": list(self.text), "numeric": list(self.numeric), "category": list(self.category)}

    def fit_csr(self, X: Any, *, order: str = "alphabet", y: Any = None, weight: Float | None = None) -> Csr:
        """Learn the terms, the scales and the categories, and return the float32 rows."""
        self._check_parameters()
        table = self.table_of(X)
        if self.vectorizer is not None:
            Vectorizer.check(self.vectorizer)
        texts = {name: (self.vectorizer or _tfidf()).fresh() for name in self.text}
        given = {"order": order, "y": y} | weight_option(weight)
        parts = [_fitted(own, table[name], name, **given) for name, own in texts.items()]
        numbers = {name: _numbers(table, name) for name in self.numeric}
        self.numbers_ = {name: Numeric.fit(own, self.scaling, weight) for name, own in numbers.items()}
        self.categories_ = {name: sorted(set(table[name].to_pylist())) for name in self.category}
        self.texts_ = texts
        return side_by_side([*parts, *self._others(table, numbers)])

    def transform_csr(self, X: Any) -> Csr:
        """Return the float32 rows of further rows."""
        self._check_fitted()
        table = self.table_of(X)
        parts = [own.transform_csr(table[name]) for name, own in self.texts_.items()]
        numbers = {name: _numbers(table, name) for name in self.numeric}
        return side_by_side([*parts, *self._others(table, numbers)])

    def grown(self, X: Any, n_before: float, weight: Float | None = None) -> Grown:
        """Return a vectorizer that has learned further terms and categories; numbers are scaled as before."""
        table = self.table_of(X)
        given = weight_option(weight)
        texts = {name: own.grown(table[name], n_before, **given) for name, own in self.texts_.items()}
        more = {name: sorted(set(table[name].to_pylist())) for name in self.category}
        return self._grown(texts, more)

    def joined(self, other: Any, counts: tuple[float, float]) -> Grown:
        """Return the vectorizer of two tables of so many rows; numbers must have been scaled alike."""
        if self.numbers_ != other.numbers_:
            raise UpdateError("the numbers of two tables were scaled differently, each by its own rows")
        pairs = {name: own.joined(other.texts_[name], counts) for name, own in self.texts_.items()}
        return self._grown(pairs, other.categories_)

    def _grown(self, texts: dict[str, Grown], more: dict[str, list[str]]) -> Grown:
        """Return a copy with grown texts and more categories."""
        made = copy(self)
        made.texts_ = {name: part.vectorizer for name, part in texts.items()}
        made.categories_ = {name: sorted({*own, *more[name]}) for name, own in self.categories_.items()}
        parts = [texts[name] for name in self.texts_]
        for scaled in self.numbers_.values():
            places = np.arange(1 + scaled.missing)
            parts.append(Grown(_Columns(len(places)), (places, places)))
        for name, values in made.categories_.items():
            number = {value: i for i, value in enumerate(values)}
            own, new = (
                np.array([number[v] for v in given], np.int64)
                for given in (self.categories_[name], more[name])
            )
            parts.append(Grown(_Columns(len(values)), (own, new)))
        return grown_together(made, parts)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        names = [*self.text, *self.numeric, *self.category]
        if not names:
            raise ValueError("name at least one column as text, numeric or category")
        if twice := next((name for i, name in enumerate(names) if name in names[:i]), None):
            raise ValueError(f"the column {twice!r} is named twice")

    def table_of(self, X: Any) -> Any:
        """Return an Arrow table with the wanted columns: texts and categories as strings without nulls."""
        import pyarrow as pa

        table = as_table(X)
        columns = {}
        for name in (*self.text, *self.numeric, *self.category):
            if name not in table.column_names:
                raise DataError(
                    f"there is no column {name!r}",
                    f"The columns are: {', '.join(map(repr, table.column_names))}.",
                )
            column = table[name]
            columns[name] = column if name in self.numeric else as_strings(column, name)
        return pa.table(columns)

    def _others(self, table: Any, numbers: dict[str, Float]) -> list[Csr]:
        """Return the rows of numbers and categories."""
        rows = [own.rows(numbers[name], self.scaling) for name, own in self.numbers_.items()]
        return rows + [_one_hot(table[name], values) for name, values in self.categories_.items()]

    @property
    def groups_(self) -> list[tuple[str, int]]:
        """The names of the columns and how many features each has, in their order."""
        self._check_fitted()
        return [
            *((name, own.n_columns) for name, own in self.texts_.items()),
            *((name, 1 + own.missing) for name, own in self.numbers_.items()),
            *((name, len(values)) for name, values in self.categories_.items()),
        ]

    def group_names(self, number: int, columns: Columns) -> list[str]:
        """Return the names of some features of a column: column:term, column, column=value."""
        return self._own_names(self.groups_[number][0], columns)

    @property
    def text_columns(self) -> list[str]:
        """The names of the text columns."""
        return list(self.texts_)

    def occurrences(self, text: Any, columns: Columns) -> list[Occurrences]:
        """Return where the terms of all text columns are in a ``RowText``."""
        from lindy.text.analysis.occurrences import Part, part_occurrences

        parts = []
        for name, width in self.groups_:
            begin, end = text.places.get(name, (0, 0))
            parts.append(Part(self.texts_.get(name), width, text.text[begin:end], begin))
        return part_occurrences(parts, columns)

    def describe(self) -> str:
        """Return what the terms of the texts are."""
        texts = [own.describe() for own in self.texts_.values()]
        return texts[0] if texts else "numbers and categories"

    def _own_names(self, name: str, columns: Columns) -> list[str]:
        if name in self.texts_:
            return [f"{name}:{term}" for term in self.texts_[name].names_of(columns)]
        if name in self.numbers_:
            return [(name, f"{name} missing")[column] for column in columns.tolist()]
        return [f"{name}={self.categories_[name][column]}" for column in columns.tolist()]

    def features_of(self, word: str) -> NDArray[np.int64]:
        """Return the number or category of that name, otherwise the features of a word in one (c:word) or all texts."""
        asked = [name for name in self.texts_ if word.startswith(f"{name}:")] or list(self.texts_)
        named, terms, begin = [], [], 0
        for name, width in self.groups_:
            if name in asked:
                terms.append(begin + self.texts_[name].features_of(word.removeprefix(f"{name}:")))
            elif name not in self.texts_:
                own = self._own_names(name, np.arange(width))
                named.append(begin + np.flatnonzero([each == word for each in own]))
            begin += width
        exact = np.concatenate([np.zeros(0, np.int64), *named])
        return exact if len(exact) else np.concatenate([exact, *terms])

    def to_state(self) -> State:
        """Return everything that ``transform_csr`` needs: a dict for JSON and arrays."""
        self._check_fitted()
        arrays: dict[str, NDArray[Any]] = {}
        texts = []
        for i, (name, own) in enumerate(self.texts_.items()):
            config, part = own.to_state()
            texts.append({"name": name, "config": config})
            arrays |= with_prefix(f"text{i}.", part)
        for i, values in enumerate(self.categories_.values()):
            terms, offsets = encode_terms(values)
            arrays |= {f"category{i}.terms": terms, f"category{i}.offsets": offsets}
        numbers = [
            {"name": name, "shift": own.shift, "scale": own.scale, "missing": own.missing}
            for name, own in self.numbers_.items()
        ]
        config = {"text": texts, "numeric": numbers, "category": list(self.categories_)}
        return {"kind": self.kind, "scaling": self.scaling, **config}, arrays

    @classmethod
    def from_state(cls, config: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Self:
        """Return the vectorizer of a ``to_state``; anything unsound is a ``ValueError``."""
        texts, numbers, categories = (_list(config, role) for role in ("text", "numeric", "category"))
        vectorizer = cls(
            text=[_name(part) for part in texts],
            numeric=[_name(part) for part in numbers],
            category=[_name({"name": part}) for part in categories],
            scaling=config.get("scaling", ""),
        )
        vectorizer._check_parameters()
        vectorizer.texts_ = {}
        for i, part in enumerate(texts):
            if not isinstance(part.get("config"), dict) or part["config"].get("kind") == cls.kind:
                raise ValueError("a text column of the saved table has no vectorizer")
            vectorizer.texts_[part["name"]] = vectorizer_from_state(
                part["config"], below_prefix(f"text{i}.", arrays)
            )
        vectorizer.vectorizer = next((own.fresh() for own in vectorizer.texts_.values()), None)
        vectorizer.numbers_ = {part["name"]: _numeric(part) for part in numbers}
        vectorizer.categories_ = {
            name: read_terms(below_prefix(f"category{i}.", arrays)).strings
            for i, name in enumerate(categories)
        }
        for values in vectorizer.categories_.values():
            if any(a >= b for a, b in pairwise(values)):
                raise ValueError("the saved categories must be sorted, each once")
        return vectorizer


class _Columns(NamedTuple):
    """How many columns numbers or categories have."""

    n_columns: int


def of_columns(columns: Mapping[str, Sequence[str]], **options: Any) -> TableVectorizer:
    """Return the vectorizer of columns by what they are, for those who have them as a dictionary."""
    if unknown := sorted(set(columns) - {"text", "numeric", "category"}):
        raise ValueError(f"columns are text, numeric or category; got {unknown[0]!r}")
    roles: Any = dict(columns)
    return TableVectorizer(**roles, **options)


def as_strings(column: Any, name: str) -> Any:
    """Return an Arrow column as strings, "" where there is nothing."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        return pc.fill_null(column.cast(pa.large_string()), "")
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError):
        raise DataError(
            f"the column {name!r} is {column.type}, expected texts", "Convert it to texts first."
        ) from None


def _fitted(vectorizer: Any, column: Any, name: str, **options: Any) -> Csr:
    try:
        rows: Csr = vectorizer.fit_csr(column, **options)
    except ValueError as error:
        raise DataError(f"the text column {name!r}: {error}", "Leave it out, or check its texts.") from error
    return rows


def _tfidf() -> TfidfVectorizer:
    return TfidfVectorizer(sublinear_tf=True, dtype=np.float32)


def _numbers(table: Any, name: str) -> Float:
    """Return a column of numbers, NaN where one is missing."""
    numbers: Float = as_numbers(table[name], name, lambda row: f"row {row}").to_numpy()
    return numbers


def _one_hot(column: Any, values: list[str]) -> Csr:
    import pyarrow as pa
    import pyarrow.compute as pc

    codes = pc.fill_null(pc.index_in(column, pa.array(values, pa.large_string())), -1).to_numpy()
    known = codes >= 0
    indptr = np.zeros(len(codes) + 1, np.int64)
    np.cumsum(known, out=indptr[1:])
    indices = codes[known].astype(np.int32)
    of_one = np.zeros(len(values), np.int32)
    return Csr(indptr, indices, np.ones(len(indices), np.float32), len(values), checked=True, groups=of_one)


def _list(config: Mapping[str, Any], role: str) -> list[Any]:
    given = config.get(role)
    if not isinstance(given, list) or len(given) > 10_000:
        raise ValueError(f"the saved table has no list of its {role} columns")
    return given


def _name(part: Any) -> str:
    if not isinstance(part, dict) or not isinstance(part.get("name"), str):
        raise ValueError("a column of the saved table has no name")
    return str(part["name"])


def _numeric(part: dict[str, Any]) -> Numeric:
    shift, scale, missing = part.get("shift"), part.get("scale"), part.get("missing")
    sound = (
        isinstance(shift, int | float)
        and isinstance(scale, int | float)
        and np.isfinite(shift)
        and 0 < scale < np.inf
        and isinstance(missing, bool)
    )
    if not sound:
        raise ValueError("a numeric column of the saved table has no shift and scale")
    return Numeric(float(shift), float(scale), missing)  # type: ignore[arg-type]
