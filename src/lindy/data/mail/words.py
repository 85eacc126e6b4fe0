"""A message as a text: its subject and body, and below them one word for each thing that words do not say.

The additional words are made of letters, digits and ``_``, so that every tokeniser keeps them whole, a model file
holds them like any other word, and an explanation shows them:

===========================  =========================================================================
``subject_free``             a word of the subject
``from_example``             a word of a chosen header
``has_x_mailer``             the message has this header
``part_text_html``           it has a part of this type
``tag_font``                 its HTML has this tag
``charset_big5``             it has a text in this charset
``money_3_4``                three or four amounts of money; likewise links, calls, numbers, shouts
``capitals_20_percent``      20 to 29 % of the words are in capitals
``link_text_differs``        a link shows another address than the one it leads to
``link_to_number``           a link leads to a bare IP address
``host_example_com``         a link leads there
``sender_in_contacts``       the sender is among the contacts (or ``sender_not_in_contacts``)
``reply_to_differs``         answers go to another site than the sender's; likewise ``return_path_differs``
``received_from_sender``     a server of the sender's site is on the route (or ``received_not_from_sender``)
``sender_consistent``        Reply-To, Return-Path or the route agree with the sender (see `sender_words`)
``greets_by_name``           the first lines greet the recipient by name (or ``greets_without_name``)
===========================  =========================================================================
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import islice, pairwise
from urllib.parse import urlsplit

from lindy.data.chunks.source import Source
from lindy.data.mail.message import Message
from lindy.errors import DataError

HEADERS = (
    "from",
    "to",
    "reply-to",
    "x-mailer",
    "user-agent",
    "list-id",
    "precedence",
    "received",
)
ADDRESS = re.compile(r"[\w.+%-]{1,64}@[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}")
_HOST = re.compile(r"[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,8}", re.IGNORECASE)
_BY = re.compile(r"\bby\s+([a-z0-9.-]{1,200})", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_]{3,40}")
_GREETING = re.compile(
    r"\s{0,9}(?:dear|hi|hello|hey|greetings|good (?:morning|afternoon|evening|day)|hallo|liebe[rs]?|sehr geehrte[rs]?"
    r"|guten tag|bonjour|cher|chère|salut|hola|estimad[oa]|querid[oa]|ciao|car[oa]|gentile|olá|prezad[oa]"
    r"|beste|geachte)\b"
    r"([^\n.!]{0,80})",
    re.IGNORECASE,
)
_FIRST_LINES = 5  # that are not blank
_NO_NAMES = {
    "mail",
    "email",
    "info",
    "office",
    "undisclosed",
    "recipients",
    "list",
    "users",
    "team",
    "contact",
}


"""The headers whose words are taken unless others are chosen."""

_WORD = re.compile(r"\w+")
_SHOWN_HOST = re.compile(
    r"(?:https?://|www\.)?((?:[a-z0-9-]{1,63}\.){1,8}[a-z]{2,10})(?![\w@.-])", re.IGNORECASE
)
_NUMBER_HOST = re.compile(r"\d{1,3}(?:\.\d{1,3}){3}|\d+|0x[0-9a-f]+", re.IGNORECASE)
_PATTERNS = {
    "money": re.compile(r"[$£€]\s?\d|\b\d+\s?(?:dollars|usd|euros?)\b", re.IGNORECASE),
    "links": re.compile(r"\bhttps?://|\bwww\.", re.IGNORECASE),
    "calls": re.compile(r"[!?]{2,}|!"),
    "numbers": re.compile(r"\b\d{4,}\b"),
    "shouts": re.compile(r"\b[A-Z]{4,}\b"),
}
_UNIQUE = re.compile(r"\bid [^\s;]+|;[^;]*$")  # of a received header: which message, and when
_MOST_WORDS = 40  # of one header
_MOST_VALUES = 10  # of a header that stands several times


@dataclass(frozen=True, slots=True)
class MailWords:
    """How a message becomes a text.

    Attributes
    ----------
    headers : tuple of str
        Headers whose words are taken, in lower case.
    contacts : set of str or None
        Addresses of known senders, in lower case; None if nothing is known.
    """

    headers: tuple[str, ...] = HEADERS
    contacts: frozenset[str] | None = None

    def to_state(self) -> dict[str, str]:
        """Return what a model keeps of it: the headers, and whether there were contacts, but not who they are."""
        known = {} if self.contacts is None else {"contacts": "used"}
        return {"text_is": "mail", "headers": ",".join(self.headers), **known}

    @classmethod
    def from_state(
        cls, kept: Mapping[str, str], contacts: str | None = None, headers: str | None = None
    ) -> MailWords:
        """Return it as a model keeps it, with the contacts of a file, and with other headers if they are named."""
        names = headers if headers is not None else kept.get("headers")
        wanted = HEADERS if names is None else tuple(filter(None, names.lower().replace(" ", "").split(",")))
        return cls(wanted, None if contacts is None else read_contacts(contacts))

    def text(self, message: Message) -> str:
        """Return the text of a message."""
        seen = " ".join(dict.fromkeys(self.seen(message)))
        return "\n".join([message.subject, message.body.strip(), "", seen])

    def seen(self, message: Message) -> Iterator[str]:
        """Yield the additional words."""
        yield from prefixed("subject", message.subject)
        for name in self.headers:
            for value in message.all(name)[:_MOST_VALUES]:
                yield from prefixed(name, _UNIQUE.sub(" ", value) if name == "received" else value)
        for name, _ in message.headers:
            yield word("has", name)
        for kind in message.kinds:
            yield word("part", kind)
        for tag in message.tags:
            yield word("tag", tag)
        for charset in message.charsets:
            yield word("charset", charset)
        yield from _counted(message.body)
        yield from _link_words(message)
        yield from sender_words(message)
        yield from greeting_words(message)
        if self.contacts is not None:
            yield "sender_in_contacts" if message.sender in self.contacts else "sender_not_in_contacts"


def word(*parts: str) -> str:
    """Return one word of several parts."""
    return "_".join(found for part in parts for found in _WORD.findall(part[:100].lower()))


def prefixed(name: str, text: str) -> list[str]:
    """Return the words of a text with a name in front."""
    front = word(name)
    return [f"{front}_{found[:100]}" for found in _WORD.findall(text.lower())[:_MOST_WORDS]]


def _counted(body: str) -> Iterator[str]:
    for name, pattern in _PATTERNS.items():
        if count := len(pattern.findall(body)):
            yield f"{name}_{_span(count)}"
    words = re.findall(r"[^\W\d_]{2,}", body)
    if words:
        share = sum(found.isupper() for found in words) / len(words)
        yield f"capitals_{int(share * 10) * 10}_percent"


def _span(count: int) -> str:
    """Return 1, 2, 3_4, 5_8, 9_16 or more."""
    if count > 16:
        return "more"
    if count <= 2:
        return str(count)
    high = 1 << (count - 1).bit_length()
    return f"{high // 2 + 1}_{high}"


def _link_words(message: Message) -> Iterator[str]:
    for link in message.links:
        host = _host(link.target)
        if not host:
            continue
        yield word("host", host)
        if _NUMBER_HOST.fullmatch(host):
            yield "link_to_number"
        shown = _SHOWN_HOST.search(link.text)
        if shown and not _same_host(shown[1].lower(), host):
            yield "link_text_differs"


def _host(target: str) -> str | None:
    try:
        return urlsplit(target).hostname
    except ValueError:
        return None


def _same_host(one: str, other: str) -> bool:
    """Whether two names are of one site: equal, or one within the other, ``www.`` aside."""
    a, b = one.removeprefix("www."), other.removeprefix("www.")
    return a == b or a.endswith("." + b) or b.endswith("." + a)


def read_contacts(path: str | os.PathLike[str]) -> frozenset[str]:
    """Return the addresses in a file of any kind of text: a list, CSV, vCards."""
    source = Source(path)
    data = source.read()
    source.check_bytes(data)
    found = frozenset(address.lower() for address in ADDRESS.findall(data.decode()))
    if not found:
        raise DataError(
            f"{source.name}: there is no mail address", "Expected one on each line, such as a@example.org."
        )
    return found


def sender_words(message: Message) -> Iterator[str]:
    """Yield words for what fits to the sender's address, and what does not.

    Amato's questions "Is the sending information consistent?" and "Does the email address you by (your) name?".
    """
    own = site(message.sender)
    if not own:
        yield "sender_without_address"
        return
    agree = False
    for header in ("reply-to", "return-path"):
        others = [site(found) for value in message.all(header)[:1] for found in ADDRESS.findall(value)]
        if others:
            agree = agree or own in others
            if own not in others:
                yield f"{header.replace('-', '_')}_differs"
    name, bracket, _ = message.all("from")[0].partition("<")
    shown = ADDRESS.search(name) if bracket else None
    if shown and site(shown[0]) != own:
        yield "sender_shows_other_address"
    hops = [value for value in message.all("received") if _HOST.search(value)]
    if hops:
        through = any(site(host) == own for hop in hops for host in _HOST.findall(hop))
        agree = agree or through
        yield "received_from_sender" if through else "received_not_from_sender"
        if any(_breaks(later, earlier) for later, earlier in pairwise(hops)):
            yield "received_chain_breaks"
    if agree:
        yield "sender_consistent"


def _breaks(later: str, earlier: str) -> bool:
    """Whether a server says that it got a message from others than the one that, one line below, took it."""
    by = _BY.search(earlier)
    taker = site(by[1]) if by else ""
    came = later[: found.start()] if (found := _BY.search(later)) else later
    sites = {site(host) for host in _HOST.findall(came)}
    return bool(taker and sites) and taker not in sites


def site(address: str) -> str:
    """Return what an address or host belongs to: example.com for ann@mail.example.com, example.co.uk likewise."""
    host = address.rpartition("@")[2].strip("[].").lower()  # of ann@[10.0.0.1], the number
    if "." not in host:
        return ""
    labels = host.split(".")
    if labels[-1].isdecimal():
        return host
    short = len(labels[-1]) == 2 and len(labels[-2]) <= 3
    return ".".join(labels[-3 if short else -2 :])


def greeting_words(message: Message) -> Iterator[str]:
    """Yield whether the first five lines greet the recipient by name, or greet without it; otherwise nothing."""
    names = recipient_names(message)
    lines = (line for line in message.body.split("\n") if line.strip())
    for line in islice(lines, _FIRST_LINES):
        if found := _GREETING.match(line):
            named = names & {name.lower() for name in _NAME.findall(found[1])}
            yield "greets_by_name" if named else "greets_without_name"
            return
        alone = _NAME.fullmatch(line.strip().rstrip(",!:- "))
        if alone and alone[0].lower() in names:
            yield "greets_by_name"
            return


def recipient_names(message: Message) -> set[str]:
    """Return the names of those that a message is addressed to: ann and lee of "Ann Lee <a.lee@x.org>"."""
    names: set[str] = set()
    for header in ("to", "delivered-to", "x-original-to"):
        for value in message.all(header):
            without_hosts = re.sub(r"@[^\s,;<>]{0,255}", " ", value)
            names.update(name.lower() for name in _NAME.findall(without_hosts))
    return names - _NO_NAMES
