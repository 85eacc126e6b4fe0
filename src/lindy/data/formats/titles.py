"""Titles above a table, as people and programs write them into sheets: which row has the names of the columns."""

from __future__ import annotations

from collections.abc import Sequence

from lindy.data.columns.choose import is_usual_name

LOOKED_AT = 100  # rows in which the header is looked for
_LONGEST = 60  # characters of a title that are said


def header_place(rows: Sequence[tuple[int, Sequence[str]]]) -> int:
    """Return which of some rows is the first of the table; rows have a number and cells, one of which is not empty.

    Rows with one cell alone, above a table of several columns, are titles, and so is a block of rows above a blank one
    that has at most half the columns of what is below it. But a name beside columns that have none is no title: beside
    the one that numbers the rows, or a name that texts and labels usually have, above a row without such a name.
    """
    filled = [sum(map(bool, row)) for _, row in rows]
    looked_at = min(len(rows), LOOKED_AT)
    first = 0
    for place in range(1, looked_at):
        is_apart = rows[place][0] > rows[place - 1][0] + 1
        if is_apart and 2 * max(filled[first:place]) <= max(filled[place:looked_at]):
            first = place
    width = max(filled[first:looked_at])
    begin = min(_first_filled(row) for _, row in rows[first:looked_at])
    while width > 1 and filled[first] == 1 and first + 1 < looked_at:
        numbered = width == 2 and _first_filled(rows[first][1]) > begin
        if numbered or (_has_usual_name(rows[first][1]) and not _has_usual_name(rows[first + 1][1])):
            break
        first += 1
    return first


def _first_filled(row: Sequence[str]) -> int:
    return next(place for place, cell in enumerate(row) if cell)


def _has_usual_name(row: Sequence[str]) -> bool:
    return any(map(is_usual_name, row))


def said_titles(table: str, titles: Sequence[Sequence[str]], place: str) -> list[str]:
    """Return the remark on titles that were passed over; ``place`` is where the names of the columns are."""
    if not titles:
        return []
    above = next(cell for cell in titles[0] if cell)
    return [
        f"{table}: the names of the columns are taken from {place}; above them: {above[:_LONGEST]!r}"
        f"{' and more' * (len(titles) > 1)} (`header_row=` names another row)"
    ]
