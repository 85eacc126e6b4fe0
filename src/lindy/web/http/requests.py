"""A request and an answer, as handlers see them, and in words why a body of JSON is wrong."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any, TypeVar
from urllib.parse import parse_qsl

import msgspec

from lindy.errors import did_you_mean
from lindy.web.http.problems import ClientGoneError, Problem
from lindy.web.http.request_limits import Limits

T = TypeVar("T")
Headers = tuple[tuple[bytes, bytes], ...]

JSON: Headers = ((b"content-type", b"application/json"), (b"cache-control", b"no-store"))
_KINDS = {
    "str": "a string",
    "int": "a whole number",
    "float": "a number",
    "bool": "true or false",
    "null": "null",
    "array": "a list",
    "object": "an object",
}
_PLACE = re.compile(r"(?P<what>.*?)(?: - at `(?P<place>.*)`)?", re.DOTALL)
_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_KIND = re.compile(r"Expected `(.*)`, got `(.*)`")
_SIZE = re.compile(r"Expected `(.*)` (of length )?(>=|<=|>|<) (.*)")
_BOUNDS = {">=": "at least", "<=": "at most", ">": "more than", "<": "less than"}
_UNITS = {"str": ("character", "characters"), "array": ("entry", "entries"), "object": ("entry", "entries")}
_LONGEST = 100  # characters of a name that is repeated


@dataclass(slots=True)
class Request:
    """A client's request; the headers that matter have names of their own.

    ``connection`` is that of ``protocol``, if it came through one.
    """

    method: str
    path: str
    query_string: bytes
    peer: str
    receive: Callable[[], Awaitable[dict[str, Any]]]
    host: bytes = b""
    origin: bytes | None = None
    authorization: bytes = b""
    content_type: bytes = b""
    content_length: int | None = None
    if_none_match: bytes = b""
    forwarded_for: bytes = b""
    body_is_read: bool = False
    connection: Any = None

    @classmethod
    def of(cls, scope: dict[str, Any], receive: Callable[[], Awaitable[dict[str, Any]]]) -> Request:
        """Return the request of an ASGI scope."""
        client = scope.get("client")
        request = cls(
            scope["method"], scope["path"], scope["query_string"], client[0] if client else "", receive
        )
        request.connection = scope.get("lindy.connection")
        hosts = 0
        for name, value in scope["headers"]:
            if name == b"host":
                request.host = value
                hosts += 1
            elif name == b"content-type":
                request.content_type = value
            elif name == b"content-length":
                request.content_length = int(value) if value.isdigit() else None
            elif name == b"authorization":
                request.authorization = value
            elif name == b"origin":
                request.origin = value
            elif name == b"if-none-match":
                request.if_none_match = value
            elif name == b"x-forwarded-for":
                request.forwarded_for += b"," + value
        if hosts > 1:
            raise Problem(400, "bad-host", "the request has more than one Host header; send one")
        return request

    @property
    def is_gone(self) -> bool:
        """Whether the client has closed the connection."""
        return self.connection is not None and self.connection.is_gone

    def hold(self, size: int) -> None:
        """Count bytes that are kept of it, see ``protocol``; those of the body are until ``parts`` hands them out."""
        if self.connection is not None:
            self.connection.hold(size)

    def query(self) -> dict[str, str]:
        """Return the parameters behind the question mark; of two with one name the last."""
        text = self.query_string.decode("ascii", "replace")
        try:
            return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=100))
        except ValueError:
            raise Problem(400, "bad-query", "the address has more than 100 parameters; send fewer") from None

    async def json(self, decoder: msgspec.json.Decoder[T], limits: Limits) -> T:
        """Return the body as a value of a type of ``messages``."""
        kind = self.content_type
        if kind != b"application/json" and kind.partition(b";")[0].strip().lower() != b"application/json":
            raise Problem(
                415,
                "not-json",
                f"expected a body of JSON, got {_named(self.content_type)}; send 'Content-Type: application/json'",
            )
        body = await self.body(limits)
        try:
            decoded: T = decoder.decode(body)
        except msgspec.ValidationError as error:
            raise Problem(400, "wrong-value", in_words(error, decoder.type)) from None
        except UnicodeDecodeError:
            raise Problem(400, "invalid-json", "the body is not in UTF-8, as JSON must be") from None
        except msgspec.DecodeError as error:
            if not body.strip():
                raise Problem(400, "invalid-json", "the body is empty, expected JSON") from None
            cut = "it ends too early" if "truncated" in str(error) else str(error)
            raise Problem(400, "invalid-json", f"the body is not JSON: {cut}") from None
        except RecursionError:
            raise Problem(400, "invalid-json", "the body is nested too deeply") from None
        return decoded

    async def body(self, limits: Limits) -> bytes:
        """Return the body as a whole."""
        most = limits.body
        if self.content_length is not None and self.content_length > most:
            raise too_large(most)
        # the wait for the first bytes is limited where the connection is, see ``protocol``
        message = await self.receive()
        if message["type"] == "http.disconnect":
            raise ClientGoneError
        body: bytes = message["body"]
        if message.get("more_body"):
            try:
                async with asyncio.timeout(limits.body_seconds):
                    body += await self._rest(most - len(body))
            except TimeoutError:
                raise _too_slow(limits.body_seconds) from None
        if len(body) > most:
            raise too_large(most)
        self.body_is_read = True
        return body

    async def _rest(self, most: int) -> bytes:
        parts: list[bytes] = []
        async for part in self.parts():
            self.hold(len(part))
            most -= len(part)
            parts.append(part)
            if most < 0:
                break
        return b"".join(parts)

    async def parts(self, pause: float | None = None) -> AsyncIterator[bytes]:
        """Yield the body as it comes; ``pause`` is how many seconds it may stand still."""
        more = True
        while more:
            try:
                async with asyncio.timeout(pause):
                    message = await self.receive()
            except TimeoutError:
                raise _too_slow(pause or 0) from None
            if message["type"] == "http.disconnect":
                raise ClientGoneError
            more = message.get("more_body", False)
            if message["body"]:
                self.hold(-len(message["body"]))
                yield message["body"]
        self.body_is_read = True


@dataclass(slots=True)
class Response:
    """An answer: as a whole, or piece by piece."""

    status: int
    headers: Headers
    body: bytes = b""
    pieces: AsyncIterator[bytes] | None = None


def json_response(value: Any, status: int = 200) -> Response:
    """Return a value of a type of ``messages`` as an answer."""
    return Response(status, JSON, _ENCODER.encode(value))


def problem_response(problem: Problem) -> Response:
    """Return a problem as an answer."""
    return Response(problem.status, JSON + problem.headers, problem.body())


_ENCODER = msgspec.json.Encoder()


def too_large(most: int) -> Problem:
    """Return that a body is too large."""
    return Problem(
        413,
        "too-large",
        f"the body has more than {most:,} bytes; send fewer texts at a time, or a table to /v1/table",
        {"most": most},
    )


def _too_slow(seconds: float) -> Problem:
    return Problem(
        408,
        "too-slow",
        f"the body did not arrive within {seconds:g} seconds; send it again",
        {"seconds": seconds},
    )


def _named(content_type: bytes) -> str:
    return repr(content_type[:100].decode("latin-1")) if content_type else "no Content-Type"


def in_words(error: msgspec.ValidationError, kind: Any) -> str:
    """Return what a decoder of a type of ``messages`` complains about."""
    found = _PLACE.fullmatch(str(error))
    assert found is not None  # every part of the pattern may be empty
    what, place = found["what"], _place(found["place"])
    fields = [field.name for field in msgspec.structs.fields(kind)]
    if match := _UNKNOWN.fullmatch(what):
        name = match[1][:_LONGEST]
        return f"there is no field {name!r}. {did_you_mean(name, fields)}The fields are {', '.join(fields)}"
    if match := _MISSING.fullmatch(what):
        return f"the field {match[1]!r} is missing"
    if match := _KIND.fullmatch(what):
        return f"{place} must be {_kinds(match[1])}, not {_kinds(match[2])}"
    if match := _SIZE.fullmatch(what):
        bound, number = _BOUNDS[match[3]], f"{float(match[4]):,g}" if float(match[4]) < 1e6 else match[4]
        if match[2]:
            one, many = _UNITS.get(match[1], ("entry", "entries"))
            return f"{place} must have {bound} {number} {one if number == '1' else many}"
        return f"{place} must be {bound} {number}"
    return f"{place}: {what}"


def _place(path: str | None) -> str:
    """Return what a path such as ``$.texts[1]`` leads to."""
    if not path or path == "$":
        return "the body"
    name, *inside = re.split(r"(?=\[)", path.removeprefix("$."), maxsplit=1)
    if not inside:
        return name
    places = re.findall(r"\[(\d+|\.\.\.)\]", inside[0])
    return f"{' of '.join(_entry(place) for place in reversed(places))} of {name}"


def _entry(place: str) -> str:
    return f"entry {int(place) + 1}" if place != "..." else "a value"


def _kinds(names: str) -> str:
    words = [_KINDS.get(name, name) for name in names.split(" | ")]
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"
