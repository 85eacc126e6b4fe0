"""Inputs that come piece by piece, such as standard input or what a client sends: their format, text and rows."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

from lindy.data.chunks.paths import check_end
from lindy.data.chunks.row_chunker import DELIMITED, LINES, cut_tables
from lindy.data.chunks.source import BLOCK, Source
from lindy.data.columns.table import Table
from lindy.data.formats.csv_header import first_rows
from lindy.data.formats.detect import choose_encoding, find_format, sniffed
from lindy.data.formats.encodings import AUTO, AutoDecoder, is_utf8
from lindy.data.formats.registry import BINARY, REGISTRY, Reading
from lindy.files.system import has_input

_MOST = 2**22  # bytes that are one table, if they are there at once
_BULK = (
    2**14
)  # bytes that no one writes line by line: a file comes through a pipe, and more is about to follow
_PATIENCE = 0.005  # seconds


class Arriving:
    """An input that comes piece by piece, such as standard input or what a client sends.

    Text of which rows can be told before the end is read as it comes, unless ``cut`` is False. What cannot be cut
    (workbooks, Parquet, packed files, text of a named encoding) is kept in memory as a whole.

    Parameters
    ----------
    name : str
        How errors call it; ``-`` is standard input.
    more : function that returns the next bytes, b"" at the end
    kind, encoding, longest_row :
        As for `lindy.data.read_table`; "auto" guesses the encoding as the text comes (``encodings.AutoDecoder``).
    rest : function that returns all bytes that are left, for what is kept as a whole
    most_unpacked : int, optional
        How many bytes may come of a packed file, where that is less than usual.
    keep_bad : bool
        Whether bytes that the encoding does not have are left to who reads the rows.

    Attributes
    ----------
    kind : str
        The format.
    start : bytes
        Its first bytes, unpacked; text is in UTF-8.
    is_cut : bool
        Whether rows are read as they come.
    source : Source
        What is read, all of it unless it is cut.
    heard : function or None
        Gets the text of an input that is cut, before it is read.
    """

    def __init__(
        self,
        name: str,
        more: Callable[[], bytes],
        kind: str | None = None,
        *,
        encoding: str | None = None,
        longest_row: int | None = None,
        rest: Callable[[], bytes] | None = None,
        most_unpacked: int | None = None,
        cut: bool = True,
        keep_bad: bool = False,
    ) -> None:
        self.start = more()
        self.heard: Callable[[bytes], None] | None = None
        self._name, self._more, self._encoding, self._longest_row = name, more, encoding, longest_row
        self._rest = rest or (lambda: b"".join(iter(more, b"")))
        self._most_unpacked, self._keep_bad = most_unpacked, keep_bad
        self._remarks: tuple[str, ...] = ()
        self.source = Source.arriving(name, longest_row, kept=self.start, most_unpacked=most_unpacked)
        self._decoder: AutoDecoder | None = None
        self._kind = kind
        is_text = self.source.compression is None and (kind or sniffed(self.source)) not in BINARY
        if is_text and encoding == AUTO:
            self._decoder = AutoDecoder(self.source.name, self.start, more)
            self.start = self._decoder()
            self.source = Source.arriving(name, longest_row, kept=self.start)
        plain = is_text and (self._decoder is not None or (is_utf8(encoding) and not self.source.is_utf16))
        found = kind or (find_format(self.source) if plain else None)
        self.is_cut = cut and plain and found in (*LINES, *DELIMITED)
        if not self.is_cut:
            self._keep()
            found = kind or find_format(self.source)
        assert found is not None
        self.kind: str = found

    def _keep(self) -> None:
        """Keep all of it."""
        data = self.start + (b"".join(iter(self._decoder, b"")) if self._decoder else self._rest())
        self.source = Source.arriving(
            self._name, self._longest_row, kept=data, most_unpacked=self._most_unpacked
        )
        if self._decoder is not None:
            return
        known = self._kind or sniffed(self.source)
        has_none = known in BINARY and self._encoding == AUTO
        choose_encoding(self.source, known, None if has_none else self._encoding, keep_bad=self._keep_bad)
        self._remarks = self.source.remarks
        with self.source.open() as stream:
            self.start = stream.read(BLOCK)

    def first_rows(self, most: int) -> list[list[str]]:
        """Return the fields of the first rows, the header among them; of delimited text that is cut."""
        return first_rows(self.start, self._delimiter, most)[2]

    @property
    def _delimiter(self) -> str | None:
        return "\t" if self.kind == "tsv" else None

    def add_header(self) -> list[str]:
        """Put names of columns above the first line, which is data, and return them; of delimited text that is cut."""
        begin, delimiter, (first, *_) = first_rows(self.start, self._delimiter, 1, below_titles=False)
        names = [f"column_{k + 1}" for k in range(len(first))]
        self.start = self.start[:begin] + delimiter.join(names).encode() + b"\n" + self.start[begin:]
        self.source.lines_before -= 1  # which the header is not
        return names

    @property
    def remarks(self) -> tuple[str, ...]:
        """Remarks on what was guessed and replaced so far, see ``encodings``."""
        return tuple(self._decoder.remarks) if self._decoder is not None else self._remarks

    def text(self) -> Iterator[bytes]:
        """Yield the text in UTF-8 as it comes; of an input that is cut."""
        for data in chain([self.start], iter(self._decoder or self._more, b"")):
            if self.heard is not None:
                self.heard(data)
            yield data

    def chunks(self, reading: Reading) -> Iterator[Table]:
        """Yield its rows as tables with the same columns, as soon as they are there."""
        said = 0
        if self.is_cut:
            pieces = self.text()
            tables = cut_tables(
                self.source, self.kind, lambda: next(pieces, b""), reading.threads, reading.bad
            )
        else:
            tables = REGISTRY[self.kind].chunks(self.source, reading)
        for table in tables:
            yield replace(table, remarks=(*table.remarks, *self.remarks[said:]))
            said = len(self.remarks)


def stdin_chunks(kind: str | None, reading: Reading) -> Iterator[Table]:
    """Yield the complete rows of standard input as soon as they are there."""
    check_end(sys.stdin.buffer, "standard input")
    arriving = Arriving(
        "-",
        _arrived,
        kind,
        encoding=reading.encoding,
        longest_row=reading.longest_row,
        rest=sys.stdin.buffer.read,
        cut=reading.is_plain,
        keep_bad=reading.bad is not None,
    )
    yield from arriving.chunks(reading)


def _arrived() -> bytes:
    """Return what has arrived on standard input, waiting for at least a byte; b"" at its end."""
    stream: Any = sys.stdin.buffer
    try:
        number = stream.fileno()
    except OSError:  # it is in memory
        everything: bytes = stream.read()
        return everything
    parts: list[bytes] = [stream.read1(_MOST)]
    size = len(parts[0])
    patience = _PATIENCE if size >= _BULK else 0
    while parts[-1] and size < _MOST and has_input(number, patience):
        parts.append(stream.read1(_MOST - size))
        size += len(parts[-1])
    return b"".join(parts)
