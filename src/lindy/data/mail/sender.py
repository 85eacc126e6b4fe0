"""Whether what a message says about its sender fits together, and whether it greets its recipient by name.

Amato's questions "Is the sending information consistent?" and "Does the email address you by (your) name?".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, pairwise

from lindy.data.mail.message import Message

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


def sender_words(message: Message) -> Iterator[str]:
    """Yield words for what fits to the sender's address, and what does not."""
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
