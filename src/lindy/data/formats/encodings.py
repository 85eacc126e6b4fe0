"""Texts that are not in UTF-8: found by their byte order mark, named by the user, or guessed when asked for.

no encoding named   UTF-16 by its mark, otherwise the bytes are taken for UTF-8, which the readers check
a name              that encoding; a byte that it does not have is an error with its line
several names       with commas between them: the first of them that has all bytes; the last one is as if alone
"auto"              UTF-8 if it is; UTF-16 by its mark or by its zeros; UTF-8 in which what is wrong is replaced, where
most that is not ASCII is right; otherwise cp1252, or latin-1 where cp1252 has no such character

Of text that comes piece by piece, the first bytes that are not ASCII, and 64 kB with them, tell the encoding of all.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from lindy.errors import DataError, did_you_mean

AUTO = "auto"
UTF16_BOMS = (b"\xff\xfe", b"\xfe\xff")
_COMMON = (
    "utf-8",
    "utf-16",
    "cp1252",
    "latin-1",
    "cp1250",
    "cp1251",
    "cp437",
    "mac-roman",
    "shift_jis",
    "gb18030",
)
_LOOKED_AT = 1 << 16  # bytes that tell UTF-16 without a mark
_FIRST = 4  # bytes of a text in UTF-16 among which one is 0 or not ASCII
_REPLACEMENT = "\ufffd"
_REPLACED = "characters that are not in"


def is_utf8(encoding: str | None) -> bool:
    """Whether an encoding is that of all readers: UTF-8, with or without a mark."""
    return encoding is None or encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")


def to_utf8(
    name: str, data: bytes, encoding: str | None, *, keep_bad: bool = False
) -> tuple[bytes, list[str]]:
    """Return text as UTF-8 without a mark, and remarks on what was guessed and replaced; ``name`` is the file's.

    With ``keep_bad``, bytes that a named encoding does not have stay as they are: no UTF-8, which readers of rows find.
    """
    *others, last = (encoding or "utf-16").split(",")
    for other in others:
        with suppress(UnicodeError):
            text = _text_of(data, _known(name, other.strip()))
            if "\0" not in text:
                return text.encode(), []
    if (last := last.strip()) != AUTO:
        known = _known(name, last)
        remarks = [f"{name}: read as {known}"] if others else []
        kept = _with_bad(data, known) if keep_bad else None
        return _decoded(name, data, known) if kept is None else kept, remarks
    found = guessed(data)
    remarks = [f"{name}: read as {found}"] if found != "utf-8" else []
    try:
        text = data.decode(found)
    except UnicodeDecodeError as error:
        text, replaced = data.decode(found, "replace"), _replaced(data, found)
        what = f"{replaced:,} character{'s' * (replaced > 1)} that it does not have became U+FFFD"
        remarks = [f"{name}: read as {found}; {what}, the first in line {_line(data, found, error.start)}"]
    return text.removeprefix("\ufeff").encode(), remarks


class AutoDecoder:
    """Gives text that comes piece by piece in UTF-8, having guessed its encoding.

    ``more`` returns the next bytes, b"" at the end, and so does a call of this. ``remarks`` say what was guessed, and
    where characters were replaced.
    """

    def __init__(self, name: str, start: bytes, more: Callable[[], bytes]) -> None:
        self._name, self._more = name, more
        while len(start) < _FIRST and (following := more()):
            start += following
        self._start = start
        self._decoder: Any = None
        self._encoding = "utf-8"
        self._lines = 1
        self._ended = False
        self.remarks: list[str] = []

    def __call__(self) -> bytes:
        """Return the next text; it may end within a line, never within a character."""
        while not self._ended:
            data, self._start = self._start or self._more(), b""
            self._ended = not data
            if self._decoder is None and data and (not data.isascii() or b"\0" in data):
                data = self._begin(data)
            if self._decoder is not None:
                data = self._decoded(data)
            self._lines += data.count(b"\n")
            if data:
                return data
        return b""

    def _begin(self, data: bytes) -> bytes:
        """Guess, and return all that was read for it."""
        following = data
        while len(data) < _LOOKED_AT and (following := self._more()):
            data += following
        # a character may be cut at the end of what was read so far
        whole = data if not following else data[: data.rfind(b"\n") + 1] or data[:-4]
        self._encoding = guessed(whole)
        self._decoder = codecs.getincrementaldecoder(self._encoding)("replace")
        if self._encoding != "utf-8":
            self.remarks.append(f"{self._name}: read as {self._encoding}")
        return data

    def _decoded(self, data: bytes) -> bytes:
        text = self._decoder.decode(data, final=self._ended)
        own = data.count(_REPLACEMENT.encode()) if self._encoding == "utf-8" else 0
        if text.count(_REPLACEMENT) > own and not any(_REPLACED in remark for remark in self.remarks):
            line = self._lines + text[: text.find(_REPLACEMENT)].count("\n")
            self.remarks.append(
                f"{self._name}: {_REPLACED} {self._encoding} became U+FFFD, the first in line {line}"
            )
        encoded: bytes = text.encode("utf-8", "surrogatepass")
        return encoded


def guessed(data: bytes) -> str:
    """Return the likely encoding of a text."""
    if data.startswith(UTF16_BOMS):
        return "utf-16"
    start = data[:_LOOKED_AT]
    if (zeros := start.count(0)) > len(start) // 5:
        return "utf-16-le" if start[1::2].count(0) * 2 > zeros else "utf-16-be"
    try:
        data.decode()
        return "utf-8"
    except UnicodeDecodeError:
        pass
    right = len(re.findall("[^\x00-\x7f]", data.decode("utf-8", "ignore")))
    if right > _replaced(data, "utf-8"):
        return "utf-8"
    try:
        data.decode("cp1252")
    except UnicodeDecodeError:
        return "latin-1"
    return "cp1252"


def _replaced(data: bytes, encoding: str) -> int:
    """Return how many characters U+FFFD stands for, beside those that are in the text."""
    return data.decode(encoding, "replace").count(_REPLACEMENT) - data.decode(encoding, "ignore").count(
        _REPLACEMENT
    )


def _line(data: bytes, encoding: str, place: int) -> int:
    """Return the line of the first byte that cannot be decoded."""
    return data[:place].decode(encoding, "replace").count("\n") + 1


def _known(name: str, encoding: str) -> str:
    try:
        found = codecs.lookup(encoding)
        "".encode(encoding)  # some codecs are none of text
    except (LookupError, ValueError):
        raise DataError(
            f"{name}: no encoding is called {encoding!r}",
            f"{did_you_mean(encoding, _COMMON)}Common ones are {', '.join(_COMMON)}; 'auto' guesses.",
        ) from None
    return found.name


def _text_of(data: bytes, encoding: str) -> str:
    """Return text; what begins with the mark of UTF-16 is UTF-16, in the place of UTF-8."""
    is_utf16 = encoding.startswith("utf-8") and data.startswith(UTF16_BOMS)
    return data.decode("utf-16" if is_utf16 else encoding).removeprefix("\ufeff")


def _with_bad(data: bytes, encoding: str) -> bytes | None:
    """Return text in which bytes that the encoding does not have are as they were; None where that cannot be."""
    try:
        text = data.decode(encoding, "surrogateescape").removeprefix("\ufeff")
    except UnicodeError:
        return None
    return text.encode("utf-8", "surrogateescape")


def _decoded(name: str, data: bytes, encoding: str) -> bytes:
    try:
        return data.decode(encoding).removeprefix("\ufeff").encode()
    except UnicodeDecodeError as error:
        place = f"{name}, line {_line(data, encoding, error.start)}"
        raise DataError(
            f"{place}: byte 0x{data[error.start]:02x} is not valid {encoding}",
            "Name another encoding with `encoding=`, or let 'auto' guess.",
        ) from None
    except UnicodeError as error:
        raise DataError(
            f"{name}: not valid {encoding}: {error}", "Name another one with `encoding=`."
        ) from None
