r"""CSV and TSV (RFC 4180): fields in double quotes may hold delimiters, line breaks and ``""`` for a quote.

Arrow parses; this module finds the header, hands Arrow the rest, and, only if something was wrong, goes over the
bytes again to say on which line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import islice
from typing import Any, NoReturn

import pyarrow as pa
import pyarrow.csv

from lindy.data.source import BLOCK, UTF8_BOM, Source, Stream, lend, line_breaks
from lindy.data.table import Table

_LARGEST_BLOCK = (1 << 31) - 1  # Arrow counts the bytes of a block in 32 bits
_END = b"\x03"  # the fields of the row put after the last one, see _Body
_ADD_HEADER = 'Add a first line with the names of the columns, such as "text,label".'


def read_delimited(source: Source, delimiter: str | None, threads: int | None = None) -> Table:
    """Read a table with a header line; with ``delimiter`` None, the header tells it."""
    header = _read_header(source, delimiter)
    table = _read_rows(source, header, threads)
    if table.num_rows == 0:
        raise source.error("there is a header but no row", "Expected at least one row below the header.")

    def locate(row: int) -> int | None:
        record = next(islice(_rows(source.read(), header), row, None), None)
        return record.line if record else None

    return Table(source.path, table.column_names, table.num_rows, table.column, locate)


@dataclass(frozen=True, slots=True)
class _Header:
    names: list[str]  # a column without a name cannot be asked for and is not kept
    delimiter: str
    end: int  # where the rows begin: byte and line
    next_line: int


@dataclass(frozen=True, slots=True)
class _Record:
    line: int
    fields: list[bytes]
    blank: bool
    end: int
    next_line: int
    open_line: int | None  # where a quote was opened that is never closed


def _records(data: bytes, delimiter: str, start: int, line: int) -> Iterator[_Record]:
    """Split ``data`` as Arrow does: a quote opens only at the start of a field, what follows its end is kept."""
    d = re.escape(delimiter.encode())
    field = re.compile(rb'(?:"([^"]*+(?:""[^"]*+)*+)("|\Z))?+([^' + d + rb"\r\n]*+)(" + d + rb"|\r\n?|\n|\Z)")
    fields: list[bytes] = []
    begin, begin_line, position, open_line = start, line, start, None
    while position < len(data) or fields:
        found = field.match(data, position)
        assert found is not None  # every part of the pattern may be empty
        quoted, closing, rest, stop = found.groups()
        fields.append(rest if quoted is None else quoted.replace(b'""', b'"') + rest)
        if quoted is not None and not closing:
            open_line = line + line_breaks(data, begin, found.start())
        position = found.end()
        if stop != delimiter.encode():
            line += line_breaks(data, begin, position)
            blank = fields == [b""] and quoted is None
            yield _Record(begin_line, fields, blank, position, line, open_line)
            fields, begin, begin_line = [], position, line


def _rows(data: bytes, header: _Header) -> Iterator[_Record]:
    """Yield the rows below the header; a blank line is one only if there is a single column."""
    for record in _records(data, header.delimiter, header.end, header.next_line):
        if not record.blank or len(header.names) == 1:
            yield record


def _read_header(source: Source, delimiter: str | None) -> _Header:
    """Parse the first line that is not blank."""
    stream = source.open()
    data = stream.read(BLOCK)
    source.check_text(data)
    start = _start(data)
    chosen = delimiter or _guess_delimiter(data, start)
    while (record := _first_record(data, chosen, start)) is None or record.end == len(data):
        more = stream.read(len(data))
        if not more:
            break
        data += more
    stream.close()
    if record is None:
        raise source.error("the file is empty", "Expected a header line and at least one row.")
    if record.open_line is not None or b"\0" in data[: record.end]:
        _refuse(source, None, chosen, "the header cannot be read")
    try:
        names = [field.decode() for field in record.fields]
    except UnicodeDecodeError:
        _refuse(source, None, chosen, "the header cannot be read")
    if not any(name.strip() for name in names):
        raise source.error("the header has no column names", _ADD_HEADER, record.line)
    twice = next((name for i, name in enumerate(names) if name and name in names[:i]), None)
    if twice is not None:
        raise source.error(
            f"the header has the column {twice!r} twice",
            f"Give every column its own name. If the first line is data: {_ADD_HEADER}",
            record.line,
        )
    return _Header(names, chosen, record.end, record.next_line)


def _start(data: bytes) -> int:
    return len(UTF8_BOM) if data.startswith(UTF8_BOM) else 0


def _first_record(data: bytes, delimiter: str, start: int) -> _Record | None:
    return next((r for r in _records(data, delimiter, start, 1) if not r.blank), None)


def _guess_delimiter(data: bytes, start: int) -> str:
    """Comma; if the header has none, semicolon or tab (spreadsheets write these under the name CSV, too)."""
    for delimiter in ",;\t":
        record = _first_record(data, delimiter, start)
        if record is not None and len(record.fields) > 1:
            return delimiter
    return ","


class _Body(Stream):
    """The rows of the file for Arrow, with a byte order mark before and one more row after them.

    Arrow drops a byte order mark, which must not be one that a row begins with. And Arrow takes the end of the file
    for the end of a quote; an open quote swallows the additional row, and that it is missing from the result tells.
    """

    def __init__(self, source: Source, header: _Header) -> None:
        super().__init__(source)
        left = header.end
        while left and (data := super().read(min(left, BLOCK))):
            left -= len(data)
        self._before = UTF8_BOM
        self._after = header.delimiter.encode().join([_END] * len(header.names)) + b"\n"
        self._last = b"\n"
        self.has_zero = False

    def read(self, size: int = BLOCK) -> bytes:
        r"""Return a block that does not end in ``\r``, after which Arrow drops a ``\n`` even between quotes."""
        parts, self._before = [self._before] * bool(self._before), b""
        left = size - sum(map(len, parts))
        while left and (data := super().read(left)):
            parts.append(data)
            left -= len(data)
            self._last = data[-1:]
            self.has_zero = self.has_zero or b"\0" in data
        if left and self._last not in b"\r\n":
            self._after, self._last = b"\n" + self._after, b"\n"
        if left and self._after:
            parts.append(self._after[:left])
            self._after = self._after[left:]
        block = b"".join(parts)
        if block.endswith(b"\r") and len(block) > 1:
            self._before = b"\r"
            return block[:-1]
        return block


def _parse(read: Any, parse: Any, convert: Any, file: Any) -> Any:
    return pa.csv.read_csv(file, read, parse, convert)


def _read_rows(source: Source, header: _Header, threads: int | None) -> Any:
    """Parse the rows into a ``pyarrow.Table`` of strings; the block grows to hold the longest row."""
    wanted = [str(i) for i, name in enumerate(header.names) if name]
    parse = pa.csv.ParseOptions(
        delimiter=header.delimiter, newlines_in_values=True, ignore_empty_lines=len(header.names) > 1
    )
    convert = pa.csv.ConvertOptions(
        column_types=dict.fromkeys(wanted, pa.string()), include_columns=wanted, strings_can_be_null=False
    )
    block = BLOCK
    while True:
        body = _Body(source, header)
        read = pa.csv.ReadOptions(
            block_size=block,
            use_threads=threads != 1,
            column_names=[str(i) for i in range(len(header.names))],
        )
        try:
            table = lend(body, partial(_parse, read, parse, convert))
        except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
            if "straddl" in str(error) and block < _LARGEST_BLOCK:
                block = min(8 * block, _LARGEST_BLOCK)
                continue
            _refuse(source, header, header.delimiter, str(error))
        end = table.slice(table.num_rows - 1).to_pylist()[0] if table.num_rows else {}
        if body.has_zero or set(end.values()) != {_END.decode()}:
            _refuse(source, header, header.delimiter, "the end of the file cannot be read")
        return table.slice(0, table.num_rows - 1).rename_columns([n for n in header.names if n])


def _refuse(source: Source, header: _Header | None, delimiter: str, reason: str) -> NoReturn:
    """Go over the bytes again and raise the error that names the first wrong line."""
    data = source.read()
    source.check_bytes(data)
    for record in _rows(data, header) if header else _records(data, delimiter, _start(data), 1):
        if record.open_line is not None:
            raise source.error(
                "a double quote is opened and never closed",
                'Close it, or, if the field is to begin with a quote, write it as """ and end the field with ".',
                record.open_line,
            )
        if header and len(record.fields) != len(header.names):
            expected = f"{len(header.names)} column{'s' if len(header.names) > 1 else ''}"
            kind = {",": "comma", ";": "semicolon", "\t": "tab"}[header.delimiter]
            raise source.error(
                f"expected {expected} as in the header, got {len(record.fields)}",
                f"Put fields that contain a {kind} or a line break between double quotes.",
                record.line,
            )
    raise source.error(f"the table cannot be parsed: {reason}", "Check the quotes and the delimiters.")
