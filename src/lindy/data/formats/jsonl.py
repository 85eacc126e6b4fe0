"""JSON Lines: one object per line; the columns are the keys of the first object.

Strings are taken as they are, numbers and booleans as their JSON text. Arrow parses columns of strings, integers or
booleans. A column it cannot hold losslessly (fractions, values of several kinds) is taken by Python's parser when it
is asked for, and so is the search for the line of an error.
"""

from __future__ import annotations

import functools
import io
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO

import pyarrow as pa
import pyarrow.json

from lindy.data.chunks.row_chunker import line_chunks
from lindy.data.chunks.source import BLOCK, UTF8_BOM, Source, Stream
from lindy.data.columns.table import LineFinder, Table
from lindy.data.formats.arrow_stream import lend
from lindy.data.formats.registry import Reading
from lindy.data.write.table_writer import Piece, names_of, plain_rows
from lindy.errors import DataError

_LARGEST_BLOCK = 0x7FFF_FFFF
_ARROW_TYPES = {str: pa.string(), type(None): pa.string(), int: pa.int64(), bool: pa.bool_()}
_BATCH = 4096  # rows that are Python objects at a time
_ONE_OBJECT = 'Expected one object per line, such as {"text": "A fine book.", "label": "positive"}.'


def read(source: Source, reading: Reading) -> Iterator[Table]:
    """Read JSON Lines."""
    return line_chunks(source, reading, read_jsonl)


def read_jsonl(source: Source, threads: int | None = None) -> Table:
    """Read a table of one JSON object per line; blank lines are skipped."""
    source.check_text(source.open().read(2))
    first = next(_objects(source), None)
    if first is None:
        raise source.no_rows("there is no row", _ONE_OBJECT)
    if not first[1]:
        raise source.error("the first object, whose keys are the columns, is empty", _ONE_OBJECT, first[0])
    names = [name for name, _ in first[1]]
    schema = pa.schema(
        [(name, _ARROW_TYPES[type(value)]) for name, value in first[1] if type(value) in _ARROW_TYPES]
    )
    fast = _read_by_arrow(source, schema, threads)
    num_rows = fast.num_rows if fast is not None else _length(_objects(source))

    @functools.cache
    def fetch(name: str) -> Any:
        if fast is not None and name in fast.column_names:
            return fast.column(name).cast(pa.string())
        return _column(source, name)

    locate = LineFinder(lambda: (line for line, *_ in _lines(source)))
    return Table(source.path, list(dict.fromkeys(names)), num_rows, fetch, locate)


@contextmanager
def write(file: BinaryIO, _kind: str, _name: str) -> Iterator[Callable[[Piece], None]]:
    """Yield the function that writes pieces as one object per line."""

    def add(piece: Piece) -> None:
        names = names_of(piece)
        rows = (dict(zip(names, row, strict=True)) for row in plain_rows(piece))
        while lines := [json.dumps(row, ensure_ascii=False) + "\n" for row in islice(rows, _BATCH)]:
            file.write("".join(lines).encode())

    yield add


class _Fraction(str):
    """The text of a number that is not an integer."""

    __slots__ = ()


class _Constant(str):
    """NaN or Infinity, which are not JSON but written by some; an error only in a column that is asked for."""

    __slots__ = ()


class _Counted(Stream):
    """A stream that counts the lines that were read."""

    def __init__(self, source: Source) -> None:
        super().__init__(source)
        self._last = b"\n"
        self._breaks = 0

    @property
    def lines(self) -> int:
        return self._breaks + (self._last != b"\n")

    def read(self, size: int = -1) -> bytes:
        data = super().read(size)
        if data:
            self._breaks += data.count(b"\n")
            self._last = data[-1:]
        return data


def _parse(read: Any, options: Any, file: Any) -> Any:
    return pa.json.read_json(file, read, options)


def _read_by_arrow(source: Source, schema: Any, threads: int | None) -> Any | None:
    """Return the columns of ``schema`` as a ``pyarrow.Table``, or None if the file needs a closer look."""
    if not schema.names:
        return None
    options = pa.json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    block = BLOCK
    while True:
        stream = _Counted(source)
        read = pa.json.ReadOptions(block_size=block, use_threads=threads != 1)
        try:
            table = lend(stream, functools.partial(_parse, read, options))
            table.validate(full=True)  # Arrow's parser lets wrong UTF-8 pass
        except (pa.ArrowInvalid, pa.ArrowCapacityError) as error:
            if "straddl" in str(error) and block < _LARGEST_BLOCK:
                block = min(8 * block, _LARGEST_BLOCK)
                continue
            return None
        lines = stream.lines
        if lines != table.num_rows:
            lines = _length(_lines(source))  # without the blank ones
        return table if lines == table.num_rows else None


def _length(rows: Iterator[Any]) -> int:
    return sum(1 for _ in rows)


def _lines(source: Source) -> Iterator[tuple[int, bytes]]:
    """Yield number and bytes of each line that is not blank."""
    with io.BufferedReader(source.open(), BLOCK) as file:
        for line, text in enumerate(file, start=1):
            stripped = (text.removeprefix(UTF8_BOM) if line == 1 else text).strip(b" \t\r\n")
            if stripped:
                yield line, stripped


def _objects(source: Source) -> Iterator[tuple[int, list[tuple[str, Any]]]]:
    """Yield line and (key, value) pairs of each object; integers keep their digits, fractions their text."""
    decoder = json.JSONDecoder(
        object_pairs_hook=_Pairs, parse_float=_Fraction, parse_int=_integer, parse_constant=_Constant
    )
    for line, text in _lines(source):
        try:
            value = decoder.decode(text.decode())
        except json.JSONDecodeError as error:
            raise _syntax_error(source, line, text, error) from None
        except UnicodeDecodeError:
            source.check_bytes(source.read())
            raise
        except RecursionError:
            raise source.error("the object is nested too deeply", _ONE_OBJECT, line) from None
        if not isinstance(value, _Pairs):
            raise source.error(f"expected an object, got {_kind(value)}", _hint(text), line)
        yield line, value


class _Pairs(list[tuple[str, Any]]):
    """The pairs of an object; a list, so that a key that occurs twice is seen."""


def _integer(text: str) -> int | _Fraction:
    """Return an integer, or its text if it is longer than 64 bits (Python refuses to convert thousands of digits)."""
    return int(text) if len(text) < 19 else _Fraction(text)


def _syntax_error(source: Source, line: int, text: bytes, error: json.JSONDecodeError) -> DataError:
    if b"\0" in text:
        source.check_bytes(source.read())
    if error.msg == "Extra data":
        return source.error("there is more than one value on the line", _ONE_OBJECT, line)
    return source.error(f"not valid JSON: {error.msg} (character {error.pos + 1})", _hint(text), line)


def _hint(text: bytes) -> str:
    """Return what was expected of a line that is ``text``."""
    array = " A JSON array becomes JSON Lines by: jq -c '.[]'." if text.startswith(b"[") else ""
    return _ONE_OBJECT + array


def _kind(value: Any) -> str:
    if isinstance(value, _Fraction) or (isinstance(value, int) and not isinstance(value, bool)):
        return "a number"
    if value is None or isinstance(value, _Constant):
        return str(value or "null")
    names = {_Pairs: "an object", list: "an array", str: "a string", bool: "a boolean"}
    return names[type(value)]


def _column(source: Source, name: str) -> Any:
    """Return one column by Python's parser, a batch of rows at a time: of strings, or of lists of them."""
    rows = _objects(source)
    chunks: list[Any] = []
    kind: Any = None  # as in the first row that is not null
    while batch := list(islice(rows, _BATCH)):
        values = [_value(line, name, pairs, source) for line, pairs in batch]
        if kind is None and (own := next((value for value in values if value is not None), None)) is not None:
            kind = pa.list_(pa.large_string()) if type(own) is list else pa.string()
            chunks = [pa.nulls(len(chunk), kind) for chunk in chunks]
        if kind is None:
            chunks.append(pa.nulls(len(values)))
            continue
        of_lists = pa.types.is_list(kind)
        texts = [
            _list(source, line, name, value) if of_lists else _text(source, line, name, value)
            for (line, _), value in zip(batch, values, strict=True)
        ]
        chunks.append(pa.array(texts, kind))
    return pa.chunked_array(chunks) if kind is not None else pa.chunked_array(chunks).cast(pa.string())


def _value(line: int, name: str, pairs: list[tuple[str, Any]], source: Source) -> Any:
    """Return the value of ``name``; None if there is none."""
    value, *more = [value for key, value in pairs if key == name] or [None]
    if more:
        raise source.error(f"the key {name!r} occurs twice", "Each key may occur once in an object.", line)
    return value


def _list(source: Source, line: int, name: str, value: Any) -> list[str] | None:
    """Return the texts of an array, without those that are null."""
    if value is not None and type(value) is not list:
        raise source.error(
            f"{name!r} is {_kind(value)}, and an array in rows above",
            'Write an array in every row, such as ["a"], or [] for none.',
            line,
        )
    texts = [_text(source, line, name, own) for own in value or ()]
    return None if value is None else [text for text in texts if text is not None]


def _text(source: Source, line: int, name: str, value: Any) -> str | None:
    """Return a value as text: a string itself, a number or boolean as JSON; None if there is none."""
    if value is None:
        return None
    if isinstance(value, list):
        raise source.error(
            f"{name!r} is {_kind(value)}, expected a string",
            "Choose another column with `text=` or `label=`.",
            line,
        )
    if isinstance(value, _Constant):
        raise source.error(f"{name!r} is {value}, which is not JSON", "Write null or a string.", line)
    if isinstance(value, bool):
        return "true" if value else "false"
    text = str(value)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise source.error(
            f"{name!r} contains half of a surrogate pair, which is not a character",
            r"Characters beyond U+FFFF need two escapes in JSON, such as \ud83d\ude00.",
            line,
        ) from None
    return text
