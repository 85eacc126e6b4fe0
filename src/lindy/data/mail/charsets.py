"""Bytes to text where the charset may be missing, unknown, wrong or chosen to do harm."""

from __future__ import annotations

import codecs
import re
from email.errors import HeaderParseError
from email.header import decode_header

# these take quadratic time or make other things than characters of bytes
_REFUSED = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "mbcs", "oem"}
# what mail programs write for what others call differently
_KNOWN_AS = {"ks_c_5601-1987": "cp949", "gb2312": "gb18030", "x-gbk": "gb18030", "unknown-8bit": "cp1252"}
_LONGEST_HEADER = 2000  # characters; decoding encoded words takes quadratic time

UNKNOWN_CHARSET = "unknown charset"
WRONG_BYTES = "bytes that are not of their charset"
CUT_OFF = "last character that is cut off"


def decode(data: bytes, charset: str | None) -> tuple[str, str | None]:
    """Return the text of ``data``, and what was wrong with it, if anything.

    Without a charset, or with an unknown one, it is UTF-8 if it can be, otherwise Windows-1252. A last
    character that was cut off is left out.
    """
    name, problem = _codec(charset)
    for codec in filter(None, (name, "utf-8")):
        try:
            return data.decode(codec), problem
        except ValueError:
            if (text := _without_end(data, codec)) is not None:
                return text, problem or CUT_OFF
            problem = WRONG_BYTES if name else problem
    return data.decode("cp1252", "replace"), problem


def _without_end(data: bytes, codec: str) -> str | None:
    """Return the text of bytes whose last character was cut off; None if something else is wrong with them.

    Behind nothing but ASCII, a last byte that begins a character is rather a letter of another charset.
    """
    try:
        text = codecs.getincrementaldecoder(codec)().decode(data)
    except ValueError:
        return None
    return None if text.isascii() else text


def _codec(charset: str | None) -> tuple[str | None, str | None]:
    """Return the name of a codec for text, and whether the charset is not one."""
    wanted = (charset or "").strip().lower()
    if not wanted:
        return None, None
    try:
        info = codecs.lookup(_KNOWN_AS.get(wanted, wanted))
    except (LookupError, ValueError):
        return None, UNKNOWN_CHARSET
    if not info._is_text_encoding or info.name in _REFUSED:
        return None, UNKNOWN_CHARSET
    return ("cp1252" if info.name in ("ascii", "iso8859-1") else info.name), None


def header_text(raw: str) -> tuple[str, str | None]:
    """Return a header's value on one line, its encoded words decoded, and what was wrong with it, if anything."""
    cut = raw[:_LONGEST_HEADER].replace("\0", " ")
    problem = "header that is too long" if len(raw) > _LONGEST_HEADER else None
    if cut.isascii() and "=?" not in cut:
        return " ".join(cut.split()), problem
    try:
        parts = decode_header(cut)
    except (HeaderParseError, ValueError):
        parts, problem = [(cut, None)], "encoded word that cannot be decoded"
    texts = []
    for part, charset in parts:
        data = part if isinstance(part, bytes) else part.encode("utf-8", "surrogateescape")
        text, wrong = decode(data, charset)
        problem = problem or wrong
        texts.append(text.replace("\0", " "))
    return re.sub(r"\s+", " ", "".join(texts)).strip(), problem
