"""Clients that are slow, large or many: they are refused in time, and others are not disturbed."""

from __future__ import annotations

import fcntl
import json
import socket
import struct
import termios
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.web.servers import Server, drip, limited, rest

QUICK = {
    "header_seconds": 1.0,
    "body_seconds": 1.0,
    "keep_alive": 1,
    "connections": 400,
    "header_bytes": 8192,
}
POST = b"POST /v1/predict HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"


@pytest.fixture(scope="module")
def quick(reviews: Path) -> Iterator[Server]:
    with limited([reviews], QUICK) as server:
        yield server


def refusal(answer: bytes) -> tuple[int, str]:
    """Return the status and the code of an answer."""
    head, _, body = answer.partition(b"\r\n\r\n")
    assert b"content-security-policy" in head
    return int(head.split()[1]), json.loads(body)["error"]["code"]


@pytest.mark.parametrize(
    ("sent", "expected"),
    [
        (b"GET /health HTTP/1.1\r\nHost: 127", (408, "too-slow")),
        (b"G", (408, "too-slow")),
        (POST + b"Content-Length: 10\r\n\r\n", (408, "too-slow")),
        (POST + b"Content-Length: 10\r\n\r\n{", (408, "too-slow")),
        (POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{", (408, "too-slow")),
        (b"nonsense\r\n\r\n", (400, "not-http")),
        (b"GET /\xff HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", (400, "not-http")),
        (b"\x16\x03\x01\x02\x00\x01\x00", (400, "not-http")),
        (POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", (400, "not-http")),
        (POST + b"Content-Length: x\r\n\r\n", (400, "not-http")),
        (b"GET /health HTTP/1.1\r\nX: " + b"x" * 10_000, (431, "headers-too-large")),
        (b"GET /" + b"x" * 10_000, (431, "headers-too-large")),
        (POST + b"Content-Length: 999999999999\r\n\r\n{", (413, "too-large")),
    ],
)
def test_what_is_refused_at_the_door(quick: Server, sent: bytes, expected: tuple[int, str]) -> None:
    assert refusal(quick.raw(sent)) == expected


def test_tables_that_are_refused_at_the_door_do_not_count_as_being_answered(quick: Server) -> None:
    head = POST.replace(b"/v1/predict", b"/v1/table").replace(b"application/json", b"text/csv")
    for _ in range(10):  # more than are answered at the same time
        assert refusal(quick.raw(head + b"Content-Length: 999999999999\r\n\r\n")) == (413, "too-large")
    assert quick.ask("/v1/table", b"text\na good book\n", headers={"Content-Type": "text/csv"}).status == 200


def test_silent_and_idle_connections_are_closed(quick: Server) -> None:
    assert quick.raw(b"") == b""
    answer = quick.raw(b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
    assert answer.endswith(b'{"status":"ok"}')
    assert quick.raw(b"\r\n\r\n") == b""


def test_a_body_byte_by_byte_is_too_slow(quick: Server) -> None:
    with quick.connect() as sock:
        sock.sendall(POST + b"Content-Length: 100000\r\n\r\n")
        answer = drip(sock, b" ")
    assert refusal(answer) == (408, "too-slow")


def test_many_half_open_connections_disturb_nobody(quick: Server) -> None:
    with ExitStack() as stack:
        for i in range(1000):  # more than the server keeps
            sock = stack.enter_context(quick.connect())
            sock.sendall(b"GET / HTTP/1.1\r\nHost: " if i % 2 else POST + b"Content-Length: 5\r\n")
            if i % 100 == 0:
                assert quick.ask("/v1/predict", {"text": "a good book"}).status == 200
    assert quick.ask("/health").status == 200


def test_a_gigabyte_is_refused_while_others_are_answered(quick: Server) -> None:
    sent = 0
    with quick.connect() as sock:
        sock.sendall(POST + b"Transfer-Encoding: chunked\r\n\r\n")
        block = b"100000\r\n" + b"x" * (1 << 20) + b"\r\n"
        try:
            while sent < 1 << 30:
                sock.sendall(block)
                sent += 1 << 20
                if sent % (8 << 20) == 0:
                    assert quick.ask("/v1/predict", {"text": "a"}).status == 200
        except OSError:
            pass
        answer = rest(sock)
    assert sent < 200 << 20
    assert not answer or refusal(answer) == (413, "too-large")


def _wait_until_full(sock: socket.socket) -> None:
    """Read nothing until no more has come for longer than the service waits, however slow it is."""
    most, begin = 0, time.monotonic()
    since = begin
    while not most or time.monotonic() - since < 4:
        assert time.monotonic() - begin < 60
        time.sleep(0.05)
        (here,) = struct.unpack("i", fcntl.ioctl(sock, termios.FIONREAD, bytes(4)))
        if here > most:
            most, since = here, time.monotonic()


def test_a_client_that_stops_reading_is_given_up(quick: Server) -> None:
    with quick.connect() as sock:
        head = POST.replace(b"/v1/predict", b"/v1/table").replace(b"application/json", b"text/csv")
        body = b"text\n" + b"a good book\n" * 2_000_000
        sock.sendall(head + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        _wait_until_full(sock)
        sock.settimeout(60)
        got = rest(sock)
    assert not got.endswith(b"0\r\n\r\n")


def test_requests_one_after_the_other_on_one_connection(quick: Server) -> None:
    ask = b"GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    answer = quick.raw(ask * 5 + ask.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
    assert answer.count(b'{"status":"ok"}') == 6


def test_more_requests_than_it_can_answer(reviews: Path) -> None:
    with limited([reviews], {"requests": 0}) as server:
        answer = server.ask("/v1/predict", {"text": "a"})
        assert (answer.status, answer.error["code"]) == (503, "busy")
        assert answer.headers["retry-after"] == "1"
        assert server.ask("/health").status == 200  # so that nobody restarts a service that is only busy


def test_a_client_that_leaves_before_its_answer_is_no_mistake_of_ours(reviews: Path) -> None:
    """The log would have had a traceback, which ``limited`` does not let pass."""
    body = b'{"texts": ["%s"]}' % (b"a good book " * 2000)
    with limited([reviews], {}) as server:
        for _ in range(50):
            with server.connect() as sock:
                sock.sendall(POST + b"Content-Length: %d\r\n\r\n" % len(body) + body)
        assert server.ask("/health").status == 200
