"""Rows that cannot be read: an error, or, as many as the user allows, left out and listed."""

from __future__ import annotations

from dataclasses import dataclass, field

from lindy.errors import DataError

_LISTED = 20


@dataclass(slots=True)
class BadRows:
    """How many rows that cannot be read may be left out of a table, and those that were.

    Attributes
    ----------
    most : int
        One more is an error.
    found : list of str
        File, line and what is wrong with each, in the order of the file.
    """

    most: int
    found: list[str] = field(default_factory=list)

    def add(self, error: DataError) -> None:
        """Leave out the row that an error is about, or raise the error if there were too many."""
        if len(self.found) == self.most:
            allowed = (
                f"{self.most:,} such row{'s' if self.most != 1 else ''} may be left out, this is one more"
            )
            raise DataError(
                f"{error} ({allowed})", f"{error.hint or ''} Or allow more with `skip_bad=`.".strip()
            )
        self.found.append(str(error))

    @property
    def remarks(self) -> tuple[str, ...]:
        """The rows that were left out, as the remarks of a table."""
        if not self.found:
            return ()
        more = len(self.found) - _LISTED
        listed = [f"left out: {what}" for what in self.found[:_LISTED]]
        return (*listed, *([f"left out: {more:,} more rows that cannot be read"] if more > 0 else []))
