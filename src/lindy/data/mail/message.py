"""A raw message to what a reader would see of it, as far as it can be read."""

from __future__ import annotations

import codecs
import html
import re
from base64 import b64decode
from dataclasses import dataclass
from email import message_from_bytes
from email.errors import HeaderParseError
from email.header import decode_header
from email.message import Message as Part
from email.parser import BytesHeaderParser
from email.policy import compat32
from typing import cast

_TAG = re.compile(
    r"<(?:!--.*?(?:-->|\Z)|[!?][^<>]*>|(?P<end>/?)(?P<name>[a-zA-Z][a-zA-Z0-9]{0,20})(?P<rest>[^<>]*)>)",
    re.DOTALL,
)
_HREF = re.compile(r"""\bhref\s{0,9}=\s{0,9}(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""", re.IGNORECASE)
_HIDDEN = {"script", "style", "title", "head"}
_INLINE = {"a", "b", "big", "em", "font", "i", "s", "small", "span", "strong", "sub", "sup", "tt", "u"}
_MOST_LINKS = 500
_MOST_TAGS = 100
_LONGEST_LINK = 500  # characters of its text
LONGEST = 1 << 20
# these take quadratic time or make other things than characters of bytes
_REFUSED = {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "mbcs", "oem"}
# what mail programs write for what others call differently
_KNOWN_AS = {"ks_c_5601-1987": "cp949", "gb2312": "gb18030", "x-gbk": "gb18030", "unknown-8bit": "cp1252"}
_LONGEST_HEADER = 2000  # characters; decoding encoded words takes quadratic time

UNKNOWN_CHARSET = "unknown charset"
WRONG_BYTES = "bytes that are not of their charset"
CUT_OFF = "last character that is cut off"


@dataclass(frozen=True, slots=True)
class Link:
    """A link: its text as a reader sees it, up to 500 characters, and where it leads."""

    text: str
    target: str


@dataclass(frozen=True, slots=True)
class Page:
    """The text that a reader would see, the links, and the tags that were used, each once."""

    text: str
    links: list[Link]
    tags: list[str]


def read_html(page: str) -> Page:
    """Read text and links of a page, in one pass.

    A scanner of our own, because this HTML is made by strangers: the standard library's parser takes minutes for
    100 kB of ``<a ``. Every character is looked at a bounded number of times here.
    """
    seen: list[str] = []
    links: list[Link] = []
    tags: dict[str, None] = {}
    position, hidden = 0, ""
    link: tuple[int, str] | None = None  # where its text begins, and where it leads
    for tag in _TAG.finditer(page):
        if not hidden:
            seen.append(unescaped(page[position : tag.start()]))
        position = tag.end()
        name = (tag["name"] or "").lower()
        if name and len(tags) < _MOST_TAGS:
            tags[name] = None
        if hidden:
            hidden = "" if tag["end"] and name == hidden else hidden
        elif not tag["end"] and name in _HIDDEN:
            hidden = name
        elif name == "a":
            if link and len(links) < _MOST_LINKS:
                begun, target = link
                links.append(Link(" ".join("".join(seen[begun:]).split())[:_LONGEST_LINK], target))
            found = None if tag["end"] else _HREF.search(tag["rest"])
            target = unescaped(next(filter(None, found.groups()), "").strip()) if found else ""
            link = (len(seen), target) if target else None
        elif name and name not in _INLINE:
            seen.append("\n")
    if not hidden:
        seen.append(unescaped(page[position:]))
    text = re.sub(r"[^\S\n]*\n\s*", "\n", "".join(seen))
    return Page(text, links, list(tags))


def unescaped(text: str) -> str:
    """Return text with its character references resolved."""
    try:
        return html.unescape(text)
    except ValueError:  # a number of thousands of digits
        return text


"""Bytes of a message that are read; what follows is cut off."""
_LONGEST_BODY = 200_000  # characters
_MOST_HEADERS = 200
_MOST_PARTS = 200
_DEEPEST = 20
_LONGEST_HEAD = 1 << 16  # bytes
_MOST_BOUNDARIES = 30  # every line is compared with all that are open
_MOST_BOUNDARY_LINES = 3000
_IN_BRACKETS = re.compile(r"<[^<>\s]{1,99}@[^<>\s]{1,200}>")
_ADDRESS = re.compile(r"[^<>\s\"(),:;]{1,99}@[^<>\s\"(),:;]{1,200}")
_CONTENT_TYPE = re.compile(rb"^content-type:[^\r\n]*(?:\r?\n[ \t][^\r\n]*)*", re.IGNORECASE | re.MULTILINE)
_HTML = re.compile(r"\s{0,99}<(?:!doctype )?html\b", re.IGNORECASE)  # some call it plain text
_PACKED = {"base64", "quoted-printable", "x-uuencode", "uuencode", "uue", "x-uue"}
_LONGEST_CONTENT_TYPE = 1000  # bytes; its parameters are found in quadratic time

_DEFECTS = {
    "NoBoundaryInMultipartDefect": "multipart without a boundary",
    "StartBoundaryNotFoundDefect": "multipart whose boundary does not occur",
    "CloseBoundaryNotFoundDefect": "multipart that does not end",
    "MultipartInvariantViolationDefect": "multipart without parts",
    "MissingHeaderBodySeparatorDefect": "header that does not end",
    "FirstHeaderLineIsContinuationDefect": "header that does not begin",
    "MisplacedEnvelopeHeaderDefect": "header line in the wrong place",
    "InvalidMultipartContentTransferEncodingDefect": "multipart in a wrong encoding",
    "InvalidBase64PaddingDefect": "broken base64",
    "InvalidBase64CharactersDefect": "broken base64",
    "InvalidBase64LengthDefect": "broken base64",
}


@dataclass(frozen=True, slots=True)
class Message:
    """The parts of a message that were read.

    Attributes
    ----------
    headers : list of (str, str)
        Lower-case names and decoded values, in their order.
    subject, sender : str
        The decoded subject; the address of the sender in lower case; empty if there is none.
    body : str
        The text: of plain parts, or of HTML where there is no plain one beside it.
    links : list of Link
        The links of HTML parts.
    tags, kinds, charsets : list of str
        The tags of HTML parts, the content types of all parts, and the charsets of texts.
    problems : list of str
        What was wrong with it, each once.
    """

    headers: list[tuple[str, str]]
    subject: str
    sender: str
    body: str
    links: list[Link]
    tags: list[str]
    kinds: list[str]
    charsets: list[str]
    problems: list[str]

    def all(self, name: str) -> list[str]:
        """Return the values of a header."""
        return [value for other, value in self.headers if other == name]


def read_message(data: bytes | str) -> Message:
    """Read a message, from bytes or from text that they were decoded to. Nothing in it makes this fail."""
    problems: list[str] = []
    decoded = isinstance(data, str)
    data = data.encode("utf-8", "replace") if isinstance(data, str) else data
    if len(data) > LONGEST:
        data = data[:LONGEST]
        problems.append(f"longer than {LONGEST >> 20} MB, cut")
    part = _parse(data, problems)
    headers: list[tuple[str, str]] = []
    for name, raw in part.raw_items():
        if len(headers) == _MOST_HEADERS:
            problems.append(f"more than {_MOST_HEADERS} headers")
            break
        value, problem = header_text(str(raw))
        headers.append((name.lower(), value))
        problems += [problem] if problem else []
    body = _Body(problems, decoded)
    body.read(part)
    by_name = dict(reversed(headers))
    said = by_name.get("from", "")
    sender = _IN_BRACKETS.search(said) or _ADDRESS.search(said)  # the name before it may look like one
    return Message(
        headers=headers,
        subject=by_name.get("subject", ""),
        sender=sender[0].strip("<>").lower() if sender else "",
        body=body.text(),
        links=body.links,
        tags=list(dict.fromkeys(body.tags)),
        kinds=body.kinds,
        charsets=body.charsets,
        problems=list(dict.fromkeys(problems)),
    )


def _parse(data: bytes, problems: list[str]) -> Part:
    """Return the tree of parts, or, where that would take too long or fails, the message as one part.

    The parser is the standard library's in its older policy: the newer one takes five times as long and parses
    the contents of headers by recursion, which a stranger can send very deep.
    """
    blank = re.search(rb"\n\r?\n", data)
    if (blank.start() if blank else len(data)) > _LONGEST_HEAD:
        problems.append("header that is too long")
        data = data[:_LONGEST_HEAD] + b"\n\n" + data[_LONGEST_HEAD:]
    data = _CONTENT_TYPE.sub(lambda found: found[0][:_LONGEST_CONTENT_TYPE].rstrip(b"\r"), data)
    boundaries, lines = data.lower().count(b"boundary="), data.count(b"\n--")
    if boundaries > _MOST_BOUNDARIES or (boundaries and lines > _MOST_BOUNDARY_LINES):
        problems.append("too many parts")
        return BytesHeaderParser(policy=compat32).parsebytes(data)
    try:
        return message_from_bytes(data, policy=compat32)
    except Exception:  # whatever the parser fails on, the message still has words
        problems.append("structure that cannot be read")
        plain = Part()
        plain.set_payload(data.decode("latin-1"))
        return plain


class _Body:
    """Collects the texts of the parts."""

    def __init__(self, problems: list[str], decoded: bool) -> None:
        self.problems = problems
        self.decoded = decoded  # whether the bytes are UTF-8 whatever a part's charset was
        self.texts: list[str] = []
        self.left = _LONGEST_BODY
        self.links: list[Link] = []
        self.tags: list[str] = []
        self.kinds: list[str] = []
        self.charsets: list[str] = []

    def text(self) -> str:
        return "\n".join(self.texts).replace("\0", " ").encode("utf-8", "replace").decode()

    def read(self, message: Part) -> None:
        """Go through the parts in their order, without recursion."""
        waiting: list[tuple[Part, int, bool]] = [(message, 0, False)]
        while waiting:
            part, depth, has_plain = waiting.pop()
            if len(self.kinds) == _MOST_PARTS or depth > _DEEPEST:
                self.problems.append("too many parts")
                return
            kind = part.get_content_type()
            self.kinds.append(kind)
            if part.is_multipart():
                parts = [p for p in part.get_payload() if isinstance(p, Part)]
                plain = any(p.get_content_type() == "text/plain" for p in parts)
                beside = kind == "multipart/alternative" and plain
                waiting += [(p, depth + 1, beside) for p in reversed(parts)]
            elif kind.startswith("text/") or kind.startswith("multipart/"):
                self._add(part, kind, hidden=has_plain and kind == "text/html")
            self.problems += [_DEFECTS.get(type(d).__name__, "damaged structure") for d in part.defects]

    def _add(self, part: Part, kind: str, *, hidden: bool) -> None:
        packing = str(part.get("content-transfer-encoding", "")).strip().lower()
        data = self._unpacked(part) if packing == "base64" else cast("bytes", part.get_payload(decode=True))
        charset = _charset(part)
        if charset:
            self.charsets.append(charset)
        actual = charset if packing in _PACKED or not self.decoded else "utf-8"
        text, problem = decode(data, actual)
        self.problems += [problem] if problem else []
        if len(text) > self.left:
            text = text[: self.left]
            self.problems.append(f"more than {_LONGEST_BODY:,} characters, cut")
        self.left -= len(text)
        if kind == "text/html" or _HTML.match(text):
            page = read_html(text)
            text = page.text
            self.links += page.links
            self.tags += page.tags
        if not hidden:
            self.texts.append(text)

    def _unpacked(self, part: Part) -> bytes:
        """Return as much of a part in base64 as can be decoded."""
        try:
            stored = str(part.get_payload())
        except Exception:  # bytes beyond ASCII, which Python decodes by the charset that the part claims
            self.problems.append("broken base64")
            return cast("bytes", part.get_payload(decode=True))
        raw = re.sub(r"\s+", "", stored)
        sound = re.sub("[^A-Za-z0-9+/]", "", raw)
        if len(raw) % 4 or len(raw) - len(sound) > 2:
            self.problems.append("broken base64")
        whole = sound[: len(sound) - (len(sound) % 4 == 1)]
        return b64decode(whole + "=" * (-len(whole) % 4))


def _charset(part: Part) -> str | None:
    try:
        return part.get_content_charset()
    except Exception:  # what Python's parser fails on is told by its bytes
        return None


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
