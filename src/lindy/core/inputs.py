"""Inputs: the examples of a model, which are texts, records of several columns, feature rows or images.

Nobody else asks which they are: they have methods for that. What rooms above have to say about a kind of input is in
tables by its name (`Inputs.kind`): ``features.inputs``, ``tuning.input_recipes`` and ``cli.options.input_kinds``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Self

from lindy.core.column import (
    TextColumn,
    is_column,
    is_list,
    join_columns,
    pick,
    string_arrays,
    take_rows,
    text_column,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from lindy._native import Fingerprint
    from lindy.core.csr import Csr

CHUNK = 16_384
"""Examples that are predicted at once."""


class Inputs:
    """Examples of one kind, of which some can be taken.

    Attributes
    ----------
    kind : str
        "texts", "records", "features" or "images"; a vectorizer's ``takes`` says the same.
    has_words : bool
        Whether a vectorizer cuts words out of them.
    weight : array (examples,) or None
        How much each example counts, where a file says so.
    values : list, column or table
        The examples as vectorizers take them.
    """

    __slots__ = ()
    kind: ClassVar[str]
    has_words: ClassVar[bool] = False
    weight: NDArray[np.float64] | None = None

    @property
    def values(self) -> Any:
        """The examples as vectorizers take them."""
        return self

    def __len__(self) -> int:
        return len(self.values)

    def take(self, rows: Any) -> Self:
        """Return some of the examples."""
        raise NotImplementedError

    def only(self, rows: Any, X: Any, convert: Callable[[Any], Inputs]) -> Inputs:  # noqa: ARG002
        """Return some of the examples as if only these had been given: ``convert`` has made all of them out of X."""
        return self.take(rows)

    @classmethod
    def joined(cls, parts: Sequence[Any]) -> Self:
        """Return the examples of several inputs of this kind, one after the other."""
        raise NotImplementedError

    def chunks(self, rows: int = CHUNK) -> Iterator[Any]:
        """Yield the values in pieces of so many rows; without an example, one empty piece."""
        values = self.values
        for start in range(0, max(len(self), 1), rows):
            yield values[start : start + rows]

    @property
    def n_bytes(self) -> int:
        """About how many bytes of text they are, by which searches and samples are sized."""
        raise NotImplementedError

    @property
    def written(self) -> Any:
        """A column of strings, by which equal examples are found and which people are shown."""
        return self.values

    @property
    def comparable(self) -> Any:
        """A column in which equal examples are equal strings."""
        return self.written

    def token_sets(self, word_sets: Callable[[Any], Csr]) -> Csr:
        """Return rows whose columns near duplicates have in common; ``word_sets`` makes those of texts."""
        return word_sets(self.written)

    @property
    def string_columns(self) -> Sequence[Any]:
        """The columns that a fingerprint is made of, one after the other."""
        return [self.values]

    def mark(self, fingerprint: Fingerprint) -> None:
        """Add the examples to a fingerprint."""
        for column in self.string_columns:
            mark_strings(fingerprint, column)


class Texts(Inputs):
    """Texts: strings in a list or in a column of any library; or whatever else a vectorizer takes one by one."""

    __slots__ = ("_values",)
    kind = "texts"
    has_words = True

    def __init__(self, values: Any) -> None:
        is_sequence = hasattr(values, "__len__") and hasattr(values, "__getitem__")
        self._values: Any = values if is_sequence else list(values)

    @property
    def values(self) -> Any:
        """The texts as they were given."""
        return self._values

    def take(self, rows: Any) -> Self:
        """Return some of the texts."""
        return type(self)(pick(self._values, rows))

    @classmethod
    def joined(cls, parts: Sequence[Any]) -> Self:
        """Return columns, or lists, of texts one below the other."""
        values = [part.values for part in parts]
        if all(isinstance(own, list) for own in values):
            return cls([text for own in values for text in own])
        return cls(join_columns(values))

    def chunks(self, rows: int = CHUNK) -> Iterator[Any]:
        """Yield the texts in pieces; those of a data frame without its index."""
        values = self._values.array if hasattr(self._values, "iloc") else self._values
        yield from Inputs.chunks(self if values is self._values else Texts(values), rows)

    @property
    def n_bytes(self) -> int:
        """About how many bytes the texts have; a column as many as the same in Arrow's plain strings."""
        texts = self._values
        if isinstance(texts, TextColumn):
            return int(texts.offsets[-1] - texts.offsets[0]) + 4 * len(texts)
        if is_column(texts):
            return int(texts.nbytes)
        return sum(len(text) for text in texts if isinstance(text, str | bytes))


class Records(Texts):
    """Rows of several columns: an Arrow table of texts, numbers and categories."""

    __slots__ = ()
    kind = "records"

    def take(self, rows: Any) -> Self:
        """Return some of the rows."""
        return type(self)(take_rows(self._values, rows))

    @classmethod
    def joined(cls, parts: Sequence[Any]) -> Self:
        """Return tables one below the other."""
        import pyarrow as pa

        return cls(pa.concat_tables([part.values for part in parts], promote_options="permissive"))

    @property
    def written(self) -> Any:
        """The values of each row, between bars."""
        import pyarrow as pa
        import pyarrow.compute as pc

        parts = [pc.fill_null(column.cast(pa.large_string()), "") for column in self._values.columns]
        return pc.binary_join_element_wise(*parts, pa.scalar(" | ", pa.large_string()))

    @property
    def string_columns(self) -> Sequence[Any]:
        """The columns of the table."""
        columns: Sequence[Any] = self._values.columns
        return columns


class WrittenColumn(TextColumn, Inputs):
    """A column of examples that are no texts, and are written as texts only where somebody wants to read them.

    It stands where a column of texts can stand. Nothing in it is cut into words: vectorizers of texts refuse it.
    """

    __hash__ = None  # type: ignore[assignment]

    def _texts(self) -> Iterable[bytes]:
        """Return every example as a text, in UTF-8."""
        raise NotImplementedError

    @property
    def offsets(self) -> Any:  # type: ignore[override]
        """Where each example begins as a text."""
        return self._written[0]

    @property
    def data(self) -> Any:  # type: ignore[override]
        """The examples as texts, one after the other."""
        return self._written[1]

    @property
    def written(self) -> Any:
        """The examples as people are shown them."""
        return self.arrow

    @property
    def comparable(self) -> Any:
        """The examples, which are equal where their texts are."""
        return self

    @cached_property
    def _written(self) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        column = text_column(list(self._texts()))
        return column.offsets, column.data


def as_inputs(values: Any) -> Inputs:
    """Return examples in the form in which vectorizers take them as `Inputs`."""
    if isinstance(values, Inputs):
        return values
    return Records(values) if hasattr(values, "column_names") else Texts(values)


def mark_strings(fingerprint: Fingerprint, column: Any) -> None:
    """Add a column, or a list whose values are written as strings, to a fingerprint."""
    for offsets, data in strings_of(column):
        fingerprint.add(offsets, data)
    fingerprint.end()


def strings_of(column: Any) -> Iterator[tuple[NDArray[Any], NDArray[np.uint8]]]:
    """Yield offsets and bytes of the strings of a column, or of any values as they are written.

    Several labels of a row are one string, in whatever order and form they come.
    """
    if is_column(column) and not is_list(column):
        return string_arrays(column)
    import pyarrow as pa

    from lindy.core.csr import is_sparse

    if is_sparse(column):  # SciPy crashes on the way to the rows of a malformed one
        raise ValueError(f"Expected texts, got a {type(column).__name__}")
    values = [own or () for own in column.to_pylist()] if is_list(column) else column
    return string_arrays(pa.array([_written(value) for value in values], pa.large_string()))


def _written(value: Any) -> str:
    if isinstance(value, list | tuple | set | frozenset):
        return "\x1f".join(sorted({str(label) for label in value}))
    return str(value)
