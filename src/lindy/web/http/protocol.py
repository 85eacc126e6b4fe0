"""uvicorn's HTTP protocol with limits of size and time for what is received.

uvicorn waits as long as a client likes for the end of its headers. Here a timer looks at all connections once a second:
headers must be complete some seconds after they began, and a body must begin and go on. Where there are too many
connections, the one that has waited longest without a request makes room for the next. What is kept of all requests
(addresses, headers, bodies) is counted together: where it is too much, the largest one that is still being sent is
refused, so that small ones are answered whatever others send.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol

from lindy.web.http.problems import Problem
from lindy.web.http.request_limits import Limits

_EVERY = 1.0  # seconds between two looks at the connections
_PER_HEADER = 200  # bytes that Python's objects take beside the text of a header


def limited_protocol(limits: Limits) -> type[HttpToolsProtocol]:
    """Return the protocol with some limits, as uvicorn makes one for every connection."""
    return type("Limited", (LimitedProtocol,), {"limits": limits, "kept": Kept()})


@dataclass(slots=True)
class Kept:
    """How many bytes are kept of the requests of all connections."""

    bytes: int = 0


class LimitedProtocol(HttpToolsProtocol):
    """A connection."""

    limits = Limits()
    kept = Kept()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to watch the connection; where there are too many, close the one that has waited longest."""
        super().connection_made(transport)
        now = self.loop.time()
        self._since = now  # when it was made, or the last request answered
        self._heard = now  # when the client last sent something
        self._begun: float | None = None  # when the headers began that are not complete
        self._header_bytes = 0
        self._framing = 0  # bytes since the last part of a body: chunk headers and trailers
        self._stuck: float | None = None  # since when the client takes nothing of its answer
        self._held = 0  # bytes that are kept of its requests
        if len(self.connections) > self.limits.connections:
            others: set[Any] = self.connections
            waiting = (other for other in others if other.is_waiting)
            min(waiting, key=lambda other: other._since, default=self).transport.abort()

    @property
    def is_waiting(self) -> bool:
        """Whether no request is being answered."""
        return self.cycle is None or self.cycle.response_complete

    def data_received(self, data: bytes) -> None:
        """Count the bytes of headers and of what stands around a body, and note the time."""
        self._heard = self.loop.time()
        self._framing += len(data)
        super().data_received(data)
        most = self.limits.header_bytes
        if self._begun is not None:
            self._header_bytes += len(data)
            self.hold(len(data))
            if len(self.headers) > self.limits.headers:
                self._refuse_headers()
            elif self._header_bytes > most:
                self.refuse(
                    431, "headers-too-large", f"the headers have more than {most:,} bytes; send fewer"
                )
        elif self._framing > most and not self.is_waiting and self.cycle.more_body:
            self.refuse(431, "trailers-too-large", f"more than {most:,} bytes around a chunk; send none")

    def on_message_begin(self) -> None:
        """Begin to count."""
        self._begun, self._header_bytes = self._heard, 0
        super().on_message_begin()
        self.scope["lindy.connection"] = self  # type: ignore[typeddict-unknown-key]

    def on_header(self, name: bytes, value: bytes) -> None:
        """Keep a header; nobody asks for trailers, which come after the body and may have no end."""
        if self._begun is not None:
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        """Take a part of the body."""
        self._framing = 0
        super().on_body(body)
        if not self.cycle.response_complete:
            self.hold(len(body))

    def on_headers_complete(self) -> None:
        """Begin the answer."""
        self._begun = None
        # at most what has come now, of which the body is a part, beside what was counted as it came
        size = min(self._framing - self._header_bytes, self.limits.header_bytes)
        size += _PER_HEADER * len(self.headers)
        self._framing = 0
        super().on_headers_complete()
        if len(self.headers) > self.limits.headers:
            self._refuse_headers()
        else:
            self.hold(size)

    def _refuse_headers(self) -> None:
        most = self.limits.headers
        self.refuse(431, "headers-too-large", f"the request has more than {most:,} headers; send fewer")

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        self._since = self.loop.time()
        self.hold(-self._held)
        super().on_response_complete()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget what was sent."""
        self.hold(-self._held)
        super().connection_lost(exc)

    @property
    def is_gone(self) -> bool:
        """Whether nobody is left to be answered."""
        return self.transport.is_closing()

    def hold(self, size: int) -> None:
        """Count bytes that are kept of a request, less than 0 for those that no longer are; makes room if need be."""
        if self.transport.is_closing() and size > 0:
            return
        self._held += size
        self.kept.bytes += size
        if size > 0 and self.kept.bytes > self.limits.held:
            self._make_room()

    def _make_room(self) -> None:
        """Refuse the largest request that is still being sent."""
        others: set[Any] = self.connections
        sending = (other for other in others if other.is_sending)
        largest = max(sending, key=lambda other: other._held, default=self)
        largest.hold(-largest._held)
        if not largest.is_waiting and largest.cycle.response_started:
            largest.transport.abort()
        else:
            message = "the service is being sent more than it can keep; send it again in a second"
            largest.refuse(503, "busy", message, (b"retry-after", b"1"))

    @property
    def is_sending(self) -> bool:
        """Whether a request has begun of which more is to come."""
        unfinished = self._begun is not None or (not self.is_waiting and self.cycle.more_body)
        return unfinished and not self.transport.is_closing()

    def pause_writing(self) -> None:
        """Note since when the client takes nothing."""
        self._stuck = self.loop.time()
        super().pause_writing()

    def resume_writing(self) -> None:
        """Note that it does again."""
        self._stuck = None
        super().resume_writing()

    def look(self, now: float) -> None:
        """Refuse a client that has been too slow."""
        limits = self.limits
        if self._stuck is not None and now - max(self._stuck, self._heard) > limits.body_seconds:
            self.transport.abort()  # it neither takes its answer nor sends: many send all before they read
        elif self.is_waiting:
            if self._begun is not None and now - self._begun > limits.header_seconds:
                most = f"{limits.header_seconds:g}"
                self.refuse(
                    408, "too-slow", f"the headers did not arrive within {most} seconds; send them again"
                )
            elif self._begun is None and now - self._since > self._patience:
                self.transport.close()
        elif self.cycle.more_body and not self.flow.read_paused and now - self._heard > limits.body_seconds:
            if self.cycle.response_started:
                self.transport.close()
            else:
                most = f"{limits.body_seconds:g}"
                self.refuse(408, "too-slow", f"nothing of the body arrived for {most} seconds; send it again")

    @property
    def _patience(self) -> float:
        """How long a connection may be without a request: the first one has to come sooner."""
        return self.limits.header_seconds if self.cycle is None else self.limits.keep_alive

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP."""
        self.refuse(400, "not-http", msg.rstrip(".").lower())

    def refuse(self, status: int, code: str, message: str, *more: tuple[bytes, bytes]) -> None:
        """Answer with a problem, and close the connection."""
        if self.transport.is_closing():
            return
        body = Problem(status, code, message).body()
        headers = [
            *self.server_state.default_headers,
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            *more,
        ]
        head = b"".join(name + b": " + value + b"\r\n" for name, value in headers)
        self.transport.write(STATUS_LINE[status] + head + b"\r\n" + body)
        self.transport.close()


def watch_connections(connections: set[Any]) -> None:
    """Look at all connections once a second, as long as the loop runs."""
    loop = asyncio.get_running_loop()

    def look() -> None:
        loop.call_later(_EVERY, look)  # first: an error about one connection must not be the end of the watch
        now = loop.time()
        for connection in list(connections):
            connection.look(now)

    look()
