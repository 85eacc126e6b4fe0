"""Where bytes come from: a file, a pipe or standard input, compressed or not."""

from __future__ import annotations

import copy
import io
import os
import re
import sys
import zlib
from typing import Any

from lindy.data.chunks.paths import check_end, is_regular, unreadable
from lindy.data.formats.encodings import UTF16_BOMS, is_utf8
from lindy.errors import DataError, NoRowsError
from lindy.files.output_guard import note_input

_MOST_RATIO = 1000  # of the unpacked to the stored size
_HARMLESS = 1 << 26  # bytes that may come of the smallest file
BLOCK = 2**20  # bytes read at a time
LONGEST_ROW = 1 << 27
"""Bytes that a row may have unless more are allowed; War and Peace has 3 MB."""
UTF8_BOM = b"\xef\xbb\xbf"

_MAGIC = {"gzip": b"\x1f\x8b", "zstd": b"\x28\xb5\x2f\xfd"}  # neither can begin a text in UTF-8
_SUFFIX = {".gz": "gzip", ".zst": "zstd"}
_LINE_END = re.compile(rb"\r\n?|\n")
_BINARY = (*_MAGIC.values(), b"PAR1", b"PK\x03\x04")  # what has no lines


class Source:
    """An input that can be opened again, because an error sends its reader over it a second time.

    Compression is recognised by the first bytes, so it also works on standard input.

    Attributes
    ----------
    path : str
        As the user wrote it; ``-`` is standard input.
    suffix : str
        The lower-case extension without ``.gz`` or ``.zst``, such as ``.csv``.
    regular : bool
        Whether it is a file; pipes and standard input are kept in memory instead.
    lines_before : int
        Lines of standard input that were read before these, which are ``kept``.
    longest_row : int
        Bytes that a row may have, see ``too_long``.
    rows_are_lines : bool
        Whether streams refuse a line that is longer; set by who knows the format.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, kept: bytes | None = None, longest_row: int | None = None
    ) -> None:
        self.path = os.fspath(path)
        self.longest_row = LONGEST_ROW if longest_row is None else longest_row
        self.rows_are_lines = False
        self.name = "standard input" if self.path == "-" else self.path
        stem, suffix = os.path.splitext(self.path.lower())
        self._promised = _SUFFIX.get(suffix)
        self.suffix = os.path.splitext(stem)[1] if self._promised else suffix
        self.regular = self.path != "-" and is_regular(self.path)
        if self.regular:
            note_input(self.path)
        self.lines_before = 0
        self.header_given = (
            False  # whether the first line is known to name the columns, whatever it looks like
        )
        self._line_known = (0, 1, b"")  # a position, its line, and the byte before it
        self._text: bytes | None = None  # the contents in UTF-8, where they were stored otherwise
        self._most_unpacked: int | None = None
        self.remarks: tuple[str, ...] = ()
        self.compression: str | None = None
        self._kept = kept if kept is not None else b"" if self.regular else self._keep()
        self.compression = self._packing = self._find_compression()

    @property
    def is_utf16(self) -> bool:
        """Whether it begins with the mark of UTF-16."""
        with self.open() as stream:
            return stream.read(2).startswith(UTF16_BOMS)

    def use_encoding(self, encoding: str | None, *, keep_bad: bool = False) -> None:
        """Give the text in UTF-8 from now on; without an encoding, only what begins with the mark of UTF-16 is not.

        ``remarks`` then say what was guessed and replaced, see ``encodings``. With ``keep_bad``, bytes that the
        encoding does not have stay as they are, and are no UTF-8.
        """
        if is_utf8(encoding) and not self.is_utf16:
            return
        from lindy.data.formats.encodings import to_utf8

        self._text, remarks = to_utf8(self.name, self.read(), encoding, keep_bad=keep_bad)
        self.remarks, self.compression = tuple(remarks), None

    def from_line(self, number: int) -> Source:
        """Return this input from a line on, which is held in memory; errors name the lines of the whole."""
        data, position = self.read(), 0
        for _ in range(number - 1):
            found = _LINE_END.search(data, position)
            if found is None:
                raise self.error(f"there is no line {number}", "Name a line of the file with `header_row=`.")
            position = found.end()
        part = self.holding(data[position:], number - 1)
        part.remarks, part.header_given = self.remarks, True
        return part

    def open(self) -> Stream:
        """Return a new stream over the uncompressed bytes."""
        return Stream(self)

    def raw(self) -> io.RawIOBase | io.BytesIO:
        """Return the stored bytes as a file."""
        if self._text is not None:
            return io.BytesIO(self._text)
        try:
            return open(self.path, "rb", buffering=0) if self.regular else io.BytesIO(self._kept)
        except OSError as error:
            raise unreadable(self.path, error) from error

    def arrow_file(self) -> Any:
        """Return the stored bytes as an Arrow file; of formats without an encoding, and to unpack them."""
        import pyarrow as pa

        try:
            return pa.OSFile(self.path) if self.regular else pa.BufferReader(self._kept)
        except OSError as error:
            raise unreadable(self.path, error) from error

    @property
    def size(self) -> int:
        """How many bytes are stored."""
        if self._text is not None:
            return len(self._text)
        return os.stat(self.path).st_size if self.regular else len(self._kept)

    def read(self) -> bytes:
        """Return all uncompressed bytes; for second passes only."""
        return self.open().read()

    @property
    def most_unpacked(self) -> int:
        """How many bytes it may have when it is unpacked; texts shrink to a tenth or a fifth, not to a thousandth."""
        most = max(_HARMLESS, _MOST_RATIO * self.size)
        return most if self._most_unpacked is None else min(most, self._most_unpacked)

    def unpacks_too_far(self) -> DataError:
        """Return the error for a file that is much larger unpacked than any table would be."""
        if self._most_unpacked is not None:
            most = _megabytes(self._most_unpacked)
            return self.error(
                f"unpacks to more than {most}, which is too much here",
                "Send it unpacked, or fewer rows at a time.",
            )
        return self.error(
            f"unpacks to more than {_MOST_RATIO:,} times its {self.size:,} bytes, which no table does: refused",
            "It may have been made to fill the memory. If it is what you want, unpack it first and give the result.",
        )

    def too_long(self, start: int, cause: str) -> DataError:
        """Return the error for a row that begins at byte ``start`` and is longer than is allowed."""
        return self.error(
            f"the row is longer than {_megabytes(self.longest_row)}",
            f"{cause} If the row is what you want, allow it with `longest_row=`.",
            self.line_at(start),
        )

    def excerpt(self, start: int, end: int) -> Source:
        """Return some of the uncompressed bytes as an input of their own, whose errors name the lines of this one."""
        with self.open() as stream:
            stream.skip(start)
            return self.holding(stream.read(end - start), self.line_at(start) - 1)

    @classmethod
    def arriving(
        cls,
        name: str,
        longest_row: int | None = None,
        *,
        kept: bytes = b"",
        most_unpacked: int | None = None,
    ) -> Source:
        """Return an input that comes piece by piece, of which ``kept`` has been read; ``holding`` has its pieces.

        ``most_unpacked`` is how many bytes may come of it when it is unpacked, where that is less than usual.
        """
        source = cls("-", kept=kept, longest_row=longest_row)
        if name != "-":
            source.path = source.name = name
        source._most_unpacked = most_unpacked
        return source

    def holding(self, text: bytes, lines_before: int) -> Source:
        """Return an input of the same name that has only these bytes, of which so many lines stand before."""
        part = copy.copy(self)
        part._text, part.compression = text, None
        part._line_known = (0, 1, b"")
        part.lines_before = self.lines_before + lines_before
        return part

    def line_at(self, position: int) -> int:
        """Return the number of the line that holds a byte; it reads the input again, from the byte asked for before."""
        known = self._line_known
        start, line, before = known if known[0] <= position else (0, 1, b"")
        left = position - start
        with self.open() as stream:
            stream.skip(start)
            while data := stream.read(min(left, BLOCK)):
                line += line_breaks(data, 0, len(data)) - (before == b"\r" and data[:1] == b"\n")
                before, left = data[-1:], left - len(data)
        self._line_known = position, line, before
        return line

    def error(self, what: str, hint: str | None = None, line: int | None = None) -> DataError:
        """Return the error that says ``what`` is wrong with this input, and where."""
        place = self.name if line is None else f"{self.name}, line {line + self.lines_before}"
        return DataError(f"{place}: {what}", hint)

    def no_rows(self, what: str, hint: str) -> NoRowsError:
        """Return the error for an input without a row, see ``error``."""
        return NoRowsError(f"{self.name}: {what}", hint)

    def check_text(self, start: bytes) -> None:
        """Refuse an input that, by its first bytes, is empty or in UTF-16."""
        if not start:
            raise self.no_rows("the file is empty", "Expected a table with at least one row.")
        if start.startswith(UTF16_BOMS) and not self.lines_before:
            raise self.error("the text is in UTF-16, expected UTF-8", f"Please {self.conversion('UTF-16')}")

    def check_bytes(self, data: bytes) -> None:
        """Refuse ``data``, all bytes of this input, with the line of the first byte that is no text."""
        zero = data.find(b"\0")
        if zero >= 0:
            raise self.error(
                "a NUL byte, expected text in UTF-8",
                "It is a binary file, or in another encoding. If it is UTF-16, name it with `encoding='utf-16-le'`; or"
                f" {self.conversion('UTF-16')}",
                line_at(data, zero),
            )
        try:
            data.decode()
        except UnicodeDecodeError as error:
            guess = _guess_encoding(data)
            raise self.error(
                f"byte 0x{data[error.start]:02x} is not valid UTF-8; the text may be in {guess}",
                f"Name its encoding with `encoding=`, such as {guess}, or let `encoding='auto'` guess it; or"
                f" {self.conversion(guess)}",
                line_at(data, error.start),
            ) from None

    def conversion(self, encoding: str) -> str:
        """Return the hint how to convert this input to UTF-8."""
        import shlex

        convert = f"iconv -f {encoding} -t UTF-8"
        if not self.regular:
            return f"convert it to UTF-8 first, with: {convert}"
        unpack = {"gzip": "gzip -dc", "zstd": "zstd -dc"}.get(self._packing or "")
        stem = os.path.splitext(os.path.splitext(self.path)[0] if self._promised else self.path)[0]
        old, new = shlex.quote(self.path), shlex.quote(f"{stem}-utf8{self.suffix}")
        command = f"{unpack} {old} | {convert} > {new}" if unpack else f"{convert} {old} > {new}"
        return f"convert it to UTF-8 first, with: {command}"

    def _keep(self) -> bytes:
        try:
            if self.path == "-":
                check_end(sys.stdin.buffer, self.name)
                return self._all_of(sys.stdin.buffer)
            with open(self.path, "rb") as file:
                check_end(file, self.name)
                return self._all_of(file)
        except OSError as error:
            raise unreadable(self.name, error) from error

    def _all_of(self, file: Any) -> bytes:
        """Return everything that comes, unless it is text of which no line ends: that may go on for ever."""
        start = file.read(BLOCK)
        kept, run = io.BytesIO(), 0
        data = start
        while data:
            kept.write(data)
            run = run + len(data) if b"\n" not in data else len(data) - data.rfind(b"\n") - 1
            if run > self.longest_row and not start.startswith(_BINARY):
                self._kept = kept.getvalue()
                raise self.too_long(len(self._kept) - run, "No line ends there.")
            data = file.read(BLOCK)
        return kept.getvalue()

    def _find_compression(self) -> str | None:
        with self.open() as stream:
            start = stream.read(4)
        found = next((kind for kind, magic in _MAGIC.items() if start.startswith(magic)), None)
        if start and self._promised and found != self._promised:
            actual = f"{found} data" if found else "not compressed"
            raise self.error(
                f"the name indicates {self._promised} compression, but the file is {actual}",
                "Give the file a name that matches its contents.",
            )
        return found


class Stream(io.RawIOBase):
    """The uncompressed bytes of a source, one after the other; also a file object for Arrow."""

    def __init__(self, source: Source) -> None:
        self._source = source
        self._file: Any = _uncompressed(source) if source.compression else source.raw()
        self._most = source.most_unpacked if source.compression else None
        self._longest = source.longest_row if source.rows_are_lines else None
        self._given = self._line = 0  # bytes, and where the last line begins

    def read(self, size: int = -1) -> bytes:
        """Return the next ``size`` bytes, all if −1; fewer, or none, at the end."""
        bounded = self._most is not None or (self._longest is not None and self._source.size > self._longest)
        if bounded and size < 0:  # piece by piece, so that too much is never in memory
            everything = io.BytesIO()
            while piece := self.read(BLOCK):
                everything.write(piece)
            return everything.getvalue()
        try:
            data: bytes = self._file.read(size)
        except (OSError, EOFError, zlib.error) as error:
            kind = self._source.compression
            if kind is None and isinstance(error, OSError):
                raise unreadable(self._source.name, error) from error
            is_cut = isinstance(error, EOFError) or "Truncated" in str(error)
            state = "truncated" if is_cut else "damaged"
            raise self._source.error(
                f"the {kind} data is {state} ({error})", "Copy or download the file again."
            ) from error
        if self._longest is not None:
            self._check_lines(data, self._longest)
        self._given += len(data)
        if self._most is not None and self._given > self._most:
            raise self._source.unpacks_too_far()
        return data

    def _check_lines(self, data: bytes, longest: int) -> None:
        """Refuse a line that goes on for too long; ``data`` are the next bytes."""
        begin = self._line - self._given
        while (end := data.rfind(b"\n", max(begin, 0), begin + longest + 1)) >= 0:
            begin = end + 1
        self._line = self._given + begin
        if len(data) - begin > longest:
            raise self._source.too_long(self._line, "A file of another kind may have such lines.")

    def skip(self, size: int) -> None:
        """Go on behind so many bytes: at once, where they need not be unpacked; a line begins there, or is cut."""
        if self._most is None:
            self._file.seek(size, io.SEEK_CUR)
            self._given += size
            self._line = self._given
            return
        while data := self.read(min(size, BLOCK)):
            size -= len(data)

    def readinto(self, buffer: Any) -> int:
        """Fill ``buffer`` from its start and return how many bytes were there."""
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readable(self) -> bool:
        """Whether it can be read: it can."""
        return True

    def close(self) -> None:
        """Close the file."""
        self._file.close()
        super().close()


def _megabytes(size: int) -> str:
    return f"{size >> 20:,} MB" if size % (1 << 20) == 0 else f"{size:,} bytes"


def _uncompressed(source: Source) -> Any:
    if source.compression == "gzip":
        from lindy.data.chunks.gunzip import Gunzip

        return Gunzip(source.raw())
    import pyarrow as pa

    return pa.CompressedInputStream(source.arrow_file(), source.compression)


def line_at(data: bytes, position: int) -> int:
    """Return the 1-based number of the line that holds ``data[position]``."""
    return 1 + line_breaks(data, 0, position)


def line_breaks(data: bytes, start: int, end: int) -> int:
    r"""Return how many of ``\n``, ``\r\n`` and ``\r`` are in ``data[start:end]``."""
    breaks = data.count(b"\n", start, end)
    returns = data.count(b"\r", start, end)
    return breaks + returns - data.count(b"\r\n", start, end) if returns else breaks


def _guess_encoding(data: bytes) -> str:
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "ISO-8859-1"
    return "WINDOWS-1252"
