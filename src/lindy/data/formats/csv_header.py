"""The header of CSV: where the rows begin, behind marks and titles; and the line number of what is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple, NoReturn

from lindy import _native
from lindy.data.chunks.source import BLOCK, UTF8_BOM, Source, line_breaks
from lindy.data.columns.table import NumberedNames, numbered_names
from lindy.errors import DataError

_MOST_COLUMNS = 1 << 20
_ROWS_AT_ONCE = 4096  # that are Python objects
DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}
UNCLOSED = "A double quote that is opened and never closed makes one row of everything behind it."
_EXCEL = re.compile(rb'(?i:sep)=([\t\x20-\x2f:-@[-`{-~])(?<!")(?:\r\n?|\n|\Z)')
"""The first line that Excel takes for its delimiter and not for a row: ``sep=`` and one character."""
_LINES = " If the first line is a text already, one in each line: add `format='lines'`."
_ADD_HEADER = 'Add a first line with the names of the columns, such as "text,label".'

_NO_HEADERS = (
    (
        "sep=",
        "like Excel's 'sep=' line, but not 'sep=' and one delimiter",
        "Correct it, such as sep=; or remove it: the delimiter is found without it.",
    ),
    (('{"', "[{"), "JSON", "Name the format with `format='jsonl'`, which takes one object per line."),
    (
        ("<html", "<!doctype"),
        "HTML",
        "It is a page, perhaps one that says why there was nothing to download.",
    ),
)


class Header(NamedTuple):
    """The names of the columns, and where the rows begin."""

    names: list[str]  # a column without a name cannot be asked for and is not kept
    delimiter: str
    end: int  # where the rows begin: byte and line
    next_line: int
    repeated: dict[str, list[str]]
    line: int = 1
    titles: tuple[list[str], ...] = ()  # the rows above it

    def about(self, table: str) -> dict[str, Any]:
        """Return what a table of this name is to say about its columns."""
        remarks = NumberedNames(self.names, self.repeated).remarks(table)
        if self.titles:
            from lindy.data.formats.titles import said_titles

            remarks = (*said_titles(table, self.titles, f"line {self.line}"), *remarks)
        return {
            "n_nameless": sum(not name for name in self.names),
            "repeated": self.repeated,
            "remarks": remarks,
        }


class Record(NamedTuple):
    """A row as Python reads it, for messages."""

    line: int
    fields: list[bytes]
    blank: bool
    end: int
    next_line: int
    open_line: int | None  # where a quote was opened that is never closed


def records(data: bytes, delimiter: str, start: int, line: int) -> Iterator[Record]:
    """Yield rows of any number of fields, as the core splits ``data``."""
    position, most = start, 4
    while position < len(data):
        for end, fields, opened in _native.delimited_rows(data, delimiter, position, most):
            next_line = line + line_breaks(data, position, end)
            open_line = None if opened < 0 else line + line_breaks(data, position, opened)
            yield Record(line, fields, data[position] in b"\r\n", end, next_line, open_line)
            position, line = end, next_line
        most = min(4 * most, _ROWS_AT_ONCE)


def row_records(data: bytes, header: Header) -> Iterator[Record]:
    """Yield the rows below the header; a blank line is one only if there is a single column."""
    for record in records(data, header.delimiter, header.end, header.next_line):
        if not record.blank or len(header.names) == 1:
            yield record


def read_header(source: Source, delimiter: str | None) -> Header:
    """Parse the first line that is not blank."""
    with source.open() as stream:
        data = stream.read(BLOCK)
        while True:
            opening = _opening(data, delimiter, below_titles=not source.header_given)
            record = _first_record(data, opening)
            if record is not None and record.end < len(data):
                break
            if len(data) - opening.start > source.longest_row or not (more := stream.read(len(data))):
                break
            data += more
    start, chosen = opening.start, opening.delimiter
    if (len(data) if record is None else record.end) - start > source.longest_row:
        raise source.too_long(start, UNCLOSED)
    if record is None:
        raise source.no_rows("the file is empty", "Expected a header line and at least one row.")
    if record.open_line is not None or b"\0" in data[: record.end]:
        raise_csv_error(source, None, chosen)
    if len(record.fields) > _MOST_COLUMNS:
        raise source.error(
            f"the header has {len(record.fields):,} columns, expected at most {_MOST_COLUMNS:,}",
            "Give features with values as svmlight or Vowpal Wabbit lines.",
            record.line,
        )
    try:
        names = [field.decode() for field in record.fields]
    except UnicodeDecodeError:
        raise_csv_error(source, None, chosen)
    if other := _no_header(names[0]):
        what, hint = other
        raise source.error(f"the first line is {what}, not the names of columns", hint, record.line)
    if not any(name.strip() for name in names):
        raise source.error("the header has no column names", _ADD_HEADER, record.line)
    numbered = numbered_names(names)
    return Header(
        numbered.names, chosen, record.end, record.next_line, numbered.repeated, record.line, opening.titles
    )


def _no_header(first: str) -> tuple[str, str] | None:
    """Return what a line that begins with this field is, and what to do about it; None if it may be a header."""
    begin = first.lstrip().lower()
    return next(((what, hint) for starts, what, hint in _NO_HEADERS if begin.startswith(starts)), None)


def field_names(source: Source, delimiter: str | None) -> list[str]:
    """Return the fields of the first line that is not blank; none if they are no text."""
    with source.open() as stream:
        data = stream.read(BLOCK)
    record = _first_record(data, _opening(data, delimiter))
    return [] if record is None else [field.decode(errors="replace") for field in record.fields]


def has_header(data: bytes, delimiter: str | None) -> bool:
    """Whether the header is there, of text that comes piece by piece, with what follows and tells titles from it."""
    opening = _opening(data, delimiter)
    record = _first_record(data, opening)
    return record is not None and record.end < len(data) and not opening.is_open


def first_rows(
    data: bytes, delimiter: str | None, most: int, *, below_titles: bool = True
) -> tuple[int, str, list[list[str]]]:
    """Return where the first line begins, the delimiter, and the fields of the first rows, the header among them."""
    opening = _opening(data, delimiter, below_titles=below_titles)
    found = (r for r in records(data, opening.delimiter, opening.start, opening.line) if not r.blank)
    rows = [[field.decode(errors="replace") for field in record.fields] for record in islice(found, most)]
    return opening.start, opening.delimiter, rows


class _Opening(NamedTuple):
    """Where the first record may begin, byte and line, and what separates its fields."""

    start: int
    line: int
    delimiter: str
    titles: tuple[list[str], ...] = ()  # above it
    is_open: bool = False  # whether further rows may tell that this is a title


def _opening(data: bytes, delimiter: str | None, *, below_titles: bool = True) -> _Opening:
    """Look at what stands before the header: a byte order mark, Excel's line, which is believed, and titles."""
    start = len(UTF8_BOM) if data.startswith(UTF8_BOM) else 0
    if excel := _EXCEL.match(data, start):
        opening = _Opening(excel.end(), 2, excel[1].decode())
    else:
        opening = _Opening(start, 1, delimiter or _guess_delimiter(data, start))
    first = _first_record(data, opening) if below_titles else None
    if first is None or 2 * sum(bool(field.strip()) for field in first.fields) > len(first.fields):
        return opening
    return opening if _no_header(first.fields[0].decode(errors="replace")) else _below_titles(data, opening)


def _below_titles(data: bytes, opening: _Opening) -> _Opening:
    """Return the opening behind titles; a spreadsheet writes them with as many fields as the table has columns."""
    from lindy.data.formats.titles import LOOKED_AT, header_place

    found = list(islice(records(data, opening.delimiter, opening.start, opening.line), LOOKED_AT))
    cells = [[field.decode(errors="replace").strip() for field in record.fields] for record in found]
    rows = [(number, row) for number, row in enumerate(cells) if any(row)]
    is_open = len(found) < LOOKED_AT and len(data) < BLOCK
    place = header_place(rows) if rows else 0
    if place == 0:
        return opening._replace(is_open=is_open)
    number, _ = rows[place]
    titles = tuple(row for _, row in rows[:place])
    return opening._replace(
        start=found[number - 1].end, line=found[number].line, titles=titles, is_open=is_open
    )


def _first_record(data: bytes, opening: _Opening) -> Record | None:
    found = records(data, opening.delimiter, opening.start, opening.line)
    return next((record for record in found if not record.blank), None)


def _guess_delimiter(data: bytes, start: int) -> str:
    """Comma; if the header has none, semicolon, tab or vertical bar (these are written under the name CSV, too)."""
    for delimiter in DELIMITERS:
        record = _first_record(data, _Opening(start, 1, delimiter))
        if record is not None and len(record.fields) > 1:
            return delimiter
    return ","


def no_row(source: Source, header: Header) -> DataError:
    """Return the error for a table without rows."""
    hint = "Expected at least one row below the header."
    if len(header.names) == 1 or any(" " in name.strip() for name in header.names):  # as a sentence has
        hint += _LINES
    return source.no_rows("there is a header but no row", hint)


def raise_csv_error(source: Source, header: Header | None, delimiter: str, n_sound: int = 0) -> NoReturn:
    """Read the bytes again and raise the error with the line number of the first wrong row.

    The core has found ``n_sound`` bytes of rows below the header that have as many fields as it.
    """
    data = source.read()
    source.check_bytes(data)
    if header:
        end = header.end + n_sound
        line = header.next_line + line_breaks(data, header.end, end)
        found = row_records(data, header._replace(end=end, next_line=line))
    else:
        opening = _opening(data, delimiter)
        found = records(data, delimiter, opening.start, opening.line)
    for record in found:
        if record.open_line is not None:
            raise source.error(
                "a double quote is opened and never closed",
                'Close it, or, if the field is to begin with a quote, write it as """ and end the field with ".',
                record.open_line,
            )
        if header and len(record.fields) != len(header.names):
            expected = f"{len(header.names)} column{'s' if len(header.names) > 1 else ''}"
            kind = f"a {DELIMITERS[delimiter]}" if delimiter in DELIMITERS else repr(delimiter)
            hint = f"Put fields that contain {kind} or a line break between double quotes."
            if len(header.names) == 1:  # such as a title that some programs write above a table
                hint += (
                    " If the names of the columns are in a line below the first one, name it with `header_row=`, or"
                    f" remove what is above them.{_LINES}"
                )
            raise source.error(
                f"expected {expected} as in the header, got {len(record.fields)}", hint, record.line
            )
    raise source.error("the table cannot be parsed", "Check whether another program is writing to the file.")
