"""Times as users write them: numbers, dates, or ISO strings; only their order matters.

    2024   1704067200.5   2024-05   2024-05-31   2024-05-31T12:00   2024-05-31 12:00:00+02:00   2024-W22-5

A time without a zone is taken to be UTC, a month or a day begins at its first moment.
"""

from __future__ import annotations

import datetime
import math
import re
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from lindy.errors import DataError

_MONTH = re.compile(r"\d{4}-\d{2}")
_UTC = datetime.UTC
_EXPECTED = "expected a date such as 2024-05-31 or 2024-05-31T12:00, or a number"


def as_moments(
    values: Any, name: str = "time", place: Callable[[int], str] | None = None
) -> NDArray[np.float64]:
    """Return the moment of each row as a number: seconds since 1970 for dates, otherwise the number that is written.

    Raises
    ------
    DataError
        If a value is missing or no time, or if some are dates and others numbers; it begins with ``place(row)``.
    """
    if isinstance(values, np.ndarray) and values.dtype.kind in "iufM":
        moments = _of_array(values)
        wrong = np.flatnonzero(~np.isfinite(moments))
        if len(wrong):
            raise _refused(name, place, int(wrong[0]), values[wrong[0]])
        return moments
    if hasattr(values, "to_pylist"):
        values = values.to_pylist()
    elif hasattr(values, "to_numpy"):
        return as_moments(values.to_numpy(), name, place)
    return MomentParts(name).add(values, place)


class MomentParts:
    """Moments of rows that come part by part, all of which must be dates, or all numbers."""

    def __init__(self, name: str = "time") -> None:
        self._name = name
        self._are_dates: bool | None = None

    def add(self, values: list[Any], place: Callable[[int], str] | None = None) -> NDArray[np.float64]:
        """Return the moments of some rows, see `as_moments`; ``place`` is about these rows."""
        known: dict[Any, tuple[bool, float]] = {}
        moments = np.empty(len(values))
        for row, value in enumerate(values):
            if value not in known:
                try:
                    known[value] = _moment(value)
                except (ValueError, TypeError, OverflowError):
                    raise _refused(self._name, place, row, value) from None
            is_date, moments[row] = known[value]
            self._are_dates = is_date if self._are_dates is None else self._are_dates
            if is_date != self._are_dates:
                raise DataError(
                    f"{_at(place, row)}: {self._name!r} is {value!r}, a {'date' if is_date else 'number'}, but those"
                    f" before it are {'dates' if self._are_dates else 'numbers'}",
                    "Write all of them in the same way.",
                )
        return moments


def _of_array(values: NDArray[Any]) -> NDArray[np.float64]:
    if values.dtype.kind != "M":
        return values.astype(np.float64)
    since = (values - np.datetime64(0, "s")) / np.timedelta64(1, "s")
    moments: NDArray[np.float64] = since.astype(np.float64)
    return moments


def _moment(value: Any) -> tuple[bool, float]:
    """Return whether a value is a date, and its moment."""
    if isinstance(value, np.datetime64):
        value = value.astype("datetime64[us]").item()
    if isinstance(value, datetime.datetime):
        aware = value if value.tzinfo is not None else value.replace(tzinfo=_UTC)
        return True, _finite((aware - datetime.datetime(1970, 1, 1, tzinfo=_UTC)).total_seconds())
    if isinstance(value, datetime.date):
        return True, (value - datetime.date(1970, 1, 1)).days * 86400.0
    if not isinstance(value, str):
        return False, _finite(float(value))
    text = value.strip()
    try:
        return False, _finite(float(text))
    except ValueError:
        text = f"{text}-01" if _MONTH.fullmatch(text) else text
        return _moment(datetime.datetime.fromisoformat(text))


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise ValueError("not a moment")
    return number


def _at(place: Callable[[int], str] | None, row: int) -> str:
    return f"row {row + 1}" if place is None else place(row)


def _refused(name: str, place: Callable[[int], str] | None, row: int, value: Any) -> DataError:
    missing = value is None or (isinstance(value, str) and not value.strip())
    shown = (
        "missing"
        if missing
        else repr(f"{value[:39]}…" if isinstance(value, str) and len(value) > 40 else value)
    )
    return DataError(
        f"{_at(place, row)}: {name!r} is {shown}, {_EXPECTED}", "Correct it, or leave the row out."
    )
