"""Columns of numbers: text that says numbers, and nothing where one is missing."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lindy.errors import DataError

_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$"


def as_numbers(column: Any, name: str, place: Callable[[int], str]) -> Any:
    """Return an Arrow column as float64; null stands where a value is null, empty or NaN.

    Raises
    ------
    DataError
        If a value is no finite number; it begins with ``place(row)``.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = column.type
    if pa.types.is_dictionary(kind):
        return as_numbers(column.cast(kind.value_type), name, place)
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        written = pc.utf8_trim_whitespace(column.cast(pa.large_string()))
        written = pc.if_else(pc.equal(written, ""), pa.scalar(None, pa.large_string()), written)
        _refuse(pc.invert(pc.match_substring_regex(written, _NUMBER)), column, name, place)
        numbers = pc.replace_substring_regex(written, r"^\+", "").cast(pa.float64())
    else:
        try:
            numbers = column.cast(pa.float64())
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError) as error:
            raise DataError(
                f"{place(0)}: {name!r} is {kind}, expected numbers",
                f"Leave it out, or convert it first ({error}).",
            ) from None
        numbers = pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    _refuse(pc.invert(pc.is_finite(numbers)), column, name, place)
    return numbers


def _refuse(wrong: Any, column: Any, name: str, place: Callable[[int], str]) -> None:
    """Raise for the first value that is wrong."""
    import pyarrow.compute as pc

    row = pc.index(pc.fill_null(wrong, False), True).as_py()
    if row < 0:
        return
    value = column[row].as_py()
    shown = f"{value[:39]}…" if isinstance(value, str) and len(value) > 40 else value
    raise DataError(
        f"{place(row)}: {name!r} is {shown!r}, expected a number",
        f"Leave it empty where there is no number; if {name!r} holds names, declare it as a category.",
    )
