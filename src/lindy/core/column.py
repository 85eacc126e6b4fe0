"""Columns of text as readers hand them out: UTF-8 bytes in Arrow's layout, with or without Arrow around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


_AT_ONCE = 1 << 16  # rows of a column in a file that are copied together


class TextColumn:
    """Strings that lie one after the other: string i is ``data[offsets[i]:offsets[i + 1]]``, in UTF-8.

    It is what the core reads, without importing Arrow; everything beyond its strings is done by Arrow, as an Arrow
    column (`arrow`), in the same memory. Every Arrow consumer (pyarrow, polars, pandas) takes it as it is.
    """

    __slots__ = ("_arrow", "data", "offsets")
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, offsets: NDArray[np.int64], data: NDArray[np.uint8]) -> None:
        self.offsets = offsets
        self.data = data
        self._arrow: Any = None

    @property
    def arrow(self) -> Any:
        """The column as a ``pyarrow.ChunkedArray`` of ``large_string``."""
        if self._arrow is None:
            import pyarrow as pa

            buffers = [None, pa.py_buffer(self.offsets), pa.py_buffer(self.data)]
            self._arrow = pa.chunked_array([pa.Array.from_buffers(pa.large_string(), len(self), buffers)])
        return self._arrow

    @property
    def null_count(self) -> int:
        """How many values are missing: none."""
        return 0

    def take(self, rows: Any) -> Any:
        """Return some rows as an Arrow column."""
        copies = self.from_file(rows)
        return take_rows(self.arrow, rows) if copies is None else copies.arrow

    def from_file(self, rows: Any) -> TextColumn | None:
        """Return copies of some rows of a column in a file, read without being mapped; None if it is in memory.

        Where a mapped file is read at random, the system maps much around every place: as much as 2 MB. Many rows go to
        a file again, where a workspace is in use.
        """
        import numpy as np

        from lindy import _native
        from lindy.stream import room

        numbers = np.ascontiguousarray(rows, np.int64)
        found = _native.file_texts(self.offsets, self.data, numbers[:_AT_ONCE])
        if found is None or len(numbers) <= _AT_ONCE:
            return None if found is None else TextColumn(*found)
        offsets = room(len(numbers) + 1, np.int64)
        offsets[0] = 0
        np.cumsum(np.diff(self.offsets)[numbers], out=offsets[1:])
        data = room(int(offsets[-1]), np.uint8)
        for begin in range(0, len(numbers), _AT_ONCE):
            own = numbers[begin : begin + _AT_ONCE]
            found = _native.file_texts(self.offsets, self.data, own)
            assert found is not None
            data[offsets[begin] : offsets[begin + len(own)]] = found[1]
        return TextColumn(offsets, data)

    def slice(self, offset: int = 0, length: int | None = None) -> TextColumn:
        """Return some rows in a row, without a copy."""
        rows = slice(offset, None if length is None else offset + length)
        start, stop, _ = rows.indices(len(self))
        return TextColumn(self.offsets[start : max(start, stop) + 1], self.data)

    def to_pylist(self) -> list[str]:
        """Return the strings."""
        text = self.data.data
        ends = self.offsets.tolist()
        return [str(text[i:j], "utf-8") for i, j in pairwise(ends)]

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __iter__(self) -> Iterator[Any]:
        return iter(self.to_pylist())

    def __repr__(self) -> str:
        first = ", ".join(repr(text if len(text) <= 40 else f"{text[:39]}…") for text in self[:3].to_pylist())
        more = ", …" if len(self) > 3 else ""
        return f"{type(self).__name__} of {len(self):,}: [{first}{more}]"

    def __getitem__(self, key: Any) -> Any:
        """Return a part without a copy, or one value as Arrow does."""
        if not isinstance(key, slice):
            return self.arrow[key]
        start, stop, step = key.indices(len(self))
        return self.slice(start, max(stop - start, 0)) if step == 1 else self.arrow[key]

    def __eq__(self, other: object) -> bool:
        return bool(self.arrow == as_arrow(other))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        import numpy as np

        if copy is False:
            raise ValueError("a column of strings cannot become an array without a copy")
        return np.array(self.to_pylist(), object if dtype is None else dtype)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self.arrow.__arrow_c_stream__(requested_schema)


def text_column(strings: Sequence[bytes]) -> TextColumn:
    """Return a column of strings that are given one by one, in UTF-8."""
    import numpy as np

    offsets = np.zeros(len(strings) + 1, np.int64)
    np.cumsum([len(string) for string in strings], out=offsets[1:])
    return TextColumn(offsets, np.frombuffer(b"".join(strings), np.uint8))


def as_arrow(column: Any) -> Any:
    """Return a `TextColumn` as an Arrow column, and anything else as it is."""
    return column.arrow if isinstance(column, TextColumn) else column


def take_rows(column: Any, rows: Any) -> Any:
    """Return some rows of a `TextColumn` or an Arrow column as an Arrow column; feature rows stay what they are."""
    if isinstance(column, TextColumn):
        return column.take(rows)
    import numpy as np
    import pyarrow as pa

    # of an array of NumPy's, Arrow would make its own, and import pandas to see whether it is a series
    numbers = np.ascontiguousarray(rows, np.int64)
    places = pa.Array.from_buffers(pa.int64(), len(numbers), [None, pa.py_buffer(numbers)])
    return column.take(places)


def join_columns(columns: Sequence[Any]) -> Any:
    """Return columns one below the other: a `TextColumn` if all are, otherwise an Arrow column."""
    import numpy as np

    if all(type(column) is TextColumn for column in columns):
        lengths = [np.diff(column.offsets) for column in columns]
        offsets = np.zeros(1 + sum(map(len, lengths)), np.int64)
        np.cumsum(np.concatenate(lengths), out=offsets[1:])
        parts = [column.data[column.offsets[0] : column.offsets[-1]] for column in columns]
        return TextColumn(offsets, np.concatenate(parts))
    import pyarrow as pa

    chunks = [chunk for column in columns for chunk in as_arrow(column).chunks]
    return pa.chunked_array([chunk.cast(pa.large_string()) for chunk in chunks], pa.large_string())


def is_list(column: Any) -> bool:
    """Whether this is an Arrow column of lists."""
    return "list" in str(getattr(column, "type", ""))


def is_column(column: Any) -> bool:
    """Whether this is a `TextColumn` or a column (or table) of PyArrow, which is not imported to find out."""
    return isinstance(column, TextColumn) or type(column).__module__.startswith("pyarrow")


def pick(column: Any, rows: NDArray[Any]) -> Any:
    """Return some entries of a list, an array, feature rows, images, a data frame or an Arrow column."""
    if hasattr(column, "iloc"):
        return column.iloc[rows]
    return column.take(rows) if hasattr(column, "take") else [column[i] for i in rows.tolist()]


def holds_strings(column: Any) -> bool:
    """Whether a column holds strings (plain, large, viewed or in a dictionary)."""
    if isinstance(column, TextColumn):
        return True
    kind = str(getattr(column.type, "value_type", column.type))
    return kind in ("string", "large_string", "string_view")


def string_arrays(column: Any) -> Iterator[tuple[NDArray[Any], NDArray[np.uint8]]]:
    """Yield offsets and bytes of each chunk of a `TextColumn`, or of an Arrow column without nulls.

    What is neither ``string`` nor ``large_string`` is made so.
    """
    if isinstance(column, TextColumn):
        if len(column):
            yield column.offsets, column.data
        return
    import numpy as np
    import pyarrow as pa

    for chunk in column.chunks if isinstance(column, pa.ChunkedArray) else [column]:
        if not (pa.types.is_string(chunk.type) or pa.types.is_large_string(chunk.type)):
            chunk = chunk.cast(pa.large_string())  # noqa: PLW2901
        kind = np.int64 if pa.types.is_large_string(chunk.type) else np.int32
        _, offsets, data = chunk.buffers()
        if len(chunk):
            places = np.frombuffer(offsets, kind)[chunk.offset : chunk.offset + len(chunk) + 1]
            yield places, np.frombuffer(data if data is not None else b"", np.uint8)


def distinct(column: Any) -> tuple[list[str], NDArray[np.int32]]:
    """Return the different strings of a column without nulls, and the number of each row's string.

    Arrow's compute module, which does the same, is slow to import.
    """
    import numpy as np

    from lindy import _native
    from lindy.errors import LabelTypeError

    if is_list(column):
        raise LabelTypeError(
            "rows have several labels, where one for each is expected",
            "Labels that are joined in a cell are one class with `label_separator='none'`.",
        )
    numbers: dict[str, int] = {}
    parts = []
    for offsets, data in string_arrays(column):
        codes, first = _native.number_distinct(offsets, data)
        values = [data[offsets[row] : offsets[row + 1]].tobytes().decode() for row in first]
        renumbered = np.array([numbers.setdefault(value, len(numbers)) for value in values], np.int32)
        parts.append(np.take(renumbered, codes))
    return list(numbers), np.concatenate(parts) if parts else np.zeros(0, np.int32)
